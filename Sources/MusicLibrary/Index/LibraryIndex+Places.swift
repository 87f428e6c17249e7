import Database

/// Where files of the collection are, for lists that know them under other paths.
extension LibraryIndex {
  /// The paths of files that are there as far as is known, of those that are wanted by their names.
  public func paths(_ isWanted: ([UInt8]) -> Bool) throws(DatabaseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try database.rows(
      """
      SELECT folder.path, file.name FROM file JOIN folder ON folder.id = file.folder
      WHERE file.missing IS NULL
      """
    ) { row in
      let name = row.bytes(1)
      if isWanted(name) { paths.append(Paths.join(row.bytes(0), name)) }
    }
    return paths
  }

  /// The paths of files of which a track has that title and artist, and lasts as long within two
  /// seconds.
  public func paths(
    title: String, artist: String?, duration: Double
  ) throws(DatabaseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try database.rows(
      """
      SELECT DISTINCT folder.path, file.name FROM track
      JOIN file ON file.id = track.file JOIN folder ON folder.id = file.folder
      WHERE file.missing IS NULL AND track.title = ?1 AND track.duration BETWEEN ?2 - 2 AND ?2 + 2
        AND (?3 IS NULL OR track.artist = ?3)
      """, [.text(title), .real(duration), artist.map { .text($0) }]
    ) { paths.append(Paths.join($0.bytes(0), $0.bytes(1))) }
    return paths
  }

  /// False where the index knows how long the tracks of a file are, and none of them lasts that long
  /// within two seconds.
  public func mayLast(_ duration: Double, _ path: [UInt8]) throws(DatabaseError) -> Bool {
    var isKnown = false
    var isSame = false
    try database.rows(
      """
      SELECT abs(track.duration - ?) <= 2 FROM track JOIN file ON file.id = track.file
      JOIN folder ON folder.id = file.folder
      WHERE folder.path = ? AND file.name = ? AND track.duration IS NOT NULL
      """, [.real(duration), .bytes(Paths.folder(path)), .bytes(Paths.name(path))]
    ) { row in
      isKnown = true
      if row.integer(0) != 0 { isSame = true }
    }
    return isSame || !isKnown
  }
}
