/// Reads M3U and M3U8: a path or URL a line, `#EXTINF:seconds,Artist - Title` before it, and the part
/// of the file as VLC has it, `#EXTVLCOPT:start-time=seconds` and `stop-time=`.
public enum M3UParser {
  /// Never fails: what is not understood is left out, and so is what is too long to lead anywhere.
  public static func entries(_ bytes: [UInt8]) -> [PlaylistEntry] {
    M3UList(bytes, atMost: PlaylistLimits.entries + 1).entries
      .filter { PlaylistLimits.mayLead($0.path) }
  }

  /// What the lines before a path say of it, and the path.
  static func entry(_ before: [[UInt8]], _ line: [UInt8], _ charset: Charset) -> PlaylistEntry {
    var hint: (duration: Double?, title: String?) = (nil, nil)
    var part: (start: Double?, end: Double?) = (nil, nil)
    for line in before where line.count <= PlaylistLimits.line {
      let content = LegacyText.trimmed(line[...])
      if LegacyText.begins(content, with: "#extinf:") {
        hint = information(content.dropFirst(8), charset)
      } else if LegacyText.begins(content, with: "#extvlcopt:") {
        let option = LegacyText.trimmed(content.dropFirst(11))
        if let seconds = value(of: "start-time=", option) { part.start = seconds }
        if let seconds = value(of: "stop-time=", option) { part.end = seconds }
      }
    }
    // Spaces at the end of a line may belong to a file name: the expansion tries both.
    let (artist, title) = split(hint.title)
    let path = line.count <= PlaylistLimits.line ? FileURL.path(line) ?? line : line
    var entry = PlaylistEntry(
      path: path, title: title, artist: artist, duration: hint.duration)
    entry.charset = charset
    entry.take(start: part.start, end: part.end)
    return entry
  }

  /// The number after a name; `nil` where the text does not begin with that name.
  static func value(of name: StaticString, _ text: ArraySlice<UInt8>) -> Double? {
    guard LegacyText.begins(text, with: name) else { return nil }
    let number = LegacyText.trimmed(text.dropFirst(name.utf8CodeUnitCount))
    return Double(String(decoding: number, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  /// `123 key="value",Title`: the seconds, and all after the first comma outside of quotes.
  private static func information(_ bytes: ArraySlice<UInt8>, _ charset: Charset)
    -> (Double?, String?)
  {
    var isQuoted = false
    var comma: Int?
    for (index, byte) in zip(bytes.indices, bytes) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted {
        comma = index
        break
      }
    }
    let head = bytes[bytes.startIndex..<(comma ?? bytes.endIndex)]
    let number = LegacyText.trimmed(head).prefix { $0 != 0x20 && $0 != 0x09 }
    let seconds = Double(String(decoding: number, as: UTF8.self))
    let title = comma.map { charset.string(LegacyText.trimmed(bytes[($0 + 1)...])) }
    return (seconds.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }, title)
  }

  /// "Artist - Title" in two; other texts are titles.
  static func split(_ text: String?) -> (artist: String?, title: String?) {
    guard let text, !text.isEmpty else { return (nil, nil) }
    let bytes = Array(text.utf8)
    let mark = Array(" - ".utf8)
    guard bytes.count > 5,
      let place = (1...(bytes.count - 4)).first(where: { bytes[$0..<($0 + 3)].elementsEqual(mark) })
    else { return (nil, text) }
    return (
      String(decoding: bytes[..<place], as: UTF8.self),
      String(decoding: bytes[(place + 3)...], as: UTF8.self)
    )
  }
}
