import AudioTypes
import Foundation
import TestSupport
import Testing

@testable import Decoding

/// Files that were made to harm.
@Suite struct HostileFileTests {
  /// A frame of MPEG-1 layer 3, 128 kbit/s, 44.1 kHz, silent.
  private static let frame: [UInt8] =
    [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)

  @Test func `very many tags in the middle of an MP3 are stepped over, one after the other`() throws
  {
    let folder = try TestFolder()
    let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]
    let frames = [[UInt8]](repeating: Self.frame, count: 20).flatMap(\.self)
    let tags = [[UInt8]](repeating: tag, count: 200_000).flatMap(\.self)
    let path = try folder.write(frames + tags + frames, "a.mp3")
    let stream = try MPEGStream(ByteFile(path: Array(path.utf8)))
    #expect(stream.count == 40)
  }

  @Test func `all texts of a file together have a bound, and those left out take no room`() throws {
    var tags = FileTags()
    tags.add("picture", String(repeating: "A", count: 5 << 20))
    for number in 0..<40 { tags.add("n\(number)", String(repeating: "t", count: 200_000)) }
    tags.add("title", "Kept")
    #expect(tags.tags.first?.name == "n0" && tags.tags.last?.value == "Kept")
    func size(_ tags: [(name: String, value: String)]) -> Int {
      tags.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
    #expect(size(tags.tags) <= FileTags.mostBytes && tags.tags.count == 21)

    // Chunk after chunk of a WAV and an AIFF.
    let folder = try TestFolder()
    let text = [UInt8](repeating: 0x74, count: 60_000)
    let list = SignalFile.chunk("LIST", Array("INFO".utf8) + SignalFile.chunk("ICMT", text))
    let wave = SignalFile.wave(
      [0, 64], format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000),
      after: [[UInt8]](repeating: list, count: 200).flatMap(\.self))
    let note = SignalFile.chunk("ANNO", text, big: true)
    let aiff = SignalFile.aiff(
      [0, 64], channels: 1, rate: 8000, bits: 16, frames: 1,
      before: [[UInt8]](repeating: note, count: 200).flatMap(\.self))
    for (name, bytes) in [("a.wav", wave), ("a.aiff", aiff)] {
      let path = try folder.write(bytes, name)
      let found = try TrackOpener.open(TrackLocation(path)).info.tags
      #expect(found.count > 60 && size(found) <= FileTags.mostBytes)
    }
  }

  @Test func `junk of a single letter between the frames of an MP3 is stepped over`() throws {
    let folder = try TestFolder()
    let frames = [[UInt8]](repeating: Self.frame, count: 20).flatMap(\.self)
    for junk in ["I", "ID", "ID3", "IID3\u{7F}"] {
      let bytes = [[UInt8]](repeating: Array(junk.utf8), count: 100_000).flatMap(\.self)
      let path = try folder.write(frames + bytes + frames, "a.mp3")
      let stream = try MPEGStream(ByteFile(path: Array(path.utf8)))
      // What claims to be a tag may claim what stands behind it.
      #expect(junk.contains("ID3") ? (20...40).contains(stream.count) : stream.count == 40)
    }
  }

  /// The file is this process's own memory: a map of a file that has been cut in half since, behind
  /// whose end nothing can be read.
  @Test func `what was read before the disk failed is played, and then the fault is told`() throws {
    let folder = try TestFolder()
    let half = 32 << 10
    let map = open(
      try folder.write([UInt8](repeating: 0x20, count: 2 * half), "map"), O_RDWR)
    let memory = open("/proc/self/mem", O_RDONLY)
    defer {
      close(map)
      close(memory)
    }
    let start = mmap(nil, 2 * half, PROT_READ, MAP_SHARED, map, 0)!
    defer { munmap(start, 2 * half) }
    try #require(ftruncate(map, off_t(half)) == 0)
    let file = try ByteFile(path: Array(folder.write([1], "a.wav").utf8))
    try #require(memory >= 0 && dup2(memory, file.descriptor) >= 0)
    let source = PCMSource(
      container: "WAV", codec: "PCM", coding: .signed16(big: false), sampleRate: 44100,
      layout: .usual(channels: 1), frameBytes: 2, dataOffset: Int64(Int(bitPattern: start)),
      frames: Int64(half))
    let decoder = try PCMDecoder(file: file, source: source, tags: FileTags())
    let got = UnsafeMutableBufferPointer<Float>.allocate(capacity: half)
    defer { got.deallocate() }
    #expect(try decoder.read(into: got) == half / 2)
    #expect(got[0] == 0x2020 / 32768.0 && got[half / 2 - 1] == got[0])
    let fault = #expect(throws: DecodingError.self) { try decoder.read(into: got) }
    #expect(fault?.code == .ioError)
    try decoder.seek(to: 100)
    #expect(try decoder.read(into: got) == half / 2 - 100)
  }

  @Test func `a rate of bits that is none is not known`() {
    #expect(TrackInfo.averageBitRate(bytes: 16_000, seconds: 1) == 128_000)
    #expect(TrackInfo.averageBitRate(bytes: .max, seconds: 1e-9) == nil)
    #expect(TrackInfo.averageBitRate(bytes: 1, seconds: 0) == nil)
    #expect(TrackInfo.averageBitRate(bytes: 0, seconds: 0) == nil)
  }

  @Test func `the edit of an MP4 that begins beyond all numbers is none`() throws {
    func big(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
      SignalFile.number(value, count, big: true)
    }
    func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
      big(body.count + 8, 4) + Array(name.utf8) + body
    }
    let head = [UInt8](repeating: 0, count: 12)
    let rest = [UInt8](repeating: 0, count: 8)
    func file(length: [UInt8], edit: Int64, duration: Int64) -> [UInt8] {
      let edits = [1, 0, 0, 0] + big(1, 4) + big(duration, 8) + big(edit, 8) + big(0x10000, 4)
      let media =
        box("mdhd", head + big(1, 4) + rest) + box("hdlr", Array(head[..<8]) + Array("soun".utf8))
        + box("minf", box("stbl", box("stts", big(0, 4) + big(1, 4) + length)))
      let track =
        box("tkhd", head + big(1, 4) + rest) + box("edts", box("elst", edits)) + box("mdia", media)
      return box("ftyp", Array("M4A ".utf8) + big(0, 4))
        + box("moov", box("mvhd", head + big(1, 4) + rest) + box("trak", track))
    }
    let folder = try TestFolder()
    func facts(_ bytes: [UInt8]) throws -> Double? {
      let reader = try ByteFile(path: Array(folder.write(bytes, "a.m4a").utf8))
      return MP4Facts.read(reader.descriptor).duration
    }
    #expect(try facts(file(length: big(10, 4) + big(1, 4), edit: 2, duration: 5)) == 5)
    let longest = big(UInt32(0x7FFF_FFFF), 4) + big(UInt32(0xFFFF_FFFF), 4)
    let odd = file(length: longest, edit: 0x7FFF_FFF0_0000_0000, duration: .max)
    #expect(try facts(odd) == nil)
  }

  @Test(.enabled(if: FFmpegDecoder.isAvailable, "needs FFmpeg"))
  func `a packet that claims to last for centuries is as long as what it decodes to`() throws {
    let folder = try TestFolder()
    for (scale, rate, duration) in [
      (4_000_000_000, 12_000_000, 1 << 30), (4_000_000_000, 48000, 1 << 62),
      (1_000_000_000, 48000, 1 << 40), (1_000_000, 48000, 1),
    ] as [(UInt64, Double, UInt64)] {
      let path = try folder.write(
        TinyMatroska.file(scale: scale, rate: rate, blocks: 200, duration: duration), "a.mka")
      let decoder = try FFmpegDecoder(path: Array(path.utf8), isURL: false)
      let frames = 200 * TinyMatroska.blockFrames
      #expect(try decoder.takeAll().count == frames)
      try decoder.seek(to: 1000)
      #expect(try decoder.takeAll().count == frames - 1000)
      try decoder.seek(to: .max)
      #expect(try decoder.takeAll().isEmpty)
    }
  }
}
