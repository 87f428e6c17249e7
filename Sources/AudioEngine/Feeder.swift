import AudioTypes
import CRealtime
import Decoding
import Glibc
import OutputInterface
import Realtime
import Synchronization

/// The decoder's thread: opens tracks, keeps the ring of the sounding source filled, prepares the
/// source of the next jump in another ring and then wishes for it. Bad tracks are told and passed
/// over.
///
/// It sleeps on an eventfd: about one wake-up in two seconds while a track plays.
@safe final class Feeder: @unchecked Sendable {
  let decoderEvent = sotto_eventfd()
  private let succession: any Succession
  private let loudnessMode: Mutex<LoudnessMode>
  /// Which loudness tags are applied to what is opened.
  private var loudness: LoudnessMode { loudnessMode.withLock { $0 } }
  private let givenCanResample: Bool?
  private var canResample: Bool { givenCanResample ?? Pipeline.canResample }
  private let report: @Sendable (Report) -> Void
  private let inbox = Mutex(Inbox())
  /// For each slot, where which track begins in its frames. The control thread reads it.
  private let placeTable = Mutex([[Place]](repeating: [], count: Renderer.slots))
  private let rateBreaks = Mutex([RateBreak?](repeating: nil, count: Renderer.slots))
  /// For each slot, what was joined to its source last, when anything was: nothing at its end.
  private let joined = Mutex([Joined?](repeating: nil, count: Renderer.slots))

  // The decoder thread's own.
  private var session: OpenOutput?
  private var open: OpenTrack?
  private var feed: Feed?
  /// For each slot, the serial of the wish that replaced it; 0 when it was never used.
  private var replacedAt = [Int](repeating: 0, count: Renderer.slots)
  private var currentSlot = -1
  /// The number of places so far.
  private var placeCount = 0

  init(
    succession: any Succession, loudness: LoudnessMode, canResample: Bool?,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.succession = succession
    loudnessMode = Mutex(loudness)
    givenCanResample = canResample
    self.report = report
  }

  /// Starts the thread. It keeps this object alive until `close`.
  func start() throws(OutputError) {
    var id = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let status = unsafe pthread_create(&id, nil, decoderThread, context)
    if status != 0 {
      unsafe Unmanaged<Feeder>.fromOpaque(context).release()
      throw OutputError(.other, "no thread for the decoder", underlying: Int(status))
    }
    pthread_detach(id)
  }

  /// Changes the inbox and wakes the thread. Any thread.
  func ask(_ change: (inout Inbox) -> Void) {
    inbox.withLock { box in
      change(&box)
      if box.isSuperseded { box.opening?.raise() }
    }
    sotto_rt_signal(decoderEvent)
  }

  /// For all that is opened from now on. Any thread.
  func setLoudness(_ mode: LoudnessMode) { loudnessMode.withLock { $0 = mode } }

  /// True from the question for a jump until it is wished for or given up: the renderer still knows
  /// nothing of it.
  var isJumping: Bool { inbox.withLock { $0.jump != nil || $0.isPreparing } }

  /// True while a stream of a server is being opened.
  var isOpening: Bool { inbox.withLock { $0.opening != nil } }

  /// True while a jump waits to be taken up.
  var hasJump: Bool { inbox.withLock { $0.jump != nil } }

  /// The places of a slot up to a source frame, and the frame at which the next one begins.
  func places(slot: Int, upTo frame: Int64) -> (past: ArraySlice<Place>, next: Int64?) {
    guard slot >= 0 else { return ([], nil) }
    return placeTable.withLock { table in
      let count = table[slot].prefix { $0.frame <= frame }.count
      return (table[slot][..<count], count < table[slot].count ? table[slot][count].frame : nil)
    }
  }

  /// Forgets the places of a slot that were told, but for the one at `floor`: nobody goes back behind
  /// that frame.
  func forgetPlaces(slot: Int, upTo floor: Int64, told: Int) {
    placeTable.withLock { table in
      let past = table[slot].prefix { $0.frame <= floor && $0.id <= told }.count
      if past > 1 { table[slot].removeFirst(past - 1) }
    }
  }

  /// What follows a frame of a slot's source as far as that was decided; nil while it was not.
  func follower(slot: Int, after frame: Int64) -> Joined? {
    guard slot >= 0 else { return nil }
    let ahead = placeTable.withLock { table in table[slot].first { $0.frame > frame } }
    return ahead.map { .track($0.index) } ?? joined.withLock { $0[slot] }
  }

  /// What follows the end of a slot's source on a stream of another rate.
  func rateBreak(slot: Int) -> RateBreak? {
    slot >= 0 ? rateBreaks.withLock { $0[slot] } : nil
  }

  // MARK: The thread

  fileprivate func run() {
    while true {
      let (jump, newSession, isLetGo, isClosing) = inbox.withLock { box in
        defer {
          // A jump waits for a stream: its track is opened meanwhile.
          if session != nil && !box.isDetached || box.session != nil {
            box.isPreparing = box.jump != nil
            box.jump = nil
          }
          box.session = nil
          box.isDetached = false
        }
        if box.isDetached { detach() }
        return (box.jump, box.session, box.isLetGo, box.isClosing)
      }
      if isClosing { break }
      if let newSession {
        // The old stream sounds on until the new one rises, with what it has now.
        if let feed, feed.track.decoder.isSeekable { while feedOnce() {} }
        adopt(newSession)
      }
      if let jump {
        if session != nil {
          let outcome = perform(jump)
          inbox.withLock { $0.isPreparing = false }
          if let outcome { report(outcome) }
          continue
        }
        prepareFirst(jump)
      } else if isLetGo {
        // Whoever goes on opens it again; the rings keep what a fade needs.
        open = nil
        feed = nil
      } else if feedOnce() {
        continue
      }
      _ = sotto_eventfd_wait(decoderEvent, -1)
    }
    open = nil
    feed = nil
    session = nil
  }

  private func detach() {
    session = nil
    feed = nil
    currentSlot = -1
  }

  private func adopt(_ new: OpenOutput) {
    session = new
    feed = nil
    currentSlot = -1
    replacedAt = [Int](repeating: 0, count: Renderer.slots)
    placeTable.withLock { $0 = [[Place]](repeating: [], count: Renderer.slots) }
  }

  /// Opens the first track while the output is being opened.
  private func prepareFirst(_ jump: Jump) {
    if open == nil, let location = succession.track(at: jump.index) {
      open = try? OpenTrack(index: jump.index, location: location, loudness: loudness)
    }
  }

  /// Opens a track. A server that does not answer is not waited for when something else is asked.
  private func openTrack(
    _ index: Int, _ location: TrackLocation
  ) throws(DecodingError) -> OpenTrack {
    let abort = location.isURL ? FFmpegAbort() : nil
    inbox.withLock { box in
      box.opening = abort
      if box.isSuperseded { abort?.raise() }
    }
    defer { inbox.withLock { $0.opening = nil } }
    return try OpenTrack(index: index, location: location, loudness: loudness, abort: abort)
  }

  // MARK: Jumps

  /// - Returns: what is to be told of a jump that came to nothing.
  private func perform(_ jump: Jump) -> Report? {
    var jump = jump
    // A queue that repeats has no end: what could not be opened is not tried again.
    var failed: Set<Int> = []
    while true {
      do throws(DecodingError) {
        guard let location = succession.track(at: jump.index) else { return .nothingPlayable }
        if jump.isSeek, !jump.resumes, let open, open.index == jump.index, !open.decoder.isSeekable
        {
          return .seekFailed(DecodingError(.notSeekable, "cannot seek in this stream"))
        }
        return try begin(jump, location)
      } catch {
        open = nil
        feed = nil
        let location = succession.track(at: jump.index) ?? TrackLocation("")
        // Given up for what is asked now: no fault of its own.
        if location.isURL, inbox.withLock({ $0.isSuperseded }) { return nil }
        report(.failed(index: jump.index, location: location, error: error))
        failed.insert(jump.index)
        guard let next = follower(of: jump.index), !failed.contains(next) else {
          return .nothingPlayable
        }
        jump = Jump(index: next, seconds: 0, isSeek: false)
        if inbox.withLock({ $0.jump != nil || $0.isClosing }) { return nil }
      }
    }
  }

  /// Prepares a source in a free ring, wishes for it, and leaves it to `feedOnce`.
  ///
  /// - Returns: what is to be told of a jump that needs another stream.
  private func begin(_ jump: Jump, _ location: TrackLocation) throws(DecodingError) -> Report? {
    guard let session else { return nil }
    let track: OpenTrack
    if let open, open.index == jump.index, open.location == location, open.loudness == loudness,
      open.isFresh || open.decoder.isSeekable || jump.resumes
    {
      track = open
    } else {
      track = try openTrack(jump.index, location)
    }
    let format = session.stream.format
    if track.decoder.format.sampleRate != format.sampleRate && !canResample {
      return .needsRate(RateBreak(rate: track.decoder.format.sampleRate, jump: jump))
    }
    guard let slot = freeSlot() else { return nil }
    // From here on the decoder is the new feed's alone.
    feed = nil
    open = track
    let ring = session.renderer.ring(slot)
    ring.reset()
    let frame = format.frame(atSeconds: seconds(of: jump, track))
    let goesOn = jump.resumes && !track.isFresh && !track.decoder.isSeekable
    let isFresh = track.isFresh || goesOn
    track.isFresh = false
    let pipeline = try Pipeline(
      track.decoder, gain: track.gain, target: format, at: goesOn ? 0 : frame, isFresh: isFresh)
    let new = Feed(
      slot: slot, ring: ring, pipeline: pipeline, track: track, isWhole: frame == 0 && !goesOn)
    setPlaces(
      slot,
      [
        Place(
          id: newPlace(), frame: 0, track: track, offset: format.seconds(atFrame: frame),
          isSeek: jump.isSeek, isResumed: jump.resumes)
      ])
    feed = new
    // The first piece, so that the device finds something at once.
    // What follows the old one begins as much later as it takes to be heard.
    let first = Int64(format.sampleRate) / (jump.follows < 0 ? 16 : 2)
    while ring.written < first && ring.total < 0 {
      // Not given up for a newer jump: what sounds now has lost its decoder to this one.
      if inbox.withLock({ $0.isClosing }) { return nil }
      if try !step(new) { break }
    }
    let old = currentSlot
    currentSlot = slot
    let serial = inbox.withLock { box in
      box.isPreparing = false
      return session.renderer.send { wish in
        wish.jump += 1
        wish.slot = slot
        wish.sourceFrame = 0
        wish.follows = jump.follows
        wish.anchor = -1
        wish.fadesIn = frame > 0
        wish.isHeld = box.isHeld
      }
    }
    if old >= 0 {
      replacedAt[old] = serial
      // Nothing more comes for it: where its fade has no frames, there is silence, not a wait.
      if session.renderer.ring(old).total < 0 { session.renderer.ring(old).finish() }
    }
    session.stream.kick()
    report(.placed)
    return nil
  }

  /// Where a jump leads: who goes to a track, and not to a place in it, goes on where it was left.
  private func seconds(of jump: Jump, _ track: OpenTrack) -> Double {
    // A stream that is opened anew has one place only.
    if track.isFresh, !track.decoder.isSeekable { return 0 }
    guard !jump.isSeek, !jump.resumes, jump.seconds == 0, track.decoder.isSeekable else {
      return jump.seconds
    }
    return beginning(of: track)
  }

  /// 0 where it is not within the track.
  private func beginning(of track: OpenTrack) -> Double {
    let seconds = succession.beginning(of: track.index)
    guard seconds > 0, track.decoder.isSeekable else { return 0 }
    let length = track.decoder.frames.map { track.decoder.format.seconds(atFrame: $0) }
    return seconds < length ?? .infinity ? seconds : 0
  }

  /// A ring that neither sounds nor can be asked for by a wish that is still on its way. Waits for
  /// the device where every ring is in use; `nil` when a newer jump came or the engine closes.
  private func freeSlot() -> Int? {
    guard let session else { return nil }
    while true {
      let taken = session.renderer.taken
      let busy = session.renderer.busySlots
      for slot in 0..<Renderer.slots where slot != currentSlot {
        let isSafe = replacedAt[slot] == 0 || taken >= replacedAt[slot]
        if isSafe && busy & (1 << UInt64(slot)) == 0 { return slot }
      }
      if inbox.withLock({ $0.jump != nil || $0.isClosing }) { return nil }
      if session.stream.failure != nil { return nil }
      // What sounds goes on meanwhile: a source that starves is never heard to the end of a fade.
      // A turn tells what has been heard by now; a device that has everything it needs would not
      // look for a second, or for ever.
      while feedOnce() {}
      session.stream.kick()
      _ = sotto_eventfd_wait(decoderEvent, 20)
    }
  }

  // MARK: Feeding

  /// Decodes one block into the ring of the sounding source. False when there is nothing to do.
  private func feedOnce() -> Bool {
    guard let session, let feed, feed.ring.total < 0 else { return false }
    if feed.ring.writable < Int64(Feed.blockFrames) { return false }
    do throws(DecodingError) {
      let before = feed.ring.written
      let progressed = try step(feed)
      let rate = Int64(session.stream.format.sampleRate)
      // A source begins with little: the device is told when there is more, then enough.
      let isStage = [rate / 4, rate * 5 / 2].contains { before < $0 && feed.ring.written >= $0 }
      if isStage || feed.ring.total >= 0 || session.renderer.takeStarved() {
        session.stream.kick()
      }
      return progressed
    } catch {
      fail(feed, error)
      return true
    }
  }

  /// One block, or one step of the succession.
  private func step(_ feed: Feed) throws(DecodingError) -> Bool {
    let pipeline = feed.pipeline
    if pipeline.isOver {
      feed.ring.finish()
      report(.complete)
      return false
    }
    if pipeline.wantsNext, !continueSuccession(feed) { return false }
    var run = unsafe feed.ring.writableRun()
    let limit = Feed.blockFrames * pipeline.target.channels
    if run.count > limit { unsafe run = unsafe UnsafeMutableBufferPointer(rebasing: run[..<limit]) }
    let frames = try unsafe pipeline.read(into: run)
    feed.ring.commit(frames: frames)
    if let joint = pipeline.takeJoint() {
      open = feed.track
      joined.withLock { $0[feed.slot] = nil }
      addPlace(
        feed.slot,
        Place(id: newPlace(), frame: joint, track: feed.track, offset: feed.track.begins))
      report(.placed)
    }
    if pipeline.isOver {
      feed.ring.finish()
      report(.complete)
    }
    return true
  }

  /// The track after that one. While it is not known yet it is waited for, unless something else is
  /// asked meanwhile.
  private func follower(of index: Int) -> Int? {
    while true {
      // Asked first: what comes between is found.
      let isGrowing = succession.isGrowing
      if let next = succession.index(after: index) { return next }
      if !isGrowing || inbox.withLock({ $0.jump != nil || $0.isClosing }) { return nil }
      _ = sotto_eventfd_wait(decoderEvent, -1)
    }
  }

  /// Opens the track that follows and joins it; passes over those that cannot be opened, each once:
  /// a queue that repeats has no end.
  ///
  /// - Returns: false while it is not known what follows.
  private func continueSuccession(_ feed: Feed) -> Bool {
    feed.endTrack()
    var index = feed.track.index
    var failed = feed.barren
    while true {
      let isGrowing = succession.isGrowing
      guard let next = succession.index(after: index) else {
        if isGrowing { return false }
        break
      }
      guard !failed.contains(next), let location = succession.track(at: next) else { break }
      // Whoever jumps away does not wait until a long list of missing files was tried.
      if inbox.withLock({ $0.isClosing || $0.jump != nil && !failed.isEmpty }) { break }
      do throws(DecodingError) {
        let track = try openTrack(next, location)
        if track.decoder.format.sampleRate != feed.pipeline.target.sampleRate,
          !canResample
        {
          // It begins when this one has been heard, on a stream of its own rate.
          let jump = Jump(index: next, seconds: 0, isSeek: false)
          rateBreaks.withLock {
            $0[feed.slot] = RateBreak(rate: track.decoder.format.sampleRate, jump: jump)
          }
          break
        }
        track.isFresh = false
        let begins = beginning(of: track)
        if begins > 0 {
          try track.decoder.seek(to: track.decoder.format.frame(atSeconds: begins))
          track.begins = begins
        }
        try feed.pipeline.append(track.decoder, gain: track.gain)
        feed.join(track, isWhole: begins == 0)
        joined.withLock { $0[feed.slot] = .track(next) }
        return true
      } catch {
        if location.isURL, inbox.withLock({ $0.isSuperseded }) { return false }
        report(.failed(index: next, location: location, error: error))
        failed.insert(next)
        index = next
      }
    }
    feed.pipeline.finish()
    joined.withLock { $0[feed.slot] = .end }
    return true
  }

  /// A track broke off: what was decoded of it is heard, and the next one follows.
  private func fail(_ feed: Feed, _ error: DecodingError) {
    report(
      .failed(index: feed.track.index, location: feed.track.location, error: error))
    feed.pipeline.abandonDecoder()
  }

  private func newPlace() -> Int {
    placeCount += 1
    return placeCount
  }

  private func setPlaces(_ slot: Int, _ places: [Place]) {
    placeTable.withLock { $0[slot] = places }
    rateBreaks.withLock { $0[slot] = nil }
    joined.withLock { $0[slot] = nil }
  }

  private func addPlace(_ slot: Int, _ place: Place) {
    placeTable.withLock { $0[slot].append(place) }
  }
}

private func decoderThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let feeder = unsafe Unmanaged<Feeder>.fromOpaque(context!).takeRetainedValue()
  feeder.run()
  return nil
}
