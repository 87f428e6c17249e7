import Database
import Glibc

/// The rows of a SQLite file page by page, whether a way leads to the page or not: what is left when
/// the page above is damaged, from which a query would have to start. Tables are known by the shape of
/// their rows. Nothing here trusts a number in the file.
struct RawRows {
  struct Row {
    /// nil: of an index, or of a table without numbers.
    var number: Int64?
    var values: [SQLValue?]
  }

  private let bytes: [UInt8]
  private let pageSize: Int
  /// What is used of a page.
  private let usable: Int
  /// Pages that are committed in the log and not in the file yet.
  private var logged: [Int: Int] = [:]
  private let log: [UInt8]

  /// Larger files are not read.
  private static let mostBytes = 1 << 30
  private static let mostPayload = 1 << 23

  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - log: its write-ahead log, as far as there is one.
  init(_ bytes: [UInt8], log: [UInt8] = []) {
    self.bytes = bytes
    self.log = log
    // Ours are made with pages of this size; the header may be what is damaged.
    var size = 4096
    if bytes.starts(with: "SQLite format 3".utf8), bytes.count >= 100 {
      let told = Int(bytes[16]) << 8 | Int(bytes[17])
      let real = told == 1 ? 65536 : told
      if real >= 512, real & (real - 1) == 0 { size = real }
    }
    pageSize = size
    let reserved = bytes.count > 20 && bytes.starts(with: "SQLite".utf8) ? Int(bytes[20]) : 0
    usable = max(480, size - reserved)
    readLog()
  }

  /// Reads a file and the log beside it.
  init?(file path: [UInt8]) {
    guard let bytes = Self.read(path) else { return nil }
    self.init(bytes, log: Self.read(path + Array("-wal".utf8)) ?? [])
  }

  private static func read(_ path: [UInt8]) -> [UInt8]? {
    let file = unsafe open(StateFolder.name(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard unsafe fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_size <= mostBytes
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes[count...].withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      if got < 0, errno == EINTR { continue }
      // A page that the disk does not give is one of zeros.
      if got < 0 {
        count = min(bytes.count, (count / 4096 + 1) * 4096)
        guard lseek(file, off_t(count), SEEK_SET) >= 0 else { break }
        continue
      }
      guard got > 0 else { break }
      count += got
    }
    return bytes
  }

  // MARK: Pages

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    guard place >= 0, place + count <= bytes.count else { return 0 }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Frames of the log up to the last one that ends a transaction.
  private mutating func readLog() {
    guard Self.number(log, 0, 4) & ~1 == 0x377F_0682, Self.number(log, 8, 4) == pageSize else {
      return
    }
    var waiting: [Int: Int] = [:]
    var place = 32
    while place + 24 + pageSize <= log.count {
      // Of an earlier round of the log.
      guard log[place + 8..<place + 16] == log[16..<24] else { break }
      waiting[Self.number(log, place, 4)] = place + 24
      if Self.number(log, place + 4, 4) != 0 {
        logged.merge(waiting) { $1 }
        waiting = [:]
      }
      place += 24 + pageSize
    }
  }

  /// The bytes of a page, counted from 1; nil where the file has none.
  private func page(_ number: Int) -> ArraySlice<UInt8>? {
    if let place = logged[number] { return log[place..<place + pageSize] }
    guard number > 0, number <= bytes.count / pageSize else { return nil }
    return bytes[(number - 1) * pageSize..<number * pageSize]
  }

  private var count: Int { max(bytes.count / pageSize, logged.keys.max() ?? 0) }

  private func number(_ page: ArraySlice<UInt8>, _ place: Int, _ count: Int) -> Int {
    guard place >= 0, place + count <= page.count else { return 0 }
    let start = page.startIndex + place
    return page[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Pages that nothing uses: what stands in them was taken away.
  private func free() -> Set<Int> {
    var free: Set<Int> = []
    guard let first = page(1), first.starts(with: "SQLite format 3".utf8) else { return [] }
    var trunk = number(first, 32, 4)
    while trunk > 0, free.insert(trunk).inserted, let page = page(trunk) {
      let leaves = min(number(page, 4, 4), usable / 4 - 2)
      for leaf in 0..<max(0, leaves) { free.insert(number(page, 8 + 4 * leaf, 4)) }
      trunk = number(page, 0, 4)
    }
    return free
  }

  /// Every row that can be read.
  func all(_ body: (Row) -> Void) {
    let free = free()
    for number in stride(from: 1, through: count, by: 1) where !free.contains(number) {
      if let page = page(number) { rows(page, from: number == 1 ? 100 : 0, body) }
    }
  }

  private func rows(_ page: ArraySlice<UInt8>, from header: Int, _ body: (Row) -> Void) {
    let kind = number(page, header, 1)
    let isTable = kind == 13
    guard isTable || kind == 10 || kind == 2 else { return }
    let cells = header + (kind == 2 ? 12 : 8)
    let count = min(number(page, header + 3, 2), (usable - cells) / 2)
    for cell in 0..<max(0, count) {
      var place = number(page, cells + 2 * cell, 2)
      guard place >= cells, place < usable else { continue }
      if kind == 2 { place += 4 }
      guard let size = Self.varint(page, &place), size > 0,
        size <= min(Self.mostPayload, bytes.count + log.count)
      else { continue }
      var rowNumber: Int64?
      if isTable {
        guard let read = Self.varint(page, &place) else { continue }
        rowNumber = read
      }
      guard let payload = payload(page, place, Int(size), isTable: isTable),
        let values = Self.record(payload)
      else { continue }
      body(Row(number: rowNumber, values: values))
    }
  }

  /// What does not fit into a page goes on in others.
  private func payload(
    _ page: ArraySlice<UInt8>, _ place: Int, _ size: Int, isTable: Bool
  ) -> [UInt8]? {
    let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    var local = size
    if size > most {
      let least = (usable - 12) * 32 / 255 - 23
      local = least + (size - least) % (usable - 4)
      if local > most { local = least }
    }
    guard place + local + (size > most ? 4 : 0) <= page.count else { return nil }
    var bytes = Array(page.dropFirst(place).prefix(local))
    var next = size > most ? number(page, place + local, 4) : 0
    while bytes.count < size {
      guard let page = self.page(next) else { return nil }
      bytes += page.dropFirst(4).prefix(min(usable - 4, size - bytes.count))
      next = number(page, 0, 4)
    }
    return bytes
  }

  // MARK: Records

  private static func varint(_ bytes: some RandomAccessCollection<UInt8>, _ place: inout Int)
    -> Int64?
  {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place >= 0, place < bytes.count else { return nil }
      let byte = bytes[bytes.index(bytes.startIndex, offsetBy: place)]
      place += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }

  /// The values of a row; nil where it is none.
  private static func record(_ bytes: [UInt8]) -> [SQLValue?]? {
    var place = 0
    guard let header = varint(bytes, &place), header >= place, header <= bytes.count else {
      return nil
    }
    var kinds: [Int64] = []
    while place < Int(header) {
      guard let kind = varint(bytes, &place), kind >= 0, kind != 10, kind != 11 else { return nil }
      kinds.append(kind)
    }
    guard place == Int(header) else { return nil }
    var values: [SQLValue?] = []
    for kind in kinds {
      guard let size = size(kind), place + size <= bytes.count else { return nil }
      values.append(value(kind, bytes[place..<place + size]))
      place += size
    }
    return place == bytes.count ? values : nil
  }

  private static func size(_ kind: Int64) -> Int? {
    switch kind {
    case 0, 8, 9: 0
    case 1...4: Int(kind)
    case 5: 6
    case 6, 7: 8
    default: Int(exactly: (kind - 12) / 2)
    }
  }

  private static func value(_ kind: Int64, _ bytes: ArraySlice<UInt8>) -> SQLValue? {
    switch kind {
    case 0: return nil
    case 8: return 0
    case 9: return 1
    case 1...6:
      let sign: Int64 = bytes.first ?? 0 < 0x80 ? 0 : -1
      return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
    case 7:
      return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    default:
      return kind % 2 == 0 ? .bytes(Array(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}
