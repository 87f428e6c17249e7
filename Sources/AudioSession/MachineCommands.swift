import AudioTypes

/// What the user asks for.
extension SessionMachine {
  /// - Parameter isForced: over a call too (S28: only someone at the machine may).
  mutating func play(isForced: Bool, _ turn: inout Turn) {
    guard state.configuration.category.playsSound else {
      let category = state.configuration.category.rawValue
      return turn.refuse(SessionError(.categoryDoesNotPlay, cause: category), [.s38])
    }
    guard state.trackCount > 0 else { return turn.refuse(SessionError(.nothingToPlay), [.s2]) }
    guard state.route != nil, !state.blockers.contains(where: { $0.kind == .noRoute }) else {
      return turn.refuse(SessionError(.noRoute), [.s2])
    }
    turn.rules.insert(.s2)
    state.intent = .playing
    state.isActive = true
    var isMuted = false
    for index in state.blockers.indices {
      let kind = state.blockers[index].kind
      state.blockers[index].userPlayedSince = true
      guard kind.isOverridable || isForced && kind == .call else { continue }
      if kind == .serverCork, !state.blockers[index].isOverridden { isMuted = true }
      state.blockers[index].isOverridden = true
    }
    // Once, however many requests of the server are set aside.
    if isMuted { turn.extra.append(.unmuteStream) }
    if !turn.before.isAudible {
      // A later wish than the other player's start. Heard already, play says nothing new.
      for index in state.scene.pending.indices { state.scene.pending[index].isOverridden = true }
    }
    state.soloHoldUntil = nil
    state.pausedByPrimary = nil
    if !turn.before.isAudible { state.ownsNextStart = true }
    if state.isSuppressed {
      turn.rules.formUnion([.s28, .s80])
      turn.remark = .willStart(state.obstacle)
    } else if turn.before.isAudible {
      turn.remark = .alreadyPlaying
    }
  }

  mutating func pause(_ source: CommandSource, _ turn: inout Turn) {
    if source == .wireplumber {
      // Not the user: it pauses players whose device went away, and a Bluetooth profile switch too
      // (T10). Where sound goes next is not known yet.
      let isLinkKept = state.route?.deviceAddress != nil
      // Of a profile switch it may be told before the route changes, after it, or when the device
      // is back: all are one removal.
      let isKnown = state.pendingRoute != nil || state.profileSwitchToldUntil > state.now
      if isKnown { return turn.rules.insert(.s16) }
      return deviceLost(to: state.route, isLinkKept: isLinkKept, &turn)
    }
    turn.rules.insert(.s70)
    for index in state.blockers.indices { state.blockers[index].userPlayedSince = false }
    guard state.intent != .stopped else { return }
    // A timer takes the word from nobody who has paused already.
    if source != .timer || !state.intent.isPaused {
      state.intent = .paused(source == .timer ? .timer : .user)
    }
    state.pausedByPrimary = nil
    turn.rules.insert(.s2)
    turn.fade = .milliseconds(10)
    if turn.before.intent.isPaused { turn.remark = .stillPaused }
  }

  mutating func stop(_ turn: inout Turn) {
    turn.rules.insert(.s70)
    turn.fade = .milliseconds(10)
    halt(&turn)
  }

  /// Stopped, at the beginning of the track, and whoever we paused is told nothing (S58).
  mutating func halt(_ turn: inout Turn) {
    if state.position != .zero {
      state.position = .zero
      turn.goes = true
    }
    state.intent = .stopped
    state.pausedByPrimary = nil
    if state.isActive { turn.rules.insert(.s58) }
    state.isActive = false
    state.pausedPeers = []
  }

  mutating func next(_ turn: inout Turn) {
    turn.rules.insert(.s70)
    if state.track + 1 < state.trackCount {
      go(to: state.track + 1, &turn)
    } else {
      stop(&turn)
    }
  }

  mutating func previous(_ turn: inout Turn) {
    turn.rules.insert(.s70)
    go(to: max(0, state.track - 1), &turn)
  }

  private mutating func go(to track: Int, _ turn: inout Turn) {
    let isOther = track != state.track
    guard isOther || state.position != .zero else { return }
    state.track = track
    state.position = .zero
    turn.goes = true
    turn.remark = isOther ? state.trackRemark : .soughtTo(.zero)
  }

  mutating func seek(to position: SessionTime, _ turn: inout Turn) {
    guard state.intent != .stopped, let track = state.currentTrack else { return }
    turn.rules.insert(.s70)
    if let duration = track.duration, position >= duration { return next(&turn) }
    state.position = max(.zero, position)
    turn.goes = true
    turn.remark = .soughtTo(state.position)
  }

  mutating func load(_ tracks: [SessionTrack], _ turn: inout Turn) {
    if state.intent != .playing || tracks.isEmpty { halt(&turn) }
    state.tracks = tracks
    state.knownCount = nil
    state.track = 0
    state.position = .zero
    state.acceptsRemote = !tracks.isEmpty
    state.remoteReleaseAt = nil
    turn.goes = true
    turn.rules.insert(.s66)
    if tracks.isEmpty { turn.rules.insert(.s67) }
    turn.remark = .loaded(tracks.count)
  }

  mutating func trackEnded(_ turn: inout Turn) {
    if state.track + 1 < state.trackCount {
      state.track += 1
      state.position = .zero
      turn.remark = state.trackRemark
    } else {
      queueEnded(.queueEnded, &turn)
    }
  }

  mutating func queueEnded(_ remark: Remark, _ turn: inout Turn) {
    guard state.intent != .stopped else { return }
    halt(&turn)
    turn.fade = .zero
    turn.remark = remark
    if remark == .stoppedAfterTrack { turn.rules.insert(.s2) }
  }

  mutating func choose(_ track: Int, _ turn: inout Turn) {
    guard know(track) else { return }
    turn.rules.insert(.s70)
    go(to: track, &turn)
  }

  /// Told, not asked for: the shell is there already.
  mutating func trackBegan(_ track: Int) {
    guard know(track) else { return }
    state.track = track
    state.position = .zero
  }

  /// What the user had when the program ended is there again, before anything else happened: paused
  /// where it was, or stopped. Nothing is heard until the user asks (X3, S2).
  public mutating func takeUp(track: Int, at position: SessionTime, isPaused: Bool) {
    guard state.intent == .stopped, know(track) else { return }
    state.track = track
    state.position = isPaused ? max(.zero, position) : .zero
    if isPaused { state.intent = .paused(.user) }
  }

  /// The queue has at least so many tracks. An absurd number is none.
  private mutating func know(_ track: Int) -> Bool {
    guard track >= 0, track < .max else { return false }
    if track >= state.trackCount { state.knownCount = track + 1 }
    return true
  }

  mutating func trackFailed(_ turn: inout Turn) {
    if state.track + 1 < state.trackCount {
      go(to: state.track + 1, &turn)
    } else if state.intent == .playing {
      state.intent = .paused(.error)
      turn.fade = .zero
    }
  }

  mutating func volumeKey(_ direction: VolumeDirection, _ turn: inout Turn) {
    let isAnythingHeard = turn.before.isAudible || state.isOtherSoundHeard
    if !isAnythingHeard, state.hasRingerVolume {
      turn.extra.append(.changeEventVolume(direction))
      turn.rules.formUnion([.s12, .s78])
      turn.remark = .ringerVolume
      return
    }
    turn.rules.formUnion([.s9, .s11])
    guard let route = state.route else {
      turn.remark = .noDeviceVolume
      return
    }
    guard route.hasVolume else {
      turn.rules.insert(.s23)
      turn.remark = .volumeOnDevice(route.name)
      return
    }
    turn.extra.append(.changeDeviceVolume(direction))
    if !isAnythingHeard { turn.remark = .noRingerVolume(route.name) }
  }

  mutating func effect(_ length: SessionTime, _ turn: inout Turn) {
    guard length > .zero, length <= SessionTiming.longestEffect else {
      return turn.refuse(
        SessionError(.effectTooLong, cause: SessionText.number(length.seconds)), [.s25])
    }
    if state.isSilent {
      turn.rules.insert(.s3)
      turn.remark = .effectLeftOut(.silentMode)
    } else if state.configuration.category == .record {
      turn.rules.insert(.s37)
      turn.remark = .effectLeftOut(.category)
    } else {
      turn.rules.formUnion([.s24, .s26])
      turn.extra.append(.playEffect)
    }
  }

  mutating func silence(
    _ place: WritableKeyPath<SessionState, Bool>, _ isOn: Bool, _ rules: RuleSet,
    _ turn: inout Turn
  ) {
    guard state[keyPath: place] != isOn else { return }
    state[keyPath: place] = isOn
    turn.rules.formUnion(rules)
  }
}

extension SessionMachine.Turn {
  /// Nothing changes, and the user is told why.
  mutating func refuse(_ error: SessionError, _ rules: RuleSet) {
    refusal = error
    remark = .refused(error)
    self.rules.formUnion(rules)
  }
}

extension SessionState {
  var currentTrack: SessionTrack? {
    if tracks.indices.contains(track) { return tracks[track] }
    return track < trackCount ? SessionTrack(duration: nil) : nil
  }

  var trackRemark: Remark {
    .track(number: track + 1, of: trackCount, title: currentTrack?.title ?? "")
  }
}
