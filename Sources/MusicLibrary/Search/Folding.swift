/// Text as it is compared in a search: without case, without marks on letters, without the
/// difference of full and half width, of katakana and hiragana, of kinds of quotes and dashes. Both
/// sides are folded: "bjork" finds "Björk", "strasse" finds "Straße". Needs no library. Pure.
public enum Folding {
  /// UTF-8 without control characters; blanks are one blank each.
  public static func folded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    append(text, to: &result)
    return result
  }

  /// Names of files need not be UTF-8: what is not stands as U+FFFD.
  public static func folded(_ bytes: [UInt8]) -> [UInt8] {
    folded(String(decoding: bytes, as: UTF8.self))
  }

  /// Puts the folded text after what is there.
  static func append(_ text: String, to result: inout [UInt8]) {
    let start = result.count
    var text = text
    let isPlain = text.withUTF8 { bytes in
      result.reserveCapacity(start + bytes.count)
      for byte in bytes {
        guard byte < 0x80 else { return false }
        append(ascii: byte, to: &result, start)
      }
      return true
    }
    if !isPlain {
      result.removeLast(result.count - start)
      for scalar in text.unicodeScalars { append(scalar, to: &result, start) }
    }
    if result.count > start, result.last == 0x20 { result.removeLast() }
  }

  /// Quotes are dropped: "dont" finds "Don't".
  private static func append(ascii byte: UInt8, to result: inout [UInt8], _ start: Int) {
    switch byte {
    case 0x41...0x5A: result.append(byte | 0x20)
    case 0x22, 0x27, 0x60: break
    case 0...0x20, 0x7F: if result.count > start, result.last != 0x20 { result.append(0x20) }
    default: result.append(byte)
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8], _ start: Int) {
    let value = scalar.value
    if value < 0x80 { return append(ascii: UInt8(value), to: &result, start) }
    if value < FoldingTable.end {
      let place = FoldingTable.index[Int(value)]
      if place > 0 {
        result += FoldingTable.plain[Int(place)]
        return
      }
    }
    switch value {
    // Quotes and apostrophes.
    case 0xAB, 0xB4, 0xBB, 0x2BB...0x2BD, 0x2018...0x201F, 0x2032...0x2037, 0x2039, 0x203A: break
    // Marks that stand on letters, invisible signs, signs that choose between pictures.
    case 0xAD, 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5,
      0x5C7, 0x640, 0x64B...0x65F, 0x670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F,
      0x202A...0x202E, 0x2060...0x206F, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF:
      break
    case 0x80...0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000:
      append(ascii: 0x20, to: &result, start)
    case 0x2010...0x2015, 0x2212: result.append(0x2D)
    case 0x2026: result += [0x2E, 0x2E, 0x2E]
    // Full width.
    case 0xFF01...0xFF5E: append(ascii: UInt8(value - 0xFF01 + 0x21), to: &result, start)
    case 0xFF61...0xFF9D:
      append(Unicode.Scalar(halfWidth[Int(value - 0xFF61)])!, to: &result, start)
    // The two marks of kana, of any width, join the letter before.
    case 0x3099, 0x309B, 0xFF9E: join(voiced: 1, to: &result, start)
    case 0x309A, 0x309C, 0xFF9F: join(voiced: 2, to: &result, start)
    case 0x30A1...0x30F6, 0x30FD, 0x30FE: append(value: value - 0x60, to: &result)
    case 0x1161...0x1175, 0x11A8...0x11C2: join(jamo: value, to: &result, start)
    default:
      if let letters = FoldingTable.ligatures[value] {
        result += letters
        return
      }
      let small = scalar.properties.lowercaseMapping
      result += small.utf8
    }
  }

  private static func append(value: UInt32, to result: inout [UInt8]) {
    result += String(Unicode.Scalar(value)!).utf8
  }

  /// Takes a last letter of three bytes away, where it is one of those.
  private static func last(
    of result: inout [UInt8], _ start: Int, _ range: ClosedRange<UInt32>
  ) -> UInt32? {
    guard result.count >= start + 3 else { return nil }
    let tail = result.suffix(3).map { UInt32($0) }
    guard tail[0] & 0xF0 == 0xE0, tail[1] & 0xC0 == 0x80, tail[2] & 0xC0 == 0x80 else { return nil }
    let value = (tail[0] & 0xF) << 12 | (tail[1] & 0x3F) << 6 | tail[2] & 0x3F
    return range.contains(value) ? value : nil
  }

  private static func join(voiced step: UInt32, to result: inout [UInt8], _ start: Int) {
    guard let letter = last(of: &result, start, 0x3041...0x3093) else { return }
    let joined: UInt32
    switch letter {
    case 0x3046 where step == 1: joined = 0x3094
    // か to ぢ: each second one is the plain letter; then つ, て, と, which begin at an even one.
    case 0x304B...0x3062 where step == 1 && letter % 2 == 1: joined = letter + 1
    case 0x3064...0x3069 where step == 1 && letter % 2 == 0: joined = letter + 1
    case 0x306F...0x307D where letter % 3 == 0: joined = letter + step
    default: return
    }
    result.removeLast(3)
    append(value: joined, to: &result)
  }

  /// Hangul as file systems take it apart.
  private static func join(jamo value: UInt32, to result: inout [UInt8], _ start: Int) {
    if value <= 0x1175, let first = last(of: &result, start, 0x1100...0x1112) {
      result.removeLast(3)
      append(value: 0xAC00 + ((first - 0x1100) * 21 + value - 0x1161) * 28, to: &result)
    } else if value >= 0x11A8, let syllable = last(of: &result, start, 0xAC00...0xD7A3),
      (syllable - 0xAC00) % 28 == 0
    {
      result.removeLast(3)
      append(value: syllable + value - 0x11A7, to: &result)
    } else {
      append(value: value, to: &result)
    }
  }

  /// Of U+FF61 to U+FF9D.
  private static let halfWidth: [UInt32] =
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
    .unicodeScalars.map(\.value)
}
