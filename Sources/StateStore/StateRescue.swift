import AudioTypes
import Database
import Glibc

/// A damaged `state.db` is kept beside the new one, and what can be read of it is taken over.
enum StateRescue {
  /// Sets the file aside and makes another one.
  ///
  /// - Returns: what was done, in a sentence.
  static func setAside(in folder: StateFolder) throws(DatabaseError) -> String {
    let path = folder.file("state.db")
    var number = 1
    while StateFolder.exists(folder.file("state.db.damaged-\(number)")) { number += 1 }
    let aside = folder.file("state.db.damaged-\(number)")
    // What was committed and is not in the file yet stays with it.
    for tail in ["-wal", "-shm", ""] {
      let (from, to) = (path + Array(tail.utf8), aside + Array(tail.utf8))
      if unsafe rename(StateFolder.name(from), StateFolder.name(to)) != 0, errno != ENOENT {
        throw DatabaseError(
          cause: .readOnly, code: 0,
          sentence: "state.db is damaged, and cannot be set aside: \(StateFolder.meaning(errno))")
      }
    }
    let new = try StateSchema.open(path, patience: StateStore.patience)
    let counts = (try? rescue(aside, into: new)) ?? Counts()
    let what =
      counts.history + counts.entries == 0
      ? "nothing of it could be read"
      : "\(counts.history) tracks' counts and \(counts.entries) tracks of the queue were rescued"
    return "\(Text.printable(path)) was damaged and is now \(Text.printable(aside)); \(what)"
  }

  private struct Counts {
    var history = 0
    var entries = 0
  }

  private static let tables = [
    (
      "history",
      "path, start, device, node, size, modified, plays, played, skips, rating, bookmark",
      true
    ),
    ("entry", "id, path, start, end, title, artist, album, duration", true),
    ("list", "name, ids", false),
    ("edit", "serial, undone, record", true),
    ("fact", "name, value", false),
  ]

  /// Every row that can be reached: over what cannot be read it steps by the rows' numbers, further
  /// each time. A damaged tree may lead back: only ascending numbers are taken.
  private static func rows(
    of table: String, _ columns: String, _ old: Database
  ) -> [[SQLValue?]] {
    var rows: [[SQLValue?]] = []
    var next: Int64 = 0
    var step: Int64 = 1
    while step < 1 << 40 {
      let from = next
      var isAscending = true
      let query =
        "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE rowid >= ? ORDER BY rowid"
      do throws(DatabaseError) {
        try old.rowsWhile(query, [.integer(from)]) { row in
          let number = row.integer(0)
          isAscending = number >= next && number < .max
          guard isAscending else { return false }
          next = number + 1
          rows.append(Array(row.values.dropFirst()))
          return true
        }
        if isAscending { break }
      } catch {}
      step = next == from ? step * 2 : 1
      next += step
    }
    return rows
  }

  /// From both ends up to where the damage is.
  private static func ends(
    of table: String, _ columns: String, _ old: Database
  ) -> [[SQLValue?]] {
    var rows: [[SQLValue?]] = []
    for order in ["ASC", "DESC"] {
      try? old.rows("SELECT \(columns) FROM \(table) ORDER BY 1 \(order)") {
        rows.append($0.values)
      }
    }
    return rows
  }

  private static func rescue(
    _ path: [UInt8], into new: Database
  ) throws(DatabaseError) -> Counts {
    let old = try Database(path, .readOnly, patience: 0)
    // A file that was cut off is read as far as it goes.
    try old.execute("PRAGMA writable_schema = ON")
    var counts = Counts()
    try new.transaction { () throws(DatabaseError) in
      for (table, columns, hasRows) in tables {
        let places = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT OR IGNORE INTO \(table)(\(columns)) VALUES(\(places))"
        var taken = 0
        for row in hasRows ? rows(of: table, columns, old) : ends(of: table, columns, old) {
          // A row that breaks a rule is part of the damage.
          guard (try? new.run(sql, row)) != nil else { continue }
          taken += new.changes
        }
        if table == "history" { counts.history = taken }
        if table == "entry" { counts.entries = taken }
      }
    }
    return counts
  }
}
