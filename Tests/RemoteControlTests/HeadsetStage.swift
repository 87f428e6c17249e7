import AudioSession
import Bus
import PlayerState
import RemoteControl
import TestSupport
import Testing

/// BlueZ as far as players go, as its media.c has it: who is registered where, what it believes of
/// them, and a headset whose buttons it hands on.
@MainActor final class BlueZ {
  /// What the adapters answer to RegisterPlayer.
  enum Manners { case kind, refuses, isWithoutMedia, isSilent, answersNonsense }

  struct Player {
    var sender: String
    var path: String
    var properties: [String: BusValue] = [:]
    /// As `set_position`, `set_status` and `parse_player_metadata` do it, in seconds.
    var position = 0.0
    var since: SessionTime
    var tracks = 0
    var jumps = 0

    var status: String? { properties["PlaybackStatus"]?.text }
    var duration: Double { Double(properties["Metadata"]?["mpris:length"]?.integer ?? 0) / 1e6 }

    func believes(_ now: SessionTime) -> Double {
      status == "Playing" ? position + (now - since).seconds : position
    }

    mutating func take(_ pairs: [BusValue.Pair], _ now: SessionTime) {
      for pair in pairs {
        guard let key = pair.key.text else { continue }
        switch key {
        case "PlaybackStatus" where pair.value.text != status:
          (position, since) = (believes(now), now)
        case "Position":
          (position, since) = (Double(pair.value.integer ?? -1) / 1e6, now)
          jumps += 1
        case "Metadata":
          (position, since) = (0, now)
          tracks += 1
        default: break
        }
        properties[key] = pair.value.plain
      }
    }
  }

  let connection: BusConnection
  var manners = Manners.kind
  /// By adapter.
  private(set) var players: [String: [Player]] = [:]
  private(set) var calls: [(adapter: String, member: String)] = []
  private(set) var told = 0
  private let now: @MainActor () -> SessionTime
  /// Calls that never get an answer.
  private var kept: [BusCall] = []

  init(_ bus: PrivateBus, adapters: [String], now: @escaping @MainActor () -> SessionTime)
    async throws
  {
    self.now = now
    connection = BusConnection(.address(bus.address))
    for adapter in adapters {
      connection.export(BusObject(adapter, [media(adapter)]))
    }
    connection.watch(
      BusMatch(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { [weak self] signal in self?.changed(signal) }
    connection.open()
    let isReady = await holds { [connection] in connection.isReady }
    try #require(isReady)
    // The one before it may be about to leave.
    var answer: BusConnection.NameAnswer?
    let isThere = await holds { [connection] in
      if answer == .taken || answer == nil {
        answer = .failed(.failed("not answered yet"))
        connection.request("org.bluez") { answer = $0 }
      }
      return answer == .owned
    }
    try #require(isThere)
  }

  var uniqueName: String? {
    if case .ready(let name) = connection.state { return name }
    return nil
  }

  /// The one player on an adapter.
  func player(_ adapter: String = HeadsetStage.adapter) -> Player? {
    let found = players[adapter] ?? []
    return found.count == 1 ? found[0] : nil
  }

  /// Some player is registered somewhere.
  var isKnowing: Bool { players.values.contains { !$0.isEmpty } }

  func count(_ member: String, on adapter: String = HeadsetStage.adapter) -> Int {
    calls.count { $0.member == member && $0.adapter == adapter }
  }

  private func media(_ adapter: String) -> BusInterface {
    BusInterface(
      "org.bluez.Media1",
      methods: [
        BusMethod(
          "RegisterPlayer", [BusArgument("player", "o"), BusArgument("properties", "a{sv}")]
        ) { [weak self] call in self?.register(call, adapter) },
        BusMethod("UnregisterPlayer", [BusArgument("player", "o")]) { [weak self] call in
          self?.calls.append((adapter, "UnregisterPlayer"))
          self?.players[adapter]?.removeAll {
            $0.sender == call.sender && $0.path == call.arguments[0].text
          }
          call.answer(.success([]))
        },
      ])
  }

  private func register(_ call: BusCall, _ adapter: String) {
    calls.append((adapter, "RegisterPlayer"))
    switch manners {
    case .refuses:
      return call.answer(.failure(BusError("org.bluez.Error.NotSupported", "\u{1B}[2Jno")))
    case .isWithoutMedia:
      return call.answer(
        .failure(BusError("org.freedesktop.DBus.Error.UnknownMethod", "no such method")))
    case .isSilent: kept.append(call)
    case .answersNonsense: call.answer(.success([.array(of: "y", [.byte(1)]), .double(.nan)]))
    case .kind: break
    }
    let path = call.arguments[0].text ?? ""
    guard players[adapter]?.contains(where: { $0.sender == call.sender && $0.path == path }) != true
    else { return call.answer(.failure(BusError("org.bluez.Error.AlreadyExists", "twice"))) }
    var player = Player(sender: call.sender, path: path, since: now())
    player.take(call.arguments[1].pairs ?? [], now())
    players[adapter, default: []].append(player)
    if manners == .kind { call.answer(.success([])) }
  }

  private func changed(_ signal: BusSignal) {
    guard signal.arguments.count == 3, signal.arguments[0].text == HeadsetStage.interface else {
      return
    }
    for (adapter, found) in players {
      for (index, player) in found.enumerated()
      where player.sender == signal.sender && player.path == signal.path {
        players[adapter]?[index].take(signal.arguments[1].pairs ?? [], now())
        told += 1
      }
    }
  }

  /// A button of a headset: BlueZ calls the player where it says that it can do that. False where it
  /// makes a key of it.
  func press(_ member: String) async -> Bool {
    let flags = ["Play": "CanPlay", "Pause": "CanPause", "Next": "CanGoNext"]
    guard let player = player(), player.properties["CanControl"]?.bool == true else { return false }
    let flag = flags[member] ?? (member == "Previous" ? "CanGoPrevious" : "CanControl")
    guard player.properties[flag]?.bool == true else { return false }
    return await ask(player, member) == .success([])
  }

  /// A setting of a headset's or a car's panel: BlueZ sets the player's property.
  func set(_ name: String, _ value: BusValue) async -> Result<[BusValue], BusError> {
    guard let player = player() else { return .failure(.failed("no player")) }
    return await ask(
      player, "Set", .string(HeadsetStage.interface), .string(name), .variant(value),
      interface: "org.freedesktop.DBus.Properties")
  }

  func ask(
    _ player: Player, _ member: String, _ arguments: BusValue...,
    interface: String = HeadsetStage.interface
  ) async -> Result<[BusValue], BusError> {
    await withCheckedContinuation { done in
      connection.call(player.sender, player.path, interface, member, arguments, timeout: 180) {
        done.resume(returning: $0)
      }
    }
  }
}

/// A desk that BlueZ shows to headsets.
@MainActor final class HeadsetStage {
  let bus: PrivateBus
  let desk: Desk
  let connection: BusConnection
  let headset: AVRCPPlayer
  var bluez: BlueZ

  static let adapter = "/org/bluez/hci0"
  static let interface = "org.mpris.MediaPlayer2.Player"

  init(
    _ scene: MPRISTests.Scene = .playing, adapters: [String] = [adapter], bus: PrivateBus? = nil
  ) async throws {
    let bus =
      if let bus { bus } else { try await PrivateBus.started() }
    self.bus = bus
    let desk = Desk(tracks: scene == .empty ? 0 : 3)
    scene.prepare(desk)
    self.desk = desk
    bluez = try await BlueZ(bus, adapters: adapters) { desk.now }
    connection = BusConnection(.address(bus.address))
    headset = AVRCPPlayer(connection, player: desk)
    connection.open()
    let isReady = await holds { [connection] in connection.isReady }
    try #require(isReady)
  }

  /// What `BusBlueZ` tells.
  func follow(_ adapters: [String] = [adapter]) {
    headset.follow(bluez.uniqueName, adapters: adapters)
  }

  /// In an audio context, and known to BlueZ.
  func begin() async throws {
    follow()
    headset.accept()
    let isKnown = await holds { [bluez] in bluez.player() != nil }
    try #require(isKnown)
    desk.performed = []
    desk.sources = []
  }

  func end() {
    connection.close()
    bluez.connection.close()
  }

  /// Everything that was to be told by now has been heard.
  func settle() async {
    headset.changed()
    for _ in 0..<2 { if let player = bluez.player() { _ = await bluez.ask(player, "Release") } }
  }
}
