import AudioTypes
import Decoding
import TestSupport
import Testing

@Suite struct WaveTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  static let codings: [SignalFile.Coding] = [
    .unsigned8, .signed16, .signed24, .signed32, .float32, .float64,
  ]

  @Test(arguments: codings, [1, 2, 3, 6, 8, 32])
  func `every coding and number of channels is exact`(
    coding: SignalFile.Coding, channels: Int
  ) throws {
    let samples = Signals.coded(frames: 1500, channels: channels, bits: coding.bits)
    for kind in ["RIFF", "RIFX", "RF64", "BW64"] {
      let big = kind == "RIFX"
      let file = SignalFile.wave(
        SignalFile.bytes(samples, coding, big: big),
        format: SignalFile.waveFormat(coding, channels: channels, rate: 48000, big: big),
        kind: kind)
      let decoder = try open(folder.write(file, "\(kind)-\(coding)-\(channels)"))
      #expect(decoder.frames == 1500)
      #expect(decoder.format == AudioFormat(sampleRate: 48000, layout: .usual(channels: channels)))
      let same = try decoder.takeAll(piece: 999) == SignalFile.floats(samples, bits: coding.bits)
      #expect(same, "\(kind)")
    }
  }

  @Test func `wave64 is exact`() throws {
    for coding in Self.codings {
      let samples = Signals.coded(frames: 1001, channels: 2, bits: coding.bits)
      let file = SignalFile.wave64(
        SignalFile.bytes(samples, coding, big: false),
        format: SignalFile.waveFormat(coding, channels: 2, rate: 96000))
      let decoder = try open(folder.write(file, "\(coding)"))
      #expect(decoder.frames == 1001)
      #expect(try decoder.takeAll() == SignalFile.floats(samples, bits: coding.bits))
    }
  }

  @Test func `an extensible format names its channels and its bits`() throws {
    let samples = Signals.coded(frames: 500, channels: 6, bits: 24)
    for kind in ["RIFF", "RIFX"] {
      let big = kind == "RIFX"
      let file = SignalFile.wave(
        SignalFile.bytes(samples, .signed24, big: big),
        format: SignalFile.waveFormat(
          .signed24, channels: 6, rate: 44100, big: big, mask: 0x60F, validBits: 20),
        kind: kind)
      let decoder = try open(folder.write(file, kind))
      #expect(
        decoder.format.layout.channels
          == [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight])
      #expect(decoder.info.bitDepth == 20)
      #expect(try decoder.takeAll() == SignalFile.floats(samples, bits: 24))
    }
  }

  @Test func `sizes that a streaming writer left open reach to the end of the file`() throws {
    let samples = Signals.coded(frames: 777, channels: 2, bits: 16)
    let bytes = SignalFile.bytes(samples, .signed16, big: false)
    let format = SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)
    for (data, riff): (UInt32, UInt32) in [
      (0, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (0x7FFF_F000, 0x7FFF_F024), (0, 0xFFFF_FFFF),
      (UInt32(bytes.count) + 9999, 36),
    ] {
      let file = SignalFile.wave(bytes, format: format, dataSize: data, riffSize: riff)
      let decoder = try open(folder.write(file, "\(data)-\(riff)"))
      #expect(decoder.frames == 777)
      #expect(try decoder.takeAll() == SignalFile.floats(samples, bits: 16))
    }
  }

  @Test func `a file without samples has none`() throws {
    let format = SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)
    let info = SignalFile.chunk("LIST", Array("INFO".utf8) + SignalFile.chunk("INAM", [65, 66]))
    let decoder = try open(
      folder.write(SignalFile.wave([], format: format, after: info), "none.wav"))
    #expect(decoder.frames == 0)
    #expect(try decoder.takeAll().isEmpty)
    #expect(decoder.info.tag("title") == "AB")
  }

  @Test func `other chunks are stepped over and tags are read`() throws {
    let samples = Signals.coded(frames: 100, channels: 1, bits: 16)
    let tags =
      Array("INFO".utf8) + SignalFile.chunk("IART", Array("Ann\u{e9}".utf8))
      + SignalFile.chunk("INAM", [0x43, 0x61, 0x66, 0xE9, 0]) + SignalFile.chunk("ICRD", [0x32])
    let file = SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000),
      before: SignalFile.chunk("JUNK", [1, 2, 3]) + SignalFile.chunk("bext", [9]),
      after: SignalFile.chunk("LIST", tags))
    let decoder = try open(folder.write(file, "tags"))
    #expect(try decoder.takeAll() == SignalFile.floats(samples, bits: 16))
    #expect(decoder.info.tag("artist") == "Ann\u{e9}")
    #expect(decoder.info.tag("title") == "Caf\u{e9}")
    #expect(decoder.info.tag("date") == "2")
  }

  @Test func `what is no number is silence`() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 0.5, 3]
    let bytes = values.flatMap { SignalFile.number($0.bitPattern, 4, big: false) }
    let file = SignalFile.wave(
      bytes, format: SignalFile.waveFormat(.float32, channels: 1, rate: 8000))
    #expect(try open(folder.write(file, "nan")).takeAll() == [0, 0, 0, 0.5, 3])
  }

  @Test func `g711 expands to the values of the standard`() throws {
    for (coding, wanted): (SignalFile.Coding, [UInt8: Int]) in [
      (.muLaw, [0x00: -32124, 0x80: 32124, 0x7F: 0, 0xFF: 0, 0xF0: 120, 0x8F: 16764]),
      (.aLaw, [0xD5: 8, 0x55: -8, 0xAA: 32256, 0x2A: -32256, 0x80: 5504]),
    ] {
      let file = SignalFile.wave(
        Array(0...255), format: SignalFile.waveFormat(coding, channels: 1, rate: 8000))
      let got = try open(folder.write(file, "\(coding)")).takeAll()
      for (byte, value) in wanted { #expect(got[Int(byte)] == Float(value) / 32768) }
    }
  }

  @Test func `500 seeks on one handle are exact`() throws {
    let samples = Signals.coded(frames: 50_000, channels: 2, bits: 24)
    let file = SignalFile.wave(
      SignalFile.bytes(samples, .signed24, big: false),
      format: SignalFile.waveFormat(.signed24, channels: 2, rate: 44100))
    let decoder = try open(folder.write(file, "seek.mp3"))
    let wrong = try wrongSeeks(decoder, straight: SignalFile.floats(samples, bits: 24))
    #expect(wrong.isEmpty)
  }

  @Test func `a part is cut at the nearest frames and joins the next part`() throws {
    let samples = Signals.coded(frames: 44100, channels: 2, bits: 16)
    let file = SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100))
    let path = Array(try folder.write(file, "parts").utf8)
    let cuts: [Double] = [0, 0.12345, 0.5, 0.77777]
    var joined: [Float] = []
    for (index, start) in cuts.enumerated() {
      let end = index + 1 < cuts.count ? cuts[index + 1] : nil
      let part = try TrackOpener.open(TrackLocation(path: path, start: start, end: end))
      let all = try part.takeAll()
      #expect(part.frames == Int64(all.count / 2))
      joined += all
      try part.seek(to: 10)
      #expect(try part.take(5) == Array(all[20..<30]))
      try part.seek(to: 1 << 40)
      #expect(try part.take(5).isEmpty)
    }
    #expect(joined == SignalFile.floats(samples, bits: 16))
    let after = try TrackOpener.open(TrackLocation(path: path, start: 99, end: 120))
    #expect(after.frames == 0)
    #expect(try after.takeAll().isEmpty)
  }
}
