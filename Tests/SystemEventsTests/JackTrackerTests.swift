import AudioSession
import AudioTypes
import OutputInterface
import SystemEvents
import Testing

/// A card's pictures in, events of the session out: no card, no clock.
@Suite struct JackTrackerTests {
  private let plain = Route(id: "hw:0,0", name: "Intel, Analog", routeClass: .speaker)

  private func tracker(_ jacks: [Jack], device: Int = 0) -> JackTracker {
    JackTracker(
      place: HardwarePlace(card: 0, device: device), device: "Intel, Analog", routeClass: .speaker,
      jacks: jacks)
  }

  private func jacks(_ states: KeyValuePairs<String, Bool>) -> [Jack] {
    states.map { Jack($0.key, isIn: $0.value) }
  }

  @Test func `headphones in are a new device, which is private (S15)`() {
    var tracker = tracker(jacks(["Headphone Jack": false]))
    #expect(tracker.route == plain)
    let change = tracker.take(jacks(["Headphone Jack": true]))
    #expect(change?.reason == .newDeviceAvailable)
    #expect(change?.to?.routeClass == .private)
    #expect(change?.to?.name == "Intel, Analog, Headphone")
    #expect(tracker.route == change?.to)
  }

  @Test func `headphones out are the loss of the device in use, on the same card (S16)`() {
    var tracker = tracker(jacks(["Headphone Jack": true]))
    let worn = tracker.route
    #expect(worn?.routeClass == .private)
    let change = tracker.take(jacks(["Headphone Jack": false]))
    #expect(change == RouteChange(from: worn?.id, to: plain, reason: .oldDeviceUnavailable))
    #expect(tracker.take(jacks(["Headphone Jack": false])) == nil)
  }

  @Test func `wired headphones, a headset and those of a dock are alike (S13)`() {
    for name in ["Headphone Jack", "Headset Jack", "Dock Headphone Jack", "Headphone Mic Jack"] {
      var tracker = tracker(jacks([name: false]))
      #expect(tracker.take(jacks([name: true]))?.to?.routeClass == .private, "\(name)")
      #expect(tracker.take(jacks([name: false]))?.reason == .oldDeviceUnavailable, "\(name)")
    }
  }

  @Test func `microphones, phantom jacks and what is not known change nothing`() {
    let names = [
      "Mic Jack", "Front Mic Jack", "Headset Mic Jack", "Headphone Phantom Jack", "Line Jack",
      "Internal Mic Phantom Jack", "SPDIF In Jack", "Jack", " Jack", "", "Headphone", "?? Jack",
    ]
    for name in names {
      var tracker = tracker(jacks([name: false]))
      #expect(tracker.take(jacks([name: true])) == nil, "\(name)")
      #expect(tracker.take(jacks([name: false])) == nil, "\(name)")
    }
  }

  @Test func `second headphones change nothing, and those that are worn are what counts`() {
    let front = "Front Headphone Jack"
    let rear = "Headphone Jack"
    var tracker = tracker(jacks([rear: true, front: false]))
    #expect(tracker.take(jacks([rear: true, front: true])) == nil)
    #expect(tracker.take(jacks([rear: true, front: false])) == nil)
    #expect(tracker.take(jacks([rear: true, front: true])) == nil)
    let change = tracker.take(jacks([rear: false, front: true]))
    #expect(change?.reason == .oldDeviceUnavailable)
    #expect(change?.to?.name == "Intel, Analog, Front Headphone")
  }

  @Test func `line out is a device outside, and headphones come before it`() {
    var tracker = tracker(jacks(["Line Out Jack": false, "Headphone Jack": false]))
    let change = tracker.take(jacks(["Line Out Jack": true, "Headphone Jack": false]))
    #expect(change?.reason == .newDeviceAvailable)
    #expect(change?.to?.routeClass == .external)
    let worn = tracker.take(jacks(["Line Out Jack": true, "Headphone Jack": true]))
    #expect(worn?.reason == .newDeviceAvailable && worn?.to?.routeClass == .private)
    #expect(tracker.take(jacks(["Line Out Jack": false, "Headphone Jack": true])) == nil)
  }

  @Test func `a screen that is unplugged leaves its device without a place to play`() {
    let name = "HDMI/DP,pcm=3 Jack"
    var screen = tracker(jacks([name: true, "Headphone Jack": false]), device: 3)
    #expect(screen.route?.id == "hw:0,3")
    // The headphones are reached by another device.
    #expect(screen.take(jacks([name: true, "Headphone Jack": true])) == nil)
    let change = screen.take(jacks([name: false, "Headphone Jack": true]))
    #expect(change == RouteChange(from: "hw:0,3", to: nil, reason: .oldDeviceUnavailable))
    let back = screen.take(jacks([name: true, "Headphone Jack": true]))
    #expect(back?.reason == .newDeviceAvailable && back?.to?.id == "hw:0,3")
    var analog = tracker(jacks([name: true]))
    #expect(analog.take(jacks([name: false])) == nil)
  }

  @Test func `a card that is gone is the loss of its device, told once; back, it is a new one`() {
    var tracker = tracker(jacks(["Headphone Jack": true]))
    let worn = tracker.route
    #expect(
      tracker.take(nil) == RouteChange(from: worn?.id, to: nil, reason: .oldDeviceUnavailable))
    #expect(tracker.take(nil) == nil)
    let back = tracker.take(jacks(["Headphone Jack": true]))
    #expect(back == RouteChange(from: nil, to: worn, reason: .newDeviceAvailable))
  }

  @Test func `of several jacks with one name each counts`() {
    var tracker = tracker([
      Jack("Headphone Jack", index: 0, isIn: false), Jack("Headphone Jack", index: 1, isIn: true),
    ])
    #expect(tracker.route?.routeClass == .private)
    let change = tracker.take([
      Jack("Headphone Jack", index: 0, isIn: true), Jack("Headphone Jack", index: 1, isIn: false),
    ])
    #expect(change?.reason == .oldDeviceUnavailable)
    #expect(change?.to?.routeClass == .private)
  }
}

/// What a card tells, as the session takes it.
@Suite struct JackSessionTests {
  private func machine(_ tracker: JackTracker) -> SessionMachine {
    var machine = SessionMachine(
      configuration: .musicPlayer, route: tracker.route, tracks: [SessionTrack(duration: nil)])
    _ = machine.apply(.play(.key))
    return machine
  }

  private func change(_ tracker: inout JackTracker, _ jacks: [Jack]?) throws -> RouteChange {
    let change = tracker.take(jacks)
    return try #require(change)
  }

  private func tracker(isIn: Bool) -> JackTracker {
    JackTracker(
      place: HardwarePlace(card: 0, device: 0), device: "Intel", routeClass: .speaker,
      jacks: [Jack("Headphone Jack", isIn: isIn)])
  }

  @Test
  func `headphones in: goes on; out: silent at once, and in again starts nothing (S15 S16 S17)`()
    throws
  {
    var tracker = tracker(isIn: false)
    var machine = machine(tracker)
    let plugged = try change(&tracker, [Jack("Headphone Jack", isIn: true)])
    #expect(!machine.apply(.route(plugged)).actions.contains { $0.isCork })
    #expect(machine.situation.intent == .playing)
    let pulled = try change(&tracker, [Jack("Headphone Jack", isIn: false)])
    // At once: the first action, without a fade.
    #expect(machine.apply(.route(pulled)).actions.first == .cork(fade: .zero))
    #expect(machine.situation.intent == .paused(.noisy))
    let again = try change(&tracker, [Jack("Headphone Jack", isIn: true)])
    _ = machine.apply(.route(again))
    #expect(machine.situation.intent == .paused(.noisy))
    _ = machine.apply(.play(.key))
    #expect(machine.situation.intent == .playing)
  }

  @Test func `a card pulled pauses; it is offered when it is back, and never started on (S17)`()
    throws
  {
    var tracker = tracker(isIn: true)
    var machine = machine(tracker)
    let pulled = try change(&tracker, nil)
    _ = machine.apply(.route(pulled))
    #expect(machine.situation.intent == .paused(.noisy))
    // There is nothing to play on.
    _ = machine.apply(.play(.key))
    #expect(!machine.situation.isAudible)
    let back = try change(&tracker, [Jack("Headphone Jack", isIn: true)])
    _ = machine.apply(.route(back))
    #expect(!machine.situation.isAudible)
    _ = machine.apply(.play(.key))
    #expect(machine.situation.isAudible)
  }
}

extension Action {
  fileprivate var isCork: Bool {
    if case .cork = self { true } else { false }
  }
}
