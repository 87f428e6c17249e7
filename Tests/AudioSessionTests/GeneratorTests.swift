import AudioSession
import AudioTypes
import Testing

/// The properties are worth as much as their histories: these tests look at the histories.
@Suite struct `Random histories` {
  @Test func `are the same for the same seed, and others for another`() {
    func history(_ seed: UInt64) -> [Moment] {
      var generator = EventGenerator(seed: seed)
      return generator.history()
    }
    #expect(history(7) == history(7))
    #expect(history(7) != history(8))
  }

  @Test func `are 5 to 60 events long and reach everything`() {
    var triggers: Set<String> = []
    var edges: Set<[Display]> = []
    var causes: Set<PauseCause> = []
    var kinds: Set<BlockerKind> = []
    var actions: Set<String> = []
    var lengths: Set<Int> = []
    func name(_ value: Any) -> String {
      Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
    var audible = 0
    var all = 0
    for seed: UInt64 in 0..<800 {
      var generator = EventGenerator(seed: seed)
      let moments = generator.history()
      lengths.insert(moments.count)
      _ = Walk.through(moments) { step in
        switch step.transition.trigger {
        case .event(let event): triggers.insert(name(event))
        case .timer(let timer): triggers.insert(name(timer))
        }
        edges.insert([step.transition.before.display, step.transition.after.display])
        if let cause = step.transition.after.intent.cause { causes.insert(cause) }
        for blocker in step.machine.state.blockers { kinds.insert(blocker.kind) }
        for action in step.transition.actions { actions.insert(name(action)) }
        all += 1
        if step.transition.after.isAudible { audible += 1 }
        return nil
      }
    }
    #expect(lengths.min()! >= 5 && lengths.max()! <= 60 && lengths.count > 50)
    // Events and deadlines, as Event.swift has them.
    #expect(
      triggers == [
        "play", "force", "pause", "toggle", "stop", "next", "previous", "seek", "load", "volumeKey",
        "ignore", "choose", "trackBegan", "queueEnded",
        "stoppedAfterTrack", "configure", "activate", "deactivate",
        "effect", "trackEnded", "trackFailed",
        "silent", "background", "begin", "end", "route", "linkLost", "lock", "sleep", "suspended",
        "serverLost", "serverBack", "stream", "streamGone", "peer", "peerGone", "clientGone",
        "streamDestroyed", "reconcile", "wait",
        "profileSwitch", "callConfirmed", "primaryConfirmed", "callOver", "soloHold", "duckHold",
        "trackEnd", "remoteRelease",
      ])
    #expect(causes == Set(PauseCause.allCases))
    #expect(kinds == Set(BlockerKind.allCases))
    #expect(actions.count == 16)
    // Every edge of session.md's table, and none that it calls impossible.
    for from in Display.allCases {
      for to in Display.allCases where from != to {
        let isImpossible = from == .stopped && to == .paused
        #expect(edges.contains([from, to]) == !isImpossible, "\(from) to \(to)")
      }
    }
    // Neither mostly silent nor mostly undisturbed.
    #expect(audible * 10 > all * 2 && audible * 10 < all * 7, "\(audible) of \(all)")
  }

  @Test func `that break a rule are made small, with what the reader needs`() throws {
    // Not true, and the smallest history that shows it is known.
    let found = firstFault(seed: 1, count: 500) { moments in
      Walk.through(moments) { step in
        if step.ends, case .begin(_, .call, _)? = step.event { "music is held" } else { nil }
      }
    }
    let least = try #require(found)
    #expect(least.moments.count == 2 && least.originalCount > 2, "\(least.message(""))")
    #expect(least.moments.allSatisfy { $0.wait == .zero })
    #expect(least.moments.first?.event == .play(.key))
    let message = least.message("A call never holds music")
    #expect(message.hasPrefix("A call never holds music\nBut music is held.\n"))
    #expect(message.contains("SOTTO_SEED=0x") && message.contains("2 of its"))
    #expect(message.contains(#"{"at":0,"event":"play","source":"key"}"#))
  }

  @Test func `keep the one wait that matters when they are made small`() throws {
    let found = firstFault(seed: 2, count: 500) { moments in
      Walk.through(moments) { step in
        if case .timer(.duckHold) = step.transition.trigger { "a hold ends" } else { nil }
      }
    }
    let least = try #require(found)
    #expect(least.moments.count == 3)
    #expect(least.moments.map(\.wait) == [.zero, .zero, .milliseconds(300)])
  }
}
