import AudioTypes
import Database
import Tags

/// The index of the collection on disk, or in memory for tests: folders, files and tracks. Used by
/// one thread at a time; blocks.
///
/// Times are seconds since 1970 and come from the caller: nothing here has a clock.
@safe public final class LibraryIndex {
  let database: Database

  /// Opens the index, and makes or remakes it where it is not there or has another version: all of
  /// it can be read again from the files.
  public init(_ database: Database) throws(DatabaseError) {
    self.database = database
    guard try Self.version(of: database) == 0 else { return }
    try database.transaction { () throws(DatabaseError) in
      // Another scan may have begun at the same moment.
      guard try Self.version(of: database) == 0 else { return }
      try database.execute(IndexSchema.statements)
      try database.execute("PRAGMA user_version = \(IndexSchema.version)")
    }
  }

  /// 0 where there are no tables yet. An older index is read again from the files; a newer one is the
  /// property of a newer sotto.
  private static func version(of database: Database) throws(DatabaseError) -> Int64 {
    let version = try database.integer("PRAGMA user_version") ?? 0
    guard version == 0 || version == IndexSchema.version else {
      let isNewer = version > IndexSchema.version
      throw DatabaseError(
        cause: isNewer ? .misuse : .corrupt, code: 0,
        sentence: "it was made by \(isNewer ? "a newer" : "another") version of sotto")
    }
    return version
  }

  /// All that `body` writes, or nothing.
  public func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try database.transaction(body)
  }

  // MARK: Folders

  /// The folders that the user has named, which are looked through again.
  public func roots() throws(DatabaseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try database.rows("SELECT path FROM root ORDER BY path") { paths.append($0.bytes(0)) }
    return paths
  }

  /// Adds a folder whose music belongs to the collection; one that is there already stays.
  public func add(root path: [UInt8]) throws(DatabaseError) {
    try database.run("INSERT OR IGNORE INTO root(path) VALUES(?)", .bytes(path))
  }

  func add(roots: [[UInt8]]) throws(DatabaseError) {
    guard !roots.isEmpty else { return }
    try transaction { () throws(DatabaseError) in for root in roots { try add(root: root) } }
  }

  /// The number of a folder, which is noted where it was not known.
  public func folder(_ path: [UInt8]) throws(DatabaseError) -> Int64 {
    if let id = try database.integer("SELECT id FROM folder WHERE path = ?", .bytes(path)) {
      return id
    }
    try database.run("INSERT INTO folder(path) VALUES(?)", .bytes(path))
    return database.lastRow
  }

  // MARK: Files

  /// What is known of a folder's own files.
  public func files(in folder: Int64) throws(DatabaseError) -> [IndexedFile] {
    var files: [IndexedFile] = []
    try database.rows(
      """
      SELECT id, name, device, node, size, modified, beside, fault, missing FROM file
      WHERE folder = ?
      """, [.integer(folder)]
    ) { files.append(Self.file($0)) }
    return files
  }

  static func file(_ row: Row) -> IndexedFile {
    IndexedFile(
      id: row.integer(0), name: row.bytes(1),
      identity: FileIdentity(
        device: row.integer(2), node: row.integer(3), size: row.integer(4),
        modified: row.integer(5)),
      beside: row.integer(6), fault: row.textOrNil(7), isMissing: !row.isNull(8))
  }

  /// Notes a file as it is now; a known one keeps its number, and with it when it was added.
  @discardableResult
  public func put(
    file name: [UInt8], in folder: Int64, _ identity: FileIdentity, beside: Int64 = 0,
    fault: String? = nil, at now: Int64
  ) throws(DatabaseError) -> Int64 {
    try database.run(
      """
      INSERT INTO file(folder, name, device, node, size, modified, beside, fault, added)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT(folder, name) DO UPDATE SET device = excluded.device, node = excluded.node,
        size = excluded.size, modified = excluded.modified, beside = excluded.beside,
        fault = excluded.fault, missing = NULL
      """,
      .integer(folder), .bytes(name), .integer(identity.device), .integer(identity.node),
      .integer(identity.size), .integer(identity.modified), .integer(beside),
      fault.map { .text($0) }, .integer(now))
    return try database.integer(
      "SELECT id FROM file WHERE folder = ? AND name = ?", .integer(folder), .bytes(name)) ?? 0
  }

  /// It is at another place now, under its old number.
  public func move(file: Int64, to folder: Int64, name: [UInt8]) throws(DatabaseError) {
    try database.run(
      "UPDATE file SET folder = ?, name = ?, missing = NULL WHERE id = ?", .integer(folder),
      .bytes(name), .integer(file))
    try renameInSearch(file: file, name: name)
  }

  /// It is not there any more, or is again; its tracks stay known.
  public func set(missing: Int64?, file: Int64) throws(DatabaseError) {
    try database.run(
      "UPDATE file SET missing = ? WHERE id = ?", missing.map { .integer($0) }, .integer(file))
  }

  /// Forgets a file and its tracks.
  public func remove(file: Int64) throws(DatabaseError) {
    try replace(tracks: [], of: file)
    try database.run("DELETE FROM file WHERE id = ?", .integer(file))
  }

  // MARK: Tracks

  /// Takes the place of what was known of a file's tracks. One that begins at the same place keeps
  /// its number.
  public func replace(tracks: [TrackRecord], of file: Int64) throws(DatabaseError) {
    var old: [Double: Int64] = [:]
    try database.rows("SELECT start, id FROM track WHERE file = ?", [.integer(file)]) {
      old[$0.real(0)] = $0.integer(1)
    }
    var kept: Set<Int64> = []
    let place = try searchPlace(of: file)
    for track in tracks {
      let id = old[track.start]
      if let id { kept.insert(id) }
      try write(track, id: id, file: file, place)
    }
    for id in old.values where !kept.contains(id) {
      try database.run("DELETE FROM track WHERE id = ?", .integer(id))
    }
  }

  private func write(
    _ track: TrackRecord, id: Int64?, file: Int64, _ place: SearchPlace
  ) throws(DatabaseError) {
    func text(_ value: String?) -> SQLValue? { value.map { .text($0) } }
    func number(_ value: Int?) -> SQLValue? { value.map { SQLValue($0) } }
    func real(_ value: Double?) -> SQLValue? { value.flatMap { $0.isFinite ? .real($0) : nil } }
    let duration = track.duration.flatMap {
      $0.isFinite ? min(max($0, 0), Double(SearchEntry.Facts.longest)) : nil
    }
    let rating = track.rating.flatMap { (0...1).contains($0) ? $0 : nil }
    func many(_ values: [String]) -> SQLValue? {
      values.isEmpty ? nil : .text(values.joined(separator: IndexSchema.separator))
    }
    try database.run(
      """
      INSERT INTO track(id, file, start, end, title, artist, album_artist, album, track,
        track_total, disc, disc_total, date, original_date, year, genre, composer, comment,
        compilation, rating, duration, container, codec, rate, channels, bits, bit_rate,
        track_gain, album_gain, track_peak, album_peak, lyrics, picture)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?, ?, ?, ?)
      ON CONFLICT(id) DO UPDATE SET start = excluded.start, end = excluded.end,
        title = excluded.title, artist = excluded.artist, album_artist = excluded.album_artist,
        album = excluded.album, track = excluded.track, track_total = excluded.track_total,
        disc = excluded.disc, disc_total = excluded.disc_total, date = excluded.date,
        original_date = excluded.original_date, year = excluded.year, genre = excluded.genre,
        composer = excluded.composer, comment = excluded.comment,
        compilation = excluded.compilation, rating = excluded.rating,
        duration = excluded.duration, container = excluded.container, codec = excluded.codec,
        rate = excluded.rate, channels = excluded.channels, bits = excluded.bits,
        bit_rate = excluded.bit_rate, track_gain = excluded.track_gain,
        album_gain = excluded.album_gain, track_peak = excluded.track_peak,
        album_peak = excluded.album_peak, lyrics = excluded.lyrics, picture = excluded.picture
      """,
      [
        id.map { .integer($0) }, .integer(file), .real(track.start), real(track.end),
        text(track.title), many(track.artists), many(track.albumArtists), text(track.album),
        number(track.track), number(track.trackTotal), number(track.disc),
        number(track.discTotal), text(track.date), text(track.originalDate), number(track.year),
        many(track.genres), many(track.composers), text(track.comment),
        SQLValue(track.isCompilation), real(rating), real(duration),
        text(track.container), text(track.codec), number(track.sampleRate),
        number(track.channels), number(track.bitDepth), number(track.bitRate),
        real(track.loudness.trackGain), real(track.loudness.albumGain),
        real(track.loudness.trackPeak), real(track.loudness.albumPeak),
        SQLValue(track.hasLyrics), SQLValue(track.hasPicture ? 1 : track.hasPictureBeside ? 2 : 0),
      ])
    let id = id ?? database.lastRow
    try writeSearch(track, id: id, place)
    try database.run("DELETE FROM musicbrainz WHERE track = ?", .integer(id))
    for (kind, value) in track.musicBrainz {
      try database.run(
        "INSERT INTO musicbrainz(track, kind, value) VALUES(?, ?, ?)", .integer(id), .text(kind),
        .text(value))
    }
  }

  /// How many files and tracks are known.
  public func counts() throws(DatabaseError) -> (files: Int, tracks: Int) {
    let files = try database.integer("SELECT count(*) FROM file") ?? 0
    let tracks = try database.integer("SELECT count(*) FROM track") ?? 0
    return (Int(files), Int(tracks))
  }
}
