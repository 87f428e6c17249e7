/// A key of the plain line.
enum Key: Equatable {
  case character(Unicode.Scalar)
  case up, down, left, right
  /// A key that has a name here and does nothing: escape alone, function keys, pastes.
  case other
}

/// Bytes from the terminal -> keys. Pure: the caller owns the clock and calls `timeout` when a
/// started sequence has not gone on for a moment. What is pasted (bracketed) is no key, and an
/// unknown escape sequence is one key that does nothing.
struct KeyDecoder {
  private var pending: [UInt8] = []
  private var isPasting = false

  /// True while bytes wait for their rest: an escape key alone looks like that.
  var isWaiting: Bool { !pending.isEmpty }

  private static let longest = 64
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let key = take() {
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Ends a sequence that did not go on: escape alone, or a broken character.
  mutating func timeout() -> [Key] {
    guard !pending.isEmpty, !isPasting else { return [] }
    pending.removeAll()
    return [.other]
  }

  /// One key from the front of what waits: `.some(nil)` when bytes went away without being a key,
  /// `nil` when more bytes are needed.
  private mutating func take() -> Key?? {
    if isPasting { return paste() }
    guard let first = pending.first else { return nil }
    if first == 0x1B { return escape() }
    let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
    // A character that begins and is broken off by another byte is dropped, not waited for.
    let wrong = pending.prefix(length).dropFirst().firstIndex { $0 & 0xC0 != 0x80 }
    if let wrong {
      pending.removeFirst(wrong)
      return .some(.some(.other))
    }
    guard pending.count >= length else { return nil }
    let text = String(decoding: pending[..<length], as: UTF8.self)
    pending.removeFirst(length)
    let scalar = text.unicodeScalars.first ?? "\u{FFFD}"
    return .some(.some(scalar == "\u{FFFD}" ? .other : .character(scalar)))
  }

  private mutating func escape() -> Key?? {
    guard pending.count >= 2 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["):
      // Parameters, then one byte from @ to ~ that ends the sequence.
      guard let end = pending.dropFirst(2).firstIndex(where: { $0 < 0x20 || $0 >= 0x40 }) else {
        guard pending.count > Self.longest else { return nil }
        pending.removeAll()
        return .some(.some(.other))
      }
      let sequence = Array(pending[...end])
      // A control byte (another escape) breaks the sequence off and stays.
      let isBroken = pending[end] < 0x20
      pending.removeFirst(isBroken ? end : end + 1)
      if isBroken { return .some(.some(.other)) }
      if sequence == Array("\u{1B}[200~".utf8) {
        isPasting = true
        return .some(nil)
      }
      return .some(.some(sequence.count == 3 ? Self.arrow(sequence[2]) : .other))
    case UInt8(ascii: "O"):
      guard pending.count >= 3 else { return nil }
      let key = Self.arrow(pending[2])
      pending.removeFirst(3)
      return .some(.some(key))
    case 0x1B:
      pending.removeFirst()
      return .some(.some(.other))
    default:
      // Alt and a key.
      pending.removeFirst(2)
      return .some(.some(.other))
    }
  }

  private static func arrow(_ byte: UInt8) -> Key {
    switch byte {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    default: return .other
    }
  }

  /// Drops bytes to the end of the paste.
  private mutating func paste() -> Key?? {
    let mark = Self.pasteEnd
    if let place = pending.indices.first(where: { pending[$0...].starts(with: mark) }) {
      pending.removeFirst(place + mark.count)
      isPasting = false
      return .some(nil)
    }
    // The end may be cut in two: only what can still be its beginning is kept.
    let kept = (0..<mark.count).reversed().first {
      pending.suffix($0).elementsEqual(mark.prefix($0))
    }
    pending.removeFirst(pending.count - min(kept ?? 0, pending.count))
    return nil
  }
}
