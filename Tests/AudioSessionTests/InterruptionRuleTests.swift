import AudioSession
import AudioTypes
import Testing

/// S46 to S62 and S79, S80: interruptions, suffered and caused; the hard cases.
@Suite struct `Rules of interruptions` {
  @Test func `S46: ten thousand interruptions in a second leave nothing behind`() {
    var rig = Rig()
    rig.play()
    var random = UInt64(7)
    func next(_ bound: UInt64) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((random >> 33) % bound)
    }
    let kinds: [BlockerKind] = [.call, .solo, .duck, .serverCork]
    for _ in 0..<10_000 {
      let id = "i\(next(50))"
      if next(2) == 0 { rig.begin(id, kinds[next(4)]) } else { rig.end(id, resume: true) }
      rig.wait(0.0001)
    }
    for index in 0..<50 { rig.end("i\(index)", resume: true) }
    rig.wait(1)
    #expect(rig.blockers.isEmpty)
    #expect(rig.intent == .playing && rig.isAudible && rig.gain == 0)
    #expect(rig.count { $0.isCork } == rig.count { $0 == .uncork } - 1)
  }

  @Test func `S48, S51, S53: a call in mid-song is silence, then the song from the same place`() {
    for wasPlaying in [true, false] {
      var rig = Rig()
      rig.play()
      rig.wait(59)
      if !wasPlaying { rig.pause() }
      rig.wait(1)
      rig.begin("c", .call)
      rig.wait(90)
      rig.end("c", resume: true)
      #expect(rig.isAudible == wasPlaying)
      #expect(rig.position == (wasPlaying ? 60 : 59))
      #expect(rig.intent == (wasPlaying ? .playing : .paused(.user)))
    }
  }

  @Test func `S49, S52, S62: a program without controls plays on after whatever it was`() throws {
    for kind in BlockerKind.allCases where ![.duck, .sleep].contains(kind) {
      var rig = Rig(try SessionConfiguration(category: .playback, hasTransportControls: false))
      rig.play()
      rig.begin("x", kind)
      #expect(!rig.isAudible, "\(kind)")
      rig.end("x", resume: false)
      #expect(rig.isAudible, "\(kind)")
    }
  }

  @Test func `S50, S54: music steps under a prompt by 14 dB and comes back`() {
    var rig = Rig()
    rig.play()
    let down = rig.begin("d", .duck, source: "Orca")
    #expect(down.after.display == .ducked && down.after.status == .playing)
    #expect(down.actions == [.setGain(decibels: -14, ramp: .milliseconds(100))])
    #expect(down.sentence == "Quieter for a prompt of Orca")
    rig.wait(2)
    #expect(rig.position == 2)
    #expect(rig.end("d").actions.isEmpty)
    #expect(rig.wait(0.299).isEmpty && rig.gain == -14 && rig.display == .ducked)
    let up = rig.wait(0.001)
    #expect(up.map(\.trigger) == [.timer(.duckHold)])
    #expect(up[0].actions == [.setGain(decibels: 0, ramp: .milliseconds(500))])
    #expect(up[0].sentence == "Back to full level")
    #expect(rig.gain == 0 && rig.display == .playing)
  }

  @Test func `S54: spoken content waits for a prompt instead, and for the pause after it`() throws {
    var rig = Rig(try SessionConfiguration(category: .playback, content: .spoken))
    rig.play()
    rig.begin("d", .duck)
    #expect(rig.display == .interrupted && rig.gain == 0)
    rig.end("d")
    #expect(rig.display == .interrupted && rig.machine.situation.willResume)
    #expect(rig.wait(0.3).map(\.trigger) == [.timer(.soloHold)])
    #expect(rig.isAudible)
    rig.begin("d", .duck)
    rig.end("d")
    rig.play()
    #expect(rig.isAudible)
    rig.begin("e", .duck)
    rig.end("e")
    rig.wait(0.1)
    rig.begin("f", .duck)
    #expect(rig.wait(1).isEmpty && !rig.isAudible)
    rig.end("f", resume: false)
    #expect(rig.intent == .paused(.denied))
  }

  @Test func `S54: a row of prompts is one step down and one step up`() {
    var rig = Rig()
    rig.play()
    for index in 0..<5 {
      rig.begin("n\(index)", .duck)
      rig.wait(0.1)
      rig.end("n\(index)")
      rig.wait(0.2)
    }
    rig.wait(1)
    let gains = rig.actions.compactMap { action -> Double? in
      if case .setGain(let decibels, _) = action { decibels } else { nil }
    }
    #expect(gains == [-14, 0])
  }

  @Test func `S55, S56, S79: another player takes over, and its end changes nothing`() {
    for ending in [PlaybackStatus.stopped, .paused, nil] {
      var rig = Rig()
      rig.play()
      rig.wait(5)
      rig.send(.peer(PeerObservation(id: ":1.2", name: "vlc", status: .playing)))
      rig.wait(0.2)
      #expect(rig.intent == .paused(.primary) && rig.status == .paused)
      #expect(rig.steps.last?.sentence == "Paused: vlc started to play")
      rig.send(
        ending.map { .peer(PeerObservation(id: ":1.2", status: $0)) } ?? .peerGone(id: ":1.2"))
      rig.wait(60)
      #expect(rig.intent == .paused(.primary) && rig.blockers.isEmpty)
      rig.play()
      #expect(rig.isAudible)
    }
  }

  @Test func `S56: play pauses the other player, once`() {
    var rig = Rig()
    rig.play()
    rig.send(.peer(PeerObservation(id: ":1.2", name: "vlc", status: .playing)))
    rig.wait(1)
    #expect(rig.play().actions.contains(.pausePeer(id: ":1.2")))
    #expect(rig.isAudible)
    rig.play()
    rig.pause()
    rig.play()
    #expect(rig.count { $0.isPeerCall } == 1)
  }

  @Test func `S55: a new start of the same player takes over again`() {
    var rig = Rig()
    rig.send(.peer(PeerObservation(id: ":1.2", name: "vlc", status: .playing)))
    rig.wait(1)
    rig.play()
    rig.send(.peer(PeerObservation(id: ":1.2", name: "vlc", status: .paused)))
    rig.wait(5)
    rig.send(.peer(PeerObservation(id: ":1.2", name: "vlc", status: .playing)))
    rig.wait(0.2)
    #expect(rig.intent == .paused(.primary))
  }

  @Test func `S57, S59: exactly those are told to play that we paused and that have not moved`() {
    var rig = Rig()
    func see(_ id: String, _ status: PlaybackStatus, canPause: Bool = true) {
      rig.send(.peer(PeerObservation(id: id, name: id, status: status, canPause: canPause)))
    }
    for id in ["a", "b", "d", "e", "f"] { see(id, .playing) }
    see("c", .paused)
    see("g", .playing, canPause: false)
    rig.play()
    let paused = rig.actions.filter(\.isPeerCall)
    #expect(paused == ["a", "b", "d", "e", "f"].map { .pausePeer(id: $0) })
    for id in ["a", "b", "d", "f"] { see(id, .paused) }
    see("b", .stopped)
    see("d", .playing)
    see("d", .paused)
    rig.send(.peerGone(id: "f"))
    see("f", .paused)
    // e never answered: it still plays.
    let step = rig.send(.deactivate(notifyOthers: true))
    #expect(step.actions.filter(\.isPeerCall) == [.playPeer(id: "a")])
    #expect(step.rules.contains(.s57) && !step.rules.contains(.s58))
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.filter(\.isPeerCall).isEmpty)
  }

  @Test func `S58, S59: no other way makes anyone play`() {
    for way in 0..<4 {
      var rig = Rig(tracks: [10])
      rig.send(.peer(PeerObservation(id: "a", status: .playing)))
      rig.play()
      rig.send(.peer(PeerObservation(id: "a", status: .paused)))
      switch way {
      case 0: rig.send(.stop(.key))
      case 1: rig.send(.deactivate(notifyOthers: false))
      case 2: rig.wait(20)
      default: rig.send(.load([]))
      }
      #expect(rig.intent == .stopped)
      rig.send(.deactivate(notifyOthers: true))
      #expect(!rig.actions.contains(.playPeer(id: "a")), "\(way)")
    }
  }

  @Test func `S57: a call is never told anything`() {
    var rig = Rig()
    rig.send(.peer(PeerObservation(id: ":1.5", name: "firefox", status: .playing, client: "ff")))
    rig.send(.stream(StreamObservation(id: "1", client: "ff", role: "phone")))
    rig.play()
    rig.send(.force(.key))
    #expect(rig.isAudible)
    #expect(rig.actions.filter(\.isPeerCall).isEmpty)
  }

  @Test func `S60, S61: the hint counts only for who was playing`() {
    var rig = Rig()
    rig.begin("c", .call)
    rig.end("c", resume: false)
    #expect(rig.intent == .stopped)
    rig.play()
    rig.begin("c", .call)
    rig.end("c", resume: false)
    #expect(rig.intent == .paused(.denied))
    #expect(rig.steps.last?.sentence == "Paused: the interruption ended without leave to go on")
  }

  @Test func `S60: kinds whose end carries no hint take none`() {
    for kind in [BlockerKind.duck, .routePending, .serverLost] {
      var rig = Rig()
      rig.play()
      rig.begin("x", kind)
      rig.end("x", resume: false)
      rig.wait(1)
      #expect(rig.isAudible, "\(kind)")
    }
  }

  @Test func `S80: played over an interruption, its end starts nothing a second time`() {
    var rig = Rig()
    rig.play()
    rig.begin("s", .solo)
    rig.play()
    #expect(rig.isAudible)
    rig.end("s", resume: false)
    #expect(rig.isAudible)
    #expect(rig.count { $0 == .uncork } == 2)
  }

  @Test func `the user plays over everything but a call, and a new interruption holds again`() {
    for kind in [BlockerKind.solo, .primary, .serverCork, .stopped] {
      var rig = Rig()
      rig.play()
      rig.begin("x", kind)
      #expect(!rig.isAudible)
      let step = rig.play()
      #expect(step.after.isAudible, "\(kind)")
      #expect(step.actions.contains(.unmuteStream) == (kind == .serverCork))
      rig.begin("y", kind)
      #expect(!rig.isAudible, "\(kind)")
    }
    for kind in [BlockerKind.call, .routePending, .serverLost, .sleep] {
      var rig = Rig()
      rig.play()
      rig.begin("x", kind)
      #expect(!rig.play().after.isAudible, "\(kind)")
      rig.end("x", resume: false)
      #expect(rig.isAudible, "\(kind)")
    }
  }

  @Test func `T4: our own stream is unmuted once, and only for the user`() {
    var rig = Rig()
    rig.play()
    rig.begin("cork:9", .serverCork)
    #expect(!rig.actions.contains(.unmuteStream))
    rig.play()
    rig.play()
    #expect(rig.count { $0 == .unmuteStream } == 1)
    rig.begin("cork:10", .serverCork)
    rig.send(.streamDestroyed(id: "10"))
    #expect(rig.isAudible && rig.blockers == ["cork:9"])
  }

  @Test func `a late start after a call pauses other players then, and not before`() {
    var rig = Rig()
    rig.send(.peer(PeerObservation(id: "a", status: .playing)))
    rig.begin("c", .call)
    let step = rig.play()
    #expect(step.sentence == "Will start after a call")
    #expect(step.actions.filter(\.isPeerCall).isEmpty)
    rig.wait(1)
    #expect(rig.end("c").actions.contains(.pausePeer(id: "a")))
    #expect(rig.isAudible)
  }

  @Test func `S34: music that comes back after an interruption pauses nobody`() throws {
    var rig = Rig(try SessionConfiguration(category: .playback, hasTransportControls: false))
    rig.play()
    rig.begin("c", .call)
    rig.send(.peer(PeerObservation(id: "a", status: .playing)))
    rig.wait(1)
    rig.end("c")
    rig.send(.peer(PeerObservation(id: "a", status: .stopped)))
    #expect(rig.isAudible && rig.actions.filter(\.isPeerCall).isEmpty)
  }

  @Test func `nested, a call and a prompt end in any order`() {
    var rig = Rig()
    rig.play()
    rig.begin("d", .duck)
    rig.begin("c", .call)
    #expect(rig.display == .interrupted && rig.gain == -14)
    rig.end("c", resume: true)
    #expect(rig.display == .ducked)
    rig.begin("c", .call)
    rig.end("d")
    rig.wait(1)
    #expect(rig.display == .interrupted && rig.gain == 0)
    rig.end("c", resume: true)
    #expect(rig.display == .playing)
    rig.begin("c1", .call)
    rig.begin("c2", .call)
    rig.end("c1")
    #expect(!rig.isAudible)
    rig.end("c2")
    #expect(rig.isAudible)
  }

  @Test func `a prompt that began in a call is there when the music comes back`() {
    var rig = Rig()
    rig.play()
    rig.begin("c", .call)
    rig.begin("d", .duck)
    let step = rig.end("c")
    #expect(step.after.display == .ducked && step.after.gain == -14)
    #expect(step.sentence == "Playing quietly under a prompt")
  }

  @Test func `an end without a beginning, and a second beginning, are nothing`() {
    var rig = Rig()
    rig.play()
    let before = rig.machine.state
    rig.end("ghost", resume: false)
    #expect(rig.machine.state == before)
    rig.begin("c", .call)
    let held = rig.machine.state
    rig.begin("c", .duck)
    #expect(rig.machine.state == held)
  }

  @Test func `a kind that is not known is told and does nothing`() {
    var rig = Rig()
    rig.play()
    let step = rig.send(.begin(id: "x", kind: nil, source: "y"))
    #expect(step.after.isAudible && rig.blockers.isEmpty)
    #expect(step.decision?.sentence == "An interruption of an unknown kind: nothing changes")
  }

  @Test func `another player in a call takes over for good`() {
    var rig = Rig()
    rig.play()
    rig.begin("c", .call)
    rig.begin("p", .primary)
    rig.end("c", resume: true)
    #expect(rig.intent == .paused(.primary) && !rig.isAudible)
  }

  @Test func `sleep pauses, and waking starts nothing`() {
    var rig = Rig()
    rig.play()
    let step = rig.send(.sleep(true))
    #expect(step.after.intent == .paused(.sleep) && step.actions.first?.isCork == true)
    rig.send(.sleep(false))
    rig.wait(60)
    #expect(!rig.isAudible && rig.blockers.isEmpty)
    rig.play()
    #expect(rig.isAudible)
  }

  @Test func `stopped from the terminal, it goes on unless the device is another then`() {
    for (route, plays) in [(Route.headphones, true), (.speakers, false)] {
      var rig = Rig(route: .headphones)
      rig.play()
      rig.send(.suspended(true))
      #expect(rig.display == .interrupted && rig.machine.situation.willResume)
      if route != .headphones { rig.choose(route) }
      rig.send(.suspended(false))
      #expect(rig.isAudible == plays)
    }
    var rig = Rig(route: .headphones)
    rig.play()
    rig.send(.suspended(true))
    rig.lose()
    rig.send(.suspended(false))
    #expect(rig.intent == .paused(.noisy))
  }

  @Test func `a program that is gone takes everything with it`() {
    var rig = Rig()
    rig.play()
    rig.send(.stream(StreamObservation(id: "1", client: "zoom", role: "phone")))
    rig.send(
      .stream(
        StreamObservation(id: "2", client: "zoom", role: "phone", direction: .capture)))
    rig.send(.peer(PeerObservation(id: ":1.8", name: "zoom", status: .playing, client: "zoom")))
    #expect(rig.blockers == ["sinkinput:1", "source:2"])
    rig.send(.clientGone("zoom"))
    #expect(rig.isAudible && rig.blockers.isEmpty && rig.wait(10).isEmpty)
    #expect(!rig.machine.state.isOtherAudioPlaying)
  }

  @Test func `how the music is faded depends on what holds it`() {
    func fade(_ body: (inout Rig) -> Transition) -> SessionTime? {
      var rig = Rig(route: .headphones)
      rig.play()
      let action = body(&rig).actions.first { $0.isCork }
      if case .cork(let fade) = action { return fade }
      return nil
    }
    #expect(fade { $0.lose() } == .zero)
    #expect(fade { $0.begin("c", .call) } == .milliseconds(100))
    #expect(fade { $0.begin("p", .primary) } == .milliseconds(300))
    #expect(fade { $0.pause() } == .milliseconds(10))
    #expect(fade { $0.send(.stop(.key)) } == .milliseconds(10))
    #expect(fade { $0.send(.serverLost) } == .zero)
  }
}
