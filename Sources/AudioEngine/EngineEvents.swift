import AudioTypes
import CRealtime
import Decoding
import OutputInterface
import Realtime

/// What the device's and the decoder's thread report, and what of it is told.
extension AudioEngine {
  func takeDeviceEvents() {
    sotto_eventfd_clear(controlEvent)
    takeEventsOfHandOver()
    guard let session else { return }
    let events = session.renderer.takeEvents()
    func has(_ event: some BinaryInteger) -> Bool { events & UInt32(event) != 0 }
    if has(SOTTO_EVENT_LOST) { return lose(session.stream.failure) }
    if has(SOTTO_EVENT_STALLED) { onEvent(.stalled(true)) }
    if has(SOTTO_EVENT_ANSWERS) { onEvent(.stalled(false)) }
    if has(SOTTO_EVENT_STARTED) { handOverRuns() }
    if has(SOTTO_EVENT_STARTED), !isHeld { change(to: .playing) }
    announce()
    if has(SOTTO_EVENT_TAKEN), state == .starting, !isHeld,
      session.stream.clock().isRunning
    {
      change(to: .playing)
    }
    if has(SOTTO_EVENT_TAKEN) || has(SOTTO_EVENT_HELD) { muteMayBeHeard() }
    if has(SOTTO_EVENT_VOLUME) {
      let volume = session.stream.deviceVolume()
      muteReported(volume)
      onEvent(.volume(volume))
    }
    if has(SOTTO_EVENT_DEVICE) { onEvent(.device) }
    if has(SOTTO_EVENT_REQUEST) { tellRequest() }
    if has(SOTTO_EVENT_RINGER) { onEvent(.ringer(session.stream.ringerVolume())) }
    if has(SOTTO_EVENT_FINISHED) { finishIfOver(session) }
    freeSounds()
    // A stream that had not begun is silent as soon as it knows of the hold.
    if has(SOTTO_EVENT_HELD) || has(SOTTO_EVENT_TAKEN), isHeld, isSilent { tellSilence() }
  }

  /// Also when it asks for what it has asked for before: it may have taken that back without a word.
  func tellRequest() {
    isSilenceWanted = session?.stream.isSilenceWanted ?? false
    onEvent(.silenceWanted(isSilenceWanted))
  }

  /// The end, unless a jump is on its way: judged by what is, not by the order of events.
  private func finishIfOver(_ session: OpenOutput) {
    let timeline = session.renderer.timeline()
    guard state != .idle, !feeder.isJumping, session.renderer.taken == session.renderer.wish.serial,
      timeline.open >= 0
    else { return }
    let segment = timeline.segment(timeline.open)
    let total = session.renderer.ring(segment.slot).total
    let heard = session.stream.clock().heard
    guard total >= 0, segment.source(at: heard) >= total else { return }
    if let next = feeder.rateBreak(slot: segment.slot) { return reopen(next) }
    change(to: .idle)
    onEvent(.ended)
  }

  /// Frames until the music is over, where the device will not tell: what loops beside it goes on.
  private func framesToEnd(_ session: OpenOutput) -> Int64? {
    let timeline = session.renderer.timeline()
    guard state != .idle, timeline.open >= 0, timeline.layersEnd == .max else { return nil }
    let segment = timeline.segment(timeline.open)
    let total = session.renderer.ring(segment.slot).total
    guard total >= 0 else { return nil }
    return total - segment.source(at: session.stream.clock().heard)
  }

  /// Opens a stream of the rate that a track needs where nothing can resample.
  private func reopen(_ next: Feeder.RateBreak) {
    session?.stream.close()
    session = nil
    request.sampleRate = next.rate
    do throws(OutputError) {
      try openStream(then: next.jump)
    } catch {
      lose(error)
    }
  }

  func take(_ report: Feeder.Report) {
    // What the decoder's thread told of a stream that is gone.
    if state == .lost { return }
    switch report {
    case .failed(let index, let location, let error):
      onEvent(.failed(index: index, location: location, error: error))
    case .placed, .complete: announce()
    case .seekFailed(let error):
      guard let place = heardPlace()?.place, let location = succession.track(at: place.index)
      else { return }
      onEvent(.failed(index: place.index, location: location, error: error))
      // What was heard meanwhile may have been the end.
      if let session { finishIfOver(session) }
    case .needsRate(let next): reopen(next)
    case .nothingPlayable:
      if feeder.hasJump { return }
      if let session, session.renderer.timeline().open >= 0 {
        session.renderer.send { $0.isHeld = true }
        session.stream.kick()
        isHeld = true
      }
      change(to: .idle)
      onEvent(.ended)
    }
  }

  /// Tells a change of the heard track, now and when the next one begins.
  private func announce() {
    placeAlarm.cancel()
    guard let session, let heard = heardPlace() else { return }
    standing = nil
    // A device faster than the clock (a file) may have passed several.
    for place in heard.past where place.id > announced {
      announced = place.id
      if !place.isSeek || announcedIndex != place.index {
        announcedIndex = place.index
        onEvent(.track(index: place.index, info: place.info))
      }
      if place.isSeek, !place.isResumed { onEvent(.seeked(position: place.offset)) }
    }
    // A short track that repeats itself for days is one place after the other.
    if heard.past.count > 1 {
      let (slot, _) = session.renderer.timeline().heard(at: session.stream.clock().heard)
      if slot >= 0 {
        let floor = session.renderer.ring(slot).floor
        feeder.forgetPlaces(slot: slot, upTo: floor, told: announced)
      }
    }
    guard !isHeld, session.stream.clock().isRunning else { return }
    guard let frames = heard.framesToNext ?? framesToEnd(session) else { return }
    if frames <= 0, heard.framesToNext == nil { return finishIfOver(session) }
    let seconds = Double(max(frames, 0)) / Double(session.stream.format.sampleRate)
    placeAlarm.set(after: seconds + 0.002) { [weak self] in self?.announce() }
  }
}
