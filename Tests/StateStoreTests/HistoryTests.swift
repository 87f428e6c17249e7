import AudioTypes
import Database
import Foundation
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct HistoryTests {
  private func store(_ place: Place) async -> StateStore {
    let store = StateStore.make(place)
    _ = await store.wholeState()
    return store
  }

  @Test func `Plays, skips, ratings and bookmarks are there after a restart`() async throws {
    let place = try Place()
    let one = try place.music("a.flac")
    var part = one
    part.start = 61.5
    do {
      let store = await store(place)
      store.change(one, .played(at: 1000))
      store.change(one, .played(at: 2000))
      store.change(one, .skipped)
      store.change(one, .rated(3.5))
      store.change(part, .bookmarked(1500))
      store.change(TrackLocation("http://host/stream"), .played(at: 7))
      store.close(within: 120)
    }
    let store = StateStore.make(place)
    let saved = await store.wholeState()
    #expect(saved.bookmarks == [HistoryKey(part): 1500])
    let record = try #require(await store.record(one))
    #expect(record.plays == 2 && record.played == 2000 && record.skips == 1)
    #expect(record.rating == 3.5 && record.bookmark == nil)
    #expect(await store.record(TrackLocation("http://host/stream"))?.plays == 1)
    #expect(await store.record(TrackLocation("/other")) == nil)
    store.change(part, .bookmarked(nil))
    store.change(one, .rated(nil))
    #expect(await store.record(part)?.bookmark == nil)
    #expect(await store.record(one)?.rating == nil)
    store.close(within: 120)
  }

  @Test func `What takes nothing away makes no row`() async throws {
    let place = try Place()
    let store = await store(place)
    store.change(TrackLocation("/a"), .rated(nil))
    store.change(TrackLocation("/a"), .bookmarked(nil))
    #expect(await store.record(TrackLocation("/a")) == nil)
    store.close(within: 120)
  }

  @Test func `A file that was moved is known again, with every track in it`() async throws {
    let place = try Place()
    let old = try place.music("old.flac")
    var part = old
    part.start = 100
    let store = await store(place)
    store.change(old, .played(at: 5))
    store.change(part, .rated(4))
    #expect(await store.record(old)?.plays == 1)
    let new = TrackLocation(place.path + "/new \u{FC}.flac")
    try FileManager.default.moveItem(
      atPath: place.path + "/old.flac", toPath: place.path + "/new \u{FC}.flac")
    // A change finds it, and so does a look.
    store.change(new, .played(at: 9))
    let record = try #require(await store.record(new))
    #expect(record.plays == 2 && record.played == 9)
    part.path = new.path
    #expect(await store.record(part)?.rating == 4)
    #expect(await store.record(old) == nil)
    store.close(within: 120)
  }

  @Test func `A copy is another track as long as the first one is there`() async throws {
    let place = try Place()
    let old = try place.music("old.flac")
    let store = await store(place)
    store.change(old, .played(at: 5))
    #expect(await store.record(old)?.plays == 1)
    try FileManager.default.linkItem(
      atPath: place.path + "/old.flac", toPath: place.path + "/hard.flac")
    let link = TrackLocation(place.path + "/hard.flac")
    #expect(await store.record(link) == nil)
    store.change(link, .played(at: 6))
    #expect(await store.record(link)?.plays == 1)
    #expect(await store.record(old)?.plays == 1)
    store.close(within: 120)
  }

  @Test func `Told of a move, what was heard under both paths is added up`() async throws {
    let place = try Place()
    let store = await store(place)
    let (a, b) = (TrackLocation("/a"), TrackLocation("/b"))
    store.change(a, .played(at: 5))
    store.change(a, .rated(2))
    store.change(a, .bookmarked(77))
    store.change(b, .played(at: 3))
    store.change(b, .rated(5))
    store.change(b, .skipped)
    try store.follow([
      History.Move(sign: 1, from: a.path, to: b.path),
      History.Move(sign: 1, from: b.path, to: b.path),
    ])
    let record = try #require(await store.record(b))
    // The rating of the file that is there now.
    #expect(record.plays == 2 && record.played == 5 && record.rating == 2)
    #expect(record.bookmark == 77 && record.skips == 1)
    #expect(await store.record(a) == nil)
    store.close(within: 120)
    let history = try History.open(in: place.bytes)
    #expect(try history.follow([History.Move(sign: 2, from: b.path, to: a.path)]) == 1)
    #expect(try history.record(HistoryKey(a))?.plays == 2)
  }

  @Test func `Files that exchange their places keep what is known of each`() async throws {
    let place = try Place()
    let store = await store(place)
    let paths = ["/a", "/b", "/c"].map { TrackLocation($0) }
    for (number, path) in paths.enumerated() { store.change(path, .rated(Double(number + 1))) }
    let moves = (0..<3).map {
      History.Move(sign: 7, from: paths[$0].path, to: paths[($0 + 1) % 3].path)
    }
    // Told twice, as by one who was killed before he could note that it is done.
    for _ in 0..<2 { try store.follow(moves) }
    #expect(await store.record(paths[0])?.rating == 3)
    #expect(await store.record(paths[1])?.rating == 1)
    #expect(await store.record(paths[2])?.rating == 2)
    // And what came after it is done.
    try store.follow(moves + [History.Move(sign: 8, from: Array("/a".utf8), to: Array("/d".utf8))])
    #expect(await store.record(TrackLocation("/d"))?.rating == 3)
    #expect(await store.record(paths[1])?.rating == 1)
    store.close(within: 120)
    // Nobody writes into a store that is closed.
    #expect(throws: DatabaseError.self) { try store.follow(moves) }
  }

  @Test func `A move that is told late leaves alone what has come to the old place since`()
    async throws
  {
    let place = try Place()
    let one = try place.music("one.flac")
    let store = await store(place)
    store.change(one, .rated(4))
    #expect(await store.record(one)?.rating == 4)
    let two = TrackLocation(place.path + "/two.flac")
    try FileManager.default.moveItem(
      atPath: place.path + "/one.flac", toPath: place.path + "/two.flac")
    #expect(await store.record(two)?.rating == 4)
    // Another file under the first name is heard before anybody looks through the folder.
    try place.music("one.flac", "another one")
    store.change(one, .rated(1))
    try store.follow([History.Move(sign: 1, from: one.path, to: two.path)])
    #expect(await store.record(one)?.rating == 1)
    #expect(await store.record(two)?.rating == 4)
    store.close(within: 120)
  }

  @Test func `One file has one name, however its path is written`() {
    let key = HistoryKey(TrackLocation("/a//b/./c.flac"))
    #expect(key.path == Array("/a/b/c.flac".utf8))
    #expect(HistoryKey(TrackLocation("x.flac")).path.first == 0x2F)
    #expect(HistoryKey(TrackLocation("/a/../b")).path == Array("/a/../b".utf8))
    #expect(HistoryKey(TrackLocation("http://h//x")).path == Array("http://h//x".utf8))
  }

  @Test func `Names that are not UTF-8 are kept byte for byte`() async throws {
    let place = try Place()
    let odd = TrackLocation(path: [0x2F, 0xFF, 0xFE, 0x27])
    let store = await store(place)
    store.change(odd, .bookmarked(3))
    store.close(within: 120)
    let saved = await StateStore.make(place).wholeState()
    #expect(saved.bookmarks[HistoryKey(odd)] == 3)
  }
}
