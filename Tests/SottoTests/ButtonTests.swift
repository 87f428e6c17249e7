import Foundation
import TestSupport
import Testing

/// A headset that is not there: umockdev's simulated /dev/input for a real sotto with the real
/// libevdev.
final class FakeHeadset {
  let folder: Folder
  let root: String
  private let process: Process
  private let input = Pipe()
  private let answers: FileHandle

  /// - Parameter codes: the keys that it has.
  init(_ name: String = "Wired headset", codes: [Int]) throws {
    folder = try Folder()
    let script = try folder.write("headset.py", Array(Self.script.utf8))
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/umockdev-wrapper")
    process.arguments = ["/usr/bin/python3", script, name] + codes.map { "\($0)" }
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    answers = output.fileHandleForReading
    root = Self.line(answers)
    try #require(!root.isEmpty, "the simulated devices did not come up")
  }

  deinit {
    // The end of its input would not do, a player may hold that pipe too; and it outlives SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: root)
  }

  /// What a program needs to see these devices.
  var environment: [String: String] {
    ["LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root]
  }

  private static func line(_ handle: FileHandle) -> String {
    var bytes: [UInt8] = []
    while let byte = (try? handle.read(upToCount: 1))?.first, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func tell(_ words: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Array((words + "\n").utf8))
    try #require(Self.line(answers) == "ok")
  }

  func plug() throws { try tell("add") }
  func unplug() throws { try tell("remove") }

  /// Keys that go down (1), up (0) or repeat (2), in one piece.
  func keys(_ keys: (code: Int, value: Int)...) throws {
    try tell("keys " + keys.map { "\($0.code):\($0.value)" }.joined(separator: " "))
  }

  /// Down and up again, that often.
  func press(_ code: Int, times: Int = 1) throws {
    let keys = Array(repeating: "\(code):1 \(code):0", count: times)
    try tell("keys " + keys.joined(separator: " "))
  }

  private static let script = #"""
    import os, struct, sys, tempfile
    import gi
    gi.require_version("UMockdev", "1.0")
    from gi.repository import UMockdev

    name, codes = sys.argv[1], [int(code) for code in sys.argv[2:]]
    bed = UMockdev.Testbed.new()
    number = 6
    # Other kinds of events, none of which it has, and the bytes in which the kernel tells.
    others = [(2, 8), (3, 8), (4, 8), (5, 8), (17, 8), (18, 8), (20, 8), (21, 16)]

    def bits(numbers, size):
        data = bytearray(size)
        for number in numbers:
            data[number // 8] |= 1 << (number % 8)
        return bytes(data).hex().upper()

    def node():
        return f"/dev/input/event{number}"

    def place():
        return f"/devices/headset/input/input{number}/event{number}"

    def add():
        # As in the kernel, what comes back has another number.
        global number
        number += 1
        text = name.encode() + b"\0"
        lines = [
            "EVIOCGVERSION 0 01000100",
            "EVIOCGID 0 0300F30507000001",
            f"EVIOCGNAME(0) {len(text)} {text.hex().upper().ljust(510, '0')}",
            f"EVIOCGBIT(0) 8 {bits([0, 1], 8)}",
            f"EVIOCGBIT(1) 96 {bits(codes, 96)}",
            f"EVIOCGPROP(0) 8 {bits([], 8)}",
            *(f"EVIOCGBIT({kind}) {size} {bits([], size)}" for kind, size in others),
            f"EVIOCGKEY(0) 96 {bits([], 96)}",
            f"EVIOCGLED(0) 8 {bits([], 8)}",
            f"EVIOCGSW(0) 8 {bits([], 8)}",
        ]
        # What it answers is there before it is: a real one is not seen without.
        with tempfile.NamedTemporaryFile("w", suffix=".ioctl") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            bed.load_ioctl(node(), file.name)
        bed.add_from_string(
            f"P: {place()}\nN: input/event{number}\nE: DEVNAME={node()}\nE: SUBSYSTEM=input\n"
            f"E: MAJOR=13\nE: MINOR={64 + number}\nA: dev=13:{64 + number}\n")

    def remove():
        os.unlink(bed.get_root_dir() + node())
        bed.remove_device("/sys" + place())

    # As in the kernel there is more than the headset, so that the folder stays.
    os.makedirs(bed.get_root_dir() + "/dev/input")
    open(bed.get_root_dir() + "/dev/input/mice", "w").close()
    print(bed.get_root_dir(), flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "add":
            add()
        elif words[0] == "remove":
            remove()
        elif words[0] == "keys":
            data = b""
            for word in words[1:]:
                code, value = word.split(":")
                data += struct.pack("llHHi", 0, 0, 1, int(code), int(value))
                data += struct.pack("llHHi", 0, 0, 0, 0, 0)
            os.write(bed.get_dev_fd(node()), data)
        print("ok", flush=True)
    """#
}

/// Buttons of headsets, from the kernel's events to what is heard (S14, S63, S70).
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct ButtonTests {
  private static let button = 226
  private static let (louder, stop, pause, play, next) = (115, 166, 201, 200, 163)

  /// A player that reads a headset which is plugged in, and a program that watches it.
  private struct Stage {
    let headset: FakeHeadset
    let player: Playing
    let watcher: Caller

    init(_ codes: [Int], name: String = "Wired headset", environment: [String: String] = [:])
      throws
    {
      headset = try FakeHeadset(name, codes: codes + [ButtonTests.louder])
      let folder = try Folder()
      let paths = try (1...3).map { try folder.write("track \($0).wav", wav(seconds: 600)) }
      player = try Playing(
        ["play", "--output", "null"] + paths, in: folder,
        environment: headset.environment.merging(environment) { $1 })
      try player.waitUntilItAnswers()
      try headset.plug()
      try Self.waitUntilRead(headset, player)
      watcher = try Caller(player.socket)
      watcher.send("watch\n")
      try #require(watcher.object()?["display"] as? String == "playing")
    }

    /// A device that has just come is read when its keys of the volume change it.
    static func waitUntilRead(_ headset: FakeHeadset, _ player: Playing) throws {
      try player.ctl("volume", "20")
      try #require(
        player.wait {
          try headset.press(ButtonTests.louder)
          return try player.value("volume") as? Int ?? 0 > 20
        })
    }

    /// The next value of a field that is told.
    func next(_ name: String) throws -> String {
      while true {
        let object = try #require(watcher.object(), "\(name) was not told")
        if let value = object[name] { return "\(value)" }
      }
    }

    /// Time goes by on the player's clock.
    func pass(_ seconds: Double) throws {
      let began = try #require(try player.value("at") as? Double)
      try #require(player.wait { try player.value("at") as? Double ?? 0 >= began + seconds })
    }
  }

  @Test func `One press toggles, two are next, three are previous`() throws {
    let stage = try Stage([Self.button])
    try stage.headset.press(Self.button)
    #expect(try stage.next("display") == "paused")
    try stage.headset.press(Self.button)
    #expect(try stage.next("display") == "playing")
    try stage.headset.press(Self.button, times: 2)
    #expect(try stage.next("track") == "1")
    // At its beginning: previous is the track before.
    try stage.player.ctl("pause")
    try stage.player.ctl("seek", "0")
    try stage.headset.press(Self.button, times: 3)
    #expect(try stage.next("track") == "0")
    #expect(try stage.player.value("display") as? String == "paused")
  }

  @Test func `Held down it is one press, and a plug that is pulled is none`() throws {
    let stage = try Stage([Self.button])
    let button = Self.button
    try stage.headset.keys((button, 1), (button, 2), (button, 2), (button, 2))
    #expect(try stage.next("display") == "paused")
    try stage.headset.keys((button, 2), (button, 0))
    try stage.headset.keys((button, 1))
    try stage.headset.unplug()
    try stage.pass(0.5)
    // Nothing has toggled; and what is plugged in again is read again.
    #expect(try stage.player.ctl("play").text == "Playing\n")
    #expect(try stage.next("display") == "playing")
    try stage.headset.plug()
    try Stage.waitUntilRead(stage.headset, stage.player)
    try stage.headset.press(button)
    #expect(try stage.next("display") == "paused")
  }

  @Test func `S70: Keys that have names do what they say`() throws {
    let stage = try Stage([Self.stop, Self.pause, Self.play, Self.next])
    try stage.headset.press(Self.pause)
    #expect(try stage.next("display") == "paused")
    try stage.headset.press(Self.pause)
    try stage.headset.press(Self.next)
    #expect(try stage.next("track") == "1")
    #expect(try stage.player.value("display") as? String == "paused")
    try stage.headset.press(Self.play)
    #expect(try stage.next("display") == "playing")
    try stage.headset.press(Self.play)
    try stage.headset.press(Self.stop)
    #expect(try stage.next("display") == "stopped")
  }

  @Test func `A press answers a call and ends it, a long one declines, and music is music again`()
    throws
  {
    let stage = try Stage([Self.button])
    let button = Self.button
    try stage.player.ctl("try", "call")
    #expect(try stage.next("display") == "interrupted")
    try stage.headset.press(button)
    #expect(
      try stage.player.wait {
        (try stage.player.value("call") as? [String: Any])?["phase"] as? String == "talking"
      })
    // The finger of the answer is forgiven; this is another one.
    try stage.pass(0.5)
    try stage.headset.press(button)
    #expect(try stage.next("display") == "playing")
    #expect(try stage.player.value("call") == nil)
    try stage.pass(0.5)
    try stage.player.ctl("try", "call")
    #expect(try stage.next("display") == "interrupted")
    let rang = try #require(try stage.player.value("at") as? Double)
    try stage.headset.keys((button, 1))
    #expect(try stage.next("display") == "playing")
    // Declined: a call that nobody answers rings for 25 s.
    #expect(try #require(try stage.player.value("at") as? Double) < rang + 20)
    try stage.headset.keys((button, 0))
    try stage.pass(0.5)
    try stage.headset.press(button)
    #expect(try stage.next("display") == "paused")
  }

  @Test func `A keyboard's keys stay music's during a call`() throws {
    let stage = try Stage([30, 164])
    try stage.player.ctl("try", "call")
    #expect(try stage.next("display") == "interrupted")
    try stage.headset.press(164)
    #expect(
      try stage.player.wait {
        (try stage.player.value("said") as? String)?.hasPrefix("Will start after") == true
      })
    #expect((try stage.player.value("call") as? [String: Any])?["phase"] as? String == "ringing")
  }

  @Test func `Where a desktop has the keys sotto leaves them to it`() throws {
    let headset = try FakeHeadset(codes: [Self.stop])
    try headset.plug()
    let folder = try Folder()
    let player = try Playing(
      ["play", "--output", "null", folder.write("track.wav", wav(seconds: 600))], in: folder,
      environment: headset.environment.merging(["DISPLAY": ":77"]) { $1 })
    try player.waitUntilItAnswers()
    try headset.press(Self.stop)
    #expect(try player.wait { try player.value("position") as? Double ?? 0 > 1 })
    #expect(try player.value("display") as? String == "playing")
  }
}
