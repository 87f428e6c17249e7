import AudioSession
import AudioTypes
import OutputInterface
import SystemEvents
import Testing

/// A desk with a session at it: pictures of the server in, what is heard out. Time is turned by hand.
private struct Scene {
  var ear = Ear()
  var desk = Desk()
  var machine: SessionMachine
  var time = SessionTime.zero

  init() {
    machine = SessionMachine(
      route: Route(id: "start", routeClass: .speaker),
      tracks: [SessionTrack(duration: nil)])
    desk.snapshot.sinks = [Desk.card([Desk.speaker], active: 0)]
    look()
    _ = machine.apply(.play(.key))
  }

  /// What the shell does with a picture.
  mutating func look() {
    for finding in desk.see() {
      switch finding {
      case .route(let change): _ = machine.apply(.route(change))
      case .linkLost(let address): _ = machine.apply(.linkLost(address: address))
      case .deviceReturned: break
      }
    }
    for event in ear.see(hearsOthers: !machine.situation.isAudible).events {
      _ = machine.apply(event)
    }
  }

  mutating func wait(_ seconds: Double) {
    time = time + .seconds(seconds)
    _ = machine.advance(to: time)
  }

  mutating func show(
    _ playbacks: [ServerSnapshot.Stream], _ captures: [ServerSnapshot.Stream] = [],
    levels: [UInt32: StreamLevel] = [:]
  ) {
    ear.snapshot.playbacks = playbacks
    ear.snapshot.captures = captures
    ear.levels = levels
    look()
  }

  mutating func plug(_ sinks: [ServerSnapshot.Sink], on stream: UInt32?) {
    desk.snapshot.sinks = sinks
    desk.stream = stream
    look()
  }

  var isAudible: Bool { machine.situation.isAudible }
  var display: Display { machine.situation.display }
}

/// What users of other programs reported, played through: none of it may happen here.
@Suite struct ReportTests {
  private typealias Stream = ServerSnapshot.Stream

  private func firefox(_ index: UInt32) -> Stream {
    Stream(index: index, client: 1, pid: 30, application: "Firefox", binary: "firefox")
  }

  @Test func `stasis 77: a browser's tab that is open and silent is nobody's music and no call`() {
    var scene = Scene()
    scene.show([firefox(1)], levels: [1: .silent])
    scene.wait(10)
    #expect(scene.isAudible)
    #expect(!scene.machine.state.isOtherAudioPlaying)
    scene.show([firefox(1)], levels: [1: .sounding])
    scene.wait(10)
    #expect(scene.isAudible)
    #expect(scene.machine.state.isOtherAudioPlaying)
  }

  @Test func `spotifyd 1024: a player that never corks counts by what is heard of it`() {
    var scene = Scene()
    let spotifyd = Stream(
      index: 1, application: "PipeWire ALSA [spotifyd]", binary: "spotifyd", role: "music")
    scene.show([spotifyd], levels: [1: .silent])
    scene.wait(5)
    #expect(scene.isAudible)
    scene.show([spotifyd], levels: [1: .sounding])
    scene.wait(1)
    #expect(scene.machine.situation.intent == .paused(.primary))
  }

  @Test func `teams-for-linux 1000: six streams of one call are one call, until the last is gone`()
  {
    var scene = Scene()
    let mic = Stream(
      index: 9, device: 1, pid: 40, application: "Chromium input", binary: "teams")
    func streams(_ count: UInt32) -> [Stream] {
      (0..<count).map {
        Stream(index: $0, pid: 40, application: "Chromium", binary: "teams")
      }
    }
    scene.ear.processes.known = [40: .init(parent: 1, executable: "teams")]
    scene.show(streams(6), [mic])
    scene.wait(0.4)
    #expect(scene.isAudible)
    scene.wait(0.2)
    #expect(scene.display == .interrupted)
    scene.show(streams(1), [mic])
    scene.wait(60)
    #expect(!scene.isAudible)
    scene.show([], [])
    scene.wait(1)
    #expect(!scene.isAudible)
    scene.wait(1.5)
    #expect(scene.isAudible)
  }

  @Test func `A microphone alone, and a loopback, are no call`() {
    var scene = Scene()
    scene.show(
      [Stream(index: 1, passesOn: true)],
      [
        Stream(index: 2, device: 1, pid: 50, application: "OBS", binary: "obs"),
        Stream(index: 3, device: 1, passesOn: true),
      ])
    scene.wait(10)
    #expect(scene.isAudible)
  }

  @Test
  func `mumble 1069, quodlibet 2361: tagged as a call all day, it is one only with a microphone`() {
    for name in ["Mumble", "TeamSpeak 3"] {
      var scene = Scene()
      let plays = Stream(index: 1, client: 4, application: name, role: "phone")
      scene.show([plays])
      scene.wait(10)
      #expect(scene.isAudible)
      scene.show([plays], [Stream(index: 2, client: 4, device: 1, application: name)])
      scene.wait(1)
      #expect(scene.display == .interrupted)
    }
  }

  @Test func `mumble 1934: left out by the user, it holds nothing any more`() {
    var scene = Scene()
    scene.show([Stream(index: 1, client: 4, application: "Jami", role: "phone")])
    #expect(scene.display == .interrupted)
    _ = scene.machine.apply(.ignore("Jami"))
    #expect(scene.isAudible)
  }

  @Test func `elementary settings-sound 32: to choose another device pauses nothing`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    scene.plug([card, Desk.usb], on: 2)
    #expect(scene.isAudible)
    scene.plug([card, Desk.usb], on: 1)
    #expect(scene.isAudible)
    #expect(scene.machine.state.route?.id == "card/speaker")
  }

  @Test
  func `nuvolaplayer 80, museeks 464, spot 235: unplugged is paused, and plugged in is not play`() {
    var scene = Scene()
    let plugged = Desk.card([Desk.speaker, Desk.headphones(.yes)], active: 1)
    let free = Desk.card([Desk.speaker, Desk.headphones(.no)], active: 0)
    scene.plug([plugged], on: 1)
    #expect(scene.isAudible)
    scene.plug([free], on: 1)
    #expect(scene.machine.situation.intent == .paused(.noisy))
    scene.plug([plugged], on: 1)
    scene.wait(60)
    #expect(!scene.isAudible)
    #expect(scene.machine.state.route?.routeClass == .private)
  }

  @Test func `hutspot 46: the same for Bluetooth, out of range or switched off`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    scene.plug([card, Desk.music], on: 4)
    scene.plug([card], on: 1)
    #expect(scene.machine.situation.intent == .paused(.noisy))
  }

  @Test func `navidrome 4643: a device that is switched off starts nothing that was paused`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    scene.plug([card, Desk.usb], on: 2)
    _ = scene.machine.apply(.pause(.key))
    scene.plug([card], on: 1)
    scene.wait(10)
    #expect(!scene.isAudible)
    #expect(scene.machine.situation.intent.isPaused)
  }

  @Test func `T9, D4.7: a call on a Bluetooth headset is one pause and one return`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    let link = ServerSnapshot.Card("bluez", index: 8, address: "00:11")
    scene.desk.snapshot.cards = [link]
    scene.plug([card, Desk.music], on: 4)
    #expect(scene.isAudible)
    scene.show([Stream(index: 1, application: "Jami", role: "phone")])
    #expect(scene.display == .interrupted)
    scene.plug([card], on: 1)
    scene.wait(0.5)
    scene.plug([card, Desk.call], on: 5)
    scene.wait(60)
    #expect(scene.display == .interrupted)
    scene.plug([card], on: 1)
    scene.wait(0.5)
    scene.show([])
    scene.plug([card, Desk.music], on: 4)
    scene.wait(0.5)
    #expect(scene.isAudible)
    #expect(scene.machine.situation.intent == .playing)
  }

  @Test func `Unplugged in a call, its end starts nothing`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    scene.plug([card, Desk.usb], on: 2)
    scene.show([Stream(index: 1, application: "Jami", role: "phone")])
    scene.plug([card], on: 1)
    scene.show([])
    scene.wait(10)
    #expect(scene.machine.situation.intent == .paused(.noisy))
  }

  @Test func `A server that restarts with the headphones gone does not play on to the room`() {
    var scene = Scene()
    let card = Desk.card([Desk.speaker], active: 0)
    scene.plug([card, Desk.usb], on: 2)
    _ = scene.machine.apply(.serverLost)
    scene.desk.snapshot.state = .absent
    scene.plug([], on: nil)
    scene.desk.snapshot.state = .ready
    scene.plug([card], on: 1)
    _ = scene.machine.apply(.serverBack(.unchanged))
    scene.wait(10)
    #expect(scene.machine.situation.intent == .paused(.noisy))
  }
}
