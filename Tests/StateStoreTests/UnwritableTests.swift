import AudioTypes
import Database
import Foundation
import PlayQueue
import Synchronization
import TestSupport
import Testing

@testable import StateStore

/// State that lies where nothing can be written for a while, and state that was lost.
@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct UnwritableTests {
  private let files = FileManager.default
  private let song = TrackLocation("/music/song.flac")

  private func queue(_ count: Int) -> PlayQueue {
    var queue = PlayQueue()
    queue.append((0..<count).map { QueueEntry(TrackLocation("/music/\($0).flac")) })
    return queue
  }

  /// A store with three tracks, a rating, a setting and a moment, which was closed.
  private func fill(_ place: Place) async {
    let store = StateStore.make(place)
    _ = await store.wholeState()
    let queue = queue(3)
    store.keep { queue }
    store.queueChanged()
    store.change(song, .rated(4))
    store.set("kept", "yes")
    store.note(MomentTests.moment())
    store.close(within: 120)
  }

  @Test(.enabled(if: UnwritableFolder.isPossible))
  func `What is kept where nothing can be written is read, and kept again when that is over`()
    async throws
  {
    let place = try Place()
    await fill(place)
    let lock = try UnwritableFolder(place.path + "/sotto")
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    #expect(store.standing == .own && store.isFilled)
    #expect(store.moment == MomentTests.moment())
    let readings = Mutex<[SavedState]>([])
    store.read { reading in
      if case .saved(let saved) = reading { readings.withLock { $0.append(saved) } }
    }
    #expect(await becomes { !readings.withLock(\.isEmpty) })
    let saved = readings.withLock { $0[0] }
    #expect(saved.queue == queue(3).state && saved.settings == ["kept": "yes"])
    #expect(await store.record(song)?.rating == 4)
    // What is done now is kept in memory.
    let longer = queue(5)
    store.keep { longer }
    store.queueChanged()
    store.change(song, .rated(2))
    var moment = MomentTests.moment()
    moment.position = 77
    store.note(moment)
    #expect(await becomes { heard.sentences.count == 1 })
    #expect(
      heard.sentences[0].hasSuffix("; what you do is not kept until that is over"),
      "\(heard.sentences)")
    let reason = geteuid() == 0 ? "Read-only file system" : "Permission denied"
    #expect(heard.sentences[0].contains(reason), "\(heard.sentences)")
    try lock.makeWritable()
    #expect(await becomes { heard.sentences.count == 2 })
    #expect(heard.sentences[1].hasSuffix("what you do is kept again"))
    #expect(await becomes { await store.record(song)?.rating == 2 })
    // The same is not told a second time.
    #expect(readings.withLock { $0.count } == 1)
    store.close(within: 120)
    lock.open()
    let next = StateStore.make(place)
    #expect(next.moment == moment)
    #expect(await next.wholeState().queue == longer.state)
    next.close()
  }

  /// What a process that was killed leaves: a log that was not written into the file.
  private func leaveLog(_ place: Place, hasIndex: Bool) async throws {
    let other = try Place()
    await fill(other)
    let reader = try Database(other.file)
    #expect(try reader.integer("SELECT count(*) FROM history") == 1)
    let store = StateStore.make(other)
    _ = await store.wholeState()
    store.set("kept", "in the log")
    #expect(
      try await becomes {
        try reader.text("SELECT value FROM fact WHERE name = 'setting.kept'") == "in the log"
      })
    try files.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    for name in ["state.db", "state.db-wal", "state.db-shm"] where hasIndex || !name.hasSuffix("m")
    {
      try files.copyItem(atPath: other.file(name), toPath: place.file(name))
    }
    store.close(within: 120)
  }

  @Test(.enabled(if: UnwritableFolder.isPossible))
  func `What waits in the log of one that was killed is read too, or it is said that it is not`()
    async throws
  {
    let place = try Place()
    try await leaveLog(place, hasIndex: true)
    let lock = try UnwritableFolder(place.path + "/sotto")
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    #expect(await store.wholeState().settings == ["kept": "in the log"])
    store.set("more", "yes")
    #expect(await becomes { heard.sentences.count == 1 })
    try lock.makeWritable()
    #expect(await becomes { heard.sentences.count == 2 })
    store.close(within: 120)
    lock.open()
    let saved = await StateStore.make(place).wholeState()
    #expect(saved.settings == ["kept": "in the log", "more": "yes"])

    let bare = try Place()
    try await leaveLog(bare, hasIndex: false)
    let second = try UnwritableFolder(bare.path + "/sotto")
    let later = StateStore.make(bare)
    let steps = Mutex<[String]>([])
    later.read { reading in
      switch reading {
      case .waits(let sentence): steps.withLock { $0.append(sentence) }
      case .saved(let saved): steps.withLock { $0.append(saved.settings["kept"] ?? "") }
      }
    }
    #expect(await becomes { steps.withLock { $0.count } == 1 })
    #expect(steps.withLock { $0[0] } != "")
    try second.makeWritable()
    #expect(await becomes { steps.withLock { $0.count } == 2 })
    #expect(steps.withLock { $0[1] } == "in the log")
    later.close()
    second.open()
  }

  @Test(.enabled(if: Tool.isIntegration))
  func `With a full disk at the start what is kept is read, and nothing of it is lost`() throws {
    let place = try Place()
    let first = try StateKillTests.Child(place, seed: 3, acts: 40, killAfter: nil, delay: 0.003)
    #expect(first.status == 0)
    let full = try StateKillTests.Child(
      place, seed: 4, acts: 20, killAfter: nil, delay: 0.003, bytes: 0)
    #expect(full.status == 0)
    #expect(full.lines.contains("saved 40"), "\(full.lines.prefix(3))")
    #expect(full.lines.filter { $0.hasPrefix("fault ") }.count == 1)
    let next = try StateKillTests.Child(place, seed: 5, acts: 1, killAfter: nil, delay: 0.003)
    #expect(next.lines.contains("saved 40"))
    #expect(!next.lines.contains { $0.hasPrefix("fault ") })
  }

  // MARK: Lost

  private func isThere(_ place: Place, _ name: String) -> Bool {
    files.fileExists(atPath: place.file(name))
  }

  @Test func `A state without a byte is said to be lost`() async throws {
    let place = try Place()
    await fill(place)
    try Data().write(to: URL(fileURLWithPath: place.file("state.db")))
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    #expect(await store.wholeState() == SavedState())
    #expect(store.moment == MomentTests.moment())
    #expect(
      heard.sentences == [
        "state.db was empty, as a file system leaves it that has lost its last minutes: level, view"
          + " and alarm are known, the queue, counts and ratings are lost"
      ])
    store.set("kept", "anew")
    store.close(within: 120)
    // Once; and one that was never there was not lost.
    let again = Heard()
    let next = StateStore.make(place, heard: again)
    #expect(await next.wholeState().settings == ["kept": "anew"])
    next.close()
    await StateStore.make(try Place(), heard: again).wholeStateAndClose()
    #expect(again.sentences == [])
  }

  @Test func `In the place of a state without a byte comes what was saved of it before`()
    async throws
  {
    let place = try Place()
    await fill(place)
    try files.moveItem(atPath: place.file("state.db"), toPath: place.file("state.db.saved"))
    try Data().write(to: URL(fileURLWithPath: place.file("state.db")))
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    #expect(await store.wholeState().queue == queue(3).state)
    #expect(heard.sentences.count == 1)
    #expect(heard.sentences.first?.hasSuffix("has taken its place") == true)
    #expect(!isThere(place, "state.db.saved"))
    store.close(within: 120)
  }

  @Test func `A state without a byte is taken from its log, where that is there`() async throws {
    let place = try Place()
    try await leaveLog(place, hasIndex: false)
    try Data().write(to: URL(fileURLWithPath: place.file("state.db")))
    // One to which nothing was ever written but the log.
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    let saved = await store.wholeState()
    #expect(saved.settings["kept"] == "in the log", "\(heard.sentences)")
    #expect(heard.sentences.count == 1)
    store.close(within: 120)
  }

  @Test func `A folder that is taken away is made again with its lock and the whole queue`()
    async throws
  {
    let place = try Place()
    await fill(place)
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    _ = await store.wholeState()
    let queue = queue(3)
    store.keep { queue }
    try files.removeItem(atPath: place.path + "/sotto")
    // What moves by itself is enough.
    store.note(MomentTests.moment())
    #expect(await becomes { isThere(place, "lock") && isThere(place, "state.db") })
    #expect(StateStore.make(place).standing == .taken)
    store.note(MomentTests.moment())
    store.close(within: 120)
    #expect(heard.sentences == [])
    let next = StateStore.make(place)
    #expect(next.standing == .own && next.moment == MomentTests.moment())
    #expect(await next.wholeState().queue == queue.state)
    next.close()
  }

  @Test func `A folder that another one has made anew is left to it`() async throws {
    let place = try Place()
    await fill(place)
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    _ = await store.wholeState()
    try files.removeItem(atPath: place.path + "/sotto")
    let other = StateStore.make(place)
    #expect(other.standing == .own)
    _ = await other.wholeState()
    other.set("whose", "other")
    #expect(
      try await becomes {
        try Database(place.file).integer("SELECT 1 FROM fact WHERE name = 'setting.whose'") == 1
      })
    store.set("whose", "first")
    #expect(await becomes { heard.sentences.count == 1 })
    #expect(heard.sentences.first?.contains("another sotto has made it anew") == true)
    store.close(within: 120)
    other.close()
    #expect(await StateStore.make(place).wholeState().settings == ["whose": "other"])
  }
}
