import AudioTypes

/// A small reader of XML for playlists: elements, attributes, text, CDATA. A document type is
/// skipped and defines nothing, so that no entity can grow; unknown entities stay as written.
/// Never fails: damaged markup is text or is left out, and the first of it is told.
struct XMLScanner {
  enum Event: Equatable {
    /// A start tag; an empty-element tag gives its end right after it. Names without prefixes.
    case start(String, [String: String])
    case end(String)
    case text(String)
  }

  private let bytes: [UInt8]
  private(set) var position = 0
  /// What is damaged first, and where.
  private(set) var damage: (position: Int, problem: String)?
  private var pendingEnd: String?

  init(_ bytes: [UInt8]) {
    let plain = LegacyText.unmarked(bytes)
    // A text that is not UTF-8 is read as Windows-1252, whatever its declaration says.
    self.bytes = LegacyText.isUTF8(plain) ? plain : Array(LegacyText.windows1252(plain).utf8)
  }

  mutating func next() -> Event? {
    if let name = pendingEnd {
      pendingEnd = nil
      return .end(name)
    }
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else { return .text(text()) }
      if at("<!--") {
        skip(past: "-->", "a comment")
      } else if at("<![CDATA[") {
        let start = position + 9
        skip(past: "]]>", "<![CDATA[")
        let closes = position >= start + 3 && ends("]]>")
        return .text(string(start, closes ? position - 3 : max(position, start)))
      } else if at("<?") {
        skip(past: "?>", "<?")
      } else if at("<!") {
        skipDeclaration()
      } else if at("</") {
        position += 2
        let name = name()
        skip(past: ">", "</\(name)")
        return .end(name)
      } else {
        let start = position
        position += 1
        let name = name()
        guard !name.isEmpty else {
          complain("a < begins nothing", at: start)
          return .text("<")
        }
        let (attributes, isEmpty) = attributes()
        if !ends(">") { complain("<\(Self.shown(name)) is not closed by >", at: start) }
        if isEmpty { pendingEnd = name }
        return .start(name, attributes)
      }
    }
    return nil
  }

  private func at(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    return word.withUTF8Buffer { bytes[position..<(position + count)].elementsEqual($0) }
  }

  private func ends(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position >= count else { return false }
    return word.withUTF8Buffer { bytes[(position - count)..<position].elementsEqual($0) }
  }

  /// The line of a place, from 1 on.
  func line(_ position: Int) -> Int {
    bytes[..<min(position, bytes.count)].count { $0 == 0x0A } + 1
  }

  private mutating func complain(_ problem: @autoclosure () -> String, at position: Int) {
    if damage == nil { damage = (position, problem()) }
  }

  /// A name for people: some of it, and safe to print.
  static func shown(_ name: String) -> String { Text.printable(String(name.prefix(40))) }

  private mutating func skip(past word: StaticString, _ opened: @autoclosure () -> String) {
    let start = position
    while position < bytes.count, !at(word) { position += 1 }
    if position >= bytes.count { complain("\(Self.shown(opened())) is not closed", at: start) }
    position = min(position + word.utf8CodeUnitCount, bytes.count)
  }

  /// `<!DOCTYPE … [ … ]>`: to the end of the brackets.
  private mutating func skipDeclaration() {
    let start = position
    var depth = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "]") { depth -= 1 }
      if byte == UInt8(ascii: ">"), depth <= 0 { return }
    }
    complain("<! is not closed", at: start)
  }

  private mutating func text() -> String {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    return unescaped(start, position)
  }

  private func string(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// A name without its prefix ("xml:base" is "base").
  private mutating func name() -> String {
    let start = position
    while position < bytes.count, !isSpace(bytes[position]),
      !"=/><".utf8.contains(bytes[position])
    {
      position += 1
    }
    let slice = bytes[start..<position]
    let local = slice.lastIndex(of: UInt8(ascii: ":")).map { slice[($0 + 1)...] } ?? slice
    return String(decoding: local, as: UTF8.self)
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func attributes() -> ([String: String], isEmpty: Bool) {
    var attributes: [String: String] = [:]
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        return (attributes, false)
      }
      if at("/>") {
        position += 2
        return (attributes, true)
      }
      if byte == UInt8(ascii: "<") { break }
      let start = position
      let key = name()
      if position == start {
        position += 1
        continue
      }
      while position < bytes.count, isSpace(bytes[position]) { position += 1 }
      guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { continue }
      position += 1
      while position < bytes.count, isSpace(bytes[position]) { position += 1 }
      guard position < bytes.count else { break }
      let quote = bytes[position]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      position += 1
      let valueStart = position
      while position < bytes.count, bytes[position] != quote { position += 1 }
      attributes[key] = unescaped(valueStart, position)
      position = min(position + 1, bytes.count)
    }
    return (attributes, false)
  }

  /// The five entities of XML and numbered characters; all others as written.
  private func unescaped(_ start: Int, _ end: Int) -> String {
    guard bytes[start..<end].contains(UInt8(ascii: "&")) else { return string(start, end) }
    var result: [UInt8] = []
    var index = start
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "&"),
        let semicolon = bytes[index..<min(end, index + 12)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = entity(string(index + 1, semicolon))
      {
        result += Array(String(scalar).utf8)
        index = semicolon + 1
      } else {
        result.append(byte)
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
      let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
  }
}
