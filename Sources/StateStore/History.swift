import AudioTypes
import Database
import Glibc

/// What is remembered of a track that was heard.
public struct HistoryRecord: Equatable, Sendable {
  public var plays = 0
  /// Seconds since 1970.
  public var played: Int64?
  public var skips = 0
  /// 0 to 5; nil where it was not rated.
  public var rating: Double?
  /// Where a long track goes on, in seconds.
  public var bookmark: Double?

  public init() {}
}

/// A track in the history: a file and where in it the track begins.
public struct HistoryKey: Hashable, Sendable {
  /// Whole, as it is spelled or as `FilePlaces` found it; an address as it is.
  public var path: [UInt8]
  public var start: Double

  public init(_ location: TrackLocation) {
    path = Self.whole(location)
    start = location.start
  }

  /// A path from the root, without empty and `.` parts; `..` stays, since what is above a link is
  /// not what its name says: `FilePlaces` asks the disk.
  static func whole(_ location: TrackLocation) -> [UInt8] {
    let path = location.path
    if location.isURL || path.isEmpty { return path }
    let slash = UInt8(ascii: "/")
    let full = path[0] == slash ? path : workingFolder + [slash] + path
    let parts = full.split(separator: slash).filter { !($0.count == 1 && $0.first == 0x2E) }
    return parts.reduce(into: []) { $0 += [slash] + $1 }
  }

  /// Where relative paths begin. It does not change while sotto runs.
  private static let workingFolder: [UInt8] = {
    guard let name = unsafe getcwd(nil, 0) else { return [] }
    defer { unsafe free(name) }
    return unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name))).map {
      UInt8(bitPattern: $0)
    }
  }()
}

/// The table of counts, ratings and bookmarks of one database. The collection's scanner may use it
/// too, in a process of its own: rows are written whole, and nobody keeps copies of them.
///
/// A file has one row for each of its tracks, under its one place (`RealPath`). What earlier versions
/// have noted under other spellings, and what was noted while the disk did not answer, is taken into
/// it when the file is met.
public struct History {
  private let database: Database

  /// - Parameter database: `state.db`, or one that has its table `history`.
  public init(_ database: Database) { self.database = database }

  /// Opens the history in the folder of the state. Waits for other programs as `Database` does.
  public static func open(in folder: [UInt8]) throws(DatabaseError) -> History {
    History(
      try StateSchema.open(folder + Array("/state.db".utf8), patience: Database.patience))
  }

  // MARK: Reading

  /// What is known of a track; a file that was moved here is found by what file it is. Asks the disk.
  public func record(_ key: HistoryKey) throws(DatabaseError) -> HistoryRecord? {
    try record(place(key.path), key.start)
  }

  /// The same of a file that was looked at.
  func record(_ file: FilePlace, _ start: Double) throws(DatabaseError) -> HistoryRecord? {
    do throws(DatabaseError) {
      try meet(file, start)
    } catch {
      // It can be read where it cannot be written.
      if error.cause == .corrupt { throw error }
    }
    for path in [file.path, file.spelled] + file.others + [file.former].compactMap(\.self) {
      if let found = try row(path, start) { return found }
    }
    return nil
  }

  private func place(_ path: [UInt8]) throws(DatabaseError) -> FilePlace {
    let places = FilePlaces()
    let found = try FilePlace.of([path], in: self) { paths in
      Dictionary(paths.map { ($0, FileFacts(lookingAt: $0, places)) }) { $1 }
    }
    return found[path] ?? FilePlace(spelled: path, path: path)
  }

  private func row(_ path: [UInt8], _ start: Double) throws(DatabaseError) -> HistoryRecord? {
    var found: HistoryRecord?
    try database.rows(
      "SELECT plays, played, skips, rating, bookmark FROM history WHERE path = ? AND start = ?",
      [.bytes(path), .real(start)]
    ) { row in
      var record = HistoryRecord()
      // Whatever a damaged database says.
      record.plays = min(max(row.int(0), 0), 1 << 48)
      record.played = row.isNull(1) ? nil : row.integer(1)
      record.skips = min(max(row.int(2), 0), 1 << 48)
      record.rating = row.realOrNil(3).flatMap { (0...5).contains($0) ? $0 : nil }
      record.bookmark = row.realOrNil(4).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
      found = record
    }
    return found
  }

  /// Where long tracks go on.
  public func bookmarks() throws(DatabaseError) -> [HistoryKey: Double] {
    var found: [HistoryKey: Double] = [:]
    try database.rows("SELECT path, start, bookmark FROM history WHERE bookmark IS NOT NULL") {
      row in
      var key = HistoryKey(TrackLocation(path: row.bytes(0)))
      key.path = row.bytes(0)
      key.start = row.real(1)
      found[key] = row.real(2)
    }
    return found
  }

  /// Under which other paths something is known of a file.
  func paths(of identity: FileIdentity, but path: [UInt8]) throws(DatabaseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try database.rows(
      """
      SELECT DISTINCT path FROM history
        WHERE node = ? AND size = ? AND modified = ? AND path <> ?
      """,
      [
        .integer(identity.node), .integer(identity.size), .integer(identity.modified),
        .bytes(path),
      ]
    ) { paths.append($0.bytes(0)) }
    return paths
  }

  private func isKnown(_ path: [UInt8]) throws(DatabaseError) -> Bool {
    try database.integer("SELECT 1 FROM history WHERE path = ? LIMIT 1", .bytes(path)) != nil
  }

  // MARK: Writing

  public enum Change: Equatable, Sendable {
    /// It was heard: when, in seconds since 1970.
    case played(at: Int64)
    case skipped
    /// nil takes a rating away.
    case rated(Double?)
    /// nil: it begins at its beginning.
    case bookmarked(Double?)
  }

  /// Asks the disk first, and holds nothing meanwhile.
  public func change(_ key: HistoryKey, _ change: Change) throws(DatabaseError) {
    try self.change(place(key.path), key.start, change)
  }

  func change(_ file: FilePlace, _ start: Double, _ change: Change) throws(DatabaseError) {
    try meet(file, start)
    // Nothing to remember is no row.
    if try row(file.path, start) == nil {
      switch change {
      case .rated(nil), .bookmarked(nil): return
      default: break
      }
    }
    let identity = file.identity
    var values: [SQLValue?] = [.bytes(file.path), .real(start)]
    values += [identity?.device, identity?.node, identity?.size, identity?.modified].map {
      $0.map { .integer($0) }
    }
    let (column, value, update): (String, SQLValue?, String) =
      switch change {
      case .played(let time): ("plays, played", .integer(time), "plays = plays + 1, played = ?7")
      case .skipped: ("skips", 1, "skips = skips + ?7")
      case .rated(let rating): ("rating", rating.map { .real($0) }, "rating = ?7")
      case .bookmarked(let place): ("bookmark", place.map { .real($0) }, "bookmark = ?7")
      }
    let new = column == "plays, played" ? "1, ?7" : "?7"
    // What a file that is not there now was like stays known.
    try database.run(
      """
      INSERT INTO history(path, start, device, node, size, modified, \(column))
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, \(new))
        ON CONFLICT(path, start) DO UPDATE SET \(update),
          device = ifnull(?3, device), node = ifnull(?4, node), size = ifnull(?5, size),
          modified = ifnull(?6, modified)
      """, values + [value])
  }

  /// What is known of this file under other paths is its own, and what was noted while nobody could
  /// look at it gets to know which file it is.
  private func meet(_ file: FilePlace, _ start: Double) throws(DatabaseError) {
    for other in Set([file.spelled] + file.others) where other != file.path {
      if try isKnown(other) { try join(other, into: file.path) }
    }
    if let former = file.former, try row(file.path, start) == nil, try isKnown(former) {
      try moved(from: former, to: file.path)
    }
    guard let identity = file.identity,
      try database.integer(
        "SELECT 1 FROM history WHERE path = ? AND node IS NULL LIMIT 1", .bytes(file.path)) != nil
    else { return }
    try database.run(
      """
      UPDATE history SET device = ?, node = ?, size = ?, modified = ?
        WHERE path = ? AND node IS NULL
      """, .integer(identity.device), .integer(identity.node), .integer(identity.size),
      .integer(identity.modified), .bytes(file.path))
  }

  /// Two paths are one file: what was heard is added up, and of rating and bookmark that one holds
  /// under whose path it was played later.
  private func join(_ other: [UInt8], into path: [UInt8]) throws(DatabaseError) {
    let isNewer = "ifnull(excluded.played, 0) > ifnull(played, 0)"
    func newer(_ column: String) -> String {
      """
      CASE WHEN \(isNewer) THEN ifnull(excluded.\(column), \(column))
        ELSE ifnull(\(column), excluded.\(column)) END
      """
    }
    try database.transaction { () throws(DatabaseError) in
      try database.run(
        """
        INSERT INTO history(
            path, start, device, node, size, modified, plays, played, skips, rating, bookmark)
          SELECT ?2, start, device, node, size, modified, plays, played, skips, rating, bookmark
            FROM history WHERE path = ?1
          ON CONFLICT(path, start) DO UPDATE SET
            plays = plays + excluded.plays, skips = skips + excluded.skips,
            played = nullif(max(ifnull(played, 0), ifnull(excluded.played, 0)), 0),
            rating = \(newer("rating")), bookmark = \(newer("bookmark"))
        """, .bytes(other), .bytes(path))
      try database.run("DELETE FROM history WHERE path = ?", .bytes(other))
    }
  }

  /// A file that has another path now.
  public struct Move: Equatable, Sendable {
    /// Moves of one sign happened at once; one after another the signs differ.
    public var sign: Int64
    public var old: [UInt8]
    public var new: [UInt8]

    public init(sign: Int64, from old: [UInt8], to new: [UInt8]) {
      self.sign = sign
      self.old = old
      self.new = new
    }
  }

  /// A move of which the disk was asked.
  struct FoundMove: Sendable {
    var move: Move
    /// The paths under which something may be known of it, and the one where it is now.
    var old: Set<[UInt8]>
    var new: [UInt8]
    /// What is at the old path now, and at the new one.
    var there: FileIdentity?
    var here: FileIdentity?
  }

  /// Asks the disk, before anything is written. Blocks as long as that does.
  static func look(_ moves: [Move]) -> [FoundMove] {
    var folders: [[UInt8]: [UInt8]] = [:]
    func real(_ path: [UInt8]) -> [UInt8] {
      RealPath.file(path) { folder in
        if let known = folders[folder] { return known }
        let real = RealPath.folder(folder)
        folders[folder] = real
        return real
      }
    }
    return moves.map { move in
      var found = FoundMove(
        move: move, old: [move.old, real(move.old)], new: real(move.new))
      found.there = FileIdentity(move.old)
      found.here = FileIdentity(move.new)
      return found
    }
  }

  /// Files have other paths now: all of it, or nothing. Those that were followed before, as far as
  /// they come again, are known by their sign.
  ///
  /// - Returns: how many tracks of which something is known were moved.
  @discardableResult
  public func follow(_ moves: [Move]) throws(DatabaseError) -> Int {
    try follow(Self.look(moves))
  }

  @discardableResult
  func follow(_ moves: [FoundMove]) throws(DatabaseError) -> Int {
    try database.transaction { () throws(DatabaseError) in
      var rest = moves[...]
      let last = try database.integer("SELECT value FROM fact WHERE name = ?", .text(Self.lastMove))
      if let done = rest.lastIndex(where: { $0.move.sign == last }) { rest = rest[(done + 1)...] }
      guard let newest = rest.last?.move.sign else { return 0 }
      var count = 0
      while let sign = rest.first?.move.sign {
        let once = rest.prefix { $0.move.sign == sign }
        rest = rest.dropFirst(once.count)
        count += try exchange(once)
      }
      try database.run(
        "INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", .text(Self.lastMove),
        .integer(newest))
      return count
    }
  }

  static let lastMove = "moved"

  /// Places may be exchanged: all leave theirs before one takes another.
  private func exchange(_ moves: ArraySlice<FoundMove>) throws(DatabaseError) -> Int {
    var count = 0
    var underway: [(place: [UInt8], new: [UInt8])] = []
    for found in moves where found.move.old != found.move.new {
      for old in found.old.sorted(by: { $0.lexicographicallyPrecedes($1) }) where old != found.new {
        guard try isLeft(old, found) else { continue }
        // No file has such a name.
        let place = [0] + Array("\(underway.count)".utf8)
        try database.run("UPDATE history SET path = ? WHERE path = ?", .bytes(place), .bytes(old))
        guard database.changes > 0 else { continue }
        count += database.changes
        underway.append((place, found.new))
      }
    }
    for (place, new) in underway { try moved(from: place, to: new) }
    return count
  }

  /// Something is known of the old path, and not of another file that is there now: of the same one,
  /// found on another way, it may be.
  private func isLeft(_ old: [UInt8], _ found: FoundMove) throws(DatabaseError) -> Bool {
    var known: [Int64?]?
    try database.rowsWhile(
      "SELECT node, size, modified FROM history WHERE path = ?", [.bytes(old)]
    ) { row in
      known = (0..<3).map { row.isNull($0) ? nil : row.integer($0) }
      return false
    }
    guard let known else { return false }
    guard let there = found.there, there != found.here else { return true }
    return known != [there.node, there.size, there.modified]
  }

  /// A file has another path now. Where something was known of another file there, what was heard
  /// is added up, and what the moved one has of its own holds.
  public func moved(from old: [UInt8], to new: [UInt8]) throws(DatabaseError) {
    guard old != new else { return }
    try database.transaction { () throws(DatabaseError) in
      try database.run(
        """
        INSERT INTO history(
            path, start, device, node, size, modified, plays, played, skips, rating, bookmark)
          SELECT ?2, start, device, node, size, modified, plays, played, skips, rating, bookmark
            FROM history WHERE path = ?1
          ON CONFLICT(path, start) DO UPDATE SET
            device = excluded.device, node = excluded.node, size = excluded.size,
            modified = excluded.modified,
            plays = plays + excluded.plays, skips = skips + excluded.skips,
            played = nullif(max(ifnull(played, 0), ifnull(excluded.played, 0)), 0),
            rating = ifnull(excluded.rating, rating),
            bookmark = ifnull(excluded.bookmark, bookmark)
        """, .bytes(old), .bytes(new))
      try database.run("DELETE FROM history WHERE path = ?", .bytes(old))
    }
  }
}
