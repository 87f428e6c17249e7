import Database
import Tags

// What a scan asks of the index and puts into it.

extension LibraryIndex {
  /// The number of a folder; `nil` where nothing of it is known.
  func knownFolder(_ path: [UInt8]) throws(DatabaseError) -> Int64? {
    try database.integer("SELECT id FROM folder WHERE path = ?", .bytes(path))
  }

  /// Every folder of which files are known.
  func folders() throws(DatabaseError) -> [(id: Int64, path: [UInt8])] {
    var folders: [(id: Int64, path: [UInt8])] = []
    try database.rows("SELECT id, path FROM folder") {
      folders.append(($0.integer(0), $0.bytes(1)))
    }
    return folders
  }

  /// Every folder of which files are known, and which one on disk it was.
  func placedFolders() throws(DatabaseError) -> [(
    id: Int64, path: [UInt8], identity: ScanDrives.Identity?
  )] {
    var folders: [(id: Int64, path: [UInt8], identity: ScanDrives.Identity?)] = []
    try database.rows(
      """
      SELECT id, path, device, node FROM folder
      LEFT JOIN folder_place ON folder_place.folder = folder.id
      """
    ) { row in
      let identity =
        row.isNull(2)
        ? nil : ScanDrives.Identity(device: row.integer(2), node: row.integer(3))
      folders.append((row.integer(0), row.bytes(1), identity))
    }
    return folders
  }

  func set(place identity: ScanDrives.Identity, folder: Int64) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO folder_place(folder, device, node) VALUES(?, ?, ?)",
      .integer(folder), .integer(identity.device), .integer(identity.node))
  }

  /// The links behind which folders are found, in the order in which they were.
  func links() throws(DatabaseError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try database.rows("SELECT path FROM link ORDER BY id") { paths.append($0.bytes(0)) }
    return paths
  }

  /// What is found behind links, as the last scan has left it; where an earlier sotto has scanned, the
  /// disk is asked.
  static func places(_ database: Database) throws(DatabaseError) -> ScanPlaces {
    if let noted = try notedPlaces(database) { return ScanPlaces(behindLinks: noted) }
    var roots: [[UInt8]] = []
    try database.rows("SELECT path FROM root") { roots.append($0.bytes(0)) }
    return ScanPlaces(named: roots, known: [])
  }

  private static func notedPlaces(
    _ database: Database
  ) throws(DatabaseError) -> [[UInt8]: [UInt8]]? {
    guard
      try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'place'")
        != nil
    else { return nil }
    var places: [[UInt8]: [UInt8]] = [:]
    try database.rows("SELECT real, path FROM place") { places[$0.bytes(0)] = $0.bytes(1) }
    return places
  }

  /// Notes what is found behind links. What a link that leads nowhere now stood for stays, as long as
  /// it belongs to the collection: its drive may come back.
  func note(places: [[UInt8]: [UInt8]], of collection: Set<[UInt8]>) throws(DatabaseError) {
    let old = try Self.notedPlaces(database) ?? [:]
    let found = Set(places.values)
    let kept = old.filter { collection.contains($0.value) && !found.contains($0.value) }
    let new = places.merging(kept) { now, _ in now }
    guard new != old else { return }
    try transaction { () throws(DatabaseError) in
      try database.execute("DELETE FROM place")
      for (real, path) in new {
        try database.run(
          "INSERT INTO place(real, path) VALUES(?, ?)", .bytes(real), .bytes(path))
      }
    }
  }

  func add(link path: [UInt8]) throws(DatabaseError) {
    try database.run("INSERT OR IGNORE INTO link(path) VALUES(?)", .bytes(path))
  }

  func remove(link path: [UInt8]) throws(DatabaseError) {
    try database.run("DELETE FROM link WHERE path = ?", .bytes(path))
  }

  /// How many files of a folder's own have gone.
  func missingCount(in folder: Int64) throws(DatabaseError) -> Int {
    Int(
      try database.integer(
        "SELECT count(*) FROM file WHERE folder = ? AND missing IS NOT NULL", .integer(folder)) ?? 0
    )
  }

  /// A file with the folder it is known in.
  struct PlacedFile {
    var file: IndexedFile
    var folder: [UInt8]
    var path: [UInt8] { Paths.join(folder, file.name) }
  }

  /// The files that may be this one at another place: of its number, size and time.
  func places(of identity: FileIdentity) throws(DatabaseError) -> [PlacedFile] {
    var places: [PlacedFile] = []
    try database.rows(
      """
      SELECT file.id, name, device, node, size, modified, beside, fault, missing, path
      FROM file JOIN folder ON folder.id = file.folder
      WHERE node = ? AND size = ? AND modified = ?
      """,
      [.integer(identity.node), .integer(identity.size), .integer(identity.modified)]
    ) { row in
      places.append(PlacedFile(file: Self.file(row), folder: row.bytes(9)))
    }
    return places
  }

  func isKnown(file: Int64) throws(DatabaseError) -> Bool {
    try database.integer("SELECT 1 FROM file WHERE id = ?", .integer(file)) != nil
  }

  /// Who has this place in a folder.
  func file(at name: [UInt8], in folder: Int64) throws(DatabaseError) -> Int64? {
    try database.integer(
      "SELECT id FROM file WHERE folder = ? AND name = ?", .integer(folder), .bytes(name))
  }

  /// Puts a file aside whose place another one has taken, until it is found elsewhere or the scan
  /// ends: under a name that no file has.
  func park(file: Int64, at now: Int64) throws(DatabaseError) {
    let name = Array("/\(file)".utf8)
    try database.run(
      "UPDATE file SET name = ?, missing = ? WHERE id = ?", .bytes(name), .integer(now),
      .integer(file))
  }

  /// Forgets what was put aside and not found.
  func removeParked() throws(DatabaseError) {
    for id in try ids(
      "SELECT id FROM file WHERE missing IS NOT NULL AND substr(name, 1, 1) = x'2F'")
    { try remove(file: id) }
  }

  /// What could not be read, where it is there.
  public func faults() throws(DatabaseError) -> [LibraryFault] {
    var faults: [LibraryFault] = []
    try database.rows(
      """
      SELECT path, name, fault FROM file JOIN folder ON folder.id = file.folder
      WHERE fault IS NOT NULL AND missing IS NULL ORDER BY path, name
      """
    ) { row in
      faults.append(
        LibraryFault(path: Paths.join(row.bytes(0), row.bytes(1)), sentence: row.text(2)))
    }
    return faults
  }

  /// How many files are known to have gone.
  public func missingCount() throws(DatabaseError) -> Int {
    Int(try database.integer("SELECT count(*) FROM file WHERE missing IS NOT NULL") ?? 0)
  }

  /// How many files are known in a folder and below it; with `isMissing` those that have gone.
  func count(below root: [UInt8], isMissing: Bool) throws(DatabaseError) -> Int {
    var count = 0
    let files = "SELECT count(*) FROM file WHERE file.folder = folder.id"
    let which = isMissing ? " AND missing IS NOT NULL" : ""
    try database.rows("SELECT path, (\(files)\(which)) FROM folder") { row in
      if Self.isBelow(row.bytes(0), root) { count += row.int(1) }
    }
    return count
  }

  /// Forgets what has gone, but for what `isKept` holds back by its folder, and the folders of which
  /// nothing is known then.
  func forgetMissing(unless isKept: ([UInt8]) -> Bool) throws(DatabaseError) -> Int {
    var forgotten = 0
    for folder in try folders() where !isKept(folder.path) {
      let gone = try ids(
        "SELECT id FROM file WHERE folder = ? AND missing IS NOT NULL", .integer(folder.id))
      for id in gone { try remove(file: id) }
      forgotten += gone.count
      try removeIfEmpty(folder: folder.id)
    }
    return forgotten
  }

  private func removeIfEmpty(folder: Int64) throws(DatabaseError) {
    let isNeeded = """
      SELECT 1 FROM folder WHERE id = ?1 AND (EXISTS(SELECT 1 FROM file WHERE folder = ?1)
        OR EXISTS(SELECT 1 FROM root WHERE root.path = folder.path))
      """
    guard try database.integer(isNeeded, .integer(folder)) == nil else { return }
    try database.run("DELETE FROM folder_place WHERE folder = ?", .integer(folder))
    try database.run("DELETE FROM folder WHERE id = ?", .integer(folder))
  }

  private func ids(_ sql: String, _ values: SQLValue?...) throws(DatabaseError) -> [Int64] {
    var ids: [Int64] = []
    try database.rows(sql, values) { ids.append($0.integer(0)) }
    return ids
  }

  /// True for a folder itself and for what is in it.
  static func isBelow(_ path: [UInt8], _ root: [UInt8]) -> Bool {
    guard path.starts(with: root) else { return false }
    return path.count == root.count || root.last == 0x2F || path[root.count] == 0x2F
  }
}
