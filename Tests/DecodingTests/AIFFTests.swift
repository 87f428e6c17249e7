import AudioTypes
import Decoding
import TestSupport
import Testing

@Suite struct AIFFTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  static let kinds: [(String?, SignalFile.Coding, big: Bool)] = [
    (nil, .signed8, true), (nil, .signed16, true), (nil, .signed24, true), (nil, .signed32, true),
    ("NONE", .signed16, true), ("twos", .signed16, true), ("sowt", .signed16, false),
    ("sowt", .signed24, false), ("in24", .signed24, true), ("in32", .signed32, true),
    ("fl32", .float32, true), ("FL32", .float32, true), ("fl64", .float64, true),
    ("raw ", .unsigned8, true),
  ]

  @Test func `every kind is exact`() throws {
    for (kind, coding, big) in Self.kinds {
      for channels in [1, 2, 6, 8] {
        let samples = Signals.coded(frames: 1200, channels: channels, bits: coding.bits)
        let file = SignalFile.aiff(
          SignalFile.bytes(samples, coding, big: big), channels: channels, rate: 44100,
          bits: coding.bytes * 8, frames: 1200, kind: kind, offset: channels == 2 ? 6 : 0)
        let decoder = try open(folder.write(file, "\(kind ?? "plain")-\(coding)-\(channels)"))
        #expect(decoder.frames == 1200)
        #expect(decoder.format.sampleRate == 44100)
        let same = try decoder.takeAll() == SignalFile.floats(samples, bits: coding.bits)
        #expect(same, "\(kind ?? "AIFF") \(coding) \(channels)")
      }
    }
  }

  @Test(arguments: [1, 8000, 11025, 22050, 32000, 44100, 48000, 88200, 96000, 192_000, 384_000])
  func `the rate is read from its eighty bits`(rate: Int) throws {
    let file = SignalFile.aiff([0, 0], channels: 1, rate: rate, bits: 16, frames: 1)
    #expect(try open(folder.write(file, "rate")).format.sampleRate == rate)
  }

  @Test func `twelve bits stand at the top of two bytes`() throws {
    let file = SignalFile.aiff([0x40, 0, 0xC0, 0x10], channels: 1, rate: 8000, bits: 12, frames: 2)
    let decoder = try open(folder.write(file, "twelve"))
    #expect(decoder.info.bitDepth == 12)
    #expect(try decoder.takeAll() == [0.5, Float(-16368) / 32768])
  }

  @Test func `tags are read before and after the samples`() throws {
    let file = SignalFile.aiff(
      [1, 2], channels: 1, rate: 8000, bits: 16, frames: 1,
      before: SignalFile.chunk("NAME", Array("Odd".utf8), big: true),
      after: SignalFile.chunk("AUTH", Array("Somebody".utf8), big: true)
        + SignalFile.chunk("ANNO", Array("Said".utf8), big: true))
    let decoder = try open(folder.write(file, "tags"))
    #expect(decoder.info.tag("title") == "Odd")
    #expect(decoder.info.tag("artist") == "Somebody")
    #expect(decoder.info.tag("comment") == "Said")
    #expect(try decoder.takeAll() == [Float(0x102) / 32768])
  }

  @Test func `sizes that a streaming writer left open reach to the end of the file`() throws {
    let samples = Signals.coded(frames: 333, channels: 2, bits: 16)
    let bytes = SignalFile.bytes(samples, .signed16, big: true)
    for (frames, size): (Int, UInt32?) in [(0, 0), (0, nil), (333, 0), (0, 0xFFFF_FFFF)] {
      let file = SignalFile.aiff(
        bytes, channels: 2, rate: 44100, bits: 16, frames: frames, soundSize: size)
      let decoder = try open(folder.write(file, "open"))
      #expect(decoder.frames == 333)
      #expect(try decoder.takeAll() == SignalFile.floats(samples, bits: 16))
    }
  }

  @Test func `500 seeks on one handle are exact`() throws {
    let samples = Signals.coded(frames: 20_000, channels: 1, bits: 16)
    let file = SignalFile.aiff(
      SignalFile.bytes(samples, .signed16, big: true), channels: 1, rate: 44100, bits: 16,
      frames: 20_000)
    let decoder = try open(folder.write(file, "seek"))
    #expect(try wrongSeeks(decoder, straight: SignalFile.floats(samples, bits: 16)).isEmpty)
  }
}
