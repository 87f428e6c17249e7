import AudioTypes
import CRealtime
import Decoding
import Dispatch
import OutputInterface
import Realtime

/// Where the music stands while no stream can tell.
struct Standing {
  var index: Int
  var position: Double
  var duration: Double?
  var info: TrackInfo?
  var gain: Gain

  init(_ place: Place, position: Double) {
    index = place.index
    self.position = position
    duration = place.duration
    info = place.info
    gain = place.gain
  }

  init(index: Int, position: Double) {
    self.index = index
    self.position = position
    gain = .unity
  }
}

/// A sound beside the music, as it was begun.
struct PlacedSound {
  var location: TrackLocation
  /// What was decoded beside the control thread, and is decoded there again for another format.
  var loaded: LoadedSound?
  var gain: Gain
  var isLooping: Bool
  /// Where in it that was, and when.
  var seconds: Double
  var began: DispatchTime
}

/// The old stream of a hand-over, and where its sound is in the track.
struct HandOver {
  let session: OpenOutput
  /// A frame of the source that sounded there, and its time in the track.
  let slot: Int
  let frame: Int64
  let seconds: Double
  /// The time in the track at which the new stream's source begins.
  let begin: Double
  /// The old one falls to silence: nothing is left to be aligned.
  var isFalling = false
}

/// Streams that come and go: another device, a device that vanished, a server that was lost.
extension AudioEngine {
  /// How long both streams of a hand-over run, one of them silent, until their clocks are known.
  private static let runInSeconds = 0.25
  /// How long the old stream falls while the new one rises.
  private static let crossfadeSeconds = 0.1
  /// How long a new stream may take to run before the old one is left all the same.
  private static let handOverPatience = 1.0

  /// The device that is heard, as the server knows it.
  public var place: DevicePlace? { session?.stream.place }
  /// Whether the server can move the stream.
  public var guardState: GuardState { session?.stream.guardState ?? .none }
  /// Goes on playing on another device of the same output, or on the same one with a stream that is
  /// guarded, or not any more. While music plays both streams sound for a moment, the old one
  /// falling, the new one rising at the same frame of the track: no gap, nothing lost (S15, S21).
  /// Paused, the new stream waits at the same frame. Where the output was lost, this is `recover`.
  ///
  /// - Parameters:
  ///   - device: the server's name; `nil` is its default.
  ///   - done: called once, with why it could not be opened: then everything is as it was, unless
  ///     it was superseded by a later wish or a loss.
  public func handOver(
    to device: String?, then done: @escaping @MainActor (OutputError?) -> Void = { _ in }
  ) {
    var wanted = request
    wanted.device = device
    wanted.sampleRate = nil
    openAside(wanted, done) { [weak self] opened in self?.take(opened) }
  }

  /// Opens an output in the place of one that was lost, and stands there as it stood: held, or
  /// playing on, as it was told meanwhile. Called while nothing is lost it does nothing.
  ///
  /// - Parameters:
  ///   - device: the server's name; `nil` is its default.
  ///   - done: called once, with why it could not be opened; then it can be tried again.
  public func recover(
    to device: String?, then done: @escaping @MainActor (OutputError?) -> Void
  ) {
    guard state == .lost else { return done(nil) }
    handOver(to: device, then: done)
  }

  /// True while an output is being opened beside the control thread.
  public var isOpening: Bool { awaited > 0 }

  // MARK: Opening beside the control thread

  private func openAside(
    _ wanted: StreamRequest, _ done: @escaping @MainActor (OutputError?) -> Void,
    then take: @escaping @MainActor (OpenOutput) -> Void
  ) {
    guard let backend else { return done(Self.superseded) }
    openings += 1
    awaited += 1
    let number = openings
    let renderer = newRenderer()
    opening.async { [weak self] in
      let result: Result<OpenOutput, OutputError>
      do throws(OutputError) {
        let stream = try unsafe backend.open(wanted, renderer: renderer.face)
        result = .success(OpenOutput(renderer: renderer, stream: stream))
      } catch {
        result = .failure(error)
      }
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated {
          self?.awaited -= 1
          guard let self, self.openings == number, self.backend != nil else {
            // Something newer was asked for, or the end.
            if case .success(let opened) = result { opened.stream.close() }
            return done(Self.superseded)
          }
          switch result {
          case .failure(let error): done(error)
          case .success(let opened):
            self.request = wanted
            take(opened)
            done(nil)
          }
        }
      }
    }
  }

  private static let superseded = OutputError(
    .superseded, "something else was chosen meanwhile")

  private func take(_ opened: OpenOutput) {
    endHandOver()
    // The one before is left at once: three would sound.
    closeHandOver()
    let old = session
    let place = currentPlace
    let jump = place.map {
      Feeder.Jump(index: $0.index, seconds: $0.position, isSeek: true, resumes: true)
    }
    standing = place
    let leaving = old.flatMap { leavingPlace($0) }
    adopt(opened, then: jump, isSilent: leaving != nil)
    events?.move(to: request.device)
    if state == .lost {
      change(to: place == nil ? .idle : isHeld ? .held : .starting)
    }
    carrySounds()
    if let leaving {
      handOver = leaving
      // The new stream may never run: then the old one is left without it.
      handOverAlarm.set(after: Self.handOverPatience) { [weak self] in self?.endHandOver() }
    } else {
      old?.stream.close()
      tellSilence()
    }
    onEvent(.device)
  }

  /// Where the old stream is, if it sounds and nothing else is about to.
  private func leavingPlace(_ old: OpenOutput) -> HandOver? {
    guard state == .playing, !isHeld, !feeder.isJumping, let heard = heardPlace() else {
      return nil
    }
    let (slot, frame) = old.renderer.timeline().heard(at: old.stream.clock().heard)
    guard slot >= 0 else { return nil }
    let rate = Double(old.stream.format.sampleRate)
    let seconds = heard.place.offset + Double(frame - heard.place.frame) / rate
    return HandOver(
      session: old, slot: slot, frame: frame, seconds: seconds, begin: heard.position)
  }

  // MARK: Hand-over

  /// The new stream runs: when its clock is known, both are brought to the same frame.
  func handOverRuns() {
    guard let handOver, !handOver.isFalling else { return }
    handOverAlarm.set(after: Self.runInSeconds) { [weak self] in self?.align() }
  }

  private func align() {
    guard let handOver, !handOver.isFalling, let session else { return }
    let (was, now) = (handOver.session.stream.clock(), session.stream.clock())
    let (slot, frame) = handOver.session.renderer.timeline().heard(at: was.heard)
    let (oldRate, newRate) = (
      Double(handOver.session.stream.format.sampleRate), Double(session.stream.format.sampleRate)
    )
    let seconds = handOver.seconds + Double(frame - handOver.frame) / oldRate
    let source = Int64(((seconds - handOver.begin) * newRate).rounded())
    let wish = session.renderer.wish
    let ring = session.renderer.ring(wish.slot)
    let (current, _) = session.renderer.timeline().heard(at: now.heard)
    let fits =
      slot == handOver.slot && current == wish.slot && !feeder.isJumping && source >= ring.floor
      && source + Int64(newRate / 2) < ring.written && now.isRunning
    let level = heardLevel
    let ramp = Int64(newRate * Self.crossfadeSeconds)
    levelSerial = session.renderer.send { wish in
      if fits {
        wish.jump += 1
        wish.sourceFrame = source
        wish.anchor = now.heard
        wish.follows = -1
        wish.fadesIn = true
      }
      wish.level = level.linear
      wish.levelRamp = ramp
    }
    session.stream.kick()
    fall(over: Self.crossfadeSeconds)
  }

  /// Lets the old stream fall to silence, and closes it then.
  private func fall(over seconds: Double) {
    guard let old = handOver?.session else { return }
    handOver?.isFalling = true
    let frames = old.stream.format.frame(atSeconds: seconds)
    old.renderer.send { wish in
      wish.level = 0
      wish.levelRamp = frames
    }
    old.stream.kick()
    handOverAlarm.set(after: seconds + patience) { [weak self] in self?.closeHandOver() }
  }

  private func closeHandOver() {
    handOverAlarm.cancel()
    handOver?.session.stream.close()
    handOver = nil
  }

  /// Something else is asked for: the new stream is the music's from now on.
  func endHandOver() {
    guard let handOver, !handOver.isFalling else { return }
    if let session {
      let level = heardLevel
      levelSerial = session.renderer.send { wish in
        wish.level = level.linear
        wish.levelRamp = -1
      }
      session.stream.kick()
    }
    fall(over: AudioEngine.fadeSeconds)
  }

  /// The old stream's own news: if it is gone, nothing is left to fall.
  func takeEventsOfHandOver() {
    guard let handOver else { return }
    let lost = UInt32(SOTTO_EVENT_LOST)
    guard handOver.session.renderer.takeEvents() & lost != 0 else { return }
    endHandOver()
    closeHandOver()
  }

  /// What sounds beside the music goes on where it is.
  private func carrySounds() {
    for place in sounds.keys { carrySound(in: place) }
  }

  private func carrySound(in place: Int) {
    guard let sound = sounds[place] else { return }
    let elapsed =
      Double(DispatchTime.now().uptimeNanoseconds - sound.began.uptimeNanoseconds) * 1e-9
    // A sound that can no longer be read has been told when it began.
    try? carry(sound, place, after: elapsed)
  }

  private func carry(_ sound: PlacedSound, _ place: Int, after elapsed: Double) throws {
    guard let session else { return }
    let format = session.stream.format
    if let loaded = sound.loaded, loaded.format != format {
      return carry(sound, loaded, place, to: format)
    }
    let length =
      try sound.loaded?.seconds
      ?? session.renderer.sound(sound.location, format: format).sound.seconds
    var seconds = sound.seconds + elapsed
    if sound.isLooping, length > 0 {
      seconds = seconds.truncatingRemainder(dividingBy: length)
    } else if seconds >= length {
      sounds[place] = nil
      return
    }
    if let loaded = sound.loaded {
      _ = try begin(loaded, place: place, gain: sound.gain, from: seconds)
    } else {
      try begin(
        sound: sound.location, place: place, gain: sound.gain, isLooping: sound.isLooping,
        from: seconds)
    }
  }

  /// Its file may be slow: it is decoded beside the control thread, and goes on where it is by then.
  private func carry(
    _ sound: PlacedSound, _ loaded: LoadedSound, _ place: Int, to format: AudioFormat
  ) {
    decoding.async { [weak self] in
      guard
        let again = try? LoadedSound(
          pieceOf: loaded.location, format: format, longest: loaded.longest)
      else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, let now = self.sounds[place], now.loaded === loaded,
            now.began == sound.began
          else { return }
          self.sounds[place]?.loaded = again
          self.carrySound(in: place)
        }
      }
    }
  }

  // MARK: Lost

  /// Gives up an output that nobody hears: the engine stands as after a loss, and tells no one.
  public func forsake() {
    guard session != nil else { return }
    drop()
  }

  func lose(_ error: OutputError?) {
    drop()
    onEvent(.lost(error ?? OutputError(.deviceLost, "the output is gone")))
  }

  private func drop() {
    let place = currentPlace
    closeHandOver()
    openings += 1
    feeder.ask { box in
      box.isDetached = true
      box.jump = nil
    }
    session?.stream.close()
    session = nil
    standing = place
    mute = MuteSteps()
    change(to: .lost)
    tellSilence()
  }

  /// Where the music is: what is heard, or where it stands.
  var currentPlace: Standing? {
    if let heard = heardPlace() { return Standing(heard.place, position: heard.position) }
    return standing
  }

  func stand(at index: Int, seconds: Double) {
    standing = Standing(index: index, position: seconds)
  }

  func seekStanding(to seconds: Double) {
    guard var place = standing else { return }
    if let duration = place.duration, seconds >= duration {
      guard let next = succession.index(after: place.index) else {
        place.position = duration
        standing = place
        return
      }
      return stand(at: next, seconds: 0)
    }
    place.position = max(seconds, 0)
    standing = place
    onEvent(.seeked(position: place.position))
  }
}
