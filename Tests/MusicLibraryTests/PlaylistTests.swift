import AudioTypes
import MusicLibrary
import TestSupport
import Testing

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct PlaylistTests {
  @Test func `An M3U gives paths, titles and lengths, whatever its line ends and mark`() {
    let text =
      "#EXTM3U\r\n#EXTINF:123,Björk - Jóga\r\nmusic/joga.flac\r\n\r\n# note\r\nb.mp3\rc.mp3\n"
    let entries = M3UParser.entries([0xEF, 0xBB, 0xBF] + bytes(text))
    #expect(
      entries == [
        PlaylistEntry(
          path: bytes("music/joga.flac"), title: "Jóga", artist: "Björk", duration: 123),
        PlaylistEntry(path: bytes("b.mp3")),
        PlaylistEntry(path: bytes("c.mp3")),
      ])
  }

  @Test func `A title of a legacy code page is read and the path keeps its bytes`() {
    let text = bytes("#EXTINF:-1,Caf") + [0xE9, 0x80] + bytes("\ncaf") + [0xE9] + bytes(".mp3\n")
    let entry = M3UParser.entries(text)[0]
    #expect(entry.title == "Café€")
    #expect(entry.path == bytes("caf") + [0xE9] + bytes(".mp3"))
    #expect(entry.duration == nil)
  }

  @Test func `An M3U takes addresses, file URLs and quoted attributes`() {
    let text = """
      #EXTINF:0 logo="a,b",Radio
      http://example.org/live.mp3?x=1
      file:///music/a%20b%25.ogg
      """
    let entries = M3UParser.entries(bytes(text))
    #expect(entries[0].path == bytes("http://example.org/live.mp3?x=1"))
    #expect(entries[0].title == "Radio")
    #expect(entries[1].path == bytes("/music/a b%.ogg"))
  }

  @Test func `A UTF-16 list is read`() {
    var text: [UInt8] = [0xFF, 0xFE]
    for unit in "é.mp3\n".utf16 { text += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(M3UParser.entries(text) == [PlaylistEntry(path: bytes("é.mp3"))])
  }

  @Test func `A PLS is in the order of its numbers`() {
    let text = """
      [playlist]
      File10=ten.mp3
      file2=two.mp3
      Title2=Artist - Two
      Length2=20
      Length10=-1
      NumberOfEntries=2
      Version=2
      """
    #expect(
      PLSParser.entries(bytes(text)) == [
        PlaylistEntry(path: bytes("two.mp3"), title: "Two", artist: "Artist", duration: 20),
        PlaylistEntry(path: bytes("ten.mp3")),
      ])
  }

  @Test func `An XSPF undoes escapes and entities and follows its base`() {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a comment with <track> in it -->
      <playlist version="1" xmlns="http://xspf.org/ns/0/" xml:base="file:///music/">
        <title>list</title>
        <trackList>
          <track><location>a%20b.mp3</location><title>Q &amp; A &#233;</title>
            <creator><![CDATA[R<&>S]]></creator><duration>90500</duration></track>
          <track><location>file:///x/%ff.ogg</location></track>
          <track xml:base="http://h.example/d/"><location>c%20d.ogg</location></track>
          <track><title>no location</title></track>
        </trackList>
      </playlist>
      """
    #expect(
      XSPFParser.entries(bytes(text)) == [
        PlaylistEntry(
          path: bytes("/music/a b.mp3"), title: "Q & A é", artist: "R<&>S", duration: 90.5),
        PlaylistEntry(path: bytes("/x/") + [0xFF] + bytes(".ogg")),
        PlaylistEntry(path: bytes("http://h.example/d/c%20d.ogg")),
      ])
  }

  @Test func `An entity bomb stays as small as it was written`() {
    var text = "<?xml version=\"1.0\"?><!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\">"
    for level in 1...9 { text += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">" }
    text +=
      "]><playlist><trackList><track><location>&a9;.mp3</location></track></trackList></playlist>"
    #expect(XSPFParser.entries(bytes(text)) == [PlaylistEntry(path: bytes("&a9;.mp3"))])
  }

  @Test func `Damaged lists of every kind give some entries and no trap`() {
    let samples = [
      "#EXTM3U\n#EXTINF:12,A - B\nfile:///a%20b\nc\\d.mp3\n",
      "[playlist]\nFile1=a.mp3\nTitle1=T\nLength1=3\n",
      "<playlist xml:base='http://a/b'><trackList><track><location>x&#x41;</location></track></trackList></playlist>",
      "FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 00 00:00:00\nINDEX 01 00:02:00\nREM REPLAYGAIN_TRACK_GAIN -3 dB\n",
    ]
    var random = SeededGenerator(seed: 7)
    for sample in samples {
      for _ in 0..<2000 {
        var text = bytes(sample)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = Int.random(in: 0..<text.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: text[place] = UInt8.random(in: 0...255, using: &random)
          case 1: text.insert(UInt8.random(in: 0...255, using: &random), at: place)
          case 2 where text.count > 1: text.removeSubrange(place..<min(text.count, place + 5))
          default: text.insert(contentsOf: text[..<place].suffix(9), at: place)
          }
          if text.isEmpty { text = [0] }
        }
        #expect(M3UParser.entries(text).count <= text.count)
        #expect(PLSParser.entries(text).count <= text.count)
        #expect(XSPFParser.entries(text).count <= text.count)
        #expect(CueSheet(parsing: text).tracks.allSatisfy { $0.end == nil || $0.end! > $0.start })
      }
    }
  }

  @Test(arguments: [
    (
      "<playlist>\n<trackList>\n<track><location>a</location>\n",
      "line 4: the file ends within <track>"
    ),
    (
      "<playlist>\n<trackList>\n</track></trackList></playlist>",
      "line 3: </track> stands where <trackList> is open"
    ),
    ("<playlist><trackList/></playlist>\n</x>", "line 2: </x> ends nothing"),
    ("<html>\n<body/></html>", "line 1: <html> stands where an XSPF has <playlist>"),
    ("<playlist>\n<!-- never closed </playlist>", "line 2: a comment is not closed"),
    ("<playlist>\n<trackList><location", "line 2: <location is not closed by >"),
    ("nothing at all", "line 1: there is no <playlist> in it, and so no XSPF"),
  ]) func `Where an XSPF is broken is told`(_ text: String, _ sentence: String) throws {
    let folder = try TestFolder()
    let path = try folder.write(bytes(text), "list.xspf")
    #expect(throws: LibraryFault(path: bytes(path), sentence: sentence)) {
      try PlaylistReader(bytes(path))
    }
    var expansion = Expansion([bytes(path)])
    guard case .fault(let fault) = expansion.next() else {
      Issue.record("no fault")
      return
    }
    #expect(fault.sentence.hasPrefix(sentence))
  }

  @Test func `What stands before the break of an XSPF is played, and the break is told`() throws {
    let folder = try TestFolder()
    let song = try folder.write([1], "a.mp3")
    let path = try folder.write(
      bytes("<playlist><trackList><track><location>a.mp3</location></track>\n<track>"), "list.xspf")
    var expansion = Expansion([bytes(path)])
    let sentence = "line 2: the file ends within <track>; what was read is taken"
    #expect(expansion.next() == .fault(LibraryFault(path: bytes(path), sentence: sentence)))
    #expect(expansion.next() == .track(ListedTrack(TrackLocation(path: bytes(song)))))
    #expect(expansion.next() == nil)
  }

  @Test func `Names are sorted as people do`() {
    let names = ["10.mp3", "2.mp3", "b.mp3", "A.mp3", "02.mp3", "a10", "a9", "a"]
    let sorted = names.sorted { NaturalOrder.precedes(bytes($0), bytes($1)) }
    #expect(sorted == ["02.mp3", "2.mp3", "10.mp3", "a", "A.mp3", "a9", "a10", "b.mp3"])
  }
}

/// Numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
