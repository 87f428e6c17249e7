import TerminalModel

/// Bytes from the terminal -> keys, mouse, pastes. Pure: the caller owns the clock, and calls
/// `timeOut` when nothing came for as long as `patience` says.
///
/// It takes one byte after the other and keeps nothing but its state, so the same bytes give the
/// same inputs wherever a read cut them. What it does not know it takes as a whole: no part of a
/// sequence is ever a key.
public struct InputDecoder: Sendable {
  private enum State: Equatable {
    case ground
    /// A character of UTF-8: how many bytes are still to come, what the next one may be.
    case character(remaining: Int, value: UInt32, next: ClosedRange<UInt8>, isAlt: Bool)
    /// Escape, and how many of them; two are alt before a sequence, or escape twice.
    case escape(count: Int)
    /// `ESC [`, with what came since.
    case sequence(isAlt: Bool)
    /// `ESC O`, with what came since.
    case shift3(isAlt: Bool)
    /// `ESC [ [`: a function key of the Linux console.
    case console(isAlt: Bool)
    /// `ESC [ M`: three more bytes tell of the mouse as terminals did before SGR.
    case oldMouse
    /// `ESC ]`, `ESC P` or `ESC _`: an answer of the terminal if the next byte says so.
    case introducer(UInt8)
    /// An answer up to its end; `isEnding` after an escape that may be half of the end.
    case answer(UInt8, isEnding: Bool)
    /// Pasted text; how many bytes of its end have been seen.
    case paste(matched: Int)
  }

  private var state = State.ground
  /// The bytes of the sequence, the answer or the paste.
  private var body: [UInt8] = []
  private var inputs: [TerminalInput] = []
  private var reports: [TerminalReport] = []
  /// An escape timed out just now: its rest may be late.
  private var isRestDue = false

  /// More parameters than any key has: the rest of the sequence is taken and not kept.
  private static let longestSequence = 64
  private static let longestAnswer = 1024
  /// A paste beyond this is cut: nobody means it, and memory must not grow with it.
  private static let longestPaste = 1 << 20
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  public init() {}

  /// How long the rest of what has begun may take, in milliseconds; nil when nothing has begun.
  ///
  /// An escape alone is a key after 75 ms. A terminal writes a sequence at once, so its bytes come
  /// in one read or a few milliseconds apart; only a slow serial line draws them out, 33 ms a byte
  /// at 300 baud. And up to 100 ms a key is felt as immediate. So: twice the slowest line, and less
  /// than is felt. What cannot be a key any more has a second, since nobody waits for it. A paste
  /// has all the time in the world: what follows it is text and must never be keys.
  public var patience: Int? {
    switch state {
    case .ground, .paste: nil
    case .escape, .introducer: 75
    default: 1000
    }
  }

  /// The inputs that are complete with these bytes.
  public mutating func feed(_ bytes: some Collection<UInt8>) -> [TerminalInput] {
    let rest = isRestDue ? Self.lateRest(bytes) : 0
    isRestDue = isRestDue && bytes.isEmpty
    for byte in bytes.dropFirst(rest) { take(byte) }
    return takeInputs()
  }

  /// Nothing came for as long as `patience` says.
  public mutating func timeOut() -> [TerminalInput] {
    switch state {
    case .ground, .paste: return []
    case .escape(let count):
      for _ in 0..<count { emit(.escape) }
      isRestDue = true
    case .introducer(let byte): emit(.character(Character(Unicode.Scalar(byte))), .alt)
    case .answer: break
    default: emit(.unknown)
    }
    state = .ground
    body = []
    return takeInputs()
  }

  /// What the terminal answered since the last call.
  public mutating func takeReports() -> [TerminalReport] {
    defer { reports = [] }
    return reports
  }

  private mutating func takeInputs() -> [TerminalInput] {
    defer { inputs = [] }
    return inputs
  }

  private mutating func emit(_ name: Key.Name, _ modifiers: Key.Modifiers = []) {
    inputs.append(.key(Key(name, modifiers)))
  }

  /// How many bytes at the front are the rest of a sequence whose escape timed out. Fingers do not
  /// type `[` and the rest within one read.
  private static func lateRest(_ bytes: some Collection<UInt8>) -> Int {
    guard bytes.count >= 2, let first = bytes.first else { return 0 }
    if first == UInt8(ascii: "O") {
      let second = bytes.dropFirst().first ?? 0
      return "ABCDHFPQRSM".utf8.contains(second) ? 2 : 0
    }
    guard first == UInt8(ascii: "[") else { return 0 }
    var length = 1
    for byte in bytes.dropFirst() {
      length += 1
      if byte < 0x20 || byte > 0x7E { return 0 }
      if byte >= 0x40 { return length }
    }
    return 0
  }

  // MARK: One byte

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: begin(byte, isAlt: false)
    case .character(let remaining, let value, let next, let isAlt):
      character(byte, remaining, value, next, isAlt)
    case .escape(let count): escape(byte, count)
    case .sequence(let isAlt): sequence(byte, isAlt)
    case .shift3(let isAlt): shift3(byte, isAlt)
    case .console(let isAlt):
      guard byte >= 0x20, byte < 0x7F else { return breakOff(byte) }
      state = .ground
      let number = Int(byte) - 0x40
      emit((1...5).contains(number) ? .function(number) : .unknown, isAlt ? .alt : [])
    case .oldMouse:
      body.append(byte)
      guard body.count == 3 else { return }
      state = .ground
      let parts = body.map { Int($0) - 32 }
      if let event = MouseSequence.event(
        parts[0], column: parts[1], row: parts[2], isRelease: parts[0] & 3 == 3 && parts[0] < 64)
      {
        inputs.append(.mouse(event))
      }
    case .introducer(let kind): introducer(byte, kind)
    case .answer(let kind, let isEnding): answer(byte, kind, isEnding)
    case .paste(let matched): paste(byte, matched)
    }
  }

  /// The first byte of something new.
  private mutating func begin(_ byte: UInt8, isAlt: Bool) {
    let modifiers: Key.Modifiers = isAlt ? .alt : []
    switch byte {
    case 0x1B: state = .escape(count: 1)
    case 0x0D, 0x0A: emit(.enter, modifiers)
    case 0x09: emit(.tab, modifiers)
    // Terminals disagree on which of the two the backspace key sends, so neither is another key.
    case 0x7F, 0x08: emit(.backspace, modifiers)
    case 0x00: emit(.character(" "), modifiers.union(.control))
    case 0x01...0x1A:
      emit(.character(Character(Unicode.Scalar(byte + 0x60))), modifiers.union(.control))
    case 0x1C...0x1F:
      emit(.character(Character(Unicode.Scalar(byte + 0x40))), modifiers.union(.control))
    case 0x20...0x7E: emit(.character(Character(Unicode.Scalar(byte))), modifiers)
    default:
      guard let lead = UTF8Lead(byte) else { return emit(.unknown) }
      state = .character(
        remaining: lead.remaining, value: lead.value, next: lead.next, isAlt: isAlt)
    }
  }

  private mutating func character(
    _ byte: UInt8, _ remaining: Int, _ value: UInt32, _ next: ClosedRange<UInt8>, _ isAlt: Bool
  ) {
    guard next.contains(byte) else { return breakOff(byte) }
    let value = value << 6 | UInt32(byte & 0x3F)
    if remaining > 1 {
      state = .character(
        remaining: remaining - 1, value: value, next: 0x80...0xBF, isAlt: isAlt)
      return
    }
    state = .ground
    guard let scalar = Unicode.Scalar(value), scalar.value >= 0xA0 else { return emit(.unknown) }
    emit(.character(Character(scalar)), isAlt ? .alt : [])
  }

  /// What had begun ends here, and this byte is something new.
  private mutating func breakOff(_ byte: UInt8) {
    state = .ground
    body = []
    emit(.unknown)
    begin(byte, isAlt: false)
  }

  private mutating func escape(_ byte: UInt8, _ count: Int) {
    switch byte {
    case 0x1B where count == 1: state = .escape(count: 2)
    case 0x1B: emit(.escape)
    case UInt8(ascii: "["):
      state = .sequence(isAlt: count == 2)
      body = []
    case UInt8(ascii: "O"):
      state = .shift3(isAlt: count == 2)
      body = []
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"):
      if count == 2 { emit(.escape) }
      state = .introducer(byte)
    default:
      if count == 2 { emit(.escape) }
      state = .ground
      begin(byte, isAlt: true)
    }
  }

  // MARK: Sequences

  private mutating func sequence(_ byte: UInt8, _ isAlt: Bool) {
    switch byte {
    case 0x20...0x3F:
      // rxvt ends a key with shift in `$`, which is otherwise no last byte.
      if byte == UInt8(ascii: "$"), !body.isEmpty, body.allSatisfy({ (0x30...0x39).contains($0) }) {
        return end(byte, isAlt)
      }
      if body.count < Self.longestSequence { body.append(byte) }
    case UInt8(ascii: "[") where body.isEmpty: state = .console(isAlt: isAlt)
    case UInt8(ascii: "M") where body.isEmpty: state = .oldMouse
    case 0x40...0x7E: end(byte, isAlt)
    default: breakOff(byte)
    }
  }

  private mutating func end(_ last: UInt8, _ isAlt: Bool) {
    let isTooLong = body.count >= Self.longestSequence
    let sequence = isTooLong ? nil : ControlSequence(body, last)
    state = .ground
    body = []
    guard let sequence else { return emit(.unknown) }
    if sequence.isPasteBegin {
      state = .paste(matched: 0)
      return
    }
    switch sequence.meaning {
    case .input(.key(var key)):
      if isAlt { key.modifiers.insert(.alt) }
      inputs.append(.key(key))
    case .input(let input): inputs.append(input)
    case .nothing: break
    }
  }

  private mutating func shift3(_ byte: UInt8, _ isAlt: Bool) {
    switch byte {
    case 0x30...0x3B where body.count < 8: body.append(byte)
    case 0x20...0x7E:
      let modifiers = ControlSequence(body, byte)?.numbers.last ?? nil
      state = .ground
      body = []
      guard var key = KeySequence.shift3(byte, modifiers: modifiers ?? 1) else {
        return emit(.unknown)
      }
      if isAlt { key.modifiers.insert(.alt) }
      inputs.append(.key(key))
    default: breakOff(byte)
    }
  }

  // MARK: Answers of the terminal

  /// Alt and one of these keys begins as an answer does; an answer shows itself in its next byte.
  private mutating func introducer(_ byte: UInt8, _ kind: UInt8) {
    let isAnswer: Bool
    switch kind {
    case UInt8(ascii: "]"): isAnswer = "0123456789lL".utf8.contains(byte)
    case UInt8(ascii: "P"): isAnswer = "0123456789!>=?+$".utf8.contains(byte)
    default: isAnswer = byte == UInt8(ascii: "G")
    }
    if isAnswer {
      state = .answer(kind, isEnding: false)
      body = [byte]
    } else {
      emit(.character(Character(Unicode.Scalar(kind))), .alt)
      state = .ground
      begin(byte, isAlt: false)
    }
  }

  private mutating func answer(_ byte: UInt8, _ kind: UInt8, _ isEnding: Bool) {
    if isEnding, byte != UInt8(ascii: "\\") {
      // The escape was none of its end: it is broken off by something new.
      body = []
      return escape(byte, 1)
    }
    if isEnding || (byte == 0x07 && kind == UInt8(ascii: "]")) {
      if kind == UInt8(ascii: "_"), let report = TerminalReport(graphics: body) {
        reports.append(report)
      }
      state = .ground
      body = []
    } else if byte == 0x1B {
      state = .answer(kind, isEnding: true)
    } else if byte == 0x18 || byte == 0x1A {
      state = .ground
      body = []
    } else if body.count < Self.longestAnswer {
      body.append(byte)
    }
  }

  // MARK: Paste

  private mutating func paste(_ byte: UInt8, _ matched: Int) {
    let mark = Self.pasteEnd
    if byte == mark[matched] {
      if matched + 1 < mark.count {
        state = .paste(matched: matched + 1)
        return
      }
      inputs.append(.paste(String(decoding: body, as: UTF8.self)))
      body = []
      state = .ground
      return
    }
    // Only the escape begins the end, so what was no end after all cannot hold a later beginning.
    keepPasted(mark[..<matched])
    if byte == mark[0] {
      state = .paste(matched: 1)
    } else {
      state = .paste(matched: 0)
      keepPasted(CollectionOfOne(byte))
    }
  }

  private mutating func keepPasted(_ bytes: some Collection<UInt8>) {
    if body.count + bytes.count <= Self.longestPaste { body += bytes }
  }
}

/// The first byte of a character of more than one: what it says of the others.
private struct UTF8Lead {
  var remaining: Int
  var value: UInt32
  /// The second byte: no overlong forms, no surrogates, nothing beyond U+10FFFF.
  var next: ClosedRange<UInt8>

  init?(_ byte: UInt8) {
    switch byte {
    case 0xC2...0xDF: (remaining, value) = (1, UInt32(byte & 0x1F))
    case 0xE0...0xEF: (remaining, value) = (2, UInt32(byte & 0x0F))
    case 0xF0...0xF4: (remaining, value) = (3, UInt32(byte & 0x07))
    default: return nil
    }
    switch byte {
    case 0xE0: next = 0xA0...0xBF
    case 0xED: next = 0x80...0x9F
    case 0xF0: next = 0x90...0xBF
    case 0xF4: next = 0x80...0x8F
    default: next = 0x80...0xBF
    }
  }
}
