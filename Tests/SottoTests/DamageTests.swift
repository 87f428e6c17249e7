import Foundation
import TestSupport
import Testing

/// Damaged files of every format through the whole program: it ends, says so in its own words, and
/// nothing that a library prints reaches the screen.
@Suite(
  .timeLimit(.minutes(15)), .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct DamageTests {
  private static let codecs = [
    ("wav", "pcm_s24le"), ("aiff", "pcm_s16be"), ("caf", "pcm_s16le"), ("au", "pcm_s16be"),
    ("flac", "flac"), ("mp3", "libmp3lame"), ("ogg", "libvorbis"), ("opus", "libopus"),
    ("m4a", "aac"), ("m4a", "alac"), ("aac", "aac"), ("wma", "wmav2"), ("wv", "wavpack"),
    ("tta", "tta"), ("ac3", "ac3"), ("mka", "libopus"),
  ]

  @Test(arguments: codecs.indices)
  func `A damaged file ends with a line of ours and nothing of a library`(_ number: Int) throws {
    let (suffix, codec) = Self.codecs[number]
    let folder = try Folder()
    let source = try folder.write("source.wav", wav(seconds: 2))
    let file = folder.path + "/whole." + suffix
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", source, "-ar", "48000", "-c:a", codec, "-strict", "-2", file])
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(try Run("render", file, "-o", "/dev/null").status == 0)
    let log = folder.path + "/log"
    var random = Signals.Seeded(UInt64(number))
    for round in 0..<6 {
      var bytes = whole
      if round % 2 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      for _ in 0..<(round * 4) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
          1
          << UInt8.random(
            in: 0..<8, using: &random)
      }
      let damaged = try folder.write("damaged.\(round).\(suffix)", bytes)
      let run = try Run("render", damaged, "-o", "/dev/null", "--log", log)
      #expect(!run.isSignalled && (run.status == 0 || run.status == 1), "round \(round)")
      #expect(run.errorLines.count == Int(run.status), "\(run.errorLines)")
      #expect(run.errorLines.allSatisfy { $0.hasPrefix("sotto: \(damaged): ") })
    }
  }

  @Test func `What a library prints goes into the log`() throws {
    // mpg123 inside libsndfile complains on descriptor 2 about junk between frames.
    let folder = try Folder()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    var bytes = Array(
      try Data(contentsOf: URL(fileURLWithPath: root + "/Sounds/music/04-ode-to-joy.mp3")))
    var random = Signals.Seeded(3)
    for _ in 0..<300 {
      bytes[Int.random(in: 60_000..<bytes.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
    }
    let file = try folder.write("junk.mp3", bytes)
    let log = folder.path + "/log"
    let run = try Run("render", file, "-o", "/dev/null", "--log", log)
    #expect(!run.isSignalled)
    #expect(run.errorLines.allSatisfy { $0.hasPrefix("sotto: \(file): ") })
    #expect(try Data(contentsOf: URL(fileURLWithPath: log)).count > 0)
  }
}
