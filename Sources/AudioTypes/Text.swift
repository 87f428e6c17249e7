/// Text from files and networks is data: nothing in it may reach a terminal or D-Bus raw.
public enum Text {
  /// Bytes as text for people: invalid UTF-8 becomes U+FFFD, and so does every control character
  /// (C0, DEL, C1), line break, bidirectional override and other invisible formatting character.
  public static func printable(_ bytes: some Sequence<UInt8>) -> String {
    printable(String(decoding: Array(bytes), as: UTF8.self))
  }

  /// Text as text for people; see the other.
  public static func printable(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ !isUnsafe($0) }) { return text }
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { clean.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
    return String(clean)
  }

  /// True for what a terminal could obey instead of show.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
    case .format:
      // Joiners shape emoji and Indic scripts and obey nothing; the rest can reorder a line.
      return scalar != "\u{200C}" && scalar != "\u{200D}"
    default: return false
    }
  }
}
