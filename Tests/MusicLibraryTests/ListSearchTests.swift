import Database
import Foundation
import Tags
import TestSupport
import Testing

@testable import MusicLibrary

/// Files of lists that are not where they were.
@Suite struct ListSearchTests {
  private static func items(_ folder: TestFolder, _ list: String) throws -> [PlaylistReader.Item] {
    try PlaylistReader(bytes(try folder.write(bytes(list), "list.m3u"))).items
  }

  private static func make(_ folder: TestFolder, _ names: String...) throws {
    for name in names {
      let path = URL(fileURLWithPath: folder.file(name))
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: path)
    }
  }

  @Test func `Every entry is told to be there or missing, an address never`() throws {
    let folder = try TestFolder()
    try Self.make(folder, "a.mp3", "b c.mp3")
    let items = try Self.items(folder, "a.mp3\nb c.mp3 \nnone.mp3\nhttp://h/x\n")
    #expect(items.map(\.isMissing) == [false, false, true, false])
    #expect(items[1].entry.path == bytes(folder.file("b c.mp3")))
    #expect(throws: LibraryFault.self) { try PlaylistReader(bytes(folder.file("no.m3u"))) }
    #expect(throws: LibraryFault.self) { try PlaylistReader(bytes(folder.file("a.mp3"))) }
  }

  @Test func `A file is found by its name, of several the one in like folders, none when unclear`()
    throws
  {
    let folder = try TestFolder()
    try Self.make(
      folder, "m/Pärt/Alina/01.flac", "m/Bach/01.flac", "m/x/only.MP3", "m/one/same.ogg",
      "m/two/same.ogg", "m/cover/only.jpg", "m/.hidden/secret.mp3")
    symlink(folder.file("m"), folder.file("m/loop"))
    let items = try Self.items(
      folder,
      "/old/Alina/01.flac\n/old/only.mp3\n/old/same.ogg\n/old/none.mp3\n/old/secret.mp3\n"
        + "/old/Bach/01.wav\n")
    let found = ListSearch(index: nil as LibraryIndex?, roots: [bytes(folder.file("m"))])
      .findings(items)
    #expect(
      found.map(\.places) == [
        [bytes(folder.file("m/Pärt/Alina/01.flac"))], [bytes(folder.file("m/x/only.MP3"))],
        [bytes(folder.file("m/one/same.ogg")), bytes(folder.file("m/two/same.ogg"))], [], [],
        [bytes(folder.file("m/Bach/01.flac"))],
      ])
    #expect(found.map(\.row) == Array(0..<6))
  }

  @Test(.enabled(if: Database.isAvailable))
  func `The index finds what lies outside of the folders, and what has another name now`() throws {
    let folder = try TestFolder()
    try Self.make(folder, "far/01.flac", "far/new name.flac")
    let index = try LibraryIndex(Database.inMemory())
    let far = try index.folder(bytes(folder.file("far")))
    let identity = FileIdentity(device: 1, node: 2, size: 3, modified: 4)
    try index.put(file: bytes("01.flac"), in: far, identity, at: 5)
    let renamed = try index.put(file: bytes("new name.flac"), in: far, identity, at: 5)
    var track = TrackRecord()
    track.title = "Spiegel"
    track.artists = ["Pärt"]
    track.duration = 625.4
    try index.replace(tracks: [track], of: renamed)
    let gone = try index.put(file: bytes("gone.flac"), in: far, identity, at: 5)
    try index.set(missing: 6, file: gone)
    let items = try Self.items(
      folder,
      "#EXTM3U\n/old/01.flac\n#EXTINF:625,Pärt - Spiegel\n/old/b.flac\n"
        + "#EXTINF:300,Pärt - Spiegel\n/old/c.flac\n/old/gone.flac\n")
    let found = ListSearch(index: index, roots: []).findings(items)
    #expect(
      found.map(\.places) == [
        [bytes(folder.file("far/01.flac"))], [bytes(folder.file("far/new name.flac"))], [], [],
      ])
  }

  @Test(.enabled(if: Database.isAvailable))
  func `A file that a scan has seen move is found before one that only has its old name`() throws {
    let here = try ScannedFolder()
    try here.write("a/01.wav", seconds: 1)
    try here.write("b/01.wav", seconds: 2)
    try here.scan()
    try here.move("a/01.wav", "a/other name.wav")
    try here.scan()
    try here.move("a", "c")
    try here.scan()
    let items = try Self.items(here.folder, "\(here.path("a/01.wav"))\n\(here.path("a/02.wav"))\n")
    let index = try here.open()
    func found() -> [[[UInt8]]] {
      ListSearch(index: index, roots: [bytes(here.music)]).findings(items).map(\.places)
    }
    #expect(found() == [[bytes(here.path("c/other name.wav"))], []])
    // Whoever follows moves does not take that away; what is gone is not there.
    try index.forget(try index.moves())
    #expect(found() == [[bytes(here.path("c/other name.wav"))], []])
    try FileManager.default.removeItem(atPath: here.path("c/other name.wav"))
    #expect(found() == [[bytes(here.path("b/01.wav"))], []])
    try here.scan(forgets: true)
    #expect(try index.place(ofFormer: bytes(here.path("a/01.wav"))) == nil)
  }

  @Test(.enabled(if: Database.isAvailable))
  func `What a list says of a track goes before its name, and another length is another track`()
    throws
  {
    let folder = try TestFolder()
    try Self.make(folder, "x/new name.flac", "y/01.flac", "y/02.flac", "y/03.flac")
    let index = try LibraryIndex(Database.inMemory())
    func put(_ place: String, _ name: String, _ title: String, _ seconds: Double) throws {
      let file = try index.put(
        file: bytes(name), in: index.folder(bytes(folder.file(place))),
        FileIdentity(device: 1, node: 2, size: 3, modified: 4), at: 5)
      var track = TrackRecord()
      (track.title, track.artists, track.duration) = (title, ["Pärt"], seconds)
      try index.replace(tracks: [track], of: file)
    }
    try put("x", "new name.flac", "Spiegel", 625.4)
    try put("y", "01.flac", "Für Alina", 640)
    try put("y", "02.flac", "Fratres", 300)
    let items = try Self.items(
      folder,
      "#EXTM3U\n#EXTINF:625,Pärt - Spiegel\n/old/01.flac\n#EXTINF:200,Another\n/old/02.flac\n"
        + "#EXTINF:301,Renamed since\n/old/02.flac\n#EXTINF:9,Not in the index\n/old/03.flac\n")
    let found = ListSearch(index: index, roots: [bytes(folder.path)]).findings(items)
    #expect(
      found.map(\.places) == [
        [bytes(folder.file("x/new name.flac"))], [], [bytes(folder.file("y/02.flac"))],
        [bytes(folder.file("y/03.flac"))],
      ])
  }

  @Test func `An M3U in another folder keeps what is said in it and means the same files`() throws {
    let folder = try TestFolder()
    try Self.make(folder, "a/x.mp3")
    let text = "#EXTM3U\n# note\n#EXTINF:3 k=\"v\",T\nx.mp3\n#EXTINF:5,Caf"
    _ = try folder.write(bytes(text) + [0xE9] + bytes("\n/y.mp3\n"), "a/l.m3u")
    let list = try PlaylistReader(bytes(folder.file("a/l.m3u"))).list(in: bytes(folder.path))
    #expect(
      String(decoding: list.bytes, as: UTF8.self)
        == "#EXTM3U\n# note\n#EXTINF:3 k=\"v\",T\na/x.mp3\n#EXTINF:5,Café\n/y.mp3\n")
  }

  @Test func `A CUE sheet is a list of parts`() throws {
    let folder = try TestFolder()
    try Self.make(folder, "cd.wav")
    let sheet =
      "FILE \"cd.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 01:00:00\n"
    let items = try PlaylistReader(bytes(try folder.write(bytes(sheet), "cd.cue"))).items
    #expect(items.map(\.entry.start) == [0, 60] && items.map(\.entry.end) == [60, nil])
    #expect(items.allSatisfy { !$0.isMissing && $0.entry.path == bytes(folder.file("cd.wav")) })
  }
}
