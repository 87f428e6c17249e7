import AudioTypes
import Glibc
import Synchronization

/// The folder that state is kept in, and the lock that says whose it is. Any thread.
@safe final class StateFolder: Sendable {
  let path: [UInt8]
  /// The lock file, held until the state is let go or the process ends; -1 where it is not held.
  private let lock: Mutex<CInt>
  let standing: StateStanding

  /// Makes the folder and takes the lock, which the kernel gives back however the process ends.
  init(_ path: [UInt8]) {
    self.path = path
    var cause = Self.make(path)
    guard cause == 0 else {
      lock = Mutex(-1)
      standing = .refused(Self.sentence(path, cause))
      return
    }
    let name = Self.name(path + Array("/lock".utf8))
    let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      lock = Mutex(-1)
      standing = .refused(Self.sentence(path, errno))
      return
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      cause = errno
      close(descriptor)
      lock = Mutex(-1)
      standing = cause == EWOULDBLOCK ? .taken : .refused(Self.sentence(path, cause))
      return
    }
    lock = Mutex(descriptor)
    standing = .own
  }

  deinit { release() }

  /// Another sotto may have it from now on.
  func release() {
    lock.withLock { lock in
      if lock >= 0 { close(lock) }
      lock = -1
    }
  }

  func file(_ name: String) -> [UInt8] { path + Array("/\(name)".utf8) }

  // MARK: Names and errors

  static func name(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

  static func sentence(_ path: [UInt8], _ cause: CInt) -> String {
    "\(Text.printable(path)): \(meaning(cause))"
  }

  static func meaning(_ cause: CInt) -> String { unsafe String(cString: strerror(cause)) }

  static func exists(_ path: [UInt8]) -> Bool { unsafe access(name(path), F_OK) == 0 }

  /// Makes a folder and those above it.
  ///
  /// - Returns: 0, or why it is not there.
  private static func make(_ path: [UInt8]) -> CInt {
    if isFolder(path) { return 0 }
    for index in path.indices.dropFirst() where path[index] == UInt8(ascii: "/") {
      _ = unsafe mkdir(name(Array(path[..<index])), 0o700)
    }
    if unsafe mkdir(name(path), 0o700) == 0 { return 0 }
    let cause = errno
    return isFolder(path) ? 0 : cause == EEXIST ? ENOTDIR : cause
  }

  private static func isFolder(_ path: [UInt8]) -> Bool {
    var facts = stat()
    return unsafe stat(name(path), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}

/// Whose state it is.
public enum StateStanding: Equatable, Sendable {
  case own
  /// Another sotto runs and keeps it.
  case taken
  /// It can be kept nowhere, and why.
  case refused(String)
}
