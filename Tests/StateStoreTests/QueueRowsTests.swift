import AudioTypes
import Database
import Foundation
import PlayQueue
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct QueueRowsTests {
  private func entry(_ number: Int) -> QueueEntry {
    QueueEntry(
      TrackLocation(path: Array("/music/\(number).flac".utf8) + [0xFF], start: Double(number % 3)),
      title: number % 2 == 0 ? "Title \(number)" : nil,
      artist: number % 5 == 0 ? "Bj\u{F6}rk" : nil,
      album: number % 7 == 0 ? "album" : nil, duration: number % 3 == 0 ? nil : Double(number))
  }

  private func database(_ place: Place) throws -> Database {
    try FileManager.default.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    return try StateSchema.open(place.file, patience: 1000)
  }

  /// One random act.
  private func act(_ queue: inout PlayQueue, _ random: inout SystemRandomNumberGenerator) {
    let count = queue.entries.count
    let rows = (0..<3).map { _ in Int.random(in: 0...max(count, 1), using: &random) }
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: queue.add((0..<3).map { _ in entry(Int.random(in: 0...99, using: &random)) })
    case 2: queue.insertNext([entry(7)])
    case 3: queue.remove(rows)
    case 4: queue.move(rows, to: rows[0])
    case 5: queue.moveNext(rows)
    case 6: queue.cut(rows)
    case 7: queue.paste(at: rows[0])
    case 8: queue.undo()
    case 9: queue.redo()
    case 10: queue.shuffle(seed: .random(in: 0...99), by: Bool.random() ? .album : .track)
    case 11: queue.pass(to: queue.indexAfterSkip)
    case 12: queue.describe(at: rows[0], title: "known \(rows[1])", duration: 3)
    case 13: queue.repeatMode = RepeatMode.allCases.randomElement()!
    case 14: queue.isConsuming.toggle()
    default: if rows[0] % 5 == 0 { queue.clear() } else { queue.copy(rows) }
    }
  }

  @Test func `After any acts the rows are the queue, with everything that can be undone`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<25 {
      let place = try Place()
      let database = try database(place)
      var rows = QueueRows()
      #expect(try rows.read(database) == nil)
      var queue = PlayQueue((0..<10).map { entry($0) })
      for _ in 0..<30 {
        for _ in 0..<Int.random(in: 0...3) { act(&queue, &random) }
        try database.transaction { () throws(DatabaseError) in
          try rows.write(queue.state, in: database)
        }
      }
      var fresh = QueueRows()
      let state = try #require(try fresh.read(database))
      var back = PlayQueue(state)
      #expect(back == queue)
      #expect(back.editCount == queue.editCount)
      #expect(back.clipboardCount == queue.clipboardCount)
      while queue.undo() != nil { back.undo() }
      #expect(back.entries.map(\.location) == queue.entries.map(\.location))
      while queue.redo() != nil { back.redo() }
      #expect(back.entries.map(\.location) == queue.entries.map(\.location))
    }
  }

  @Test func `One edit of a long queue writes a few rows, and a name is a byte or two`() throws {
    let place = try Place()
    let database = try database(place)
    var rows = QueueRows()
    var queue = PlayQueue((0..<50_000).map { entry($0) })
    func write() throws -> Int64 {
      let before = try database.integer("SELECT total_changes()") ?? 0
      try database.transaction { () throws(DatabaseError) in
        try rows.write(queue.state, in: database)
      }
      return (try database.integer("SELECT total_changes()") ?? 0) - before
    }
    #expect(try write() > 50_000)
    #expect(try write() == 0)
    queue.remove([25_000])
    #expect(try write() < 10)
    queue.insertNext([entry(3)])
    #expect(try write() < 10)
    queue.describe(at: 40_000, title: "known")
    #expect(try write() < 5)
    queue.undo()
    #expect(try write() < 10)
    queue.clear()
    #expect(try write() < 10)
    queue.undo()
    #expect(try write() < 10)
    let size = try database.integer("SELECT length(ids) FROM list WHERE name = 'queue'") ?? 0
    #expect(size < 60_000)
    var fresh = QueueRows()
    #expect(try fresh.read(database).map { PlayQueue($0) } == queue)
  }

  @Test func `Entries that nothing names any more are swept away`() throws {
    let place = try Place()
    let database = try database(place)
    var rows = QueueRows()
    var queue = PlayQueue()
    for round in 0..<8 {
      queue = PlayQueue()
      queue.append((0..<10_000).map { entry($0 + round) })
      var state = queue.state
      state = state.renamed(from: UInt32(round * 10_000))
      try database.transaction { () throws(DatabaseError) in try rows.write(state, in: database) }
    }
    #expect(try database.integer("SELECT count(*) FROM entry") ?? 0 <= 30_000)
    var fresh = QueueRows()
    let state = try #require(try fresh.read(database))
    #expect(state.queue.entries.count == 10_000)
    #expect(state.queue.entries[5] == entry(12))
    // Names have become large: they begin anew, and a moment of before is another queue's.
    #expect(state.queue.ids.first == EntryID(0) && fresh.epoch == 1)
  }

  @Test func `Bytes that nobody wrote are no edit and no crash`() {
    var random = SystemRandomNumberGenerator()
    var queue = PlayQueue((0..<9).map { entry($0) })
    queue.remove([1, 3, 4])
    queue.shuffle(seed: 3)
    queue.moveNext([5])
    for edit in queue.state.done {
      let bytes = EditCoding.bytes(edit)
      let known = { (id: EntryID) -> QueueEntry? in self.entry(Int(id.number)) }
      #expect(EditCoding.edit(bytes, serial: edit.serial, entry: known) == edit)
      for count in bytes.indices {
        #expect(EditCoding.edit(Array(bytes[..<count]), serial: 1, entry: known) == nil)
      }
      for _ in 0..<500 {
        var spoilt = bytes
        spoilt[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255)
        _ = EditCoding.edit(spoilt, serial: 1, entry: known)
      }
    }
    for _ in 0..<500 {
      let length = Int.random(in: 0...40, using: &random)
      var reader = ByteReader((0..<length).map { _ in UInt8.random(in: 0...255) })
      _ = reader.ids()
      _ = reader.text()
      _ = reader.int()
    }
  }

  @Test func `Of a queue whose list is damaged the tracks are there`() async throws {
    let place = try Place()
    do {
      let database = try database(place)
      var rows = QueueRows()
      var queue = PlayQueue((0..<10).map { entry($0) })
      queue.remove([2])
      try database.transaction { () throws(DatabaseError) in
        try rows.write(queue.state, in: database)
      }
      try database.execute("UPDATE list SET ids = x'FFFFFFFFFFFFFFFFFFFFFFFF'")
      try database.execute("UPDATE edit SET record = x'01'")
    }
    let saved = await StateStore.make(place).wholeState()
    let queue = PlayQueue(try #require(saved.queue))
    #expect(queue.entries.count == 10)
    #expect(queue.editCount == 0)
  }

  @Test func `The store keeps the queue, and the next one has it`() async throws {
    let place = try Place()
    let store = StateStore.make(place)
    let first = await store.wholeState()
    #expect(first.queue == nil)
    var queue = PlayQueue((0..<10).map { entry($0) })
    queue.remove([2])
    let kept = queue
    store.keep { kept }
    store.queueChanged()
    store.close(within: 120)
    let next = StateStore.make(place)
    let saved = await next.wholeState()
    #expect(saved.queue.map { PlayQueue($0) } == queue)
    #expect(saved.queue?.done.count == 1)
    next.close()
  }
}
