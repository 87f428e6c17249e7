import AudioTypes
import Database

/// Searches the collection: a query in, numbers of rows out, and what stands there by pages. Keeps
/// the catalog in memory and reads it again when the index has changed, at most every two seconds.
/// Used by one thread at a time; blocks.
public final class Searcher {
  private let database: Database
  private let history: PlayHistory?
  private var catalog: Catalog?
  private var version: Int64?
  private var lastRead: Int64 = 0

  /// While a scan writes, results may be as old as this, in seconds.
  private static let freshness: Int64 = 2

  /// - Parameter history: the path of the player's own database, which need not be there.
  public init(_ database: Database, history: [UInt8]? = nil) {
    self.database = database
    self.history = history.map { PlayHistory($0) }
  }

  /// The file that was opened.
  private var place: (path: [UInt8], identity: FileProbe.Identity?)?

  /// Opens the index of a collection, which is only read.
  public convenience init(
    path: [UInt8], history: [UInt8]?
  ) throws(DatabaseError) {
    let identity = FileProbe.look(path).identity
    let database = try Database(path, .readOnly)
    guard try database.integer("PRAGMA user_version") == IndexSchema.version else {
      throw DatabaseError(
        cause: .corrupt, code: 0, sentence: "it was made by another version of sotto")
    }
    self.init(database, history: history)
    place = (path, identity)
  }

  /// True when another file has taken the index's place, as when a damaged one was set aside, and when
  /// one that could not be written was written after all.
  public var isReplaced: Bool {
    guard let place else { return false }
    if database.isOutdated { return true }
    return FileProbe.look(place.path).identity != place.identity
  }

  /// Rows of a catalog in an order. Valid for the searcher that gave it.
  public struct Result {
    let catalog: Catalog
    let rows: [UInt32]
    public var count: Int { rows.count }
    /// Seconds of those whose length is known.
    public var duration: Double {
      rows.reduce(0) { $0 + Double(catalog.facts[Int($1)].duration) }
    }
  }

  /// Groups of a catalog in their order.
  public struct Groups {
    let catalog: Catalog
    public let view: CatalogView
    let groups: [CatalogGroup]
    public var count: Int { groups.count }

    /// The tracks of one of them.
    public func tracks(_ index: Int) -> Result {
      Result(catalog: catalog, rows: groups.indices.contains(index) ? groups[index].rows : [])
    }
  }

  /// A row of a view.
  public struct Group: Equatable, Sendable {
    /// As it is written; empty where it is not known.
    public var name: String
    /// Of an album: by whom it is, and from which year.
    public var artist: String?
    public var isVarious: Bool
    public var year: Int?
    /// Of a folder.
    public var path: [UInt8]
    public var tracks: Int
    /// Seconds.
    public var duration: Double
    /// What the group is called when it is looked for again: folded.
    public var key: [UInt8]
  }

  // MARK: The catalog

  /// The catalog as it is now.
  func current(_ now: Int64) throws(DatabaseError) -> Catalog {
    let newest = try database.integer("PRAGMA data_version")
    if let catalog, newest == version || now - lastRead < Self.freshness, now >= lastRead {
      return catalog
    }
    let made = try Catalog(database)
    catalog = made
    version = newest
    lastRead = now
    hasHistory = false
    return made
  }

  /// Reads the index anew when it is asked the next time.
  public func forget() {
    catalog = nil
    version = nil
  }

  /// True when what was found may have changed since.
  public func hasChanged() -> Bool {
    let newest = try? database.integer("PRAGMA data_version")
    return newest != version || hasHistory && history?.hasChanged() == true
  }

  private var hasHistory = false

  private func readHistory(_ catalog: Catalog) throws(DatabaseError) {
    guard let history, history.hasChanged() || !hasHistory else { return }
    catalog.history = try history.entries(catalog, database)
    func isOther(_ order: CatalogOrder) -> Bool {
      ![.plays, .played, .rating].contains(order.column)
    }
    catalog.orders = catalog.orders.filter { isOther($0.key) }
    catalog.ranksMade = catalog.ranksMade.filter { isOther($0.key) }
    hasHistory = true
  }

  // MARK: Searching

  /// How many tracks there are.
  public func total(_ clock: SearchClock) throws(DatabaseError) -> Int {
    try current(clock.now).count
  }

  /// What a query means, in an order.
  public func search(
    _ query: Query, by order: CatalogOrder = CatalogOrder(), limit: Int? = nil,
    at clock: SearchClock
  ) throws(DatabaseError) -> Result {
    let catalog = try current(clock.now)
    if query.needsHistory || [.plays, .played, .rating].contains(order.column) {
      try readHistory(catalog)
    }
    let found = try matches(query, catalog, clock)
    let rows = try catalog.sorted(found, by: order, limit: limit, database)
    return Result(catalog: catalog, rows: rows)
  }

  /// How many tracks a saved search finds.
  public func count(
    _ search: SavedSearch, at clock: SearchClock
  ) throws(DatabaseError) -> Int {
    // Their order does not matter.
    try self.search(search.query, by: CatalogOrder(), limit: search.limit, at: clock).count
  }

  private func matches(
    _ query: Query, _ catalog: Catalog, _ clock: SearchClock
  ) throws(DatabaseError) -> RowSet {
    try CatalogMatch(catalog: catalog, clock: clock, database: database)
      .rows(query, among: RowSet(rows: catalog.count, full: true))
  }

  /// What the tracks of a query can be looked at by.
  public func groups(
    _ view: CatalogView, of query: Query = .all, at clock: SearchClock
  ) throws(DatabaseError) -> Groups {
    let catalog = try current(clock.now)
    if query.needsHistory { try readHistory(catalog) }
    let all = catalog.groups(view)
    guard query != .all else { return Groups(catalog: catalog, view: view, groups: all) }
    let found = try matches(query, catalog, clock)
    var left: [CatalogGroup] = []
    for var group in all {
      group.rows = group.rows.filter { found.contains(Int($0)) }
      if !group.rows.isEmpty { left.append(group) }
    }
    return Groups(catalog: catalog, view: view, groups: left)
  }

  // MARK: Pages

  /// Some tracks of a result.
  public func tracks(
    _ result: Result, _ range: Range<Int>
  ) throws(DatabaseError) -> [FoundTrack] {
    var tracks: [FoundTrack] = []
    for row in result.rows[range.clamped(to: 0..<result.count)] {
      let row = Int(row)
      guard var track = try FoundRows.track(result.catalog.ids[row], database) else { continue }
      track.history = result.catalog.happened(row)
      tracks.append(track)
    }
    return tracks
  }

  /// The same with what happened to them, for those who show it.
  public func tracksWithHistory(
    _ result: Result, _ range: Range<Int>
  ) throws(DatabaseError) -> [FoundTrack] {
    try readHistory(result.catalog)
    return try tracks(result, range)
  }

  /// All of a result, for the queue.
  public func listed(_ result: Result) throws(DatabaseError) -> [ListedTrack] {
    try ListedRows.tracks(result.rows.map { result.catalog.ids[Int($0)] }, database)
  }

  /// Some rows of a view.
  public func rows(
    _ groups: Groups, _ range: Range<Int>
  ) throws(DatabaseError) -> [Group] {
    var rows: [Group] = []
    for group in groups.groups[range.clamped(to: 0..<groups.count)] {
      rows.append(try row(group, groups))
    }
    return rows
  }

  private func row(
    _ group: CatalogGroup, _ groups: Groups
  ) throws(DatabaseError) -> Group {
    let catalog = groups.catalog
    let found = try FoundRows.track(catalog.ids[group.row], database)
    let record = found?.track
    var row = Group(
      name: "", artist: nil, isVarious: false, year: nil, path: [], tracks: group.rows.count,
      duration: group.rows.reduce(0) { $0 + Double(catalog.facts[Int($1)].duration) },
      key: group.key)
    func value(_ values: [String]?) -> String {
      guard let values, values.indices.contains(group.value) else { return "" }
      return values[group.value]
    }
    let album = catalog.albums.albums[Int(catalog.albums.ofRow[group.row])]
    func owner() -> String {
      if album.isVarious { return Self.various }
      let names = record.map { $0.albumArtists.isEmpty ? $0.artists : $0.albumArtists } ?? []
      return names.joined(separator: ", ")
    }
    switch groups.view {
    case .artists: row.name = value(record?.artists)
    case .genres: row.name = value(record?.genres)
    case .composers: row.name = value(record?.composers)
    case .albumartists:
      row.name = owner()
      row.isVarious = album.isVarious
    case .albums:
      row.name = record?.album ?? ""
      row.artist = owner()
      row.isVarious = album.isVarious
      row.year = album.year == 0 ? nil : Int(album.year)
    case .folders:
      row.path = found.map { Paths.folder($0.path) } ?? []
      row.name = Text.printable(row.path)
    case .years: row.name = String(decoding: group.key, as: UTF8.self)
    }
    return row
  }

  /// Whose name stands for albums of several artists.
  public static let various = "Various artists"
}
