import AudioTypes
import Decoding
import TestSupport
import Testing

/// HE-AAC (band replication) and HE-AACv2 (parametric stereo), which the test makes itself and
/// compares with what faad decodes.
@Suite(.enabled(if: Tool.isIntegration)) struct HighEfficiencyTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  /// Coded channels, whether they are spread over two, and how often the header comes.
  struct Kind: Sendable {
    var channels: Int
    var isSpread: Bool
    var headerEvery = 10
  }
  static let kinds = [
    Kind(channels: 2, isSpread: false), Kind(channels: 1, isSpread: true),
    Kind(channels: 2, isSpread: false, headerEvery: 10_000),
    Kind(channels: 1, isSpread: true, headerEvery: 60),
  ]
  static let seconds = 20

  func make(_ kind: Kind) throws -> HighEfficiencyAAC {
    let rate = HighEfficiencyAAC.coreRate
    let source = try Encoder(
      folder,
      samples: Signals.music(
        frames: rate * Self.seconds + 345, channels: kind.channels, rate: rate, level: 0.9),
      channels: kind.channels, rate: rate)
    // FFmpeg and faad draw different noise for noise bands, so these are switched off here.
    let core = try source.ffmpeg(
      "core.aac",
      [
        "-c:a", "aac", "-b:a", "96k", "-cutoff", "10800", "-aac_pns", "0", "-flags", "+bitexact",
        "-fflags", "+bitexact",
      ])
    return try #require(
      HighEfficiencyAAC(
        adts: folder.bytes(of: core), parametricStereo: kind.isSpread,
        headerEvery: kind.headerEvery))
  }

  /// faad's frames, but for the first packet, which it keeps back. It and FFmpeg agree to 0.6 steps
  /// of 16 bits in both halves of the spectrum (measured), since there is next to no noise to draw.
  func reference(_ path: String) throws -> [Float] {
    try Tool.run("faad", ["-q", "-b", "4", "-f", "2", "-o", folder.file("faad.raw"), path])
    return Wave32.raw(try folder.read("faad.raw"))
  }

  /// The largest difference in 16-bit steps; huge where lengths differ.
  func steps(_ left: some Collection<Float>, _ right: some Collection<Float>) -> Float {
    guard left.count == right.count else { return .infinity }
    return zip(left, right).reduce(0) { max($0, abs($1.0 - $1.1)) } * 32768
  }

  /// How loud the left channel is above about 13 kHz: what is left of 5 kHz is under a billionth.
  func treble(_ samples: some Collection<Float>) -> Float {
    var left = stride(from: 0, to: samples.count, by: 2).map {
      samples[samples.index(samples.startIndex, offsetBy: $0)]
    }
    for _ in 0..<12 {
      left = (1..<max(left.count - 1, 1)).map { (2 * left[$0] - left[$0 - 1] - left[$0 + 1]) / 4 }
    }
    return (left.reduce(0) { $0 + $1 * $1 } / Float(max(left.count, 1))).squareRoot()
  }

  @Test(arguments: kinds)
  func `he-aac in adts is as faad has it, and seeks hit the frame`(kind: Kind) throws {
    let made = try make(kind)
    let path = try folder.write(made.adts, "he.aac")
    let decoder = try openFFmpeg(path)
    #expect(decoder.format.sampleRate == 44_100)
    #expect(decoder.format.channels == 2)
    let straight = try decoder.takeAll()
    // Nothing here tells the delay.
    #expect(straight.count == made.blocks.count * HighEfficiencyAAC.blockFrames * 2)
    #expect(decoder.frames == Int64(straight.count / 2))
    // faad keeps back the first packet, and meets parametric stereo only in the second one.
    let packet = HighEfficiencyAAC.blockFrames * 2
    let reference = try reference(path)
    #expect(reference.count == straight.count - packet)
    #expect(steps(straight.dropFirst(2 * packet), reference.dropFirst(packet)) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight, count: 200).isEmpty)
  }

  @Test(arguments: kinds)
  func `he-aac in m4a is as faad has it, as long as its header says, and seeks hit the frame`(
    kind: Kind
  ) throws {
    let made = try make(kind)
    let delay = 3010
    let frames = Self.seconds * 44_100 + 690
    let path = try folder.write(made.mp4(delay: delay, frames: frames), "he.m4a")
    let decoder = try openFFmpeg(path)
    #expect(decoder.format.sampleRate == 44_100)
    #expect(decoder.format.channels == 2)
    #expect(decoder.frames == Int64(frames))
    let straight = try decoder.takeAll()
    #expect(straight.count == frames * 2)
    let reference = try reference(path).dropFirst((delay - HighEfficiencyAAC.blockFrames) * 2)
    #expect(steps(straight, reference.prefix(straight.count)) <= 1)
    #expect(try wrongSeeks(decoder, straight: straight, count: 200).isEmpty)
    // The core alone has nothing up there.
    #expect(treble(straight.prefix(200_000)) > 10.0 / 32768)
  }
}
