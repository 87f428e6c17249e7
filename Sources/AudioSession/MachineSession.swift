/// What the program asks for: its record, and whether it is active.
extension SessionMachine {
  mutating func configure(_ new: SessionConfiguration, _ turn: inout Turn) {
    let old = state.configuration
    turn.rules.insert(.s29)
    if new.category != old.category {
      let isRecordSwitch =
        [old.category, new.category].allSatisfy { $0 == .record || $0 == .playback }
      if turn.before.isAudible, !isRecordSwitch {
        return turn.refuse(
          SessionError(.categoryInUse, cause: new.category.rawValue), [.s35])
      }
      turn.rules.insert(isRecordSwitch ? .s36 : .s38)
    }
    state.configuration = new
    turn.fade = .milliseconds(10)
    // A player with controls does not come back by itself, also if it has them only now.
    if new.hasTransportControls, state.intent == .playing,
      state.blockers.contains(where: { $0.kind == .primary && state.suppresses($0) })
    {
      state.intent = .paused(.primary)
    }
  }

  /// Being active is being in the place of whoever plays (S41), or beside them (S44).
  mutating func activate(_ turn: inout Turn) {
    turn.rules.insert(.s2)
    state.isActive = true
    pausePeers(&turn)
  }

  /// A program that gives its place up is silent. `notifyOthers` says of which type the interruption
  /// was that it caused (S47): an interlude, or for good.
  mutating func deactivate(notifyOthers: Bool, _ turn: inout Turn) {
    turn.rules.insert(.s47)
    if notifyOthers {
      turn.rules.formUnion([.s57, .s59])
      // One that is in a call by now has other things to do.
      for peer in state.pausedPeers
      where peer.hasPaused && !isInCall(state.scene.peer(peer.id)?.client) {
        turn.extra.append(.playPeer(id: peer.id))
        turn.remark = .gaveWay
      }
    } else {
      turn.rules.insert(.s58)
    }
    state.isActive = false
    state.pausedPeers = []
    // Whatever paused it before, nothing but the user brings it back now.
    state.pausedByPrimary = nil
    guard state.intent == .playing else { return }
    turn.fade = .milliseconds(10)
    halt(&turn)
  }

  /// MPRIS Pause to everyone who plays and can pause, once; never to who is in a call.
  mutating func pausePeers(_ turn: inout Turn) {
    guard !state.configuration.mixesWithOthers else {
      turn.rules.insert(.s44)
      return
    }
    for peer in state.scene.peers {
      guard peer.status == .playing, peer.canPause, !state.scene.isIgnored(peer),
        !isInCall(peer.client),
        !state.pausedPeers.contains(where: { $0.id == peer.id })
      else { continue }
      state.pausedPeers.append(SessionState.PausedPeer(id: peer.id))
      // That it has begun to play is settled with this, however late it obeys.
      let blocker = Scene.blockerID(peer)
      for index in state.scene.pending.indices where state.scene.pending[index].id == blocker {
        state.scene.pending[index].isOverridden = true
      }
      turn.extra.append(.pausePeer(id: peer.id))
      turn.rules.insert(.s41)
    }
  }

  func isInCall(_ client: String?) -> Bool {
    guard let client else { return false }
    return state.blockers.contains { $0.kind == .call && $0.client == client }
  }
}
