import Database
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// What a scan notes of files at other places, for those who keep something by a path.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed")) struct MovedFileTests {
  private func moves(_ place: ScannedFolder) throws -> [String: String] {
    let root = place.music.utf8.count + 1
    let found = try place.open().moves().map { move in
      (
        String(decoding: move.old.dropFirst(root), as: UTF8.self),
        String(decoding: move.new.dropFirst(root), as: UTF8.self)
      )
    }
    return Dictionary(found) { $1 }
  }

  @Test func `A moved file is noted with its new place until somebody has followed it`() throws {
    let place = try ScannedFolder()
    try place.write("a/one.wav", seconds: 1)
    try place.write("a/two.wav", seconds: 2)
    try place.scan()
    #expect(try moves(place) == [:])
    try place.move("a/one.wav", "a/other.wav")
    #expect(try place.scan().moved == 1)
    #expect(try moves(place) == ["a/one.wav": "a/other.wav"])
    // Nobody has followed it; the next scan notes what comes after it.
    try place.move("a", "b")
    #expect(try place.scan().moved == 2)
    let index = try place.open()
    let found = try index.moves()
    #expect(found.count == 3 && found[0].scan != found[1].scan && found[1].scan == found[2].scan)
    try index.forget(Array(found[..<1]))
    #expect(
      try moves(place) == ["a/other.wav": "b/other.wav", "a/two.wav": "b/two.wav"])
    try index.forget(try index.moves())
    #expect(try moves(place) == [:])
    #expect(try place.scan().moved == 0)
    #expect(try moves(place) == [:])
  }

  @Test func `Files that have exchanged their names are noted with the places that they had`()
    throws
  {
    let place = try ScannedFolder()
    for (number, name) in ["1.wav", "2.wav", "3.wav"].enumerated() {
      try place.write(name, seconds: number + 1)
    }
    try place.scan()
    try place.move("1.wav", "x")
    try place.move("2.wav", "1.wav")
    try place.move("3.wav", "2.wav")
    try place.move("x", "3.wav")
    #expect(try place.scan().moved == 3)
    #expect(try moves(place) == ["1.wav": "3.wav", "2.wav": "1.wav", "3.wav": "2.wav"])
    #expect(Set(try place.open().moves().map(\.scan)).count == 1)
  }
}
