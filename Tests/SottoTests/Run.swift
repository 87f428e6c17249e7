import Foundation
import Testing

/// Runs the built program as people do, with input, output and environment of the test's own.
struct Run {
  var status: Int32 = 0
  /// True when a signal ended it; then `status` is the signal.
  var isSignalled = false
  var output: [UInt8] = []
  var errors: [UInt8] = []

  var text: String { String(decoding: output, as: UTF8.self) }
  var errorLines: [String] {
    String(decoding: errors, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The program lies beside the test bundle.
  static let program: String = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((tests ?? "") as NSString).deletingLastPathComponent + "/sotto"
  }()

  /// A folder of its own for what a run keeps; all of them are removed at the end of the tests.
  private static func stateFolder() -> String { states + "/" + UUID().uuidString }

  private static let states: String = {
    let path = NSTemporaryDirectory() + "sotto-states-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: Run.states) }
    return path
  }()

  /// No sound server, no home, a UTF-8 locale and no terminal, unless a test says otherwise.
  static func environment(_ changes: [String: String] = [:]) -> [String: String] {
    var environment = [
      "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
      "PULSE_SERVER": "unix:/nonexistent/pulse", "XDG_RUNTIME_DIR": "/nonexistent",
      "ALSA_CONFIG_PATH": "/dev/null",
    ]
    // With a home it is kept there.
    if changes["HOME"] == nil { environment["XDG_STATE_HOME"] = stateFolder() }
    for name in [
      "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE", "LD_LIBRARY_PATH",
    ] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
    return environment.merging(changes) { $1 }
  }

  /// Arguments are bytes. Both outputs are read to their ends before the status is taken.
  init(
    _ arguments: [[UInt8]], environment changes: [String: String] = [:], input: Int32? = nil,
    output given: Int32? = nil
  ) throws {
    var outputs: [(read: Int32, write: Int32)] = []
    for _ in 0..<2 {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      outputs.append((ends[0], ends[1]))
    }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input ?? null, 0)
    posix_spawn_file_actions_adddup2(&actions, given ?? outputs[0].write, 1)
    posix_spawn_file_actions_adddup2(&actions, outputs[1].write, 2)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let child = try spawn(arguments, Run.environment(changes), &actions)
    close(null)
    for end in outputs { close(end.write) }
    let errorText = Reader(outputs[1].read)
    output = Run.readAll(outputs[0].read)
    errors = errorText.value()
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    (status, isSignalled) = Run.ending(raw)
  }

  init(_ arguments: String..., environment: [String: String] = [:]) throws {
    try self.init(arguments.map { Array($0.utf8) }, environment: environment)
  }

  /// The same beside the threads that tests run on, of which there are as many as processors: for
  /// what takes many seconds and hardly computes.
  static func apart(_ arguments: String..., environment: [String: String] = [:]) async throws
    -> Run
  {
    let bytes = arguments.map { Array($0.utf8) }
    return try await withCheckedThrowingContinuation { answer in
      DispatchQueue.global().async {
        answer.resume(with: Result { try Run(bytes, environment: environment) })
      }
    }
  }

  static func ending(_ raw: Int32) -> (Int32, Bool) {
    raw & 0x7F == 0 ? (raw >> 8 & 0xFF, false) : (raw & 0x7F, true)
  }

  static func readAll(_ descriptor: Int32) -> [UInt8] {
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Reads one descriptor on a thread of its own, so that neither output can block the other.
  private final class Reader: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) {
      Thread.detachNewThread { [self] in
        bytes = Run.readAll(descriptor)
        done.signal()
      }
    }

    func value() -> [UInt8] {
      done.wait()
      return bytes
    }
  }
}

/// Starts the program; returns its id. Signals are as a shell gives them: none blocked, none
/// ignored, whatever the test's own thread does. A session's leader has no terminal yet.
func spawn(
  _ arguments: [[UInt8]], _ environment: [String: String],
  _ actions: inout posix_spawn_file_actions_t, leadsSession: Bool = false
) throws -> pid_t {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  // POSIX_SPAWN_SETSIGDEF, SETSIGMASK and SETSID.
  posix_spawnattr_setflags(&attributes, 0x04 | 0x08 | (leadsSession ? 0x80 : 0))
  let words = [Array(Run.program.utf8)] + arguments
  let argv = words.map { word in strdup(word.map { CChar(bitPattern: $0) } + [0]) } + [nil]
  let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
  defer { for text in argv + envp { free(text) } }
  var child: pid_t = 0
  let result = posix_spawn(&child, Run.program, &actions, &attributes, argv, envp)
  try #require(result == 0, "\(Run.program): \(String(cString: strerror(result)))")
  return child
}

/// A folder of a test's own, removed with it.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sotto-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: [UInt8], _ content: [UInt8]) throws -> [UInt8] {
    let file = Array((path + "/").utf8) + name
    let descriptor = open(
      file.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(Glibc.write(descriptor, content, content.count) == content.count)
    return file
  }

  @discardableResult
  func write(_ name: String, _ content: [UInt8] = wav(seconds: 0.1)) throws -> String {
    String(decoding: try write(Array(name.utf8), content), as: UTF8.self)
  }
}

/// A 16-bit stereo WAV file, a soft saw.
func wav(seconds: Double, rate: Int = 8000) -> [UInt8] {
  let frames = Int(seconds * Double(rate))
  func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  var bytes = Array("RIFF".utf8) + little(36 + frames * 4, 4) + Array("WAVEfmt ".utf8)
  bytes += little(16, 4) + little(1, 2) + little(2, 2) + little(rate, 4) + little(rate * 4, 4)
  bytes += little(4, 2) + little(16, 2) + Array("data".utf8) + little(frames * 4, 4)
  let end = bytes.count + frames * 4
  // Tooth by tooth: sample by sample a minute takes long where a sanitizer watches.
  let tooth = (0..<40).map { $0 * 50 - 1000 }.flatMap { little($0, 2) + little(-$0, 2) }
  while bytes.count < end { bytes += tooth.prefix(end - bytes.count) }
  return bytes
}
