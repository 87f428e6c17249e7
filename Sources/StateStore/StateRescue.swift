import AudioTypes
import Database
import Glibc

/// A damaged `state.db` is kept beside the new one, and what can be read of it is taken over: row by
/// row as SQLite gives them, and what it cannot reach any more, from the pages themselves.
struct StateRescue {
  /// Saves what can be saved into another file, sets the damaged one aside, and puts the other in its
  /// place. Ended or failing at any moment, either is there whole.
  ///
  /// - Parameter isQueueKnown: the queue is in memory and will be written anew.
  /// - Returns: what was done, in a sentence whose first words say most.
  static func setAside(
    in folder: StateFolder, isQueueKnown: Bool
  ) throws(DatabaseError) -> String {
    let path = folder.file("state.db")
    let making = folder.file("state.db.rescue")
    remove(making)
    let outcome: String
    do throws(DatabaseError) {
      outcome = try save(path, into: making, isQueueKnown)
      try rename(making, to: folder.file(saved))
    } catch {
      remove(making)
      throw error
    }
    var number = 1
    while StateFolder.exists(folder.file("state.db.damaged-\(number)")) { number += 1 }
    let aside = folder.file("state.db.damaged-\(number)")
    // What was committed and is not in the file yet stays with it.
    for tail in ["-wal", "-shm", ""] {
      try rename(path + Array(tail.utf8), to: aside + Array(tail.utf8))
    }
    try finish(in: folder)
    return "state.db was damaged\(outcome); the old file is \(Text.printable(aside))"
  }

  /// What was saved, whole, until it is in its place.
  private static let saved = "state.db.saved"

  /// Puts what was saved in its place, where whoever did it was ended between.
  static func finish(in folder: StateFolder) throws(DatabaseError) {
    let path = folder.file("state.db")
    if !StateFolder.exists(path) { try rename(folder.file(saved), to: path) }
  }

  /// Puts what was saved in the place of a file without a byte; whether there is any.
  static func finishEmpty(in folder: StateFolder) throws(DatabaseError) -> Bool {
    guard StateFolder.size(folder.file(saved)) ?? 0 > 0 else { return false }
    // A rename takes the place of what is there.
    try rename(folder.file(saved), to: folder.file("state.db"))
    return true
  }

  /// Nobody holds the new file afterwards, and there is nothing beside it.
  private static func save(
    _ path: [UInt8], into making: [UInt8], _ isQueueKnown: Bool
  ) throws(DatabaseError) -> String {
    let new = try StateSchema.open(making, patience: StateStore.patience)
    var rescue = StateRescue(new: new)
    // Before SQLite opens it: that may write the log into the file.
    let raw = RawRows(file: path)
    try new.transaction { () throws(DatabaseError) in
      // SQLite takes away the log of an empty file.
      if StateFolder.size(path) ?? 0 > 0 { rescue.takeRows(of: path) }
      if let raw { rescue.takePages(raw) }
      if let failure = rescue.failure { throw failure }
    }
    let outcome = try rescue.outcome(isQueueKnown)
    try new.execute("PRAGMA journal_mode = DELETE")
    return outcome
  }

  private static func rename(_ from: [UInt8], to: [UInt8]) throws(DatabaseError) {
    if unsafe Glibc.rename(StateFolder.name(from), StateFolder.name(to)) != 0, errno != ENOENT {
      throw DatabaseError(
        cause: .readOnly, code: 0,
        sentence: "state.db is damaged, and cannot be set aside: \(StateFolder.meaning(errno))")
    }
  }

  static func remove(_ path: [UInt8]) {
    for tail in ["-wal", "-shm", "-journal", ""] {
      _ = unsafe unlink(StateFolder.name(path + Array(tail.utf8)))
    }
  }

  private let new: Database
  /// Why the new file cannot be written: then nothing of it counts.
  private var failure: DatabaseError?
  /// Tracks of the history of which only the index of the table tells.
  private var named: Set<[SQLValue?]> = []

  private init(new: Database) { self.new = new }

  // MARK: What was saved

  private func outcome(_ isQueueKnown: Bool) throws(DatabaseError) -> String {
    let counts = Int(try new.integer("SELECT count(*) FROM history") ?? 0)
    var known: Set<[SQLValue?]> = []
    try new.rows("SELECT path, start FROM history") { known.insert([$0.value(0), $0.value(1)]) }
    let all = counts + named.subtracting(known).count
    var queue = "the queue is whole"
    var rows = QueueRows()
    if !isQueueKnown {
      let state = try rows.read(new)
      let (found, lost) = (state?.queue.ids.count ?? 0, max(0, rows.lost))
      if found + lost + all == 0 { return ", and nothing of it could be read" }
      queue = "\(Self.part(found, of: found + lost)) queued tracks"
      if found == 0, lost == 0 { queue = "no queue" }
    }
    let saved = all == 0 ? "no counts" : "\(Self.part(counts, of: all)) counts"
    return ": saved \(saved), \(queue)"
  }

  private static func part(_ saved: Int, of all: Int) -> String {
    saved == all ? "all \(all)" : "\(saved) of \(all)"
  }

  // MARK: Rows

  private static let tables: [(name: String, columns: String, isNumbered: Bool)] = [
    (
      "history",
      "path, start, device, node, size, modified, plays, played, skips, rating, bookmark", true
    ),
    ("entry", "id, path, start, end, title, artist, album, duration", true),
    ("list", "name, ids", false),
    ("edit", "serial, undone, record", true),
    ("fact", "name, value", false),
  ]

  /// What is there already holds; a row that breaks a rule is part of the damage.
  private mutating func insert(_ row: [SQLValue?], _ table: Int) {
    guard failure == nil else { return }
    let (name, columns, _) = Self.tables[table]
    let places = row.map { _ in "?" }.joined(separator: ", ")
    do throws(DatabaseError) {
      try new.run("INSERT OR IGNORE INTO \(name)(\(columns)) VALUES(\(places))", row)
    } catch {
      // A value that does not belong there is part of the damage.
      if error.cause != .constraint, error.cause != .misuse { failure = error }
    }
  }

  private mutating func takeRows(of path: [UInt8]) {
    guard let old = try? Database(path, .readOnly, patience: 0),
      // A file that was cut off is read as far as it goes.
      (try? old.execute("PRAGMA writable_schema = ON")) != nil
    else { return }
    for (index, table) in Self.tables.enumerated() {
      let rows =
        table.isNumbered
        ? Self.rows(of: table.name, table.columns, old)
        : Self.ends(of: table.name, table.columns, old)
      for row in rows { insert(row, index) }
    }
  }

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
      let (after, isBeyond) = next.addingReportingOverflow(step)
      if isBeyond { break }
      next = after
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

  // MARK: Pages

  private mutating func takePages(_ raw: RawRows) {
    var names: Set<[SQLValue?]> = []
    raw.all { row in
      if let (table, values) = Self.place(of: row) { insert(values, table) }
      if row.number == nil, row.values.count == 3, let name = Self.historyName(row.values) {
        names.insert(name)
      }
    }
    named = names
  }

  /// Whose row it is, by its shape.
  private static func place(of row: RawRows.Row) -> (table: Int, values: [SQLValue?])? {
    let values = row.values
    switch (row.number, values.count) {
    case (_?, 11):
      guard historyName(values) != nil,
        values[2...8].allSatisfy({ $0 == nil || $0?.isInteger == true }),
        values[9...].allSatisfy({ $0 == nil || $0?.isNumber == true })
      else { return nil }
      return (0, values)
    case (let number?, 8):
      guard values[0] == nil, values[1]?.isBytes == true, values[2]?.isNumber == true,
        values[4...6].allSatisfy({ $0 == nil || $0?.isText == true })
      else { return nil }
      return (1, [.integer(number)] + values.dropFirst())
    case (let number?, 3):
      guard values[0] == nil, values[1]?.isInteger == true, values[2]?.isBytes == true else {
        return nil
      }
      return (3, [.integer(number)] + values.dropFirst())
    case (nil, 2):
      guard case .text(let name)? = values[0] else { return nil }
      if values[1]?.isBytes == true, QueueRows.lists.contains(name) { return (2, values) }
      return StateWriter.isFact(name) ? (4, values) : nil
    default: return nil
    }
  }

  private static func historyName(_ values: [SQLValue?]) -> [SQLValue?]? {
    guard values[0]?.isBytes == true else { return nil }
    // A whole number is kept as one.
    switch values[1] {
    case .integer(let start)?: return [values[0], .real(Double(start))]
    case .real?: return [values[0], values[1]]
    default: return nil
    }
  }
}

extension SQLValue {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
  fileprivate var isBytes: Bool { if case .bytes = self { true } else { false } }
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .real: true
    default: false
    }
  }
}
