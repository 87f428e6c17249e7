import AudioTypes
import CSystemd
import Glibc

/// Values into messages and out of them. What comes is limited, and texts are made safe both ways:
/// whatever a file or another program says, neither a terminal nor the bus gets it raw.
@safe @MainActor struct BusCoding {
  let library: UnsafePointer<sotto_systemd>

  /// A longer text is cut.
  nonisolated static let longestText = 1 << 16
  /// More elements and more bytes than these are refused.
  nonisolated static let mostElements = 1 << 16
  nonisolated static let mostBytes = 1 << 20
  /// The bus allows 32 arrays in 32 structures.
  private static let deepest = 64

  /// A text as it may travel.
  nonisolated static func clean(_ text: String) -> String {
    let printable = Text.printable(text)
    guard printable.utf8.count > longestText else { return printable }
    let bytes = Array(printable.utf8)
    var end = longestText
    while bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  // MARK: Writing

  func append(_ values: [BusValue], to message: BusPointer) throws(BusError) {
    for value in values { try append(value, to: message) }
  }

  private func append(_ value: BusValue, to message: BusPointer) throws(BusError) {
    switch value {
    case .byte(let number): try basic("y", number, message)
    case .boolean(let isTrue): try basic("b", CInt(isTrue ? 1 : 0), message)
    case .int16(let number): try basic("n", number, message)
    case .uint16(let number): try basic("q", number, message)
    case .int32(let number): try basic("i", number, message)
    case .uint32(let number): try basic("u", number, message)
    case .int64(let number): try basic("x", number, message)
    case .uint64(let number): try basic("t", number, message)
    case .double(let number): try basic("d", number, message)
    case .descriptor(let descriptor): try basic("h", descriptor.number, message)
    case .string(let text): try basic("s", text: Self.clean(text), message)
    case .path(let text): try basic("o", text: text, message)
    case .signature(let text): try basic("g", text: text, message)
    case .array(let element, let elements):
      try container("a", element, message) { (message) throws(BusError) in
        try append(elements, to: message)
      }
    case .dictionary(let key, let value, let pairs):
      try container("a", "{\(key)\(value)}", message) { (message) throws(BusError) in
        for pair in pairs {
          try container("e", key + value, message) { (message) throws(BusError) in
            try append([pair.key, pair.value], to: message)
          }
        }
      }
    case .structure(let fields):
      try container("r", fields.map(\.type).joined(), message) { (message) throws(BusError) in
        try append(fields, to: message)
      }
    case .variant(let inner):
      try container("v", inner.type, message) { (message) throws(BusError) in
        try append(inner, to: message)
      }
    }
  }

  private func basic(_ type: Unicode.Scalar, _ value: some BitwiseCopyable, _ message: BusPointer)
    throws(BusError)
  {
    var value = value
    try check(
      unsafe withUnsafePointer(to: &value) {
        unsafe library.pointee.message_append_basic(message.raw, CChar(type.value), $0)
      })
  }

  private func basic(_ type: Unicode.Scalar, text: String, _ message: BusPointer)
    throws(BusError)
  {
    try check(
      unsafe text.withCString {
        unsafe library.pointee.message_append_basic(message.raw, CChar(type.value), $0)
      })
  }

  private func container(
    _ type: Unicode.Scalar, _ contents: String, _ message: BusPointer,
    _ body: (BusPointer) throws(BusError) -> Void
  ) throws(BusError) {
    try check(
      unsafe library.pointee.message_open_container(message.raw, CChar(type.value), contents))
    try body(message)
    try check(unsafe library.pointee.message_close_container(message.raw))
  }

  private func check(_ result: CInt) throws(BusError) {
    if result < 0 { throw .invalidArguments("a value cannot be sent: \(-result)") }
  }

  // MARK: Reading

  /// All that is in a message.
  func read(_ message: BusPointer) throws(BusError) -> [BusValue] {
    var room = Room()
    return try read(message, depth: 0, &room)
  }

  private struct Room {
    var elements = BusCoding.mostElements
    var bytes = BusCoding.mostBytes

    mutating func take(_ count: Int) throws(BusError) {
      elements -= 1
      bytes -= count
      if elements < 0 || bytes < 0 { throw .tooLarge }
    }
  }

  private func read(_ message: BusPointer, depth: Int, _ room: inout Room) throws(BusError)
    -> [BusValue]
  {
    var values: [BusValue] = []
    while true {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      let result = unsafe library.pointee.message_peek_type(message.raw, &type, &contents)
      guard result >= 0 else { throw malformed }
      if result == 0 { return values }
      let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
      values.append(
        try read(message, UInt8(bitPattern: type), inner, depth: depth, &room))
    }
  }

  private func read(
    _ message: BusPointer, _ type: UInt8, _ contents: String, depth: Int, _ room: inout Room
  ) throws(BusError) -> BusValue {
    switch Unicode.Scalar(type) {
    case "y": return .byte(try number(0, type, message, &room))
    case "b": return .boolean(try number(CInt(0), type, message, &room) != 0)
    case "n": return .int16(try number(0, type, message, &room))
    case "q": return .uint16(try number(0, type, message, &room))
    case "i": return .int32(try number(0, type, message, &room))
    case "u": return .uint32(try number(0, type, message, &room))
    case "x": return .int64(try number(0, type, message, &room))
    case "t": return .uint64(try number(0, type, message, &room))
    case "d": return .double(try number(0, type, message, &room))
    case "h":
      // The message closes its own.
      let own = fcntl(try number(CInt(-1), type, message, &room), F_DUPFD_CLOEXEC, 3)
      guard own >= 0 else { throw .system(errno) }
      return .descriptor(BusDescriptor(taking: own))
    case "s": return .string(Self.clean(try text(type, message, &room)))
    case "o": return .path(try text(type, message, &room))
    case "g": return .signature(try text(type, message, &room))
    case "a" where contents.first == "{":
      let pairs = try inside(message, type, contents, depth, &room)
      let types = contents.dropFirst().dropLast()
      return .dictionary(
        key: String(types.prefix(1)), value: String(types.dropFirst()),
        pairs.compactMap { pair in
          guard case .structure(let both) = pair, both.count == 2 else { return nil }
          return BusValue.Pair(both[0], both[1])
        })
    case "a": return .array(of: contents, try inside(message, type, contents, depth, &room))
    case "r", "e": return .structure(try inside(message, type, contents, depth, &room))
    case "v":
      guard let inner = try inside(message, type, contents, depth, &room).first else {
        throw malformed
      }
      return .variant(inner)
    default: throw malformed
    }
  }

  private func inside(
    _ message: BusPointer, _ type: UInt8, _ contents: String, _ depth: Int, _ room: inout Room
  ) throws(BusError) -> [BusValue] {
    try room.take(1)
    guard depth < Self.deepest else { throw .tooLarge }
    guard
      unsafe library.pointee.message_enter_container(
        message.raw, CChar(bitPattern: type), contents) > 0
    else { throw malformed }
    let values = try read(message, depth: depth + 1, &room)
    guard unsafe library.pointee.message_exit_container(message.raw) >= 0 else { throw malformed }
    return values
  }

  private func number<Number>(
    _ zero: Number, _ type: UInt8, _ message: BusPointer, _ room: inout Room
  ) throws(BusError) -> Number {
    try room.take(MemoryLayout<Number>.size)
    var value = zero
    let result = unsafe withUnsafeMutablePointer(to: &value) {
      unsafe library.pointee.message_read_basic(message.raw, CChar(bitPattern: type), $0)
    }
    guard result > 0 else { throw malformed }
    return value
  }

  private func text(_ type: UInt8, _ message: BusPointer, _ room: inout Room) throws(BusError)
    -> String
  {
    var start: UnsafePointer<CChar>?
    let result = unsafe withUnsafeMutablePointer(to: &start) {
      unsafe library.pointee.message_read_basic(message.raw, CChar(bitPattern: type), $0)
    }
    guard result > 0, let start = unsafe start else { throw malformed }
    var length = unsafe strlen(start)
    if length > Self.longestText {
      length = Self.longestText
      while unsafe UInt8(bitPattern: start[length]) & 0xC0 == 0x80 { length -= 1 }
    }
    try room.take(length)
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  private var malformed: BusError { .invalidArguments("the message cannot be read") }
}

/// A message of the library, alive for as long as whoever hands it on.
@safe struct BusPointer {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) { unsafe self.raw = raw }
}
