import Database
import Tags

/// What a search reads, written with each track.
extension LibraryIndex {
  /// What a file's tracks have in common.
  struct SearchPlace {
    var name: [UInt8] = []
    var folder: Int64 = 0
    var added: Int64 = 0
    var missing: Int64?
  }

  func searchPlace(of file: Int64) throws(DatabaseError) -> SearchPlace {
    var place = SearchPlace()
    try database.rows(
      "SELECT name, folder, added, missing FROM file WHERE id = ?", [.integer(file)]
    ) {
      place = SearchPlace(
        name: $0.bytes(0), folder: $0.integer(1), added: $0.integer(2),
        missing: $0.isNull(3) ? nil : $0.integer(3))
    }
    return place
  }

  func writeSearch(_ track: TrackRecord, id: Int64, _ place: SearchPlace) throws(DatabaseError) {
    try database.run(
      """
      INSERT INTO search(track, folder, added, missing, facts, text) VALUES(?, ?, ?, ?, ?, ?)
      ON CONFLICT(track) DO UPDATE SET folder = excluded.folder, added = excluded.added,
        missing = excluded.missing, facts = excluded.facts, text = excluded.text
      """,
      .integer(id), .integer(place.folder), .integer(place.added),
      place.missing.map { .integer($0) }, .bytes(SearchEntry.Facts(track).bytes),
      .bytes(SearchEntry.text(track, name: place.name)))
  }

  /// A track without a title is called after its file.
  func renameInSearch(file: Int64, name: [UInt8]) throws(DatabaseError) {
    var texts: [(id: Int64, text: [UInt8])] = []
    try database.rows(
      """
      SELECT search.track, search.text FROM track JOIN search ON search.track = track.id
      WHERE track.file = ? AND track.title IS NULL
      """, [.integer(file)]
    ) { texts.append(($0.integer(0), $0.bytes(1))) }
    for (id, text) in texts {
      let rest = text.drop { $0 != SearchEntry.fieldEnd }
      let title = Folding.folded(SearchEntry.title(ofFile: name))
      try database.run(
        "UPDATE search SET text = ? WHERE track = ?", .bytes(title + rest), .integer(id))
    }
  }
}
