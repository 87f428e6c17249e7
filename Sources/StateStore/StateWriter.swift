import AudioTypes
import Database
import PlayQueue

/// The database side of the store: opened late, rescued where it is damaged. Only on the store's
/// queue.
final class StateWriter: @unchecked Sendable {
  private let folder: StateFolder
  private var database: Database?
  /// It can only be read now.
  private var reader: Database?
  /// What was kept has been read: from here on it may be written over.
  private(set) var isReady = false
  private var notices: [String] = []
  private var rows = QueueRows()

  private let patience: Int32
  private let look: FileLook

  init(_ folder: StateFolder, patience: Int32, look: FileLook) {
    self.folder = folder
    self.look = look
    self.patience = patience
  }

  /// What is known of a track; nil also where it cannot be read.
  func record(_ location: TrackLocation) -> HistoryRecord? {
    guard let database = isReady ? database : reader else { return nil }
    let history = History(database)
    let key = HistoryKey(location)
    guard let file = try? found([key.path], in: history)[key.path] else {
      return nil
    }
    return try? history.record(file, key.start)
  }

  /// Where files are, asked before anything is written: who holds the database waits for no disk.
  private func found(
    _ paths: Set<[UInt8]>, in history: History, isLast: Bool = false
  ) throws(DatabaseError) -> [[UInt8]: FilePlace] {
    let look = self.look
    return try FilePlace.of(paths, in: history) { paths in look.ask(paths, isLast: isLast) }
  }

  /// What the user should know of, once.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  private var path: [UInt8] { folder.file("state.db") }

  private func opened() throws(DatabaseError) -> Database {
    forgetLost()
    if let database { return database }
    try StateRescue.finish(in: folder)
    try lookAtEmpty()
    let wasThere = StateFolder.exists(path)
    do throws(DatabaseError) {
      let new = try StateSchema.open(path, patience: patience)
      database = new
      return new
    } catch {
      // An empty file would say that one was lost.
      if !wasThere, StateFolder.size(path) == 0 { StateRescue.remove(path) }
      throw error
    }
  }

  /// A file that somebody has taken away is made again, with all that is in memory.
  private func forgetLost() {
    guard database != nil, !StateFolder.exists(path) else { return }
    database = nil
    rows.forget()
  }

  /// Of another folder nothing that was written is there.
  func hold(_ generation: Int) {
    if generation != self.generation { forgetAll() }
    self.generation = generation
  }

  private var generation = 0

  private func forgetAll() {
    database = nil
    rows.forget()
  }

  /// A file without a byte is what a file system leaves that has lost its last minutes: nothing of ours
  /// is ever so small. What can be found of it is taken, and it is said.
  private func lookAtEmpty() throws(DatabaseError) {
    guard !isReady, StateFolder.size(path) == 0 else { return }
    // The log may hold all of it, and SQLite throws that away.
    if StateFolder.size(path + Array("-wal".utf8)) ?? 0 > 0 {
      throw DatabaseError(cause: .corrupt, code: 11, sentence: "it is empty, and its log is not")
    }
    noticeEmpty(isSaved: try StateRescue.finishEmpty(in: folder))
  }

  private func noticeEmpty(isSaved: Bool) {
    guard !hasNoticedEmpty else { return }
    hasNoticedEmpty = true
    let isMomentKnown = StateFolder.size(folder.file("moment")) ?? 0 > 0
    notices.append(
      "state.db was empty, as a file system leaves it that has lost its last minutes: "
        + (isSaved
          ? "what was saved of an earlier one has taken its place"
          : isMomentKnown
            ? "level, view and alarm are known, the queue, counts and ratings are lost"
            : "the queue, counts and ratings are lost"))
  }

  private var hasNoticedEmpty = false

  /// Does something with the database; a damaged one is set aside before, and what can be read of
  /// it is in the new one.
  private func working<Result>(
    _ body: (Database) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    switch attempt(body) {
    case .success(let result): return result
    case .failure(let error):
      guard error.cause == .corrupt else { throw error }
    }
    // Closed before its files get other names: closing takes files away by their names.
    forgetAll()
    notices.append(try StateRescue.setAside(in: folder, isQueueKnown: isReady))
    return try attempt(body).get()
  }

  /// Nobody but this value holds the connection afterwards.
  @inline(never) private func attempt<Result>(
    _ body: (Database) throws(DatabaseError) -> Result
  ) -> Swift.Result<Result, DatabaseError> {
    do throws(DatabaseError) {
      return .success(try body(try opened()))
    } catch {
      guard error.isOfThePlace else { return .failure(error) }
      // Opened where nothing could be written, it would stay so for ever.
      database = nil
      var error = error
      error.sentence = folder.obstacle ?? error.sentence
      return .failure(error)
    }
  }

  /// What is kept, of a file that can be written from now on.
  func read() throws(DatabaseError) -> SavedState {
    let saved = try working { database throws(DatabaseError) in
      rows = QueueRows()
      return try Self.saved(in: database, &rows)
    }
    isReady = true
    reader = nil
    return saved
  }

  /// What is kept, where nothing can be written; nil where that cannot be read either.
  func unwritable() -> SavedState? {
    guard !isReady, let size = StateFolder.size(path) else { return nil }
    if size == 0 {
      noticeEmpty(isSaved: false)
      return SavedState()
    }
    guard let database = try? Database(path, .readOnly, patience: patience),
      (try? database.integer("PRAGMA user_version")) == StateSchema.version
    else { return nil }
    var rows = QueueRows()
    guard let saved = try? Self.saved(in: database, &rows) else { return nil }
    reader = database
    return saved
  }

  private static func saved(
    in database: Database, _ rows: inout QueueRows
  ) throws(DatabaseError) -> SavedState {
    var saved = SavedState()
    saved.bookmarks = try History(database).bookmarks()
    var moment: [UInt8]?
    try database.rows("SELECT name, value FROM fact") { row in
      let name = row.text(0)
      if name == momentName { moment = row.bytes(1) }
      if name.hasPrefix(settingPrefix) {
        saved.settings[String(name.dropFirst(settingPrefix.count))] = row.text(1)
      }
    }
    var sequence: UInt64 = 0
    saved.moment = moment.flatMap { Moment($0, sequence: &sequence) }
    saved.queue = try rows.read(database)
    saved.epoch = rows.epoch
    return saved
  }

  /// Reads the whole file, and sets it aside where it is damaged.
  func check() throws(DatabaseError) {
    guard isReady else { return }
    try working { database throws(DatabaseError) in
      guard let damage = try database.damage() else { return }
      throw DatabaseError(cause: .corrupt, code: 11, sentence: damage)
    }
  }

  /// All of it, or nothing.
  ///
  /// - Parameter isLast: the program ends, and waits less for disks.
  func write(_ work: StateStore.Pending, isLast: Bool) throws(DatabaseError) {
    // A file that is damaged or gone has lost the queue, whatever else is to be written.
    forgetLost()
    let isQueueWanted = work.isQueueChanged || rows.isForgotten
    let queue = isQueueWanted ? work.queue?().state : nil
    do throws(DatabaseError) {
      try write(work, queue, isLast: isLast)
    } catch {
      rows.forget()
      throw error
    }
  }

  private func write(
    _ work: StateStore.Pending, _ queue: QueueState?, isLast: Bool
  ) throws(DatabaseError) {
    let paths = Set(work.changes.map(\.key.path))
    try working { database throws(DatabaseError) in
      let history = History(database)
      let files = paths.isEmpty ? [:] : try found(paths, in: history, isLast: isLast)
      try database.transaction { () throws(DatabaseError) in
        if let queue { try rows.write(queue, in: database) }
        for (key, change) in work.changes {
          let file = files[key.path] ?? FilePlace(spelled: key.path, path: key.path)
          try history.change(file, key.start, change)
        }
        for (name, value) in work.settings {
          try set(Self.settingPrefix + name, value.map { .text($0) }, in: database)
        }
        if let moment = work.moment {
          try set(Self.momentName, .bytes(moment.text(sequence: 0)), in: database)
        }
      }
    }
  }

  func follow(_ moves: [History.FoundMove]) throws(DatabaseError) {
    guard isReady else {
      throw DatabaseError(cause: .busy, code: 0, sentence: "it was not read yet")
    }
    _ = try working { database throws(DatabaseError) in try History(database).follow(moves) }
  }

  private func set(_ name: String, _ value: SQLValue?, in database: Database) throws(DatabaseError)
  {
    if let value {
      try database.run("INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", .text(name), value)
    } else {
      try database.run("DELETE FROM fact WHERE name = ?", .text(name))
    }
  }

  /// Nothing is read or written afterwards.
  func close() {
    isReady = false
    database = nil
    reader = nil
  }

  /// True for the names of single values.
  static func isFact(_ name: String) -> Bool {
    name == momentName || name == History.lastMove || name.hasPrefix(settingPrefix)
      || name.hasPrefix(QueueRows.factPrefix)
  }

  private static let momentName = "moment"
  private static let settingPrefix = "setting."
}
