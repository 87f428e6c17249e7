import Foundation
import TestSupport
import Testing

/// Real devices and programs on a sound server of the test's own, seen by the built program. Each
/// begins as a user would: music first.
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct SurroundingsTests {
  private static let sounds = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sounds").path()
  private static let phones = PrivateServer.Sink(
    "phones",
    properties: ["device.form_factor": "headphone", "device.description": "Phones"])

  /// A server, and music that is heard there.
  private struct Stage {
    let server: PrivateServer
    let folder: Folder
    let screen: Screen

    init(_ kind: PrivateServer.Kind, before: (PrivateServer) throws -> Void = { _ in }) throws {
      server = try PrivateServer(kind)
      folder = try Folder()
      try folder.write("1.wav", wav(seconds: 60))
      try before(server)
      var environment = [
        "SOTTO_SOUNDS": SurroundingsTests.sounds, "XDG_STATE_HOME": folder.path + "/state",
      ]
      for name in ["PULSE_SERVER", "XDG_RUNTIME_DIR", "HOME"] {
        environment[name] = server.environment[name]
      }
      screen = try Screen(
        ["play", "--output", "pulse", folder.path], environment: environment, columns: 120)
    }

    func end() {
      screen.type("q")
      #expect(screen.ends() == 0)
      server.close()
    }

    /// A program that plays noise until it is ended.
    func plays(_ properties: [String: String] = [:], _ source: String = "/dev/urandom")
      throws -> PrivateServer.Guest
    {
      try server.guest(
        "pacat", ["--raw"] + properties.map { "--property=\($0.key)=\($0.value)" } + [source])
    }

    /// Whether the music's stream comes to stand still, by the server's own word.
    func standsStill() throws -> Bool {
      let limit = Date().addingTimeInterval(120)
      while Date() < limit { if try isCorked() { return true } }
      return false
    }

    private func isCorked() throws -> Bool {
      let text = try server.tool("pactl", ["--format=json", "list", "sink-inputs"])
      let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
      let own = list.filter {
        ($0["properties"] as? [String: String])?["application.name"] == "sotto"
      }
      return own.allSatisfy { $0["corked"] as? Bool == true }
    }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S15, S16, S17: headphones come, are used, go, and come back`(
    kind: PrivateServer.Kind
  ) throws {
    let stage = try Stage(kind)
    #expect(stage.screen.waits(for: "> 0:01"))
    let module = try stage.server.add(Self.phones)
    try stage.server.tool("pactl", ["set-default-sink", "phones"])
    #expect(stage.screen.waits(for: "Sound goes to Phones"))
    #expect(!stage.screen.transcript.contains("Paused"))
    try stage.server.remove(module: module)
    #expect(stage.screen.waits(for: "Paused: headphones were unplugged"))
    #expect(try stage.standsStill())
    try stage.server.add(Self.phones)
    try stage.server.tool("pactl", ["set-default-sink", "phones"])
    #expect(try stage.standsStill())
    stage.screen.type(" ")
    #expect(stage.screen.waits(for: "> 0:0"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S21: another default is a choice, and music goes on`(kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind) { server in
      try server.add(Self.phones)
      try server.tool("pactl", ["set-default-sink", "phones"])
    }
    #expect(stage.screen.waits(for: "> 0:01"))
    try stage.server.tool("pactl", ["set-default-sink", "speakers"])
    #expect(stage.screen.waits(for: "(S21)"))
    #expect(!stage.screen.transcript.contains("Paused"))
    #expect(stage.screen.waits(for: "> 0:04"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Music that another mixer has muted is told as muted`(kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind)
    #expect(stage.screen.waits(for: "> 0:01"))
    let stream = try #require(
      try stage.server.tool("pactl", ["list", "short", "sink-inputs"]).split(separator: "\t").first)
    try stage.server.tool("pactl", ["set-sink-input-mute", String(stream), "1"])
    #expect(stage.screen.waits(for: "muted in the mixer"))
    try stage.server.tool("pactl", ["set-sink-input-mute", String(stream), "0"])
    #expect(stage.screen.waits(for: "volume 100%"))
    stage.end()
  }

  @Test func `A device that the server has suspended is told, and the music goes on with it`()
    throws
  {
    // PipeWire wakes a device that something plays on at once.
    let stage = try Stage(.pulseAudio)
    #expect(stage.screen.waits(for: "> 0:01"))
    try stage.server.tool("pactl", ["suspend-sink", "speakers", "1"])
    #expect(stage.screen.waits(for: "device suspended"))
    try stage.server.tool("pactl", ["suspend-sink", "speakers", "0"])
    #expect(stage.screen.waits(for: "volume 100%"))
    #expect(stage.screen.waits(for: "> 0:04"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S28, S53: a tagged call holds the music, and its end lets it go on`(
    kind: PrivateServer.Kind
  ) throws {
    let stage = try Stage(kind)
    #expect(stage.screen.waits(for: "> 0:01"))
    let call = try stage.plays(["media.role": "phone", "application.name": "Telephone"])
    #expect(stage.screen.waits(for: "Interrupted by a call in Telephone"))
    call.end()
    #expect(stage.screen.waits(for: "Playing again"))
    stage.end()
  }

  @Test func `T2: a program that was left out once is left out the next time`() throws {
    let stage = try Stage(.pulseAudio) { server in
      let folder = server.environment["HOME"]! + "/.config/sotto"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("# says that it is a call as long as it runs\nTalker\n".utf8)
        .write(to: URL(filePath: folder + "/ignored"))
    }
    #expect(stage.screen.waits(for: "> 0:01"))
    let talker = try stage.plays(["media.role": "phone", "application.name": "Talker"])
    #expect(stage.screen.waits(for: "> 0:04"))
    #expect(!stage.screen.transcript.contains("Interrupted"))
    let call = try stage.plays(["media.role": "phone", "application.name": "Telephone"])
    #expect(stage.screen.waits(for: "Interrupted by a call in Telephone"))
    call.end()
    talker.end()
    #expect(stage.screen.waits(for: "Playing again"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `T1: a program that plays and records is in a call; one that only records is not`(
    kind: PrivateServer.Kind
  ) throws {
    let stage = try Stage(kind) { try $0.addMicrophone() }
    #expect(stage.screen.waits(for: "> 0:01"))
    let records = try stage.server.guest("parec", ["--raw", "-d", "mic"])
    #expect(stage.screen.waits(for: "> 0:04"))
    #expect(!stage.screen.transcript.contains("Interrupted"))
    // The other half: another connection of the same process, by its own word.
    let plays = try stage.server.guest(
      "pacat", ["--raw", "/dev/zero"],
      variables: ["PULSE_PROP_application.process.id": String(records.pid)])
    #expect(stage.screen.waits(for: "Interrupted by a call in"))
    plays.end()
    #expect(stage.screen.waits(for: "Playing again"))
    records.end()
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S54: a tone of another program is stepped aside for`(kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind)
    #expect(stage.screen.waits(for: "> 0:01"))
    let tone = try stage.plays(["media.role": "event"])
    #expect(stage.screen.waits(for: "Quieter for a prompt of"))
    tone.end()
    #expect(stage.screen.waits(for: "Back to full level"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S55, T3: another player takes over when it is heard, not when it is open`(
    kind: PrivateServer.Kind
  ) throws {
    let stage = try Stage(kind)
    #expect(stage.screen.waits(for: "> 0:01"))
    let silent = try stage.plays(["media.role": "music"], "/dev/zero")
    #expect(stage.screen.waits(for: "> 0:04"))
    #expect(!stage.screen.transcript.contains("Paused"))
    let heard = try stage.plays(["media.role": "music", "application.name": "Other"])
    #expect(stage.screen.waits(for: "Paused: Other started to play"))
    heard.end()
    silent.end()
    stage.screen.type(" ")
    #expect(stage.screen.waits(for: "> 0:0"))
    stage.end()
  }

  @Test
  func `D6: who plays already when sotto starts is older than the wish, and takes nothing over`()
    throws
  {
    let stage = try Stage(.pulseAudio) { server in
      _ = try server.guest("pacat", ["--raw", "--property=media.role=music", "/dev/urandom"])
      let limit = Date().addingTimeInterval(120)
      while try !server.tool("pactl", ["list", "sink-inputs"]).contains("pacat"), Date() < limit {}
    }
    #expect(stage.screen.waits(for: "> 0:04"))
    #expect(!stage.screen.transcript.contains("Paused"))
    stage.end()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `D6, S28: a call that lasts already holds the music, and its end lets it begin`(
    kind: PrivateServer.Kind
  ) throws {
    var call: PrivateServer.Guest?
    let stage = try Stage(kind) { server in
      call = try server.guest("pacat", ["--raw", "--property=media.role=phone", "/dev/zero"])
      let limit = Date().addingTimeInterval(120)
      while try !server.tool("pactl", ["list", "sink-inputs"]).contains("phone"), Date() < limit {}
    }
    #expect(stage.screen.waits(for: "Will start after a call"))
    call?.end()
    #expect(stage.screen.waits(for: "> 0:01"))
    stage.end()
  }

  @Test func `T2: a program that is tagged as a call whenever it runs is in none by that`() throws {
    let stage = try Stage(.pulseAudio)
    #expect(stage.screen.waits(for: "> 0:01"))
    let mumble = try stage.plays(["media.role": "phone", "application.name": "Mumble"])
    #expect(stage.screen.waits(for: "> 0:04"))
    #expect(!stage.screen.transcript.contains("Interrupted"))
    mumble.end()
    stage.end()
  }

  @Test func `T4: a server that asks for silence gets it, and the music back afterwards`() throws {
    let stage = try Stage(.pulseAudio) { server in
      try server.tool(
        "pactl", ["load-module", "module-role-cork", "trigger_roles=game", "cork_roles=music"])
    }
    #expect(stage.screen.waits(for: "> 0:01"))
    // A role that is no call by itself: only the server's request can hold the music.
    let game = try stage.plays(["media.role": "game"])
    #expect(stage.screen.waits(for: "Interrupted by a request of the sound server"))
    game.end()
    #expect(stage.screen.waits(for: "Playing again"))
    // Over the user's own wish the server's mute is lifted, once.
    let other = try stage.plays(["media.role": "game"])
    #expect(stage.screen.waits(for: "Interrupted by a request of the sound server"))
    stage.screen.type(" ")
    #expect(stage.screen.waits(for: "Playing again"))
    let limit = Date().addingTimeInterval(120)
    while try isMuted(stage.server), Date() < limit {}
    #expect(try !isMuted(stage.server))
    other.end()
    stage.end()
  }

  private func isMuted(_ server: PrivateServer) throws -> Bool {
    let text = try server.tool("pactl", ["--format=json", "list", "sink-inputs"])
    let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    return list.contains {
      ($0["properties"] as? [String: String])?["application.name"] == "sotto"
        && $0["mute"] as? Bool == true
    }
  }
}
