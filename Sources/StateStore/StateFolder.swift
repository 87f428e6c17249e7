import AudioTypes
import Glibc
import Synchronization

/// The folder that state is kept in, and the lock that says whose it is. Any thread.
@safe final class StateFolder: Sendable {
  let path: [UInt8]
  private struct Lock {
    /// The file, held until the state is let go or the process ends; -1 where it is not held.
    var descriptor: CInt
    /// How often it was taken anew.
    var generation = 0
  }

  private let lock: Mutex<Lock>
  let standing: StateStanding

  /// Makes the folder and takes the lock, which the kernel gives back however the process ends. Where
  /// nothing can be written there now, the state is ours all the same if nobody else has it: it can be
  /// read, and written later.
  init(_ path: [UInt8]) {
    self.path = path
    let (descriptor, standing) = Self.take(path)
    lock = Mutex(Lock(descriptor: descriptor))
    self.standing = standing
  }

  private static func take(_ path: [UInt8]) -> (lock: CInt, StateStanding) {
    let cause = make(path)
    guard cause == 0 else { return (-1, .refused(sentence(path, cause))) }
    let name = name(path + Array("/lock".utf8))
    var descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      let cause = errno
      // A lock can be held on what can only be read.
      unsafe descriptor = open(name, O_RDONLY | O_CLOEXEC)
      if descriptor < 0 {
        guard unsafe access(Self.name(path), R_OK | X_OK) == 0 else {
          return (-1, .refused(sentence(path, cause)))
        }
        return (-1, .own)
      }
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let cause = errno
      close(descriptor)
      return (-1, cause == EWOULDBLOCK ? .taken : .refused(sentence(path, cause)))
    }
    return (descriptor, .own)
  }

  deinit { release() }

  /// Another sotto may have it from now on.
  func release() {
    lock.withLock { lock in
      if lock.descriptor >= 0 { close(lock.descriptor) }
      lock.descriptor = -1
    }
  }

  /// Whose state it is now. A folder that somebody has taken away is made again with its lock, unless
  /// another sotto has been faster. A few system calls.
  ///
  /// - Returns: also a number that is another one when it is another folder than before.
  func hold() -> (standing: StateStanding, generation: Int) {
    lock.withLock { lock in
      if lock.descriptor >= 0, Self.isSame(lock.descriptor, file("lock")) {
        return (.own, lock.generation)
      }
      let (new, standing) = Self.take(path)
      guard standing == .own else { return (standing, lock.generation) }
      if new >= 0 {
        if lock.descriptor >= 0 { close(lock.descriptor) }
        lock.descriptor = new
        lock.generation += 1
      }
      return (.own, lock.generation)
    }
  }

  private static func isSame(_ descriptor: CInt, _ path: [UInt8]) -> Bool {
    var (held, there) = (stat(), stat())
    guard unsafe fstat(descriptor, &held) == 0, unsafe stat(name(path), &there) == 0 else {
      return false
    }
    return held.st_dev == there.st_dev && held.st_ino == there.st_ino
  }

  /// Why nothing can be written here, where that is plain to see: for people, without a full stop.
  var obstacle: String? {
    let database = file("state.db")
    for (path, mode) in [(path, W_OK | X_OK), (database, W_OK)] {
      if unsafe access(Self.name(path), mode) != 0, errno != ENOENT { return Self.meaning(errno) }
    }
    var facts = statvfs()
    guard unsafe statvfs(Self.name(path), &facts) == 0 else { return nil }
    return UInt(facts.f_bavail) * UInt(facts.f_frsize) < Self.leastRoom ? "the disk is full" : nil
  }

  /// What SQLite takes beside the file to begin with, in bytes.
  private static let leastRoom: UInt = 64 << 10

  func file(_ name: String) -> [UInt8] { path + Array("/\(name)".utf8) }

  // MARK: Names and errors

  static func name(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

  static func sentence(_ path: [UInt8], _ cause: CInt) -> String {
    "\(Text.printable(path)): \(meaning(cause))"
  }

  static func meaning(_ cause: CInt) -> String { unsafe String(cString: strerror(cause)) }

  /// nil where nothing is.
  static func size(_ path: [UInt8]) -> Int? {
    var facts = stat()
    return unsafe stat(name(path), &facts) == 0 ? Int(facts.st_size) : nil
  }

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
