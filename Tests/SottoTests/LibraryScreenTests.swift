import Database
import Foundation
import MusicLibrary
import Tags
import TestSupport
import Testing

/// The collection on the full screen of the built program, on a real terminal.
@Suite(
  .enabled(if: Tool.isIntegration && Database.isAvailable), .serialized, .timeLimit(.minutes(15)))
struct LibraryScreenTests {
  /// Songs of a minute, in an index: the pane's own, whose files are there.
  private func fill(_ folder: Folder) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    let index = try LibraryIndex(Database(Array((folder.path + "/sotto/library.db").utf8)))
    let music = folder.path + "/music"
    try index.add(root: Array(music.utf8))
    let place = try index.folder(Array(music.utf8))
    try index.transaction { () throws(DatabaseError) in
      for number in 1...200 {
        var track = TrackRecord()
        track.title = "Title \(number)"
        track.artists = [number <= 3 ? "Björk" : "Somebody"]
        track.album = "Album"
        track.track = number
        track.duration = 60
        let file = try index.put(
          file: Array("song \(number).wav".utf8), in: place,
          FileIdentity(device: 1, node: Int64(number), size: 1, modified: 1), at: 1)
        try index.replace(tracks: [track], of: file)
      }
    }
  }

  private func pane(_ folder: Folder) throws -> Pane {
    // What the index says is not in the files: it is not compared with them.
    let settings = folder.path + "/settings"
    try Data("library-watch = off\n".utf8).write(to: URL(filePath: settings))
    return try Pane(
      "play --output null --config \(settings)", before: "XDG_STATE_HOME=\(folder.path)",
      columns: 110, rows: 30,
      folder: folder)
  }

  @Test func `One letter after another finds a track, and enter plays it`() throws {
    let folder = try Folder()
    try fill(folder)
    let pane = try pane(folder)
    try pane.shows("song 1", "playing")
    try pane.type("8")
    try pane.shows("Album artists", "200 tracks")
    try pane.type("/bjork")
    try pane.shows("3 of 200", "Title 2", "Björk", absent: ["Somebody"])
    try pane.type(" title:2\r")
    try pane.shows("1 of 200", "Title 2", absent: ["Title 1"])
    try pane.type("\r")
    // The file has no tags of its own.
    try pane.shows("► playing", "song 2.wav", "Playing 1 track")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `What the index knows of files in the queue is shown without reading them`() throws {
    let folder = try Folder()
    let music = folder.path + "/music"
    try FileManager.default.createDirectory(atPath: music, withIntermediateDirectories: true)
    for number in 1...5 { try folder.write("music/song \(number).wav", wav(seconds: 60)) }
    try fill(folder)
    let index = try LibraryIndex(Database(Array((folder.path + "/sotto/library.db").utf8)))
    let place = try index.folder(Array(music.utf8))
    // The last one has changed since.
    for number in 1...4 {
      var facts = stat()
      try #require(stat("\(music)/song \(number).wav", &facts) == 0)
      try index.put(
        file: Array("song \(number).wav".utf8), in: place,
        FileIdentity(
          device: 1, node: 1, size: Int64(facts.st_size),
          modified: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)),
        at: 1)
    }
    let settings = folder.path + "/settings"
    try Data("library-watch = off\n".utf8).write(to: URL(filePath: settings))
    let pane = try Pane(
      "play --output null --config \(settings)", before: "XDG_STATE_HOME=\(folder.path)",
      files: 0, columns: 110, rows: 30, folder: folder)
    // Nothing in the files says so.
    try pane.shows("Title 2", "Title 3", "Title 4", "Somebody", "song 5", absent: ["Title 5"])
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `A long list is scrolled to its end, and an album is queued whole`() throws {
    let folder = try Folder()
    try fill(folder)
    let pane = try pane(folder)
    try pane.shows("song 1", "playing")
    try pane.type("8")
    try pane.shows("All tracks", "200 tracks")
    try pane.type("G\r")
    try pane.shows("All tracks, 200 tracks", "Title 1")
    try pane.type("G")
    try pane.shows("Title 200", "Title 199")
    // Back to the views, artists, the first of them, its albums.
    try pane.type("\u{7F}")
    try pane.shows("What the collection has")
    try pane.type("gj\r")
    try pane.shows("Björk", "3 tracks")
    try pane.type("\r")
    try pane.shows("Artists / Björk", "Album")
    try pane.type("e2")
    try pane.shows("6 tracks", "Title 3")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `An empty collection says how to fill it, and is shown when it is`() throws {
    let folder = try Folder()
    let pane = try pane(folder)
    try pane.shows("song 1", "playing")
    try pane.type("8")
    try pane.shows("The collection is empty", "sotto scan DIR")
    try fill(folder)
    try pane.type("j")
    try pane.shows("200 tracks", absent: ["sotto scan DIR"])
    try pane.type("q")
    try pane.shows("status 0", "same")
  }
}
