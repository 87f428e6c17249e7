/// How many columns of a terminal a character takes: 0 for marks that join the one before, 2 for
/// East Asian wide characters and emoji, 1 for the rest. Needs no locale.
enum CharacterWidth {
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]

  static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The vowels and finals of Hangul join the syllable before them.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    let isWide = wide.contains { $0.contains(scalar.value) }
    return isWide || scalar.properties.isEmojiPresentation ? 2 : 1
  }
}
