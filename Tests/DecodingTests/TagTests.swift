import AudioTypes
import Decoding
import TestSupport
import Testing

/// Tags as programs write them and as bytes of our own. The sound is the same short WAV or MP3.
@Suite struct TagTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  static func frame(_ name: String, _ body: [UInt8], version: Int) -> [UInt8] {
    let size = body.count
    switch version {
    case 2: return Array(name.utf8) + SignalFile.number(size, 3, big: true) + body
    case 3: return Array(name.utf8) + SignalFile.number(size, 4, big: true) + [0, 0] + body
    default:
      return Array(name.utf8) + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } + [0, 0] + body
    }
  }

  static func tag(_ frames: [UInt8], version: Int, flags: UInt8 = 0) -> [UInt8] {
    let size = frames.count
    return Array("ID3".utf8) + [UInt8(version), 0, flags]
      + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } + frames
  }

  /// The info of a WAV file that carries the tag in its own chunk.
  func info(_ tag: [UInt8]) throws -> TrackInfo {
    let file = SignalFile.wave(
      [0, 64], format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000),
      after: SignalFile.chunk("id3 ", tag))
    return try open(folder.write(file, "tagged.wav")).info
  }

  @Test func `id3 texts are read in all versions and encodings`() throws {
    let wide = Array("Žižkov".utf16).flatMap { SignalFile.number($0, 2, big: false) }
    let wideBig = Array("Žižkov".utf16).flatMap { SignalFile.number($0, 2, big: true) }
    let frames2 =
      Self.frame("TT2", [1, 0xFF, 0xFE] + wide, version: 2)
      + Self.frame("TP1", [0] + Array("Ann".utf8) + [0xE9], version: 2)
      + Self.frame("TCO", [0] + Array("(17)".utf8), version: 2)
    let two = try info(Self.tag(frames2, version: 2))
    #expect(two.tag("title") == "Žižkov")
    #expect(two.tag("artist") == "Anné")
    #expect(two.tag("genre") == "Rock")

    let frames3 =
      Self.frame("TIT2", [1, 0xFE, 0xFF] + wideBig, version: 3)
      + Self.frame("TRCK", [0] + Array("3/9".utf8), version: 3)
      + Self.frame("COMM", [0] + Array("eng".utf8) + [0] + Array("Said".utf8), version: 3)
      + Self.frame("COMM", [0] + Array("engiTunNORM".utf8) + [0] + Array("00".utf8), version: 3)
      + Self.frame(
        "USLT", [1] + Array("eng".utf8) + [0xFF, 0xFE, 0, 0, 0xFF, 0xFE] + wide, version: 3)
      + Self.frame(
        "TXXX", [0] + Array("REPLAYGAIN_TRACK_GAIN".utf8) + [0] + Array("-6.50 dB".utf8), version: 3
      )
      + Self.frame(
        "APIC", [0] + Array("image/png".utf8) + [0, 3, 0] + [UInt8](repeating: 1, count: 9000),
        version: 3)
    let three = try info(Self.tag(frames3, version: 3))
    #expect(three.tag("title") == "Žižkov")
    #expect(three.tag("track") == "3/9")
    #expect(three.tags.filter { $0.name == "comment" }.map(\.value) == ["Said"])
    #expect(three.tag("lyrics") == "Žižkov")
    #expect(three.loudness.trackGain == -6.5)
    #expect(three.picture == TrackInfo.Picture(type: "image/png", bytes: 9000))

    let frames4 =
      Self.frame("TPE1", [3] + Array("One".utf8) + [0] + Array("Two".utf8), version: 4)
      + Self.frame("TDRC", [3] + Array("2001-02-03".utf8) + [0], version: 4)
      + Self.frame("TALB", [3] + [UInt8](repeating: 0x41, count: 200), version: 4)
    let four = try info(Self.tag(frames4, version: 4))
    #expect(four.tags.filter { $0.name == "artist" }.map(\.value) == ["One", "Two"])
    #expect(four.tag("date") == "2001-02-03")
    #expect(four.tag("album")?.count == 200)
  }

  @Test func `genres have names up to the last number that is in use`() throws {
    func genre(_ text: String) throws -> String? {
      try info(Self.tag(Self.frame("TCON", [0] + Array(text.utf8), version: 3), version: 3))
        .tag("genre")
    }
    #expect(try genre("(79)") == "Hard Rock")
    #expect(try genre("80") == "Folk")
    #expect(try genre("(137)") == "Heavy Metal")
    #expect(try genre("191") == "Psybient")
    #expect(try genre("192") == "192")
    #expect(try genre("(31)Goa") == "Goa")
  }

  @Test func `a stuffed tag and one with itunes sizes are read`() throws {
    let body: [UInt8] = [1, 0xFF, 0x00, 0xFE] + [0x41, 0, 0xFF, 0, 0x00]
    let stuffed =
      Array("TIT2".utf8) + SignalFile.number(7, 4, big: true) + [0, 0] + body
      + Self.frame("TALB", [0, 0x42], version: 3)
    let one = try info(Self.tag(stuffed, version: 3, flags: 0x80))
    #expect(one.tag("title") == "A\u{FF}")
    #expect(one.tag("album") == "B")
    let long = [3] + [UInt8](repeating: 0x43, count: 300)
    let plain =
      Array("TIT2".utf8) + SignalFile.number(long.count, 4, big: true) + [0, 0] + long
      + Self.frame("TALB", [3, 0x44], version: 4)
    let two = try info(Self.tag(plain, version: 4))
    #expect(two.tag("title")?.count == 300)
    #expect(two.tag("album") == "D")
  }

  @Test func `chapters are read`() throws {
    func chapter(_ start: Int, _ title: String) -> [UInt8] {
      let inner = Self.frame("TIT2", [3] + Array(title.utf8), version: 3)
      let body =
        Array("c\(start)".utf8) + [0] + SignalFile.number(start, 4, big: true)
        + [UInt8](repeating: 0xFF, count: 12) + inner
      return Self.frame("CHAP", body, version: 3)
    }
    let info = try info(Self.tag(chapter(61_500, "Second") + chapter(0, "First"), version: 3))
    #expect(
      info.chapters == [
        TrackInfo.Chapter(start: 0, title: "First"),
        TrackInfo.Chapter(start: 61.5, title: "Second"),
      ])
  }

  @Test func `broken tags give what they can and never harm`() throws {
    let good = Self.tag(
      Self.frame("TIT2", [1, 0xFF, 0xFE, 0x41, 0], version: 4)
        + Self.frame("TXXX", [1, 0xFF, 0xFE, 0x41, 0, 0, 0, 0x42, 0], version: 4)
        + Self.frame("COMM", [1, 1, 2, 3, 0xFF, 0xFE, 0, 0], version: 4)
        + Self.frame("APIC", [1, 0x41, 0, 3, 0x41, 0, 0, 0, 9], version: 4)
        + Self.frame("CHAP", [0x41, 0] + [UInt8](repeating: 0, count: 40), version: 4), version: 4)
    for length in 0..<good.count { _ = try info(Array(good[..<length])) }
    var random = Signals.Seeded(11)
    for _ in 0..<1500 {
      var bad = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bad[Int.random(in: 3..<bad.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      _ = try info(bad)
    }
  }

  @Test(.enabled(if: Tool.isIntegration), arguments: ["flac", "ogg", "mp3", "oga"])
  func `tags that programs write are read`(kind: String) throws {
    let samples = Signals.music(frames: 44100, channels: 2, rate: 44100)
    let wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)), "s.wav")
    let path = folder.file("tagged.\(kind)")
    let pairs = [
      ("title", "Käse & Brot"), ("artist", "Jemand"), ("album", "Sammlung"),
      ("album_artist", "Alle"), ("track", "4"), ("disc", "2"), ("date", "1999"),
      ("genre", "Jazz"), ("composer", "Niemand"), ("REPLAYGAIN_TRACK_GAIN", "-3.21 dB"),
      ("REPLAYGAIN_ALBUM_PEAK", "0.987"),
    ]
    var options = ["-v", "error", "-y", "-i", wave]
    for (name, value) in pairs { options += ["-metadata", "\(name)=\(value)"] }
    let codec = ["flac": "flac", "ogg": "libvorbis", "mp3": "libmp3lame", "oga": "flac"][kind]!
    try Tool.run("ffmpeg", options + ["-c:a", codec, path])
    let info = try open(path).info
    for (name, value) in pairs.dropLast(2) { #expect(info.tag(name) == value, "\(name)") }
    #expect(info.loudness.trackGain == -3.21)
    #expect(info.loudness.albumPeak == 0.987)
    #expect(info.frames == 44100)
  }

  @Test(.enabled(if: Tool.isIntegration))
  func `tags at the end of an mp3 file are read`() throws {
    let samples = Signals.music(frames: 44100, channels: 2, rate: 44100)
    let wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)), "s.wav")
    let path = folder.file("old.mp3")
    try Tool.run(
      "lame", ["--quiet", "--id3v1-only", "--tt", "Old", "--ta", "Who", "--tg", "8", wave, path])
    #expect(try open(path).info.tag("title") == "Old")
    #expect(try open(path).info.tag("genre") == "Jazz")
    var items: [UInt8] = []
    for (name, value) in [("Title", "New"), ("Replaygain_Track_Gain", "+1.5 dB")] {
      items += SignalFile.number(value.utf8.count, 4, big: false) + [0, 0, 0, 0]
      items += Array(name.utf8) + [0] + Array(value.utf8)
    }
    let footer =
      Array("APETAGEX".utf8) + SignalFile.number(2000, 4, big: false)
      + SignalFile.number(items.count + 32, 4, big: false) + SignalFile.number(2, 4, big: false)
      + [UInt8](repeating: 0, count: 12)
    let info = try open(folder.write(folder.read("old.mp3") + items + footer, "ape.mp3")).info
    #expect(info.tag("title") == "New")
    #expect(info.loudness.trackGain == 1.5)
  }
}
