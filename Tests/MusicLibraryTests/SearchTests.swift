import AudioTypes
import Database
import Tags
import Testing

@testable import MusicLibrary

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct SearchTests {
  private let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    try shelf.index.add(root: Array("/srv/anna/Music".utf8))
    try shelf.put("/srv/anna/Music/Björk/Post/01 army.flac", added: Shelf.now - 40 * 86_400) {
      $0.title = "Army of Me"
      $0.artists = ["Björk"]
      $0.albumArtists = ["Björk"]
      $0.album = "Post"
      $0.date = "1995-06-13"
      $0.genres = ["Electronic", "Trip Hop"]
      $0.composers = ["Graham Massey"]
      $0.track = 1
      $0.duration = 234.4
      $0.codec = "flac"
      $0.sampleRate = 44100
      $0.bitDepth = 16
      $0.bitRate = 900_123
      $0.rating = 0.8
      $0.musicBrainz = ["recording": "6F2E1D3C-0000"]
    }
    try shelf.put("/srv/anna/Music/Björk/Post/02 hyper.mp3", added: Shelf.now - 3600) {
      $0.title = "Hyperballad (live)"
      $0.artists = ["Björk"]
      $0.albumArtists = ["Björk"]
      $0.album = "Post"
      $0.date = "1995"
      $0.track = 2
      $0.duration = 321
      $0.codec = "mp3"
      $0.sampleRate = 48000
      $0.bitRate = 320_000
    }
    try shelf.put("/srv/anna/Music/Yellow/坂本/merry.ogg") {
      $0.title = "戦場のメリークリスマス"
      $0.artists = ["坂本龍一", "David Sylvian"]
      $0.originalDate = "1983"
      $0.date = "2005-01-01"
      $0.comment = "Straße nach Süden"
      $0.rating = 0.5
    }
    try shelf.put("/srv/anna/Music/untagged/Low - Words.wav")
  }

  @Test(arguments: [
    ("", ["Army of Me", "Hyperballad (live)", "戦場のメリークリスマス", "Low - Words.wav"]),
    ("bjork", ["Army of Me", "Hyperballad (live)"]), ("BJÖRK army", ["Army of Me"]),
    ("strasse", ["戦場のメリークリスマス"]), ("ﾒﾘｰ", ["戦場のメリークリスマス"]), ("場", ["戦場のメリークリスマス"]),
    ("龍", ["戦場のメリークリスマス"]), ("yellow", ["戦場のメリークリスマス"]), ("low words", ["Low - Words.wav"]),
    ("anna", []), ("wav", []), ("\"of me\"", ["Army of Me"]), ("\"me of\"", []),
    ("o", ["Army of Me", "Hyperballad (live)", "戦場のメリークリスマス", "Low - Words.wav"]),
    ("y -live", ["Army of Me", "戦場のメリークリスマス"]), ("army or 坂本", ["Army of Me", "戦場のメリークリスマス"]),
    ("bjork -(army or x)", ["Hyperballad (live)"]),
    ("'", ["Army of Me", "Hyperballad (live)", "戦場のメリークリスマス", "Low - Words.wav"]),
  ])
  func `Words are found in everything, in any spelling`(_ query: String, _ titles: [String]) throws
  {
    #expect(try shelf.find(query) == titles)
  }

  @Test(arguments: [
    ("artist:sylvian", ["戦場のメリークリスマス"]), ("artist:army", []), ("title:army", ["Army of Me"]),
    ("albumartist:坂本", ["戦場のメリークリスマス"]),
    ("albumartist:bjork", ["Army of Me", "Hyperballad (live)"]),
    ("album:post", ["Army of Me", "Hyperballad (live)"]), ("album:=pos", []),
    ("artist:=\"david sylvian\"", ["戦場のメリークリスマス"]), ("genre:trip", ["Army of Me"]),
    ("genre:=electronic", ["Army of Me"]), ("composer:massey", ["Army of Me"]),
    ("comment:sud", ["戦場のメリークリスマス"]), ("codec:flac", ["Army of Me"]),
    ("path:anna/music/bjork", ["Army of Me", "Hyperballad (live)"]),
    ("path:post/01", ["Army of Me"]),
    ("path:.WAV", ["Low - Words.wav"]), ("path:\"low - words\"", ["Low - Words.wav"]),
    ("path:=/srv/anna/Music/Björk/Post/02 hyper.mp3", []),
    ("path:=\"/srv/anna/Music/Björk/Post/02 hyper.mp3\"", ["Hyperballad (live)"]),
    ("folder:untagged", ["Low - Words.wav"]), ("folder:army", []), ("mb:6f2e1d3c", ["Army of Me"]),
  ])
  func `Fields are looked at alone`(_ query: String, _ titles: [String]) throws {
    #expect(try shelf.find(query) == titles)
  }

  @Test(arguments: [
    ("year:1995", 2), ("year:1983..1995", 3), ("year:<1990", 1), ("year:>=1995", 2),
    ("-year:1900..", 1),
    ("date:1995", 2), ("date:1995-06", 1), ("date:>1995-06-13", 1), ("date:..2000", 2),
    ("track:1", 1), ("track:>1", 1), ("rate:44.1k", 1), ("rate:>44100", 1), ("bits:16", 1),
    ("bitrate:320", 1), ("bitrate:900", 1), ("bitrate:<500", 1), ("duration:3:54", 1),
    ("duration:>3:54", 1), ("duration:..3:54", 1), ("duration:2m..6m", 2), ("rating:4", 1),
    ("rating:>4", 0), ("rating:2.5", 1), ("rating:<3", 3), ("rating:0", 2), ("rating:>0", 2),
    ("added:<2h", 3), ("added:>30d", 1), ("added:30d", 3), ("added:1d..60d", 1),
    ("added:2026-01", 3),
    ("added:2026-01-31", 3), ("added:<2026", 1), ("added:>2026-01-31", 0), ("plays:0", 4),
    ("plays:>0", 0),
    ("played:<30d", 0), ("year:1999..1990", 0),
  ])
  func `Numbers, times and ages are compared`(_ query: String, _ count: Int) throws {
    #expect(try shelf.find(query).count == count)
  }

  @Test func `The index is true after every change`() throws {
    let file = try shelf.put("/srv/anna/Music/new/a.mp3") { $0.title = "First" }
    #expect(try shelf.find("first") == ["First"])
    try shelf.put("/srv/anna/Music/new/a.mp3") { $0.title = "Second" }
    #expect(try shelf.find("first").isEmpty)
    #expect(try shelf.find("second new") == ["Second"])
    let other = try shelf.index.folder(Array("/srv/anna/Music/other".utf8))
    try shelf.index.move(file: file, to: other, name: Array("b.mp3".utf8))
    shelf.searcher.forget()
    #expect(try shelf.find("second other") == ["Second"])
    #expect(try shelf.find("second new").isEmpty)
    #expect(try shelf.find("path:other/b.mp3") == ["Second"])
    try shelf.index.set(missing: 5, file: file)
    shelf.searcher.forget()
    #expect(try shelf.find("second").isEmpty)
    try shelf.index.set(missing: nil, file: file)
    shelf.searcher.forget()
    #expect(try shelf.find("second") == ["Second"])
    try shelf.index.remove(file: file)
    shelf.searcher.forget()
    #expect(try shelf.find("second").isEmpty)
    #expect(try shelf.index.database.integer("SELECT count(*) FROM search") == 4)
  }

  @Test func `A track without a title is found by its file's name, also by a new one`() throws {
    let file = try shelf.put("/m/Kashmir.mp3")
    #expect(try shelf.find("kashmir") == ["Kashmir.mp3"])
    try shelf.index.move(file: file, to: shelf.index.folder([0x2F]), name: Array("Sansa.mp3".utf8))
    shelf.searcher.forget()
    #expect(try shelf.find("sansa") == ["Sansa.mp3"])
    #expect(try shelf.find("title:kashmir").isEmpty)
  }

  @Test func `Tracks within one file are found each`() throws {
    var parts: [TrackRecord] = []
    for (number, title) in ["Prelude", "Fugue"].enumerated() {
      var part = TrackRecord()
      part.start = Double(number) * 60
      part.end = Double(number + 1) * 60
      part.title = title
      parts.append(part)
    }
    try shelf.put("/m/bach.flac", parts)
    let result = try shelf.searcher.search(Query("fugue"), at: Shelf.clock)
    let track = try #require(try shelf.searcher.tracks(result, 0..<1).first)
    #expect(track.track.start == 60 && track.track.end == 120)
    #expect(track.path == Array("/m/bach.flac".utf8))
    #expect(
      try shelf.searcher.listed(result).map(\.location) == [
        TrackLocation(path: track.path, start: 60, end: 120)
      ])
  }

  @Test func `Names that are not UTF-8 are found, and come back as they are`() throws {
    let folder = try shelf.index.folder(Array("/m/".utf8) + [0xFF, 0x61])
    let file = try shelf.index.put(
      file: [0xFE] + Array("Name.mp3".utf8), in: folder,
      FileIdentity(device: 1, node: 99, size: 1, modified: 1), at: 1)
    try shelf.index.replace(tracks: [TrackRecord()], of: file)
    shelf.searcher.forget()
    let result = try shelf.searcher.search(Query("name"), at: Shelf.clock)
    #expect(
      try shelf.searcher.tracks(result, 0..<9).map(\.path) == [
        Array("/m/".utf8) + [0xFF, 0x61, 0x2F, 0xFE] + Array("Name.mp3".utf8)
      ])
  }

  @Test func `A damaged entry is left out or found by what is left of it`() throws {
    let database = shelf.index.database
    try database.run("UPDATE search SET text = ? WHERE track = 1", .bytes(Array("army".utf8)))
    try database.run(
      "UPDATE search SET text = ?, facts = ? WHERE track = 2", .bytes(Array("hyper\u{1F}\n".utf8)),
      .bytes([1]))
    try database.run("UPDATE search SET text = ? WHERE track = 3", .bytes([]))
    shelf.searcher.forget()
    #expect(try shelf.find("army").isEmpty)
    #expect(try shelf.find("hyper albumartist:x").isEmpty)
    #expect(try shelf.find("title:hyper") == ["Hyperballad (live)"])
    for view in CatalogView.allCases { _ = try shelf.names(view) }
    for column in CatalogOrder.Column.allCases {
      #expect(try shelf.find("", by: column.rawValue).count == 2)
    }
  }

  /// What a needle finds is what a plain look at every place finds.
  @Test func `The search for bytes misses nothing`() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<4000 {
      let text = (0..<Int.random(in: 0..<150, using: &generator)).map { _ in
        UInt8.random(in: 0x61...0x63, using: &generator)
      }
      let needle = (0..<Int.random(in: 1..<5, using: &generator)).map { _ in
        UInt8.random(in: 0x61...0x63, using: &generator)
      }
      let start = Int.random(in: 0...text.count, using: &generator)
      let end = Int.random(in: start...text.count, using: &generator)
      let found = text.withUnsafeBytes { ByteSearch(needle).first(in: $0, from: start, to: end) }
      let expected =
        end - start < needle.count
        ? nil : (start...(end - needle.count)).first { text[$0...].starts(with: needle) }
      #expect(found == expected)
    }
  }
}
