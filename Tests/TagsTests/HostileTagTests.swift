import AudioTypes
import Decoding
import Foundation
import TestSupport
import Testing

@testable import Tags

/// Files that were made to harm: what lies in each other without end, texts without end.
@Suite struct HostileTagTests {
  private func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
    SignalFile.number(value, count, big: true)
  }

  /// Boxes of those names, one in another, the last one empty.
  private func boxes(_ names: [String]) -> [UInt8] {
    names.enumerated().reduce(into: []) { bytes, level in
      bytes += big((names.count - level.offset) * 8) + Array(level.element.utf8)
    }
  }

  /// Chapters or tables of contents of ID3v2.3, one in another.
  private func chapters(only name: String, deep depth: Int) -> [UInt8] {
    // A table of contents: its name, flags, no entries. A chapter: its name and four numbers.
    let body: [UInt8] =
      [0x61, 0] + (name == "CTOC" ? [0, 0] : [UInt8](repeating: 0, count: 16))
    let size = 10 + body.count
    return (0..<depth).reduce(into: []) { bytes, level in
      bytes += Array(name.utf8) + big((depth - level) * size - 10) + [0, 0] + body
    }
  }

  private func tag(_ frames: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    let size = (0..<4).map { UInt8(frames.count >> (21 - 7 * $0) & 0x7F) }
    return Array("ID3".utf8) + [3, 0, flags] + size + frames
  }

  /// A second of silence in MP3.
  private static let silence: [UInt8] = (0..<40).flatMap { _ in
    [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
  }

  private func opened<Result>(
    _ bytes: [UInt8], _ name: String, _ body: (Int32) throws -> Result
  ) throws -> Result {
    let folder = try TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let descriptor = open(try folder.write(bytes, name), O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    // Ours is an exception that leaves TagLib in the middle of a file: what it holds then is lost.
    return try Tool.leaving { try body(descriptor) }
  }

  private func read(_ bytes: [UInt8], _ name: String) throws -> FileReading {
    let folder = try TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = try folder.write(bytes, name)
    return try Tool.leaving { try TagReader.read(Array(path.utf8)) }
  }

  // MARK: Depth

  private static let head: [UInt8] = [0, 0, 0, 16] + Array("ftypM4A ".utf8) + [0, 0, 0, 0]

  @Test(arguments: [
    ["moov"], ["moov", "trak"], ["udta"], ["moov", "udta", "meta"], ["trak"], ["mdia"], ["minf"],
    ["stbl"], ["moof", "traf"],
  ])
  func `boxes of MP4 that lie in each other a hundred thousand deep are a damaged file`(
    _ names: [String]
  ) throws {
    let all = ["moov"] + (0..<100_000).map { names[$0 % names.count] }
    let bytes = Self.head + boxes(all)
    if TagLibrary.isAvailable {
      #expect(try opened(bytes, "a.m4a") { TagLibrary.read($0)?.codec } == nil)
    }
    #expect(throws: DecodingError.self) { try read(bytes, "a.m4a") }
  }

  @Test(arguments: ["trak", "mdia", "minf", "stbl", "edts"])
  func `the header of an MP4 is read no deeper than it can be`(_ name: String) throws {
    let all = ["moov", "trak"] + [String](repeating: name, count: 100_000)
    #expect(try opened(Self.head + boxes(all), "a.m4a") { MP4Facts.read($0).duration } == nil)
  }

  @Test(
    .enabled(if: TagLibrary.isAvailable, "TagLib is not installed"),
    arguments: ["a.mp3", "a.flac", "a.tta", "a.wav", "a.aiff"], ["CHAP", "CTOC"])
  func `chapters of ID3v2 that lie in each other are not followed by TagLib`(
    _ file: String, _ name: String
  ) throws {
    let deep = tag(chapters(only: name, deep: 20_000))
    #expect(try opened(container(file, deep), file) { TagLibrary.read($0)?.codec } == nil)
    // The other reader is asked, and whatever it says it comes back.
    _ = try? read(container(file, deep), file)
  }

  /// A short file of that kind with a tag in its place.
  private func container(_ file: String, _ tag: [UInt8]) -> [UInt8] {
    let samples = (0..<8000).map { Int32($0 % 100) }
    switch file {
    case "a.mp3": return tag + Self.silence
    case "a.flac":
      // 4096 samples a block, 44.1 kHz, 2 channels, 16 bits, a second.
      let info: [UInt8] =
        [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0, 0, 0, 0xAC, 0x44]
        + [UInt8](repeating: 0, count: 16)
      return tag + Array("fLaC".utf8) + [0x80, 0, 0, 34] + info + [0xFF, 0xF8, 0xC9, 0x18]
    case "a.tta":
      return tag + Array("TTA1".utf8) + [1, 0, 2, 0, 16, 0, 0x44, 0xAC, 0, 0, 0x44, 0xAC, 0, 0]
        + [UInt8](repeating: 0, count: 64)
    case "a.wav":
      return SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000),
        after: SignalFile.chunk("id3 ", tag))
    default:
      return SignalFile.aiff(
        SignalFile.bytes(samples, .signed16, big: true), channels: 1, rate: 8000, bits: 16,
        frames: samples.count, before: SignalFile.chunk("ID3 ", tag, big: true))
    }
  }

  @Test(.enabled(if: TagLibrary.isAvailable, "TagLib is not installed"))
  func `a chapter in which something is packed is not opened`() throws {
    var frames = chapters(only: "CHAP", deep: 2)
    frames[9] = 0x80
    let bytes = tag(frames) + Self.silence
    #expect(try opened(bytes, "a.mp3") { TagLibrary.read($0)?.codec } == nil)
  }

  @Test(
    .enabled(if: TagLibrary.isAvailable, "TagLib is not installed"),
    arguments: ["a.mp3", "a.wav", "a.aiff", "a.tta"])
  func `many chapters one after the other are read, whatever they are called`(_ file: String) throws
  {
    var frames: [UInt8] = []
    for number in 0..<300 {
      let text = [0] + Array("CHAPTER \(number)".utf8)
      let title = Array("TIT2".utf8) + big(text.count) + [0, 0] + text
      let body =
        Array("c\(number)".utf8) + [0] + big(number * 2) + big(number * 2 + 2)
        + [UInt8](repeating: 0xFF, count: 8) + title
      frames += Array("CHAP".utf8) + big(body.count) + [0, 0] + body
    }
    let found = try #require(
      try opened(container(file, tag(frames)), file) { TagLibrary.read($0) })
    #expect(found.chapters.count == 300)
    #expect(found.chapters[299].title == "CHAPTER 299")
  }

  // MARK: Length

  private func record(_ tags: [(name: String, value: String)]) -> TrackRecord {
    var record = TrackRecord()
    TagFields(tags).fill(&record)
    return record
  }

  @Test func `texts are cut between characters`() {
    let long = String(repeating: "\u{20AC}", count: 100_000)
    let found = record([
      ("TITLE", long), ("ALBUM", "x" + long), ("COMMENT", long), ("DATE", "1997 " + long),
      ("MUSICBRAINZ_ALBUMID", long),
    ])
    #expect(found.title == String(repeating: "\u{20AC}", count: 341))
    #expect(found.album == "x" + String(repeating: "\u{20AC}", count: 341))
    #expect(found.comment == String(repeating: "\u{20AC}", count: 1365))
    #expect(found.year == 1997)
    #expect((found.date?.utf8.count ?? 0) <= 1024)
    #expect((found.musicBrainz["release"]?.utf8.count ?? 0) <= 1024)
    #expect(TextLimits.cut("", to: 0) == "")
    #expect(TextLimits.cut("\u{20AC}", to: 2) == "")
    #expect(TextLimits.cut("\u{20AC}", to: 3) == "\u{20AC}")
  }

  @Test func `of very many values the first ones are kept`() {
    let many = (0..<5000).map { ("ARTIST", "Artist \($0)") }
    let found = record(many + (0..<100).map { ("GENRE", String(repeating: "\($0)", count: 1000)) })
    #expect(found.artists == (0..<64).map { "Artist \($0)" })
    #expect(found.genres.count < 10)
    #expect(found.genres.reduce(0) { $0 + $1.utf8.count } <= 4096)
  }

  @Test(.enabled(if: TagLibrary.isAvailable, "TagLib is not installed"))
  func `a text that is left out takes no room from those behind it`() throws {
    func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + big(body.count) + [0, 0] + body
    }
    let long = [0] + Array("AAA".utf8) + [0] + [UInt8](repeating: 0x41, count: 5 << 20)
    let bytes =
      tag(frame("TXXX", long) + frame("TIT2", [0] + Array("Kept".utf8))) + Self.silence
    #expect(try read(bytes, "a.mp3").record.title == "Kept")
  }

  @Test func `a file names no more than a thousand chapters`() throws {
    var frames: [UInt8] = []
    for number in 0..<3000 {
      let body = Array("c\(number)".utf8) + [0] + big(number * 2) + [UInt8](repeating: 0, count: 12)
      frames += Array("CHAP".utf8) + big(body.count) + [0, 0] + body
    }
    let found = try read(tag(frames) + Self.silence, "a.mp3")
    #expect(found.chapters.count <= 1000)
    #expect(found.chapters.count > 100)
  }
}
