import AudioTypes
import Decoding

/// Tags by name and value, whatever a format calls them, as the fields of a record.
struct TagFields {
  private var values: [String: [String]] = [:]
  private let tags: [(name: String, value: String)]

  /// A name without letter case, spaces and strokes: "Album Artist", "album_artist", "ALBUMARTIST".
  private static func key(_ name: String) -> String {
    var key = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case " ", "_", "-": continue
      case "A"..."Z": key.unicodeScalars.append(Unicode.Scalar(scalar.value + 32)!)
      default: key.unicodeScalars.append(scalar)
      }
    }
    return key
  }

  init(_ tags: [(name: String, value: String)]) {
    self.tags = tags.map { ($0.name.lowercased(), $0.value) }
    for tag in tags {
      let key = Self.key(tag.name)
      let value = Self.trimmed(tag.value)
      guard !value.isEmpty else { continue }
      if let known = values[key], known.count >= Self.mostValues || known.contains(value) {
        continue
      }
      values[key, default: []].append(value)
    }
  }

  /// More values of one name are left out.
  private static let mostValues = 64

  /// Without spaces and zeros around it.
  private static func trimmed(_ text: String) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last, isBlank(first) || isBlank(last) else {
      return text
    }
    let head = bytes.drop(while: isBlank)
    guard let end = head.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(Substring(head[...end]))
  }

  private func all(_ names: String...) -> [String] {
    names.lazy.compactMap { values[$0] }.first ?? []
  }

  private func first(_ names: String...) -> String? {
    names.lazy.compactMap { values[$0]?.first }.first
  }

  /// The text of an embedded CUE sheet.
  var cueSheet: String? { first("cuesheet") }

  /// Fills the fields that tags tell.
  func fill(_ record: inout TrackRecord) {
    record.title = first("title")
    record.artists = all("artist", "author")
    record.albumArtists = all("albumartist", "wm/albumartist")
    record.album = first("album", "wm/albumtitle")
    let track = Self.numbers(first("tracknumber", "track", "wm/tracknumber"))
    record.track = track.number
    record.trackTotal = track.total ?? Self.numbers(first("tracktotal", "totaltracks")).number
    let disc = Self.numbers(first("discnumber", "disc", "disk", "wm/partofset"))
    record.disc = disc.number
    record.discTotal = disc.total ?? Self.numbers(first("disctotal", "totaldiscs")).number
    record.date = first("date", "year", "wm/year")
    record.originalDate = first("originaldate", "originalyear", "wm/originalreleasetime")
    record.genres = all("genre", "wm/genre")
    record.composers = all("composer", "wm/composer")
    record.comment = first("comment", "description")
    record.isCompilation =
      ["1", "true", "yes"].contains(
        (first("compilation", "itunescompilation", "wm/iscompilation") ?? "").lowercased())
    record.rating = rating
    record.loudness = LoudnessTags(tags: tags)
    record.hasLyrics = values.keys.contains {
      $0 == "lyrics" || $0 == "unsyncedlyrics" || $0 == "syncedlyrics" || $0 == "wm/lyrics"
        || $0.hasPrefix("lyrics:")
    }
    for (kind, names) in Self.musicBrainz {
      if let value = names.lazy.compactMap({ values[$0]?.first }).first {
        record.musicBrainz[kind] = value
      }
    }
    record.cut(to: .file)
  }

  /// Picard's names, as Vorbis comments, ID3v2 and MP4 have them.
  private static let musicBrainz: [(String, [String])] = [
    ("recording", ["musicbrainztrackid"]),
    ("track", ["musicbrainzreleasetrackid"]),
    ("release", ["musicbrainzalbumid"]),
    ("releasegroup", ["musicbrainzreleasegroupid"]),
    ("artist", ["musicbrainzartistid"]),
    ("albumartist", ["musicbrainzalbumartistid"]),
    ("work", ["musicbrainzworkid"]),
  ]

  /// "3", "03/12". Of "3 of 12" the first number.
  private static func numbers(_ text: String?) -> (number: Int?, total: Int?) {
    guard let text else { return (nil, nil) }
    var found: [Int] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1) {
      let digits = part.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
      guard let number = Int(Substring(digits)), number > 0, number < 100_000 else {
        return (found.first, nil)
      }
      found.append(number)
    }
    return (found.first, found.count > 1 ? found[1] : nil)
  }

  /// Stars as players write them: out of 1, 5, 10, 100 or 255.
  private var rating: Double? {
    if let text = first("fmpsrating"), let value = Double(text), (0...1).contains(value) {
      return value
    }
    if let text = first("wm/shareduserrating"), let value = Int(text), (1...100).contains(value) {
      // Windows' steps: 1, 25, 50, 75, 99.
      return Double((value + 12) / 25 + 1) / 5
    }
    guard let text = first("rating"), let value = Double(text), value > 0 else { return nil }
    switch value {
    case ..<1 where text.contains("."): return value
    case ...5: return value / 5
    case ...10: return value / 10
    case ...100: return value / 100
    case ...255: return Self.popularimeter(Int(value))
    default: return nil
    }
  }

  /// A rating of ID3v2, whose steps are Windows'.
  static func popularimeter(_ value: Int) -> Double {
    switch value {
    case ..<32: 0.2
    case ..<96: 0.4
    case ..<160: 0.6
    case ..<224: 0.8
    default: 1
    }
  }
}
