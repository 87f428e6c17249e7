import AudioTypes
import Foundation
import OutputInterface
import TestSupport
import Testing

@testable import AudioOutput

@Suite struct WAVWriterTests {
  /// The chunks of a WAV file by their names, read by this test's own few lines.
  private static func chunks(_ bytes: [UInt8]) -> [String: [UInt8]] {
    var chunks: [String: [UInt8]] = [:]
    var place = 12
    while place + 8 <= bytes.count {
      let size = number(bytes, place + 4, 4)
      let end = min(bytes.count, place + 8 + size)
      chunks[String(decoding: bytes[place..<(place + 4)], as: UTF8.self)] = Array(
        bytes[(place + 8)..<end])
      place = end + size % 2
    }
    return chunks
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }

  private static func write(
    _ samples: [Float], layout: ChannelLayout, sample: WAVWriter.Sample
  ) throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "sotto-" + UUID().uuidString + ".wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let format = AudioFormat(sampleRate: 48000, layout: layout)
    let writer = try WAVWriter(path: Array(path.utf8), format: format, sample: sample)
    try samples.withUnsafeBufferPointer { try writer.write($0) }
    try writer.finish()
    try writer.finish()
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test func `Integers of 16 and 24 bits come back bit for bit`() throws {
    let steps: [Int] = [0, 1, -1, 32767, -32768, 12345]
    let bytes = try Self.write(
      steps.map { Float($0) / 32768 }, layout: .stereo, sample: .s16)
    #expect(Self.number(bytes, 4, 4) == bytes.count - 8)
    let chunks = Self.chunks(bytes)
    let data = try #require(chunks["data"])
    #expect(
      (0..<steps.count).map { Int(Int16(truncatingIfNeeded: Self.number(data, 2 * $0, 2))) }
        == steps)
    #expect(Self.number(try #require(chunks["fmt "]), 0, 2) == 1)

    let fine = [8_388_607, -8_388_608, 1, -1, 0]
    let deep = Self.chunks(
      try Self.write(fine.map { Float($0) / 8_388_608 }, layout: .mono, sample: .s24))
    let packed = try #require(deep["data"])
    #expect(
      fine.indices.map { (Self.number(packed, 3 * $0, 3) << 40) >> 40 } == fine)
    #expect(Self.number(try #require(deep["fmt "]), 0, 2) == 0xFFFE)
  }

  @Test func `Floats are untouched, and too loud ones are held at full scale as integers`() throws {
    let samples: [Float] = [0.1, -2.5, .pi, 1e-20]
    let data = try #require(
      Self.chunks(try Self.write(samples, layout: .mono, sample: .f32))["data"])
    #expect(
      samples.indices.map { Float(bitPattern: UInt32(Self.number(data, 4 * $0, 4))) } == samples)
    #expect(WAVWriter.integer(2, 32768) == 32767)
    #expect(WAVWriter.integer(-2, 32768) == -32768)
    #expect(WAVWriter.integer(.nan, 32768) == 0)
    #expect(WAVWriter.integer(.infinity, 8_388_608) == 8_388_607)
  }

  @Test func `Channels stand in the order of the mask`() throws {
    let layout = ChannelLayout([.frontCenter, .frontLeft, .lowFrequency, .frontRight])
    let chunks = Self.chunks(try Self.write([1, 2, 3, 4], layout: layout, sample: .f32))
    let data = try #require(chunks["data"])
    #expect(
      (0..<4).map { Float(bitPattern: UInt32(Self.number(data, 4 * $0, 4))) } == [2, 4, 1, 3])
    #expect(Self.number(try #require(chunks["fmt "]), 20, 4) == 0xF)
    #expect(WAVWriter.waveOrder(ChannelLayout([.unknown, .unknown])).mask == 0)
  }

  @Test func `Beyond 4 GiB the header is RF64 of the same length`() {
    let format = AudioFormat(sampleRate: 48000, layout: .stereo)
    let short = WAVWriter.header(format: format, sample: .f32, mask: 3, frames: 10)
    let unknown = WAVWriter.header(format: format, sample: .f32, mask: 3, frames: nil)
    let frames = 1 << 30
    let long = WAVWriter.header(format: format, sample: .f32, mask: 3, frames: Int64(frames))
    #expect(short.count == long.count && short.count == unknown.count)
    #expect(String(decoding: long[..<4], as: UTF8.self) == "RF64")
    #expect(String(decoding: long[12..<16], as: UTF8.self) == "ds64")
    #expect(Self.number(long, 20, 8) == long.count - 8 + frames * 8)
    #expect(Self.number(long, 28, 8) == frames * 8)
    #expect(Self.number(long, 36, 8) == frames)
    #expect(Self.number(long, long.count - 4, 4) == 0xFFFF_FFFF)
  }

  @Test func `A file that cannot be made is an error in a sentence`() {
    let format = AudioFormat(sampleRate: 48000, layout: .stereo)
    #expect(throws: OutputError.self) {
      try WAVWriter(path: Array("/nowhere/a.wav".utf8), format: format, sample: .s16)
    }
    do throws(OutputError) {
      let full = try WAVWriter(path: Array("/dev/full".utf8), format: format, sample: .s16)
      try full.finish()
      Issue.record("a full device took a file")
    } catch {
      #expect(error.code == .fileError)
      #expect(error.sentence.contains("No space left on device"))
    }
  }
}

@Suite struct `A pipe as output` {
  @Test func `without a reader is an error where nobody is waited for, and not a hang`() throws {
    let folder = try TestFolder()
    let path = folder.path + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: OutputError.self) {
      try WAVWriter(
        path: Array(path.utf8), format: AudioFormat(sampleRate: 8000, layout: .stereo),
        sample: .s16, waitsForReader: false)
    }
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let writer = try WAVWriter(
      path: Array(path.utf8), format: AudioFormat(sampleRate: 8000, layout: .stereo),
      sample: .s16, waitsForReader: false)
    try writer.finish()
    var head = [UInt8](repeating: 0, count: 4)
    #expect(read(reader, &head, 4) == 4)
    #expect(head == Array("RIFF".utf8))
  }
}
