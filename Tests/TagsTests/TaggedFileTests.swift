import AudioTypes
import Decoding
import TestSupport
import Testing

@testable import Tags

/// Files of every format with the same tags, against the record that they must give. Without TagLib
/// FFmpeg reads them, which `sotto info` tests.
@Suite(.enabled(if: Tool.isIntegration && TagLibrary.isAvailable)) struct TaggedFileTests {
  private func encoder(seconds: Int = 2) throws -> Encoder {
    let samples = (0..<44100 * 2 * seconds).map { Int32(($0 * 7919) % 20011) - 10005 }
    return try Encoder(TestFolder(), samples: samples)
  }

  @Test("what a file says of itself is read from every format", arguments: TaggedFiles.formats)
  func tags(_ format: TaggedFiles.Format) throws {
    let encoder = try encoder()
    defer { withExtendedLifetime(encoder) {} }
    let path = try TaggedFiles.make(format, encoder)
    let reading = try TagReader.read(Array(path.utf8))
    let record = reading.record
    func many(_ values: [String]) -> [String] { format.hasManyValues ? values : [values[0]] }
    #expect(record.title == TaggedFiles.title)
    // A WMA file keeps the first of many values in one object of its header and the others in
    // another, and which of the two comes first is the encoder's choice: their order is not told.
    let isUnordered = format.name == "a.wma"
    func ordered(_ values: [String]) -> [String] { isUnordered ? values.sorted() : values }
    #expect(record.artists == many(TaggedFiles.artists))
    #expect(record.albumArtists == [TaggedFiles.albumArtist])
    #expect(record.album == TaggedFiles.album)
    #expect(record.track == 3)
    #expect(record.trackTotal == 12)
    #expect(record.disc == 1)
    #expect(record.discTotal == 2)
    #expect(record.date == "1997-05-21")
    #expect(record.originalDate == "1985")
    #expect(record.year == 1985)
    #expect(ordered(record.genres) == ordered(many(TaggedFiles.genres)))
    #expect(ordered(record.composers) == ordered(many(TaggedFiles.composers)))
    #expect(record.comment == TaggedFiles.comment)
    #expect(record.isCompilation)
    #expect(record.rating == (format.hasRating ? 0.8 : nil))
    #expect(record.hasLyrics)
    #expect(record.hasPicture == format.hasPicture)
    #expect(record.loudness.trackGain == -6.5)
    #expect(record.loudness.albumGain == -5)
    #expect(record.loudness.trackPeak == (format.isR128 ? nil : 0.5))
    #expect(record.loudness.albumPeak == (format.isR128 ? nil : 0.75))
    #expect(
      record.musicBrainz == ["recording": TaggedFiles.recording, "release": TaggedFiles.release])
    #expect(reading.chapters.isEmpty)
    #expect(reading.cueSheet == nil)
  }

  @Test(
    "its length, format and codec are those of sotto info", arguments: TaggedFiles.formats)
  func facts(_ format: TaggedFiles.Format) throws {
    let encoder = try encoder()
    defer { withExtendedLifetime(encoder) {} }
    let path = Array(try TaggedFiles.make(format, encoder).utf8)
    let record = try TagReader.read(path).record
    let info = try TrackOpener.info(TrackLocation(path: path))
    #expect(record.container == info.container)
    #expect(record.codec == info.codec)
    #expect(record.sampleRate == info.format.sampleRate)
    #expect(record.channels == info.format.channels)
    #expect(record.bitDepth == info.bitDepth)
    let duration = try #require(record.duration)
    let told = try #require(info.duration)
    #expect(abs(duration - told) < 0.03, "\(duration) s, and \(told) s")
  }

  @Test func `an MP3 that was cut off is as long as what is left of it`() throws {
    let encoder = try encoder(seconds: 20)
    let whole = try encoder.tool(["lame", "--quiet", "-V2", "{in}", "{out}"], "whole.mp3")
    let bytes = try encoder.folder.read("whole.mp3")
    let path = try encoder.folder.write(Array(bytes[..<(bytes.count / 4)]), "cut.mp3")
    let full = try #require(try TagReader.read(Array(whole.utf8)).record.duration)
    let part = try #require(try TagReader.read(Array(path.utf8)).record.duration)
    #expect(abs(full - 20) < 0.001)
    #expect(part < 10)
    #expect(try TrackOpener.info(TrackLocation(path)).duration == part)
  }

  @Test func `an MP3 of changing rate without a tag is counted`() throws {
    let encoder = try encoder(seconds: 20)
    var pieces: [UInt8] = []
    for rate in ["64", "320"] {
      _ = try encoder.tool(
        ["lame", "--quiet", "-t", "-b", rate, "{in}", "{out}"], "\(rate).mp3")
      pieces += try encoder.folder.read("\(rate).mp3")
    }
    let path = try encoder.folder.write(pieces, "both.mp3")
    let record = try TagReader.read(Array(path.utf8)).record
    #expect(record.duration == (try TrackOpener.info(TrackLocation(path)).duration))
  }

  @Test func `chapters of MP4 Matroska Ogg and ID3 are named with their beginnings`() throws {
    let encoder = try encoder(seconds: 6)
    let words =
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=One\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=6000\ntitle=Zwei\n"
    let list = try encoder.folder.write(Array(words.utf8), "chapters.txt")
    let mapping = ["-f", "ffmetadata", "-i", list, "-map_metadata", "1", "-map_chapters", "1"]
    for name in ["book.m4b", "book.mka", "book.mp3", "book.ogg"] {
      let path: String
      if name.hasSuffix("ogg") {
        path = try encoder.tool(
          [
            "oggenc", "-Q", "-c", "CHAPTER000=00:00:00.000", "-c", "CHAPTER000NAME=One", "-c",
            "CHAPTER001=00:00:02.000", "-c", "CHAPTER001NAME=Zwei", "-o", "{out}", "{in}",
          ], name)
      } else {
        path = try encoder.ffmpeg(name, mapping + ["-map", "0:a"])
      }
      let reading = try TagReader.read(Array(path.utf8))
      #expect(reading.chapters.map(\.title) == ["One", "Zwei"], "\(name)")
      #expect(reading.chapters.map(\.start) == [0, 2], "\(name)")
    }
  }

  @Test func `an embedded sheet is handed on as it is`() throws {
    let encoder = try encoder()
    let path = try encoder.tool(["flac", "-s", "-f", "-o", "{out}", "{in}"], "a.flac")
    let sheet = "FILE \"a.flac\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n"
    let file = try encoder.folder.write(Array(sheet.utf8), "sheet.txt")
    try Tool.run("metaflac", ["--set-tag-from-file=CUESHEET=\(file)", path])
    #expect(try TagReader.read(Array(path.utf8)).cueSheet == sheet.trimmingEnd())
  }

  @Test("damaged files are read or refused, and nothing else", arguments: TaggedFiles.formats)
  func damage(_ format: TaggedFiles.Format) throws {
    let encoder = try encoder()
    _ = try TaggedFiles.make(format, encoder)
    let bytes = try encoder.folder.read(format.name)
    var seed: UInt64 = 0x9E37_79B9
    func random(_ limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % limit
    }
    var read = 0
    for round in 0..<150 {
      var broken = bytes
      if round % 3 == 0 { broken.removeLast(random(broken.count)) }
      // Most of what is read stands at the beginning and at the end.
      for _ in 0..<(1 + random(20)) where !broken.isEmpty {
        let zone = min(broken.count, 4096)
        let place = random(2) == 0 ? random(zone) : broken.count - 1 - random(zone)
        broken[place] = [0, 0xFF, 0x7F, 0x80, UInt8(random(256))][random(5)]
      }
      let path = try encoder.folder.write(broken, "broken-" + format.name)
      do {
        _ = try TagReader.read(Array(path.utf8))
        read += 1
      } catch {
        #expect(!error.sentence.isEmpty)
      }
    }
    #expect(read > 0, "no damaged file could be read: the damage is too much to try anything")
  }

  @Test func `what is no file of music is refused with a reason and never waited for`() throws {
    let folder = try TestFolder()
    let text = try folder.write(Array("words and words\n".utf8), "text.mp3")
    #expect(throws: DecodingError.self) { try TagReader.read(Array(text.utf8)) }
    let empty = try folder.write([], "empty.flac")
    #expect(throws: DecodingError.self) { try TagReader.read(Array(empty.utf8)) }
    try Tool.run("mkfifo", [folder.file("pipe.mp3")])
    #expect(throws: DecodingError.self) { try TagReader.read(Array(folder.file("pipe.mp3").utf8)) }
    #expect(throws: DecodingError.self) { try TagReader.read(Array(folder.path.utf8)) }
    #expect(throws: DecodingError.self) { try TagReader.read(Array(folder.file("none.ogg").utf8)) }
  }
}

extension String {
  fileprivate func trimmingEnd() -> String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
