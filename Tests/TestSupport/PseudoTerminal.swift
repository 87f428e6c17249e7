import Foundation

/// A terminal of the test's own: the test reads what a program writes on it, and types.
public final class PseudoTerminal: @unchecked Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// The test's end, and the program's.
  public let master: Int32
  public let slave: Int32
  private let name: String
  private let before: [UInt8]

  public init(columns: UInt16, rows: UInt16) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlock: Int32 = 0
    var number: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname do.
    guard master >= 0, ioctl(master, 0x4004_5431, &unlock) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else { throw Failure(description: "no pseudo terminal: \(errno)") }
    name = "/dev/pts/\(number)"
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard slave >= 0, ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
      throw Failure(description: "\(name): \(errno)")
    }
    before = PseudoTerminal.mode(slave)
  }

  deinit {
    close(master)
    close(slave)
  }

  /// Starts a program on it, in a session of its own; its id. Errors go to the terminal or elsewhere.
  public func start(_ program: String, environment: [String: String], errors: Int32? = nil) throws
    -> pid_t
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens becomes its controlling one.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, errors ?? 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // POSIX_SPAWN_SETSIGDEF, SETSIGMASK and SETSID.
    posix_spawnattr_setflags(&attributes, 0x04 | 0x08 | 0x80)
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
    for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
      if let value = ProcessInfo.processInfo.environment[name] {
        variables.append(strdup("\(name)=\(value)"))
      }
    }
    variables.append(nil)
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let failed = posix_spawn(&child, program, &actions, &attributes, &words, &variables)
    guard failed == 0 else {
      throw Failure(description: "\(program): \(String(cString: strerror(failed)))")
    }
    return child
  }

  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// As control-S does: nothing that is written goes on.
  public func stopOutput() { tcflow(slave, TCOOFF) }

  /// True when the mode is the one it had at first.
  public var isAsFound: Bool { PseudoTerminal.mode(slave) == before }

  /// Waits for the end: the status, or the negative signal.
  public func waitForEnd(of child: pid_t) -> Int32 {
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    return raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
  }

  private static func mode(_ descriptor: Int32) -> [UInt8] {
    var mode = termios()
    tcgetattr(descriptor, &mode)
    return withUnsafeBytes(of: &mode) { Array($0) }
  }
}
