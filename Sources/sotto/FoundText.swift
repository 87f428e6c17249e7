import AudioTypes
import JSONText
import MusicLibrary
import TerminalModel

/// A track of the collection as text.
enum FoundText {
  /// With the names of `info --json`; what the index does not keep is null.
  static func json(_ found: FoundTrack) -> JSON {
    let track = found.track
    func names(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }
    func joined(_ values: [String]) -> JSON {
      values.isEmpty ? .null : .string(values.joined(separator: ", "))
    }
    let loudness = track.loudness
    let identity: [(String, JSON)] = [
      ("path", .bytes(found.path)), ("start", .double(track.start)), ("end", .double(track.end)),
    ]
    let sound: [(String, JSON)] = [
      ("container", .string(track.container)), ("codec", .string(track.codec)),
      ("sampleRate", .int(track.sampleRate)), ("channels", .int(track.channels)),
      ("channelLayout", .null), ("bitDepth", .int(track.bitDepth)),
      ("bitRate", .int(track.bitRate)), ("frames", .null), ("duration", .double(track.duration)),
      ("gapless", .null),
    ]
    let tags: [(String, JSON)] = [
      ("title", .string(track.title)), ("artist", joined(track.artists)),
      ("artists", names(track.artists)), ("album", .string(track.album)),
      ("albumArtist", joined(track.albumArtists)), ("albumArtists", names(track.albumArtists)),
      ("track", .int(track.track)), ("trackTotal", .int(track.trackTotal)),
      ("disc", .int(track.disc)), ("discTotal", .int(track.discTotal)),
      ("date", .string(track.date)), ("originalDate", .string(track.originalDate)),
      ("year", .int(track.year)), ("genre", joined(track.genres)), ("genres", names(track.genres)),
      ("composer", joined(track.composers)), ("composers", names(track.composers)),
      ("comment", .string(track.comment)), ("compilation", .bool(track.isCompilation)),
      ("lyrics", .bool(track.hasLyrics)), ("picture", .null),
      (
        "replayGain",
        .object([
          ("track", .double(loudness.trackGain)), ("album", .double(loudness.albumGain)),
          ("trackPeak", .double(loudness.trackPeak)), ("albumPeak", .double(loudness.albumPeak)),
        ])
      ),
      ("chapters", .null), ("tags", .null),
    ]
    let rating = found.history.rating >= 0 ? Double(found.history.rating) : track.rating
    let history: [(String, JSON)] = [
      ("added", .int(found.added)), ("plays", .int(Int64(found.history.plays))),
      ("played", found.history.played == 0 ? .null : .int(Int64(found.history.played))),
      ("rating", .double(rating.map { ($0 * 500).rounded() / 100 })),
    ]
    return .object(identity + sound + tags + history)
  }
}

/// Lines of equal columns: artist, title, album, year, time. What matters least goes first where
/// there is little room.
struct FoundTable {
  private let artist: Int
  private let title: Int
  private let album: Int
  private let showsYear: Bool

  init(columns: Int) {
    showsYear = columns >= 70
    // A gap of two before each column.
    let rest = max(columns - 8 - (showsYear ? 6 : 0), 10)
    if columns >= 60 {
      artist = rest * 3 / 10
      title = rest * 4 / 10
      album = rest - artist - title
    } else {
      artist = columns >= 36 ? rest * 4 / 10 : 0
      title = rest - artist
      album = 0
    }
  }

  func line(_ found: FoundTrack) -> String {
    let track = found.track
    let name = found.path.split(separator: 0x2F).last.map { Text.printable($0) } ?? ""
    let title = track.title.map { Text.printable($0) } ?? name
    let artists = track.artists.isEmpty ? track.albumArtists : track.artists
    var line = ""
    if artist > 0 { line += Self.cell(Text.printable(artists.joined(separator: ", ")), artist) }
    line += Self.cell(title, self.title)
    if album > 0 { line += Self.cell(Text.printable(track.album ?? ""), album) }
    if showsYear { line += Self.right(track.year.map { "\($0)" } ?? "", 4) + "  " }
    return line + Self.right(track.duration.map { StatusLine.clock($0) } ?? "", 7)
  }

  /// A text in so many columns, the last two of them blank.
  private static func cell(_ text: String, _ columns: Int) -> String {
    let room = columns - 2
    var shown = ""
    var used = 0
    for character in text {
      let width = CharacterWidth.columns(character)
      if used + width > room {
        // The mark that something is missing takes the place of what is there.
        while used > room - 1, let last = shown.popLast() {
          used -= CharacterWidth.columns(last)
        }
        shown += "…"
        used += 1
        break
      }
      shown.append(character)
      used += width
    }
    return shown + String(repeating: " ", count: max(columns - used, 0))
  }

  private static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(columns - text.count, 0)) + text
  }
}
