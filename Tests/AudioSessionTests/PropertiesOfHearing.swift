import AudioSession
import AudioTypes
import Testing

/// What is heard and when. P21 is not here: how many samples leak after a device was removed is
/// measured on an output, the machine only says to hold.
@Suite struct `Properties of hearing` {
  @Test func `P2: after the last pause or stop nothing is heard until play (S2, S17, S70)`() {
    holds("P2: after the last pause or stop, audible is false until a play or force") {
      Walk.beside($0) { step, oracle in
        step.transition.after.isAudible && !oracle.hasAsked
          ? "it is heard at \(at(step)), after \(step.transition.trigger)" : nil
      }
    }
  }

  @Test func `P3: a device that went away silences until play (S15, S16, S17)`() {
    holds("P3: after the loss of the current device, audible is false until play, force or toggle")
    {
      Walk.beside($0) { step, oracle in
        step.isSettled && step.transition.after.isAudible && oracle.loss != .none
          ? "it is heard at \(at(step)), while the device is \(oracle.loss)" : nil
      }
    }
  }

  @Test func `P4: a route that the user chose changes neither intent nor sound (S15, S21)`() {
    holds("P4: override changes neither intent nor audible, a new device never the intent") {
      Walk.beside($0) { step, oracle in
        guard case .route(let change)? = step.event, change.to != nil else { return nil }
        let before = step.transition.before
        let after = step.transition.after
        // Choosing while a device is waited for gives it up (D3).
        let wasAwaiting = step.before.blockers.contains { $0.kind == .routePending }
        switch change.reason {
        case .override where !wasAwaiting:
          return before.intent == after.intent && before.isAudible == after.isAudible
            ? nil : "the choice at \(at(step)) makes \(after) of \(before)"
        case .newDeviceAvailable:
          return before.intent == after.intent
            ? nil : "the device at \(at(step)) makes \(after.intent) of \(before.intent)"
        default: return nil
        }
      }
    }
  }

  @Test func `P5: a call is not played over unless somebody forced it (S28, S53)`() {
    holds("P5: from the begin of a call to its end, audible is false unless a force came since") {
      Walk.beside($0) { step, oracle in
        guard step.isSettled, step.transition.after.isAudible else { return nil }
        let calls = oracle.calls.subtracting(oracle.forced)
        return calls.isEmpty ? nil : "it is heard at \(at(step)), over \(calls.sorted())"
      }
    }
  }

  @Test func `P9: sound begins by the user, or when what was in the way is gone (S2, S17, S36)`() {
    holds("P9: audible goes up only on play, toggle, force; or when something in the way is gone") {
      Walk.beside($0) { step, oracle in
        guard step.begins else { return nil }
        if !oracle.hasAsked { return "sound begins at \(at(step)), and nobody asked for it" }
        switch step.transition.trigger {
        case .event(.play), .event(.force), .event(.toggle): return nil
        // Recording in between is such a case, and what mixes is not held by other players (S36).
        case .event(.configure(let new)) where new != step.before.configuration: return nil
        case .event(.silent(false)), .event(.lock(false)):
          if step.before.configuration.category.isSilencedBySwitch { return nil }
        case .event(.background(false)):
          if !step.before.configuration.category.playsInBackground { return nil }
        case .timer(.soloHold): return nil
        default: break
        }
        let left = Set(step.machine.state.blockers.map(\.id))
        let isLifted = step.before.blockers.contains {
          $0.kind != .duck && !$0.isOverridden && !left.contains($0.id)
        }
        return isLifted ? nil : "sound begins at \(at(step)) by \(step.transition.trigger)"
      }
    }
  }

  @Test func `S2: only the user makes the intent playing, and a call that gives it back (D4.9)`() {
    holds("S2: intent becomes playing only by the user, or when a player turns out to be a call") {
      Walk.through($0) { step in
        let before = step.transition.before.intent
        guard before != .playing, step.transition.after.intent == .playing else { return nil }
        switch step.transition.trigger {
        case .event(.play), .event(.force), .event(.toggle): return nil
        default: break
        }
        let began = step.machine.state.blockers.contains { now in
          now.kind == .call
            && !step.before.blockers.contains { $0.id == now.id && $0.kind == .call }
        }
        return before == .paused(.primary) && began
          ? nil : "\(before) becomes playing at \(at(step)) by \(step.transition.trigger)"
      }
    }
  }

  @Test func `P14: what is heard, table 35-1 allows (S5, S30, S38, S39)`() {
    holds("P14: nothing is heard that table A9 silences") {
      Walk.beside($0) { step, _ in
        guard step.transition.after.isAudible else { return nil }
        let state = step.machine.state
        let isAllowed = Self.allows(
          state.configuration.category, silent: state.isSilent, locked: state.isLocked,
          background: state.isInBackground)
        return isAllowed && state.intent == .playing && state.route != nil
          ? nil : "\(state.configuration.category) is heard at \(at(step))"
      }
    }
  }

  /// Table 35-1, written out.
  static func allows(_ category: Category, silent: Bool, locked: Bool, background: Bool) -> Bool {
    switch category {
    case .soloAmbient, .ambient: !silent && !locked && !background
    case .playback, .playAndRecord: true
    case .record, .audioProcessing: false
    }
  }

  @Test func `P14: table A9 in all combinations (S39, S41, S44)`() throws {
    let rows: [(Category, CategoryOptions, mixes: Bool)] = [
      (.soloAmbient, [], false), (.ambient, [], true), (.playback, [], false),
      (.playback, .mixWithOthers, true), (.playback, .duckOthers, true), (.record, [], false),
      (.playAndRecord, [], false), (.playAndRecord, .mixWithOthers, true),
      (.playAndRecord, .duckOthers, true), (.audioProcessing, [], false),
    ]
    for (category, options, mixes) in rows {
      for bits in 0..<16 {
        let (silent, locked, background) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
        var rig = Rig(try SessionConfiguration(category: category, options: options))
        if bits & 8 != 0 { rig.send(.peer(PeerObservation(id: "p", status: .playing))) }
        rig.send(.silent(silent))
        rig.send(.lock(locked))
        rig.send(.background(background))
        let active = rig.send(.activate)
        #expect(active.actions.contains(.pausePeer(id: "p")) == (!mixes && bits & 8 != 0))
        rig.play()
        #expect(
          rig.isAudible
            == Self.allows(category, silent: silent, locked: locked, background: background),
          "\(category) \(options) \(bits)")
      }
    }
  }

  @Test func `P15: silent mode is nothing to playback, record and playAndRecord (S4, S5, S8)`() {
    holds("P15: silent never affects playback, record or playAndRecord") { moments in
      var loud = Walk()
      var silent = Walk()
      for (index, moment) in moments.enumerated() {
        var moment = moment
        if case .configure(let new) = moment.event,
          ![.playback, .record, .playAndRecord].contains(new.category)
        {
          moment.event = .wait
        }
        var without = moment
        if case .silent = moment.event { without.event = .wait }
        var said: [Situation] = []
        var heard: [Situation] = []
        _ = silent.take(moment) { step in
          said.append(step.transition.after)
          return nil
        }
        _ = loud.take(without) { step in
          heard.append(step.transition.after)
          return nil
        }
        if said != heard { return "silent mode makes \(said) of \(heard) at event \(index + 1)" }
      }
      return silent.machine.state.position == loud.machine.state.position
        ? nil : "silent mode moves the position"
    }
  }

  @Test func `P16: stopped is left only by play, toggle or force (S2, S17)`() {
    holds("P16: stopped is left only by play, toggle or force") {
      Walk.through($0) { step in
        guard step.transition.before.intent == .stopped, step.transition.after.intent != .stopped
        else { return nil }
        switch step.event {
        case .play, .toggle, .force: return nil
        default: return "it is left at \(at(step)) by \(step.transition.trigger)"
        }
      }
    }
  }

  @Test func `P18: what may be heard is heard (S51, S52)`() {
    holds("P18: intent playing, no blocker, allowed, a route: audible within 300 ms") {
      Walk.through($0) { step in
        var machine = step.machine
        func isDue() -> Bool {
          let state = machine.state
          return state.intent == .playing && state.blockers.isEmpty && state.route != nil
            && Self.allows(
              state.configuration.category, silent: state.isSilent, locked: state.isLocked,
              background: state.isInBackground)
        }
        guard step.isSettled, isDue(), !machine.situation.isAudible else { return nil }
        let limit = machine.state.now + .milliseconds(300)
        while machine.fireNext(by: limit) != nil {
          if !isDue() || machine.situation.isAudible { return nil }
        }
        return machine.situation.isAudible ? nil : "it is still silent 300 ms after \(at(step))"
      }
    }
  }

  @Test func `P19: what begins makes nothing audible or louder (S28, S50, S54)`() {
    holds("P19: a begin never makes anything audible or louder") {
      Walk.through($0) { step in
        switch step.event {
        case .begin, .sleep(true), .suspended(true), .serverLost: break
        default: return nil
        }
        let louder = step.transition.after.gain > step.transition.before.gain
        return step.begins || louder ? "\(step.transition.trigger) does at \(at(step))" : nil
      }
    }
  }
}

/// Where a step is, for messages.
func at(_ step: Step) -> String { "event \(step.index + 1), \(step.transition.at.seconds) s" }
