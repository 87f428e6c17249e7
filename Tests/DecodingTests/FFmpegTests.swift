import AudioTypes
import Decoding
import Glibc
import TestSupport
import Testing

/// What goes through FFmpeg: lossless kinds against the samples that were encoded, lossy ones
/// against another decoder, lengths against the source, seeks against a straight decode.
@Suite(.enabled(if: Tool.isIntegration)) struct FFmpegTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  func music(seconds: Int = 7, channels: Int = 2, rate: Int) throws -> Encoder {
    try Encoder(
      folder,
      samples: Signals.music(frames: rate * seconds + 345, channels: channels, rate: rate),
      channels: channels, rate: rate)
  }

  /// The largest difference of two runs of samples, in 16-bit steps; huge where lengths differ.
  func steps(_ left: [Float], _ right: [Float]) -> Float {
    guard left.count == right.count else { return .infinity }
    return zip(left, right).reduce(0) { max($0, abs($1.0 - $1.1)) } * 32768
  }

  // MARK: Lossless

  @Test(arguments: [
    (SignalFile.Coding.signed16, 2, 44100, "alac", "a.m4a"),
    (.signed24, 2, 96000, "alac", "b.m4a"), (.signed16, 6, 48000, "alac", "c.m4a"),
    (.signed16, 1, 8000, "alac", "d.m4a"),
    (.signed16, 2, 44100, "tta", "a.tta"), (.signed24, 2, 48000, "tta", "b.tta"),
    (.signed16, 2, 44100, "wavpack", "a.wv"), (.signed16, 2, 44100, "flac", "a.mka"),
    (.signed24, 2, 96000, "flac", "b.mka"), (.signed16, 2, 48000, "pcm_s16le", "c.mka"),
    (.signed24, 2, 48000, "pcm_s24le", "a.mov"),
  ])
  func `lossless kinds are bit exact, and so is every seek`(
    coding: SignalFile.Coding, channels: Int, rate: Int, codec: String, name: String
  ) throws {
    let source = try Encoder(
      folder, samples: Signals.coded(frames: 60_123, channels: channels, bits: coding.bits),
      coding: coding, channels: channels, rate: rate)
    var options = ["-c:a", codec]
    if codec == "alac", coding == .signed24 { options += ["-sample_fmt", "s32p"] }
    let decoder = try openFFmpeg(try source.ffmpeg(name, options))
    #expect(decoder.frames == 60_123)
    #expect(decoder.format.sampleRate == rate)
    #expect(decoder.format.layout == ChannelLayout.usual(channels: channels))
    #expect(decoder.info.bitDepth == coding.bytes * 8)
    let straight = try decoder.takeAll()
    #expect(steps(straight, source.floats) == 0)
    #expect(try wrongSeeks(decoder, straight: source.floats).isEmpty)
  }

  @Test(arguments: [(SignalFile.Coding.signed16, "pcm_s16le"), (.unsigned8, "pcm_u8")])
  func `the headers of a creative voice file's blocks are no sound`(
    coding: SignalFile.Coding, codec: String
  ) throws {
    // FFmpeg writes a block a packet.
    let source = try Encoder(
      folder, samples: Signals.coded(frames: 60_123, channels: 2, bits: coding.bits),
      coding: coding, channels: 2, rate: 44100)
    let decoder = try TrackOpener.open(
      TrackLocation(try source.ffmpeg("a.mp3", ["-c:a", codec, "-f", "voc"])))
    #expect(decoder is FFmpegDecoder)
    #expect(decoder.frames == 60_123)
    #expect(try decoder.takeAll() == source.floats)
    #expect(try wrongSeeks(decoder, straight: source.floats).isEmpty)
  }

  @Test func `alac in caf is whole though its header counts all of the last packet`() throws {
    let source = try Encoder(
      folder, samples: Signals.coded(frames: 58_000, channels: 2, bits: 16))
    let path = try source.ffmpeg("a.caf", ["-c:a", "alac"])
    let straight = try TrackOpener.open(TrackLocation(path)).takeAll()
    #expect(straight == source.floats)
    // A whole packet less is a fault.
    let bytes = try folder.bytes(of: path)
    let cut = try folder.write(Array(bytes.prefix(bytes.count * 2 / 3)), "cut.caf")
    #expect(throws: DecodingError.self) { try TrackOpener.open(TrackLocation(cut)).takeAll() }
  }

  @Test func `itunes' numbers count where they add up to the track, else the edit list`() throws {
    let source = try Encoder(
      folder, samples: Signals.music(frames: 44100, channels: 2, rate: 44100))
    func cut(_ numbers: String) throws -> [Int64?] {
      let path = try source.ffmpeg(
        "a.m4a",
        ["-c:a", "aac", "-movflags", "use_metadata_tags", "-metadata", "iTunSMPB=\(numbers)"])
      let decoder = try openFFmpeg(path)
      #expect(try decoder.takeAll().count == 2 * Int(decoder.frames ?? -1))
      return [decoder.frames, decoder.info.gapless?.delay]
    }
    // 1024 frames before the music, and what the last packet has too many.
    for numbers in [
      "none", " 00000000 00000400 000003BC 0000000000005000",
      " 00000000 00000010 00000000 00000100",
      " 00000000 00000840 0000037C 000000000000AC44", " 0 0 0 FFFFFFFFFFFF",
    ] {
      #expect(try cut(numbers) == [44100, 1024], "\(numbers)")
    }
    #expect(try cut(" 00000000 00000400 00000144 000000000000AB00") == [43776, 1024])
    #expect(try cut(" 00000000 00000800 000003BC 000000000000A844") == [43076, 2048])
  }

  @Test(arguments: [
    (SignalFile.Coding.signed16, 2, 44100), (.signed24, 2, 96000), (.signed32, 2, 48000),
    (.float32, 2, 44100), (.signed16, 6, 48000),
  ])
  func `wavpack's own files are bit exact, and so is every seek`(
    coding: SignalFile.Coding, channels: Int, rate: Int
  ) throws {
    let source = try Encoder(
      folder, samples: Signals.coded(frames: 50_001, channels: channels, bits: coding.bits),
      coding: coding, channels: channels, rate: rate)
    let path = try source.tool(["wavpack", "-q", "-y", "{in}", "-o", "{out}"], "own.wv")
    let decoder = try openFFmpeg(path)
    #expect(decoder.frames == 50_001)
    #expect(try steps(decoder.takeAll(), source.floats) == 0)
    #expect(try wrongSeeks(decoder, straight: source.floats).isEmpty)
  }

  @Test func `lossy wavpack is as wvunpack has it`() throws {
    let source = try music(rate: 44100)
    let path = try source.tool(["wavpack", "-q", "-y", "-b256", "{in}", "-o", "{out}"], "lossy.wv")
    try Tool.run("wvunpack", ["-q", "-y", path, "-o", folder.file("lossy.wav")])
    let decoder = try openFFmpeg(path)
    let straight = try decoder.takeAll()
    #expect(try steps(straight, Tool.floatsOfWave(folder.read("lossy.wav"))) == 0)
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  // MARK: Lossy

  /// Speech packets predict in whole numbers from all that was before: after a seek they come near
  /// the straight decode, as in every decoder, but do not meet it.
  @Test(
    arguments: [
      (["--bitrate", "96"], 1), (["--bitrate", "192"], 1), (["--framesize", "60"], 1),
      (["--bitrate", "24", "--speech"], 250),
    ] as [([String], Float)])
  func `opus is as opusdec has it, as long as its source, and seeks hit the frame`(
    options: [String], tolerance: Float
  ) throws {
    let source = try music(rate: 48000)
    let path = try source.tool(["opusenc", "--quiet"] + options + ["{in}", "{out}"], "a.opus")
    let decoder = try openFFmpeg(path)
    #expect(decoder.frames == Int64(source.frames))
    let straight = try decoder.takeAll()
    try Tool.run("opusdec", ["--quiet", "--float", path, folder.file("opus.wav")])
    let reference = try Wave32.floats(folder.read("opus.wav"))
    #expect(steps(straight, reference) <= 1)
    #expect(
      try wrongSeeks(decoder, straight: straight, tolerance: tolerance / 32768).isEmpty)
  }

  /// The worst for a seek: a loud tone beside silence, for which a decoder's first guess is farthest
  /// off.
  @Test func `a seek into a loud tone in opus is within one step of the straight decode`() throws {
    let seconds = 12
    let tone: [Int32] = (0..<(48000 * seconds)).flatMap { frame -> [Int32] in
      let value = Int32(29_000 * sin(2 * Double.pi * 441 * Double(frame) / 48000))
      return frame / (48000 * 4) % 2 == 0 ? [value, 0] : [0, value]
    }
    let source = try Encoder(folder, samples: tone, rate: 48000)
    let path = try source.tool(
      ["opusenc", "--quiet", "--bitrate", "160", "{in}", "{out}"], "tone.opus")
    let decoder = try openFFmpeg(path)
    let straight = try decoder.takeAll()
    #expect(try wrongSeeks(decoder, straight: straight, tolerance: 1.0 / 32768).isEmpty)
  }

  @Test func `aac is as faad has it, exactly as long as its source, and seeks hit the frame`()
    throws
  {
    // faad and FFmpeg draw different noise for noise bands, so these are switched off here.
    let source = try music(rate: 44100)
    let path = try source.ffmpeg("a.m4a", ["-c:a", "aac", "-b:a", "160k", "-aac_pns", "0"])
    let decoder = try openFFmpeg(path)
    #expect(decoder.frames == Int64(source.frames))
    #expect(decoder.info.gapless?.delay == 1024)
    let straight = try decoder.takeAll()
    #expect(straight.count == source.samples.count)
    try Tool.run("faad", ["-q", "-b", "4", "-f", "2", "-o", folder.file("faad.raw"), path])
    // faad leaves the padding in.
    let reference = Wave32.raw(try folder.read("faad.raw"))
    #expect(steps(straight, Array(reference.prefix(straight.count))) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  @Test func `aac in adts is as faad has it, and seeks hit the frame`() throws {
    let source = try music(rate: 44100)
    let path = try source.ffmpeg("a.aac", ["-c:a", "aac", "-b:a", "128k", "-aac_pns", "0"])
    let decoder = try openFFmpeg(path)
    let straight = try decoder.takeAll()
    #expect(decoder.frames == Int64(straight.count / 2))
    try Tool.run("faad", ["-q", "-b", "4", "-f", "2", "-o", folder.file("faad.raw"), path])
    // ADTS does not tell the encoder's delay; faad drops its first packet.
    let reference = Wave32.raw(try folder.read("faad.raw"))
    #expect(steps(Array(straight.dropFirst(1024 * 2)), reference) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  @Test func `musepack is as mpcdec has it, as long as its source, and seeks hit the frame`() throws
  {
    let source = try music(rate: 44100)
    let path = try source.tool(["mpcenc", "--silent", "--overwrite", "{in}", "{out}"], "a.mpc")
    let decoder = try openFFmpeg(path)
    #expect(decoder.frames == Int64(source.frames))
    let straight = try decoder.takeAll()
    try Tool.run("mpcdec", [path, folder.file("mpc.wav")])
    // mpcdec rounds what comes as floats here down.
    let reference = try Tool.floatsOfWave(folder.read("mpc.wav"))
    #expect(steps(straight, reference) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  @Test(arguments: [8000, 16000, 32000])
  func `speex is as speexdec has it, as long as its source, and seeks hit the frame`(rate: Int)
    throws
  {
    let source = try music(channels: 1, rate: rate)
    let path = try source.tool(["speexenc", "{in}", "{out}"], "a.spx")
    let decoder = try openFFmpeg(path)
    #expect(decoder.frames == Int64(source.frames))
    let straight = try decoder.takeAll()
    try Tool.run("speexdec", [path, folder.file("speex.wav")])
    #expect(try steps(straight, Tool.floatsOfWave(folder.read("speex.wav"))) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight, tolerance: 1.0 / 32768).isEmpty)
  }

  // MARK: Lengths and seeks

  /// Kinds without another decoder here: the length is the source's, the music is where it was, and
  /// every seek gives the frames of the straight decode.
  @Test(
    arguments: [
      ("aac", "noise.m4a", 44100, 0), ("libopus", "a.webm", 48000, 0),
      ("libopus", "a.mka", 48000, 0),
      ("libopus", "b.mp4", 48000, 0), ("libvorbis", "a.ogg", 44100, 0),
      ("wmav2", "a.wma", 44100, nil),
      ("wmav1", "b.wma", 44100, nil), ("ac3", "a.ac3", 48000, nil), ("eac3", "a.eac3", 48000, nil),
      ("libmp3lame", "a.mp3", 44100, 0), ("aac", "b.ts", 48000, nil), ("aac", "b.mka", 44100, nil),
      ("libvorbis", "c.mka", 44100, nil), ("ac3", "d.mkv", 48000, nil),
      ("aac", "a.flv", 44100, nil),
      ("flac", "c.flac", 44100, 0),
    ] as [(String, String, Int, Int?)])
  func `every seek hits the frame, and the length is the source's where the file tells it`(
    codec: String, name: String, rate: Int, padding: Int?
  ) throws {
    let source = try music(rate: rate)
    let decoder = try openFFmpeg(try source.ffmpeg(name, ["-c:a", codec]))
    let straight = try decoder.takeAll()
    #expect(decoder.frames == Int64(straight.count / 2))
    if let padding {
      #expect(straight.count / 2 == source.frames + padding)
      #expect(correlation(straight, source.floats) > 0.9)
    } else {
      // At most a delay and a packet more.
      #expect(straight.count / 2 >= source.frames - 2048)
      #expect(straight.count / 2 <= source.frames + 8192)
    }
    let tolerance: Float = codec == "libopus" ? 1 / 32768 : 0
    #expect(try wrongSeeks(decoder, straight: straight, tolerance: tolerance).isEmpty)
  }

  @Test(arguments: [("aac", "a.mp4", 44100), ("libopus", "a.mkv", 48000), ("ac3", "a.avi", 48000)])
  func `the sound of films plays, and every seek hits the frame`(
    codec: String, name: String, rate: Int
  ) throws {
    let source = try music(rate: rate)
    let decoder = try openFFmpeg(try source.film(name, ["-c:a", codec]))
    let straight = try decoder.takeAll()
    #expect(decoder.frames == Int64(straight.count / 2))
    #expect(abs(straight.count / 2 - source.frames) <= 8192)
    let tolerance: Float = codec == "libopus" ? 1 / 32768 : 0
    #expect(try wrongSeeks(decoder, straight: straight, tolerance: tolerance).isEmpty)
  }

  @Test func `aac of any length in m4a is exactly as long as its source`() throws {
    for frames in [1, 500, 1023, 1024, 1025, 44100, 44567, 48000, 99_999] {
      let source = try Encoder(
        folder, samples: Signals.music(frames: frames, channels: 2, rate: 44100))
      let path = try source.ffmpeg("n\(frames).m4a", ["-c:a", "aac"])
      let decoder = try openFFmpeg(path)
      #expect(decoder.frames == Int64(frames))
      #expect(try decoder.takeAll().count == frames * 2)
    }
  }

  @Test func `two halves of a tone in m4a join without a gap`() throws {
    let whole = Signals.music(frames: 88_200, channels: 2, rate: 44100)
    let cut = 44_001
    let options = ["-c:a", "aac", "-b:a", "256k", "-aac_pns", "0"]
    let first = try Encoder(folder, samples: Array(whole[..<(cut * 2)]))
    let second = try Encoder(folder, samples: Array(whole[(cut * 2)...]))
    let joined =
      try openFFmpeg(first.ffmpeg("1.m4a", options)).takeAll()
      + openFFmpeg(second.ffmpeg("2.m4a", options)).takeAll()
    #expect(joined.count == whole.count)
    #expect(correlation(joined, SignalFile.floats(whole, bits: 16)) > 0.9)
  }

  @Test(arguments: ["dsf", "dff"])
  func `one-bit files are as long as they say, and every seek hits the frame`(kind: String) throws {
    let bits = 2_822_400 / 8 + 8 * 1234
    let channels = [
      OneBitFile.sine(count: bits, period: 6400), OneBitFile.sine(count: bits, period: 2560),
    ]
    let bytes =
      kind == "dsf"
      ? OneBitFile.dsf(channels, rate: 2_822_400) : OneBitFile.dff(channels, rate: 2_822_400)
    let decoder = try openFFmpeg(folder.write(bytes, "a.\(kind)"))
    #expect(decoder.format.sampleRate == 352_800)
    #expect(decoder.frames == Int64(bits / 8))
    let straight = try decoder.takeAll()
    #expect(straight.count / 2 == bits / 8)
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
    // The tone of the left channel: 800 frames a period, so half a period later it is upside down.
    // Averages of 40 frames leave the shaped noise out.
    let left = (500..<1000).map { block in
      (0..<40).reduce(Float(0)) { $0 + straight[(block * 40 + $1) * 2] } / 40
    }
    let peak = left.max() ?? 0
    #expect(peak > 0.35 && peak < 0.45)
    #expect((0..<480).allSatisfy { abs(left[$0] + left[$0 + 10]) < 0.01 })
  }

  /// How alike two runs are, 1 for the same.
  func correlation(_ left: [Float], _ right: [Float]) -> Float {
    var product: Float = 0
    var own: Float = 0
    var other: Float = 0
    for (a, b) in zip(left, right) {
      product += a * b
      own += a * a
      other += b * b
    }
    return product / (own * other).squareRoot()
  }
}

/// Opens with FFmpeg, whatever else could.
func openFFmpeg(_ path: String) throws(DecodingError) -> FFmpegDecoder {
  try FFmpegDecoder(path: Array(path.utf8), isURL: false)
}

/// Floats of 32 bits that a program wrote.
enum Wave32 {
  static func raw(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { buffer in
      (0..<bytes.count / 4).map {
        Float(
          bitPattern: UInt32(
            littleEndian: buffer.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
      }
    }
  }

  /// The samples of a float WAV file.
  static func floats(_ bytes: [UInt8]) throws -> [Float] {
    let data = try #require(
      (12..<max(12, bytes.count - 8)).first { bytes[$0..<$0 + 4].elementsEqual("data".utf8) })
    return raw(Array(bytes[(data + 8)...]))
  }
}
