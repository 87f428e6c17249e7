/// What is wrong with a JSON text, and where: a byte's index.
public struct JSONError: Error, Hashable, Sendable {
  public var offset: Int
  /// Without its full stop: `a string does not end`.
  public var sentence: String
}

extension JSON {
  /// Reads one value and nothing else. Numbers become doubles, or integers where they are written
  /// as one that fits; a field that comes twice is a fault.
  /// - Throws: the first fault. Text that nests deeper than 64 levels is one.
  public init(reading bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes: bytes)
    self = try reader.document()
  }

  /// A field's value; `nil` where this is no object or has no such field.
  public subscript(name: String) -> JSON? {
    guard case .object(let fields) = self else { return nil }
    return fields.first { $0.0 == name }?.1
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var place = 0
  private static let deepest = 64

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONError) -> JSON {
    let value = try value(depth: 0)
    skipSpace()
    guard place == bytes.count else { throw fault("something follows the value") }
    return value
  }

  private func fault(_ sentence: String) -> JSONError {
    JSONError(offset: place, sentence: sentence)
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
      place += 1
    }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count else { return false }
    let isThere = text.withUTF8Buffer { wanted in
      wanted.elementsEqual(bytes[place..<place + count])
    }
    if isThere { place += count }
    return isThere
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard depth < Self.deepest else { throw fault("it nests deeper than \(Self.deepest) levels") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): if take("true") { return .bool(true) }
    case UInt8(ascii: "f"): if take("false") { return .bool(false) }
    case UInt8(ascii: "n"): if take("null") { return .null }
    case nil: throw fault("a value is missing")
    case UInt8(ascii: "-")?: return try number()
    case let byte?: if Self.isDigit(byte) { return try number() }
    }
    throw fault("this is no value")
  }

  private mutating func object(_ depth: Int) throws(JSONError) -> JSON {
    var fields: [(String, JSON)] = []
    place += 1
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("a field's name is missing") }
      let began = place
      let name = try string()
      guard !fields.contains(where: { $0.0 == name }) else {
        place = began
        throw fault("a field comes twice")
      }
      skipSpace()
      guard take(":") else { throw fault("a colon is missing") }
      fields.append((name, try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(fields) }
      guard take(",") else { throw fault("a comma or a closing brace is missing") }
    }
  }

  private mutating func array(_ depth: Int) throws(JSONError) -> JSON {
    var values: [JSON] = []
    place += 1
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { throw fault("a comma or a closing bracket is missing") }
    }
  }

  private static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  private mutating func number() throws(JSONError) -> JSON {
    let began = place
    var isWhole = true
    _ = take("-")
    let first = next
    guard Self.isDigit(first) else { throw fault("a digit is missing") }
    place += 1
    if first != UInt8(ascii: "0") { while Self.isDigit(next) { place += 1 } }
    if take(".") {
      isWhole = false
      guard Self.isDigit(next) else { throw fault("a digit is missing") }
      while Self.isDigit(next) { place += 1 }
    }
    if take("e") || take("E") {
      isWhole = false
      _ = take("+") || take("-")
      guard Self.isDigit(next) else { throw fault("a digit is missing") }
      while Self.isDigit(next) { place += 1 }
    }
    let text = String(decoding: bytes[began..<place], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .int(integer) }
    guard let double = Double(text), double.isFinite else {
      place = began
      throw fault("the number is too large")
    }
    return .double(double)
  }

  private mutating func string() throws(JSONError) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault("a string is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<0x20: throw fault("a control character stands raw in a string")
      default:
        text.append(byte)
        place += 1
      }
    }
    throw fault("a string does not end")
  }

  private mutating func escape() throws(JSONError) -> [UInt8] {
    place += 1
    guard let byte = next else { throw fault("a string does not end") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return try unicode()
    default:
      place -= 1
      throw fault("this escape is unknown")
    }
  }

  /// Half of a pair without the other becomes U+FFFD.
  private mutating func unicode() throws(JSONError) -> [UInt8] {
    var unit = try hexadecimal()
    if (0xD800..<0xDC00).contains(unit), take("\\u") {
      let low = try hexadecimal()
      if (0xDC00..<0xE000).contains(low) {
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      } else {
        place -= 6
      }
    }
    return Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard bytes.count - place >= 4 else { throw fault("four hexadecimal digits are missing") }
    var value: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw fault("four hexadecimal digits are missing")
      }
      value = value << 4 | UInt32(digit)
    }
    place += 4
    return value
  }
}
