import AudioTypes
import Database
import Foundation
import PlayQueue
import Testing

@testable import StateStore

/// Numbers of a damaged database: none of them ends the program.
@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct DamagedNumberTests {
  private func entry(_ number: Int) -> QueueEntry {
    QueueEntry(
      TrackLocation(path: Array("/music/\(number).flac".utf8)), title: "\(number)",
      album: "album \(number % 3)")
  }

  /// A database with a shuffled queue and edits in it.
  private func filled(_ place: Place) throws -> Database {
    try FileManager.default.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    let database = try StateSchema.open(place.file, patience: 1000)
    var queue = PlayQueue((0..<9).map { entry($0) })
    queue.shuffle(seed: 1, by: .album)
    queue.remove([1])
    queue.move([2], to: 5)
    queue.undo()
    var rows = QueueRows()
    _ = try rows.read(database)
    try rows.write(queue.state, in: database)
    return database
  }

  /// All that is done with a queue, and its writing.
  private func use(_ database: Database) throws {
    var rows = QueueRows()
    let state = try #require(try rows.read(database))
    var queue = PlayQueue(state)
    queue.redo()
    queue.undo()
    queue.undo()
    queue.add([entry(20), entry(21)])
    queue.insertNext([entry(22)])
    queue.remove([0])
    queue.repeatMode = .all
    for _ in 0..<30 { queue.pass(to: queue.indexAfterSkip) }
    queue.shuffle(seed: 2, by: .track)
    queue.shuffle(seed: 3, by: .album)
    for _ in 0..<30 { queue.pass(to: queue.indexAfterSkip) }
    while queue.undo() != nil {}
    while queue.redo() != nil {}
    let last = queue.state
    try rows.write(last, in: database)
    var fresh = QueueRows()
    #expect(try fresh.read(database)?.queue.entries.count == last.queue.entries.count)
  }

  @Test(arguments: [Int64.max, .min, -1, 1 << 48, Int64(UInt32.max)])
  func `facts of a queue that are no counts are counted from the beginning`(
    _ number: Int64
  ) throws {
    for name in ["serial", "round", "epoch", "place", "next", "current", "promised", "chance"] {
      let place = try Place()
      let database = try filled(place)
      try database.run(
        "INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", .text("queue." + name),
        .integer(number))
      try use(database)
    }
  }

  @Test(arguments: [Int64.max, .min, -1, 1 << 48])
  func `edits with a number that is none are out of reach`(_ number: Int64) throws {
    let place = try Place()
    let database = try filled(place)
    try database.run(
      "UPDATE edit SET serial = ? WHERE serial = (SELECT max(serial) FROM edit)", .integer(number))
    try use(database)
  }

  @Test(arguments: [Int.max, .min, -1, 1 << 48])
  func `albums with a number that is none are no albums`(_ number: Int) throws {
    let place = try Place()
    let database = try filled(place)
    var writer = ByteWriter()
    writer.add((0..<9).map { EntryID(UInt32($0)) })
    for _ in 0..<9 { writer.add(number) }
    try database.run(
      "INSERT OR REPLACE INTO list(name, ids) VALUES('albums', ?)", .bytes(writer.bytes))
    try use(database)
  }

  @Test func `the last name that there is can be an entry's`() throws {
    let place = try Place()
    let database = try filled(place)
    try database.run("UPDATE entry SET id = 4294967295 WHERE id = 0")
    var writer = ByteWriter()
    writer.add([EntryID(.max)] + (1..<9).map { EntryID(UInt32($0)) })
    try database.run(
      "INSERT OR REPLACE INTO list(name, ids) VALUES('queue', ?)", .bytes(writer.bytes))
    try use(database)
  }

  @Test func `a queue takes any state`() {
    for number in [Int.max, .min, -1] {
      var queue = PlayQueue((0..<5).map { entry($0) })
      queue.shuffle(seed: 1, by: .album)
      queue.remove([0])
      var state = queue.state
      state.serial = number
      state.order.round = number
      state.place = number
      state.nextID = .max
      state.order.albums = state.order.albums?.mapValues { _ in number }
      for index in state.done.indices {
        state.done[index].serial = number
        state.done[index].before?.round = number
        state.done[index].after?.round = number
      }
      var back = PlayQueue(state)
      back.repeatMode = .all
      back.add([entry(7)])
      for _ in 0..<20 { back.pass(to: back.indexAfterSkip) }
      back.shuffle(seed: 2, by: .album)
      #expect(back.undo() != nil)
      #expect(back.entries.count == 4)
    }
  }

  @Test func `a file of the year 2300 has an identity`() throws {
    let place = try Place()
    let location = try place.music("late.flac")
    let late = timespec(tv_sec: 10_413_792_000, tv_nsec: 5)
    let times = [late, late]
    try #require(
      times.withUnsafeBufferPointer {
        utimensat(AT_FDCWD, String(decoding: location.path, as: UTF8.self), $0.baseAddress, 0)
      } == 0)
    let identity = try #require(FileIdentity(location.path))
    #expect(identity.size == 5)
    #expect(identity == FileIdentity(location.path))
  }
}
