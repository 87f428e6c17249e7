import AudioSession
import Bus
import Foundation
import TestSupport
import Testing

@testable import SystemEvents

/// Other players: of the test's own, and mpv as a real one.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct BusPeersTests {
  private let bus: PrivateBus
  private let connection: BusConnection

  init() async throws {
    bus = try await PrivateBus.started()
    connection = BusConnection(.address(bus.address))
  }

  /// A player that remembers what it was told.
  @MainActor private final class Player {
    let connection: BusConnection
    var status = "Playing"
    var told: [String] = []
    var obeys = true
    private(set) var object: BusObject?

    init(_ address: String, _ name: String) async throws {
      connection = BusConnection(.address(address))
      func method(_ name: String, _ new: String) -> BusMethod {
        BusMethod(name) { [unowned self] call in
          told.append(name)
          guard obeys else { return }
          set(new)
          call.answer(.success([]))
        }
      }
      let object = BusObject(
        "/org/mpris/MediaPlayer2",
        [
          BusInterface(
            "org.mpris.MediaPlayer2.Player",
            methods: [method("Pause", "Paused"), method("Play", "Playing")],
            properties: [
              BusProperty("PlaybackStatus", "s") { [unowned self] in .string(status) },
              BusProperty("CanPause", "b") { .boolean(true) },
            ])
        ])
      self.object = object
      connection.export(object)
      connection.open()
      let isReady = await holds { [connection] in connection.isReady }
      try #require(isReady)
      let answer = await withCheckedContinuation { done in
        connection.request("org.mpris.MediaPlayer2." + name) { done.resume(returning: $0) }
      }
      try #require(answer == .owned)
    }

    var id: String {
      if case .ready(let name) = connection.state { name } else { "" }
    }

    func set(_ new: String) {
      status = new
      object?.changed("org.mpris.MediaPlayer2.Player", [("PlaybackStatus", .string(new))])
    }
  }

  @Test func `S34: who is there at the start is told, and nobody is touched`() async throws {
    let first = try await Player(bus.address, "first")
    let second = try await Player(bus.address, "second")
    second.status = "Paused"
    var events: [SessionEvent] = []
    var lists = 0
    let peers = BusPeers(connection) { events.append($0) }
    peers.onListed = {
      lists += 1
      #expect(events.count == 2)
    }
    connection.open()
    #expect(await holds { lists == 1 })
    let seen = Dictionary(
      uniqueKeysWithValues: events.compactMap { event -> (String, PeerObservation)? in
        if case .peer(let peer) = event { (peer.id, peer) } else { nil }
      })
    #expect(seen[first.id]?.status == .playing && seen[first.id]?.canPause == true)
    #expect(seen[first.id]?.name == "org.mpris.MediaPlayer2.first")
    // The word of the program, as the sound server has it.
    let own = ProgramWord.word(ofProcess: Int(getpid()), in: MachineProcesses())
    #expect(seen[first.id]?.client == own && own?.hasPrefix("pid:") == true)
    #expect(seen[second.id]?.status == .paused)
    #expect(first.told.isEmpty && second.told.isEmpty)
  }

  @Test func `S55, S57: changes are told once; pause and play reach the player that is meant`()
    async throws
  {
    var events: [SessionEvent] = []
    let peers = BusPeers(connection) { events.append($0) }
    connection.open()
    try #require(await holds { connection.isReady })
    let player = try await Player(bus.address, "late")
    func statuses() -> [PlaybackStatus] {
      events.compactMap { event -> PlaybackStatus? in
        if case .peer(let peer) = event, peer.id == player.id { peer.status } else { nil }
      }
    }
    #expect(await holds { statuses().contains(.playing) })
    #expect(peers.carryOut(.pausePeer(id: player.id)))
    #expect(await holds { statuses().last == .paused })
    player.set("Paused")
    player.set("Stopped")
    #expect(await holds { statuses().last == .stopped })
    #expect(peers.carryOut(.playPeer(id: player.id)))
    #expect(await holds { statuses().last == .playing })
    #expect(player.told == ["Pause", "Play"])
    let told = statuses()
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    // One that does not answer is left as it is, and nothing waits for it.
    player.obeys = false
    #expect(peers.carryOut(.pausePeer(id: player.id)))
    #expect(await holds { player.told.count == 3 })
    // Who is not there cannot be told, and simulated neighbours are others' business.
    #expect(!peers.carryOut(.pausePeer(id: "neighbour:music")))
    let id = player.id
    player.connection.close()
    #expect(await holds { events.last == .peerGone(id: id) })
    #expect(!peers.carryOut(.pausePeer(id: id)))
  }

  @Test func `S34: our own name and stand-ins for other players are no players`() async throws {
    var events: [SessionEvent] = []
    let peers = BusPeers(connection) { events.append($0) }
    connection.open()
    try #require(await holds { connection.isReady })
    connection.request("org.mpris.MediaPlayer2.sotto") { _ in }
    let standIn = try await Player(bus.address, "playerctld")
    let real = try await Player(bus.address, "real")
    #expect(await holds { events.contains { Self.is($0, real.id) } })
    #expect(await holds { events.contains { Self.is($0, standIn.id) } })
    // The session's classifier leaves the stand-in out.
    var machine = SessionMachine(route: nil)
    for event in events { _ = machine.apply(event) }
    #expect(machine.state.isOtherAudioPlaying)
    real.set("Paused")
    #expect(
      await holds {
        events.contains {
          if case .peer(let peer) = $0 {
            peer.id == real.id && peer.status == .paused
          } else {
            false
          }
        }
      })
    for event in events { _ = machine.apply(event) }
    #expect(!machine.state.isOtherAudioPlaying)
    withExtendedLifetime(peers) {}
  }

  private static func `is`(_ event: SessionEvent, _ id: String) -> Bool {
    if case .peer(let peer) = event { peer.id == id } else { false }
  }

  @Test func `A bus that is gone takes its players along; the next one's are listed anew`()
    async throws
  {
    var events: [SessionEvent] = []
    var lists = 0
    let peers = BusPeers(connection) { events.append($0) }
    peers.onListed = { lists += 1 }
    let player = try await Player(bus.address, "one")
    let id = player.id
    connection.open()
    #expect(await holds { lists == 1 })
    bus.stop()
    #expect(await holds { events.last == .peerGone(id: id) })
    try bus.start()
    #expect(await holds { lists == 2 })
  }

  @Test func `Hostile: a player whose properties are of other types, huge or missing`()
    async throws
  {
    let odd = BusConnection(.address(bus.address))
    odd.export(
      BusObject(
        "/org/mpris/MediaPlayer2",
        [
          BusInterface(
            "org.mpris.MediaPlayer2.Player",
            properties: [
              BusProperty("PlaybackStatus", "u") { .uint32(7) },
              BusProperty("CanPause", "s") { .string(String(repeating: "x", count: 60_000)) },
            ])
        ]))
    odd.open()
    try #require(await holds { odd.isReady })
    odd.request("org.mpris.MediaPlayer2.odd") { _ in }
    var events: [SessionEvent] = []
    var lists = 0
    let peers = BusPeers(connection) { events.append($0) }
    peers.onListed = { lists += 1 }
    connection.open()
    #expect(await holds { lists == 1 })
    for _ in 0..<500 {
      odd.emit(
        "/org/mpris/MediaPlayer2", "org.freedesktop.DBus.Properties", "PropertiesChanged",
        [.string("org.mpris.MediaPlayer2.Player"), .int32(5), .strings(["PlaybackStatus"])])
    }
    let real = try await Player(bus.address, "real")
    #expect(await holds { events.contains { Self.is($0, real.id) } })
    #expect(events.allSatisfy { Self.is($0, real.id) })
    withExtendedLifetime(peers) {}
  }

  @Test func `S57: mpv pauses and goes on when it is told to`() async throws {
    var events: [SessionEvent] = []
    let peers = BusPeers(connection) { events.append($0) }
    connection.open()
    try #require(await holds { connection.isReady })
    let wave = SignalFile.wave(
      [UInt8](repeating: 0, count: 4 * 8000 * 600),
      format: SignalFile.waveFormat(.signed16, channels: 2, rate: 8000))
    let folder = try TestFolder()
    let path = try folder.write(wave, "silence.wav")
    let process = try bus.launch(
      "mpv",
      [
        "--no-config", "--no-video", "--no-terminal", "--ao=null",
        "--script=/usr/lib/mpv-mpris/mpris.so", path,
      ])
    func last() -> PeerObservation? {
      events.compactMap { if case .peer(let peer) = $0 { peer } else { nil } }.last
    }
    #expect(await holds { last()?.status == .playing })
    let id = try #require(last()?.id)
    #expect(last()?.client == "pid:\(process)")
    #expect(peers.carryOut(.pausePeer(id: id)))
    #expect(await holds { last()?.status == .paused })
    #expect(peers.carryOut(.playPeer(id: id)))
    #expect(await holds { last()?.status == .playing })
    // With its process all is gone that it did.
    bus.end(process)
    #expect(await holds { events.contains(.peerGone(id: id)) })
    #expect(events.last == .clientGone("pid:\(process)"))
  }
}
