import AudioSession
import AudioTypes
import Bus
import Foundation
import FoundationXML
import PlayQueue
import PlayerState
import TestSupport
import Testing

@testable import RemoteControl

/// MPRIS over a real bus, against the session's own rules (S63 to S71).
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct MPRISTests {
  /// A state to begin with.
  enum Scene: String, CaseIterable, Sendable {
    case stopped, playing, ducked, inCall, pausedByUser, pausedByDevice, pausedByPlayer
    case pausedBySleep, empty

    @MainActor func stage() async throws -> Stage {
      let stage = try await Stage(tracks: self == .empty ? 0 : 3)
      prepare(stage.desk)
      return await begun(stage)
    }

    @MainActor func prepare(_ desk: Desk) {
      desk.perform(.next, from: .key)
      desk.send(.stop(.key))
      if self == .stopped || self == .empty { return }
      desk.send(.play(.key))
      desk.wait(10)
      switch self {
      case .ducked: desk.send(.begin(id: "d", kind: .duck, source: "prompt"))
      case .inCall: desk.send(.begin(id: "c", kind: .call, source: "Phone"))
      case .pausedByUser: desk.send(.pause(.key))
      case .pausedByDevice:
        desk.send(.route(RouteChange(to: desk.machine.state.route, reason: .oldDeviceUnavailable)))
      case .pausedByPlayer: desk.send(.begin(id: "p", kind: .primary, source: "mpv"))
      case .pausedBySleep:
        desk.send(.sleep(true))
        desk.send(.sleep(false))
      default: break
      }
    }

    @MainActor private func begun(_ stage: Stage) async -> Stage {
      await stage.settle()
      stage.forget()
      stage.desk.performed = []
      return stage
    }

    var status: String {
      switch self {
      case .stopped, .empty: "Stopped"
      case .playing, .ducked: "Playing"
      default: "Paused"
      }
    }
  }

  enum Command: String, CaseIterable, Sendable {
    case play = "Play"
    case pause = "Pause"
    case playPause = "PlayPause"
    case stop = "Stop"
    case next = "Next"
    case previous = "Previous"
  }

  /// Status and track (from 0) after it; nil where it stays as it was.
  static func expected(_ command: Command, _ scene: Scene) -> (status: String, track: Int) {
    if scene == .empty { return ("Stopped", 0) }
    // A call is not played over; play is remembered. The other player is played over.
    let started = scene == .inCall ? "Paused" : "Playing"
    return switch command {
    case .play: (started, 1)
    case .pause: (scene.status == "Stopped" ? "Stopped" : "Paused", 1)
    case .playPause: (scene.status == "Playing" ? "Paused" : started, 1)
    case .stop: ("Stopped", 1)
    case .next: (scene.status, 2)
    // Ten seconds in, it begins again; not begun yet, it is the one before.
    case .previous: (scene.status, scene == .stopped ? 0 : 1)
    }
  }

  @Test(arguments: Command.allCases, Scene.allCases)
  func `S70: each command means what it says in each state, and is told once`(
    command: Command, scene: Scene
  ) async throws {
    let stage = try await scene.stage()
    let before = stage.desk.machine.situation
    #expect(await stage.get("PlaybackStatus") == .string(scene.status))
    #expect(await stage.call(command.rawValue) == .success([]))
    await stage.settle()
    let wanted = Self.expected(command, scene)
    #expect(await stage.get("PlaybackStatus") == .string(wanted.status))
    #expect(stage.desk.machine.situation.isAudible == (wanted.status == "Playing"))
    #expect(stage.desk.queue.current == (scene == .empty ? nil : wanted.track))
    #expect(
      stage.told("PlaybackStatus")
        == (wanted.status == scene.status ? [] : [.string(wanted.status)])
    )
    #expect(stage.told("Metadata").count == (scene == .empty || wanted.track == 1 ? 0 : 1))
    // Again: pause stays paused, play stays playing, stop stays stopped.
    if [.play, .pause, .stop].contains(command) {
      stage.forget()
      let after = stage.desk.machine.situation
      await stage.call(command.rawValue)
      await stage.settle()
      #expect(stage.desk.machine.situation == after)
      #expect(stage.heard.isEmpty)
    }
    if scene == .inCall, command == .play || command == .next || command == .previous {
      // What was asked for comes after the call.
      #expect(before.willResume && stage.desk.machine.situation.willResume)
      stage.desk.send(.end(id: "c", shouldResume: nil))
      #expect(await stage.get("PlaybackStatus") == .string("Playing"))
    }
    if scene == .inCall, command == .pause || command == .stop || command == .playPause {
      stage.desk.send(.end(id: "c", shouldResume: nil))
      let comes = command == .playPause
      #expect(await stage.get("PlaybackStatus") != .string("Playing") || comes)
    }
  }

  enum Property: String, CaseIterable, Sendable {
    case status = "PlaybackStatus"
    case loop = "LoopStatus"
    case rate = "Rate"
    case shuffle = "Shuffle"
    case metadata = "Metadata"
    case volume = "Volume"
    case position = "Position"
    case slowest = "MinimumRate"
    case fastest = "MaximumRate"
    case canGoNext = "CanGoNext"
    case canGoPrevious = "CanGoPrevious"
    case canPlay = "CanPlay"
    case canPause = "CanPause"
    case canSeek = "CanSeek"
    case canControl = "CanControl"
  }

  private func expected(_ property: Property, _ scene: Scene) -> BusValue {
    let isThere = scene != .empty
    return switch property {
    case .status: .string(scene.status)
    case .loop: .string("None")
    case .rate, .slowest, .fastest, .volume: .double(1)
    case .shuffle: .boolean(false)
    case .metadata: .path(isThere ? "/sotto/track/1" : MPRISAddress.noTrack)
    case .position: .int64(isThere && scene != .stopped ? 10_000_000 : 0)
    case .canControl: .boolean(true)
    default: .boolean(isThere)
    }
  }

  @Test(arguments: Property.allCases, Scene.allCases)
  func `S70, S71: each property is true in each state, and reading changes nothing`(
    property: Property, scene: Scene
  ) async throws {
    let stage = try await scene.stage()
    let before = stage.desk.machine.situation
    let value = await stage.get(property.rawValue)
    let wanted = expected(property, scene)
    if property == .metadata {
      #expect(value?["mpris:trackid"] == wanted)
    } else {
      #expect(value == wanted)
    }
    #expect(
      stage.desk.machine.situation == before && before.isAudible == (scene.status == "Playing"))
    await stage.settle()
    #expect(stage.heard.isEmpty && stage.desk.performed.isEmpty)
  }

  @Test(arguments: [Property.volume, .loop, .shuffle, .rate], Scene.allCases)
  func `S70: what can be set is set in each state, told once, and nothing begins to sound`(
    property: Property, scene: Scene
  ) async throws {
    let stage = try await scene.stage()
    let before = stage.desk.machine.situation
    let value: BusValue =
      switch property {
      case .volume: .double(0.25)
      case .loop: .string("Playlist")
      case .shuffle: .boolean(true)
      default: .double(1)
      }
    #expect(await stage.set(property.rawValue, value) == .success([]))
    await stage.settle()
    #expect(await stage.get(property.rawValue) == value)
    #expect(stage.told(property.rawValue) == (property == .rate ? [] : [value]))
    #expect(stage.desk.machine.situation == before)
    stage.forget()
    await stage.set(property.rawValue, value)
    await stage.settle()
    #expect(stage.heard.isEmpty)
  }

  @Test func `S70: stop and then play begins the track again`() async throws {
    let stage = try await Scene.playing.stage()
    await stage.call("Stop")
    #expect(await stage.get("Position") == .int64(0))
    await stage.call("Play")
    #expect(await stage.get("PlaybackStatus") == .string("Playing"))
    #expect(await stage.get("Position") == .int64(0))
    #expect(stage.desk.queue.current == 1)
  }

  @Test(arguments: [
    (Scene.playing, 5.0, 15.0, 1), (.playing, -30, 0, 1), (.playing, 1000, 0, 2),
    (.pausedByUser, 5, 15, 1), (.pausedByUser, 1000, 0, 2), (.ducked, -5, 5, 1),
    (.inCall, 5, 15, 1), (.stopped, 5, 0, 1), (.pausedByDevice, 5, 15, 1),
  ])
  func `S70: seek moves within the track, past its end it is next, stopped it is nothing`(
    scene: Scene, offset: Double, position: Double, track: Int
  ) async throws {
    let stage = try await scene.stage()
    #expect(await stage.call("Seek", .int64(Int64(offset * 1e6))) == .success([]))
    await stage.settle()
    #expect(stage.desk.queue.current == track)
    #expect(stage.desk.machine.state.position.seconds == position)
    #expect(await stage.get("Position") == .int64(Int64(position * 1e6)))
    // The status is as it was, and nobody is told another.
    #expect(await stage.get("PlaybackStatus") == .string(scene.status))
    #expect(stage.told("PlaybackStatus").isEmpty)
  }

  @Test(arguments: [
    (MPRISAddress.track(EntryID(1)), 60.0, 60.0), (MPRISAddress.track(EntryID(0)), 60, 10),
    (MPRISAddress.noTrack, 60, 10), (MPRISAddress.track(EntryID(1)), -1, 10),
    (MPRISAddress.track(EntryID(1)), 200.5, 10), ("/", 60, 10),
  ])
  func `S70: a place of another track or outside of it is nothing`(
    track: String, wanted: Double, position: Double
  ) async throws {
    let stage = try await Scene.playing.stage()
    let result = await stage.call("SetPosition", .path(track), .int64(Int64(wanted * 1e6)))
    #expect(result == .success([]))
    #expect(await stage.get("Position") == .int64(Int64(position * 1e6)))
    #expect(stage.desk.queue.current == 1)
  }

  @Test func `S70: after the last track there is no next, and seeking past its end stops`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    await stage.call("Next")
    await stage.settle()
    #expect(await stage.get("CanGoNext") == .boolean(false))
    #expect(stage.told("CanGoNext") == [.boolean(false)])
    stage.desk.performed = []
    await stage.call("Next")
    #expect(stage.desk.performed.isEmpty && stage.desk.queue.current == 2)
    await stage.set("LoopStatus", .string("Playlist"))
    #expect(await stage.get("CanGoNext") == .boolean(true))
    await stage.set("LoopStatus", .string("None"))
    await stage.call("Seek", .int64(1_000_000_000))
    #expect(await stage.get("PlaybackStatus") == .string("Stopped"))
  }

  @Test func `A flood of seeks is merged, each is answered, and the last place counts`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    var answered = 0
    for _ in 0..<300 {
      stage.client.call(
        Stage.name, "/org/mpris/MediaPlayer2", Stage.player, "Seek", [.int64(100_000)], timeout: 180
      ) { if case .success = $0 { answered += 1 } }
    }
    #expect(await holds { answered == 300 })
    #expect(await holds { abs(stage.desk.machine.state.position.seconds - 40) < 0.01 })
    #expect(stage.desk.seeks.count < 100)
  }

  @Test func `S70: a seek that waits does not land in the next track`() async throws {
    let stage = try await Scene.playing.stage()
    for (member, arguments) in [
      ("Seek", [.int64(1_000_000)]), ("Seek", [.int64(1_000_000)]), ("Next", []),
    ] as [(String, [BusValue])] {
      stage.client.call(
        Stage.name, "/org/mpris/MediaPlayer2", Stage.player, member, arguments, timeout: 180
      ) { _ in }
    }
    await stage.settle()
    #expect(await holds { stage.server.seeks?.isIdle == true })
    #expect(stage.desk.queue.current == 2 && stage.desk.machine.state.position == .zero)
  }

  @Test func `T10: WirePlumber's pause is a lost device, answered once nothing is heard`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    guard case .ready(let name) = stage.client.state else { return }
    stage.desk.wirePlumber = name
    var isAnswered = false
    stage.client.call(
      Stage.name, "/org/mpris/MediaPlayer2", Stage.player, "Pause", [], timeout: 180
    ) { _ in isAnswered = true }
    #expect(await holds { stage.desk.whenHeld.count == 1 })
    #expect(stage.desk.machine.situation.intent == .paused(.noisy))
    await stage.settle()
    #expect(!isAnswered)
    stage.desk.whenHeld[0]()
    #expect(await holds { isAnswered })
  }

  @Test func `S70: what is sent after a pause comes after it, however late its sender is known`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    stage.desk.isSlowToKnow = true
    var answered: [String] = []
    let row = MPRISAddress.track(EntryID(0))
    for (member, arguments, interface) in [
      ("Pause", [], Stage.player), ("Seek", [.int64(5_000_000)], Stage.player),
      ("GoTo", [.path(row)], MPRISServer.trackList), ("Pause", [], Stage.player),
      ("Next", [], Stage.player), ("Play", [], Stage.player),
    ] as [(String, [BusValue], String)] {
      stage.client.call(
        Stage.name, "/org/mpris/MediaPlayer2", interface, member, arguments, timeout: 180
      ) { _ in answered.append(member) }
    }
    #expect(await holds { stage.desk.questions.count == 1 })
    // Questions have answers meanwhile.
    await stage.settle()
    #expect(stage.desk.performed.isEmpty && answered.isEmpty)
    stage.desk.questions[0]()
    #expect(stage.desk.questions.count == 2)
    #expect(stage.desk.performed == [.pause, .seek(.to(15)), .choose(0)])
    stage.desk.questions[1]()
    #expect(stage.desk.performed.suffix(3) == [.pause, .next, .play])
    #expect(await holds { answered == ["Pause", "Seek", "GoTo", "Pause", "Next", "Play"] })
    #expect(stage.desk.machine.situation.isAudible && stage.desk.queue.current == 1)
  }

  @Test func `Volume is sotto's own level, rate zero is pause, shuffle and loop are the queue's`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    #expect(await stage.set("Volume", .double(0.4)) == .success([]))
    #expect(stage.desk.level == 40)
    await stage.settle()
    #expect(stage.told("Volume") == [.double(0.4)])
    await stage.set("Volume", .double(7))
    #expect(stage.desk.level == 100)
    await stage.set("Volume", .double(-1))
    #expect(stage.desk.level == 0)
    await stage.set("Shuffle", .boolean(true))
    #expect(await stage.get("Shuffle") == .boolean(true))
    await stage.set("LoopStatus", .string("Track"))
    #expect(await stage.get("LoopStatus") == .string("Track"))
    await stage.settle()
    #expect(stage.told("LoopStatus") == [.string("Track")])
    #expect(await stage.set("Rate", .double(2)) == .success([]))
    #expect(await stage.get("Rate") == .double(1))
    #expect(await stage.get("PlaybackStatus") == .string("Playing"))
    await stage.set("Rate", .double(0))
    #expect(await stage.get("PlaybackStatus") == .string("Paused"))
  }

  @Test func `S71: what is malformed gets the error that is prescribed, and nothing else happens`()
    async throws
  {
    let stage = try await Scene.playing.stage()
    let before = stage.desk.machine.situation
    func name(_ result: Result<[BusValue], BusError>) -> String {
      if case .failure(let error) = result { error.name } else { "" }
    }
    let standard = "org.freedesktop.DBus.Error."
    #expect(name(await stage.call("Seek", .string("5"))) == standard + "InvalidArgs")
    #expect(name(await stage.call("Pause", .boolean(true))) == standard + "InvalidArgs")
    #expect(name(await stage.call("Explode")) == standard + "UnknownMethod")
    #expect(name(await stage.set("Volume", .string("loud"))) == standard + "InvalidArgs")
    #expect(name(await stage.set("Volume", .double(.nan))) == standard + "InvalidArgs")
    #expect(name(await stage.set("LoopStatus", .string("Twice"))) == standard + "InvalidArgs")
    #expect(name(await stage.set("Metadata", .properties([]))) == standard + "PropertyReadOnly")
    #expect(name(await stage.set("CanSeek", .boolean(false))) == standard + "PropertyReadOnly")
    #expect(
      name(await stage.call("OpenUri", .string("gopher://x"))) == standard + "NotSupported")
    #expect(
      name(await stage.call("OpenUri", .string("file://elsewhere/x"))) == standard + "NotSupported")
    let huge = String(repeating: "a", count: 1 << 22)
    _ = await stage.call("OpenUri", .string(huge))
    #expect(stage.desk.machine.situation == before)
    #expect(stage.desk.opened.isEmpty && stage.desk.performed.isEmpty)
  }

  @Test func `A file is opened by its URL, byte for byte`() async throws {
    let stage = try await Scene.playing.stage()
    #expect(await stage.call("OpenUri", .string("file:///a%20b/%FF.flac")) == .success([]))
    #expect(stage.desk.opened.first?.path == Array("/a b/".utf8) + [0xFF] + Array(".flac".utf8))
    #expect(stage.desk.opened.first?.playsIt == true && stage.desk.opened.first?.row == nil)
    #expect(await stage.call("OpenUri", .string("https://example.org/s")) == .success([]))
    #expect(stage.desk.opened.last?.path == Array("https://example.org/s".utf8))
    for path in [Array("/a b%/ü#?".utf8), [0x2F, 0xFF, 0x0A]] {
      #expect(MPRISAddress.url(path).flatMap(MPRISAddress.path) == path)
    }
    #expect(MPRISAddress.path("file:///a%00b") == nil && MPRISAddress.path("file:///a%4") == nil)
  }

  @Test func `Metadata are whole, and nothing in them is raw`() async throws {
    let stage = try await Scene.playing.stage()
    var info = TrackInfo(format: AudioFormat(sampleRate: 48_000, layout: .stereo))
    info.tags = [
      ("title", "A\u{1B}[31m\u{07}B"), ("artist", "Ann"), ("album", "Album"), ("track", "7/12"),
      ("disc", "2"), ("date", "1997-05-21"), ("genre", "Jazz"), ("album_artist", "Both"),
      ("composer", "C"),
    ]
    stage.desk.info = info
    stage.desk.artURL = "file:///cover.jpg"
    let data = try #require(await stage.get("Metadata"))
    #expect(data["mpris:trackid"] == .path("/sotto/track/1"))
    #expect(data["mpris:length"] == .int64(200_000_000))
    #expect(data["mpris:artUrl"]?.text == "file:///cover.jpg")
    #expect(data["xesam:url"]?.text == "file:///music/song%202.flac")
    #expect(data["xesam:title"]?.text == "A\u{FFFD}[31m\u{FFFD}B")
    #expect(data["xesam:artist"] == .strings(["Ann"]))
    #expect(data["xesam:albumArtist"] == .strings(["Both"]))
    #expect(data["xesam:album"]?.text == "Album")
    #expect(data["xesam:genre"] == .strings(["Jazz"]))
    #expect(data["xesam:trackNumber"] == .int32(7))
    #expect(data["xesam:discNumber"] == .int32(2))
    #expect(data["xesam:contentCreated"]?.text == "1997-05-21T00:00:00Z")
    await stage.settle()
    #expect(stage.told("Metadata").count == 1)
    await stage.settle()
    #expect(stage.told("Metadata").count == 1)
    #expect(stage.told("Position").isEmpty)
  }

  @Test func `Seeked tells the new position once`() async throws {
    let stage = try await Scene.playing.stage()
    stage.server.seeked(to: 12.5)
    await stage.settle()
    let told = stage.heard.filter { $0.member == "Seeked" }
    #expect(told.map(\.arguments) == [[.int64(12_500_000)]])
  }

  @Test func `The queue as a track list: one more, one less, replaced`() async throws {
    let stage = try await Scene.playing.stage()
    let list = MPRISServer.trackList
    let tracks = await stage.get("Tracks", interface: list)
    #expect(tracks == .paths((0..<3).map { MPRISAddress.track(EntryID($0)) }))
    let result = await stage.call("GetTracksMetadata", tracks!, interface: list)
    let data = try #require((try? result.get())?.first?.elements)
    #expect(data.map { $0["xesam:title"]?.text } == ["Song 1", "Song 2", "Song 3"])
    let entry = QueueEntry(.init("/music/new.flac"), title: "New")
    stage.desk.queue.insert([entry], at: 1)
    await stage.settle()
    let added = stage.heard.filter { $0.member == "TrackAdded" }
    #expect(added.count == 1)
    #expect(added.first?.arguments[0]["xesam:title"]?.text == "New")
    #expect(added.first?.arguments[1] == .path(MPRISAddress.track(EntryID(0))))
    let changes = stage.heard.filter { $0.member == "PropertiesChanged" }
    #expect(changes.contains { $0.arguments[2] == .strings(["Tracks"]) })
    await stage.call("RemoveTrack", .path(MPRISAddress.track(EntryID(3))), interface: list)
    await stage.settle()
    #expect(stage.count("TrackRemoved") == 1 && stage.desk.queue.entries.count == 3)
    stage.desk.queue.move([0], to: 3)
    await stage.settle()
    #expect(stage.count("TrackListReplaced") == 1)
    await stage.call("GoTo", .path(MPRISAddress.track(EntryID(0))), interface: list)
    #expect(stage.desk.queue.currentID == EntryID(0))
    await stage.call("GoTo", .path("/sotto/track/99"), interface: list)
    #expect(stage.desk.queue.currentID == EntryID(0))
    await stage.call(
      "AddTrack", .string("file:///x.flac"), .path(MPRISAddress.noTrack), .boolean(true),
      interface: list)
    #expect(stage.desk.opened.first?.row == 0 && stage.desk.opened.first?.playsIt == true)
  }

  @Test func `Playlists are listed and played in the queue's place`() async throws {
    let stage = try await Scene.playing.stage()
    let lists = MPRISServer.playlists
    stage.desk.playlists = ["b", "a", "c"].map {
      RemotePlaylist(path: Array("/lists/\($0).m3u8".utf8), name: $0)
    }
    await stage.settle()
    #expect(stage.told("PlaylistCount") == [.uint32(3)])
    let result = await stage.call(
      "GetPlaylists", .uint32(1), .uint32(5), .string("Alphabetical"), .boolean(false),
      interface: lists)
    let found = try #require((try? result.get())?.first?.elements)
    #expect(found.map { $0.elements?[1].text } == ["b", "c"])
    let id = try #require(found.first?.elements?.first?.text)
    #expect(await stage.call("ActivatePlaylist", .path(id), interface: lists) == .success([]))
    #expect(stage.desk.performed.last == .add([Array("/lists/b.m3u8".utf8)], .replace))
    stage.desk.queue.replace(with: [QueueEntry(.init("/music/other.flac"))])
    await stage.settle()
    let active = await stage.get("ActivePlaylist", interface: lists)
    #expect(active?.elements?[1].elements?[1].text == "b")
    stage.desk.queue.clear()
    await stage.settle()
    #expect(
      (await stage.get("ActivePlaylist", interface: lists))?.elements?[0] == .boolean(false))
    guard case .failure = await stage.call("ActivatePlaylist", .path("/x"), interface: lists) else {
      Issue.record("a playlist that is none was activated")
      return
    }
  }

  @Test func `S66, S67: the name is there only in an audio context`() async throws {
    let stage = try await Stage(isAccepting: false)
    #expect(await stage.present(false))
    stage.server.accept()
    #expect(await stage.present(true))
    #expect(await stage.get("CanPlay") == .boolean(true))
    stage.forget()
    stage.server.release()
    #expect(await stage.present(false))
    // Before that it was told that nothing can be done here any more.
    #expect(await holds { stage.told("CanPlay") == [.boolean(false)] })
    #expect(stage.told("CanPause") == [.boolean(false)])
    stage.server.accept()
    #expect(await stage.present(true))
  }

  @Test func `S63: a second one has a name of its own; a bus that comes back has both again`()
    async throws
  {
    let stage = try await Stage()
    let second = Desk()
    let connection = BusConnection(.address(stage.bus.address))
    let server = MPRISServer(connection, player: second)
    connection.open()
    server.accept()
    let name = "\(Stage.name).instance\(getpid())"
    #expect(await stage.present(true, name))
    stage.bus.stop()
    try stage.bus.start()
    #expect(await stage.present(true))
    // Which of them has which depends on who is back first.
    #expect(await stage.present(true, name))
    withExtendedLifetime(server) {}
  }

  @Test func `Introspection is XML that says all four interfaces`() async throws {
    let stage = try await Stage()
    let result = await stage.call("Introspect", interface: "org.freedesktop.DBus.Introspectable")
    let xml = try #require((try? result.get())?.first?.text)
    let document = try XMLDocument(xmlString: xml)
    let names = try document.nodes(forXPath: "//interface/@name").compactMap(\.stringValue)
    for name in ["", ".Player", ".TrackList", ".Playlists"] {
      #expect(names.contains("org.mpris.MediaPlayer2" + name))
    }
    #expect(try document.nodes(forXPath: "//interface[@name='\(Stage.player)']/method").count == 9)
    #expect(
      try document.nodes(forXPath: "//interface[@name='\(Stage.player)']/property").count == 15)
    // Each property can be read, and is of the type that is said.
    for interface in names where interface.hasPrefix("org.mpris") {
      let result = await stage.call(
        "GetAll", .string(interface), interface: "org.freedesktop.DBus.Properties")
      let values = try #require((try? result.get())?.first?.pairs)
      for value in values {
        let said = try document.nodes(
          forXPath:
            "//interface[@name='\(interface)']/property[@name='\(value.key.text ?? "")']/@type"
        ).first?.stringValue
        #expect(said == value.value.plain.type)
      }
    }
  }

  @Test func `playerctl plays, pauses, seeks and reads`() async throws {
    let stage = try await Scene.pausedByUser.stage()
    func playerctl(_ words: String...) async throws -> String {
      let bus = stage.bus
      return try await withCheckedThrowingContinuation { answer in
        DispatchQueue.global().async {
          answer.resume(
            with: Result { try bus.tool("playerctl", ["--player=sotto"] + words) })
        }
      }
    }
    #expect(try await playerctl("status") == "Paused\n")
    _ = try await playerctl("play")
    #expect(try await playerctl("status") == "Playing\n")
    #expect(try await playerctl("metadata", "xesam:title") == "Song 2\n")
    _ = try await playerctl("position", "42")
    #expect(try await playerctl("position").hasPrefix("42.0"))
    _ = try await playerctl("next")
    #expect(try await playerctl("metadata", "title") == "Song 3\n")
    _ = try await playerctl("volume", "0.3")
    #expect(stage.desk.level == 30)
    _ = try await playerctl("stop")
    #expect(try await playerctl("status") == "Stopped\n")
  }
}
