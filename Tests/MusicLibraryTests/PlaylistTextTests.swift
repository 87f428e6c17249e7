import MusicLibrary
import Testing

/// What is written is read back.
@Suite struct PlaylistTextTests {
  private static let folder = bytes("/music/lists")

  private static func read(_ text: [UInt8], _ format: PlaylistFormat) -> [PlaylistEntry] {
    switch format {
    case .m3u, .m3u8: M3UParser.entries(text)
    case .pls: PLSParser.entries(text)
    case .xspf: XSPFParser.entries(text)
    }
  }

  /// The file that an entry of a list in the folder means.
  private static func place(_ path: [UInt8]) -> [UInt8] {
    let isRooted = path.first == 0x2F || path.starts(with: bytes("http://"))
    let whole = isRooted ? path : folder + [0x2F] + path
    guard whole.first == 0x2F else { return whole }
    let pieces = whole.split(separator: 0x2F).filter { !$0.elementsEqual([0x2E]) }
    return [0x2F] + Array(pieces.joined(separator: [0x2F]))
  }

  /// Names that break lists which are written carelessly.
  static let oddNames: [[UInt8]] =
    [
      "a b.mp3", " a.mp3", "a.mp3 ", "\ta.mp3\t", "#a.mp3", "#EXTINF:3,x", "a\nb.mp3", "a\rb.mp3",
      "\n", " ", "file:a.mp3", "file:", "a%20b.mp3", "100%.mp3", "%41.mp3", "a:b.mp3",
      "a&b<c>d\"e'f.mp3", "a]]>b", "a;b?c#d.mp3", "a\\b.mp3", "=a=b", "File1=x", "[playlist]", "~",
      "..a", "...", "é.mp3", "e\u{301}.mp3", "日本.flac", "\u{202E}x", "\u{FEFF}x", "http", "http:",
      "a\u{1}\u{7F}b", "C:a",
    ].map(bytes) + [
      [0xFF], [0xFE, 0xFF, 0x41], bytes("caf") + [0xE9], [0xC3], [0x80, 0x0A, 0x20],
    ]

  @Test(arguments: PlaylistFormat.allCases)
  func `Any name is read back byte for byte, in the list's folder, below it and elsewhere`(
    _ format: PlaylistFormat
  ) {
    for name in Self.oddNames {
      for place in ["/music/lists/", "/music/lists/sub/", "/music/", "/music/lists2/", "/"] {
        let path = bytes(place) + name
        let (text, losses) = PlaylistText.write(
          [PlaylistEntry(path: path), PlaylistEntry(path: bytes("/z.mp3"))], as: format,
          in: Self.folder)
        let read = Self.read(text, format)
        #expect(read.map(\.path).map(Self.place) == [path, bytes("/z.mp3")], "\(path)")
        #expect(losses.isEmpty)
      }
    }
  }

  @Test(arguments: PlaylistFormat.allCases)
  func `Random names and words are read back`(_ format: PlaylistFormat) {
    var random = SeededGenerator(seed: 20)
    for _ in 0..<500 {
      var entries: [PlaylistEntry] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        var path = bytes(
          ["/music/lists/", "/music/", "/music/lists/a/b/"].randomElement(using: &random)!)
        for _ in 0..<Int.random(in: 1...9, using: &random) {
          let odd = bytes(" \t\n\r#%&<>=:;'\"\\~.éa")
          path.append(
            Bool.random(using: &random)
              ? odd.randomElement(using: &random)! : UInt8.random(in: 1...255, using: &random))
        }
        path.append(UInt8(ascii: "x"))
        let pieces = path.split(separator: 0x2F)
        guard
          !pieces.contains(where: { $0.elementsEqual([0x2E]) || $0.elementsEqual([0x2E, 0x2E]) })
        else { continue }
        path = [0x2F] + Array(pieces.joined(separator: [0x2F]))
        let words = ["Jóga", "A & B <c>", "\"x\"", "x,y", "戦場", "]]>", "&amp;"]
        entries.append(
          PlaylistEntry(
            path: path, title: words.randomElement(using: &random),
            artist: Bool.random(using: &random)
              ? words.randomElement(using: &random) : nil,
            duration: Bool.random(using: &random)
              ? Double(Int.random(in: 1...9999, using: &random)) : nil))
      }
      let (text, _) = PlaylistText.write(entries, as: format, in: Self.folder)
      let read = Self.read(text, format)
      #expect(read.map(\.path).map(Self.place) == entries.map(\.path))
      #expect(read.map(\.title) == entries.map(\.title))
      #expect(read.map(\.artist) == entries.map(\.artist))
      #expect(read.map(\.duration) == entries.map(\.duration))
    }
  }

  @Test func `Parts of a file are kept where the format can, and told where it cannot`() {
    func part(_ start: Double, _ end: Double?) -> PlaylistEntry {
      var entry = PlaylistEntry(path: bytes("/music/lists/cd.flac"), title: "T")
      entry.start = start
      entry.end = end
      return entry
    }
    let parts = [part(0, 200.0 / 75), part(200.0 / 75, 1e-7 + 700), part(12345.678, nil)]
    for format in [PlaylistFormat.m3u8, .m3u, .xspf] {
      let (text, losses) = PlaylistText.write(parts, as: format, in: Self.folder)
      let read = Self.read(text, format)
      #expect(read.map(\.start) == parts.map(\.start) && read.map(\.end) == parts.map(\.end))
      #expect(losses.isEmpty)
    }
    let (text, losses) = PlaylistText.write(
      parts + [PlaylistEntry(path: bytes("/b.mp3"))], as: .pls, in: Self.folder)
    #expect(Self.read(text, .pls).map(\.path) == [bytes("cd.flac"), bytes("/b.mp3")])
    #expect(
      losses == ["3 tracks are parts of a file, which PLS cannot say: the whole file stands there"])
  }

  @Test func `VLC's lists with parts of files are read`() {
    let m3u =
      "#EXTM3U\n#EXTINF:5,x\n#EXTVLCOPT:start-time=12.5\n#EXTVLCOPT:stop-time=20\na.mp3\nb.mp3\n"
    let read = M3UParser.entries(bytes(m3u))
    #expect(read.map(\.start) == [12.5, 0] && read.map(\.end) == [20, nil])
    let wrong = "#EXTVLCOPT:start-time=nan\n#EXTVLCOPT:stop-time=-3\na.mp3\n"
    #expect(M3UParser.entries(bytes(wrong)).allSatisfy { !$0.isPart })
    let xspf = """
      <playlist xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">
      <trackList><track><location>a.mp3</location>
      <extension application="http://www.videolan.org/vlc/playlist/0"><vlc:id>0</vlc:id>
      <vlc:option>start-time=3</vlc:option><vlc:option>stop-time=4.5</vlc:option></extension>
      </track></trackList></playlist>
      """
    let entry = XSPFParser.entries(bytes(xspf))[0]
    #expect(entry.start == 3 && entry.end == 4.5 && entry.title == nil)
  }

  @Test func `An address stays an address in every format`() {
    let address = bytes("http://example.org/a%20b.mp3?x=1&y=2#t")
    for format in PlaylistFormat.allCases {
      let (text, _) = PlaylistText.write(
        [PlaylistEntry(path: address)], as: format, in: Self.folder)
      #expect(Self.read(text, format).map(\.path) == [address])
    }
  }

  @Test func `Control characters of a title end no line`() {
    let entry = PlaylistEntry(path: bytes("/a.mp3"), title: "x\n/etc/passwd\u{2028}y\u{0}z")
    for format in PlaylistFormat.allCases {
      let (text, _) = PlaylistText.write([entry], as: format, in: Self.folder)
      let read = Self.read(text, format)
      #expect(read.count == 1 && read[0].title == "x /etc/passwd y z", "\(format)")
    }
  }
}
