import AudioTypes
import Database
import Foundation
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct StateStoreTests {
  private let song = TrackLocation("/music/song.flac")

  @Test func `Settings and the lasting moment are there after a restart`() async throws {
    let place = try Place()
    let first = StateStore.make(place)
    #expect(first.standing == .own && first.moment == nil)
    _ = await first.wholeState()
    first.set("alarm", "07:30")
    first.set("gone", "x")
    first.set("gone", nil)
    first.note(MomentTests.moment(), isLasting: true)
    first.close()
    let second = StateStore.make(place)
    #expect(second.moment == MomentTests.moment())
    let saved = await second.wholeState()
    #expect(saved.settings == ["alarm": "07:30"])
    #expect(saved.moment == MomentTests.moment())
    second.close()
  }

  @Test func `A second one neither reads nor writes, and has its turn when the first is gone`()
    async throws
  {
    let place = try Place()
    var first: StateStore? = StateStore.make(place)
    _ = await first?.wholeState()
    first?.note(MomentTests.moment())
    let second = StateStore.make(place)
    #expect(second.standing == .taken && second.moment == nil)
    second.change(song, .played(at: 1))
    second.note(Moment())
    second.close()
    first?.close()
    first = nil
    let third = StateStore.make(place)
    #expect(third.standing == .own)
    #expect(third.moment == MomentTests.moment())
    _ = await third.wholeState()
    #expect(await third.record(song) == nil)
    third.close()
  }

  @Test func `Where no folder can be made, that is said and nothing is kept`() throws {
    let store = StateStore(folder: Array("/dev/null/x/sotto".utf8)) { _, _ in }
    guard case .refused(let sentence) = store.standing else {
      Issue.record("\(store.standing)")
      return
    }
    #expect(sentence == "/dev/null/x/sotto: Not a directory")
    store.note(Moment())
    store.change(song, .skipped)
    store.close(within: 120)
  }

  @Test
  func `A database that another program holds is read when it is free, and not written before`()
    async throws
  {
    let place = try Place()
    do {
      let store = StateStore.make(place)
      _ = await store.wholeState()
      store.change(song, .played(at: 1))
      store.set("kept", "yes")
      store.close(within: 120)
    }
    let holder = try Database(place.file)
    try holder.execute("BEGIN EXCLUSIVE")
    // In WAL mode readers pass by a writer; who keeps the file to itself holds everybody.
    try holder.execute("COMMIT")
    try holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    try holder.execute("BEGIN EXCLUSIVE")
    try holder.execute("UPDATE history SET skips = skips")
    let heard = Heard()
    let store = StateStore.make(place, heard: heard, patience: 10)
    let steps = AsyncStream<StateStore.Reading> { stream in
      store.read { reading in
        stream.yield(reading)
        if case .saved = reading { stream.finish() }
      }
    }
    var waited = false
    store.change(song, .played(at: 2))
    for await step in steps {
      switch step {
      case .waits(let sentence):
        waited = true
        #expect(sentence == "another program holds it")
        try holder.execute("COMMIT")
        try holder.execute("PRAGMA locking_mode = NORMAL")
        try holder.rows("SELECT count(*) FROM history") { _ in }
      case .saved(let saved): #expect(saved.settings == ["kept": "yes"])
      }
    }
    #expect(waited)
    #expect(await store.record(song)?.plays == 2)
    #expect(heard.sentences.count == 2)
    #expect(heard.sentences.first?.contains("another program holds it") == true)
    #expect(heard.sentences.last?.contains("kept again") == true)
    store.close(within: 120)
  }

  @Test func `A database that somebody removes is made again`() async throws {
    let place = try Place()
    let store = StateStore.make(place)
    _ = await store.wholeState()
    store.change(song, .played(at: 1))
    #expect(await store.record(song)?.plays == 1)
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
      try? FileManager.default.removeItem(atPath: place.file(name))
    }
    store.change(song, .played(at: 2))
    #expect(await store.record(song)?.plays == 1)
    store.close(within: 120)
    #expect(FileManager.default.fileExists(atPath: place.file("state.db")))
  }

  @Test func `A database of a newer sotto is left alone`() async throws {
    let place = try Place()
    do { await StateStore.make(place).wholeStateAndClose() }
    let database = try Database(place.file)
    try database.execute("PRAGMA user_version = 9")
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    store.read { _ in }
    store.change(song, .played(at: 1))
    store.close(within: 120)
    #expect(heard.sentences.count == 1)
    #expect(heard.sentences.first?.contains("newer sotto") == true)
    #expect(try database.integer("SELECT count(*) FROM history") == 0)
  }
}

extension StateStore {
  func wholeStateAndClose() async {
    _ = await wholeState()
    close()
  }
}
