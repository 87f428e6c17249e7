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
  /// Whole; an address as it is.
  public var path: [UInt8]
  public var start: Double

  public init(_ location: TrackLocation) {
    path = Self.whole(location)
    start = location.start
  }

  /// A path from the root, without empty and `.` parts; `..` stays, since what is above a link is
  /// not what its name says.
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

/// Which file it is, wherever it is moved.
public struct FileIdentity: Equatable, Sendable {
  public var device: Int64
  public var node: Int64
  public var size: Int64
  /// Nanoseconds since 1970.
  public var modified: Int64

  public init?(_ path: [UInt8]) {
    var facts = stat()
    guard !path.isEmpty, !path.contains(0), unsafe stat(StateFolder.name(path), &facts) == 0 else {
      return nil
    }
    device = Int64(bitPattern: UInt64(facts.st_dev))
    node = Int64(bitPattern: UInt64(facts.st_ino))
    size = Int64(facts.st_size)
    modified = FileTime.nanoseconds(facts.st_mtim)
  }
}

/// The table of counts, ratings and bookmarks of one database. The collection's scanner may use it
/// too, in a process of its own: rows are written whole, and nobody keeps copies of them.
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

  /// What is known of a track; a file that was moved here is found by what file it is.
  public func record(_ key: HistoryKey) throws(DatabaseError) -> HistoryRecord? {
    if let found = try row(key) { return found }
    guard let identity = FileIdentity(key.path), try take(identity, for: key.path) else {
      return nil
    }
    return try row(key)
  }

  private func row(_ key: HistoryKey) throws(DatabaseError) -> HistoryRecord? {
    var found: HistoryRecord?
    try database.rows(
      "SELECT plays, played, skips, rating, bookmark FROM history WHERE path = ? AND start = ?",
      [.bytes(key.path), .real(key.start)]
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

  public func change(_ key: HistoryKey, _ change: Change) throws(DatabaseError) {
    let identity = FileIdentity(key.path)
    if let identity, try row(key) == nil { _ = try take(identity, for: key.path) }
    // Nothing to remember is no row.
    if try row(key) == nil {
      switch change {
      case .rated(nil), .bookmarked(nil): return
      default: break
      }
    }
    var values: [SQLValue?] = [.bytes(key.path), .real(key.start)]
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

  /// The rows of a file that had this identity under a path where nothing is now, are this file's.
  private func take(_ identity: FileIdentity, for path: [UInt8]) throws(DatabaseError) -> Bool {
    var old: [[UInt8]] = []
    try database.rows(
      """
      SELECT DISTINCT path FROM history
        WHERE node = ? AND size = ? AND modified = ? AND path <> ?
      """,
      [
        .integer(identity.node), .integer(identity.size), .integer(identity.modified),
        .bytes(path),
      ]
    ) { old.append($0.bytes(0)) }
    guard let from = old.first(where: { !StateFolder.exists($0) }) else { return false }
    try moved(from: from, to: path)
    return true
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

  /// Files have other paths now: all of it, or nothing. Those that were followed before, as far as
  /// they come again, are known by their sign.
  ///
  /// - Returns: how many tracks of which something is known were moved.
  @discardableResult
  public func follow(_ moves: [Move]) throws(DatabaseError) -> Int {
    try database.transaction { () throws(DatabaseError) in
      var rest = moves[...]
      let last = try database.integer("SELECT value FROM fact WHERE name = ?", .text(Self.lastMove))
      if let done = rest.lastIndex(where: { $0.sign == last }) { rest = rest[(done + 1)...] }
      guard let newest = rest.last?.sign else { return 0 }
      var count = 0
      while let sign = rest.first?.sign {
        let once = rest.prefix { $0.sign == sign }
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
  private func exchange(_ moves: ArraySlice<Move>) throws(DatabaseError) -> Int {
    var count = 0
    var underway: [(place: [UInt8], new: [UInt8])] = []
    for move in moves where move.old != move.new {
      guard try isLeft(move) else { continue }
      // No file has such a name.
      let place = [0] + Array("\(underway.count)".utf8)
      try database.run(
        "UPDATE history SET path = ? WHERE path = ?", .bytes(place), .bytes(move.old))
      guard database.changes > 0 else { continue }
      count += database.changes
      underway.append((place, move.new))
    }
    for (place, new) in underway { try moved(from: place, to: new) }
    return count
  }

  /// Something is known of the old path, and not of another file that is there now: of the same one,
  /// found on another way, it may be.
  private func isLeft(_ move: Move) throws(DatabaseError) -> Bool {
    var known: [Int64?]?
    try database.rowsWhile(
      "SELECT node, size, modified FROM history WHERE path = ?", [.bytes(move.old)]
    ) { row in
      known = (0..<3).map { row.isNull($0) ? nil : row.integer($0) }
      return false
    }
    guard let known else { return false }
    guard let there = FileIdentity(move.old), there != FileIdentity(move.new) else { return true }
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
