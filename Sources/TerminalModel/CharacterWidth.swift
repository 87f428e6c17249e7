import CUtf8proc

/// How many columns of a terminal a text takes. Needs no locale. libutf8proc knows best; where it is
/// not installed a table of our own stands in.
public enum CharacterWidth {
  /// Columns of a character as people see it: 2 for East Asian wide characters and emoji, 0 for what
  /// is not seen by itself (controls, joiners, a mark without its letter), 1 for the rest.
  public static func columns(_ character: Character) -> Int {
    columns(character, of: columns)
  }

  /// Columns of a text that is drawn in one line.
  public static func columns(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  /// Columns of a code point by itself: 0 for marks that join the one before.
  public static func columns(_ scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7F).contains(scalar.value) { return 1 }
    if scalar.value < 0xA0 { return 0 }
    let width = Int(sotto_utf8proc_width(scalar.value))
    return width < 0 ? tableColumns(scalar) : width
  }

  /// The rules for a cluster, over the columns of its code points.
  static func columns(_ character: Character, of scalarColumns: (Unicode.Scalar) -> Int) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.value < 0x20 || (0x7F..<0xA0).contains(first.value) { return 0 }
    let base = scalarColumns(first)
    if scalars.index(after: scalars.startIndex) == scalars.endIndex { return base }
    var sum = base
    for scalar in scalars.dropFirst() {
      switch scalar.value {
      // As a picture; the keycap; the joiner before another picture; skin; the second letter of a
      // flag. All of these draw one picture of two columns.
      case 0xFE0F where first.properties.isEmoji, 0x20E3: return 2
      case 0x1F3FB...0x1F3FF where first.properties.isEmoji: return 2
      case 0x1F1E6...0x1F1FF: return 2
      case 0x200D where first.properties.isEmoji: return 2
      // A vowel beside its letter has room of its own on most terminals, whatever the library says:
      // a gap reads better than a letter cut in half.
      case _ where scalar.properties.generalCategory == .spacingMark: sum += 1
      default: sum += scalarColumns(scalar)
      }
    }
    // Letters that are drawn as one (Indic, Thai) take the room of their parts, and a cell has no
    // more than two.
    return min(sum, 2)
  }

  /// True when terminals agree on the columns. They dispute about emoji, joined letters, symbols
  /// that can be emoji, and scripts whose letters stack or join.
  public static func isCertain(_ character: Character) -> Bool {
    if character.isASCII { return true }
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex
    else { return false }
    switch first.value {
    case 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x52F, 0x10D0...0x10FA,
      0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20C0, 0x2100...0x214F, 0x2190...0x22FF,
      0x2500...0x25FF, 0x2800...0x28FF, 0x1FB00...0x1FBCA:
      return !first.properties.isEmoji
    case 0x3000...0x3029, 0x3041...0x3096, 0x309B...0x30FF, 0x3105...0x312F, 0x3131...0x3163,
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFA6D, 0xFA70...0xFAD9,
      0xFF01...0xFF60,
      0x20000...0x2A6DF:
      return true
    default: return false
    }
  }

  /// The most columns that any terminal may give a character: one that knows no clusters draws each
  /// of its parts.
  public static func widest(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { $0 + max(columns($1), 1) }
  }

  // MARK: Without the library

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]

  static func tableColumns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) { return 0 }
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // The vowels and finals of Hangul join the syllable before them.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    // The letters of flags are emoji, but one alone is a letter.
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 1 }
    let isWide = wide.contains { $0.contains(scalar.value) }
    return isWide || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  /// The version of libutf8proc; empty where it is not installed.
  public static var libraryVersion: String { unsafe String(cString: sotto_utf8proc_version()) }
}
