import AudioTypes
import Database
import Tags

/// A track as a search gives it: what the index knows of it, and what happened to it.
public struct FoundTrack: Equatable, Sendable {
  /// Its number in the index.
  public var id: Int64
  public var path: [UInt8]
  public var track: TrackRecord
  /// Seconds since 1970.
  public var added: Int64
  public var history: Catalog.HistoryEntry

  public init(
    id: Int64, path: [UInt8], track: TrackRecord, added: Int64,
    history: Catalog.HistoryEntry = Catalog.HistoryEntry()
  ) {
    self.id = id
    self.path = path
    self.track = track
    self.added = added
    self.history = history
  }
}

/// A row of the index by its number.
enum FoundRows {
  private static let columns = """
    track.start, track.end, title, artist, album_artist, album, track, track_total, disc,
    disc_total, date, original_date, genre, composer, comment, compilation, rating, duration,
    container, codec, rate, channels, bits, bit_rate, track_gain, album_gain, track_peak,
    album_peak, lyrics, picture, folder.path, file.name, file.added
    """

  static func track(_ id: Int64, _ database: Database) throws(DatabaseError) -> FoundTrack? {
    var found: FoundTrack?
    try database.rows(
      """
      SELECT \(columns) FROM track JOIN file ON file.id = track.file
      JOIN folder ON folder.id = file.folder WHERE track.id = ?
      """, [.integer(id)]
    ) { row in
      found = FoundTrack(
        id: id, path: Paths.join(row.bytes(30), row.bytes(31)), track: record(row),
        added: row.integer(32), history: Catalog.HistoryEntry())
    }
    return found
  }

  private static func record(_ row: Row) -> TrackRecord {
    var track = TrackRecord()
    track.start = row.real(0)
    track.end = row.realOrNil(1)
    track.title = row.textOrNil(2)
    track.artists = many(row.textOrNil(3))
    track.albumArtists = many(row.textOrNil(4))
    track.album = row.textOrNil(5)
    track.track = row.intOrNil(6)
    track.trackTotal = row.intOrNil(7)
    track.disc = row.intOrNil(8)
    track.discTotal = row.intOrNil(9)
    track.date = row.textOrNil(10)
    track.originalDate = row.textOrNil(11)
    track.genres = many(row.textOrNil(12))
    track.composers = many(row.textOrNil(13))
    track.comment = row.textOrNil(14)
    track.isCompilation = row.int(15) != 0
    track.rating = row.realOrNil(16)
    track.duration = row.realOrNil(17)
    track.container = row.textOrNil(18)
    track.codec = row.textOrNil(19)
    track.sampleRate = row.intOrNil(20)
    track.channels = row.intOrNil(21)
    track.bitDepth = row.intOrNil(22)
    track.bitRate = row.intOrNil(23)
    track.loudness.trackGain = row.realOrNil(24)
    track.loudness.albumGain = row.realOrNil(25)
    track.loudness.trackPeak = row.realOrNil(26)
    track.loudness.albumPeak = row.realOrNil(27)
    track.hasLyrics = row.int(28) != 0
    track.hasPicture = row.int(29) == 1
    return track
  }

  private static let separator = IndexSchema.separator.utf8.first!

  static func many(_ text: String?) -> [String] {
    guard let text else { return [] }
    guard text.utf8.contains(separator) else { return [text] }
    return text.utf8.split(separator: separator, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}
