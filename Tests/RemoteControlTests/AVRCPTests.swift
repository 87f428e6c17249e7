import AudioSession
import AudioTypes
import Bus
import Foundation
import PlayQueue
import PlayerState
import RemoteControl
import TestSupport
import Testing

/// Headsets that command sotto through BlueZ, against the session's own rules.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct AVRCPTests {
  typealias Scene = MPRISTests.Scene
  typealias Command = MPRISTests.Command

  @Test(arguments: Scene.allCases)
  func `S14, S70: each button means what it says in each state, and is told once`(scene: Scene)
    async throws
  {
    let bus = try await PrivateBus.started()
    for command in Command.allCases {
      let stage = try await HeadsetStage(scene, bus: bus)
      try await stage.begin()
      try await press(command, in: scene, stage)
      stage.end()
    }
  }

  private func press(_ command: Command, in scene: Scene, _ stage: HeadsetStage) async throws {
    let note: Comment = "\(command)"
    let (desk, bluez) = (stage.desk, stage.bluez)
    let first = try #require(bluez.player())
    #expect(first.status == scene.status, note)
    // With nothing to play the press is somebody else's.
    #expect(await bluez.press(command.rawValue) == (scene != .empty), note)
    await stage.settle()
    let wanted = MPRISTests.expected(command, scene)
    let then = try #require(bluez.player())
    #expect(then.status == wanted.status, note)
    #expect(desk.machine.situation.isAudible == (wanted.status == "Playing"), note)
    #expect(desk.queue.current == (scene == .empty ? nil : wanted.track), note)
    #expect(desk.sources.allSatisfy { $0 == .avrcp }, note)
    #expect(then.tracks - first.tracks == (scene == .empty || wanted.track == 1 ? 0 : 1), note)
    let place = desk.snapshot?.position(at: desk.now) ?? 0
    #expect(abs(then.believes(desk.now) - place) <= 1, note)
    if [.play, .pause, .stop].contains(command) {
      let (after, told) = (desk.machine.situation, bluez.told)
      _ = await bluez.press(command.rawValue)
      await stage.settle()
      #expect(desk.machine.situation == after, note)
      #expect(bluez.told == told, note)
    }
    // A call is not played over; what was asked for comes after it.
    guard scene == .inCall else { return }
    desk.send(.end(id: "c", shouldResume: nil))
    await stage.settle()
    let late = [.pause: "Paused", .stop: "Stopped"][command] ?? "Playing"
    #expect(bluez.player()?.status == late, note)
  }

  @Test func `S66, S67, S68: BlueZ knows sotto only while there is something to control`()
    async throws
  {
    let other = "/org/bluez/hci1"
    let stage = try await HeadsetStage(adapters: [HeadsetStage.adapter, other])
    let bluez = stage.bluez
    // Neither order nor repetition registers a second time.
    stage.follow()
    stage.headset.accept()
    stage.headset.accept()
    stage.follow()
    #expect(await holds { bluez.player() != nil })
    #expect(bluez.player()?.properties["Identity"]?.text == "sotto")
    // An adapter that comes later.
    stage.follow([HeadsetStage.adapter, other])
    #expect(await holds { bluez.player(other) != nil })
    #expect(bluez.player(other)?.status == "Playing")
    stage.headset.release()
    #expect(await holds { !bluez.isKnowing })
    for adapter in [HeadsetStage.adapter, other] {
      #expect(bluez.count("RegisterPlayer", on: adapter) == 1)
      #expect(bluez.count("UnregisterPlayer", on: adapter) == 1)
    }
    // Outside of it adapters may come and go.
    stage.follow([])
    stage.follow([HeadsetStage.adapter, other])
    stage.headset.accept()
    #expect(await holds { bluez.player() != nil && bluez.player(other) != nil })
    #expect(bluez.count("RegisterPlayer") == 2)
    // An adapter that was pulled and is back has forgotten everybody.
    stage.follow([other])
    stage.follow([HeadsetStage.adapter, other])
    #expect(await holds { bluez.count("RegisterPlayer") == 3 })
    #expect(bluez.count("RegisterPlayer", on: other) == 2)
    // Given up before the answer came.
    stage.headset.release()
    stage.headset.accept()
    stage.headset.release()
    #expect(await holds { bluez.count("UnregisterPlayer", on: other) == 3 })
    #expect(!bluez.isKnowing)
  }

  @Test func `BlueZ and the bus go away and come back, and sotto is registered again`()
    async throws
  {
    let stage = try await HeadsetStage()
    try await stage.begin()
    let old = stage.bluez
    old.connection.close()
    stage.headset.follow(nil, adapters: [])
    stage.bluez = try await BlueZ(stage.bus, adapters: [HeadsetStage.adapter]) {
      [desk = stage.desk] in
      desk.now
    }
    stage.follow()
    #expect(await holds { stage.bluez.player() != nil })
    #expect(await stage.bluez.press("Pause"))
    #expect(stage.desk.performed == [.pause])
    #expect(stage.bluez.count("RegisterPlayer") == 1)

    stage.bus.stop()
    #expect(await holds { !stage.connection.isReady })
    stage.headset.follow(nil, adapters: [])
    // Nobody is there to tell, and nothing happens.
    stage.headset.changed()
    stage.headset.release()
    stage.headset.accept()
    try stage.bus.start()
    stage.bluez = try await BlueZ(stage.bus, adapters: [HeadsetStage.adapter]) {
      [desk = stage.desk] in
      desk.now
    }
    #expect(await holds { stage.connection.isReady })
    stage.follow()
    #expect(await holds { stage.bluez.player() != nil })
    #expect(await stage.bluez.press("Play"))
    #expect(stage.desk.performed == [.pause, .play])
  }

  @Test(arguments: [BlueZ.Manners.refuses, .isWithoutMedia, .isSilent, .answersNonsense])
  func `A BlueZ that refuses, is silent or talks nonsense is asked once in an audio context`(
    _ manners: BlueZ.Manners
  ) async throws {
    let stage = try await HeadsetStage()
    let bluez = stage.bluez
    bluez.manners = manners
    let before = stage.desk.machine.situation
    stage.desk.performed = []
    stage.follow()
    stage.headset.accept()
    #expect(await holds { bluez.count("RegisterPlayer") == 1 })
    // The answer has been read by the time that a later question is answered.
    await withCheckedContinuation { done in
      stage.connection.call("org.bluez", HeadsetStage.adapter, "none", "None") { _ in done.resume()
      }
    }
    stage.follow()
    stage.headset.changed()
    #expect(stage.desk.machine.situation == before && stage.desk.performed.isEmpty)
    stage.headset.release()
    stage.headset.accept()
    #expect(await holds { bluez.count("RegisterPlayer") == 2 })
    // Who has refused has nothing to undo; who may have taken it has.
    let isUndone = manners == .isSilent || manners == .answersNonsense
    #expect(bluez.count("UnregisterPlayer") == (isUndone ? 1 : 0))
    stage.headset.release()
    bluez.manners = .kind
    stage.headset.accept()
    #expect(await holds { bluez.player() != nil })
    #expect(await bluez.press("Pause"))
  }

  @Test func `Nobody but BlueZ commands it or reads it, and wrong types are refused`() async throws
  {
    let stage = try await HeadsetStage()
    try await stage.begin()
    let player = try #require(stage.bluez.player())
    let stranger = BusConnection(.address(stage.bus.address))
    var heard = 0
    stranger.watch(BusMatch(path: AVRCPPlayer.path)) { _ in heard += 1 }
    stranger.open()
    let isReady = await holds { stranger.isReady }
    try #require(isReady)
    func asks(_ interface: String, _ member: String, _ arguments: BusValue...) async -> BusError? {
      await withCheckedContinuation { done in
        stranger.call(player.sender, player.path, interface, member, arguments, timeout: 180) {
          if case .failure(let error) = $0 {
            done.resume(returning: error)
          } else {
            done.resume(returning: nil)
          }
        }
      }
    }
    let denied = "org.freedesktop.DBus.Error.AccessDenied"
    #expect(await asks(HeadsetStage.interface, "Pause")?.name == denied)
    #expect(
      await asks("org.freedesktop.DBus.Properties", "GetAll", .string(HeadsetStage.interface))?.name
        == denied)
    #expect(await asks("org.freedesktop.DBus.Introspectable", "Introspect")?.name == denied)
    #expect(stage.desk.performed.isEmpty)
    for arguments in [BusValue.string(String(repeating: "x", count: 100_000)), .variant(.int32(1))]
    {
      guard case .failure(let error) = await stage.bluez.ask(player, "Pause", arguments) else {
        Issue.record("taken")
        continue
      }
      #expect(error.name == "org.freedesktop.DBus.Error.InvalidArgs")
    }
    guard case .failure(let error) = await stage.bluez.ask(player, "Explode") else {
      Issue.record("taken")
      return
    }
    #expect(error.name == "org.freedesktop.DBus.Error.UnknownMethod")
    #expect(stage.desk.performed.isEmpty && stage.desk.machine.situation.isAudible)
    // What is told, BlueZ alone is told: the system's bus has other users.
    #expect(await stage.bluez.press("Pause"))
    await stage.settle()
    #expect(stage.bluez.player()?.status == "Paused")
    _ = await asks(HeadsetStage.interface, "Play")
    #expect(heard == 0)
  }

  @Test func `Repeat and Shuffle are shown to headsets and set by them`() async throws {
    let stage = try await HeadsetStage()
    try await stage.begin()
    let (desk, bluez) = (stage.desk, stage.bluez)
    func shown(_ name: String) throws -> BusValue? { try #require(bluez.player()).properties[name] }
    #expect(try shown("LoopStatus") == .string("None"))
    #expect(try shown("Shuffle") == .boolean(false))
    for (word, mode) in [("Playlist", RepeatMode.all), ("Track", .one), ("None", .off)] {
      #expect(await bluez.set("LoopStatus", .string(word)) == .success([]))
      await stage.settle()
      #expect(desk.queue.repeatMode == mode)
      #expect(try shown("LoopStatus") == .string(word))
    }
    for isWanted in [true, true, false] {
      #expect(await bluez.set("Shuffle", .boolean(isWanted)) == .success([]))
      await stage.settle()
      #expect(desk.queue.isShuffled == isWanted)
      #expect(try shown("Shuffle") == .boolean(isWanted))
    }
    // Asked for twice it was done once, and none of it is another track to a headset.
    #expect(desk.performed.count == 5)
    #expect(desk.sources.allSatisfy { $0 == .avrcp })
    #expect(try #require(bluez.player()).tracks == 1)
    // What sotto does not know, and what headsets only read, is refused.
    for (name, value) in [
      ("LoopStatus", BusValue.string("Twice")), ("LoopStatus", .boolean(true)),
      ("Shuffle", .string("yes")), ("PlaybackStatus", .string("Paused")), ("Position", .int64(5)),
    ] {
      guard case .failure = await bluez.set(name, value) else {
        Issue.record("\(name) \(value) was taken")
        continue
      }
    }
    #expect(desk.performed.count == 5)
    // Outside of an audio context nobody is listened to.
    let player = try #require(bluez.player())
    stage.headset.release()
    _ = await bluez.ask(
      player, "Set", .string(HeadsetStage.interface), .string("Shuffle"), .variant(.boolean(true)),
      interface: "org.freedesktop.DBus.Properties")
    #expect(!desk.queue.isShuffled)
  }

  @Test func `What headsets show follows the music, and nothing else makes BlueZ begin anew`()
    async throws
  {
    let stage = try await HeadsetStage()
    let (desk, bluez) = (stage.desk, stage.bluez)
    desk.wait(20)
    try await stage.begin()
    func player() throws -> BlueZ.Player { try #require(bluez.player()) }
    func isRight() throws -> Bool {
      let place = try #require(desk.snapshot).position(at: desk.now)
      return abs(try player().believes(desk.now) - place) <= 1
    }
    // Registered in the middle of a track.
    let metadata = try #require(try player().properties["Metadata"])
    #expect(metadata["xesam:title"]?.text == "Song 2")
    #expect(metadata["mpris:length"]?.integer == Int64(Desk.length * 1e6))
    #expect(metadata["xesam:url"] == nil && metadata["mpris:artUrl"] == nil)
    #expect(try isRight())
    #expect(try player().believes(desk.now) > 25)
    // Time passes, a cover is found, the level changes: nothing of that is news.
    desk.wait(30)
    desk.artURL = "file:///tmp/cover.png"
    desk.level = 20
    await stage.settle()
    #expect(bluez.told == 0)
    #expect(try isRight())
    // A pause stops the count, and play goes on with it.
    desk.send(.pause(.key))
    await stage.settle()
    desk.wait(60)
    #expect(try isRight())
    desk.send(.play(.key))
    await stage.settle()
    desk.wait(10)
    #expect(try isRight())
    #expect(try player().jumps == 1)
    #expect(bluez.told == 2)
    // A jump is told as one; another track begins at its beginning.
    desk.perform(.seek(.to(150)), from: .key)
    await stage.settle()
    #expect(try player().jumps == 2)
    #expect(try isRight())
    desk.perform(.next, from: .key)
    await stage.settle()
    #expect(try player().properties["Metadata"]?["xesam:title"]?.text == "Song 3")
    #expect(try player().jumps == 2)
    #expect(try isRight())
    // Next after the last one does nothing, and is no key for others either.
    #expect(await bluez.press("Next"))
    await stage.settle()
    #expect(desk.queue.current == 2 && desk.machine.situation.isAudible)
    desk.wait(40)
    desk.send(.stop(.key))
    await stage.settle()
    #expect(try player().status == "Stopped")
    #expect(try isRight())
  }
}
