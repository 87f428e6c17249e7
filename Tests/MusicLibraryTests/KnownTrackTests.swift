import AudioTypes
import Database
import Foundation
import Tags
import TestSupport
import Testing

@testable import MusicLibrary

/// What the index says of files that others name.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct KnownTrackTests {
  private let here: ScannedFolder
  private let known: KnownTracks

  init() throws {
    here = try ScannedFolder()
    known = KnownTracks(index: Array(here.database.utf8), in: Array(here.music.utf8))
    try here.write("a.wav")
    try here.write("disc.wav", seconds: 10)
    try here.scan()
    let index = try here.open()
    try index.transaction { () throws(DatabaseError) in
      let folder = try index.folder(Array(here.music.utf8))
      for file in try index.files(in: folder) {
        let isDisc = file.name == Array("disc.wav".utf8)
        let starts: [(Double, Double?)] = isDisc ? [(0, 4), (4, nil)] : [(0, nil)]
        try index.replace(
          tracks: starts.map { start, end in
            var track = TrackRecord()
            (track.start, track.end) = (start, end)
            track.title = "from \(start)"
            track.artists = ["One", "Two"]
            track.album = "Album"
            track.albumArtists = ["Both"]
            track.duration = 3
            return track
          }, of: file.id)
      }
    }
    known.refresh()
  }

  private func track(
    _ name: String, start: Double = 0, end: Double? = nil
  ) -> KnownTracks.Track? {
    known.track(at: TrackLocation(path: Array(name.utf8), start: start, end: end))
  }

  @Test func `A file is known by its whole path and from the working folder`() {
    let expected = KnownTracks.Track(
      title: "from 0.0", artist: "One, Two", album: "Album", albumArtist: "Both", duration: 3)
    #expect(track(here.path("a.wav")) == expected)
    #expect(track("./a.wav") == expected)
    #expect(track("//" + here.path("a.wav")) == expected)
    #expect(track("b.wav") == nil)
    #expect(track("/") == nil)
    #expect(track("") == nil)
    #expect(known.track(at: TrackLocation("http://example.org/a.wav")) == nil)
  }

  @Test func `A part is known by where it begins and ends, and is not the whole file`() {
    #expect(track("disc.wav", start: 0, end: 4)?.title == "from 0.0")
    #expect(track("disc.wav", start: 4)?.title == "from 4.0")
    #expect(track("disc.wav") == nil)
    #expect(track("disc.wav", start: 5) == nil)
  }

  @Test func `Of a file that has changed since it was read nothing is known`() throws {
    try here.write("a.wav", seconds: 2)
    #expect(track("a.wav") == nil)
    try #require(unlink(here.path("a.wav")) == 0)
    #expect(track("a.wav") == nil)
  }

  @Test func `An index that comes, goes or is damaged is no fault`() throws {
    let path = here.folder.file("later.db")
    let later = KnownTracks(index: Array(path.utf8), in: [])
    let location = TrackLocation(path: Array(here.path("a.wav").utf8))
    later.refresh()
    #expect(later.track(at: location) == nil)
    try here.open().database.execute("VACUUM INTO '\(path)'")
    later.refresh()
    #expect(later.track(at: location)?.title == "from 0.0")
    try #require(unlink(path) == 0)
    try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: path))
    later.refresh()
    #expect(later.track(at: location) == nil)
    KnownTracks(index: nil, in: []).refresh()
  }
}
