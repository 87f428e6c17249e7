import Foundation
import TestSupport
import Testing

@testable import Database

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct DatabaseTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> [UInt8] { Array("\(folder.path)/\(name)".utf8) }

  private func cleaned(_ body: () throws -> Void) rethrows {
    defer { try? FileManager.default.removeItem(at: folder) }
    try body()
  }

  private func error(_ body: () throws -> Void) -> DatabaseError? {
    do {
      try body()
      return nil
    } catch { return error as? DatabaseError }
  }

  @Test func `Every kind of value comes back as it was written`() throws {
    try cleaned {
      let database = try Database.inMemory()
      try database.execute("CREATE TABLE thing(a, b, c, d, e)")
      let odd: [UInt8] = [0xFF, 0, 0x80]
      try database.run(
        "INSERT INTO thing VALUES(?, ?, ?, ?, ?)", .integer(.min), .real(0.1),
        .text("Bj\u{F6}rk\0x"),
        .bytes(odd), nil)
      try database.run(
        "INSERT INTO thing VALUES(?, ?, ?, ?, ?)", 1, .real(-0.0), "", .bytes([]), nil)
      var rows = 0
      try database.rows("SELECT * FROM thing ORDER BY rowid") { row in
        if rows == 0 {
          #expect(row.integer(0) == .min && row.real(1) == 0.1)
          #expect(row.text(2) == "Bj\u{F6}rk\0x" && row.bytes(3) == odd && row.isNull(4))
        } else {
          #expect(row.textOrNil(2) == "" && row.bytes(3) == [] && !row.isNull(3))
          #expect(row.intOrNil(4) == nil && row.realOrNil(4) == nil)
        }
        rows += 1
      }
      #expect(rows == 2)
    }
  }

  @Test func `What was committed is there after the file is opened again, and for a second reader`()
    throws
  {
    try cleaned {
      let database = try Database(path("x.db"))
      try database.execute("CREATE TABLE thing(a)")
      try database.run("INSERT INTO thing VALUES(?)", 7)
      let reader = try Database(path("x.db"), .readOnly)
      #expect(try reader.integer("SELECT a FROM thing") == 7)
      let refusal = error { try reader.run("INSERT INTO thing VALUES(8)") }
      #expect(refusal?.cause == .readOnly)
    }
  }

  @Test func `A transaction that fails leaves nothing, also one within another`() throws {
    try cleaned {
      let database = try Database.inMemory()
      try database.execute("CREATE TABLE thing(a UNIQUE)")
      let refusal = error {
        try database.transaction { () throws(DatabaseError) in
          try database.run("INSERT INTO thing VALUES(1)")
          try database.transaction { () throws(DatabaseError) in
            try database.run("INSERT INTO thing VALUES(1)")
          }
        }
      }
      #expect(refusal?.cause == .constraint)
      #expect(try database.integer("SELECT count(*) FROM thing") == 0)
      try database.transaction { () throws(DatabaseError) in
        try database.run("INSERT INTO thing VALUES(1)")
      }
      #expect(try database.integer("SELECT count(*) FROM thing") == 1)
    }
  }

  @Test func `A statement may run within its own rows`() throws {
    let database = try Database.inMemory()
    try database.execute("CREATE TABLE thing(a); INSERT INTO thing VALUES(1), (2), (3)")
    var pairs = 0
    try database.rows("SELECT a FROM thing") { _ in
      try? database.rows("SELECT a FROM thing") { _ in pairs += 1 }
    }
    #expect(pairs == 9)
  }

  @Test func `Faults are told apart: no database, damaged, locked, no folder, wrong SQL`() throws {
    try cleaned {
      try Data(repeating: 0x41, count: 8192).write(to: folder.appendingPathComponent("text.db"))
      #expect(error { _ = try Database(path("text.db")) }?.cause == .corrupt)
      #expect(error { _ = try Database(path("none/x.db")) }?.cause == .cannotOpen)
      #expect(error { _ = try Database([]) }?.cause == .cannotOpen)
      #expect(error { _ = try Database(path("none.db"), .readWrite) }?.cause == .cannotOpen)
      let database = try Database(path("x.db"))
      #expect(error { try database.execute("SELEKT") }?.cause == .misuse)
      #expect(error { try database.run("SELEKT") }?.sentence.contains("SELEKT") == true)
      try database.execute("CREATE TABLE thing(a)")
      try database.transaction { () throws(DatabaseError) in
        let other = try Database(path("x.db"), patience: 0)
        #expect(error { try other.run("INSERT INTO thing VALUES(1)") }?.cause == .busy)
      }
    }
  }

  @Test func `A name that SQLite reads as something else is a file's name`() throws {
    try cleaned {
      let old = FileManager.default.currentDirectoryPath
      _ = FileManager.default.changeCurrentDirectoryPath(folder.path)
      defer { _ = FileManager.default.changeCurrentDirectoryPath(old) }
      try Database(Array(":memory:".utf8)).execute("CREATE TABLE thing(a)")
      #expect(FileManager.default.fileExists(atPath: folder.path + "/:memory:"))
    }
  }

  private func value(_ database: Database) throws -> Int64? {
    try database.integer("SELECT max(a) FROM thing")
  }

  /// What a file holds that lies where nothing can be written, or why it cannot be read.
  private func lockedValue(_ name: String, in folder: String) throws -> Result<Int64?, any Error> {
    let lock = try UnwritableFolder(folder)
    defer { lock.open() }
    return Result { try value(Database(path(name), .readOnly)) }
  }

  @Test(.enabled(if: UnwritableFolder.isPossible))
  func `Where nothing can be written a file is read, and what waits in its log with it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let name = "what? 100%\u{E4}.db"
    do {
      let writer = try Database(path(name))
      try writer.execute("CREATE TABLE thing(a); INSERT INTO thing VALUES(1)")
    }
    // Ended as it should: nothing lies beside the file.
    let lock = try UnwritableFolder(folder.path)
    let unwritten = error { _ = try Database(path(name), .readWrite) }
    #expect(unwritten?.isOfThePlace == true)
    let frozen = try Database(path(name), .readOnly)
    #expect(try value(frozen) == 1)
    #expect(!frozen.isOutdated)
    lock.open()
    // Killed: the newest is in the log alone, which SQLite reads with the index beside it.
    let killed = folder.appendingPathComponent("killed")
    try FileManager.default.createDirectory(at: killed, withIntermediateDirectories: true)
    do {
      let writer = try Database(path(name))
      try writer.execute("INSERT INTO thing VALUES(2)")
      #expect(frozen.isOutdated)
      for tail in ["", "-wal", "-shm"] {
        try FileManager.default.copyItem(
          at: folder.appendingPathComponent(name + tail),
          to: killed.appendingPathComponent("x.db" + tail))
      }
    }
    #expect(try lockedValue("killed/x.db", in: killed.path).get() == 2)
    // Without that it is not taken for the older state that the file has.
    try FileManager.default.removeItem(at: killed.appendingPathComponent("x.db-shm"))
    let refused = error { _ = try lockedValue("killed/x.db", in: killed.path).get() }
    #expect(
      refused?.sentence == "it cannot be read here: the newest of it waits in a log beside it")
    #expect(try value(Database(path("killed/x.db"), .readOnly)) == 2)
  }

  @Test func `Damage in the middle of a file is found`() throws {
    try cleaned {
      do {
        let database = try Database(path("x.db"))
        try database.execute("CREATE TABLE thing(a)")
        for _ in 0..<100 {
          try database.run("INSERT INTO thing VALUES(?)", .bytes([UInt8](repeating: 1, count: 900)))
        }
        #expect(try database.damage() == nil)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      var bytes = try Data(contentsOf: folder.appendingPathComponent("x.db"))
      bytes.replaceSubrange(12_288..<20_480, with: Data(repeating: 0xA5, count: 8192))
      try bytes.write(to: folder.appendingPathComponent("x.db"))
      let database = try Database(path("x.db"))
      #expect(try database.damage() != nil)
    }
  }
}
