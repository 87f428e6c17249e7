import AudioSession
import AudioTypes
import Testing

/// S66 to S72, S80, S81, X3 and what commands do to the queue.
@Suite struct `Rules of commands` {
  @Test func `S66: remotes are answered only when there is something to control`() {
    var rig = Rig(tracks: [])
    rig.play()
    rig.send(.volumeKey(.up))
    #expect(!rig.machine.situation.acceptsRemote)
    #expect(rig.send(.load([SessionTrack(duration: .seconds(9))])).actions.contains(.acceptRemote))
    #expect(rig.send(.load([])).actions.contains(.releaseRemote))
  }

  @Test func `S67: ten minutes after a stop they are given up`() {
    var rig = Rig()
    #expect(rig.play().actions.contains(.acceptRemote))
    rig.wait(30)
    rig.send(.stop(.key))
    #expect(rig.wait(599.999).isEmpty)
    rig.send(.stop(.key))
    let due = rig.wait(0.001)
    #expect(due.map(\.trigger) == [.timer(.remoteRelease)])
    #expect(due[0].actions == [.releaseRemote])
    #expect(rig.play().actions.contains(.acceptRemote))
  }

  @Test func `S67, S68: they are kept while anything is heard, paused or held`() {
    var rig = Rig(tracks: [nil])
    rig.play()
    rig.send(.stop(.key))
    rig.wait(300)
    rig.play()
    rig.wait(3600)
    #expect(rig.machine.situation.acceptsRemote)
    rig.begin("c", .call)
    rig.wait(3600)
    #expect(rig.machine.situation.acceptsRemote)
    rig.end("c")
    rig.pause()
    rig.wait(36_000)
    #expect(rig.machine.situation.acceptsRemote)
    #expect(rig.count { $0 == .releaseRemote } == 0)
  }

  @Test func `S70: pause never toggles and stop never quits`() {
    var rig = Rig()
    rig.play()
    rig.pause()
    rig.pause()
    #expect(rig.intent == .paused(.user))
    rig.play()
    rig.play()
    #expect(rig.isAudible && rig.count { $0 == .uncork } == 2)
    rig.send(.stop(.mpris))
    rig.send(.stop(.mpris))
    rig.pause()
    #expect(rig.intent == .stopped)
    #expect(rig.machine.situation.acceptsRemote)
  }

  @Test func `S70: toggle is pause when something is heard and play otherwise`() {
    var rig = Rig()
    rig.send(.toggle(.key))
    #expect(rig.isAudible)
    rig.begin("d", .duck)
    rig.send(.toggle(.key))
    #expect(rig.intent == .paused(.user))
    rig.send(.toggle(.key))
    rig.begin("c", .call)
    rig.send(.toggle(.key))
    #expect(rig.intent == .playing && !rig.isAudible)
    rig.end("c", resume: false)
    #expect(rig.isAudible)
  }

  @Test func `S71, S81: play with nothing to play is refused in a sentence`() {
    var rig = Rig(tracks: [])
    for event in [SessionEvent.play(.mpris), .force(.key), .toggle(.avrcp)] {
      let step = rig.send(event)
      #expect(step.refusal == SessionError(.nothingToPlay))
      #expect(step.sentence == "Not done: there is nothing to play")
      #expect(step.actions.isEmpty && rig.intent == .stopped)
    }
    rig.send(.next(.key))
    rig.send(.previous(.key))
    rig.send(.seek(.seconds(4)))
    rig.send(.trackEnded)
    rig.send(.trackFailed)
    #expect(rig.intent == .stopped && rig.machine.state.track == 0)
  }

  @Test func `stop goes back to the beginning of the track and holds there`() {
    var rig = Rig(tracks: [60, 60])
    rig.play()
    rig.send(.next(.key))
    rig.wait(5)
    let step = rig.send(.stop(.key))
    #expect(step.after.display == .stopped && step.after.status == .stopped)
    #expect(rig.position == 0 && rig.machine.state.track == 1)
    #expect(step.actions.contains(.go(track: 1, position: .zero)))
    rig.wait(30)
    #expect(rig.position == 0)
  }

  @Test func `next and previous change the track and nothing else`() {
    var rig = Rig(tracks: [60, 60, 60])
    rig.play()
    rig.wait(5)
    let step = rig.send(.next(.key))
    #expect(step.after.isAudible && rig.position == 0 && rig.machine.state.track == 1)
    #expect(step.actions == [.go(track: 1, position: .zero)])
    rig.pause()
    rig.send(.next(.key))
    #expect(rig.intent == .paused(.user) && rig.machine.state.track == 2)
    rig.wait(5)
    #expect(rig.position == 0)
    rig.play()
    rig.wait(5)
    rig.send(.next(.key))
    #expect(rig.intent == .stopped && rig.position == 0)
    rig.play()
    rig.send(.previous(.key))
    rig.send(.previous(.key))
    rig.wait(5)
    rig.send(.previous(.key))
    #expect(rig.machine.state.track == 0 && rig.position == 0 && rig.isAudible)
  }

  @Test func `S53: next in a call waits at the beginning of the track`() {
    var rig = Rig(tracks: [60, 60])
    rig.play()
    rig.wait(50)
    rig.begin("c", .call)
    rig.send(.next(.mpris))
    #expect(rig.wait(500).isEmpty)
    #expect(!rig.isAudible && rig.machine.state.track == 1 && rig.position == 0)
    rig.end("c")
    #expect(rig.isAudible)
  }

  @Test func `a seek is clipped, past the end is the next track, and stopped it is nothing`() {
    var rig = Rig(tracks: [60, 60])
    rig.send(.seek(.seconds(5)))
    #expect(rig.position == 0)
    rig.play()
    rig.send(.seek(.seconds(30)))
    #expect(rig.position == 30)
    rig.wait(1)
    #expect(rig.position == 31)
    rig.send(.seek(.seconds(-5)))
    #expect(rig.position == 0)
    rig.send(.seek(.seconds(60)))
    #expect(rig.machine.state.track == 1 && rig.position == 0)
    rig.pause()
    rig.send(.seek(.seconds(10)))
    #expect(rig.position == 10 && rig.intent == .paused(.user))
    rig.send(.seek(.seconds(1e300)))
    #expect(rig.intent == .stopped)
  }

  @Test func `tracks follow each other, and after the last one it stops`() {
    var rig = Rig(tracks: [10, 0, 20])
    rig.play()
    let due = rig.wait(29.5)
    #expect(due.map(\.trigger) == [.timer(.trackEnd), .timer(.trackEnd)])
    #expect(due.map(\.at) == [.seconds(10), .seconds(10)])
    #expect(rig.machine.state.track == 2 && rig.position == 19.5 && rig.isAudible)
    #expect(due.allSatisfy { $0.actions.isEmpty })
    let end = rig.wait(1)
    #expect(end.last?.sentence == "Stopped: the queue has ended")
    #expect(rig.intent == .stopped && rig.position == 0)
    #expect(rig.actions.filter(\.isPeerCall).isEmpty)
  }

  @Test func `a queue that is loaded replaces the old one; playing goes on`() {
    let tracks = [SessionTrack(duration: .seconds(5)), SessionTrack(duration: .seconds(6))]
    var rig = Rig()
    rig.play()
    rig.wait(5)
    let step = rig.send(.load(tracks))
    #expect(step.after.isAudible && rig.position == 0)
    #expect(step.actions == [.go(track: 0, position: .zero)])
    rig.pause()
    rig.send(.load(tracks))
    #expect(rig.intent == .stopped)
    rig.play()
    rig.send(.load([]))
    #expect(rig.intent == .stopped && !rig.isAudible)
  }

  @Test func `a track that fails is skipped, and when none is left it pauses`() {
    var rig = Rig(tracks: [60, 60])
    rig.play()
    rig.send(.trackFailed)
    #expect(rig.machine.state.track == 1 && rig.isAudible)
    let step = rig.send(.trackFailed)
    #expect(step.after.intent == .paused(.error))
    #expect(step.sentence == "Paused: no more tracks could be played")
  }

  @Test func `S2: pause in an interruption is the user's word, and changes the cause`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.lose()
    rig.pause()
    #expect(rig.intent == .paused(.user))
  }

  @Test func `S72: every state has words of its own`() throws {
    var words: Set<String> = []
    func note(_ rig: Rig) {
      let remark = rig.machine.state.remark
      #expect(!remark.sentence.isEmpty && remark.spoken.hasSuffix("."))
      #expect(words.insert(remark.sentence).inserted, "\(remark.sentence)")
      #expect(!remark.spoken.contains { !$0.isASCII })
    }
    note(Rig())
    var rig = Rig(route: .headphones)
    rig.play()
    note(rig)
    for kind in BlockerKind.allCases where kind != .primary && kind != .sleep {
      var copy = rig
      copy.begin("x", kind)
      note(copy)
    }
    for event in [
      SessionEvent.pause(.key), .sleep(true), .begin(id: "p", kind: .primary, source: ""),
      .trackFailed, .route(RouteChange(to: .speakers, reason: .oldDeviceUnavailable)),
    ] {
      var copy = rig
      copy.send(event)
      note(copy)
    }
    rig.begin("c", .call)
    rig.end("c", resume: false)
    note(rig)
    for event in [SessionEvent.silent(true), .lock(true), .background(true)] {
      var ambient = Rig(try SessionConfiguration(category: .ambient))
      ambient.play()
      ambient.send(event)
      note(ambient)
    }
  }

  @Test func `S72: each change that a listener notices is told`() {
    var rig = Rig(route: .headphones, tracks: [60, 60])
    rig.play()
    rig.begin("c", .call)
    rig.end("c")
    rig.begin("d", .duck)
    rig.end("d")
    rig.wait(1)
    rig.pause()
    rig.play()
    rig.lose()
    rig.play()
    rig.send(.stop(.key))
    for step in rig.steps where step.before.display != step.after.display {
      #expect(step.decision?.sentence.isEmpty == false, "\(step.trigger)")
    }
  }

  @Test func `X3: a restart keeps the queue and the place, and is silent`() {
    var rig = Rig(route: .headphones, tracks: [60, 60])
    rig.send(.silent(true))
    rig.play()
    rig.send(.next(.key))
    rig.wait(7)
    rig.begin("c", .call)
    var restarted = SessionMachine(restarting: rig.machine.state)
    #expect(restarted.state.track == 1 && restarted.state.position == .seconds(7))
    #expect(restarted.state.intent == .paused(.user) && restarted.state.blockers.isEmpty)
    #expect(restarted.state.isSilent && restarted.situation.acceptsRemote)
    #expect(!restarted.situation.isAudible && restarted.situation.gain == 0)
    #expect(restarted.advance(to: .seconds(10_000)).isEmpty)
    #expect(restarted.apply(.play(.key)).after.isAudible)
    rig.send(.stop(.key))
    #expect(SessionMachine(restarting: rig.machine.state).state.intent == .stopped)
  }

  @MainActor @Test func `the session tells what AVAudioSession would`() throws {
    let session = AudioSession()
    var told: [AudioSession.Notification] = []
    session.handle(.route(RouteChange(to: .headphones, reason: .newDeviceAvailable)))
    #expect(session.currentRoute == .headphones)
    try session.configure(.musicPlayer)
    #expect(session.category == .playback && session.categoryOptions == [])
    session.onNotification = { if case .decision = $0 {} else { told.append($0) } }
    session.advance(to: .seconds(1))
    try session.request(.load([SessionTrack(duration: .seconds(60))]))
    try session.request(.play(.key))
    #expect(session.isActive)
    session.handle(.begin(id: "c", kind: .call, source: "Jami"))
    session.handle(.end(id: "c", shouldResume: true))
    session.handle(.route(RouteChange(to: .speakers, reason: .oldDeviceUnavailable)))
    #expect(
      told == [
        .interruptionBegan(.blocker(.call, source: "Jami")), .silenceSecondaryAudioHint(true),
        .interruptionEnded(shouldResume: true), .silenceSecondaryAudioHint(false),
        .routeChanged(reason: .oldDeviceUnavailable, previous: .headphones),
      ])
    #expect(session.log.latest(1).first?.sentence == "Paused: headphones were unplugged")
    #expect(throws: SessionError.self) { try session.setCategory(.ambient, options: .duckOthers) }
    try session.deactivate(notifyOthers: false)
    #expect(!session.isActive && session.nextDeadline == nil)
    session.handle(.peer(PeerObservation(id: "a", status: .playing)))
    #expect(session.isOtherAudioPlaying && session.secondaryAudioShouldBeSilencedHint)
    #expect(session.nextDeadline == .seconds(1.2))
  }

  @Test func `the log keeps the latest`() {
    var rig = Rig()
    var log = DecisionLog(capacity: 3)
    #expect(log.latest().isEmpty)
    for _ in 0..<4 {
      log.append(rig.play().decision!)
      log.append(rig.pause().decision!)
    }
    #expect(log.latest().map(\.sentence) == ["Paused", "Playing", "Paused"])
    #expect(log.latest(1).map(\.sentence) == ["Paused"])
    #expect(log.latest(-1).isEmpty)
  }
}
