import Database
import Glibc

/// What a scan wants to know of a folder: the files that may be music with their identities, the
/// folders in it, and what lies beside the music and tells of it.
struct FolderListing {
  struct File {
    var name: [UInt8]
    var identity: FileIdentity
  }

  /// In the order of their place on the disk, as far as numbers tell it.
  var files: [File] = []
  /// In natural order; true for a link to one.
  var folders: [(name: [UInt8], isLink: Bool)] = []
  /// Every entry, hidden ones too.
  var count = 0
  var hasCover = false
  /// The whole listing as sheets need it; empty without a sheet.
  var entries: [FolderEntry] = []
  var hasSheets = false
  /// Names of words beside the music, without their suffix.
  private var lyrics: Set<[UInt8]> = []
  private var stamp: UInt64 = 0

  /// What lies beside a file, as a number that changes with it: sheets, a cover, words.
  func beside(_ name: [UInt8]) -> Int64 {
    let own = !lyrics.isEmpty && hasLyrics(name) ? stamp ^ 0x9E37_79B9_7F4A_7C15 : stamp
    // The smallest number means that a file is tried again.
    return max(Int64(bitPattern: own), .min + 1)
  }

  func hasLyrics(_ name: [UInt8]) -> Bool { lyrics.contains(Paths.stem(name)) }

  /// Reads an open folder. Links are followed; what is neither a file nor a folder is left out, and
  /// so is what is hidden. Throws an errno.
  init(descriptor: CInt) throws(FileProbe.FolderError) {
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard own >= 0 else { throw FileProbe.FolderError(cause: errno) }
    guard let handle = fdopendir(own) else {
      let cause = errno
      close(own)
      throw FileProbe.FolderError(cause: cause)
    }
    defer { closedir(handle) }
    var sheets: [File] = []
    var names: [FolderEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(handle) else {
        if errno != 0 { throw FileProbe.FolderError(cause: errno) }
        break
      }
      let type = Int(entry.pointee.d_type)
      let name = Self.name(entry)
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      count += 1
      guard let first = name.first, first != UInt8(ascii: ".") else { continue }
      if type == Int(DT_DIR) {
        folders.append((name, false))
        continue
      }
      guard type == Int(DT_REG) || type == Int(DT_LNK) || type == Int(DT_UNKNOWN) else { continue }
      let suffix = Self.suffix(name)
      let isSheet = suffix == "cue"
      let mayBeMusic = Recognition.audioSuffixes.contains(suffix)
      if type == Int(DT_REG) {
        names.append(FolderEntry(name: name, kind: .file))
        if suffix == "lrc" { lyrics.insert(Paths.stem(name)) }
        if !hasCover, SideFiles.isCover(name) { hasCover = true }
        guard isSheet || mayBeMusic else { continue }
      }
      var facts = stat()
      let found = name.withUnsafeBufferPointer { bytes in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text in
          for index in bytes.indices { text[index] = CChar(bitPattern: bytes[index]) }
          text[bytes.count] = 0
          return fstatat(descriptor, text.baseAddress!, &facts, 0)
        }
      }
      // A link that leads nowhere, or what has gone meanwhile.
      guard found == 0 else { continue }
      switch facts.st_mode & S_IFMT {
      case S_IFDIR:
        folders.append((name, type == Int(DT_LNK)))
      case S_IFREG:
        if type != Int(DT_REG) {
          names.append(FolderEntry(name: name, kind: .file))
          if suffix == "lrc" { lyrics.insert(Paths.stem(name)) }
          if !hasCover, SideFiles.isCover(name) { hasCover = true }
        }
        let file = File(name: name, identity: FileIdentity(facts))
        if isSheet { sheets.append(file) } else if mayBeMusic { files.append(file) }
      default: break
      }
    }
    files.sort { $0.identity.node < $1.identity.node }
    folders.sort { NaturalOrder.precedes($0.name, $1.name) }
    hasSheets = !sheets.isEmpty
    if hasSheets {
      names.sort { NaturalOrder.precedes($0.name, $1.name) }
      entries = names
    }
    stamp = Self.stamp(sheets, hasCover: hasCover)
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
        Array(UnsafeBufferPointer(start: start, count: strnlen(start, 256)))
      }
    }
  }

  private static func strnlen(_ start: UnsafePointer<UInt8>, _ limit: Int) -> Int {
    memchr(start, 0, limit).map { UnsafeRawPointer($0) - UnsafeRawPointer(start) } ?? limit
  }

  /// As Paths.suffix, for a bare name.
  private static func suffix(_ name: [UInt8]) -> String {
    guard let point = name.lastIndex(of: 0x2E), point > 0, name.count - point <= 8 else {
      return ""
    }
    return String(decoding: name[(point + 1)...].lazy.map(LegacyText.lower), as: UTF8.self)
  }

  /// 0 where there is neither a sheet nor a cover. The same on every machine, unlike Hasher's.
  private static func stamp(_ sheets: [File], hasCover: Bool) -> UInt64 {
    guard !sheets.isEmpty || hasCover else { return 0 }
    var hash: UInt64 = hasCover ? 0xCBF2_9CE4_8422_2325 : 0x8422_2325_CBF2_9CE4
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for sheet in sheets.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      for byte in sheet.name { add(byte) }
      for number in [sheet.identity.node, sheet.identity.size, sheet.identity.modified] {
        for shift in 0..<8 { add(UInt8(truncatingIfNeeded: number >> Int64(shift * 8))) }
      }
    }
    return hash
  }
}

extension FileIdentity {
  init(_ facts: stat) {
    self.init(
      device: Int64(bitPattern: UInt64(facts.st_dev)),
      node: Int64(bitPattern: UInt64(facts.st_ino)),
      size: Int64(facts.st_size),
      modified: FileTime.nanoseconds(facts.st_mtim))
  }

  /// Of the file or folder at a path, links followed; `nil` where there is none.
  static func at(_ path: [UInt8]) -> FileIdentity? {
    guard !path.isEmpty, !path.contains(0) else { return nil }
    var facts = stat()
    guard stat(FileProbe.cString(path), &facts) == 0 else { return nil }
    return FileIdentity(facts)
  }
}
