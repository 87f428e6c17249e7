import Database
import Foundation
import Tags
import TestSupport
import Testing

@testable import MusicLibrary

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct LibraryIndexTests {
  private let index: LibraryIndex
  private let identity = FileIdentity(device: 1, node: 2, size: 3, modified: 4)

  init() throws { index = try LibraryIndex(Database.inMemory()) }

  private func track(_ title: String, start: Double = 0) -> TrackRecord {
    var track = TrackRecord()
    track.title = title
    track.start = start
    return track
  }

  private func titles() throws -> [String] {
    var titles: [String] = []
    try index.database.rows("SELECT title FROM track ORDER BY id") { titles.append($0.text(0)) }
    return titles
  }

  @Test func `A file keeps its number and its tracks when it is read again or moved`() throws {
    let here = try index.folder([0x61])
    let there = try index.folder([0x62])
    let file = try index.put(file: [0x78], in: here, identity, at: 100)
    try index.replace(tracks: [track("a"), track("b", start: 10)], of: file)
    #expect(try index.put(file: [0x78], in: here, identity, at: 200) == file)
    try index.replace(tracks: [track("A"), track("c", start: 20)], of: file)
    #expect(try titles() == ["A", "c"])
    #expect(try index.database.integer("SELECT id FROM track WHERE title = 'A'") == 1)
    #expect(try index.database.integer("SELECT added FROM file") == 100)
    try index.move(file: file, to: there, name: [0x79])
    #expect(try index.files(in: here).isEmpty)
    #expect(try index.files(in: there).map(\.name) == [[0x79]])
    #expect(try titles() == ["A", "c"])
  }

  @Test func `A file that is not there keeps its tracks, and one that is removed does not`() throws
  {
    let file = try index.put(file: [0xFF], in: index.folder([0x61]), identity, at: 1)
    try index.replace(tracks: [track("a")], of: file)
    try index.set(missing: 5, file: file)
    #expect(try index.files(in: 1).first?.isMissing == true)
    #expect(try titles() == ["a"])
    try index.remove(file: file)
    #expect(try index.counts() == (0, 0))
  }

  @Test func `Folders have one number, roots are kept, and all is there when opened again`() throws
  {
    #expect(try index.folder([0x61]) == index.folder([0x61]))
    try index.add(root: [0x61])
    try index.add(root: [0x61])
    let again = try LibraryIndex(index.database)
    #expect(try again.roots() == [[0x61]])
  }

  @Test func `An index of a newer version is left alone, an older one is read again`() throws {
    func cause(_ version: Int64) -> DatabaseError.Cause? {
      do throws(DatabaseError) {
        try index.database.execute("PRAGMA user_version = \(version)")
        _ = try LibraryIndex(index.database)
        return nil
      } catch { return error.cause }
    }
    #expect(cause(999) == .misuse)
    #expect(cause(1) == .corrupt)
  }

  @Test func `A damaged index still tells which folders the user has named`() throws {
    let folder = try TestFolder()
    let path = Array(folder.file("library.db").utf8)
    do {
      let index = try LibraryFile.open(path).index
      try index.add(root: Array("/music".utf8))
      try index.database.execute("PRAGMA user_version = 1")
    }
    let (index, setAside) = try LibraryFile.open(path)
    #expect(setAside == path + Array(".damaged-1".utf8))
    #expect(try index.roots() == [Array("/music".utf8)])
  }

  @Test func `The folders that were named are known without an index too, byte for byte`() throws {
    let folder = try TestFolder()
    let path = Array(folder.file("library.db").utf8)
    let roots = [
      Array("/music".utf8), Array("/two\nlines %41".utf8), [0x2F, 0xFF], Array("/z#".utf8),
    ]
    do {
      let index = try LibraryFile.open(path).index
      #expect(try index.roots() == [])
      for root in roots { try index.add(root: root) }
      LibraryFile.keepFolders(of: index, beside: path)
    }
    func sorted(_ paths: [[UInt8]]) -> [[UInt8]] {
      paths.sorted { $0.lexicographicallyPrecedes($1) }
    }
    var facts = stat()
    #expect(stat(folder.file("library.folders"), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    #expect(sorted(LibraryFile.folders(beside: path)) == sorted(roots))
    // Nothing of it can be read.
    _ = try folder.write([UInt8](repeating: 7, count: 20_000), "library.db")
    let (index, setAside) = try LibraryFile.open(path)
    #expect(setAside != nil)
    #expect(sorted(try index.roots()) == sorted(roots))
    // It was taken away.
    for name in ["library.db", "library.db-wal", "library.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
    }
    #expect(sorted(try LibraryFile.open(path).index.roots()) == sorted(roots))
    // What somebody else has written there is not believed.
    _ = try folder.write(Array("relative\nfile://else/x\n\n/ok\n".utf8), "library.folders")
    #expect(LibraryFile.folders(beside: path) == [Array("/ok".utf8)])
  }

  @Test func `The year is that of the original release`() {
    var track = TrackRecord()
    track.date = "1997-05-21"
    #expect(track.year == 1997)
    track.originalDate = "c. 1972"
    #expect(track.year == 1972)
    track.originalDate = "19720501"
    #expect(track.year == 1972)
    track.originalDate = "nineteen"
    #expect(track.year == 1997)
  }
}
