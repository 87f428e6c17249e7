import Database
import Foundation
import JSONText
import MusicLibrary
import PlayerState
import Tags
import TerminalModel
import TestSupport
import Testing

@testable import sotto

/// `sotto search` and what plays a search, over an index that the tests make.
@Suite(.timeLimit(.minutes(15)), .enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct SearchCommandTests {
  private let folder: Folder
  private var environment: [String: String] { ["XDG_STATE_HOME": folder.path] }

  init() throws { folder = try Folder() }

  /// An index with three tracks, whose files are there.
  private func makeIndex() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    let index = try LibraryIndex(Database(Array((folder.path + "/sotto/library.db").utf8)))
    let place = try index.folder(Array(folder.path.utf8))
    try index.add(root: Array(folder.path.utf8))
    func put(_ name: String, _ fill: (inout TrackRecord) -> Void) throws {
      try folder.write(name)
      var track = TrackRecord()
      track.duration = 1
      track.codec = "pcm_s16le"
      fill(&track)
      let file = try index.put(
        file: Array(name.utf8), in: place,
        FileIdentity(device: 1, node: Int64(name.utf8.count), size: 1, modified: 1),
        at: 1_700_000_000)
      try index.replace(tracks: [track], of: file)
    }
    try put("a.wav") {
      $0.title = "Army of Me"
      $0.artists = ["Björk"]
      $0.album = "Post"
      $0.date = "1995"
      $0.duration = 234
    }
    try put("bb.wav") {
      $0.title = "Hyperballad\u{1B}[2J"
      $0.artists = ["Björk"]
      $0.album = "Post"
      $0.track = 2
      $0.date = "1995"
    }
    try put("ccc.wav") {
      $0.title = "戦場のメリークリスマス"
      $0.artists = ["坂本龍一"]
      $0.date = "1983"
    }
  }

  private func search(_ arguments: String...) throws -> Run {
    try Run((["search"] + arguments).map { Array($0.utf8) }, environment: environment)
  }

  @Test(.enabled(if: UnwritableFolder.isPossible))
  func `The collection is searched also where nothing can be written`() throws {
    try makeIndex()
    let lock = try UnwritableFolder(folder.path + "/sotto")
    let run = try search("bjork")
    lock.open()
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.text == "\(folder.path)/bb.wav\n\(folder.path)/a.wav\n")
  }

  @Test func `Programs get paths, a line each, in the order that was asked for`() throws {
    try makeIndex()
    let run = try search("bjork")
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.text == "\(folder.path)/bb.wav\n\(folder.path)/a.wav\n")
    #expect(try search("--sort", "-year", "").text.hasSuffix("/ccc.wav\n"))
    #expect(
      try search("--sort=year", "--limit", "1", "year:>1900").text == "\(folder.path)/ccc.wav\n")
    #expect(try search("bjork", "-army").text == "\(folder.path)/bb.wav\n")
    let none = try search("nothing")
    #expect(none.status == 0 && none.output.isEmpty)
  }

  @Test func `JSON has the fields of info, a line a track`() throws {
    try makeIndex()
    let run = try search("--json", "artist:坂本 year:1983")
    let lines = run.text.split(separator: "\n")
    #expect(lines.count == 1)
    let object = try JSON(reading: Array(lines[0].utf8))
    func text(_ name: String) -> String? {
      if case .string(let text)? = object[name] { text } else { nil }
    }
    #expect(text("path") == folder.path + "/ccc.wav")
    #expect(text("title") == "戦場のメリークリスマス")
    #expect(text("artist") == "坂本龍一")
    #expect(text("date") == "1983")
    if case .int(let added)? = object["added"] {
      #expect(added == 1_700_000_000)
    } else {
      Issue.record("no added")
    }
    if case .int(let plays)? = object["plays"] {
      #expect(plays == 0)
    } else {
      Issue.record("no plays")
    }
    if case .null? = object["album"] {} else { Issue.record("an album that is not known is null") }
  }

  @Test func `Wrong syntax says where, and wrong options what would be right`() throws {
    let run = try search("artist:björk", "yaer:1995")
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(
      run.errorLines == [
        "sotto: column 14: 'yaer' is no field; did you mean 'year'?; see 'sotto search --help'"
      ])
    #expect(try search("--sort", "yaer", "x").errorLines[0].hasSuffix(", did you mean 'year'?"))
    #expect(try search("--limit", "0", "x").status == 64)
    #expect(try search().status == 64)
  }

  @Test func `Without a collection it says how to make one`() throws {
    let run = try search("x")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorLines == ["sotto: there is no collection yet: 'sotto scan DIR' makes one"])
  }

  @Test func `What is no index is told, and left as it is`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    try folder.write("sotto/library.db", Array(repeating: 0x41, count: 5000))
    let run = try search("x")
    #expect(run.status == 1)
    #expect(
      run.errorLines == [
        "sotto: the collection is damaged: 'sotto scan' reads all anew"
      ])
  }

  @Test func `A search is played like a playlist, and so is one that was saved`() throws {
    try makeIndex()
    // What the index says is not in the files: it is not compared with them.
    let settings = try folder.write("settings", Array("library-watch = off\n".utf8))
    func played(_ what: String) throws -> Run {
      try Run("play", "--output", "null", "--config", settings, what, environment: environment)
    }
    let play = try played("search:bjork")
    #expect(play.status == 0)
    #expect(play.text.split(separator: "\n").count == 2)
    #expect(play.text.contains("Army of Me"))
    let saved = try folder.write("mine.search", Array("# best\nbjork\nsort=-title\nlimit=1\n".utf8))
    let list = try played(saved)
    #expect(list.status == 0 && list.text.contains("Hyperballad"))
    #expect(!list.text.contains("Army"))
    let wrong = try folder.write("wrong.search", Array("bjork\nsort=colour\n".utf8))
    let fault = try played(wrong)
    #expect(fault.status == 1)
    #expect(fault.errorLines[0].contains("line 2: sort= takes album, title"))
    let nothing = try played("search:zzz")
    #expect(nothing.status == 1)
    #expect(nothing.errorLines[0] == "sotto: search:zzz: nothing in the collection matches")
    let album = try played("library:artists/bjork")
    #expect(album.status == 0 && album.text.split(separator: "\n").count == 2)
    let typo = try played("search:(")
    #expect(typo.errorLines[0] == "sotto: search:(: column 1: '(' is not closed")
  }

  @Test func `Words of the collection are the same in every folder`() {
    let paths = ["search:a b", "library:artists/x", "a.wav"].map { Array($0.utf8) }
    #expect(
      PlayerCommand.add(paths, .end).absolute(in: Array("/m".utf8))
        == .add([paths[0], paths[1], Array("/m/a.wav".utf8)], .end))
  }

  @Test func `The table has equal columns in any script, and nothing raw`() {
    var track = TrackRecord()
    track.title = "戦場のメリークリスマス\u{1B}[2J"
    track.artists = ["坂本龍一"]
    track.album = "A very long name of an album that has no room at all in its column"
    track.duration = 277
    track.date = "1983"
    for columns in [20, 40, 60, 80, 120] {
      let table = FoundTable(columns: columns)
      let line = table.line(
        FoundTrack(id: 1, path: Array("/a.wav".utf8), track: track, added: 0, history: .init()))
      #expect(line.hasSuffix("4:37"))
      #expect(line.reduce(0) { $0 + CharacterWidth.columns($1) } <= columns)
      #expect(!line.unicodeScalars.contains("\u{1B}"))
    }
  }
}
