import AudioTypes

/// Where sound goes, and what happens when that place goes away.
extension SessionMachine {
  mutating func routeChanged(_ change: RouteChange, _ turn: inout Turn) {
    if let pending = state.pendingRoute, change.to?.deviceAddress == pending.address,
      isReturn(change)
    {
      return deviceReturned(change.to, pending, &turn)
    }
    switch change.reason {
    case .newDeviceAvailable:
      guard let to = change.to else { return }
      turn.rules.formUnion([.s13, .s15])
      take(to, &turn)
    case .override:
      turn.rules.insert(.s21)
      guard let to = change.to else { return noSuitableRoute(&turn) }
      if let pending = state.pendingRoute {
        // The user gave up waiting for the device. A choice is not a wish to play (S2).
        state.pendingRoute = nil
        end(pending.blocker, &turn)
        becomeNoisy(without: pending.route, &turn)
      }
      take(to, &turn)
    case .oldDeviceUnavailable:
      guard isCurrent(change.from) else { return }
      deviceLost(to: change.to, isLinkKept: change.isLinkKept, &turn)
    case .noSuitableRoute:
      noSuitableRoute(&turn)
    }
  }

  /// Whether news of the device that is waited for says that it is back. That it is gone, with its
  /// link too, or that some other device is gone, says no such thing.
  private func isReturn(_ change: RouteChange) -> Bool {
    switch change.reason {
    case .newDeviceAvailable, .override: true
    case .oldDeviceUnavailable: change.isLinkKept && isCurrent(change.from)
    case .noSuitableRoute: false
    }
  }

  /// Whether that is the device that is heard, or was and is waited for; nil is the current one.
  private func isCurrent(_ id: String?) -> Bool {
    guard let id else { return true }
    return id == state.route?.id || id == state.pendingRoute?.id
  }

  /// The device that is heard went away. The music is held first, whatever else happens (S16).
  mutating func deviceLost(to: Route?, isLinkKept: Bool, _ turn: inout Turn) {
    turn.rules.formUnion([.s13, .s16])
    if let pending = state.pendingRoute {
      // Already waited for. If the link is gone too, it does not come back as another profile.
      if !isLinkKept {
        state.pendingRoute = nil
        end(pending.blocker, &turn)
        becomeNoisy(without: pending.route, &turn)
        take(to, &turn)
      } else if to != nil {
        take(to, &turn)
      } else {
        state.route = nil
      }
      return
    }
    guard isLinkKept, let old = state.route, let address = old.deviceAddress else {
      becomeNoisy(without: state.route, &turn)
      take(to, &turn)
      return
    }
    if let to, to.id != old.id, to.deviceAddress == address {
      // It is there already as its other profile.
      turn.rules.insert(.s15)
      state.profileSwitchToldUntil = state.now + SessionTiming.profileSwitchEcho
      take(to, &turn)
      return
    }
    let pending = SessionState.PendingRoute(
      route: old, address: address, deadline: state.now + SessionTiming.profileSwitchGrace)
    state.pendingRoute = pending
    begin(pending.blocker, .routePending, source: old.name, &turn)
    if to != nil { take(to, &turn) } else { state.route = nil }
  }

  private mutating func deviceReturned(
    _ to: Route?, _ pending: SessionState.PendingRoute, _ turn: inout Turn
  ) {
    turn.rules.insert(.s15)
    state.profileSwitchToldUntil = state.now + SessionTiming.profileSwitchEcho
    state.pendingRoute = nil
    end(pending.blocker, &turn)
    take(to, &turn)
  }

  mutating func profileSwitchFailed(_ turn: inout Turn) {
    guard let pending = state.pendingRoute else { return }
    turn.rules.insert(.s16)
    state.pendingRoute = nil
    end(pending.blocker, &turn)
    becomeNoisy(without: pending.route, &turn)
    take(state.route, &turn)
  }

  mutating func linkLost(_ address: String, _ turn: inout Turn) {
    guard state.pendingRoute?.address == address else { return }
    profileSwitchFailed(&turn)
  }

  /// "Before" is when the server was lost: after that devices appear one by one.
  mutating func serverBack(_ route: SessionEvent.ServerRoute, _ turn: inout Turn) {
    let old = state.blocker(Self.serverID)?.routeAtBegin ?? state.route
    end(Self.serverID, &turn)
    let new: Route?
    switch route {
    case .unchanged: new = state.route
    case .none: return noSuitableRoute(&turn)
    case .route(let route): new = route
    }
    if let pending = state.pendingRoute, let new, new.deviceAddress == pending.address,
      route != .unchanged
    {
      return deviceReturned(new, pending, &turn)
    }
    if let old, let new, new.isMorePublic(than: old), state.pendingRoute == nil {
      turn.rules.insert(.s16)
      if state.intent == .playing { turn.remark = .cameBackElsewhere(old.name) }
      becomeNoisy(without: old, &turn)
    }
    if route != .unchanged { take(new, &turn) }
  }

  private mutating func noSuitableRoute(_ turn: inout Turn) {
    turn.rules.insert(.s16)
    if let pending = state.pendingRoute {
      state.pendingRoute = nil
      end(pending.blocker, &turn)
    }
    becomeNoisy(without: state.route, &turn)
    take(nil, &turn)
  }

  /// What was private must not be shared: paused, also while something else holds the music, so
  /// that its end does not start it elsewhere (A8, row 11).
  private mutating func becomeNoisy(without route: Route?, _ turn: inout Turn) {
    state.pausedByPrimary = nil
    guard state.intent == .playing else { return }
    state.intent = .paused(.noisy)
    turn.fade = .zero
    turn.remark = turn.remark ?? .deviceGone(route)
  }

  /// The route is now this one; without any, nothing can be played.
  private mutating func take(_ route: Route?, _ turn: inout Turn) {
    let isOther = route?.id != state.route?.id
    state.route = route
    if let route {
      end(Self.routeID, &turn)
      if isOther { turn.aside = .routeChanged(route.name) }
    } else {
      begin(Self.routeID, .noRoute, &turn)
      turn.aside = .noDevice
    }
  }
}
