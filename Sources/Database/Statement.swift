import CSQLite

/// A value of SQL; NULL is nil.
public enum SQLValue: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])

  public init(_ value: Int) { self = .integer(Int64(value)) }
  public init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
}

/// A prepared statement; it lives no longer than its connection.
@safe final class Statement {
  private let statement: OpaquePointer
  private unowned let database: Database
  private(set) var isRunning = false

  init(_ sql: String, of database: Database) throws(DatabaseError) {
    var sql = sql
    var prepared: OpaquePointer?
    let code = sql.withUTF8 { text in
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        unsafe sotto_sqlite_prepare(database.connection, text.baseAddress, text.count, &prepared)
      }
    }
    guard code == SOTTO_SQLITE_OK else { throw database.error(code) }
    guard let prepared = unsafe prepared else {
      throw DatabaseError(cause: .misuse, code: 21, sentence: "no statement")
    }
    unsafe statement = prepared
    self.database = database
  }

  deinit { unsafe sotto_sqlite_finish(statement) }

  func bind(_ values: [SQLValue?]) throws(DatabaseError) {
    precondition(
      unsafe values.count == Int(sotto_sqlite_value_count(statement)),
      "a statement has other places than values")
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code: Int32
      switch value {
      case nil: code = unsafe sotto_sqlite_bind_null(statement, place)
      case .integer(let value): code = unsafe sotto_sqlite_bind_integer(statement, place, value)
      case .real(let value): code = unsafe sotto_sqlite_bind_real(statement, place, value)
      case .text(var text):
        code = text.withUTF8 { text in
          unsafe text.withMemoryRebound(to: CChar.self) { text in
            unsafe sotto_sqlite_bind_text(statement, place, text.baseAddress, text.count)
          }
        }
      case .bytes(let bytes):
        code = unsafe bytes.withUnsafeBytes { bytes in
          unsafe sotto_sqlite_bind_bytes(statement, place, bytes.baseAddress, bytes.count)
        }
      }
      if code != SOTTO_SQLITE_OK { throw database.error(code) }
    }
  }

  /// True when there is a row.
  func step() throws(DatabaseError) -> Bool {
    isRunning = true
    let code = unsafe sotto_sqlite_step(statement)
    if code == SOTTO_SQLITE_ROW { return true }
    if code == SOTTO_SQLITE_DONE { return false }
    throw database.error(code)
  }

  func reset() {
    isRunning = false
    unsafe sotto_sqlite_reset(statement)
  }

  fileprivate func isNull(_ column: Int) -> Bool {
    unsafe sotto_sqlite_is_null(statement, Int32(column))
  }
  var columnCount: Int { unsafe Int(sotto_sqlite_column_count(statement)) }
  fileprivate func value(_ column: Int) -> SQLValue? {
    switch Int(unsafe sotto_sqlite_type(statement, Int32(column))) {
    case SOTTO_SQLITE_INTEGER: .integer(integer(column))
    case SOTTO_SQLITE_REAL: .real(real(column))
    case SOTTO_SQLITE_TEXT: .text(text(column))
    case SOTTO_SQLITE_BYTES: .bytes(bytes(column))
    default: nil
    }
  }
  fileprivate func integer(_ column: Int) -> Int64 {
    unsafe sotto_sqlite_integer(statement, Int32(column))
  }
  fileprivate func real(_ column: Int) -> Double {
    unsafe sotto_sqlite_real(statement, Int32(column))
  }
  /// Bytes that are not UTF-8 are replaced.
  fileprivate func text(_ column: Int) -> String {
    var size = 0
    guard let text = unsafe sotto_sqlite_text(statement, Int32(column), &size) else { return "" }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: text, count: size), as: UTF8.self)
  }
  fileprivate func bytes(_ column: Int) -> [UInt8] {
    var size = 0
    guard let bytes = unsafe sotto_sqlite_bytes(statement, Int32(column), &size) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: size))
  }
  fileprivate func withBytes<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var size = 0
    let bytes = unsafe sotto_sqlite_bytes(statement, Int32(column), &size)
    return unsafe body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size))
  }
}

/// The row that a statement stands at; columns count from 0. NULL reads as 0, "" or no bytes.
public struct Row {
  let statement: Statement

  /// Whether the column says NULL.
  public func isNull(_ column: Int) -> Bool { statement.isNull(column) }
  /// 64 bits, as SQLite keeps them.
  public func integer(_ column: Int) -> Int64 { statement.integer(column) }
  /// The same as an `Int`.
  public func int(_ column: Int) -> Int { Int(statement.integer(column)) }
  /// Integers are converted.
  public func real(_ column: Int) -> Double { statement.real(column) }
  /// Bytes that are not UTF-8 are replaced.
  public func text(_ column: Int) -> String { statement.text(column) }
  /// A copy of the column's bytes.
  public func bytes(_ column: Int) -> [UInt8] { statement.bytes(column) }
  /// The library's own bytes, which are there within `body` alone: for many rows.
  public func withBytes<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    unsafe statement.withBytes(column, body)
  }

  /// As it is stored; nil is NULL.
  public func value(_ column: Int) -> SQLValue? { statement.value(column) }
  /// All columns, as they are stored.
  public var values: [SQLValue?] { (0..<statement.columnCount).map { value($0) } }

  /// Nil is NULL, here and below.
  public func intOrNil(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }
  public func realOrNil(_ column: Int) -> Double? { isNull(column) ? nil : real(column) }
  public func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}
