import AudioTypes
import Database
import Foundation
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase, "libsqlite3 is not installed"))
struct StateDamageTests {
  private func filled(_ place: Place, tracks: Int = 3000) async throws {
    let store = StateStore.make(place)
    _ = await store.wholeState()
    for number in 0..<tracks {
      store.change(TrackLocation("/music/\(number).flac"), .played(at: Int64(number)))
    }
    store.set("kept", "yes")
    store.close(within: 120)
  }

  private func plays(_ place: Place) throws -> Int {
    Int(try Database(place.file).integer("SELECT count(*) FROM history") ?? 0)
  }

  @Test func `What is no database at all is set aside, and said`() async throws {
    let place = try Place()
    try FileManager.default.createDirectory(
      atPath: place.path + "/sotto", withIntermediateDirectories: true)
    for number in 1...2 {
      let rubbish = Data(repeating: UInt8(number), count: 5000)
      try rubbish.write(to: URL(fileURLWithPath: place.file("state.db")))
      let heard = Heard()
      let store = StateStore.make(place, heard: heard)
      let saved = await store.wholeState()
      #expect(saved.settings.isEmpty)
      #expect(heard.sentences.count == 1)
      #expect(
        heard.sentences.first?.hasPrefix("state.db was damaged, and nothing of it could be read; ")
          == true)
      store.close(within: 120)
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: place.file("state.db.damaged-\(number)")))
          == rubbish)
    }
  }

  @Test(arguments: 0..<12)
  func `Of a damaged database what can be read is rescued`(seed: Int) async throws {
    let place = try Place()
    try await filled(place)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: place.file("state.db")))
    let pages = bytes.count / 4096
    #expect(pages > 40)
    // One page of many; the roots of the tables are the first ones.
    let page = 16 + (seed * 7) % (pages - 16)
    for index in page * 4096..<(page + 1) * 4096 { bytes[index] = UInt8(index * 31 & 0xFF) }
    try bytes.write(to: URL(fileURLWithPath: place.file("state.db")))
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    let saved = await store.wholeState()
    // Damage that nobody has come across yet is found when it is written.
    for number in 0..<400 { store.change(TrackLocation("/music/\(number).flac"), .skipped) }
    store.close(within: 120)
    #expect(try Database(place.file).damage() == nil)
    let left = try plays(place)
    #expect(left >= 2700, "page \(page): \(left)")
    let counted = try Database(place.file).integer("SELECT sum(plays) FROM history") ?? 0
    #expect(counted >= 2700, "page \(page): \(counted); \(heard.sentences)")
    #expect(heard.sentences.count == 1)
    _ = saved
  }

  @Test func `A rescue that was ended between is ended by the next start`() async throws {
    let files = FileManager.default
    // The damaged file was set aside, and what was saved not yet in its place.
    let place = try Place()
    try await filled(place, tracks: 10)
    try files.moveItem(atPath: place.file("state.db"), toPath: place.file("state.db.saved"))
    let store = StateStore.make(place)
    #expect(await store.wholeState().settings == ["kept": "yes"])
    store.close(within: 120)
    #expect(try plays(place) == 10)
    #expect(!files.fileExists(atPath: place.file("state.db.saved")))
    // What was being saved is begun anew, and the damaged file is still there.
    let damaged = try Place()
    try await filled(damaged)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: damaged.file("state.db")))
    for index in 20 * 4096..<21 * 4096 { bytes[index] = 7 }
    try bytes.write(to: URL(fileURLWithPath: damaged.file("state.db")))
    try Data("half".utf8).write(to: URL(fileURLWithPath: damaged.file("state.db.rescue")))
    try Data("half".utf8).write(to: URL(fileURLWithPath: damaged.file("state.db.rescue-wal")))
    let heard = Heard()
    let next = StateStore.make(damaged, heard: heard)
    _ = await next.wholeState()
    #expect(await becomes { !heard.sentences.isEmpty })
    next.close()
    #expect(try plays(damaged) >= 2700)
    let left = try files.contentsOfDirectory(atPath: damaged.path + "/sotto")
    #expect(!left.contains { $0.contains("rescue") || $0.contains("saved") }, "\(left)")
  }

  @Test func `A file that was cut off in the middle loses its end and no more`() async throws {
    let place = try Place()
    try await filled(place)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: place.file("state.db")))
    try bytes.prefix(bytes.count * 2 / 3).write(
      to: URL(fileURLWithPath: place.file("state.db")))
    let heard = Heard()
    let store = StateStore.make(place, heard: heard)
    _ = await store.wholeState()
    for number in 0..<400 { store.change(TrackLocation("/music/\(number).flac"), .skipped) }
    store.close(within: 120)
    #expect(heard.sentences.count == 1)
    #expect(try Database(place.file).damage() == nil)
    #expect(try Database(place.file).integer("SELECT sum(plays) FROM history") ?? 0 > 400)
  }
}
