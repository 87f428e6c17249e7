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

/// Rows of the index by their numbers.
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

  private static let listedColumns = """
    track.id, track.start, track.end, title, artist, album, track, duration, track_gain,
    album_gain, track_peak, album_peak, file.name, file.folder
    """

  /// So many are asked for together, where they stand close to one another.
  private static let together = 500
  private static let closeness: Int64 = 8

  /// What the queue needs of tracks, and no more: there may be many. Those that the index has no more
  /// are left out.
  static func listed(_ ids: [Int64], _ database: Database) throws(DatabaseError) -> [ListedTrack] {
    var found = [ListedTrack?](repeating: nil, count: ids.count)
    var folders: [Int64: [UInt8]] = [:]
    if ids.count > together {
      try database.rows("SELECT id, path FROM folder") { folders[$0.integer(0)] = $0.bytes(1) }
    }
    let places = ids.indices.sorted { ids[$0] < ids[$1] }
    for start in stride(from: 0, to: places.count, by: together) {
      let some = places[start..<min(start + together, places.count)]
      let (first, last) = (ids[some.first!], ids[some.last!])
      if last - first < Int64(some.count) * closeness {
        try take(some, ids, first...last, &folders, &found, database)
      } else {
        for place in some.indices {
          let id = ids[some[place]]
          try take(some[place...place], ids, id...id, &folders, &found, database)
        }
      }
    }
    return found.compactMap(\.self)
  }

  /// Reads the tracks of some numbers, of which those at some places are wanted.
  private static func take(
    _ places: ArraySlice<Int>, _ ids: [Int64], _ numbers: ClosedRange<Int64>,
    _ folders: inout [Int64: [UInt8]], _ found: inout [ListedTrack?], _ database: Database
  ) throws(DatabaseError) {
    var rest = places
    var waiting: [(place: Int, folder: Int64)] = []
    try database.rows(
      """
      SELECT \(listedColumns) FROM track JOIN file ON file.id = track.file
      WHERE track.id BETWEEN ? AND ? ORDER BY track.id
      """, [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
    ) { row in
      let id = row.integer(0)
      while let place = rest.first, ids[place] < id { rest.removeFirst() }
      guard let place = rest.first, ids[place] == id else { return }
      rest.removeFirst()
      let folder = row.integer(13)
      found[place] = listed(row, in: folders[folder] ?? [])
      if folders[folder] == nil { waiting.append((place, folder)) }
    }
    for (place, folder) in waiting {
      if folders[folder] == nil {
        try database.rows("SELECT path FROM folder WHERE id = ?", [.integer(folder)]) {
          folders[folder] = $0.bytes(0)
        }
      }
      // Without a folder there is no file.
      guard let path = folders[folder], let track = found[place] else {
        found[place] = nil
        continue
      }
      found[place]?.location.path = Paths.join(path, track.location.path)
    }
  }

  private static func listed(_ row: Row, in folder: [UInt8]) -> ListedTrack {
    let artists = many(row.textOrNil(4))
    var listed = ListedTrack(
      TrackLocation(
        path: Paths.join(folder, row.bytes(12)), start: row.real(1), end: row.realOrNil(2)),
      title: row.textOrNil(3), artist: artists.isEmpty ? nil : artists.joined(separator: ", "),
      album: row.textOrNil(5), number: row.intOrNil(6), duration: row.realOrNil(7))
    listed.loudness = LoudnessTags(
      trackGain: row.realOrNil(8), albumGain: row.realOrNil(9), trackPeak: row.realOrNil(10),
      albumPeak: row.realOrNil(11))
    return listed
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
