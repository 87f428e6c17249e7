import AudioTypes
import Database
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary
@testable import Tags

/// Files and indexes that were made to harm, or are damaged.
@Suite struct HostileLibraryTests {
  private func size(_ track: TrackRecord) -> Int {
    let texts =
      [track.title, track.album, track.comment, track.date, track.originalDate].compactMap(\.self)
      + track.artists + track.albumArtists + track.genres + track.composers
      + track.musicBrainz.values
    return texts.reduce(0) { $0 + $1.utf8.count }
  }

  private func bloated() -> TrackRecord {
    let long = String(repeating: "long ", count: 20_000)
    var track = TrackRecord()
    track.album = long
    track.artists = (0..<200).map { "\($0) \(long)" }
    track.genres = track.artists
    track.comment = long
    track.date = long
    track.musicBrainz = ["release": long, "artist": long]
    return track
  }

  @Test func `what a file says is not multiplied by its chapters`() {
    let chapters = (0..<5000).map {
      TrackInfo.Chapter(start: Double($0), title: String(repeating: "t", count: 10_000))
    }
    let reading = FileReading(record: bloated(), chapters: chapters, cueSheet: nil)
    let tracks = TrackParts.tracks(reading, sheet: [])
    #expect(tracks.count == 1000)
    #expect(tracks.reduce(0) { $0 + size($1) } < 8_000_000)
    #expect(tracks.reduce(0) { $0 + SearchEntry.text($1, name: []).count } < 8_000_000)
    // A few parts have what a file has.
    let few = FileReading(record: bloated(), chapters: Array(chapters[..<3]), cueSheet: nil)
    #expect(TrackParts.tracks(few, sheet: []).map { $0.album?.utf8.count } == [1024, 1024, 1024])
  }

  @Test func `a sheet's texts are cut too`() {
    let sheet = (0..<2000).map { number in
      ListedTrack(
        TrackLocation(path: [0x61], start: Double(number)),
        title: String(repeating: "t", count: 10_000))
    }
    let tracks = TrackParts.tracks(
      FileReading(record: TrackRecord(), chapters: [], cueSheet: nil), sheet: sheet)
    #expect(tracks.count == 1000)
    #expect(tracks.allSatisfy { ($0.title?.utf8.count ?? 0) <= 256 })
  }

  @Test func `a search entry is short, whatever the record holds`() {
    var track = bloated()
    track.title = String(repeating: "\u{20AC}", count: 100_000)
    let text = SearchEntry.text(track, name: [])
    #expect(text.count < 40_000)
    #expect(text.last == SearchEntry.entryEnd)
    #expect(text.count { $0 == SearchEntry.fieldEnd } == SearchEntry.Field.allCases.count - 1)
  }

  // MARK: Numbers

  @Test(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
  func `lengths and ratings that are none sort nothing and end nothing`() throws {
    let shelf = try Shelf()
    let odd: [Double] = [5e6, 1e300, .infinity, -.infinity, .nan, -1, 0, 3]
    for (index, number) in odd.enumerated() {
      try shelf.put("/m/\(index).mp3") {
        $0.title = "\(index)"
        $0.duration = number
        $0.rating = number
      }
    }
    for order in CatalogOrder.Column.allCases {
      for text in [order.rawValue, "-" + order.rawValue] {
        #expect(try shelf.find("", by: text).sorted() == odd.indices.map { "\($0)" })
      }
    }
    #expect(try shelf.find("", by: "duration").prefix(2) == ["7", "0"])
    #expect(
      try shelf.index.database.integer(
        "SELECT count(*) FROM track WHERE duration > 1e9 OR duration < 0 OR rating > 1") == 0)
  }

  @Test(
    .enabled(if: Database.isAvailable, "libsqlite3 is not installed"),
    arguments: [0x00, 0x7F, 0x80, 0xFF, 0x49] as [UInt8])
  func `numbers of a damaged index sort nothing and end nothing`(_ byte: UInt8) throws {
    let shelf = try Shelf()
    for name in ["a", "b", "c"] { try shelf.put("/m/\(name).mp3") { $0.title = name } }
    try shelf.index.database.run(
      "UPDATE search SET facts = ?, added = 9223372036854775807, folder = folder",
      .bytes([UInt8](repeating: byte, count: SearchEntry.Facts.size)))
    shelf.searcher.forget()
    for order in CatalogOrder.Column.allCases {
      #expect(try shelf.find("", by: order.rawValue).sorted() == ["a", "b", "c"])
    }
    let facts = [UInt8](repeating: byte, count: SearchEntry.Facts.size).withUnsafeBytes {
      SearchEntry.Facts($0)
    }
    #expect(facts.duration >= 0 && facts.duration <= SearchEntry.Facts.longest)
    #expect(facts.rating.isNaN || (0...1).contains(facts.rating))
  }

  // MARK: Searching

  @Test(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
  func `a word that stands often before its field is counted on, entry for entry`() throws {
    let shelf = try Shelf()
    let often = String(repeating: "la ", count: 200)
    for number in 0..<40 {
      try shelf.put("/m/\(number).mp3") {
        $0.title = "\(number) \(often)"
        $0.artists = [often, "la \(number)"]
        if number % 2 == 0 { $0.albumArtists = [number % 4 == 0 ? "la" : "other"] }
        if number % 3 == 0 { $0.album = "la" }
        if number % 5 == 0 { $0.comment = "la la" }
      }
    }
    func count(_ query: String) throws -> Int { try shelf.find(query).count }
    #expect(try count("title:la") == 40)
    #expect(try count("artist:la") == 40)
    #expect(try count("album:la") == 14)
    #expect(try count("comment:la") == 8)
    #expect(try count("genre:la") == 0)
    // Those that have none, and every other one of those that have one.
    #expect(try count("albumartist:la") == 30)
    // Few rows are looked at one by one.
    #expect(try count("comment:la album:la") == 3)
    #expect(try count("comment:la albumartist:la") == 6)
  }

  // MARK: Folders

  @Test(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
  func `folders of which nothing is known any more are forgotten`() throws {
    let place = try ScannedFolder()
    func folders() throws -> [String] {
      try place.open().folders().map { String(decoding: $0.path, as: UTF8.self) }
        .map { String($0.dropFirst(place.music.count)) }.sorted()
    }
    for name in ["a/1.wav", "a/b/2.wav", "c/3.wav", "d/4.wav", "5.wav"] { try place.write(name) }
    try place.scan()
    try #require(try folders() == ["", "/a", "/a/b", "/c", "/d"])
    for name in ["a", "c", "5.wav"] {
      try FileManager.default.removeItem(atPath: place.path(name))
    }
    try place.scan()
    // What may come back is kept.
    #expect(try folders() == ["", "/a", "/a/b", "/c", "/d"])
    try place.open().add(root: Array(place.music.utf8))
    try place.scan(forgets: true)
    #expect(try folders() == ["", "/d"])
    let index = try place.open()
    #expect(
      try index.database.integer(
        "SELECT count(*) FROM folder_place WHERE folder NOT IN (SELECT id FROM folder)") == 0)
    // It is found again as a new one.
    try place.write("c/6.wav")
    try place.scan()
    #expect(try folders() == ["", "/c", "/d"])
  }
}

/// Lists that were made to harm.
@Suite struct HostileListTests {
  private func list(_ head: String, tracks: Int) -> [UInt8] {
    let track = "<track><location>a.mp3</location></track>"
    return bytes(
      "<playlist version=\"1\" \(head)><trackList>" + String(repeating: track, count: tracks)
        + "</trackList></playlist>")
  }

  @Test func `a base of an XSPF that is longer than any address is none`() {
    let long = String(repeating: "x", count: 100_000)
    let entries = XSPFParser.entries(list("xml:base=\"http://h/\(long)/\"", tracks: 2))
    #expect(entries.map(\.path) == [bytes("a.mp3"), bytes("a.mp3")])
    // Bases add up.
    let part = String(repeating: "x", count: 900) + "/"
    let nested = (0..<60).map { _ in "<a xml:base=\"\(part)\">" }.joined()
    let deep = bytes(
      "<playlist xml:base=\"/m/\"><trackList>\(nested)<track><location>a.mp3</location></track>")
    #expect(XSPFParser.entries(deep).allSatisfy { $0.path.count <= 4096 })
  }

  @Test func `paths that lead nowhere are left out`() {
    let long = String(repeating: "x/", count: 3000)
    #expect(XSPFParser.entries(list("xml:base=\"/\(long)\"", tracks: 3)).isEmpty)
    // As an address it may stand.
    let address = XSPFParser.entries(list("xml:base=\"http://h/\(long)\"", tracks: 3))
    #expect(address.count == 3)
  }

  @Test func `paths of an M3U or a PLS that lead nowhere are left out`() {
    let name = bytes("a.mp3")
    let path = [UInt8](repeating: 0x78, count: 4097)
    let address = bytes("http://h/") + path
    let end = bytes("\n")
    let m3u = M3UParser.entries(path + end + name + end + address + end)
    #expect(m3u.map(\.path) == [name, address])
    let pls = PLSParser.entries(
      bytes("File1=") + path + bytes("\nFile2=a.mp3\nFile3=") + address + end)
    #expect(pls.map(\.path) == [name, address])
    // A list that is edited keeps them.
    #expect(M3UList(path + end + name + end).bytes == path + end + name + end)
    #expect(M3UList(path + end).entries.map(\.path) == [path])
  }

  @Test func `one line as long as the whole list costs no more than the list`() {
    // Bytes of no encoding, and words of one letter: everything that is made of a line.
    let long = [[UInt8]](repeating: [0xE9, 0x20, 0x5C], count: 1 << 20).flatMap(\.self)
    #expect(FileNames.candidates(long) == [long])
    let place = FileNames.place(of: PlaylistEntry(path: long), in: bytes("/"))
    #expect(place.path.count <= long.count + 1)
    if case .file = place.kind { Issue.record("a file of that name cannot be") }
    #expect(M3UParser.entries(bytes("#EXTINF:1,") + long + bytes("\na\n"))[0].title == nil)
    #expect(PLSParser.entries(bytes("File1=a\nTitle1=") + long)[0].title == nil)
    let sheet =
      bytes("TITLE ") + long + bytes("\nFILE a.wav WAVE\nTRACK 01 AUDIO\n")
      + bytes("INDEX 01 00:00:00 ") + long + bytes("\nINDEX 01 00:01:00\n")
    #expect(CueSheet(parsing: sheet).title == nil)
    #expect(CueSheet(parsing: sheet).tracks.map(\.start) == [75])
  }

  /// Half an hour where every name is compared with every file.
  @Test(.timeLimit(.minutes(15)))
  func `sheets in a folder of very many files look each name up`() {
    let files = (0..<50_000).map { bytes("a rather long name of a file, number \($0).FLAC") }
    let names = FolderNames(
      files.map { FolderEntry(name: $0, kind: .file) }
        + [FolderEntry(name: bytes("z"), kind: .folder)])
    for index in 0..<2000 {
      let wanted = bytes("A rather long NAME of a file, number \(index * 20).wav")
      #expect(names.sheetFile(wanted, .unknown) == files[index * 20])
      #expect(names.sheetFile(bytes("not there \(index).wav"), .unknown) == nil)
    }
    #expect(names.sheetFile(bytes("z"), .unknown) == nil)
  }

  @Test func `a name as written comes before other letters, and those before other endings`() {
    let names = ["b.wav", "B.WAV", "a.flac", "A.Wav", "c.mp3", "C.flac"]
    let folder = FolderNames(names.map { FolderEntry(name: bytes($0), kind: .file) })
    func found(_ name: String) -> String? {
      folder.sheetFile(bytes(name), .unknown).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found("B.WAV") == "B.WAV")
    #expect(found("B.wav") == "b.wav")
    #expect(found("a.wav") == "A.Wav")
    #expect(found("c.wav") == "C.flac")
    #expect(found("C:\\Music\\c.MP3") == "c.mp3")
    #expect(found("d.wav") == nil)
  }

  @Test func `the base of an XSPF is not multiplied by its tracks`() {
    let long = String(repeating: "x", count: 8000)
    let entries = XSPFParser.entries(list("xml:base=\"http://h/\(long)/\"", tracks: 10_000))
    #expect(entries.count < 10_000)
    #expect(entries.reduce(0) { $0 + $1.path.count } <= PlaylistLimits.bytes)
  }

  @Test func `of a list no more is read than is asked`() {
    let text = "#EXTM3U\n#1\na\nb\n#2\nc\n#end\n"
    #expect(M3UList(bytes(text), atMost: 3).isWhole)
    #expect(M3UList(bytes(text), atMost: 3) == M3UList(bytes(text)))
    let part = M3UList(bytes(text), atMost: 2)
    #expect(!part.isWhole)
    #expect(part.blocks.map(\.path) == [bytes("a"), bytes("b")])
  }

  /// A regular file of the kernel's with a size, whose reading fails.
  private static let unreadable = "/sys/class/net/lo/speed"
  private static let hasUnreadable: Bool = {
    let path = Array(unreadable.utf8)
    guard case .file(let size) = FileProbe.kind(path), size > 0 else { return false }
    let descriptor = open(unreadable, O_RDONLY)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return descriptor >= 0 && pread(descriptor, &byte, 1, 0) < 0
  }()

  @Test(.enabled(if: Self.hasUnreadable, "needs a file that cannot be read"))
  func `a file that the disk cannot read is not taken for its beginning`() throws {
    let path = Array(Self.unreadable.utf8)
    #expect(FileProbe.bytes(path, from: 0, atMost: 100) == nil)
    #expect(FileProbe.head(path, 10) == nil)
    let fault = #expect(throws: LibraryFault.self) { try ListStore.read(path) }
    #expect(fault?.sentence == "cannot be read")
    let folder = try TestFolder()
    _ = try folder.write([1, 2, 3], "whole")
    let whole = Array(folder.file("whole").utf8)
    #expect(FileProbe.bytes(whole, from: 1, atMost: 100) == [2, 3])
    #expect(FileProbe.bytes(whole, from: 9, atMost: 100) == [])
  }

  @Test func `a list that is longer than any is refused before it is edited`() throws {
    let folder = try TestFolder()
    let line = Array("a\n".utf8)
    let most = [[UInt8]](repeating: line, count: PlaylistLimits.entries).flatMap(\.self)
    let store = ListStore(histories: nil)
    let whole = try folder.write(most + bytes("# the end\n"), "whole.m3u8")
    #expect(try store.open(Array(whole.utf8)).count == PlaylistLimits.entries)
    let more = try folder.write(most + line, "more.m3u8")
    let fault = #expect(throws: LibraryFault.self) { try store.open(Array(more.utf8)) }
    #expect(fault?.sentence == "has more than 250000 entries: too long to be edited")
  }

  @Test func `lines end in LF, CR LF or CR`() {
    func lines(_ text: String) -> [String] {
      LegacyText.lines(bytes(text)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(lines("") == [])
    #expect(lines("a") == ["a"])
    #expect(lines("a\nb\r\nc\rd\r") == ["a", "b", "c", "d"])
    #expect(lines("\n\n\r\n\ra") == ["", "", "", "", "a"])
    #expect(lines("\r\r\n\n") == ["", "", ""])
  }

  @Test func `a path from the root on has no empty parts and no points`() {
    func whole(_ path: String, _ folder: String = "/f") -> String {
      String(decoding: Paths.absolute(bytes(path), in: bytes(folder)), as: UTF8.self)
    }
    #expect(whole("a") == "/f/a")
    #expect(whole("./a//b/./c/") == "/f/a/b/c")
    #expect(whole("/") == "/")
    #expect(whole("/././/") == "/")
    #expect(whole("..a/../.b") == "/f/..a/../.b")
    #expect(whole("a", "/") == "/a")
  }
}
