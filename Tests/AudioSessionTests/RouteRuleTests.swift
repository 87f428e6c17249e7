import AudioSession
import AudioTypes
import Testing

/// S15 to S17, S20, S21, S64 and the hard cases of routes.
@Suite struct `Rules of routes` {
  @Test func `S15: a device that is connected takes the sound over without a pause`() {
    var rig = Rig()
    rig.play()
    rig.wait(5)
    let step = rig.connect(.headphones)
    #expect(step.after.isAudible && step.after.status == .playing && step.actions.isEmpty)
    #expect(rig.position == 5)
    rig.wait(1)
    #expect(rig.position == 6)
    #expect(rig.machine.state.route == .headphones)
    rig.pause()
    rig.connect(.hdmi)
    #expect(rig.intent == .paused(.user))
  }

  @Test(arguments: [Route.headphones, .hdmi, .speakers, .bluetooth])
  func `S16: the loss of the device that is heard pauses at once, without a fade`(route: Route) {
    var rig = Rig(route: route)
    rig.play()
    rig.wait(3)
    let step = rig.lose(to: Route(id: "other", routeClass: .speaker))
    #expect(step.actions.first == .cork(fade: .zero))
    #expect(step.after.intent == .paused(.noisy) && step.after.status == .paused)
    #expect(rig.position == 3)
    #expect(rig.machine.state.route?.id == "other")
  }

  @Test func `S16: a jack on the same device counts, though the device stays`() {
    var rig = Rig(route: Route(id: "card", routeClass: .private))
    rig.play()
    rig.lose(to: Route(id: "card", routeClass: .speaker), from: "card")
    #expect(rig.intent == .paused(.noisy))
    #expect(rig.machine.state.route?.routeClass == .speaker)
  }

  @Test func `S16: the sentence says what went away`() {
    for (route, words) in [
      (Route.headphones, "headphones were unplugged"),
      (.bluetooth, "the Bluetooth headphones went away"), (.hdmi, "HDMI went away"),
    ] {
      var rig = Rig(route: route)
      rig.play()
      let decision = rig.lose().decision
      #expect(decision?.sentence == "Paused: \(words)")
      #expect(decision?.spoken.hasSuffix("Press play to go on.") == true)
      #expect(decision?.rules.contains(.s16) == true)
    }
  }

  @Test func `S16: the loss of another device is nothing`() {
    var rig = Rig()
    rig.play()
    let before = rig.machine.state
    rig.lose(to: .hdmi, from: "headphones")
    #expect(rig.machine.state == before)
  }

  @Test func `S17: only the user starts it again`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.lose()
    rig.connect(.headphones)
    rig.begin("c", .call)
    rig.end("c", resume: true)
    rig.send(.sleep(true))
    rig.send(.sleep(false))
    rig.send(.serverLost)
    rig.send(.serverBack(.unchanged))
    rig.choose(.speakers)
    rig.choose(.headphones)
    rig.wait(60)
    #expect(!rig.isAudible && rig.intent == .paused(.noisy))
    rig.play()
    #expect(rig.isAudible)
  }

  @Test(arguments: [Route.speakers, .hdmi, .headphones, .bluetooth])
  func `S20, S21: a device that the user chose never pauses`(to: Route) {
    var rig = Rig(route: Route(id: "wired", routeClass: .private))
    rig.play()
    let step = rig.choose(to)
    #expect(step.after.isAudible && step.actions.isEmpty)
    #expect(step.after.intent == .playing)
    rig.pause()
    rig.choose(.speakers)
    #expect(rig.intent == .paused(.user))
  }

  @Test func `S16, S51: unplugged in a call, the music stays silent after it`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.begin("c", .call)
    let step = rig.lose()
    #expect(step.after.display == .paused && step.after.intent == .paused(.noisy))
    rig.connect(.headphones)
    rig.end("c", resume: true)
    #expect(rig.intent == .paused(.noisy) && !rig.isAudible)
  }

  @Test func `S16: unplugged under a prompt, the end of the prompt starts nothing`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.begin("d", .duck)
    rig.lose()
    rig.end("d")
    rig.wait(1)
    #expect(rig.intent == .paused(.noisy) && rig.gain == 0)
  }

  @Test func `with no device left nothing plays, and a new one starts nothing`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.begin("c", .call)
    rig.send(.route(RouteChange(to: nil, reason: .noSuitableRoute)))
    #expect(rig.intent == .paused(.noisy))
    #expect(rig.play().refusal == SessionError(.noRoute))
    rig.end("c", resume: true)
    rig.connect(.speakers)
    #expect(!rig.isAudible && rig.blockers.isEmpty)
    rig.play()
    #expect(rig.isAudible)
  }

  @Test func `a device lost with none in its place is noisy, and play is refused`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.lose(to: nil)
    #expect(rig.intent == .paused(.noisy) && rig.blockers == ["route"])
    let step = rig.play()
    #expect(step.refusal?.code == .noRoute)
    #expect(step.sentence == "Not done: there is no device to play on")
    #expect(rig.intent == .paused(.noisy))
  }

  // MARK: - Bluetooth

  @Test func `S15: a Bluetooth device that changes its profile goes on where it was`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.wait(5)
    let lost = rig.lose(isLinkKept: true)
    #expect(lost.actions.first == .cork(fade: .zero))
    #expect(lost.after.display == .interrupted && lost.after.willResume)
    #expect(rig.blockers == ["bt:00:11"])
    rig.wait(2.4)
    let back = rig.connect(.handsFree)
    #expect(back.after.isAudible && rig.blockers.isEmpty && rig.position == 5)
    #expect(rig.count { $0.isCork } == 1 && rig.count { $0 == .uncork } == 2)
    #expect(rig.wait(10).isEmpty)
  }

  @Test func `S16: one that does not come back within 2.5 s is noisy`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(isLinkKept: true)
    #expect(rig.wait(2.499).isEmpty)
    let due = rig.wait(0.001)
    #expect(due.map(\.trigger) == [.timer(.profileSwitch)])
    #expect(rig.intent == .paused(.noisy) && rig.blockers.isEmpty)
    rig.connect(.handsFree)
    #expect(!rig.isAudible)
  }

  @Test func `S16: a link that breaks meanwhile is noisy at once`() {
    for how in 0..<3 {
      var rig = Rig(route: .bluetooth)
      rig.play()
      rig.lose(isLinkKept: true)
      rig.wait(1)
      switch how {
      case 0: rig.send(.linkLost(address: "00:11"))
      case 1: rig.lose(from: "a2dp", isLinkKept: false)
      default: rig.lose(from: "speakers")
      }
      #expect(rig.intent == .paused(.noisy) && rig.blockers.isEmpty)
      #expect(rig.wait(10).isEmpty)
    }
    var other = Rig(route: .bluetooth)
    other.play()
    other.lose(isLinkKept: true)
    other.send(.linkLost(address: "22:33"))
    #expect(other.display == .interrupted)
  }

  @Test func `S16: without a Bluetooth link there is no grace`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.lose(isLinkKept: true)
    #expect(rig.intent == .paused(.noisy) && rig.blockers.isEmpty)
  }

  @Test func `S2: to choose another device meanwhile is not to play`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(isLinkKept: true)
    rig.choose(.hdmi)
    #expect(rig.intent == .paused(.noisy) && rig.blockers.isEmpty)
    #expect(rig.wait(10).isEmpty)
    #expect(rig.machine.state.route == .hdmi)
  }

  @Test func `S16: play meanwhile waits, and a second loss does not begin the grace anew`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(isLinkKept: true)
    rig.wait(1)
    let step = rig.play()
    #expect(!step.after.isAudible)
    #expect(step.sentence == "Will start after WH-1000, which is reconnecting")
    rig.lose(from: "a2dp", isLinkKept: true)
    #expect(rig.wait(1.5).map(\.trigger) == [.timer(.profileSwitch)])
    #expect(rig.intent == .paused(.noisy))
  }

  @Test func `S15: its other profile in the same event is no interruption at all`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    let step = rig.lose(to: .handsFree, isLinkKept: true)
    #expect(step.after.isAudible && step.actions.isEmpty)
    #expect(rig.machine.state.route == .handsFree)
  }

  @Test func `T10, S53: WirePlumber's pause at the start of a Bluetooth call is no user's pause`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.wait(5)
    rig.send(.pause(.wireplumber))
    #expect(rig.intent == .playing && !rig.isAudible)
    rig.lose(from: "a2dp", isLinkKept: true)
    rig.begin("call", .call)
    rig.connect(.handsFree)
    rig.wait(60)
    rig.lose(to: .speakers, isLinkKept: true)
    rig.end("call", resume: true)
    rig.connect(.bluetooth)
    #expect(rig.isAudible && rig.position == 5)
    #expect(rig.count { $0.isCork } == 1 && rig.count { $0 == .uncork } == 2)
  }

  @Test func `T10: on any other route it is the loss of the device`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.send(.pause(.wireplumber))
    #expect(rig.intent == .paused(.noisy))
    rig.lose(from: "headphones")
    #expect(rig.machine.state.route == .speakers)
  }

  // MARK: - The server

  @Test func `S2: a server that comes back goes on, unless it would be more public`() {
    let cases: [(Route, SessionEvent.ServerRoute, Bool)] = [
      (.headphones, .unchanged, true), (.headphones, .route(.bluetooth), true),
      (.headphones, .route(.speakers), false), (.headphones, .route(.hdmi), false),
      (.speakers, .route(.hdmi), true), (.hdmi, .route(.speakers), true),
      (.speakers, .route(.headphones), true), (.speakers, .none, false),
    ]
    for (route, back, plays) in cases {
      var rig = Rig(route: route)
      rig.play()
      rig.wait(5)
      rig.send(.serverLost)
      #expect(rig.display == .interrupted && rig.machine.situation.willResume)
      rig.wait(5)
      rig.send(.serverBack(back))
      #expect(rig.isAudible == plays, "\(route.id) \(back)")
      #expect(rig.position == 5)
      if !plays { #expect(rig.intent == .paused(.noisy)) }
    }
    var stray = Rig(route: .headphones)
    stray.play()
    stray.send(.serverBack(.route(.speakers)))
    // The loss was not seen; that it is more public than before counts all the same.
    #expect(stray.intent == .paused(.noisy) && stray.machine.state.route == .speakers)
  }

  @Test func `S2: play while the server is gone begins when it is back`() {
    var rig = Rig()
    rig.send(.serverLost)
    let step = rig.play()
    #expect(step.sentence == "Will start after the loss of the sound server")
    rig.send(.serverBack(.unchanged))
    #expect(rig.isAudible)
  }

  @Test func `S64: a network device follows the same rules, in the background too`() {
    let network = Route(id: "raop", name: "Kitchen", routeClass: .network)
    for isInBackground in [false, true] {
      var rig = Rig(route: network)
      rig.play()
      rig.send(.background(isInBackground))
      rig.begin("c", .call)
      rig.end("c", resume: true)
      #expect(rig.isAudible)
      rig.lose()
      #expect(rig.intent == .paused(.noisy))
    }
  }
}
