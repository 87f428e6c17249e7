import Foundation
import Testing

/// A terminal of the test's own with the program on it.
final class Screen {
  private let master: Int32
  private let slave: Int32
  private let before: [UInt8]
  let child: pid_t
  private(set) var text = ""
  /// All that was ever shown.
  private(set) var transcript = ""
  /// The same as it came.
  private(set) var bytes: [UInt8] = []

  /// Paths are bytes and follow the arguments.
  init(
    _ arguments: [String], paths: [[UInt8]] = [], environment: [String: String] = [:],
    columns: UInt16 = 80, rows: UInt16 = 24
  ) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    var unlock: Int32 = 0
    var number: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname do.
    try #require(ioctl(master, 0x4004_5431, &unlock) == 0)
    try #require(ioctl(master, 0x8004_5430, &number) == 0)
    let name = "/dev/pts/\(number)"
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(slave, UInt(TIOCSWINSZ), &size) == 0)
    before = Screen.mode(slave)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens becomes its controlling one.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    child = try spawn(
      arguments.map { Array($0.utf8) } + paths,
      // A terminal that nobody knows gets the line.
      Run.environment(["TERM": "nobody-knows"].merging(environment) { $1 }), &actions,
      leadsSession: true)
  }

  deinit {
    close(master)
    close(slave)
  }

  private static func mode(_ descriptor: Int32) -> [UInt8] {
    var mode = termios()
    tcgetattr(descriptor, &mode)
    return withUnsafeBytes(of: &mode) { Array($0) }
  }

  var isAsFound: Bool { Screen.mode(slave) == before }

  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(master, bytes, bytes.count)
  }

  func send(_ number: Int32) { kill(child, number) }

  /// Reads until the screen has shown a text since the last wait. False when the terminal ended or
  /// nothing came for twenty seconds.
  @discardableResult func waits(for wanted: String) -> Bool {
    while true {
      if let range = text.range(of: wanted) {
        text = String(text[range.upperBound...])
        return true
      }
      guard readMore() else { return false }
    }
  }

  /// Takes what is there, after the end.
  func takeRest() {
    var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, 0) > 0, wait.revents & Int16(POLLIN) != 0, readMore() {}
  }

  private func readMore() -> Bool {
    var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 120_000) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &bytes, bytes.count)
    guard count > 0 else { return false }
    let piece = String(decoding: bytes[..<count], as: UTF8.self)
    self.bytes += bytes[..<count]
    text += piece
    transcript += piece
    return true
  }

  /// Waits until the child stops or ends; true when it stopped.
  func waitsForStop() -> Bool {
    var raw: Int32 = 0
    while waitpid(child, &raw, WUNTRACED) < 0, errno == EINTR {}
    return raw & 0xFF == 0x7F
  }

  /// The end: the status, or the negative signal.
  func ends() -> Int32 {
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    let (status, isSignalled) = Run.ending(raw)
    return isSignalled ? -status : status
  }
}

@Suite(.timeLimit(.minutes(15))) struct TerminalTests {
  private static func play(
    _ folder: Folder, _ more: String..., columns: UInt16 = 80,
    environment: [String: String] = [:]
  ) throws -> Screen {
    try folder.write("1.wav", wav(seconds: 60))
    try folder.write("2.wav", wav(seconds: 60))
    return try Screen(
      ["play", "--output", "null"] + more + [folder.path], environment: environment,
      columns: columns)
  }

  @Test func `Keys pause, seek, change volume and track, and quit`() throws {
    let folder = try Folder()
    let screen = try Self.play(folder)
    #expect(screen.waits(for: "> 0:00 / 1:00  1.wav"))
    #expect(!screen.isAsFound)
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("\u{1B}[C\u{1B}[C")
    #expect(screen.waits(for: "|| 0:1"))
    screen.type(" ")
    #expect(screen.waits(for: "> 0:1"))
    screen.type("\u{1B}[B")
    #expect(screen.waits(for: "95%"))
    screen.type("m")
    #expect(screen.waits(for: "muted"))
    screen.type("n")
    #expect(screen.waits(for: "2.wav"))
    screen.type("p")
    #expect(screen.waits(for: "1.wav"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)
  }

  @Test func `Title and length on the line are of one track at any moment`() throws {
    let folder = try Folder()
    let first = try folder.write("1.wav", wav(seconds: 60))
    let second = try folder.write("2.wav", wav(seconds: 30))
    let screen = try Screen(["play", "--output", "null", first, second])
    #expect(screen.waits(for: "> 0:00 / 1:00  1.wav"))
    for _ in 0..<3 {
      screen.type("n")
      #expect(screen.waits(for: "/ 0:30  2.wav"))
      screen.type("p")
      #expect(screen.waits(for: "/ 1:00  1.wav"))
    }
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(!screen.transcript.contains("/ 1:00  2.wav"))
    #expect(!screen.transcript.contains("/ 0:30  1.wav"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV])
  func `A signal leaves the terminal as it was`(_ number: Int32) throws {
    let folder = try Folder()
    let screen = try Self.play(folder)
    #expect(screen.waits(for: "> 0:0"))
    #expect(!screen.isAsFound)
    screen.send(number)
    #expect(screen.ends() == (number == SIGINT ? 130 : -number))
    #expect(screen.isAsFound)
  }

  @Test func `The interrupt key ends with 130`() throws {
    let folder = try Folder()
    let screen = try Self.play(folder)
    #expect(screen.waits(for: "> 0:0"))
    screen.type("\u{3}")
    #expect(screen.ends() == 130)
    #expect(screen.isAsFound)
  }

  @Test func `The stop key gives the terminal back, and continuing plays on`() throws {
    let folder = try Folder()
    let screen = try Self.play(folder)
    for _ in 0..<2 {
      #expect(screen.waits(for: "> 0:0"))
      screen.type("\u{1A}")
      #expect(screen.waitsForStop())
      #expect(screen.isAsFound)
      screen.send(SIGCONT)
      #expect(screen.waits(for: "|| 0:0"))
      #expect(screen.waits(for: "> 0:0"))
      #expect(!screen.isAsFound)
    }
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("\u{1A}")
    #expect(screen.waitsForStop())
    screen.send(SIGCONT)
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)
  }

  @Test func `A message stands above the line, and a bad file leaves the terminal alone`() throws {
    let folder = try Folder()
    try folder.write("0.wav", Array(wav(seconds: 1).prefix(30)))
    let screen = try Self.play(folder)
    #expect(screen.waits(for: "0.wav: "))
    #expect(screen.waits(for: "\r\n"))
    #expect(screen.waits(for: "> 0:00 / 1:00  1.wav"))
    screen.type("q")
    #expect(screen.ends() == 1)
    #expect(screen.isAsFound)
  }

  /// A named pipe, and its reader, who takes nothing yet: the pipe holds less than a second.
  private static func pipe(in folder: Folder) throws -> (path: String, reader: CInt) {
    let path = folder.path + "/pipe"
    try #require(mkfifo(path, 0o644) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    return (path, reader)
  }

  @Test func `A pipe whose reader stands still holds up neither the line nor the keys`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 60))
    let pipe = try Self.pipe(in: folder)
    defer { close(pipe.reader) }
    let screen = try Screen(["play", "--output", "file:\(pipe.path)", file], columns: 250)
    #expect(screen.waits(for: "a.wav"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:00 / 1:00  a.wav"))
    screen.type(" ")
    #expect(screen.waits(for: "> 0:00 / 1:00  a.wav"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)
  }

  @Test func `At the end of the queue nothing of it begins again`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 2, rate: 44_100))
    for _ in 0..<8 {
      let run = try Run("play", "--output", "file:\(folder.path)/out.wav", file)
      #expect(run.status == 0)
      let size = try Data(contentsOf: URL(filePath: folder.path + "/out.wav")).count
      #expect((705_600...705_700).contains(size))
    }
  }

  @Test func `A slow reader of a pipe gets every frame`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 2, rate: 44_100))
    let pipe = try Self.pipe(in: folder)
    defer { close(pipe.reader) }
    let screen = try Screen(["play", "--output", "file:\(pipe.path)", file], columns: 250)
    #expect(screen.waits(for: "a.wav"))
    let isBlocking = fcntl(pipe.reader, F_SETFL, 0) == 0
    try #require(isBlocking)
    var heard: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while case let more = read(pipe.reader, &bytes, bytes.count), more > 0 {
      heard += bytes[..<more]
    }
    #expect(screen.ends() == 0)
    // The same into a file, which never waits.
    let plain = try Run("play", "--output", "file:\(folder.path)/plain.wav", file)
    #expect(plain.status == 0)
    let wanted = try [UInt8](Data(contentsOf: URL(filePath: folder.path + "/plain.wav")))
    #expect(heard.count == wanted.count)
    let firstOther = zip(heard, wanted).dropFirst(94).enumerated().first { $1.0 != $1.1 }?.offset
    #expect(firstOther == nil)
  }

  @Test func `After the message of a lost output the line is not drawn again`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 60))
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o644) == 0)
    // A pipe whose reader goes away is an output that is lost while it plays.
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    let screen = try Screen(["play", "--output", "file:\(pipe)", file], columns: 250)
    // The pipe holds less than the track, so the program waits for us in the middle of it.
    var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    try #require(poll(&wait, 1, 120_000) > 0)
    #expect(screen.waits(for: "a.wav"))
    close(reader)
    #expect(screen.waits(for: "sotto: "))
    #expect(screen.ends() == 69)
    screen.takeRest()
    #expect(!screen.text.contains("a.wav") && !screen.text.contains("0:0"))
    #expect(screen.isAsFound)
  }

  @Test func `S72: a dumb terminal and --plain get lines without escapes and keep their mode`()
    throws
  {
    let spoken = "Track 1 of 1: a.wav, 0 seconds.\r\n"
    for (option, term, line) in [
      ("--plain", "xterm", spoken), ("--no-resume", "dumb", "Playing: a.wav (0:00)\r\n"),
    ] {
      let folder = try Folder()
      let file = try folder.write("a.wav")
      let screen = try Screen(
        ["play", "--output", "null", option, file], environment: ["TERM": term])
      #expect(screen.waits(for: line))
      #expect(screen.ends() == 0)
      #expect(screen.isAsFound)
      screen.takeRest()
      #expect(!screen.text.contains("\u{1B}"))
    }
  }

  @Test func `S72: with --plain a whole session is told in lines, each in its turn`() throws {
    let folder = try Folder()
    // Of the track's own rate: nothing is resampled, for which a library may be missing.
    let sounds = try Folder()
    try FileManager.default.createDirectory(
      atPath: sounds.path + "/effects", withIntermediateDirectories: true)
    for name in ["ringtone", "call-caller", "call-callee"] {
      try sounds.write("effects/\(name).wav", wav(seconds: 5))
    }
    let screen = try Self.play(
      folder, "--plain",
      environment: ["TERM": "xterm-256color", "SOTTO_SOUNDS": sounds.path])
    #expect(screen.waits(for: "Press enter to hear how it stands, ? for the keys, q to quit.\r\n"))
    for (keys, line) in [
      ("", "Track 1 of 2: 1.wav, 1 minute."), (" ", "Paused."),
      ("\r", "Nothing stands in the way."), ("", "The queue has 2 tracks."), (" ", "Playing."),
      ("n", "Track 2 of 2: 2.wav, 1 minute."), ("C", "A call rings: Phone."),
      ("a", "In a call with Phone."), ("d", "The call is over."), ("-", "Volume 95 percent"),
      ("m", "Muted."), ("m", "Not muted any more."), ("s", "Shuffle on."),
      ("r", "Repeat all tracks."), ("u", "There is nothing to undo."), ("?", "play or pause"),
    ] {
      screen.type(keys)
      #expect(screen.waits(for: line), "\(keys): \(line)")
    }
    screen.type("q")
    #expect(screen.ends() == 0)
    screen.takeRest()
    #expect(!screen.transcript.contains("\u{1B}"))
    #expect(screen.transcript.matches(of: /Shuffle on/).count == 1)
    #expect(screen.isAsFound)
  }

  @Test func `A terminal of a few columns is not overrun`() throws {
    let folder = try Folder()
    let screen = try Self.play(folder, columns: 8)
    #expect(screen.waits(for: "\r> 0:...\u{1B}[K"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }
}
