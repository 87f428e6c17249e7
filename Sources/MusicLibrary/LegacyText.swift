/// Text of files that do not tell their encoding: UTF-8 and UTF-16 by their marks, UTF-8 where it
/// is valid, otherwise Windows-1252, the superset of Latin-1 that old playlists were written in.
enum LegacyText {
  static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The bytes without a mark; UTF-16 (with a mark) becomes UTF-8.
  static func unmarked(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: utf8Mark) { return Array(bytes.dropFirst(3)) }
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
    return Array(String(decoding: units(bytes, isLittle: isLittle), as: UTF16.self).utf8)
  }

  /// The units behind a mark.
  private static func units(_ bytes: [UInt8], isLittle: Bool) -> [UInt16] {
    stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (low, high) =
        isLittle ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
      return UInt16(low) | UInt16(high) << 8
    }
  }

  /// True for the beginning of a text in UTF-16 with the little end first. Its mark is the sync of a
  /// rare kind of MPEG frame too, but in a frame's bytes there are units that no text has.
  static func isLittleUTF16(_ head: [UInt8]) -> Bool {
    guard head.count >= 4, head.starts(with: [0xFF, 0xFE]) else { return false }
    var units = units(head, isLittle: true)
    // The excerpt may end within a pair.
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    guard !units.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) else {
      return false
    }
    return String(validating: units, as: UTF16.self) != nil
  }

  /// Bytes as text; never fails.
  static func string(_ bytes: some Collection<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? windows1252(bytes)
  }

  static func isUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  static func windows1252(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let isSpecial = byte >= 0x80 && byte < 0xA0
      text.append(isSpecial ? specials[Int(byte) - 0x80] : Unicode.Scalar(byte))
    }
    return String(text)
  }

  /// 0x80 to 0x9F; the five unused places are the replacement character.
  private static let specials: [Unicode.Scalar] = [
    "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž",
    "\u{FFFD}", "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{FFFD}",
    "ž", "Ÿ",
  ]

  /// Lines that end in LF, CR LF or CR, without their ends. One at a time: a hostile list has
  /// millions.
  struct Lines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var start = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> ArraySlice<UInt8>? {
      guard start < bytes.count else { return nil }
      var index = start
      while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
      let line = bytes[start..<index]
      let isPair = index + 1 < bytes.count && bytes[index] == 0x0D && bytes[index + 1] == 0x0A
      start = index + (isPair ? 2 : 1)
      return line
    }
  }

  static func lines(_ bytes: [UInt8]) -> Lines { Lines(bytes) }

  /// Without spaces and tabs at both ends.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes
    while let first = slice.first, first == 0x20 || first == 0x09 { slice.removeFirst() }
    while let last = slice.last, last == 0x20 || last == 0x09 { slice.removeLast() }
    return slice
  }

  /// ASCII letters in lower case, every other byte as it is.
  static func lower(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.map { lower($0) } }

  static func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  /// True when the bytes begin with an ASCII word, letter case aside.
  static func begins(_ bytes: some Sequence<UInt8>, with word: StaticString) -> Bool {
    var iterator = bytes.makeIterator()
    return word.withUTF8Buffer { expected in
      for byte in expected {
        guard let next = iterator.next(), lower(next) == lower(byte) else { return false }
      }
      return true
    }
  }
}
