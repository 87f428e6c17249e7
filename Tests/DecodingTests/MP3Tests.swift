import AudioTypes
import Decoding
import TestSupport
import Testing

/// MP3 against mpg123 and against the number of samples that were encoded.
@Suite(.enabled(if: Tool.isIntegration)) struct MP3Tests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  /// One way to encode.
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    let rate: Int
    let channels: Int
    var tool = "lame"
    let options: [String]
    /// True where the file tells delay and padding (LAME does not where a frame has no room for it).
    var isTagged = true
    var description: String { name }
  }

  static let cases: [Case] = [
    Case(name: "128 cbr", rate: 44100, channels: 2, options: ["-b", "128"]),
    Case(name: "320 cbr", rate: 48000, channels: 2, options: ["-b", "320"]),
    Case(name: "v2", rate: 44100, channels: 2, options: ["-V2"]),
    Case(name: "v9 mono", rate: 44100, channels: 1, options: ["-V9", "--resample", "44.1"]),
    Case(name: "abr", rate: 48000, channels: 2, options: ["--abr", "110", "--resample", "48"]),
    Case(name: "crc", rate: 32000, channels: 2, options: ["-p", "-b", "96", "--resample", "32"]),
    Case(name: "v4 no tag", rate: 44100, channels: 2, options: ["-V4", "-t"], isTagged: false),
    Case(
      name: "cbr no tag", rate: 44100, channels: 2,
      options: ["-b", "96", "-t", "--resample", "44.1"], isTagged: false),
    Case(
      name: "mpeg-1 32", rate: 44100, channels: 1, options: ["-b", "32", "--resample", "44.1"],
      isTagged: false),
    Case(
      name: "mpeg-2 8", rate: 16000, channels: 1, options: ["-b", "8", "--resample", "16"],
      isTagged: false),
    Case(
      name: "mpeg-2 16", rate: 22050, channels: 1, options: ["-b", "16", "--resample", "22.05"],
      isTagged: false),
    Case(
      name: "mpeg-2 32 stereo", rate: 24000, channels: 2,
      options: ["-b", "32", "--resample", "24"], isTagged: false),
    Case(name: "mpeg-2.5 8", rate: 8000, channels: 1, options: ["-b", "8"], isTagged: false),
    Case(name: "mpeg-2.5 24", rate: 11025, channels: 1, options: ["-b", "24"], isTagged: false),
    Case(name: "lavf cbr", rate: 44100, channels: 2, tool: "ffmpeg", options: ["-b:a", "128k"]),
    Case(name: "lavf vbr", rate: 44100, channels: 2, tool: "ffmpeg", options: ["-q:a", "3"]),
    Case(
      name: "lavf no tag", rate: 44100, channels: 2, tool: "ffmpeg",
      options: ["-b:a", "96k", "-write_xing", "0"], isTagged: false),
  ]

  func encode(_ one: Case, frames: Int) throws -> [UInt8] {
    let samples = Signals.music(frames: frames, channels: one.channels, rate: one.rate)
    let wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: one.channels, rate: one.rate)), "s.wav")
    let path = folder.file("encoded")
    if one.tool == "lame" {
      try Tool.run("lame", ["--quiet"] + one.options + [wave, path])
    } else {
      try Tool.run(
        "ffmpeg",
        ["-v", "error", "-y", "-i", wave, "-c:a", "libmp3lame"] + one.options + ["-f", "mp3", path])
    }
    return try folder.read("encoded")
  }

  @Test(arguments: cases)
  func `samples are mpg123's, the length is the source's and every seek is exact`(
    one: Case
  ) throws {
    let frames = one.rate * 7 + 321
    let path = try folder.write(encode(one, frames: frames), "file.flac")
    let decoder = try open(path)
    #expect(decoder is MP3Decoder)
    #expect(decoder.format.sampleRate == one.rate)
    let straight = try decoder.takeAll()
    #expect(decoder.frames == Int64(straight.count / one.channels))
    if one.isTagged { #expect(decoder.frames == Int64(frames)) }
    let reference = Tool.floats16(try Tool.run("mpg123", ["-q", "-e", "s16", "-s", path]))
    #expect(straight.count == reference.count)
    #expect(zip(straight, reference).allSatisfy { abs(min(max($0, -1), 1) - $1) <= 1.01 / 32768 })
    #expect(try wrongSeeks(decoder, straight: straight).isEmpty)
  }

  @Test(arguments: [0, 6, 9])
  func `tags and junk around and between the frames change nothing`(index: Int) throws {
    let one = Self.cases[index]
    let clean = try encode(one, frames: one.rate * 3)
    let path = try folder.write(clean, "clean")
    let wanted = try open(path).takeAll()
    var random = Signals.Seeded(3)
    let junk = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let v1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    var apeTail = Array("APETAGEX".utf8) + SignalFile.number(2000, 4, big: false)
    apeTail += SignalFile.number(72, 4, big: false) + [UInt8](repeating: 0, count: 16)
    let variants: [(String, [UInt8])] = [
      ("picture", id3Tag(bytes: 3 << 20) + clean),
      ("two tags", id3Tag(bytes: 100) + id3Tag(bytes: 2000) + clean),
      ("nuls", [UInt8](repeating: 0, count: 3000) + clean),
      ("junk", junk + clean),
      ("id3v1", clean + v1),
      ("ape", clean + [UInt8](repeating: 0xFF, count: 40) + apeTail + v1),
      ("junk behind", clean + junk),
    ]
    for (name, bytes) in variants {
      let decoder = try open(folder.write(bytes, "dirty"))
      let got = try decoder.takeAll()
      #expect(got == wanted, "\(name)")
    }
    // Between frames: a cut at a frame's beginning, found by the frame's own length.
    let cut = try #require(Self.frameStart(in: clean, after: clean.count / 2))
    for (name, middle) in [("noise", Array(junk.prefix(700))), ("tag", id3Tag(bytes: 50_000))] {
      let decoder = try open(
        folder.write(Array(clean[..<cut]) + middle + clean[cut...], "between"))
      let got = try decoder.takeAll()
      #expect(got == wanted, "\(name) between")
      #expect(try wrongSeeks(decoder, straight: wanted, count: 60).isEmpty, "\(name) between")
    }
  }

  /// The beginning of a frame: three headers that follow each other, for files of layer III.
  static func frameStart(in bytes: [UInt8], after: Int) -> Int? {
    func length(_ at: Int) -> Int? {
      guard at + 4 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] & 0xE6 == 0xE2 else {
        return nil
      }
      let version = bytes[at + 1] >> 3 & 3
      let one = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
      let two = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]
      let rate = (version == 3 ? one : two)[Int(bytes[at + 2] >> 4)] * 1000
      let base = [44100, 48000, 32000, 0][Int(bytes[at + 2] >> 2 & 3)]
      guard rate > 0, base > 0, version != 1 else { return nil }
      let frequency = version == 3 ? base : version == 2 ? base / 2 : base / 4
      return (version == 3 ? 144 : 72) * rate / frequency + Int(bytes[at + 2] >> 1 & 1)
    }
    return (after..<bytes.count).first { at in
      guard let a = length(at), let b = length(at + a), length(at + a + b) != nil else {
        return false
      }
      return true
    }
  }

  @Test func `a file cut in the middle of a frame plays to the last whole frame`() throws {
    let clean = try encode(Self.cases[7], frames: 44100 * 2)
    let whole = try open(folder.write(clean, "clean")).takeAll()
    let got = try open(folder.write(Array(clean[..<(clean.count - 100)]), "cut")).takeAll()
    #expect(got.count == whole.count - 2 * 1152)
    #expect(got[...] == whole[..<got.count])
  }
}
