import AudioTypes
import Decoding
import Foundation
import TestSupport
import Testing

/// Damaged files of the kinds that go through libsndfile: sound, an error, or both; never a crash,
/// a hang or more than the file can hold.
@Suite(.enabled(if: Tool.isIntegration)) struct BadCompressedTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  static let kinds = ["flac", "oga", "ogg", "mp3", "au", "caf"]

  /// A file of half a second.
  func small(_ kind: String) throws -> [UInt8] {
    let samples = Signals.music(frames: 22050, channels: 2, rate: 44100)
    let wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)), "s.wav")
    let path = folder.file("small.\(kind)")
    switch kind {
    case "flac": try Tool.run("flac", ["-s", "-T", "TITLE=Small", "-o", path, wave])
    case "oga": try Tool.run("flac", ["-s", "--ogg", "-o", path, wave])
    case "ogg": try Tool.run("oggenc", ["-Q", "-t", "Small", "-o", path, wave])
    case "mp3": try Tool.run("lame", ["--quiet", "--tt", "Small", "-b", "64", wave, path])
    default: try Tool.run("sox", ["-D", wave, path])
    }
    return try folder.read("small.\(kind)")
  }

  func exercise(_ bytes: [UInt8], _ name: String) throws {
    let path = try folder.write(bytes, name)
    do throws(DecodingError) {
      let decoder = try open(path)
      #expect((1...32).contains(decoder.format.channels))
      _ = try decoder.take(100_000)
      try decoder.seek(to: min(decoder.frames ?? 0, 22050) / 2)
      _ = try decoder.take(500)
    } catch {
      #expect(!error.sentence.isEmpty)
    }
  }

  @Test(arguments: kinds) func `files cut anywhere come to an end`(kind: String) throws {
    let bytes = try small(kind)
    // Every length in the header, then in steps.
    var length = 1
    while length < bytes.count {
      try exercise(Array(bytes[..<length]), kind)
      length += length < 200 ? 7 : bytes.count / 60
    }
  }

  @Test(arguments: kinds) func `files with flipped bits come to an end`(kind: String) throws {
    let bytes = try small(kind)
    var random = Signals.Seeded(UInt64(kind.utf8.count))
    for round in 0..<150 {
      var bad = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let limit = round % 2 == 0 ? min(400, bytes.count) : bytes.count
        bad[Int.random(in: 0..<limit, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      try exercise(bad, kind)
    }
  }

  @Test func `a damaged stretch does not silence what follows in mp3`() throws {
    let clean = try small("mp3")
    let whole = try open(folder.write(clean, "clean")).takeAll()
    var bad = clean
    for index in bad.count / 2..<bad.count / 2 + 60 { bad[index] = 0x55 }
    let got = try open(folder.write(bad, "bad")).takeAll()
    #expect(got.count >= whole.count - 4 * 1152 * 2)
    #expect(got[..<2000] == whole[..<2000])
  }

  @Test(arguments: ["flac", "oga"])
  func `a damaged stretch of flac is silence and what follows keeps its time`(kind: String) throws {
    let samples = Signals.coded(frames: 60_000, channels: 2, bits: 16)
    let wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed16, big: false),
        format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)), "s.wav")
    try Tool.run(
      "flac", ["-s", "-o", folder.file("f.\(kind)")] + (kind == "oga" ? ["--ogg"] : []) + [wave])
    var bytes = try folder.read("f.\(kind)")
    for index in bytes.count / 3..<bytes.count / 3 + 300 { bytes[index] = 0x2A }
    let wanted = SignalFile.floats(samples, bits: 16)
    let decoder = try open(folder.write(bytes, "bad"))
    let got = try decoder.takeAll()
    #expect(got.count == wanted.count)
    #expect(got[..<20_000] == wanted[..<20_000])
    #expect(got[80_000...] == wanted[80_000...])
    #expect(got != wanted)
    try decoder.seek(to: 50_000)
    #expect(try decoder.take(1000) == Array(wanted[100_000..<102_000]))
  }

  @Test func `two hours of sound take no more memory than a minute`() async throws {
    // Sparse: the disk holds only the header.
    let format = SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)
    let file = SignalFile.wave(
      [1, 2, 3, 4], format: format, dataSize: 0xFFFF_FFFF, riffSize: 0xFFFF_FFFF)
    let path = try folder.write(file, "long.wav")
    #expect(truncate(path, 44 + 4 * 2 * 3600 * 44100) == 0)
    // A process of its own: memory is counted for a whole process.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let frames = 2 * 3600 * 44100
      let before = residentBytes()
      let decoder = try open(path)
      precondition(decoder.frames == Int64(frames))
      let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 2 * 65536)
      for step in 0..<100 {
        try decoder.seek(to: Int64(step) * Int64(frames / 100))
        let count = try decoder.read(into: buffer)
        precondition(count == 65536)
      }
      precondition(residentBytes() - before < 8 << 20)
    }
  }
}

/// The memory of this process that is in use.
func residentBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  return (Int(text.split(separator: " ").dropFirst().first ?? "0") ?? 0) * 4096
}
