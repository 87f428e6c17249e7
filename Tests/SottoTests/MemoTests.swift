import Foundation
import TestSupport
import Testing

/// The voice memo by its key, on the built program with the simulated microphone: a tone of 440 Hz.
@Suite(.timeLimit(.minutes(15))) struct MemoTests {
  private static let sounds: String = {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sounds").path()
  }()

  private func play(_ folder: Folder, _ changes: [String: String] = [:]) throws -> Screen {
    try folder.write("1.wav", wav(seconds: 60))
    let environment = [
      "SOTTO_SOUNDS": Self.sounds, "XDG_STATE_HOME": folder.path + "/state",
      "XDG_DATA_HOME": folder.path + "/data",
    ].merging(changes) { $1 }
    return try Screen(
      ["play", "--output", "null", folder.path + "/1.wav"], environment: environment, columns: 200)
  }

  /// The memos there are.
  private func memos(_ folder: Folder) -> [String] {
    let place = folder.path + "/data/sotto/Memos"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.sorted().map { place + "/" + $0 }
  }

  /// Waits until the only memo's header promises so many seconds.
  private func records(_ folder: Folder, _ seconds: Double) throws {
    while true {
      if let path = memos(folder).first, Wave.promised(path) >= Int(seconds * 96_000) { return }
      sched_yield()
    }
  }

  @Test func `S36, S37: recording holds the music, which goes on afterwards where it was`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("!")
    #expect(screen.waits(for: "v voice memo"))
    screen.type("v")
    #expect(screen.waits(for: "Interrupted by recording (S29 S36)"))
    #expect(
      screen.waits(for: "Recording from Simulated microphone: \(folder.path)/data/sotto/Memos/"))
    #expect(screen.waits(for: "! v ends it (S36 S37)"))
    #expect(screen.waits(for: "|| 0:0"))
    try records(folder, 1)
    // A tone of the interface is left out.
    screen.type("!m")
    #expect(screen.waits(for: "No sound: recording (S37)"))
    // To play would be heard in it.
    screen.type(" ")
    #expect(screen.waits(for: "Not done: "))
    screen.type("!v")
    #expect(screen.waits(for: "Voice memo, 0:0"))
    #expect(screen.waits(for: ".wav (S36)"))
    #expect(screen.waits(for: "> 0:0"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)

    #expect(memos(folder).count == 1)
    let wave = try #require(try Wave(memos(folder)[0]))
    #expect(wave.promised == wave.samples.count * 2)
    #expect(wave.samples.count >= 48_000)
    #expect(abs(wave.pitch - 440) < 2)
    #expect(wave.samples.max()! > 3200 && wave.samples.max()! < 3300)
  }

  @Test func `S36: paused before, it stays paused`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("!v")
    #expect(screen.waits(for: "! v ends it"))
    try records(folder, 1)
    screen.type("!v")
    #expect(screen.waits(for: "Voice memo, 0:0"))
    screen.type("y")
    #expect(screen.waits(for: "Paused (S2 S70, toggle)"))
    #expect(!screen.transcript.contains("Playing again"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  /// Its ringing is resampled, so libsoxr must be there.
  @Test(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
  func `S28: a call ends the memo and rings, and the music goes on after it`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("!v")
    #expect(screen.waits(for: "! v ends it"))
    try records(folder, 1)
    screen.type("C")
    #expect(screen.waits(for: "Voice memo, 0:0"))
    #expect(screen.waits(for: ".wav (S28 S36)"))
    // The microphone is the call's now.
    screen.type("!v")
    #expect(screen.waits(for: "No voice memo during a call (S28)"))
    screen.type("d")
    #expect(screen.waits(for: "Playing again"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(memos(folder).count == 1)
  }

  @Test func `Quitting or stopping while it records closes the file and names it`() throws {
    for key in ["q", "\u{1A}"] {
      let folder = try Folder()
      let screen = try play(folder)
      #expect(screen.waits(for: "> 0:00"))
      screen.type("!v")
      #expect(screen.waits(for: "! v ends it"))
      try records(folder, 1)
      screen.type(key)
      #expect(screen.waits(for: "Voice memo, 0:0"))
      if key != "q" {
        #expect(screen.waitsForStop())
        screen.send(SIGCONT)
        #expect(screen.waits(for: "> 0:0"))
        screen.type("q")
      }
      #expect(screen.ends() == 0)
      #expect(screen.isAsFound)
      let wave = try #require(try Wave(memos(folder)[0]))
      #expect(wave.promised == wave.samples.count * 2 && wave.samples.count >= 48_000)
    }
  }

  @Test func `A program that is killed while it records leaves a file that plays`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("!v")
    #expect(screen.waits(for: "! v ends it"))
    try records(folder, 1)
    screen.send(SIGKILL)
    #expect(screen.ends() == -SIGKILL)
    let wave = try #require(try Wave(memos(folder)[0]))
    #expect(wave.promised >= 96_000 && wave.promised <= wave.samples.count * 2)
    let info = try Run("info", memos(folder)[0])
    #expect(info.status == 0 && info.errors.isEmpty)
  }

  @Test func `A disk that is full ends the memo with one line, and the music goes on`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    // A second is 96,000 bytes.
    let limit = Process()
    limit.executableURL = URL(filePath: "/usr/bin/prlimit")
    limit.arguments = ["--pid", "\(screen.child)", "--fsize=150001"]
    try limit.run()
    limit.waitUntilExit()
    try #require(limit.terminationStatus == 0)
    screen.type("!v")
    #expect(screen.waits(for: "! v ends it"))
    #expect(
      screen.waits(for: ".wav: the voice memo ends at 0:01: cannot be written: File too large"))
    #expect(screen.waits(for: "Playing again"))
    #expect(screen.waits(for: "> 0:0"))
    screen.type("q")
    #expect(screen.ends() == 1)
    let wave = try #require(try Wave(memos(folder)[0]))
    #expect(wave.promised == wave.samples.count * 2)
    #expect(wave.samples.count > 48_000 && wave.samples.count < 75_001)
    #expect(abs(wave.pitch - 440) < 2)
  }

  @Test func `Where no memo can be kept there is one line, and the music never stops`() throws {
    for (data, line) in [
      ("/dev/null/data", "/dev/null/data/sotto/Memos: no memo can be kept there: Not a directory"),
      ("", "neither XDG_DATA_HOME nor HOME says where to keep it"),
    ] {
      let folder = try Folder()
      let screen = try play(folder, ["XDG_DATA_HOME": data, "HOME": ""])
      #expect(screen.waits(for: "> 0:00"))
      screen.type("!v")
      #expect(screen.waits(for: line))
      screen.type("q")
      #expect(screen.ends() == (data.isEmpty ? 0 : 1))
      #expect(!screen.transcript.contains("||"))
      #expect(!screen.transcript.contains("Interrupted"))
    }
  }
}

/// The memo on a server of the test's own: the default source is the monitor of a sink on which
/// another program plays a tone.
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct MemoServerTests {
  @Test(arguments: PrivateServer.Kind.allCases)
  func `S36: the memo has what the microphone heard, and the music's stream is corked meanwhile`(
    kind: PrivateServer.Kind
  ) throws {
    let server = try PrivateServer(kind, sinks: [.init("speakers"), .init("mic")])
    defer { server.close() }
    let folder = try Folder()
    let tone = try folder.write("tone.wav", sine(hertz: 1000, seconds: 60))
    try server.launch("paplay", ["-d", "mic", tone])
    try server.tool("pactl", ["set-default-source", "mic.monitor"])
    let music = try folder.write("1.wav", wav(seconds: 60))
    var environment = [
      "XDG_STATE_HOME": folder.path + "/state", "XDG_DATA_HOME": folder.path + "/data",
    ]
    for name in ["PULSE_SERVER", "XDG_RUNTIME_DIR", "HOME"] {
      environment[name] = server.environment[name]
    }
    let screen = try Screen(
      ["play", "--output", "pulse", "--device", "speakers", music], environment: environment,
      columns: 200)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("!v")
    #expect(screen.waits(for: "Recording from Monitor of "))
    let place = folder.path + "/data/sotto/Memos"
    var path: String?
    while true {
      path = (try? FileManager.default.contentsOfDirectory(atPath: place))?.first
        .map { place + "/" + $0 }
      // Two seconds of stereo at 48 kHz.
      if let path, Wave.promised(path) >= 384_000 { break }
      sched_yield()
    }
    let text = try server.tool("pactl", ["--format=json", "list", "sink-inputs"])
    let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    let own = list.filter {
      ($0["properties"] as? [String: String])?["application.name"] == "sotto"
    }
    #expect(own.count == 1 && own.first?["corked"] as? Bool == true)
    screen.type("!v")
    #expect(screen.waits(for: "Voice memo, 0:0"))
    #expect(screen.waits(for: "> 0:0"))
    screen.type("q")
    #expect(screen.ends() == 0)

    let wave = try #require(try Wave(path!))
    #expect(wave.channels == 2 && wave.rate == 48_000)
    #expect(abs(wave.left.pitch - 1000) < 5)
    #expect(wave.samples.max()! > 16_000)
  }

  /// A 16-bit mono file of 48 kHz at half of full scale.
  private func sine(hertz: Double, seconds: Int) -> [UInt8] {
    let period = (0..<48).map { Int16(16_384 * sin(2 * .pi * Double($0) * hertz / 48_000)) }
    let bytes = period.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    let samples = [[UInt8]](repeating: bytes, count: seconds * 1000).flatMap { $0 }
    return SignalFile.wave(
      samples, format: SignalFile.waveFormat(.signed16, channels: 1, rate: 48_000))
  }
}

/// A 16-bit WAV file, read by the test's own few lines.
private struct Wave {
  var rate = 0
  var channels = 0
  var samples: [Int16] = []
  /// What the header promises, in bytes of samples.
  var promised = 0

  /// What the header of a file promises by now.
  static func promised(_ path: String) -> Int {
    guard let file = FileHandle(forReadingAtPath: path),
      let header = try? file.read(upToCount: 128)
    else { return 0 }
    return Wave(Array(header))?.promised ?? 0
  }

  /// `nil` where it is no such file.
  init?(_ path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(Array(data))
  }

  private init?(_ bytes: [UInt8]) {
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    var place = 12
    while place + 8 <= bytes.count {
      let size = number(place + 4, 4)
      switch String(decoding: bytes[place..<place + 4], as: UTF8.self) {
      case "fmt ":
        channels = number(place + 10, 2)
        rate = number(place + 12, 4)
      case "data":
        promised = size == 0xFFFF_FFFF ? 0 : size
        let end = min(bytes.count, place + 8 + size)
        samples = stride(from: place + 8, to: end - 1, by: 2).map {
          Int16(bitPattern: UInt16(number($0, 2)))
        }
        return
      default: break
      }
      place += 8 + size + size % 2
    }
    return nil
  }

  /// One channel alone.
  var left: Wave {
    var wave = self
    wave.samples = stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
    wave.channels = 1
    return wave
  }

  /// Of a tone: its rising zero crossings a second, between the first and the last.
  var pitch: Double {
    let crossings = (1..<max(samples.count, 1)).filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * Double(rate) / Double(last - first)
  }
}
