import Database
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// What has gone, and what is only on a drive that is not mounted.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct ScanDriveTests {
  private let here: ScannedFolder

  init() throws {
    here = try ScannedFolder()
    try here.write("stays.wav")
    try here.write("drive/a.wav")
    try here.write("drive/A/b.wav", seconds: 2)
    try here.scan()
  }

  /// As if these folders had been on a device of that number.
  private func was(on device: Int64, _ pattern: String) throws {
    let database = try here.open().database
    for sql in [
      "UPDATE file SET device = ?1 WHERE folder IN (SELECT id FROM folder WHERE CAST(path AS TEXT) LIKE ?2)",
      "UPDATE folder_place SET device = ?1"
        + " WHERE folder IN (SELECT id FROM folder WHERE CAST(path AS TEXT) LIKE ?2)",
    ] { try database.run(sql, .integer(device), .text(here.music + pattern)) }
  }

  private func empty(_ name: String) throws {
    try FileManager.default.removeItem(atPath: here.path(name))
    try FileManager.default.createDirectory(
      atPath: here.path(name), withIntermediateDirectories: false)
  }

  @Test func `a folder that the user has emptied is forgotten`() throws {
    try empty("drive")
    let summary = try here.scan(forgets: true)
    #expect(summary.absent.isEmpty)
    #expect(summary.missing == 2)
    #expect(Set(try here.rows().keys) == ["stays.wav"])
  }

  @Test(arguments: ["emptied", "removed", "with a note in it"])
  func `a drive that was mounted in a folder keeps its files`(_ how: String) throws {
    try was(on: 0xBEEF, "/drive%")
    switch how {
    case "removed": try FileManager.default.removeItem(atPath: here.path("drive"))
    default: try empty("drive")
    }
    if how == "with a note in it" {
      _ = try here.folder.write([1], "music/drive/not mounted.txt")
    }
    for _ in 0..<2 {
      let summary = try here.scan(forgets: true)
      #expect(
        summary.absent.map { String(decoding: $0.folder, as: UTF8.self) } == [here.path("drive")])
      #expect(summary.absent.map(\.files) == [2])
    }
    let rows = try here.rows()
    #expect(rows.count == 3)
    #expect(rows["drive/A/b.wav"]?.isMissing == true)
  }

  @Test func `a folder of a drive that is there is forgotten, and the others are as they were`()
    throws
  {
    try here.write("drive/B/c.wav", seconds: 3)
    try here.scan()
    // The whole drive has another number than at the last scan.
    try was(on: 0xBEEF, "%")
    try FileManager.default.removeItem(atPath: here.path("drive/A"))
    try empty("drive/B")
    let summary = try here.scan(forgets: true)
    #expect(summary.absent.isEmpty)
    #expect(Set(try here.rows().keys) == ["stays.wav", "drive/a.wav"])
    // The new number is known from now on, and nothing of the folders that have gone.
    #expect(
      try here.open().database.integer(
        "SELECT count(*) FROM folder_place WHERE device = ?", .integer(0xBEEF)) == 0)
    try empty("drive")
    #expect(try here.scan(forgets: true).absent.isEmpty)
    #expect(Set(try here.rows().keys) == ["stays.wav"])
  }

  @Test func `files in the place of a drive that is away do not make it be forgotten`() throws {
    try was(on: 0xBEEF, "/drive%")
    try empty("drive")
    try here.write("drive/new.wav", seconds: 4)
    for _ in 0..<2 {
      #expect(try here.scan(forgets: true).absent.map(\.files) == [2])
    }
    let rows = try here.rows()
    #expect(rows["drive/a.wav"]?.isMissing == true)
    #expect(rows["drive/A/b.wav"]?.isMissing == true)
    #expect(rows["drive/new.wav"]?.isMissing == false)
  }

  @Test func `a named folder within another is a drive that may be away`() throws {
    let all = [here.music, here.path("drive")]
    try here.move("drive", "../away")
    #expect(try here.scan(all, forgets: true).absent.map(\.files) == [2])
    try FileManager.default.createDirectory(
      atPath: here.path("drive"), withIntermediateDirectories: false)
    #expect(try here.scan(all, forgets: true).absent.map(\.files) == [2])
    try #require(rmdir(here.path("drive")) == 0)
    try here.move("../away", "drive")
    #expect(try here.scan(all, forgets: true).returned == 2)
  }

  @Test func `what was not looked through is not forgotten`() throws {
    try here.write("other/c.wav", seconds: 3)
    try here.scan()
    let all = [here.path("drive"), here.path("other")]
    try here.move("drive", "../away")
    try here.scan(all)
    try here.scan([all[1]], of: all, forgets: true)
    #expect(try here.rows().count == 4)
  }
}
