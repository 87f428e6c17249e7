import AudioTypes
import Decoding
import TestSupport
import Testing

/// What goes through libsndfile, against the samples that were encoded or another decoder.
@Suite(.enabled(if: Tool.isIntegration)) struct SndfileTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  /// A WAV file of coded or musical samples for an encoder.
  func source(
    _ samples: [Int32], _ coding: SignalFile.Coding, channels: Int, rate: Int
  ) throws -> String {
    try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, coding, big: false),
        format: SignalFile.waveFormat(
          coding, channels: channels, rate: rate,
          mask: channels > 2 ? [0, 4, 3, 7, 0x33, 0x37, 0x3F, 0x70F, 0x63F][channels] : nil)),
      "source-\(coding)-\(channels)-\(rate).wav")
  }

  @Test(arguments: [
    (SignalFile.Coding.signed16, 1, 44100), (.signed16, 2, 44100), (.signed24, 2, 192_000),
    (.signed16, 6, 48000), (.signed24, 8, 96000), (.unsigned8, 1, 8000),
  ])
  func `flac is bit exact, also in ogg, and so is every seek`(
    coding: SignalFile.Coding, channels: Int, rate: Int
  ) throws {
    let samples = Signals.coded(frames: 30_000, channels: channels, bits: coding.bits)
    let wave = try source(samples, coding, channels: channels, rate: rate)
    let wanted = SignalFile.floats(samples, bits: coding.bits)
    for (name, options) in [("plain", []), ("ogg", ["--ogg"])] {
      let path = folder.file("\(name)-\(channels).mp3")
      try Tool.run("flac", ["-s", "-f", "-o", path] + options + [wave])
      let decoder = try open(path)
      #expect(decoder is SndfileDecoder)
      #expect(decoder.frames == 30_000)
      #expect(decoder.format.sampleRate == rate)
      #expect(decoder.info.codec == "FLAC")
      #expect(decoder.info.bitDepth == coding.bytes * 8)
      let straight = try decoder.takeAll()
      #expect(straight == wanted)
      #expect(try wrongSeeks(decoder, straight: wanted).isEmpty)
    }
  }

  @Test func `what is no sound does not count as bits of sound`() throws {
    let samples = Signals.music(frames: 88_200, channels: 2, rate: 44100)
    let wave = try source(samples, .signed16, channels: 2, rate: 44100)
    func rate(_ tool: String, _ options: [String], _ name: String) throws -> Double {
      let path = folder.file(name)
      try Tool.run(tool, options + ["-o", path, wave])
      let decoder = try open(path)
      #expect(!(decoder is FFmpegDecoder))
      return Double(try #require(decoder.info.bitRate))
    }
    let note = "NOTE=" + String(repeating: "n", count: 100_000)
    let flac = try rate("flac", ["-s", "--no-padding"], "a.flac")
    let padded = try rate("flac", ["-s", "--padding=1000000", "-T", note], "b.flac")
    #expect(padded == flac)
    let vorbis = try rate("oggenc", ["-Q"], "a.ogg")
    let noted = try rate("oggenc", ["-Q", "-c", note], "b.ogg")
    // The heads of the pages that hold the note are left.
    #expect(abs(noted - vorbis) < vorbis / 10)
  }

  @Test(arguments: [[], ["--ogg"]])
  func `a flac file that is cut short anywhere plays what is there and then says so`(
    options: [String]
  ) throws {
    let samples = Signals.music(frames: 200_000, channels: 2, rate: 44100)
    let wave = try source(samples, .signed16, channels: 2, rate: 44100)
    let path = folder.file("whole")
    try Tool.run("flac", ["-s", "-f", "-o", path] + options + [wave])
    let whole = try folder.bytes(of: path)
    for part in 2...9 {
      let cut = try folder.write(Array(whole.prefix(whole.count * part / 10)), "cut.flac")
      let decoder = try open(cut)
      let error = #expect(throws: DecodingError.self) {
        while try !decoder.take(4096, piece: 4096).isEmpty {}
      }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func `a flac file with a tag and a large picture in front is exact`() throws {
    let samples = Signals.coded(frames: 5000, channels: 2, bits: 16)
    let wave = try source(samples, .signed16, channels: 2, rate: 44100)
    let path = folder.file("picture.flac")
    try Tool.run("flac", ["-s", "-o", path, wave])
    let picture = try folder.write([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 6 << 20), "p")
    try Tool.run("metaflac", ["--import-picture-from=3|image/jpeg||10x10x24|\(picture)", path])
    let tagged = try folder.write(id3Tag(bytes: 3 << 20) + folder.read("picture.flac"), "both.flac")
    for path in [path, tagged] {
      #expect(try open(path).takeAll() == SignalFile.floats(samples, bits: 16))
    }
  }

  @Test(arguments: [
    (-1, 2, 44100), (3, 2, 44100), (9, 2, 48000), (2, 1, 8000), (5, 6, 48000), (4, 1, 96000),
  ])
  func `vorbis is as oggdec has it, as long as its source, and every seek is exact`(
    quality: Int, channels: Int, rate: Int
  ) throws {
    let samples = Signals.music(frames: rate * 6 + 123, channels: channels, rate: rate)
    let wave = try source(samples, .signed16, channels: channels, rate: rate)
    let path = folder.file("vorbis.wav")
    try Tool.run("oggenc", ["-Q", "-q", "\(quality)", "-o", path, wave])
    let decoder = try open(path)
    #expect(decoder is VorbisDecoder)
    #expect(decoder.frames == Int64(samples.count / channels))
    let straight = try decoder.takeAll()
    // Raw output keeps the order of the channels as they are coded.
    let reference = Tool.floats16(try Tool.run("oggdec", ["-Q", "-R", "-o", "-", path]))
    #expect(straight.count == reference.count)
    #expect(zip(straight, reference).allSatisfy { abs(min(max($0, -1), 1) - $1) <= 1.01 / 32768 })
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  @Test func `au, caf and other plain kinds are exact`() throws {
    let samples = Signals.coded(frames: 4000, channels: 2, bits: 16)
    let wave = try source(samples, .signed16, channels: 2, rate: 44100)
    for kind in ["au", "caf", "ircam", "nist", "w64"] {
      let path = folder.file("file.\(kind)")
      let type = kind == "ircam" ? "sf" : kind == "nist" ? "sph" : kind
      try Tool.run("sox", ["-D", wave, "-t", type, path])
      let decoder = try open(path)
      #expect(decoder.frames == 4000, "\(kind)")
      let straight = try decoder.takeAll()
      #expect(straight == SignalFile.floats(samples, bits: 16), "\(kind)")
      #expect(try wrongSeeks(decoder, straight: straight, count: 100).isEmpty, "\(kind)")
    }
  }
}

/// An ID3v2.3 tag with so many bytes of a picture that holds what looks like frames.
func id3Tag(bytes count: Int) -> [UInt8] {
  var picture: [UInt8] = [0] + Array("image/jpeg".utf8) + [0, 3, 0]
  while picture.count < count { picture += [0xFF, 0xFB, 0x90, 0x64, 0, 1, 2, 3, 4] }
  let frame =
    Array("APIC".utf8) + SignalFile.number(picture.count, 4, big: true) + [0, 0] + picture
  let size = frame.count
  return Array("ID3".utf8) + [3, 0, 0]
    + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } + frame
}
