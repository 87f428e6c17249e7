import AudioSession
import AudioTypes
import Foundation
import SessionReplay
import Testing

/// The machine as a value: repetition, order, copies, and what it does not know.
@Suite struct `Properties of the machine` {
  @Test func `P1: twice is once (S46)`() {
    holds("P1: applying an event twice in a row is applying it once") {
      Walk.through($0) { step in
        guard let event = step.event, let event = Self.repeatable(event, step.before) else {
          return nil
        }
        var once = SessionMachine(state: step.before)
        _ = once.advance(to: step.transition.at)
        _ = once.apply(event)
        var twice = once
        let second = twice.apply(event)
        if once != twice { return "the second \(event) changes something at \(at(step))" }
        switch event {
        // These ask for something each time.
        case .load, .volumeKey, .effect: return nil
        default:
          return second.actions.isEmpty
            ? nil : "the second \(event) does \(second.actions) at \(at(step))"
        }
      }
    }
  }

  /// `nil` for what means something else the second time, as the next track does.
  private static func repeatable(_ event: SessionEvent, _ before: SessionState) -> SessionEvent? {
    switch event {
    case .toggle, .next, .previous, .seek, .trackEnded, .trackFailed: return nil
    // Without a name, the second time it is the device that took over.
    case .pause(.wireplumber): return before.route?.deviceAddress == nil ? event : nil
    case .route(var change) where change.reason == .oldDeviceUnavailable:
      if change.from == nil { change.from = before.route?.id }
      if change.from == change.to?.id, change.to?.deviceAddress != nil { return nil }
      return change.from == nil && change.to != nil ? nil : .route(change)
    default: return event
    }
  }

  @Test func `P8: in whatever order interruptions end, it comes to the same (S46, S48)`() {
    holds("P8: intent, audible and gain after some ends do not depend on their order") { moments in
      guard let last = Walk.steps(moments).last else { return nil }
      var random = SplitMix64(seed: UInt64(moments.count))
      var ends: [SessionEvent] = [.sleep(false), .suspended(false)]
      for id in EventGenerator.ids {
        ends.append(.end(id: id, shouldResume: random.one([nil, true, true, false])))
      }
      for id in ["7", "8", "9", "firefoxcapture", "zoomplayback"] {
        ends.append(.streamGone(id: id))
      }
      func outcome(_ order: [SessionEvent]) -> [Situation] {
        var machine = last.machine
        for end in order { _ = machine.apply(end) }
        let first = machine.situation
        _ = machine.advance(to: machine.state.now + .milliseconds(300))
        return [first, machine.situation]
      }
      let wanted = outcome(ends)
      for _ in 0..<4 {
        for index in ends.indices.dropFirst().reversed() {
          ends.swapAt(index, random.below(index + 1))
        }
        let got = outcome(ends)
        if got != wanted { return "\(ends) ends in \(got), another order in \(wanted)" }
      }
      return nil
    }
  }

  @Test func `P20: a state that was kept and read again is the same (X3)`() throws {
    holds("P20: encoding and decoding the state at any point changes nothing", share: 2) {
      moments in
      let cut = moments.count / 2
      guard let middle = Walk.steps(Array(moments[..<cut])).last?.machine else { return nil }
      do {
        let data = try JSONEncoder().encode(middle.state)
        let copy = SessionMachine(state: try JSONDecoder().decode(SessionState.self, from: data))
        if copy != middle { return "the state is not the same after event \(cut)" }
        let rest = Array(moments[cut...])
        let same = zip(Walk.steps(rest, from: middle), Walk.steps(rest, from: copy))
          .allSatisfy { $0.transition == $1.transition }
        return same ? nil : "what follows event \(cut) is not the same"
      } catch {
        return "the state after event \(cut) cannot be kept: \(error)"
      }
    }
  }

  @Test func `P20: after a restart nothing is heard until the user plays (S2, X3)`() {
    holds("P20: a restart from any point is not audible until play, force or toggle") { moments in
      let cut = moments.count / 2
      guard let image = Walk.steps(Array(moments[..<cut])).last?.machine.state else { return nil }
      let machine = SessionMachine(restarting: image)
      if machine.situation.isAudible || machine.state.intent == .playing {
        return "it plays at once"
      }
      if machine.state.position != image.position || machine.state.tracks != image.tracks
        || machine.state.trackCount != image.trackCount
      {
        return "the place is lost"
      }
      var walk = Walk(from: machine)
      var hasAsked = false
      for (index, moment) in moments[cut...].enumerated() {
        let fault = walk.take(moment, at: cut + index) { step in
          switch step.event {
          case .play, .force, .toggle: hasAsked = true
          default: break
          }
          return step.transition.after.isAudible && !hasAsked ? "it is heard at \(at(step))" : nil
        }
        if fault != nil { return fault }
      }
      return nil
    }
  }

  @Test func `P22: half a second makes a call, two end it (S28, S53)`() {
    holds("P22: a program is in a call when it has played and recorded for 500 ms, until 2 s after")
    {
      Walk.beside($0) { step, oracle in
        guard step.isSettled else { return nil }
        let prefix = "call:"
        let calls = step.machine.state.blockers.map(\.id).filter { $0.hasPrefix(prefix) }
        let wanted = oracle.pairedCalls.map { prefix + $0 }
        return Set(calls) == Set(wanted)
          ? nil : "\(calls) are in a call at \(at(step)), not \(wanted.sorted())"
      }
    }
  }

  @Test func `P23: the same events give the same answers (S27)`() {
    holds("P23: the same log and clock give the same outputs") { moments in
      let first = Walk.steps(moments)
      let second = Walk.steps(moments)
      return first.map(\.transition) == second.map(\.transition)
        && first.last?.machine == second.last?.machine ? nil : "two runs differ"
    }
  }

  @Test func `P23: a replay of the events gives the machine's own answers (S27)`() {
    holds("P23: a replay of the log says what the machine said", share: 2) { moments in
      var walk = Walk()
      var replay = Replay()
      var at = SessionTime.zero
      for (index, moment) in moments.enumerated() {
        let time = max(at, at + moment.wait)
        guard let line = ReplayText.line(moment.event, time) else { continue }
        let moment = Moment(wait: time - at, event: moment.event)
        at = time
        var machine: [Transition] = []
        _ = walk.take(moment) { step in
          machine.append(step.transition)
          return nil
        }
        var told: [Transition] = []
        do throws(ReplayError) {
          try replay.take(Array(line.utf8)) { told.append($0.transition) }
        } catch {
          // A request to configure that is refused ends a file.
          return machine.last?.refusal != nil ? nil : "event \(index + 1): \(error.sentence)"
        }
        if told != machine { return "event \(index + 1) is \(told.last as Any) in a replay" }
      }
      return nil
    }
  }

  @Test func `P24: what is not known does nothing (S46)`() {
    holds("P24: unknown kinds, roles, ids and names never suppress anything") { moments in
      var known = Walk()
      var both = Walk()
      for (index, moment) in moments.enumerated() {
        let stranger = Self.strangers[index % Self.strangers.count]
        _ = both.take(Moment(wait: moment.wait, event: stranger)) { _ in nil }
        // A time that lies before the last one lies there for both.
        _ = both.take(Moment(wait: min(.zero, moment.wait), event: moment.event)) { _ in nil }
        _ = known.take(moment) { _ in nil }
        let (one, other) = (known.machine, both.machine)
        if one.situation != other.situation || one.state.position != other.state.position
          || one.state.blockers != other.state.blockers
        {
          return "\(stranger) makes \(other.situation) of \(one.situation) at event \(index + 1)"
        }
      }
      return nil
    }
  }

  private static let strangers: [SessionEvent] = [
    .begin(id: "a", kind: nil, source: "?"), .end(id: "stranger", shouldResume: false),
    .stream(StreamObservation(id: "s1", client: "stranger", role: "nonsense")),
    .stream(StreamObservation(id: "s2", role: "\u{FFFF}")),
    .stream(StreamObservation(id: "s3", client: "", role: "game")), .streamGone(id: "stranger"),
    .peerGone(id: "stranger"), .clientGone("nobody"), .linkLost(address: "stranger"),
    .streamDestroyed(id: "stranger"), .route(RouteChange(to: nil, reason: .newDeviceAvailable)),
    .peer(PeerObservation(id: "stranger", name: "playerctld", status: .playing)),
    .ignore(""), .effect(.seconds(.nan)), .wait,
  ]
}
