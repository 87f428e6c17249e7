/// What begins and ceases to stand in the way.
extension SessionMachine {
  mutating func begin(
    _ id: String, _ kind: BlockerKind, source: String = "", client: String? = nil,
    isOverridden: Bool = false, _ turn: inout Turn
  ) {
    guard state.blocker(id) == nil else { return }
    var blocker = Blocker(
      id: id, kind: kind, source: source, client: client, began: state.now)
    blocker.isOverridden = isOverridden
    blocker.userPlayedSince = isOverridden
    if kind == .duck, state.configuration.content == .spoken {
      // Words under words cannot be followed: the prompt is waited for, and the pause after it.
      blocker.kind = .solo
      blocker.isHeldAtEnd = true
      state.soloHoldUntil = nil
    }
    if blocker.kind == .duck { state.duckHoldUntil = nil }
    if kind == .stopped || kind == .serverLost { blocker.routeAtBegin = state.route }
    // Beside whom we have played we go on playing, whatever becomes of our options.
    if kind == .primary, state.configuration.mixesWithOthers { blocker.isOverridden = true }
    state.blockers.append(blocker)
    turn.rules.formUnion(Self.rules(beginning: blocker.kind))
    turn.fade = Self.fade(blocker.kind)
    if kind == .sleep { state.pausedByPrimary = nil }

    guard state.intent == .playing, state.suppresses(blocker) else { return }
    if kind == .primary, state.configuration.hasTransportControls {
      state.intent = .paused(.primary)
      state.pausedByPrimary = SessionState.Takeover(client: client, at: state.now)
    } else if kind == .sleep {
      state.intent = .paused(.sleep)
    }
  }

  /// - Parameter shouldResume: the hint that came with the end; nil is the kind's own one.
  mutating func end(_ id: String, shouldResume: Bool? = nil, _ turn: inout Turn) {
    guard let index = state.blockers.firstIndex(where: { $0.id == id }) else { return }
    let blocker = state.blockers.remove(at: index)
    turn.rules.formUnion(Self.rules(ending: blocker.kind))
    if var hint = blocker.kind.defaultHint {
      if blocker.kind == .stopped { hint = blocker.routeAtBegin?.id == state.route?.id }
      turn.rules.formUnion(state.configuration.hasTransportControls ? [.s60, .s61] : [.s52, .s62])
      if state.configuration.hasTransportControls, !(shouldResume ?? hint),
        !blocker.isOverridden, !blocker.userPlayedSince, state.intent == .playing
      {
        state.intent = .paused(.denied)
      }
    }
    switch blocker.kind {
    case .duck where !state.blockers.contains { $0.kind == .duck }:
      state.duckHoldUntil = state.now + SessionTiming.duckHold
    case .solo where blocker.isHeldAtEnd && !blocker.isOverridden:
      if !state.blockers.contains(where: { $0.isHeldAtEnd && !$0.isOverridden }) {
        state.soloHoldUntil = state.now + SessionTiming.duckHold
      }
    default: break
    }
  }

  /// A program is gone, and everything that it owned with it.
  mutating func clientGone(_ client: String, _ turn: inout Turn) {
    for stream in state.scene.streams where Scene.program(stream) == client {
      streamGone(stream.id, &turn)
    }
    for peer in state.scene.peers where peer.client == client { peerGone(peer.id, &turn) }
    state.scene.cancel(.callOver, client)
    for blocker in state.blockers where blocker.client == client { end(blocker.id, &turn) }
  }

  /// How the music goes when that begins.
  private static func fade(_ kind: BlockerKind) -> SessionTime {
    switch kind {
    case .primary: SessionTiming.primaryFade
    case .routePending, .noRoute, .serverLost: .zero
    // The terminal waits for it.
    case .stopped: .milliseconds(10)
    default: SessionTiming.interruptionFade
    }
  }

  private static func rules(beginning kind: BlockerKind) -> RuleSet {
    switch kind {
    case .call: [.s28, .s53, .s79]
    case .solo, .duck: [.s50, .s54]
    case .primary: [.s55, .s79]
    case .serverCork, .stopped: [.s46]
    case .routePending, .noRoute: [.s16]
    case .sleep, .serverLost: [.s2]
    }
  }

  private static func rules(ending kind: BlockerKind) -> RuleSet {
    switch kind {
    case .call: [.s51, .s53]
    case .solo, .duck: [.s51, .s54]
    case .primary: [.s55, .s56]
    case .serverCork, .stopped: [.s48]
    case .routePending: []
    case .noRoute, .sleep: [.s17]
    case .serverLost: [.s48]
    }
  }
}
