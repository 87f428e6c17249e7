import AudioTypes
import Glibc

/// Why `sotto ctl` and a player do not meet.
public struct ControlError: Error, Equatable, Sendable {
  /// For people, without a full stop.
  public var sentence: String
  /// There is nobody to talk to: no player runs, or not that one.
  public var isAbsence = false

  public init(_ sentence: String, isAbsence: Bool = false) {
    self.sentence = sentence
    self.isAbsence = isAbsence
  }

  static func system(_ what: String, _ cause: CInt) -> ControlError {
    ControlError("\(what): \(unsafe String(cString: strerror(cause)))")
  }
}

/// The folder of the control sockets: `sotto` is the first player's, `sotto.PID` those of further
/// ones. Only its owner may enter it. Any thread.
public struct ControlFolder: Sendable {
  public let path: [UInt8]
  let user: uid_t

  /// - Parameter user: whose folder it must be, and whose sockets are in it.
  public init(path: [UInt8], user: uid_t = geteuid()) {
    self.path = path
    self.user = user
  }

  /// - Parameters:
  ///   - runtime: what `XDG_RUNTIME_DIR` says. Where it is not the user's own (after `su` it is that
  ///     of another) the folder is one in `temporary`.
  public static func standard(
    runtime: [UInt8]?, temporary: [UInt8] = Array("/tmp".utf8), user: uid_t = geteuid()
  ) -> ControlFolder {
    if let runtime, runtime.first == UInt8(ascii: "/") {
      var facts = stat()
      if unsafe stat(runtime.map { CChar(bitPattern: $0) } + [0], &facts) == 0,
        facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == user
      {
        return ControlFolder(path: runtime + Array("/sotto".utf8), user: user)
      }
    }
    return ControlFolder(path: temporary + Array("/sotto-\(user)".utf8), user: user)
  }

  var name: String { Text.printable(path) }

  /// The folder, checked: a real one, ours, and closed to others.
  func open(making: Bool) throws(ControlError) -> ControlDescriptor {
    let words = path.map { CChar(bitPattern: $0) } + [0]
    if making { _ = unsafe mkdir(words, 0o700) }
    let number = unsafe Glibc.open(words, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else {
      let cause = errno
      if cause == ENOENT, !making { throw ControlError("no player is running", isAbsence: true) }
      if cause == ELOOP || cause == ENOTDIR { throw ControlError("\(name) is not a folder") }
      throw .system(name, cause)
    }
    let descriptor = ControlDescriptor(taking: number)
    var facts = stat()
    guard unsafe fstat(number, &facts) == 0 else { throw .system(name, errno) }
    guard facts.st_uid == user else { throw ControlError("\(name) belongs to another user") }
    guard facts.st_mode & 0o077 == 0 else {
      throw ControlError("\(name) is open to other users; chmod 700 closes it")
    }
    return descriptor
  }

  /// The address of a socket in it. A path that is too long for one is reached through the open
  /// folder.
  func address(_ socket: String, in folder: ControlDescriptor) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    var bytes = path + Array("/\(socket)".utf8)
    if bytes.count >= room { bytes = Array("/proc/self/fd/\(folder.number)/\(socket)".utf8) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe place.copyBytes(from: bytes.prefix(room - 1))
    }
    return address
  }

  // MARK: Who is there

  enum Answer { case alive, dead, absent }

  /// Whether somebody listens there.
  func probe(_ socket: String, in folder: ControlDescriptor) -> Answer {
    guard let descriptor = ControlDescriptor.socket() else { return .alive }
    switch descriptor.connect(address(socket, in: folder)) {
    case 0, EAGAIN, EINPROGRESS: return .alive
    case ENOENT: return .absent
    case ECONNREFUSED: return .dead
    default: return .alive
    }
  }

  /// The players that run, the first one first, then by their ids. Who only looks removes nothing: a
  /// dead player's socket may be another one's by the time that it is removed.
  public func instances() throws(ControlError) -> [String] {
    instances(in: try open(making: false))
  }

  func instances(in folder: ControlDescriptor) -> [String] {
    names(in: folder).filter { probe($0, in: folder) == .alive }
      .sorted { (Self.number($0) ?? 0) < (Self.number($1) ?? 0) }
  }

  /// Removes the sockets that dead players have left. Under the folder's lock.
  private func clear(_ folder: ControlDescriptor) {
    for name in names(in: folder) where probe(name, in: folder) == .dead {
      unsafe unlinkat(folder.number, name, 0)
    }
  }

  /// `sotto` and `sotto.PID`, whatever they are.
  private func names(in folder: ControlDescriptor) -> [String] {
    let copy = fcntl(folder.number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return [] }
    guard let handle = unsafe fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { unsafe closedir(handle) }
    unsafe rewinddir(handle)
    var names: [String] = []
    while let entry = unsafe readdir(handle) {
      let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe Array($0.prefix { $0 != 0 })
      }
      let name = String(decoding: bytes, as: UTF8.self)
      if name == Self.first || Self.number(name) != nil { names.append(name) }
    }
    return names
  }

  static let first = "sotto"

  /// The id in `sotto.PID`.
  static func number(_ name: String) -> Int? {
    guard name.hasPrefix("sotto."), name.utf8.count <= 26 else { return nil }
    let digits = name.dropFirst("sotto.".count)
    guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int(digits)
  }

  // MARK: A player's own

  /// Listens as `sotto`, or as `sotto.PID` where that is taken.
  func claim(_ process: pid_t) throws(ControlError) -> (
    name: String, socket: ControlDescriptor, folder: ControlDescriptor
  ) {
    let folder = try open(making: true)
    // Two that start at once must not take each other's socket for a dead one's. Whoever comes
    // second does not wait: another name is free.
    let isLocked = flock(folder.number, LOCK_EX | LOCK_NB) == 0
    defer { if isLocked { flock(folder.number, LOCK_UN) } }
    if isLocked { clear(folder) }
    // A socket that nobody listens to yet looks like a dead one: it has a name that nobody looks at
    // until somebody does.
    let hidden = ".\(process)"
    unsafe unlinkat(folder.number, hidden, 0)
    guard let socket = ControlDescriptor.socket() else { throw .system("a socket", errno) }
    guard socket.bind(address(hidden, in: folder)) == 0 else { throw .system(self.name, errno) }
    defer { unsafe unlinkat(folder.number, hidden, 0) }
    // Others cannot enter the folder; this is the second door.
    unsafe fchmodat(folder.number, hidden, 0o600, 0)
    guard listen(socket.number, Self.backlog) == 0 else { throw .system(self.name, errno) }
    for name in isLocked ? [Self.first, "sotto.\(process)"] : ["sotto.\(process)"] {
      if unsafe linkat(folder.number, hidden, folder.number, name, 0) == 0 {
        return (name, socket, folder)
      }
      guard errno == EEXIST else { throw .system(self.name, errno) }
    }
    throw ControlError("\(name): every name for this player is taken")
  }

  private static let backlog: CInt = 64
}

/// A descriptor that is closed when nobody holds it any more.
final class ControlDescriptor: Sendable {
  let number: CInt

  init(taking number: CInt) { self.number = number }

  deinit { close(number) }

  /// A stream socket that never waits.
  static func socket() -> ControlDescriptor? {
    let kind = CInt(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC
    let number = Glibc.socket(AF_UNIX, kind, 0)
    return number < 0 ? nil : ControlDescriptor(taking: number)
  }

  /// 0, or the errno.
  func connect(_ address: sockaddr_un) -> CInt {
    var address = address
    let result = unsafe withUnsafePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 ? 0 : errno
  }

  /// 0, or -1 and errno.
  func bind(_ address: sockaddr_un) -> CInt {
    var address = address
    return unsafe withUnsafePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The user at the other end; `nil` where the kernel does not tell.
  var peer: uid_t? { credentials?.1 }

  /// The process at the other end; `nil` where the kernel does not tell.
  var peerProcess: pid_t? { credentials.flatMap { $0.0 > 0 ? $0.0 : nil } }

  private var credentials: (pid_t, uid_t, gid_t)? {
    // struct ucred: pid, uid, gid.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    let result = unsafe getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    return result == 0 ? credentials : nil
  }
}
