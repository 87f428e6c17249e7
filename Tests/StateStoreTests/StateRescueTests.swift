import AudioTypes
import Database
import Foundation
import PlayQueue
import Testing

@testable import StateStore

/// What is left of a `state.db` of which one page is rubbish, whichever it is.
@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct StateRescueTests {
  private static let pageSize = 4096

  private func bytes(_ place: Place) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: place.file("state.db")))
  }

  /// A new folder with the same file, but for one page.
  private func damaged(_ bytes: Data, page: Int) throws -> Place {
    let place = try Place()
    try FileManager.default.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    var bytes = bytes
    for index in page * Self.pageSize..<(page + 1) * Self.pageSize {
      bytes[index] = UInt8(truncatingIfNeeded: index &* 31)
    }
    try bytes.write(to: URL(fileURLWithPath: place.file("state.db")))
    return place
  }

  /// Reads what is left, and looks through all of it.
  private func rescued(_ place: Place, _ heard: Heard) async throws -> SavedState {
    let store = StateStore.make(place, heard: heard)
    var saved = await store.wholeState()
    #expect(await becomes { !heard.sentences.isEmpty })
    store.close(within: 120)
    // As the next start finds it.
    let next = StateStore.make(place, heard: heard)
    saved = await next.wholeState()
    next.close()
    return saved
  }

  @Test func `Whichever page is hit, the counts of all others are saved, and it is said how many`()
    async throws
  {
    let place = try Place()
    let store = StateStore.make(place)
    _ = await store.wholeState()
    for number in 0..<1000 {
      store.change(TrackLocation("/music/some album/\(number).flac"), .played(at: Int64(number)))
    }
    store.close(within: 120)
    let whole = try bytes(place)
    let pages = whole.count / Self.pageSize
    #expect(pages > 25)
    for page in 0..<pages {
      let place = try damaged(whole, page: page)
      let heard = Heard()
      _ = try await rescued(place, heard)
      let database = try Database(place.file)
      #expect(try database.damage() == nil)
      let left = Int(try database.integer("SELECT count(*) FROM history WHERE plays = 1") ?? 0)
      // A page holds some ninety rows.
      #expect(left >= 900, "page \(page): \(left)")
      let said = try #require(heard.sentences.first)
      #expect(heard.sentences.count == 1)
      let counts = left == 1000 ? "all 1000" : "\(left) of 1000"
      #expect(said.hasPrefix("state.db was damaged: saved \(counts) counts, "), "\(said)")
      // The rest of the sentence is only where the old file is.
      #expect(said.contains("; the old file is \(place.path)"))
      #expect((said.firstIndex(of: ";")?.utf16Offset(in: said) ?? 100) < 80)
    }
  }

  @Test
  func `Whichever page is hit, the saved queue has nothing that only an undo would bring back`()
    async throws
  {
    let place = try Place()
    func entry(_ name: String, _ number: Int) -> QueueEntry {
      QueueEntry(TrackLocation("/music/\(name) \(number).flac"), title: "\(name) \(number)")
    }
    let store = StateStore.make(place)
    _ = await store.wholeState()
    var queue = PlayQueue()
    queue.add((0..<20).map { entry("undone", $0) })
    queue.undo()
    // They are named by nothing any more, and still there.
    queue.add((0..<40).map { entry("kept", $0) })
    queue.insert((0..<20).map { entry("removed", $0) }, at: 7)
    queue.remove(7..<27)
    queue.move([3], to: 30)
    let kept = queue
    store.keep { kept }
    store.queueChanged()
    store.close(within: 120)
    let whole = try bytes(place)
    let names = queue.entries.compactMap(\.title)
    #expect(names.count == 40)
    var losses = 0
    for page in 0..<whole.count / Self.pageSize {
      let place = try damaged(whole, page: page)
      let heard = Heard()
      let saved = try await rescued(place, heard)
      let found = saved.queue?.queue.entries.compactMap(\.title) ?? []
      #expect(found.allSatisfy { $0.hasPrefix("kept") }, "page \(page): \(found)")
      // In their order.
      #expect(found == names.filter { found.contains($0) }, "page \(page)")
      if found != names {
        losses += 1
        // Places in edits are those of the whole queue.
        #expect(saved.queue?.done.isEmpty ?? true)
        #expect(heard.sentences.first?.contains(" of 40 queued tracks") == true, "page \(page)")
      }
    }
    // Only the pages with the tracks themselves.
    #expect(losses <= 4, "\(losses)")
  }

  @Test func `Without any list of the queue what edits took out stays out`() async throws {
    let place = try Place()
    let store = StateStore.make(place)
    _ = await store.wholeState()
    var queue = PlayQueue((0..<9).map { QueueEntry(TrackLocation("/\($0)")) })
    queue.remove([2, 5])
    queue.copy([0, 1])
    let kept = queue
    store.keep { kept }
    store.queueChanged()
    store.close(within: 120)
    do {
      let database = try Database(place.file)
      try database.execute("DELETE FROM list; DELETE FROM fact WHERE name = 'queue.copy'")
    }
    let next = StateStore.make(place)
    let saved = await next.wholeState()
    next.close()
    #expect(
      saved.queue?.queue.entries.map { String(decoding: $0.location.path, as: UTF8.self) }
        == ["/0", "/1", "/3", "/4", "/6", "/7", "/8"])
  }

  @Test func `What stands in the log alone is saved too`() async throws {
    let place = try Place()
    let database = try StateSchema.open(
      {
        try? FileManager.default.createDirectory(
          atPath: place.path + "/sotto", withIntermediateDirectories: true)
        return place.file
      }(), patience: 1000)
    try database.execute("PRAGMA wal_autocheckpoint = 0")
    let history = History(database)
    for number in 0..<100 {
      try history.change(HistoryKey(TrackLocation("/\(number)")), .rated(Double(number % 6)))
    }
    let copy = try Place()
    try FileManager.default.createDirectory(
      atPath: copy.path + "/sotto", withIntermediateDirectories: true)
    for name in ["state.db", "state.db-wal"] {
      try FileManager.default.copyItem(atPath: place.file(name), toPath: copy.file(name))
    }
    var count = 0
    let raw = try #require(RawRows(file: copy.file))
    raw.all { if $0.values.count == 11 { count += 1 } }
    #expect(count == 100)
  }

  @Test func `Rubbish in the place of a database is read without harm`() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<200 {
      var bytes = (0..<Int.random(in: 0...20_000)).map { _ in UInt8.random(in: 0...255) }
      if round % 2 == 0 {
        bytes.replaceSubrange(
          0..<min(16, bytes.count), with: Array("SQLite format 3\0".utf8).prefix(bytes.count))
      }
      for page in stride(from: 0, to: bytes.count, by: 4096) {
        bytes[page] = [13, 10, 2, 5].randomElement(using: &random)!
      }
      RawRows(bytes, log: Array(bytes.reversed())).all { _ in }
    }
  }
}
