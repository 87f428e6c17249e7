import Foundation
import TestSupport
import Testing

/// What rings and beeps on a sound server of the test's own: a second stream, by the built program.
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct EventStreamTests {
  private static let sounds: String = {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sounds").path()
  }()

  private func play(_ server: PrivateServer, _ folder: Folder) throws -> Screen {
    try folder.write("1.wav", wav(seconds: 60))
    var environment = ["SOTTO_SOUNDS": Self.sounds, "XDG_STATE_HOME": folder.path + "/state"]
    for name in ["PULSE_SERVER", "XDG_RUNTIME_DIR", "HOME"] {
      environment[name] = server.environment[name]
    }
    return try Screen(
      ["play", "--output", "pulse", folder.path], environment: environment, columns: 120)
  }

  /// The roles of the streams that play on a server, as it lists them itself.
  private func roles(_ server: PrivateServer) throws -> [String] {
    let text = try server.tool("pactl", ["--format=json", "list", "sink-inputs"])
    let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    return list.map { ($0["properties"] as? [String: String])?["media.role"] ?? "" }.sorted()
  }

  /// Asks the server again until it lists these, for at most twenty seconds.
  private func lists(_ server: PrivateServer, _ wanted: [String]) throws -> Bool {
    let limit = Date().addingTimeInterval(120)
    while Date() < limit {
      if try roles(server) == wanted { return true }
    }
    return false
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S24, S53: a call rings in a stream of role event until it is declined`(
    kind: PrivateServer.Kind
  ) throws {
    let server = try PrivateServer(kind)
    defer { server.close() }
    let folder = try Folder()
    let screen = try play(server, folder)
    #expect(screen.waits(for: "> 0:01"))
    #expect(try roles(server) == ["music"])
    screen.type("C")
    #expect(screen.waits(for: "Interrupted by a call in Phone"))
    #expect(try lists(server, ["event", "music"]))
    screen.type("d")
    #expect(screen.waits(for: "Playing again"))
    #expect(try lists(server, ["music"]))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(try roles(server).isEmpty)
  }

  @Test func `Stopped while it rings, the program leaves no stream that rings on`() throws {
    let server = try PrivateServer(.pulseAudio)
    defer { server.close() }
    let folder = try Folder()
    let screen = try play(server, folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("C")
    #expect(try lists(server, ["event", "music"]))
    screen.type("\u{1A}")
    #expect(screen.waitsForStop())
    // It does nothing any more: what goes now was given up before.
    #expect(try lists(server, ["music"]))
    screen.send(SIGCONT)
    screen.type("d")
    #expect(screen.waits(for: "Playing again"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S12: paused, a volume key means the ringer that the server keeps`() throws {
    let server = try PrivateServer(.pulseAudio)
    defer { server.close() }
    try server.tool("pactl", ["load-module", "module-stream-restore"])
    let folder = try Folder()
    let screen = try play(server, folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("\u{1B}[B\u{1B}[B")
    #expect(screen.waits(for: "Ringer volume: nothing is playing, 90% (S12 S78)"))
    screen.type("m")
    #expect(screen.waits(for: "Ringer volume: nothing is playing, 90%, muted (S12 S78)"))
    let sinks = try server.tool("pactl", ["get-sink-volume", "speakers"])
    #expect(sinks.contains("100%"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S12: where the server keeps no ringer's volume, a key means the device, and says so`()
    throws
  {
    let server = try PrivateServer(.pulseAudio)
    defer { server.close() }
    let folder = try Folder()
    let screen = try play(server, folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("\u{1B}[B")
    #expect(screen.waits(for: "this system has none for the ringer alone"))
    #expect(screen.waits(for: "volume 95%"))
    let sinks = try server.tool("pactl", ["get-sink-volume", "speakers"])
    #expect(sinks.contains("95%"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }
}
