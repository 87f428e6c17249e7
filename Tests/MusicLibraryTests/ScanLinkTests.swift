import Database
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// Files that several paths lead to are known once, whatever part of the collection is scanned.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct ScanLinkTests {
  private let here: ScannedFolder

  init() throws { here = try ScannedFolder() }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: here.path(name), withDestinationPath: target)
  }

  /// What is there, as far as is known.
  private func present() throws -> [String: [Int]] {
    try here.rows().filter { !$0.value.isMissing }.mapValues(\.lengths)
  }

  @Test func `a link to the folder above doubles nothing, whatever part is scanned`() throws {
    try here.write("A/a.wav")
    try here.write("B/C/b.wav", seconds: 2)
    try here.write("other.wav", seconds: 3)
    try link("A/up", to: "..")
    try link("B/C/up", to: "../..")
    let all = [here.path("A"), here.path("B")]
    let expected = ["A/a.wav": [1], "B/C/b.wav": [2], "A/up/other.wav": [3]]
    for part in [[0], [1], [0, 1], [1, 0], [0], [1]] {
      try here.scan(part.map { all[$0] }, of: all)
    }
    #expect(try present() == expected)
    #expect(try here.rows().count == 3)
    let summary = try here.scan(all, of: all)
    #expect(summary.moved + summary.missing + summary.added + summary.changed == 0)
  }

  @Test func `a folder behind two links stays where it was found first`() throws {
    try here.write("A/a.wav")
    try here.write("B/b.wav", seconds: 2)
    try here.write("outside/deep/o.wav", seconds: 3)
    try link("A/out", to: "../outside")
    try link("B/out", to: "../outside/deep")
    let all = [here.path("A"), here.path("B")]
    try here.scan([all[1]], of: all)
    #expect(try present() == ["B/b.wav": [2], "B/out/o.wav": [3]])
    let before = try here.rows()
    for part in [[0], [0, 1], [1], [0]] { try here.scan(part.map { all[$0] }, of: all) }
    #expect(try present() == ["A/a.wav": [1], "B/b.wav": [2], "B/out/o.wav": [3]])
    #expect(try here.rows()["B/out/o.wav"] == before["B/out/o.wav"])
    // Without that link it is found behind the other one, under its number.
    try #require(unlink(here.path("B/out")) == 0)
    try here.scan(all, of: all)
    try here.scan(all, of: all)
    #expect(try present() == ["A/a.wav": [1], "B/b.wav": [2], "A/out/deep/o.wav": [3]])
    #expect(try here.rows()["A/out/deep/o.wav"]?.id == before["B/out/o.wav"]?.id)
  }

  @Test func `what is found behind a link moves when its own folder is named`() throws {
    try here.write("A/a.wav")
    try here.write("outside/o.wav", seconds: 2)
    try link("A/out", to: "../outside")
    try here.scan([here.path("A")])
    let before = try here.rows()
    #expect(Set(before.keys) == ["A/a.wav", "A/out/o.wav"])
    let all = [here.path("A"), here.path("outside")]
    let summary = try here.scan([all[1]], of: all)
    #expect(summary.moved == 1)
    #expect(summary.added == 0)
    for _ in 0..<2 { try here.scan(all, of: all) }
    let after = try here.rows()
    #expect(Set(after.keys) == ["A/a.wav", "outside/o.wav"])
    #expect(after["outside/o.wav"]?.id == before["A/out/o.wav"]?.id)
  }

  @Test func `a named folder that is a link into another one is found there`() throws {
    try here.write("music/sub/a.wav")
    try link("short", to: "music/sub")
    let all = [here.path("music"), here.path("short")]
    for part in [[1], [0], [0, 1], [1]] { try here.scan(part.map { all[$0] }, of: all) }
    #expect(try here.contents() == ["music/sub/a.wav": [1]])
    // A hidden folder is not found from above: who names it wants it.
    try here.write("music/.hidden/h.wav", seconds: 2)
    let more = all + [here.path("music/.hidden")]
    try here.scan(more, of: more)
    try here.scan(all, of: more)
    #expect(try present() == ["music/sub/a.wav": [1], "music/.hidden/h.wav": [2]])
  }

  @Test func `many names of one file are each looked at once when all are renamed`() throws {
    try here.write("first/0.wav")
    for number in 1..<2000 {
      try #require(Glibc.link(here.path("first/0.wav"), here.path("first/\(number).wav")) == 0)
    }
    try here.scan()
    let before = Set(try here.rows().values.map(\.id))
    try here.move("first", "second")
    for number in 0..<2000 {
      try here.move("second/\(number).wav", "second/renamed \(number).wav")
    }
    let summary = try here.scan()
    #expect(summary.moved == 2000)
    #expect(summary.missing + summary.added == 0)
    #expect(Set(try here.rows().values.map(\.id)) == before)
    #expect(here.looks <= 4000)
    // More names, while the others stay.
    for number in 0..<2000 {
      let name = here.path("second/renamed \(number).wav")
      try #require(Glibc.link(name, here.path("second/more \(number).wav")) == 0)
    }
    #expect(try here.scan().added == 2000)
    #expect(here.looks <= 4000)
  }
}

/// Places, without a disk.
@Suite struct ScanPlaceTests {
  private let links = ["/m/l": "/o", "/n": "/m/n", "/m/two": "/o/in"]

  private func places(_ named: [String], _ known: [String] = []) -> ScanPlaces {
    ScanPlaces(
      named: named.map { Array($0.utf8) }, known: known.map { Array($0.utf8) },
      real: {
        Array(
          (links[String(decoding: $0, as: UTF8.self)] ?? String(decoding: $0, as: UTF8.self)).utf8)
      })
  }

  private func place(_ places: ScanPlaces, _ real: String) -> String? {
    places.place(of: Array(real.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `What lies in a named folder is found there, and what is hidden is not`() {
    let places = places(["/m", "/m/.h", "/n"])
    #expect(place(places, "/m/a/b") == "/m/a/b")
    #expect(place(places, "/m/n/x") == "/m/n/x")
    #expect(place(places, "/m/.h/x") == "/m/.h/x")
    #expect(place(places, "/m/.g/x") == nil)
    #expect(place(places, "/mm") == nil)
    #expect(place(self.places(["/"]), "/a/b") == "/a/b")
  }

  @Test
  func `What lies elsewhere is found behind the first link, and the inner link is the nearer`() {
    var places = places(["/m"], ["/m/two"])
    #expect(place(places, "/o/in/x") == "/m/two/x")
    #expect(place(places, "/o/x") == nil)
    let enters = places.enters(link: Array("/m/l".utf8), to: Array("/o".utf8))
    #expect(enters)
    #expect(place(places, "/o/x") == "/m/l/x")
    #expect(place(places, "/o/in/x") == "/m/two/x")
    let again = places.enters(link: Array("/m/third".utf8), to: Array("/o".utf8))
    #expect(!again)
  }

  @Test func `A link is forgotten that leads into a named folder or out of none`() {
    #expect(places(["/m", "/o"], ["/m/l"]).links.isEmpty)
    #expect(places(["/other"], ["/m/l"]).links.isEmpty)
    #expect(places(["/m"], ["/m/l"]).links.count == 1)
  }
}
