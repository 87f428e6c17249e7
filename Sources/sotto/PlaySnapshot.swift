import AudioEngine
import AudioSession
import AudioTypes
import PlayQueue
import Player
import PlayerState

/// The player as one value, for the screen.
extension PlayCommand {
  /// `nil` before the output is open.
  func snapshot() -> PlayerSnapshot? {
    guard let player, let engine else { return nil }
    let now = player.now()
    let heard = engine.snapshot()
    let state = player.state
    var snapshot = PlayerSnapshot(at: now, situation: player.situation)
    snapshot.causes = state.blockers
    // What the user did to the queue is seen there.
    snapshot.decisions = player.log.latest(Self.decisionsShown).filter { decision in
      switch decision.remark {
      case .track, .soughtTo, .loaded: false
      default: true
      }
    }
    snapshot.lastDecision = snapshot.decisions.last
    snapshot.isSilent = state.isSilent
    snapshot.isLocked = state.isLocked
    snapshot.queue = queue.value
    let key = heard.index ?? index
    snapshot.index = snapshot.queue.index(of: EntryID(UInt32(truncatingIfNeeded: key)))
    if snapshot.index == nil, heard.index != nil, snapshot.situation.intent != .stopped {
      snapshot.removed = queue.entry(at: key)
    }
    if heard.index == index || snapshot.index != nil { snapshot.info = heard.info }
    snapshot.position = position(heard)
    snapshot.duration = heard.duration
    snapshot.isAdvancing = self.state == .playing && seekTarget == nil
    snapshot.route = state.route
    snapshot.deviceName = heard.device.map { Text.printable($0) }
    snapshot.deviceVolume = heard.deviceVolume?.percent
    snapshot.isDeviceMuted = heard.deviceVolume?.isMuted ?? false
    snapshot.devices = devices
    snapshot.ringerVolume = neighbours?.ringer ?? serverRinger ?? snapshot.ringerVolume
    snapshot.hasRingerVolume = state.hasRingerVolume
    snapshot.isOtherSoundHeard = state.isOtherSoundHeard
    snapshot.level = level
    snapshot.isOwnMuted = isOwnMuted
    snapshot.isStreamMuted = system?.isStreamMuted ?? false
    snapshot.isDeviceSuspended = system?.isDeviceSuspended ?? false
    snapshot.gainMode = gainMode
    // Without tags there is nothing to apply.
    if gainMode != .off, heard.info?.loudness.gain(gainMode) != nil {
      snapshot.replayGain = Double(heard.loudnessGain.decibels)
    }
    snapshot.duckedGain = snapshot.situation.gain < 0 ? snapshot.situation.gain : nil
    snapshot.isRecordingMemo = memo?.isActive ?? false
    snapshot.outputRate = heard.outputRate
    snapshot.isUntouched = isUntouched(snapshot)
    snapshot.sleepsAt = sleepTimer.due
    snapshot.alarm = alarm.state
    snapshot.notice = notice
    if let call = neighbours?.call {
      snapshot.call = PlayerSnapshot.Call(
        name: "Phone", phase: call.isRinging ? .ringing : .talking, since: call.since,
        isAnotherWaiting: call.isAnotherWaiting)
    }
    return snapshot
  }

  /// What a seek asked for, until it is heard.
  private func position(_ heard: EngineSnapshot) -> Double {
    heard.index == index ? seekTarget ?? heard.position : heard.position
  }

  /// Seconds of the heard track at this moment, as the snapshot's `position(at:)` tells them.
  var position: Double {
    guard let engine else { return 0 }
    let heard = engine.snapshot()
    let length = heard.duration ?? queue.entry(at: heard.index ?? index)?.duration
    let position = position(heard)
    guard position.isFinite, position > 0 else { return 0 }
    return length.map { $0 > 0 ? min(position, $0) : position } ?? position
  }

  /// Where the heard track is, also when it has been taken out of the queue; before anything is
  /// heard, what will be.
  var heardLocation: TrackLocation? {
    queue.track(at: engine?.snapshot().index ?? index)
  }

  /// As many decisions as the log shows.
  private static let decisionsShown = 100

  private func isUntouched(_ snapshot: PlayerSnapshot) -> Bool {
    guard let info = snapshot.info, let rate = snapshot.outputRate else { return false }
    return info.format.sampleRate == rate && info.format.channels <= 2 && snapshot.level == 100
      && !snapshot.isOwnMuted && snapshot.gainMode == .off && snapshot.causes.isEmpty
  }
}
