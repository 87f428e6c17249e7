import Foundation
import TestSupport
import Testing

/// The built program on a bus of the test's own, with the real `playerctl`, and sound that is
/// recorded.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1")) struct RemoteTests {
  private static func environment(_ bus: PrivateBus, _ server: PrivateServer? = nil)
    -> [String: String]
  {
    var environment = server?.environment ?? [:]
    for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"] {
      environment[name] = bus.address
    }
    return environment
  }

  /// Asks until the answer is right; the last answer.
  private func until(
    _ bus: PrivateBus, _ words: [String], within seconds: Double = 60,
    _ isRight: (String) -> Bool
  ) -> String {
    let limit = Date().addingTimeInterval(seconds)
    while true {
      let answer = (try? bus.tool("playerctl", ["--player=sotto"] + words)) ?? ""
      if isRight(answer) || Date() > limit { return answer }
    }
  }

  private func status(_ bus: PrivateBus, _ wanted: String, within seconds: Double = 60) -> Bool {
    until(bus, ["status"], within: seconds) { $0 == wanted + "\n" } == wanted + "\n"
  }

  private func play(_ bus: PrivateBus, _ folder: Folder, count: Int = 2) throws -> Screen {
    for number in 1...count { try folder.write("\(number).wav", wav(seconds: 120)) }
    return try Screen(
      ["play", "--output", "null", folder.path],
      environment: Self.environment(bus).merging(["XDG_STATE_HOME": folder.path + "/state"]) { $1 })
  }

  @Test func `S63, S70: playerctl commands the program, and its end gives the name up`() throws {
    let (bus, folder) = (try PrivateBus(), try Folder())
    let screen = try play(bus, folder)
    #expect(status(bus, "Playing"))
    try bus.tool("playerctl", ["-p", "sotto", "pause"])
    #expect(status(bus, "Paused"))
    #expect(screen.waits(for: "|| 0:0"))
    // Paused twice is paused, and the next track waits as this one does.
    try bus.tool("playerctl", ["-p", "sotto", "pause"])
    try bus.tool("playerctl", ["-p", "sotto", "next"])
    let next = until(bus, ["metadata", "xesam:url"]) { $0.hasSuffix("/2.wav\n") }
    #expect(next.hasSuffix("/2.wav\n"))
    #expect(status(bus, "Paused"))
    try bus.tool("playerctl", ["-p", "sotto", "play"])
    #expect(status(bus, "Playing"))
    try bus.tool("playerctl", ["-p", "sotto", "position", "60"])
    let place = until(bus, ["position"]) { $0.hasPrefix("60.") || $0.hasPrefix("61.") }
    #expect(place.hasPrefix("6"))
    try bus.tool("playerctl", ["-p", "sotto", "stop"])
    #expect(status(bus, "Stopped"))
    try bus.tool(
      "busctl",
      [
        "--address=\(bus.address)", "call", "org.mpris.MediaPlayer2.sotto",
        "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2", "Quit",
      ])
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)
    #expect(try !bus.tool("busctl", ["--address=\(bus.address)", "list"]).contains("sotto"))
  }

  @Test func `S34, S41, S55, S57: mpv and sotto give way to each other, the later wish wins`()
    throws
  {
    let (bus, folder) = (try PrivateBus(), try Folder())
    let other = try Folder()
    try other.write("mpv.wav", wav(seconds: 600))
    try bus.launch(
      "mpv",
      [
        "--no-config", "--no-video", "--no-terminal", "--ao=null",
        "--script=/usr/lib/mpv-mpris/mpris.so", other.path + "/mpv.wav",
      ])
    func mpv(_ wanted: String) -> Bool {
      let limit = Date().addingTimeInterval(120)
      while Date() < limit {
        if (try? bus.tool("playerctl", ["-p", "mpv", "status"])) == wanted + "\n" { return true }
      }
      return false
    }
    #expect(mpv("Playing"))
    let screen = try play(bus, folder)
    // The user started sotto: mpv is paused, and sotto goes on.
    #expect(mpv("Paused"))
    #expect(status(bus, "Playing"))
    // mpv tells of its changes a little later, and of two that cancel each other nothing.
    var isTaken = false
    for _ in 0..<20 where !isTaken {
      try bus.tool("playerctl", ["-p", "mpv", "pause"])
      try bus.tool("playerctl", ["-p", "mpv", "play"])
      isTaken = status(bus, "Paused", within: 3)
    }
    #expect(isTaken)
    #expect(screen.waits(for: "Paused: mpv started to play"))
    // It is not resumed when the other one ends (S56).
    try bus.tool("playerctl", ["-p", "mpv", "stop"])
    let limit = Date().addingTimeInterval(120)
    while try bus.tool("playerctl", ["-l"]).contains("mpv") {
      try #require(Date() < limit, "mpv does not end")
    }
    #expect(status(bus, "Paused"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S2: sleep pauses and stays paused; lost and absent buses never stop the music`()
    throws
  {
    let (bus, folder) = (try PrivateBus(), try Folder())
    try bus.python(["-m", "dbusmock", "--session", "--template", "logind"])
    let screen = try play(bus, folder)
    #expect(status(bus, "Playing"))
    func login(_ member: String, _ words: [String]) throws -> String {
      try bus.tool(
        "busctl",
        [
          "--address=\(bus.address)", "call", "org.freedesktop.login1",
          "/org/freedesktop/login1",
        ] + [member] + words)
    }
    func inhibits(_ wanted: Bool) -> Bool {
      let limit = Date().addingTimeInterval(120)
      while Date() < limit {
        let list = try? login("org.freedesktop.login1.Manager", ["ListInhibitors"])
        if let list, list.contains("sotto") == wanted { return true }
      }
      return false
    }
    func sleep(_ isBefore: Bool) throws {
      _ = try login(
        "org.freedesktop.DBus.Mock",
        [
          "EmitSignal", "sssav", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", "1",
          "b", "\(isBefore)",
        ])
    }
    #expect(inhibits(true))
    try sleep(true)
    #expect(inhibits(false))
    #expect(status(bus, "Paused"))
    try sleep(false)
    #expect(inhibits(true))
    #expect(status(bus, "Paused"))
    screen.type(" ")
    #expect(status(bus, "Playing"))
    bus.stop()
    #expect(screen.waits(for: "> 0:0"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type(" ")
    #expect(screen.waits(for: "> 0:0"))
    try bus.start()
    #expect(status(bus, "Playing"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S67: a program that is stopped from the terminal holds no name and no sleep`() throws
  {
    let (bus, folder) = (try PrivateBus(), try Folder())
    try bus.python(["-m", "dbusmock", "--session", "--template", "logind"])
    let screen = try play(bus, folder)
    #expect(status(bus, "Playing"))
    func isThere() throws -> (name: Bool, inhibitor: Bool) {
      let names = try bus.tool("busctl", ["--address=\(bus.address)", "list"])
      let locks = try bus.tool(
        "busctl",
        [
          "--address=\(bus.address)", "call", "org.freedesktop.login1",
          "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "ListInhibitors",
        ])
      return (names.contains("mpris"), locks.contains("sotto"))
    }
    func until(_ wanted: Bool) throws -> Bool {
      let limit = Date().addingTimeInterval(120)
      while Date() < limit {
        if let found = try? isThere(), found == (wanted, wanted) { return true }
      }
      return false
    }
    #expect(try until(true))
    screen.send(SIGTSTP)
    #expect(screen.waitsForStop())
    #expect(try until(false))
    screen.send(SIGCONT)
    #expect(try until(true))
    #expect(status(bus, "Playing"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S34: before the first sound nobody on the bus hears of sotto`() throws {
    let (bus, folder) = (try PrivateBus(), try Folder())
    // Nothing can be played, so there is no audio context.
    try folder.write("broken.wav", Array("RIFF".utf8))
    let run = try Run(
      "play", "--output", "null", folder.path, environment: Self.environment(bus))
    #expect(run.status != 0)
    let list = try bus.tool("busctl", ["--address=\(bus.address)", "list"])
    #expect(!list.contains("mpris"))
  }

  @Test func `doctor tells of the buses, and of their absence`() throws {
    let bus = try PrivateBus()
    let there = try Run("doctor", environment: Self.environment(bus))
    #expect(there.text.contains("  ok  The session bus answers"))
    #expect(there.text.contains("  --  logind does not run"))
    let none = try Run(
      "doctor",
      environment: [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
      ])
    #expect(none.text.contains("  --  No session bus: it does not run."))
    #expect(none.text.contains("  --  No system bus: it does not run."))
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S70: what is paused by D-Bus is silent, and played it is heard`(kind: PrivateServer.Kind)
    throws
  {
    let (bus, folder) = (try PrivateBus(), try Folder())
    let server = try PrivateServer(kind)
    try folder.write("1.wav", wav(seconds: 120))
    let screen = try Screen(
      ["play", "--output", "pulse", folder.path + "/1.wav"],
      environment: Self.environment(bus, server))
    #expect(status(bus, "Playing"))
    let recorder = try Recorder(server)
    #expect(recorder.wait { $0.contains { abs($0) > 0.001 } })
    try bus.tool("playerctl", ["-p", "sotto", "pause"])
    #expect(recorder.wait { $0.count == 19200 && $0.allSatisfy { $0 == 0 } })
    try bus.tool("playerctl", ["-p", "sotto", "play"])
    #expect(recorder.wait { $0.contains { abs($0) > 0.001 } })
    screen.type("q")
    #expect(screen.ends() == 0)
  }
}
