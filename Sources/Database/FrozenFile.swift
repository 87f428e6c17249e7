import Glibc

/// A database that lies where nothing can be written, as it was when it was opened: SQLite then takes
/// it for one that never changes.
struct FrozenFile: Equatable {
  private let path: [UInt8]
  private let device: UInt
  private let node: UInt
  private let bytes: Int
  private let modified: Int64
  /// What waits in the log beside it and is not in the file yet.
  let logBytes: Int

  /// nil where no file is.
  init?(_ path: [UInt8]) {
    guard let facts = Self.facts(path) else { return nil }
    self.path = path
    device = UInt(facts.st_dev)
    node = UInt(facts.st_ino)
    bytes = Int(facts.st_size)
    modified = FileTime.nanoseconds(facts.st_mtim)
    logBytes = Self.facts(path + Array("-wal".utf8)).map { Int($0.st_size) } ?? 0
  }

  /// True where somebody has written into it since, or it is another file.
  var hasChanged: Bool { Self(path) != self }

  private static func facts(_ path: [UInt8]) -> stat? {
    var facts = stat()
    guard unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &facts) == 0 else { return nil }
    return facts
  }

  /// The path as SQLite takes it with options.
  var address: [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set(Array("/-._~".utf8))
    var address = Array("file:".utf8)
    for byte in path {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: address.append(byte)
      case _ where plain.contains(byte): address.append(byte)
      default: address += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return address + Array("?immutable=1".utf8)
  }
}
