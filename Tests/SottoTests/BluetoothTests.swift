import Foundation
import TestSupport
import Testing

/// The built program beside BlueZ as python-dbusmock plays it, with the players that its template
/// lacks.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1")) struct BluetoothTests {
  /// Buttons reach whoever has the registered object: the mock does not learn who called it.
  private static let template = """
    from dbusmock.templates import bluez5
    from dbusmock.templates.bluez5 import *

    @dbus.service.method('org.bluez.Mock', in_signature='ss', out_signature='s')
    def AddAdapter(self, device_name, system_name):
        path = bluez5.AddAdapter(self, device_name, system_name)
        mockobject.objects[path].AddMethods('org.bluez.Media1', [
            ('RegisterPlayer', 'oa{sv}', '', ''),
            ('UnregisterPlayer', 'o', '', ''),
        ])
        return path

    @dbus.service.method('org.bluez.Mock', in_signature='s')
    def Press(self, button):
        for name in self.connection.list_names():
            if name.startswith(':'):
                self.connection.call_async(
                    name, '/sotto/avrcp', 'org.mpris.MediaPlayer2.Player', button, '', (),
                    lambda *answer: None, lambda error: None)
    """
  private static let address = "00:11:22:33:44:AA"

  private struct Stage {
    let bus: PrivateBus
    let folder: Folder
    let template: String

    init() throws {
      bus = try PrivateBus()
      folder = try Folder()
      template = try bus.write("bluez_with_players.py", BluetoothTests.template)
      for number in 1...2 { try folder.write("\(number).wav", wav(seconds: 120)) }
    }

    /// Starts BlueZ with one adapter; its process.
    func bluez() throws -> pid_t {
      let id = try bus.python(["-m", "dbusmock", "--session", "--template", template])
      let isThere = until { try mock("/org/bluez", ["org.freedesktop.DBus.Peer", "Ping"]).isEmpty }
      try #require(isThere, Comment(rawValue: String(bus.log.suffix(2000))))
      try device("AddAdapter", "ss", "hci0", "desk")
      return id
    }

    func play(_ output: String, _ environment: [String: String] = [:]) throws -> Screen {
      var environment = environment
      for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"] {
        environment[name] = bus.address
      }
      environment["XDG_STATE_HOME"] = folder.path + "/state"
      return try Screen(
        ["play", "--output", output, folder.path], environment: environment, columns: 120)
    }

    func until(_ condition: () throws -> Bool) -> Bool {
      let limit = Date().addingTimeInterval(60)
      while Date() < limit { if (try? condition()) == true { return true } }
      return false
    }

    private func mock(_ path: String, _ words: [String]) throws -> String {
      try bus.tool("busctl", ["--address=\(bus.address)", "call", "org.bluez", path] + words)
    }

    /// How often the adapter was called so; nil while there is none.
    func calls(_ member: String) throws -> Int? {
      let words = ["org.freedesktop.DBus.Mock", "GetMethodCalls", "s", member]
      guard let text = try? mock("/org/bluez/hci0", words) else { return nil }
      return Int(text.split(separator: " ")[1])
    }

    func press(_ button: String) throws {
      _ = try mock("/org/bluez", ["org.bluez.Mock", "Press", "s", button])
    }

    func device(_ member: String, _ words: String...) throws {
      _ = try mock("/org/bluez", ["org.bluez.Mock", member] + words)
    }

    func tells(_ words: [String], _ wanted: String) -> Bool {
      until { try bus.tool("playerctl", ["--player=sotto"] + words) == wanted + "\n" }
    }
  }

  @Test func `S14, S63, S70: a headset's buttons command the program, also after BlueZ came back`()
    throws
  {
    let stage = try Stage()
    let screen = try stage.play("null")
    // Without BlueZ everything is as it was.
    #expect(stage.tells(["status"], "Playing"))
    let first = try stage.bluez()
    #expect(stage.until { try stage.calls("RegisterPlayer") == 1 })
    for _ in 0..<2 {
      try stage.press("Pause")
      #expect(stage.tells(["status"], "Paused"))
      #expect(screen.waits(for: "|| 0:0"))
    }
    try stage.press("Next")
    #expect(
      stage.until {
        try stage.bus.tool("playerctl", ["--player=sotto", "metadata", "xesam:url"])
          .hasSuffix("/2.wav\n")
      })
    #expect(stage.tells(["status"], "Paused"))
    try stage.press("Play")
    #expect(stage.tells(["status"], "Playing"))
    try stage.press("Play")
    try stage.press("Previous")
    #expect(stage.tells(["status"], "Playing"))
    try stage.press("Stop")
    #expect(stage.tells(["status"], "Stopped"))
    #expect(try stage.calls("RegisterPlayer") == 1)

    stage.bus.end(first)
    // A key: the same act from another remote would be an echo of the Play before.
    screen.type(" ")
    #expect(stage.tells(["status"], "Playing"))
    _ = try stage.bluez()
    #expect(stage.until { try stage.calls("RegisterPlayer") == 1 })
    try stage.press("Pause")
    #expect(stage.tells(["status"], "Paused"))
    // Stopped from the terminal it could answer nobody.
    screen.send(SIGTSTP)
    #expect(screen.waitsForStop())
    #expect(stage.until { try stage.calls("UnregisterPlayer") == 1 })
    screen.send(SIGCONT)
    #expect(stage.until { try stage.calls("RegisterPlayer") == 2 })
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func
    `S16: a Bluetooth link that ends pauses at once, while its device still stands at the server`(
      kind: PrivateServer.Kind
    ) throws
  {
    let stage = try Stage()
    _ = try stage.bluez()
    try stage.device("AddDevice", "sss", "hci0", Self.address, "headset")
    try stage.device("ConnectDevice", "ss", "hci0", Self.address)
    let server = try PrivateServer(kind)
    var environment = [String: String]()
    for name in ["PULSE_SERVER", "XDG_RUNTIME_DIR", "HOME"] {
      environment[name] = server.environment[name]
    }
    let screen = try stage.play("pulse", environment)
    #expect(screen.waits(for: "> 0:01"))
    try server.add(
      PrivateServer.Sink(
        "headset",
        properties: [
          "device.bus": "bluetooth", "device.string": Self.address,
          "device.description": "Headset", "device.form_factor": "headset",
        ]))
    try server.tool("pactl", ["set-default-sink", "headset"])
    #expect(screen.waits(for: "Sound goes to Headset"))
    #expect(stage.tells(["status"], "Playing"))
    // The link of another one is nothing.
    try stage.device("AddDevice", "sss", "hci0", "00:11:22:33:44:BB", "mouse")
    try stage.device("ConnectDevice", "ss", "hci0", "00:11:22:33:44:BB")
    try stage.device("DisconnectDevice", "ss", "hci0", "00:11:22:33:44:BB")
    try stage.device("DisconnectDevice", "ss", "hci0", Self.address)
    #expect(screen.waits(for: "Paused: the Bluetooth headphones went away"))
    #expect(!screen.transcript.contains("waits"))
    #expect(stage.tells(["status"], "Paused"))
    #expect(try server.tool("pactl", ["list", "short", "sinks"]).contains("headset"))
    screen.type("q")
    #expect(screen.ends() == 0)
    server.close()
  }
}
