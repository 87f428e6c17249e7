import AudioTypes
import Foundation
import MusicLibrary
import Testing

/// A folder of a test's own, removed with it.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sotto-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ content: [UInt8] = Array("RIFF0000WAVE".utf8)) throws -> String {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(content).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Tracks as "name@start-end" relative to this folder, faults as "name: sentence".
  func expand(_ arguments: [String]) -> [String] {
    var expansion = Expansion(arguments.map { bytes($0.hasPrefix("http") ? $0 : path + "/" + $0) })
    var result: [String] = []
    while let item = expansion.next(), result.count < 1000 {
      switch item {
      case .track(let track):
        let location = track.location
        var text = location.display.replacing(path + "/", with: "")
        if location.start > 0 || location.end != nil {
          text += "@\(location.start)-\(location.end.map { "\($0)" } ?? "")"
        }
        result.append(text)
      case .fault(let fault):
        let name = Text.printable(fault.path).replacing(path + "/", with: "")
        result.append("\(name): \(fault.sentence.replacing(path + "/", with: ""))")
      }
    }
    return result
  }
}

@Suite struct ExpansionTests {
  @Test func `A folder gives what may be audio, in natural order, and no hidden file`() throws {
    let folder = try Folder()
    for name in [
      "10.wav", "9.WAV", "cd2/1.flac", "cover.jpg", "notes.txt", ".hidden.wav", "list.m3u",
    ] {
      try folder.write("a/" + name)
    }
    try folder.write("a/unknown.xyz", bytes("plain text"))
    try folder.write("a/bare")
    #expect(folder.expand(["a"]) == ["a/9.WAV", "a/10.wav", "a/bare", "a/cd2/1.flac"])
  }

  @Test func `A loop of links ends`() throws {
    let folder = try Folder()
    try folder.write("a/b/1.wav")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a/b/up", withDestinationPath: "..")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a/dangling.wav", withDestinationPath: "nowhere")
    #expect(
      folder.expand(["a"]) == [
        "a/b/1.wav", "a/dangling.wav: a link to nowhere, which is not there",
      ])
  }

  @Test func `What is no file has one line and the rest goes on`() throws {
    let folder = try Folder()
    try folder.write("x.wav")
    try folder.write("empty.wav", [])
    try folder.write("dull/notes.txt")
    mkfifo(folder.path + "/pipe", 0o600)
    var result = folder.expand(["missing.wav", "empty.wav", "pipe", "dull", "x.wav"])
    #expect(
      result == [
        "missing.wav: no such file or folder", "empty.wav: empty file",
        "pipe: not a regular file", "dull: nothing to play in this folder", "x.wav",
      ])
    result = Folder.faults("/dev/zero")
    #expect(result == ["not a regular file"])
    #expect(Folder.faults("ftp://a/b") == ["only files and http or https addresses can be played"])
    #expect(Folder.faults("a\u{0}b") == ["no such file or folder"])
  }

  @Test func `A list is followed relative to itself, and its missing files have a line each`()
    throws
  {
    let folder = try Folder()
    try folder.write("lists/a.m3u", bytes("../1.wav\nhttp://h/x\nsub\\2.wav\ngone.wav\n"))
    try folder.write("lists/sub/2.wav")
    try folder.write("1.wav")
    #expect(
      folder.expand(["lists/a.m3u", "http://h/y.mp3"]) == [
        "lists/../1.wav", "http://h/x", "lists/sub/2.wav",
        "lists/gone.wav: no such file or folder", "http://h/y.mp3",
      ])
  }

  @Test func `A list that includes itself gives each file once and one line`() throws {
    let folder = try Folder()
    try folder.write("a.m3u", bytes("1.wav\nb.m3u\na.m3u\n2.wav\n"))
    try folder.write("b.m3u", bytes("3.wav\na.m3u\n"))
    for name in ["1.wav", "2.wav", "3.wav"] { try folder.write(name) }
    let result = folder.expand(["a.m3u"])
    #expect(result.filter { !$0.contains(":") } == ["1.wav", "3.wav", "2.wav"])
    #expect(result.filter { $0 == "a.m3u: the playlist includes itself" }.count == 1)
  }

  @Test func `A file name of another code page is found by its bytes or its letters`() throws {
    let folder = try Folder()
    try folder.write("a.m3u", bytes("caf") + [0xE9] + bytes(".wav\n"))
    try folder.write("café.wav")
    #expect(folder.expand(["a.m3u"]) == ["café.wav"])
  }

  @Test func `A list is known by its content and audio by its own, whatever the names say`() throws
  {
    let folder = try Folder()
    try folder.write("list", bytes("#EXTM3U\n1.wav\n"))
    try folder.write("1.wav")
    try folder.write("sound.m3u")
    #expect(folder.expand(["list", "sound.m3u"]) == ["1.wav", "sound.m3u"])
  }

  @Test func `A list or sheet in UTF-16 is no MPEG stream, whichever end comes first`() throws {
    let folder = try Folder()
    func wide(_ text: String, isLittle: Bool) -> [UInt8] {
      "\u{FEFF}\(text)".utf16.flatMap { unit in
        let pair = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        return isLittle ? pair : pair.reversed()
      }
    }
    try folder.write("ж.wav")
    let sheet =
      "TITLE \"Песня 🎵\"\r\nFILE \"ж.wav\" WAVE\r\n TRACK 01 AUDIO\r\n INDEX 01 00:00:00\r\n"
    for isLittle in [true, false] {
      // What is looked at ends within the note's pair of units in some of these.
      for filling in 480...490 {
        let remark = "REM \(String(repeating: "-", count: filling))🎵\r\n"
        try folder.write("a.cue", wide(remark + sheet, isLittle: isLittle))
        #expect(folder.expand(["a.cue"]) == ["ж.wav"])
      }
      try folder.write("a.m3u", wide("ж.wav\r\n", isLittle: isLittle))
      #expect(folder.expand(["a.m3u"]) == ["ж.wav"])
    }
    // Layer I with checksums, silent: the same first bytes.
    try folder.write("a.mp1", [0xFF, 0xFE, 0x84, 0x04] + [UInt8](repeating: 0, count: 380))
    #expect(folder.expand(["a.mp1"]) == ["a.mp1"])
  }

  @Test func `A sheet stands for its file, given or found in a folder`() throws {
    let folder = try Folder()
    let sheet = """
      FILE "Album.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 01:00:00
      """
    try folder.write("d/album.cue", bytes(sheet))
    try folder.write("d/album.flac")
    try folder.write("d/bonus.wav")
    let tracks = ["d/album.flac@0.0-60.0", "d/album.flac@60.0-"]
    #expect(folder.expand(["d/album.cue"]) == tracks)
    #expect(folder.expand(["d"]) == tracks + ["d/bonus.wav"])
    try folder.write("gone.cue", bytes(sheet))
    #expect(
      folder.expand(["gone.cue"]) == ["Album.wav: no such file, named in the CUE sheet gone.cue"])
  }

  @Test func `A sheet in the tags of a FLAC file splits it`() throws {
    let folder = try Folder()
    let sheet = bytes(
      "CUESHEET=FILE \"x\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:30:00\n"
    )
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    let block = little(2) + bytes("me") + little(1) + little(sheet.count) + sheet
    let file =
      bytes("fLaC") + [0, 0, 0, 34] + [UInt8](repeating: 0, count: 34)
      + [0x84, 0, UInt8(block.count >> 8), UInt8(block.count & 0xFF)] + block
    try folder.write("a.flac", file)
    #expect(folder.expand(["a.flac"]) == ["a.flac@0.0-30.0", "a.flac@30.0-"])
    for size in stride(from: 0, to: file.count, by: 7) {
      try folder.write("b.flac", Array(file.prefix(size)))
      #expect(folder.expand(["b.flac"]).count == 1)
    }
  }

  static let sheet = bytes(
    "FILE \"x\" WAVE\r\nTRACK 01 AUDIO\r\nINDEX 01 00:00:00\r\nTRACK 02 AUDIO\r\n"
      + "  TITLE \"Zwei\"\r\nINDEX 01 00:30:00\r\n")

  func big(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }

  /// An ID3v2 tag with a text of its own name, before what may be sound.
  func id3(version: UInt8, encoding: UInt8) -> [UInt8] {
    func encoded(_ text: [UInt8]) -> [UInt8] {
      encoding == 1 ? [0xFF, 0xFE] + text.flatMap { [$0, 0] } : text
    }
    let end: [UInt8] = encoding == 1 ? [0, 0] : [0]
    let body = [encoding] + encoded(bytes("CUESHEET")) + end + encoded(Self.sheet)
    let size = body.count
    let told = version == 4 ? [0, 0, UInt8(size >> 7), UInt8(size & 0x7F)] : big(size)
    let frame = bytes("TXXX") + told + [0, 0] + body
    let all = frame.count
    return bytes("ID3") + [version, 0, 0, 0, 0, UInt8(all >> 7), UInt8(all & 0x7F)] + frame
      + [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 600)
  }

  /// An Ogg file whose tags go over two pages.
  func ogg(_ first: [UInt8], _ mark: [UInt8]) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { Array(big(number).reversed()) }
    func page(_ number: Int, _ laces: [UInt8], _ body: [UInt8]) -> [UInt8] {
      bytes("OggS") + [0, number == 0 ? 2 : 0] + [UInt8](repeating: 0, count: 8) + little(7)
        + little(number) + little(0) + [UInt8(laces.count)] + laces + body
    }
    let comments =
      [bytes("TITLE=" + String(repeating: "t", count: 400)), bytes("cueSheet=") + Self.sheet]
    let packet =
      mark + little(2) + bytes("me") + little(2)
      + comments.flatMap { little($0.count) + $0 }
    let laces = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    return page(0, [UInt8(first.count)], first) + page(1, [255], Array(packet.prefix(255)))
      + page(2, Array(laces.dropFirst()) + [9], packet.dropFirst(255) + bytes("the sound"))
  }

  func mp4() -> [UInt8] {
    func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
      big(body.count + 8) + bytes(name) + body
    }
    func item(_ name: String, _ text: [UInt8]) -> [UInt8] {
      box(
        "----",
        box("mean", big(0) + bytes("com.apple.iTunes")) + box("name", big(0) + bytes(name))
          + box("data", big(1) + big(0) + text))
    }
    let list = box("ilst", item("iTunNORM", bytes("0000")) + item("CUESHEET", Self.sheet))
    return box("ftyp", bytes("M4A mp42")) + box("mdat", [UInt8](repeating: 7, count: 100))
      + box("moov", box("mvhd", big(0)) + box("udta", box("meta", big(0) + list)))
  }

  @Test func `A sheet in the tags of MP3, Ogg or MP4 splits the file`() throws {
    let folder = try Folder()
    let files = [
      ("3.mp3", id3(version: 3, encoding: 1)), ("4.mp3", id3(version: 4, encoding: 3)),
      ("a.opus", ogg(bytes("OpusHead"), bytes("OpusTags"))),
      ("a.ogg", ogg([1] + bytes("vorbis"), [3] + bytes("vorbis"))),
      ("a.oga", ogg([0x7F] + bytes("FLAC"), [0x84, 0, 4, 0])), ("a.m4a", mp4()),
    ]
    for (name, content) in files {
      try folder.write(name, content)
      #expect(folder.expand([name]) == ["\(name)@0.0-30.0", "\(name)@30.0-"])
      for size in stride(from: 1, to: content.count, by: 13) {
        try folder.write("cut-\(name)", Array(content.prefix(size)))
        #expect((1...2).contains(folder.expand(["cut-\(name)"]).count))
      }
    }
  }

  @Test func `A pattern that no shell expanded is expanded, and a file of that name wins`() throws {
    let folder = try Folder()
    try folder.write("t10.wav")
    try folder.write("t9.wav")
    #expect(folder.expand(["t*.wav"]) == ["t9.wav", "t10.wav"])
    try folder.write("t*.wav")
    #expect(folder.expand(["t*.wav"]) == ["t*.wav"])
    #expect(folder.expand(["z*.wav"]) == ["z*.wav: no such file or folder"])
  }

  @Test func `A list beyond the limits is refused or cut with a line`() throws {
    let folder = try Folder()
    try folder.write("big.m3u", [UInt8](repeating: 0x61, count: PlaylistLimits.bytes + 1))
    #expect(folder.expand(["big.m3u"]) == ["big.m3u: too large for a playlist"])
    let many = String(repeating: "http://h/\n", count: PlaylistLimits.entries + 5)
    try folder.write("many.m3u", bytes(many))
    #expect(
      folder.expand(["many.m3u"]).first
        == "many.m3u: only the first \(PlaylistLimits.entries) entries are taken")
  }
}

extension Folder {
  static func faults(_ argument: String) -> [String] {
    var expansion = Expansion([bytes(argument)])
    var result: [String] = []
    while let item = expansion.next() {
      if case .fault(let fault) = item { result.append(fault.sentence) }
    }
    return result
  }
}
