/// How much of a record's texts is kept. A file may say megabytes, and say them of each of a thousand
/// chapters.
public struct TextLimits: Sendable {
  /// Bytes of one text, and of a comment.
  public var text: Int
  public var comment: Int
  /// How many values one field has, and how many bytes together.
  public var values: Int
  public var together: Int

  /// Of a file, or of one of a few parts.
  public static let file = TextLimits(
    text: 1 << 10, comment: 4 << 10, values: 64, together: 4 << 10)
  /// Of one of many parts of a file.
  public static let part = TextLimits(text: 256, comment: 256, values: 8, together: 512)

  /// Chapters of one file.
  public static let chapters = 1000

  /// The beginning of a text: at most so many bytes, and whole characters of Unicode.
  public static func cut(_ text: String, to bytes: Int) -> String {
    let utf8 = text.utf8
    guard utf8.count > bytes else { return text }
    var end = utf8.index(utf8.startIndex, offsetBy: bytes)
    while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(decoding: utf8[..<end], as: UTF8.self)
  }

  /// The first values of a field.
  public func cut(_ values: [String]) -> [String] {
    var left = together
    var kept: [String] = []
    for value in values.prefix(self.values) {
      guard left > 0 else { break }
      let value = Self.cut(value, to: min(text, left))
      left -= value.utf8.count
      kept.append(value)
    }
    return kept
  }
}

extension TrackRecord {
  /// Cuts what is longer than any honest text.
  public mutating func cut(to limits: TextLimits) {
    func cut(_ text: String?) -> String? { text.map { TextLimits.cut($0, to: limits.text) } }
    title = cut(title)
    album = cut(album)
    date = cut(date)
    originalDate = cut(originalDate)
    comment = comment.map { TextLimits.cut($0, to: limits.comment) }
    artists = limits.cut(artists)
    albumArtists = limits.cut(albumArtists)
    genres = limits.cut(genres)
    composers = limits.cut(composers)
    musicBrainz = musicBrainz.mapValues { TextLimits.cut($0, to: limits.text) }
  }
}
