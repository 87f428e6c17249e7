import TerminalModel

/// Keys that come as sequences: as xterm sends them, and rxvt, the Linux console and kitty.
enum KeySequence {
  /// `CSI … last`; nil for one that nobody knows.
  static func key(_ sequence: ControlSequence) -> Key? {
    let modifiers = modifiers(sequence.number(1) ?? 1)
    switch sequence.last {
    case UInt8(ascii: "~"):
      // modifyOtherKeys: 27, the modifier, the character.
      if sequence.number(0) == 27, let code = sequence.number(2) {
        return character(code, modifiers)
      }
      return sequence.number(0).flatMap(numbered).map { Key($0, modifiers) }
    // rxvt: the same numbers, with the modifier in the last byte.
    case UInt8(ascii: "$"): return rxvt(sequence, .shift)
    case UInt8(ascii: "^"): return rxvt(sequence, .control)
    case UInt8(ascii: "@"): return rxvt(sequence, [.control, .shift])
    case UInt8(ascii: "Z"): return Key(.tab, .shift)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      return lettered(sequence.last - 0x20).map { Key($0, .shift) }
    default: return lettered(sequence.last).map { Key($0, modifiers) }
    }
  }

  /// `SS3 last`: the keypad and the arrows in their application mode.
  static func shift3(_ last: UInt8, modifiers number: Int) -> Key? {
    let modifiers = modifiers(number)
    switch last {
    case UInt8(ascii: "M"): return Key(.enter, modifiers)
    case UInt8(ascii: "I"): return Key(.tab, modifiers)
    case UInt8(ascii: " "): return Key(.character(" "), modifiers)
    case UInt8(ascii: "X"): return Key(.character("="), modifiers)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      return lettered(last - 0x20).map { Key($0, .control) }
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // The keypad: * + , - . / and the digits, sixty-four further on.
      return Key(.character(Character(Unicode.Scalar(last - 0x40))), modifiers)
    default: return lettered(last).map { Key($0, modifiers) }
    }
  }

  /// `CSI code:shifted:base ; modifiers:event ; text u`.
  static func kitty(_ parts: [[Int?]]) -> ControlSequence.Meaning {
    guard let code = parts[0][0] else { return .input(.key(Key(.unknown))) }
    let held = parts.count > 1 ? parts[1] : [nil]
    // A key that is let go.
    if held.count > 1, held[1] == 3 { return .nothing }
    // Shift, control, caps lock and their like alone.
    if (57441...57454).contains(code) || (57358...57360).contains(code) { return .nothing }
    let bits = max((held[0] ?? 1) - 1, 0)
    // Super, hyper and meta belong to the desktop: a key with them is not the key without.
    if bits & (8 | 16 | 32) != 0 { return .input(.key(Key(.unknown))) }
    let modifiers = modifiers(held[0] ?? 1)
    if let name = functional(code) { return .input(.key(Key(name, modifiers))) }
    let shifted = parts[0].count > 1 ? parts[0][1] : nil
    let typed = modifiers.contains(.shift) ? shifted ?? code : code
    return .input(.key(character(typed, modifiers) ?? Key(.unknown)))
  }

  /// xterm's number: one more than the bits. Locks count for nothing.
  private static func modifiers(_ number: Int) -> Key.Modifiers {
    let bits = max(number - 1, 0)
    var modifiers: Key.Modifiers = []
    if bits & 1 != 0 { modifiers.insert(.shift) }
    if bits & (2 | 8) != 0 { modifiers.insert(.alt) }
    if bits & 4 != 0 { modifiers.insert(.control) }
    return modifiers
  }

  /// A character by its number, as the other path gives it: shift is in the character.
  private static func character(_ code: Int, _ modifiers: Key.Modifiers) -> Key? {
    switch code {
    case 9: return Key(.tab, modifiers)
    case 10, 13: return Key(.enter, modifiers)
    case 27: return Key(.escape, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    default: break
    }
    guard code >= 0x20, !(0x7F..<0xA0).contains(code), !(0xE000...0xF8FF).contains(code),
      let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init)
    else { return nil }
    var typed = Character(scalar)
    if modifiers.contains(.shift), let upper = typed.uppercased().first,
      typed.uppercased().count == 1
    {
      typed = upper
    }
    // With control the letter is named small, as the control characters name it.
    if modifiers.contains(.control), typed.isASCII, let lower = typed.lowercased().first {
      typed = lower
    }
    return Key(.character(typed), modifiers.subtracting(.shift))
  }

  private static func rxvt(_ sequence: ControlSequence, _ modifiers: Key.Modifiers) -> Key? {
    sequence.number(0).flatMap(numbered).map { Key($0, modifiers) }
  }

  private static func lettered(_ last: UInt8) -> Key.Name? {
    switch last {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(last) - 0x4F)
    default: nil
    }
  }

  /// The numbers before `~`: DEC's, with the gaps they have.
  private static func numbered(_ number: Int) -> Key.Name? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23...26: .function(number - 12)
    case 28, 29: .function(number - 13)
    case 31...34: .function(number - 14)
    default: nil
    }
  }

  /// kitty's numbers for keys that are no characters, in the private area of Unicode.
  private static func functional(_ code: Int) -> Key.Name? {
    switch code {
    case 57376...57398: return .function(code - 57376 + 13)
    case 57399...57408: return .character(Character(String(code - 57399)))
    case 57409...57413: return .character(Array("./*-+")[code - 57409])
    case 57414: return .enter
    case 57415: return .character("=")
    case 57416: return .character(",")
    case 57417: return .left
    case 57418: return .right
    case 57419: return .up
    case 57420: return .down
    case 57421: return .pageUp
    case 57422: return .pageDown
    case 57423: return .home
    case 57424: return .end
    case 57425: return .insert
    case 57426: return .delete
    default: return nil
    }
  }
}
