import AudioSession
import AudioTypes
import Bus
import Foundation
import PlayQueue
import PlayerState
import RemoteControl
import TestSupport
import Testing

/// A player without sound: the session's own rules, a queue, and a clock that the test moves.
@MainActor final class Desk: RemotePlayer {
  var machine: SessionMachine
  var queue: PlayQueue
  var level = 100
  var clock = SessionTime.zero
  var performed: [PlayerCommand] = []
  var sources: [CommandSource] = []
  var opened: [(path: [UInt8], row: Int?, playsIt: Bool)] = []
  var seeks: [Double] = []
  var artURL: String?
  var playlists: [RemotePlaylist] = []
  var wirePlumber: String?
  var whenHeld: [@MainActor () -> Void] = []
  var info: TrackInfo?

  static let length = 200.0

  init(tracks: Int = 3) {
    queue = PlayQueue(
      (0..<tracks).map {
        QueueEntry(
          TrackLocation("/music/song \($0 + 1).flac"), title: "Song \($0 + 1)", artist: "Somebody",
          duration: Self.length)
      })
    machine = SessionMachine(
      route: Route(id: "device", name: "Speakers", routeClass: .speaker),
      tracks: (0..<tracks).map {
        SessionTrack(duration: .seconds(Self.length), title: "Song \($0 + 1)")
      })
    if tracks > 0 { queue.select(0) }
  }

  func send(_ event: SessionEvent) { _ = machine.apply(event) }

  func wait(_ seconds: Double) {
    clock = clock + .seconds(seconds)
    _ = machine.advance(to: clock)
  }

  var now: SessionTime { clock }

  /// How often all of it was asked for.
  var snapshots = 0

  var position: Double { machine.state.position.seconds }

  var snapshot: PlayerSnapshot? {
    snapshots += 1
    var snapshot = PlayerSnapshot(at: clock, situation: machine.situation)
    snapshot.queue = queue
    snapshot.index = queue.current
    snapshot.info = info
    snapshot.position = machine.state.position.seconds
    snapshot.duration = queue.entries.isEmpty ? nil : Self.length
    snapshot.isAdvancing = machine.situation.isAudible
    snapshot.level = level
    return snapshot
  }

  func perform(_ command: PlayerCommand, from source: CommandSource) {
    performed.append(command)
    sources.append(source)
    switch command {
    case .next: if let row = queue.indexAfterSkip { go(row) } else { send(.stop(source)) }
    case .previous:
      if let row = queue.previous(position: machine.state.position.seconds) { go(row) }
    case .choose(let row):
      go(row)
      if machine.situation.intent != .playing { send(.play(source)) }
    case .seek(let seek):
      if case .to(let seconds) = seek { seeks.append(seconds) }
      if let target = target(seek) { send(.seek(.seconds(target))) }
    case .level(.to(let percent)): level = percent
    case .shuffle, .repeating, .remove: _ = queue.perform(command, seed: 7)
    case .play: send(.play(source))
    case .pause: send(.pause(source))
    case .toggle: send(.toggle(source))
    case .stop: send(.stop(source))
    case .force: send(.force(source))
    case .silent(let wish): send(.silent(wish.applied(to: machine.state.isSilent)))
    default: break
    }
  }

  private func target(_ seek: PlayerCommand.Seek) -> Double? {
    switch seek {
    case .by(let seconds): max(0, position + seconds)
    case .to(let seconds): max(0, seconds)
    case .part(let part): Self.length * part
    }
  }

  private func go(_ row: Int) {
    queue.select(row)
    send(.choose(track: row))
  }

  /// What is wrong with all that is opened.
  var openFault: String?

  func open(
    _ path: [UInt8], at row: Int?, playsIt: Bool,
    _ answer: @escaping @MainActor (_ fault: String?) -> Void
  ) {
    opened.append((path, row, playsIt))
    answer(openFault)
  }

  func whenSilent(_ then: @escaping @MainActor () -> Void) { whenHeld.append(then) }

  /// Who asked waits for the test.
  var questions: [@MainActor () -> Void] = []
  var isSlowToKnow = false

  func isWirePlumber(_ sender: String, _ answer: @escaping @MainActor (Bool) -> Void) {
    let isIt = sender == wirePlumber
    if isSlowToKnow { questions.append { answer(isIt) } } else { answer(isIt) }
  }
}

/// A desk that is offered on a bus, and a client that commands it and listens.
@MainActor final class Stage {
  let bus: PrivateBus
  let desk: Desk
  let server: MPRISServer
  let offered: BusConnection
  let client: BusConnection
  private(set) var heard: [BusSignal] = []

  static let name = "org.mpris.MediaPlayer2.sotto"
  static let player = "org.mpris.MediaPlayer2.Player"

  init(tracks: Int = 3, bus: PrivateBus? = nil, isAccepting: Bool = true) async throws {
    let bus =
      if let bus { bus } else { try await PrivateBus.started() }
    self.bus = bus
    desk = Desk(tracks: tracks)
    offered = BusConnection(.address(bus.address))
    client = BusConnection(.address(bus.address))
    server = MPRISServer(offered, player: desk)
    client.watch(BusMatch(path: "/org/mpris/MediaPlayer2")) { [weak self] in
      self?.heard.append($0)
    }
    client.open()
    let isReady = await holds { [client] in client.isReady }
    try #require(isReady)
    offered.open()
    if isAccepting {
      server.accept()
      let isThere = await present(true)
      try #require(isThere)
    }
  }

  /// Whether the name is there, waited for.
  func present(_ wanted: Bool, _ name: String = Stage.name) async -> Bool {
    let watch = BusNameWatch(name, on: client) { _ in }
    if !wanted, (await ask("NameHasOwner", .string(name)))?.bool == false { return true }
    return await holds { (watch.owner != nil) == wanted }
  }

  private func ask(_ member: String, _ argument: BusValue) async -> BusValue? {
    await withCheckedContinuation { done in
      client.ask(member, [argument]) { done.resume(returning: (try? $0.get())?.first) }
    }
  }

  @discardableResult
  func call(
    _ member: String, _ arguments: BusValue..., interface: String = Stage.player
  ) async -> Result<[BusValue], BusError> {
    await withCheckedContinuation { done in
      client.call(
        Self.name, "/org/mpris/MediaPlayer2", interface, member, arguments, timeout: 180
      ) { done.resume(returning: $0) }
    }
  }

  func get(_ name: String, interface: String = Stage.player) async -> BusValue? {
    let result = await call(
      "Get", .string(interface), .string(name), interface: "org.freedesktop.DBus.Properties")
    return (try? result.get())?.first?.plain
  }

  @discardableResult
  func set(_ name: String, _ value: BusValue, interface: String = Stage.player) async
    -> Result<[BusValue], BusError>
  {
    await call(
      "Set", .string(interface), .string(name), .variant(value),
      interface: "org.freedesktop.DBus.Properties")
  }

  /// Everything that was to be told by now has been heard.
  func settle() async {
    server.changed()
    // What the server does at the end of this turn comes before the answer to a later question.
    for _ in 0..<2 { _ = await get("CanControl") }
  }

  /// What was told of a property, oldest first.
  func told(_ name: String) -> [BusValue] {
    heard.compactMap { signal in
      signal.member == "PropertiesChanged" && signal.arguments.count == 3
        ? signal.arguments[1][name] : nil
    }
  }

  func count(_ member: String) -> Int { heard.count { $0.member == member } }

  func forget() { heard = [] }
}
