import TerminalModel

/// What the terminal answers when it is asked.
public enum TerminalReport: Hashable, Sendable {
  /// kitty's graphics: its answer to a picture or a question, "OK" or what is wrong.
  case graphics(id: Int, String)

  /// `G i=31;OK` as kitty answers.
  init?(graphics body: [UInt8]) {
    let parts = String(decoding: body, as: UTF8.self).split(separator: ";", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let id = parts[0].dropFirst().split(separator: ",").first { $0.hasPrefix("i=") }
    self = .graphics(id: id.flatMap { Int($0.dropFirst(2)) } ?? 0, String(parts[1]))
  }
}

/// `CSI parameters last`, taken apart.
struct ControlSequence {
  enum Meaning {
    case input(TerminalInput)
    case nothing
  }

  /// `<`, `=`, `>` or `?` before the parameters.
  let prefix: UInt8?
  /// The first number of each parameter; nil where it is empty.
  let numbers: [Int?]
  /// The numbers of each parameter, which colons divide.
  let parts: [[Int?]]
  let hasIntermediate: Bool
  let last: UInt8

  /// Nil where the parameters are none.
  init?(_ body: [UInt8], _ last: UInt8) {
    var rest = body[...]
    if let first = rest.first, (0x3C...0x3F).contains(first) {
      prefix = first
      rest = rest.dropFirst()
    } else {
      prefix = nil
    }
    let intermediate = rest.firstIndex { $0 < 0x30 }
    hasIntermediate = intermediate != nil
    if let intermediate {
      guard rest[intermediate...].allSatisfy({ $0 < 0x30 }) else { return nil }
      rest = rest[..<intermediate]
    }
    var parts: [[Int?]] = [[nil]]
    for byte in rest {
      switch byte {
      case 0x30...0x39:
        let place = parts[parts.count - 1].count - 1
        let number = (parts[parts.count - 1][place] ?? 0) * 10 + Int(byte - 0x30)
        // Beyond every code point, and far from overflow.
        parts[parts.count - 1][place] = min(number, 9_999_999)
      case 0x3A: parts[parts.count - 1].append(nil)
      case 0x3B: parts.append([nil])
      default: return nil
      }
    }
    self.parts = parts
    numbers = parts.map { $0[0] }
    self.last = last
  }

  func number(_ index: Int) -> Int? { index < numbers.count ? numbers[index] : nil }

  var isPasteBegin: Bool {
    prefix == nil && !hasIntermediate && last == UInt8(ascii: "~") && numbers == [200]
  }

  var meaning: Meaning {
    switch prefix {
    case UInt8(ascii: "<"): return mouse
    case nil: break
    default: return .nothing
    }
    if hasIntermediate { return .nothing }
    switch last {
    case UInt8(ascii: "I") where numbers == [nil]: return .input(.focus(true))
    case UInt8(ascii: "O") where numbers == [nil]: return .input(.focus(false))
    case UInt8(ascii: "t"), UInt8(ascii: "n"): return .nothing
    // The place of the cursor; with 1 and a modifier it is F3.
    case UInt8(ascii: "R") where numbers.count == 2 && numbers[0] != 1: return .nothing
    case UInt8(ascii: "~") where numbers == [201]: return .nothing
    case UInt8(ascii: "u"): return KeySequence.kitty(parts)
    default:
      return .input(.key(KeySequence.key(self) ?? Key(.unknown)))
    }
  }

  private var mouse: Meaning {
    guard last == UInt8(ascii: "M") || last == UInt8(ascii: "m"), numbers.count == 3,
      let code = numbers[0], let column = numbers[1], let row = numbers[2],
      let event = MouseSequence.event(
        code, column: column, row: row, isRelease: last == UInt8(ascii: "m"))
    else { return .nothing }
    return .input(.mouse(event))
  }
}

enum MouseSequence {
  /// Nil for what a click does not mean: moves without a button, wheels that turn sideways.
  static func event(_ code: Int, column: Int, row: Int, isRelease: Bool) -> MouseEvent? {
    guard column >= 1, row >= 1, column < 1 << 16, row < 1 << 16, code >= 0 else { return nil }
    var modifiers: Key.Modifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let isMove = code & 32 != 0
    let action: MouseEvent.Action
    switch code & ~(4 | 8 | 16 | 32) {
    case 64 where !isRelease: action = .scroll(down: false)
    case 65 where !isRelease: action = .scroll(down: true)
    case 0...3 where isRelease && !isMove: action = .release
    case let number where number < 3 && !isRelease:
      let button = [MouseEvent.Button.left, .middle, .right][number]
      action = isMove ? .drag(button) : .press(button)
    default: return nil
    }
    return MouseEvent(action, row: row - 1, column: column - 1, modifiers: modifiers)
  }
}
