/// Reads M3U and M3U8: a path or URL a line, `#EXTINF:seconds,Artist - Title` before it.
public enum M3UParser {
  /// Never fails: what is not understood is left out.
  public static func entries(_ bytes: [UInt8]) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    var hint: (duration: Double?, title: String?) = (nil, nil)
    let text = LegacyText.unmarked(bytes)
    let charset = Charset(of: text)
    for line in LegacyText.lines(text) {
      let content = LegacyText.trimmed(line)
      guard let first = content.first else { continue }
      if first == UInt8(ascii: "#") {
        if LegacyText.begins(content, with: "#extinf:") {
          hint = information(content.dropFirst(8), charset)
        }
        continue
      }
      // Spaces at the end of a line may belong to a file name: the expansion tries both.
      let (artist, title) = split(hint.title)
      var entry = PlaylistEntry(
        path: FileURL.path(Array(line)) ?? Array(line), title: title, artist: artist,
        duration: hint.duration)
      entry.charset = charset
      entries.append(entry)
      hint = (nil, nil)
      if entries.count > PlaylistLimits.entries { break }
    }
    return entries
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
