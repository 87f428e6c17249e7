import Foundation

extension Pipe {
  /// A pipe that only the child it is given to inherits: with its writing end in any other program
  /// that is started meanwhile, a reader would wait for that program's end.
  static func ours() -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
  }
}

/// A child process by the system's own calls. (Foundation's Process can wait for ever for a child
/// that ended when it is used on a thread without a run loop.)
final class ChildProcess: @unchecked Sendable {
  let pid: pid_t
  private let lock = NSLock()
  private var status: Int32?

  /// Starts `name` from PATH with the environment given. Its output goes to `output`, its errors
  /// to `errors`; -1 is /dev/null.
  init(
    _ name: String, _ arguments: [String], environment: [String: String], output: Int32 = -1,
    errors: Int32 = -1
  ) throws {
    guard let path = ChildProcess.path(of: name) else {
      throw PrivateServer.Failure(description: "\(name) is not installed: make test installs it")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, target) in [(output, Int32(1)), (errors, Int32(2))] {
      if descriptor >= 0 {
        posix_spawn_file_actions_adddup2(&actions, descriptor, target)
      } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_WRONLY, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Test runners block signals; servers need theirs.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    let failed = posix_spawn(&pid, path, &actions, &attributes, words, variables)
    guard failed == 0 else {
      throw PrivateServer.Failure(description: "\(name): \(String(cString: strerror(failed)))")
    }
    self.pid = pid
  }

  /// Waits for the end and returns the exit status; 128 and the signal when one ended it.
  @discardableResult
  func wait() -> Int32 {
    lock.lock()
    defer { lock.unlock() }
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
    let end = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
    status = end
    return end
  }

  /// Sends a signal; nothing when the process was waited for.
  func signal(_ number: Int32) {
    lock.lock()
    defer { lock.unlock() }
    if status == nil { kill(pid, number) }
  }

  private static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
