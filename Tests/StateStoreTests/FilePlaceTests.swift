import AudioTypes
import Database
import Foundation
import Synchronization
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct FilePlaceTests {
  private let files = FileManager.default

  /// A file `real/a.flac`, a link `link` to its folder, and a folder beside it.
  private func shelf() throws -> (place: Place, real: TrackLocation) {
    let place = try Place()
    for name in ["real", "beside"] {
      try files.createDirectory(
        atPath: place.path + "/" + name, withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(
      atPath: place.path + "/link", withDestinationPath: place.path + "/real")
    return (place, try place.music("real/a.flac"))
  }

  private func rows(_ place: Place) throws -> [[UInt8]] {
    var paths: [[UInt8]] = []
    try Database(place.file).rows("SELECT path FROM history ORDER BY path") {
      paths.append($0.bytes(0))
    }
    return paths
  }

  @Test func `However a path is spelled, one file has one history`() async throws {
    let (place, real) = try shelf()
    let store = StateStore.make(place)
    _ = await store.wholeState()
    let spellings = [
      real, TrackLocation(place.path + "/link/a.flac"),
      TrackLocation(place.path + "/beside/../real//./a.flac"),
      TrackLocation(place.path + "/link/../link/a.flac"),
    ]
    for (number, spelling) in spellings.enumerated() {
      store.change(spelling, .played(at: Int64(number)))
    }
    store.change(spellings[1], .rated(4))
    store.change(spellings[2], .bookmarked(700))
    for spelling in spellings {
      let record = try #require(await store.record(spelling))
      #expect(record.plays == 4 && record.played == 3)
      #expect(record.rating == 4 && record.bookmark == 700)
    }
    store.close(within: 120)
    #expect(try rows(place) == [RealPath.file(real.path)])
  }

  @Test func `What earlier versions noted under other spellings is found again and added up`()
    async throws
  {
    let (place, real) = try shelf()
    do { await StateStore.make(place).wholeStateAndClose() }
    let identity = try #require(FileIdentity(real.path))
    let database = try Database(place.file)
    func note(_ path: String, plays: Int64, played: Int64, rating: Double?, isLooked: Bool) throws {
      var values: [SQLValue?] = [.bytes(Array(path.utf8)), .integer(plays), .integer(played)]
      values.append(rating.map { .real($0) })
      values += [identity.device, identity.node, identity.size, identity.modified].map {
        isLooked ? .integer($0) : nil
      }
      try database.run(
        """
        INSERT INTO history(path, start, plays, played, rating, device, node, size, modified)
        VALUES(?, 0, ?, ?, ?, ?, ?, ?, ?)
        """, values)
    }
    // By the spelling under which it is asked for, which nobody had looked at; and by what file it is.
    try note(place.path + "/link/a.flac", plays: 3, played: 30, rating: 2, isLooked: false)
    try note(place.path + "/beside/../real/a.flac", plays: 5, played: 50, rating: 5, isLooked: true)
    let store = StateStore.make(place)
    _ = await store.wholeState()
    let link = TrackLocation(place.path + "/link/a.flac")
    let record = try #require(await store.record(link))
    #expect(record.plays == 8 && record.played == 50 && record.rating == 5)
    #expect(await store.record(real) == record)
    store.close(within: 120)
    #expect(try rows(place) == [RealPath.file(real.path)])
  }

  @Test func `A row whose file could not be looked at gets to know it when it is met`()
    async throws
  {
    let place = try Place()
    let store = StateStore.make(place)
    _ = await store.wholeState()
    let song = TrackLocation(place.path + "/a.flac")
    var part = song
    part.start = 100
    store.change(song, .rated(3))
    store.change(part, .rated(4))
    #expect(await store.record(song)?.rating == 3)
    let unknown = "SELECT count(*) FROM history WHERE node IS NULL"
    #expect(try Database(place.file).integer(unknown) == 2)
    // The drive is there again.
    try place.music("a.flac")
    #expect(await store.record(song)?.rating == 3)
    #expect(try Database(place.file).integer(unknown) == 0)
    // So it is known again elsewhere, with all of its tracks.
    try files.moveItem(atPath: place.path + "/a.flac", toPath: place.path + "/b.flac")
    part.path = Array((place.path + "/b.flac").utf8)
    #expect(await store.record(part)?.rating == 4)
    store.close(within: 120)
  }

  @Test func `What is not there now keeps its name, behind a link too`() throws {
    let (place, real) = try shelf()
    let folder = RealPath.folder(Array(place.path.utf8))
    func file(_ path: String) -> [UInt8] { RealPath.file(Array((place.path + path).utf8)) }
    let name = folder + Array("/real/a.flac".utf8)
    #expect(RealPath.file(real.path) == name && file("/link/a.flac") == name)
    // The drive of the folder is away: the link leads nowhere.
    try files.removeItem(atPath: place.path + "/real")
    #expect(file("/link/a.flac") == name)
    #expect(file("/link/../link/./a.flac") == name)
    #expect(file("/nothing/../real/a.flac") == name)
    #expect(file("/nothing/a.flac") == folder + Array("/nothing/a.flac".utf8))
    #expect(RealPath.file(Array("/a.flac".utf8)) == Array("/a.flac".utf8))
    #expect(RealPath.file(Array("http://h/../x".utf8)) == Array("http://h/../x".utf8))
    // One that leads to itself ends.
    try files.createSymbolicLink(
      atPath: place.path + "/real", withDestinationPath: place.path + "/real")
    #expect(file("/real/a.flac").last == UInt8(ascii: "c"))
  }

  @Test func `A link to a file is a file of its own, as in the collection`() async throws {
    let (place, real) = try shelf()
    try files.createSymbolicLink(
      atPath: place.path + "/beside/x.flac", withDestinationPath: place.path + "/real/a.flac")
    let store = StateStore.make(place)
    _ = await store.wholeState()
    store.change(real, .rated(4))
    let link = TrackLocation(place.path + "/beside/x.flac")
    #expect(await store.record(link) == nil)
    #expect(await store.record(real)?.rating == 4)
    store.close(within: 120)
  }

  @Test func `A move that is told behind a link is followed`() throws {
    let (place, real) = try shelf()
    try files.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    let history = try History.open(in: place.bytes)
    try history.change(HistoryKey(real), .rated(4))
    try files.moveItem(
      atPath: place.path + "/real/a.flac", toPath: place.path + "/real/b.flac")
    let move = History.Move(
      sign: 1, from: Array((place.path + "/link/a.flac").utf8),
      to: Array((place.path + "/link/b.flac").utf8))
    #expect(try history.follow([move]) == 1)
    #expect(try rows(place) == [RealPath.file(Array((place.path + "/real/b.flac").utf8))])
  }

  @Test func `A share that does not answer holds neither the store nor other files`() async throws {
    let place = try Place()
    let live = try place.music("live.flac")
    let dead = TrackLocation("/dead/share.flac")
    let gate = DispatchSemaphore(value: 0)
    let asked = Mutex(0)
    let look = FileLook(patience: 0.05) { path, places in
      if path == dead.path {
        asked.withLock { $0 += 1 }
        gate.wait()
      }
      return FileFacts(lookingAt: path, places)
    }
    let store = StateStore(folder: place.bytes, delay: 0.005, look: look) { _, _ in }
    _ = await store.wholeState()
    store.change(dead, .rated(2))
    #expect(await becomes { asked.withLock { $0 } == 1 })
    store.change(live, .played(at: 5))
    store.change(dead, .played(at: 6))
    store.set("after", "yes")
    // Nobody else waits for that disk.
    #expect(await store.record(live)?.plays == 1)
    #expect(await store.record(dead)?.plays == 1)
    let other = try Database(place.file)
    try other.transaction { () throws(DatabaseError) in
      try other.execute("UPDATE history SET skips = skips")
    }
    #expect(try other.integer("SELECT rating FROM history WHERE path = ?", .bytes(dead.path)) == 2)
    // And it is not asked again as long as it owes an answer.
    #expect(asked.withLock { $0 } == 1)
    gate.signal()
    store.close(within: 120)
  }
}
