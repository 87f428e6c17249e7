import CSQLite
import Glibc

/// One connection to a SQLite file. Used by one thread at a time, which may change. Blocks: never
/// used on the control thread for more than a row or two.
///
/// Files are in WAL mode: readers do not wait for a writer, and what was committed survives the end
/// of the process at any instant. `synchronous` is NORMAL: a power cut may take the last commits,
/// and never damages the file.
@safe public final class Database {
  public enum Mode: Sendable {
    /// Made where it is not there. Nobody but its owner may read it: what somebody hears is their
    /// own.
    case create
    case readWrite
    /// Also from a folder in which nothing can be written. What waits in the log is read with it, or
    /// nothing is: an old state is never taken for the newest.
    case readOnly
  }

  /// True where the library is installed.
  public static var isAvailable: Bool { sotto_sqlite_is_there() }
  /// The library's version; empty where it is not installed.
  public static var version: String { unsafe String(cString: sotto_sqlite_version()) }

  let connection: OpaquePointer
  /// Of one that SQLite does not look at again.
  private let frozen: FrozenFile?
  /// Prepared once, by their text.
  private var statements: [String: Statement] = [:]

  /// Another process is waited for this long, in milliseconds.
  public static let patience: Int32 = 5000

  /// Opens a file. Names that SQLite would read as something else are given as paths:
  /// `:memory:` is none here (`Database.inMemory` is).
  public init(
    _ path: [UInt8], _ mode: Mode = .create, patience: Int32 = Database.patience
  ) throws(DatabaseError) {
    guard !path.contains(0), !path.isEmpty else {
      throw DatabaseError(cause: .cannotOpen, code: 14, sentence: "no name of a file")
    }
    // "./:memory:" and "./file:x" are files.
    let isAbsolute = path.first == UInt8(ascii: "/")
    let path = isAbsolute ? path : Array("./".utf8) + path
    if mode == .create { Self.makePrivate(path) }
    if mode == .readOnly {
      let opened = try unsafe Self.openForReading(path, patience)
      unsafe connection = unsafe opened.connection
      frozen = unsafe opened.frozen
    } else {
      unsafe connection = try unsafe Self.open(path, mode, patience)
      frozen = nil
    }
    if mode != .readOnly {
      try execute("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = NORMAL")
    }
    try execute("PRAGMA foreign_keys = ON")
  }

  private init(memory: Void) throws(DatabaseError) {
    unsafe connection = try unsafe Self.open(Array(":memory:".utf8), .create, 0)
    frozen = nil
    try execute("PRAGMA foreign_keys = ON")
  }

  /// One that ends with this value.
  public static func inMemory() throws(DatabaseError) -> Database { try Database(memory: ()) }

  deinit {
    statements = [:]
    unsafe sotto_sqlite_close(connection)
  }

  /// Makes the file before SQLite does, which gives what lies beside it the same permissions. One that
  /// is there is never opened here: closing it would give up the locks that others of this process have
  /// on it.
  private static func makePrivate(_ path: [UInt8]) {
    let name = path.map { CChar(bitPattern: $0) }
    let file = unsafe Glibc.open(name + [0], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    for suffix in ["", "-wal", "-shm"] {
      let name = name + suffix.utf8.map { CChar(bitPattern: $0) } + [0]
      var facts = stat()
      guard unsafe stat(name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
        facts.st_uid == geteuid(), facts.st_mode & 0o077 != 0
      else { continue }
      _ = unsafe chmod(name, facts.st_mode & 0o700)
    }
  }

  /// SQLite keeps an index of the log beside the file, and makes it where it is not there. Where that
  /// cannot be made and there is no log, it is told that the file does not change.
  private static func openForReading(
    _ path: [UInt8], _ patience: Int32
  ) throws(DatabaseError) -> (connection: OpaquePointer, frozen: FrozenFile?) {
    let connection = try unsafe open(path, .readOnly, patience)
    let code = unsafe sotto_sqlite_run(connection, "SELECT 1 FROM sqlite_master LIMIT 1")
    var error = DatabaseError(code: code, message: "")
    if code != SOTTO_SQLITE_OK {
      error = unsafe DatabaseError(
        code: code, message: String(cString: sotto_sqlite_message(connection)))
    }
    guard code != SOTTO_SQLITE_OK, error.isOfThePlace || error.cause == .busy,
      let frozen = FrozenFile(path)
    else {
      // Whoever reads it comes across everything else.
      return unsafe (connection, nil)
    }
    unsafe sotto_sqlite_close(connection)
    if error.cause == .busy { throw error }
    guard frozen.logBytes == 0 else {
      error.sentence = "it cannot be read here: the newest of it waits in a log beside it"
      throw error
    }
    return try unsafe (
      open(frozen.address, .readOnly, patience, flags: SOTTO_SQLITE_ADDRESS), frozen
    )
  }

  /// True where it was opened as one that does not change, and has changed: it must be opened anew.
  public var isOutdated: Bool { frozen?.hasChanged == true }

  private static func open(
    _ path: [UInt8], _ mode: Mode, _ patience: Int32, flags more: Int = 0
  ) throws(DatabaseError) -> OpaquePointer {
    guard isAvailable else { throw .noLibrary }
    var flags = SOTTO_SQLITE_READ_ONLY | more
    if mode != .readOnly { flags = SOTTO_SQLITE_READ_WRITE }
    if mode == .create { flags |= SOTTO_SQLITE_CREATE }
    var opened: OpaquePointer?
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let code = unsafe sotto_sqlite_open(name, Int32(flags), patience, &opened)
    guard code == SOTTO_SQLITE_OK, let connection = unsafe opened else {
      defer { unsafe sotto_sqlite_close(opened) }
      let message = unsafe opened.map { unsafe String(cString: sotto_sqlite_message($0)) }
      throw DatabaseError(code: code, message: message ?? "no memory")
    }
    return unsafe connection
  }

  /// The error that a code stands for, with the library's words.
  func error(_ code: Int32) -> DatabaseError {
    unsafe DatabaseError(
      code: code, message: String(cString: sotto_sqlite_message(connection)))
  }

  // MARK: Statements

  /// Runs statements that have no values and whose rows nobody wants.
  public func execute(_ sql: String) throws(DatabaseError) {
    let code = unsafe sotto_sqlite_run(connection, sql)
    if code != SOTTO_SQLITE_OK { throw error(code) }
  }

  /// Runs one statement to its end.
  public func run(_ sql: String, _ values: SQLValue?...) throws(DatabaseError) {
    try run(sql, values)
  }

  /// The same with values that are in a list.
  public func run(_ sql: String, _ values: [SQLValue?]) throws(DatabaseError) {
    try rows(sql, values) { _ in }
  }

  /// Runs a query and hands each row on; the row is valid only meanwhile.
  public func rows(
    _ sql: String, _ values: [SQLValue?] = [], _ body: (Row) -> Void
  ) throws(DatabaseError) {
    try rowsWhile(sql, values) { row in
      body(row)
      return true
    }
  }

  /// The same until `body` says false.
  public func rowsWhile(
    _ sql: String, _ values: [SQLValue?] = [], _ body: (Row) -> Bool
  ) throws(DatabaseError) {
    let statement = try kept(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {
      guard body(Row(statement: statement)) else { return }
    }
  }

  /// The first row's value; nil where there is no row, or it says NULL.
  public func integer(_ sql: String, _ values: SQLValue?...) throws(DatabaseError) -> Int64? {
    var found: Int64?
    try rowsWhile(sql, values) { row in
      found = row.isNull(0) ? nil : row.integer(0)
      return false
    }
    return found
  }

  /// The first row's text; nil where there is no row, or it says NULL.
  public func text(_ sql: String, _ values: SQLValue?...) throws(DatabaseError) -> String? {
    var found: String?
    try rowsWhile(sql, values) { row in
      found = row.isNull(0) ? nil : row.text(0)
      return false
    }
    return found
  }

  /// All that `body` writes, or nothing of it. Transactions within one another are one.
  public func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if unsafe sotto_sqlite_is_in_transaction(connection) { return try body() }
    try execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk may have ended it already.
      if unsafe sotto_sqlite_is_in_transaction(connection) { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Rows that the last statement changed.
  public var changes: Int { unsafe Int(sotto_sqlite_changes(connection)) }
  /// The row that was inserted last.
  public var lastRow: Int64 { unsafe sotto_sqlite_last_row(connection) }

  /// A statement of the user's making is not kept: there may be thousands.
  private func kept(_ sql: String) throws(DatabaseError) -> Statement {
    if let statement = statements[sql] {
      // One that runs already is not disturbed.
      if !statement.isRunning { return statement }
      return try Statement(sql, of: self)
    }
    let statement = try Statement(sql, of: self)
    if statements.count >= Self.mostStatements { statements = [:] }
    statements[sql] = statement
    return statement
  }

  private static let mostStatements = 100

  // MARK: The rest

  /// Looks for damage; nil when there is none. Reads the whole file.
  public func damage() throws(DatabaseError) -> String? {
    let answer = try text("PRAGMA quick_check(1)")
    return answer == "ok" ? nil : answer ?? "no answer"
  }
}
