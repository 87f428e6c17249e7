import AudioSession
import AudioTypes
import OutputInterface
import SystemEvents
import Testing

/// A server in words: what is plugged into it, where our stream is, and what the tracker makes of it.
struct Desk {
  var snapshot = ServerSnapshot(defaultSink: "card")
  var tracker = RouteTracker()
  var stream: UInt32? = 1
  /// What BlueZ says of any device.
  var isLinked: Bool?

  typealias Sink = ServerSnapshot.Sink
  typealias Port = ServerSnapshot.Port
  typealias Finding = RouteTracker.Finding

  static let speaker = Port("speaker", description: "Speakers")
  static func headphones(_ availability: Availability) -> Port {
    Port(
      "headphones", description: "Headphones", availability: availability, routeClass: .private)
  }
  /// A card with a jack on it.
  static func card(_ ports: [Port], active: Int) -> Sink {
    Sink(
      "card", index: 1, card: 0, description: "Built-in Audio",
      routeClass: ports[active].routeClass, ports: ports, activePort: active)
  }
  static let usb = Sink("usb", index: 2, card: 1, description: "USB", routeClass: .private)
  static let hdmi = Sink("hdmi", index: 3, card: 0, routeClass: .external)
  static let music = Sink("bluez.a2dp", index: 4, routeClass: .private).at("00:11")
  static let call = Sink("bluez.hfp", index: 5, routeClass: .private).at("00:11")

  mutating func see() -> [Finding] {
    snapshot.at += 0.01
    return tracker.see(snapshot, stream: stream) { _ in isLinked }
  }

  mutating func see(_ sinks: [Sink], on stream: UInt32?) -> [Finding] {
    snapshot.sinks = sinks
    self.stream = stream
    return see()
  }

  /// The reasons of the changes, with where it goes.
  static func words(_ findings: [Finding]) -> [String] {
    findings.map { finding in
      switch finding {
      case .route(let change):
        "\(change.reason) \(change.to?.id ?? "-")\(change.isLinkKept ? " kept" : "")"
      case .linkLost(let address): "linkLost \(address)"
      case .deviceReturned(let sink): "returned \(sink)"
      }
    }
  }
}

typealias Availability = DevicePort.Availability

extension ServerSnapshot.Sink {
  func at(_ address: String) -> Self {
    var sink = self
    sink.address = address
    return sink
  }
}

@Suite struct RouteTrackerTests {
  private typealias Sink = ServerSnapshot.Sink

  private func words(_ findings: [RouteTracker.Finding]) -> [String] { Desk.words(findings) }

  @Test func `the first place is told once`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    #expect(words(desk.see([card], on: 1)) == ["newDeviceAvailable card/speaker"])
    #expect(desk.see().isEmpty)
    #expect(desk.tracker.route?.routeClass == .speaker)
  }

  @Test func `S15, T6: a plug on the same device is a new device, also where it hides the speaker`()
  {
    for speaker in [Availability.unknown, .no, .yes] {
      var desk = Desk()
      let before = Desk.card([Desk.speaker, Desk.headphones(.no)], active: 0)
      var hidden = Desk.speaker
      hidden.availability = speaker
      let after = Desk.card([hidden, Desk.headphones(.yes)], active: 1)
      _ = desk.see([before], on: 1)
      #expect(words(desk.see([after], on: 1)) == ["newDeviceAvailable card/headphones"])
    }
  }

  @Test func `S16, T6: a plug that is pulled is a loss, though the device stays`() {
    for speaker in [Availability.unknown, .no, .yes] {
      var desk = Desk()
      var free = Desk.speaker
      free.availability = speaker
      _ = desk.see([Desk.card([Desk.speaker, Desk.headphones(.yes)], active: 1)], on: 1)
      let after = Desk.card([free, Desk.headphones(.no)], active: 0)
      #expect(words(desk.see([after], on: 1)) == ["oldDeviceUnavailable card/speaker"])
      #expect(desk.see().isEmpty)
    }
  }

  @Test func `T7: a port that vanished is unplugged, one that is not known is there`() {
    var desk = Desk()
    _ = desk.see([Desk.card([Desk.speaker, Desk.headphones(.unknown)], active: 1)], on: 1)
    let chosen = Desk.card([Desk.speaker, Desk.headphones(.unknown)], active: 0)
    #expect(words(desk.see([chosen], on: 1)) == ["override card/speaker"])
    _ = desk.see([Desk.card([Desk.speaker, Desk.headphones(.unknown)], active: 1)], on: 1)
    let vanished = Desk.card([Desk.speaker], active: 0)
    #expect(words(desk.see([vanished], on: 1)) == ["oldDeviceUnavailable card/speaker"])
  }

  @Test
  func `S16: a port that stays active and is empty now is a loss; empty all along it is none`() {
    var desk = Desk()
    _ = desk.see([Desk.card([Desk.headphones(.yes)], active: 0)], on: 1)
    #expect(
      words(desk.see([Desk.card([Desk.headphones(.no)], active: 0)], on: 1))
        == ["oldDeviceUnavailable card/headphones"])
    #expect(desk.see().isEmpty)
    var other = Desk()
    let empty = Desk.card([Desk.headphones(.no)], active: 0)
    #expect(words(other.see([empty], on: 1)) == ["newDeviceAvailable card/headphones"])
    #expect(other.see().isEmpty)
  }

  @Test func `S15: a device that comes and takes the stream over is new`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card], on: 1)
    #expect(words(desk.see([card, Desk.usb], on: 2)) == ["newDeviceAvailable usb"])
  }

  @Test func `A device that comes and is not used is no news`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card], on: 1)
    #expect(desk.see([card, Desk.usb], on: 1).isEmpty)
    #expect(desk.see([card], on: 1).isEmpty)
  }

  @Test func `S16: a device that is pulled is a loss, wherever the server moves the stream`() {
    let card = Desk.card([Desk.speaker], active: 0)
    for stream in [UInt32(1), nil] {
      var desk = Desk()
      _ = desk.see([card, Desk.usb], on: 2)
      #expect(words(desk.see([card], on: stream)) == ["oldDeviceUnavailable card/speaker"])
      #expect(desk.see([card, Desk.usb], on: stream).isEmpty)
    }
  }

  @Test func `S16: without another device nothing is left, and one that comes is told`() {
    for dummy in [[], [Sink("auto_null", index: 9)]] {
      var desk = Desk()
      _ = desk.see([Desk.usb], on: 2)
      #expect(words(desk.see(dummy, on: dummy.first?.index)) == ["noSuitableRoute -"])
      #expect(desk.see().isEmpty)
      let card = Desk.card([Desk.speaker], active: 0)
      #expect(words(desk.see([card], on: nil)) == ["newDeviceAvailable card/speaker"])
    }
  }

  @Test func `S21: moved while the old device is there, somebody chose`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.usb], on: 2)
    #expect(words(desk.see([card, Desk.usb], on: 1)) == ["override card/speaker"])
    #expect(words(desk.see([card, Desk.usb], on: 2)) == ["override usb"])
  }

  @Test func `T11: on PipeWire a move to more people is believed when it lasts`() {
    var desk = Desk()
    desk.snapshot.kind = .pipeWire
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.usb], on: 2)
    #expect(desk.see([card, Desk.usb], on: 1).isEmpty)
    #expect(desk.tracker.isInDoubt)
    // The old device is gone after all: it was no choice.
    #expect(words(desk.see([card], on: 1)) == ["oldDeviceUnavailable card/speaker"])
    #expect(!desk.tracker.isInDoubt)

    var chosen = Desk()
    chosen.snapshot.kind = .pipeWire
    _ = chosen.see([card, Desk.usb], on: 2)
    #expect(chosen.see([card, Desk.usb], on: 1).isEmpty)
    chosen.snapshot.at += RouteTracker.doubtSeconds
    #expect(words(chosen.see()) == ["override card/speaker"])
    // Corrected by the server itself, it was nothing.
    _ = chosen.see([card, Desk.usb], on: 2)
    #expect(chosen.see([card, Desk.usb], on: 1).isEmpty)
    #expect(chosen.see([card, Desk.usb], on: 2).isEmpty)
    #expect(!chosen.tracker.isInDoubt)
  }

  @Test func `T8: headphones that are a sink of their own by the card's profile`() {
    var desk = Desk()
    let speaker = Sink(
      "ucm.speaker", index: 1, card: 0, ports: [Desk.speaker], activePort: 0)
    let plugged = Sink(
      "ucm.headphones", index: 2, card: 0, routeClass: .private,
      ports: [Desk.headphones(.yes)], activePort: 0)
    _ = desk.see([speaker], on: 1)
    #expect(
      words(desk.see([plugged], on: 2)) == ["newDeviceAvailable ucm.headphones/headphones"])
    #expect(words(desk.see([speaker], on: 1)) == ["oldDeviceUnavailable ucm.speaker/speaker"])
  }

  @Test func `Another profile of the card with the plug still in is no loss`() {
    var desk = Desk()
    var pro = Desk.card([Desk.headphones(.yes)], active: 0)
    _ = desk.see([pro], on: 1)
    (pro.name, pro.index) = ("card.pro", 7)
    #expect(words(desk.see([pro], on: 7)) == ["newDeviceAvailable card.pro/headphones"])
  }

  @Test func `S16: HDMI that is pulled is a loss, also for what nobody else hears`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.hdmi], on: 3)
    #expect(words(desk.see([card], on: 1)) == ["oldDeviceUnavailable card/speaker"])
  }

  // MARK: Bluetooth

  @Test func `T9: the same address as another profile keeps its link`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.music], on: 4)
    #expect(
      words(desk.see([card, Desk.call], on: 5)) == ["oldDeviceUnavailable bluez.hfp kept"])
    #expect(
      words(desk.see([card, Desk.music], on: 4)) == ["oldDeviceUnavailable bluez.a2dp kept"])
  }

  @Test func `T9: a profile switch in two steps is waited for, and the stream is asked back`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    let link = ServerSnapshot.Card("bluez", index: 8, address: "00:11")
    desk.snapshot.cards = [link]
    _ = desk.see([card, Desk.music], on: 4)
    #expect(words(desk.see([card], on: 1)) == ["oldDeviceUnavailable card/speaker kept"])
    #expect(words(desk.see([card, Desk.call], on: 1)) == ["returned bluez.hfp"])
    #expect(desk.see().isEmpty)
    #expect(words(desk.see([card, Desk.call], on: 5)) == ["newDeviceAvailable bluez.hfp"])
  }

  @Test(arguments: [false, true])
  func `T9: where the headset is the only device, its other profile answers the wait, once`(
    isGuarded: Bool
  ) {
    var desk = Desk()
    desk.snapshot.cards = [ServerSnapshot.Card("bluez", index: 8, address: "00:11")]
    #expect(words(desk.see([Desk.music], on: 4)) == ["newDeviceAvailable bluez.a2dp"])
    // A stream that may not be moved is gone with its device; any other is on the server's stand-in.
    let standIn = Sink("auto_null", index: 9)
    let left: UInt32? = isGuarded ? nil : 9
    #expect(words(desk.see([standIn], on: left)) == ["oldDeviceUnavailable - kept"])
    #expect(desk.see().isEmpty)
    if isGuarded {
      #expect(words(desk.see([Desk.call], on: nil)) == ["returned bluez.hfp"])
      #expect(desk.see().isEmpty)
    }
    #expect(words(desk.see([Desk.call], on: 5)) == ["newDeviceAvailable bluez.hfp"])
    // It is waited for no longer: that it goes is one loss, and no end of a wait.
    desk.snapshot.cards = []
    #expect(words(desk.see([standIn], on: left)) == ["noSuitableRoute -"])
  }

  @Test func `S16: the only device's link is gone while it is waited for: what comes next is told`()
  {
    var desk = Desk()
    desk.snapshot.cards = [ServerSnapshot.Card("bluez", index: 8, address: "00:11")]
    _ = desk.see([Desk.music], on: 4)
    #expect(words(desk.see([], on: nil)) == ["oldDeviceUnavailable - kept"])
    desk.snapshot.cards = []
    #expect(words(desk.see()) == ["linkLost 00:11"])
    let card = Desk.card([Desk.speaker], active: 0)
    #expect(words(desk.see([card], on: nil)) == ["newDeviceAvailable card/speaker"])
  }

  @Test func `T9, S16: a link that is gone too ends the wait`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    desk.snapshot.cards = [ServerSnapshot.Card("bluez", index: 8, address: "00:11")]
    _ = desk.see([card, Desk.music], on: 4)
    #expect(words(desk.see([card], on: nil)) == ["oldDeviceUnavailable card/speaker kept"])
    desk.snapshot.cards = []
    #expect(words(desk.see()) == ["linkLost 00:11"])
    #expect(desk.see().isEmpty)
  }

  @Test
  func `S16: a link that is known to be gone is no profile switch, though its card still stands`() {
    let card = Desk.card([Desk.speaker], active: 0)
    for (isLinked, expected) in [
      (true, "oldDeviceUnavailable card/speaker kept"),
      (nil, "oldDeviceUnavailable card/speaker kept"),
      (false, "oldDeviceUnavailable card/speaker"),
    ] as [(Bool?, String)] {
      var desk = Desk()
      desk.snapshot.cards = [ServerSnapshot.Card("bluez", index: 8, address: "00:11")]
      _ = desk.see([card, Desk.music], on: 4)
      desk.isLinked = isLinked
      #expect(words(desk.see([card], on: 1)) == [expected])
      #expect(desk.see().isEmpty)
      // Waited for, it is told to be gone: its card need not go first.
      desk.isLinked = false
      #expect(words(desk.see()) == (isLinked == false ? [] : ["linkLost 00:11"]))
    }
    // Nor does a stream on what is left of it go on as if nothing had been.
    var desk = Desk()
    _ = desk.see([card, Desk.music], on: 4)
    desk.isLinked = false
    #expect(words(desk.see([card, Desk.call], on: 5)) == ["oldDeviceUnavailable bluez.hfp"])
  }

  @Test func `S16: the end of a link pauses before the server tells that the device is gone`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.music], on: 4)
    #expect(desk.tracker.loseLink("22:33").isEmpty)
    #expect(words(desk.tracker.loseLink("00:11")) == ["oldDeviceUnavailable bluez.a2dp"])
    desk.isLinked = false
    #expect(words(desk.see([card], on: 1)) == ["oldDeviceUnavailable card/speaker"])
    // Where it is not heard its end is no loss.
    #expect(desk.tracker.loseLink("00:11").isEmpty)
  }

  @Test func `S16: out of range, card and sink go at once`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.music], on: 4)
    #expect(words(desk.see([card], on: 1)) == ["oldDeviceUnavailable card/speaker"])
  }

  // MARK: The server

  @Test func `A server that restarts is judged by where our stream is afterwards`() {
    let card = Desk.card([Desk.speaker], active: 0)
    for (stream, expected) in [
      (UInt32(2), []), (1, ["oldDeviceUnavailable card/speaker"]),
    ] {
      var desk = Desk()
      _ = desk.see([card, Desk.usb], on: 2)
      desk.snapshot.state = .absent
      #expect(desk.see([], on: nil).isEmpty)
      desk.snapshot.state = .ready
      // Devices come one by one.
      #expect(desk.see([card], on: nil).isEmpty)
      #expect(words(desk.see([card, Desk.usb], on: stream)) == expected)
    }
  }

  @Test func `A server that hangs for a while has changed nothing`() {
    var desk = Desk()
    let card = Desk.card([Desk.speaker], active: 0)
    _ = desk.see([card, Desk.usb], on: 2)
    desk.snapshot.state = .silent
    #expect(desk.see([], on: nil).isEmpty)
    desk.snapshot.state = .ready
    #expect(desk.see([card, Desk.usb], on: 2).isEmpty)
  }
}
