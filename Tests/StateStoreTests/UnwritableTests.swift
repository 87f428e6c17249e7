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
    store.close()
  }

  // MARK: Lost

  private func isThere(_ place: Place, _ name: String) -> Bool {
    files.fileExists(atPath: place.file(name))
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
    store.close()
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
    store.close()
    other.close()
    #expect(await StateStore.make(place).wholeState().settings == ["whose": "other"])
  }
}
