import AudioTypes
import Database

/// What the queue needs of tracks of the index, and no more: there may be many.
struct ListedRows {
  private let ids: [Int64]
  private let database: Database
  private var found: [ListedTrack?]
  /// Paths of folders by their numbers.
  private var folders: [Int64: [UInt8]] = [:]
  private var names = RepeatedNames()

  private static let columns = """
    track.id, track.start, track.end, title, artist, album, track, duration, track_gain,
    album_gain, track_peak, album_peak, file.name, file.folder
    """

  /// So many are asked for together, where they stand close to one another.
  private static let together = 500
  private static let closeness: Int64 = 8

  /// The tracks of those numbers, in their order. Those that the index has no more are left out.
  static func tracks(_ ids: [Int64], _ database: Database) throws(DatabaseError) -> [ListedTrack] {
    var rows = ListedRows(ids, database)
    try rows.read()
    return rows.found.compactMap(\.self)
  }

  private init(_ ids: [Int64], _ database: Database) {
    self.ids = ids
    self.database = database
    found = [ListedTrack?](repeating: nil, count: ids.count)
  }

  private mutating func read() throws(DatabaseError) {
    if ids.count > Self.together {
      var folders: [Int64: [UInt8]] = [:]
      try database.rows("SELECT id, path FROM folder") { folders[$0.integer(0)] = $0.bytes(1) }
      self.folders = folders
    }
    let places = ids.indices.sorted { ids[$0] < ids[$1] }
    for start in stride(from: 0, to: places.count, by: Self.together) {
      let some = places[start..<min(start + Self.together, places.count)]
      let (first, last) = (ids[some.first!], ids[some.last!])
      if last - first < Int64(some.count) * Self.closeness {
        try take(some, first...last)
      } else {
        for place in some.indices {
          let id = ids[some[place]]
          try take(some[place...place], id...id)
        }
      }
    }
  }

  /// Reads the tracks of some numbers, of which those at some places are wanted.
  private mutating func take(
    _ places: ArraySlice<Int>, _ numbers: ClosedRange<Int64>
  ) throws(DatabaseError) {
    var rest = places
    var waiting: [(place: Int, folder: Int64)] = []
    try database.rows(
      """
      SELECT \(Self.columns) FROM track JOIN file ON file.id = track.file
      WHERE track.id BETWEEN ? AND ? ORDER BY track.id
      """, [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
    ) { row in
      let id = row.integer(0)
      while let place = rest.first, ids[place] < id { rest.removeFirst() }
      guard let place = rest.first, ids[place] == id else { return }
      rest.removeFirst()
      let folder = row.integer(13)
      found[place] = track(row, in: folders[folder] ?? [])
      if folders[folder] == nil { waiting.append((place, folder)) }
    }
    for (place, folder) in waiting {
      if folders[folder] == nil {
        var path: [UInt8]?
        try database.rows("SELECT path FROM folder WHERE id = ?", [.integer(folder)]) {
          path = $0.bytes(0)
        }
        folders[folder] = path
      }
      // Without a folder there is no file.
      guard let path = folders[folder], let track = found[place] else {
        found[place] = nil
        continue
      }
      found[place]?.location.path = Paths.join(path, track.location.path)
    }
  }

  private mutating func track(_ row: Row, in folder: [UInt8]) -> ListedTrack {
    var listed = ListedTrack(
      TrackLocation(
        path: Self.path(row, 12, in: folder), start: row.real(1), end: row.realOrNil(2)),
      title: row.textOrNil(3), artist: names.artist(row, 4), album: names.album(row, 5),
      number: row.intOrNil(6), duration: row.realOrNil(7))
    listed.loudness = LoudnessTags(
      trackGain: row.realOrNil(8), albumGain: row.realOrNil(9), trackPeak: row.realOrNil(10),
      albumPeak: row.realOrNil(11))
    return listed
  }

  /// Made in one piece.
  private static func path(_ row: Row, _ column: Int, in folder: [UInt8]) -> [UInt8] {
    row.withBytes(column) { name in
      var path: [UInt8] = []
      path.reserveCapacity(folder.count + 1 + name.count)
      path += folder
      if !folder.isEmpty, folder.last != 0x2F { path.append(0x2F) }
      unsafe path += name
      return path
    }
  }
}

/// Tracks of an album stand together and have the same names: those are made once.
private struct RepeatedNames {
  private var lastArtist = Name()
  private var lastAlbum = Name()

  private struct Name {
    var bytes: [UInt8] = []
    var text: String?
  }

  mutating func artist(_ row: Row, _ column: Int) -> String? {
    Self.text(row, column, &lastArtist) { FoundRows.many($0).joined(separator: ", ") }
  }

  mutating func album(_ row: Row, _ column: Int) -> String? {
    Self.text(row, column, &lastAlbum) { $0 }
  }

  private static func text(
    _ row: Row, _ column: Int, _ last: inout Name, _ make: (String) -> String
  ) -> String? {
    if row.isNull(column) { return nil }
    return row.withBytes(column) { bytes in
      if let text = last.text, unsafe bytes.elementsEqual(last.bytes) { return text }
      let text = unsafe make(String(decoding: bytes, as: UTF8.self))
      last = unsafe Name(bytes: Array(bytes), text: text)
      return text
    }
  }
}
