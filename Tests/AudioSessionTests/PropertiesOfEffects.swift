import AudioSession
import AudioTypes
import Testing

/// What the shell is told to do, and the level and place of the music.
@Suite struct `Properties of effects` {
  @Test func `P6: music is low as long as a prompt lives, and 300 ms more (S50, S54)`() {
    holds("P6: gain is the duck level while a duck lives and 300 ms after the last, then 0 dB") {
      Walk.beside($0) { step, oracle in
        let before = step.transition.before.gain
        let after = step.transition.after.gain
        if oracle.isPromptLive, after > before { return "the gain rises at \(at(step))" }
        if after > 0 { return "the gain is above the user's level at \(at(step))" }
        guard step.isSettled else { return nil }
        let wanted = oracle.isLow ? -14.0 : 0
        return after == wanted ? nil : "the gain is \(after) at \(at(step)), not \(wanted)"
      }
    }
  }

  @Test func `P7: every begin ends once, and sound begins as often as it is let (S46, S80)`() {
    holds("P7: every begin has one end, all ends leave nothing, each edge is one uncork") {
      moments in
      var fault = Walk.beside(moments) { step, oracle in
        let ids = EventGenerator.ids
        let machine = step.machine.state.blockers.map(\.id).filter(ids.contains)
        if Set(machine).count != machine.count { return "\(machine) are there twice" }
        let live = oracle.live.keys.filter(ids.contains)
        if Set(machine) != Set(live) {
          return "\(machine) stand in the way at \(at(step)), not \(live.sorted())"
        }
        let uncorks = step.transition.actions.count { $0 == .uncork }
        let corks = step.transition.actions.count(where: \.isCork)
        return uncorks == (step.begins ? 1 : 0) && corks == (step.ends ? 1 : 0)
          ? nil : "\(step.transition.actions) is done at \(at(step))"
      }
      if fault != nil { return fault }
      let last = Walk.steps(moments + Self.endOfAll).last
      let left = last?.machine.state.blockers.map(\.id) ?? []
      if !left.isEmpty { fault = "\(left) are left after the end of all" }
      return fault
    }
  }

  /// Whatever may have begun ends.
  private static let endOfAll =
    EventGenerator.ids.map { Moment(event: .end(id: $0, shouldResume: true)) } + [
      Moment(event: .sleep(false)), Moment(event: .suspended(false)), Moment(event: .serverLost),
      Moment(event: .serverBack(.route(Walk.route))),
      Moment(event: .route(RouteChange(to: Walk.route, reason: .override))),
      Moment(event: .reconcile(SystemSnapshot())), Moment(wait: .seconds(10), event: .wait),
    ]

  @Test func `P10: the position is what was heard (S53)`() {
    holds("P10: the position moves with what is heard, and else only when it is told to go") {
      Walk.through($0) { step in
        let before = step.before
        let after = step.machine.state
        let time = max(.zero, step.transition.at - before.now)
        var wanted = before.position
        if before.situation.isAudible {
          wanted = wanted + time
          if before.tracks.indices.contains(before.track),
            let end = before.tracks[before.track].duration
          {
            wanted = min(wanted, end)
          }
        }
        var track = before.track
        var isTrackEnd = false
        switch step.transition.trigger {
        case .timer(.trackEnd), .event(.trackEnded):
          isTrackEnd = true
          wanted = .zero
          if track + 1 < before.trackCount { track += 1 }
        case .event(.trackBegan(let told)) where EventGenerator.tracks.contains(told):
          isTrackEnd = true
          wanted = .zero
          track = told
        default: break
        }
        let goes = step.transition.actions.compactMap { action -> (Int, SessionTime)? in
          if case .go(let track, let position) = action { (track, position) } else { nil }
        }
        if goes.count > 1 { return "it goes to two places at \(at(step))" }
        if let (place, position) = goes.first, !isTrackEnd {
          track = place
          wanted = position
        }
        if after.trackCount > 0, !(0..<after.trackCount).contains(after.track) {
          return "the track is \(after.track) of \(after.trackCount) at \(at(step))"
        }
        return after.position == wanted && after.track == track
          ? nil
          : "it is at \(after.track + 1), \(after.position.seconds) s at \(at(step)), "
            + "not at \(track + 1), \(wanted.seconds) s"
      }
    }
  }

  @Test func `P11: the status is Playing when something is heard, and told when it changes (S63)`()
  {
    var published = PlaybackStatus.stopped
    holds("P11: PlaybackStatus is Playing iff audible; one message a change, none without") {
      published = .stopped
      return Walk.through($0) { step in
        let after = step.transition.after
        if (after.status == .playing) != after.isAudible { return "\(after) at \(at(step))" }
        if (after.status == .stopped) != (after.intent == .stopped) {
          return "\(after) at \(at(step))"
        }
        let told = step.transition.actions.compactMap { action -> PlaybackStatus? in
          if case .publish(let status) = action { status } else { nil }
        }
        let wanted = after.status == published ? [] : [after.status]
        published = after.status
        return told == wanted ? nil : "\(told) is told at \(at(step)), not \(wanted)"
      }
    }
  }

  @Test
  func `P12: only whom we paused is told to play, once, and never who is in a call (S57, S59)`() {
    holds("P12: Play goes to peers that we paused, once, by deactivate(notify) only, not to calls")
    {
      var peers: [String: PeerObservation] = [:]
      /// Whom we paused, and whether they have said so.
      var paused: [String: Bool] = [:]
      func seen(_ peer: PeerObservation) {
        let old = peers.updateValue(peer, forKey: peer.id)
        guard let old, old.status != peer.status, let hasPaused = paused[peer.id] else { return }
        paused[peer.id] = peer.status == .paused && !hasPaused ? true : nil
      }
      func gone(_ id: String) {
        peers[id] = nil
        paused[id] = nil
      }
      return Walk.beside($0) { step, oracle in
        switch step.event {
        case .peer(let peer): seen(peer)
        case .peerGone(let id): gone(id)
        case .clientGone(let client):
          for peer in peers.values where peer.client == client { gone(peer.id) }
        case .reconcile(let snapshot):
          for id in Array(peers.keys) where !snapshot.peers.contains(where: { $0.id == id }) {
            gone(id)
          }
          for peer in snapshot.peers { seen(peer) }
        default: break
        }
        for action in step.transition.actions {
          switch action {
          case .pausePeer(let id):
            guard let peer = peers[id], peer.status == .playing, peer.canPause else {
              return "\(id) is paused at \(at(step)), and was not playing"
            }
            if step.machine.state.configuration.mixesWithOthers || paused[id] != nil {
              return "\(id) is paused again, or though this mixes, at \(at(step))"
            }
            if let client = peer.client, Self.isInCall(client, step) {
              return "\(id) is paused in its call at \(at(step))"
            }
            paused[id] = false
          case .playPeer(let id):
            guard case .deactivate(notifyOthers: true)? = step.event else {
              return "\(id) is told to play by \(step.transition.trigger) at \(at(step))"
            }
            guard paused.removeValue(forKey: id) == true, peers[id]?.status == .paused else {
              return "\(id) is told to play at \(at(step)), and was not paused by us"
            }
            if let client = peers[id]?.client, Self.isInCall(client, step) {
              return "\(id) is told to play in its call at \(at(step))"
            }
          default: break
          }
        }
        if Self.isForGood(step) { paused = [:] }
        return nil
      }
    }
  }

  /// The program is done, by command or by the end of its queue: whoever it paused is told nothing.
  private static func isForGood(_ step: Step) -> Bool {
    let wasLast = step.before.track + 1 >= step.before.trackCount
    let wasStopped = step.before.intent == .stopped
    switch step.transition.trigger {
    case .event(.stop), .event(.deactivate): return true
    case .event(.next): return wasLast
    case .event(.trackEnded), .timer(.trackEnd): return wasLast && !wasStopped
    case .event(.queueEnded), .event(.stoppedAfterTrack): return !wasStopped
    case .event(.load): return step.transition.after.intent == .stopped
    case .event(.seek):
      return !wasStopped && step.transition.after.intent == .stopped
    default: return false
    }
  }

  private static func isInCall(_ client: String, _ step: Step) -> Bool {
    step.machine.state.blockers.contains { $0.kind == .call && $0.client == client }
  }

  @Test func `P13: no volume is written but by the user's keys (S9, S11, S18, S19, S33)`() {
    holds("P13: the rules write no volume; others are lowered only by duckOthers, a call never") {
      Walk.beside($0) { step, oracle in
        for action in step.transition.actions {
          switch action {
          case .changeDeviceVolume(let way), .changeEventVolume(let way):
            if step.event == .volumeKey(way) { continue }
            return "\(action) by \(step.transition.trigger) at \(at(step))"
          case .lowerOthers(let ids):
            if step.machine.state.configuration.options != .duckOthers {
              return "others are lowered at \(at(step))"
            }
            let calls = ids.filter {
              oracle.calls.contains("sinkinput:" + $0) || oracle.calls.contains("source:" + $0)
            }
            if !calls.isEmpty { return "the calls \(calls) are lowered at \(at(step))" }
          case .setGain(let decibels, _):
            if decibels > 0 { return "music is made louder at \(at(step))" }
          default: continue
          }
        }
        return nil
      }
    }
  }

  @Test func `P17: the same is not asked twice, and one thing at a time (S80)`() {
    var isHeld = true
    var gain = 0.0
    holds("P17: no two consecutive identical stream ops; at most one of a kind for each event") {
      isHeld = true
      gain = 0
      return Walk.through($0) { step in
        var holds = 0
        var unmutes = 0
        for action in step.transition.actions {
          switch action {
          case .cork, .uncork:
            holds += 1
            if isHeld == action.isCork { return "\(action) is asked again at \(at(step))" }
            isHeld = action.isCork
          case .setGain(let decibels, _):
            if gain == decibels { return "\(action) is asked again at \(at(step))" }
            gain = decibels
          case .unmuteStream: unmutes += 1
          default: continue
          }
        }
        return holds > 1 || unmutes > 1 ? "\(step.transition.actions) at \(at(step))" : nil
      }
    }
  }
}
