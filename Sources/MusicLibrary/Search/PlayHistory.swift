import Database

/// What happened to tracks, from the player's own database, which is only read here: the one place
/// where its table `history` is joined with the index. Files are known there by the places they really
/// are in, which the index may know behind a link, and here and there by a path as it was spelled.
final class PlayHistory {
  private let path: [UInt8]
  private var database: Database?
  private var version: Int64?

  init(_ path: [UInt8]) { self.path = path }

  /// True when it may have changed since it was read.
  func hasChanged() -> Bool {
    if database?.isOutdated == true {
      database = nil
      version = nil
    }
    // A file that is made later is noticed then.
    if database == nil { database = try? Database(path, .readOnly) }
    guard let database, let now = try? database.integer("PRAGMA data_version") else { return false }
    return now != version
  }

  /// For each row of a catalog; empty where nothing is known of any.
  func entries(
    _ catalog: Catalog, _ index: Database
  ) throws(DatabaseError) -> [Catalog.HistoryEntry] {
    guard let database else { return [] }
    version = try database.integer("PRAGMA data_version")
    guard
      try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'history'")
        != nil
    else { return [] }
    var entries = [Catalog.HistoryEntry](repeating: .init(), count: catalog.count)
    var fault: DatabaseError?
    let places = try LibraryIndex.places(index)
    var folders: [[UInt8]: [UInt8]] = [:]
    try database.rowsWhile("SELECT path, start, plays, played, rating FROM history") { row in
      let path = row.bytes(0)
      guard let slash = path.lastIndex(of: 0x2F) else { return true }
      let real = slash == 0 ? [0x2F] : Array(path[..<slash])
      let folder = folders[real] ?? places.place(of: real) ?? real
      folders[real] = folder
      do throws(DatabaseError) {
        let id = try index.integer(
          """
          SELECT track.id FROM folder JOIN file ON file.folder = folder.id AND file.name = ?
          JOIN track ON track.file = file.id AND track.start = ? WHERE folder.path = ?
          """, .bytes(Array(path[(slash + 1)...])), .real(row.real(1)),
          .bytes(folder))
        if let id, let place = catalog.row(of: id) {
          entries[place].add(
            plays: UInt32(clamping: row.integer(2)), played: UInt32(clamping: row.integer(3)),
            // Kept in stars.
            rating: row.realOrNil(4).map { Float(min(max($0 / 5, 0), 1)) } ?? -1)
        }
        return true
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
    return entries
  }
}
