import AudioTypes
import Glibc

/// What kinds of thing a path may be, found without opening what could block or never end.
enum FileKind: Equatable {
  case file(size: Int64)
  case folder, special, missing, noPermission
  case unreachable(CInt)
}

/// Looks at files: kind, first bytes, whole small files. A path is bytes and may hold anything but
/// NUL.
enum FileProbe {
  /// A device and a node: which file a path really is.
  struct Identity: Hashable {
    var device: UInt
    var node: UInt
  }

  static func kind(_ path: [UInt8]) -> FileKind { look(path).kind }

  static func look(_ path: [UInt8]) -> (kind: FileKind, identity: Identity?) {
    guard !path.isEmpty, !path.contains(0) else { return (.missing, nil) }
    var facts = stat()
    guard stat(cString(path), &facts) == 0 else {
      switch errno {
      case ENOENT, ENOTDIR: return (.missing, nil)
      case EACCES, EPERM: return (.noPermission, nil)
      default: return (.unreachable(errno), nil)
      }
    }
    let identity = Identity(device: UInt(facts.st_dev), node: UInt(facts.st_ino))
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return (.file(size: Int64(facts.st_size)), identity)
    case S_IFDIR: return (.folder, identity)
    default: return (.special, identity)
    }
  }

  /// The first bytes of a regular file, at most `count`; `nil` when it cannot be read.
  static func head(_ path: [UInt8], _ count: Int) -> [UInt8]? {
    bytes(path, from: 0, atMost: count)
  }

  /// Bytes of a regular file from an offset on, fewer than asked only at its end; `nil` when they
  /// cannot be read, all of them. Anything else is not read, even when the path changes into it
  /// meanwhile.
  static func bytes(_ path: [UInt8], from offset: Int64, atMost count: Int) -> [UInt8]? {
    guard !path.contains(0) else { return nil }
    let descriptor = open(cString(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    let wanted = min(count, max(0, Int(facts.st_size) - Int(offset)))
    // A fault of the disk is no end: who takes it for one writes back the beginning alone.
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted {
        let result = pread(
          descriptor, buffer.baseAddress! + filled, wanted - filled, off_t(offset) + filled)
        if result < 0, errno == EINTR { continue }
        failed = result < 0
        guard result > 0 else { break }
        filled += result
      }
    }
    return failed ? nil : bytes
  }

  static func cString(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

  /// The path without links; `nil` where it leads nowhere.
  static func real(_ path: [UInt8]) -> [UInt8]? {
    guard !path.contains(0), let text = realpath(cString(path), nil) else { return nil }
    defer { free(text) }
    return UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
  }

  /// What is wrong with a path that is no readable file.
  static func sentence(_ kind: FileKind, _ path: [UInt8]) -> String? {
    switch kind {
    case .missing where !path.isEmpty && !path.contains(0):
      return target(path).map { "a link to \(TrackLocation(path: $0).display), which is not there" }
        ?? "no such file or folder"
    case .file, .folder: return nil
    case .special: return "not a regular file"
    case .missing: return "no such file or folder"
    case .noPermission: return "no permission to read it"
    case .unreachable(let cause):
      return "cannot be read: \(String(cString: strerror(cause)))"
    }
  }
}

extension FileProbe {
  /// Where a link points to; `nil` for anything else.
  static func target(_ path: [UInt8]) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { buffer in
      readlink(cString(path), buffer.baseAddress!, buffer.count)
    }
    return count > 0 ? Array(target[..<count]) : nil
  }
}

/// One thing in a folder.
struct FolderEntry {
  enum Kind {
    case file, folder
    /// A link that leads to nothing.
    case brokenLink
  }
  var name: [UInt8]
  var kind: Kind
}

extension FileProbe {
  /// The visible files and folders of a folder, links followed, in natural order. Throws the errno
  /// when the folder cannot be read, all of it.
  static func list(_ path: [UInt8]) throws(FolderError) -> [FolderEntry] {
    guard let folder = opendir(cString(path)) else { throw FolderError(cause: errno) }
    defer { closedir(folder) }
    var entries: [FolderEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else {
        if errno != 0 { throw FolderError(cause: errno) }
        break
      }
      let type = entry.pointee.d_type
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
          Array(UnsafeBufferPointer(start: start, count: strnlen(UnsafeRawPointer(start), 256)))
        }
      }
      guard let first = name.first, first != UInt8(ascii: ".") else { continue }
      switch Int(type) {
      case Int(DT_REG): entries.append(FolderEntry(name: name, kind: .file))
      case Int(DT_DIR): entries.append(FolderEntry(name: name, kind: .folder))
      case Int(DT_LNK), Int(DT_UNKNOWN):
        switch kind(Paths.join(path, name)) {
        case .file: entries.append(FolderEntry(name: name, kind: .file))
        case .folder: entries.append(FolderEntry(name: name, kind: .folder))
        case .missing: entries.append(FolderEntry(name: name, kind: .brokenLink))
        default: break
        }
      default: break
      }
    }
    entries.sort { NaturalOrder.precedes($0.name, $1.name) }
    return entries
  }

  struct FolderError: Error { var cause: CInt }

  private static func strnlen(_ start: UnsafeRawPointer, _ limit: Int) -> Int {
    memchr(start, 0, limit).map { UnsafeRawPointer($0) - start } ?? limit
  }
}

/// Paths as bytes.
enum Paths {
  static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
    if folder.isEmpty { return name }
    return folder.last == 0x2F ? folder + name : folder + [0x2F] + name
  }

  /// A path from the root on, without empty pieces and points: `folder` is where a relative one
  /// begins. Two points stay: what they mean depends on links.
  static func absolute(_ path: [UInt8], in folder: [UInt8]) -> [UInt8] {
    let whole = path.first == 0x2F ? path : join(folder, path)
    var result: [UInt8] = []
    result.reserveCapacity(whole.count + 1)
    var start = 0
    while start < whole.count {
      var end = start
      while end < whole.count, whole[end] != 0x2F { end += 1 }
      if end > start, !(end - start == 1 && whole[start] == 0x2E) {
        result.append(0x2F)
        result += whole[start..<end]
      }
      start = end + 1
    }
    return result.isEmpty ? [0x2F] : result
  }

  /// The folder that a path is in, without its slash; empty for a bare name.
  static func folder(_ path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: 0x2F) else { return [] }
    return slash == 0 ? [0x2F] : Array(path[..<slash])
  }

  static func name(_ path: [UInt8]) -> [UInt8] {
    path.lastIndex(of: 0x2F).map { Array(path[($0 + 1)...]) } ?? path
  }

  /// The letters after the last point, in lower case; empty without one.
  static func suffix(_ path: [UInt8]) -> String {
    let name = name(path)
    guard let point = name.lastIndex(of: 0x2E), point > 0 else { return "" }
    return String(decoding: LegacyText.lower(name[(point + 1)...]), as: UTF8.self)
  }

  static func stem(_ path: [UInt8]) -> [UInt8] {
    let name = name(path)
    guard let point = name.lastIndex(of: 0x2E), point > 0 else { return name }
    return Array(name[..<point])
  }
}
