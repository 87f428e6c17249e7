import CRealtime
import OutputInterface

/// The device's mute, without a click.
extension AudioEngine {
  /// How long a device that was told to mute or unmute may take to say that it has, in seconds.
  private static let answerSeconds = 0.5

  /// Mutes the device after a fade, or unmutes it and fades in. Does nothing on a device without a
  /// volume of its own.
  public func setMuted(_ muted: Bool) {
    guard let volume = session?.stream.deviceVolume() else { return }
    act(mute.wish(muted, deviceIsMuted: volume.isMuted))
  }

  /// Lifts the mute that a server has put on the music's stream, once (T4).
  public func unmuteStream() { session?.stream.unmuteStream() }

  /// The opposite of what was last asked for or, where nothing is on its way, of what is.
  public func toggleMuted() {
    guard let volume = session?.stream.deviceVolume() else { return }
    setMuted(!(mute.wanted ?? volume.isMuted))
  }

  /// The device's thread has taken a wish: the fall's end may be known now.
  func muteMayBeHeard() {
    guard mute.isFalling, let session else { return }
    let timeline = session.renderer.timeline()
    guard timeline.wish.serial >= levelSerial else { return }
    let clock = session.stream.clock()
    let end = timeline.level.settledFrom
    if clock.heard >= end || !clock.isRunning { return act(mute.silenceHeard()) }
    let seconds = session.stream.format.seconds(atFrame: end - clock.heard)
    fallAlarm.set(after: seconds) { [weak self] in self?.muteMayBeHeard() }
  }

  func muteReported(_ volume: DeviceVolume?) {
    if let volume { act(mute.deviceReported(volume.isMuted)) }
  }

  private func act(_ action: MuteSteps.Action) {
    switch action {
    case .none:
      if mute.wanted == nil { muteAlarm.cancel() }
    case .fall:
      sendLevel()
      muteAlarm.set(after: patience) { [weak self] in
        guard let self else { return }
        act(mute.silenceHeard())
      }
      muteMayBeHeard()
    case .tell(let muted):
      fallAlarm.cancel()
      session?.stream.setMuted(muted)
      muteAlarm.set(after: Self.answerSeconds) { [weak self] in
        guard let self else { return }
        act(mute.deviceUnanswered(session?.stream.deviceVolume()?.isMuted ?? false))
      }
    case .rise:
      fallAlarm.cancel()
      muteAlarm.cancel()
      sendLevel()
    }
  }
}
