import Database

/// A file of the collection that is at another place now. What others keep by its path has to follow.
public struct FileMove: Equatable, Sendable {
  /// Ascending, in the order in which they were found.
  public var number: Int64
  /// The same for all that one scan has found: they happened at once, and places may have been
  /// exchanged.
  public var scan: Int64
  public var old: [UInt8]
  public var new: [UInt8]
}

/// Moves that nobody has followed yet. They are committed with the new places themselves and stay
/// until they are forgotten: a program that is killed in between, or another database that cannot be
/// written now, loses none of them.
extension LibraryIndex {
  func note(
    move file: Int64, from old: [UInt8], to new: [UInt8], scan: Int64
  ) throws(DatabaseError) {
    // An index that an earlier sotto has made has no such tables.
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS moved(
        number INTEGER PRIMARY KEY, scan INTEGER NOT NULL, old BLOB NOT NULL, new BLOB NOT NULL);
      CREATE TABLE IF NOT EXISTS former(
        path BLOB PRIMARY KEY, file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS former_file ON former(file);
      """)
    try database.run(
      "INSERT INTO moved(scan, old, new) VALUES(?, ?, ?)", .integer(scan), .bytes(old), .bytes(new))
    try database.run(
      "INSERT OR REPLACE INTO former(path, file) VALUES(?, ?)", .bytes(old), .integer(file))
  }

  /// Where the file is now that was last known at a path where it is not any more; nil where that is
  /// not known, or it is missing.
  public func place(ofFormer path: [UInt8]) throws(DatabaseError) -> [UInt8]? {
    guard try has(table: "former") else { return nil }
    var place: [UInt8]?
    try database.rows(
      """
      SELECT folder.path, name FROM former JOIN file ON file.id = former.file
      JOIN folder ON folder.id = file.folder WHERE former.path = ? AND missing IS NULL
      """, [.bytes(path)]
    ) { place = Paths.join($0.bytes(0), $0.bytes(1)) }
    return place
  }

  private func has(table: String) throws(DatabaseError) -> Bool {
    try database.integer(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", .text(table)) != nil
  }

  /// What is to be followed.
  public func moves() throws(DatabaseError) -> [FileMove] {
    guard try has(table: "moved") else { return [] }
    var moves: [FileMove] = []
    try database.rows("SELECT number, scan, old, new FROM moved ORDER BY number") { row in
      moves.append(
        FileMove(
          number: row.integer(0), scan: row.integer(1), old: row.bytes(2), new: row.bytes(3)))
    }
    return moves
  }

  /// They were followed.
  public func forget(_ moves: [FileMove]) throws(DatabaseError) {
    guard let first = moves.first, let last = moves.last else { return }
    try database.run(
      "DELETE FROM moved WHERE number BETWEEN ? AND ?", .integer(first.number),
      .integer(last.number))
  }

  /// Where a file is; nil where it is not known, or was put aside.
  func path(of file: Int64) throws(DatabaseError) -> [UInt8]? {
    var path: [UInt8]?
    try database.rows(
      """
      SELECT path, name FROM file JOIN folder ON folder.id = file.folder WHERE file.id = ?
      """, [.integer(file)]
    ) { row in
      let name = row.bytes(1)
      if name.first != 0x2F { path = Paths.join(row.bytes(0), name) }
    }
    return path
  }
}
