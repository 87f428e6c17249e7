import AudioEngine
import AudioTypes
import Decoding
import TestSupport
import Testing

/// Tracks whose rate is not the device's. Needs libsoxr, which `make test` installs.
@MainActor @Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct ResamplingTests {
  /// The second opinion: one straight run through one resampler.
  private func resampled(_ samples: [Float], from rate: Int) throws -> [Float] {
    let resampler = try Resampler(from: rate, to: Rig.rate, channels: 2)
    var out = [Float](repeating: 0, count: samples.count * 2 + 100_000)
    var done = 0
    var given = 0
    while given < samples.count {
      let step = try samples.withUnsafeBufferPointer { input in
        try out.withUnsafeMutableBufferPointer { output in
          try resampler.process(
            UnsafeBufferPointer(rebasing: input[given...]),
            into: UnsafeMutableBufferPointer(rebasing: output[done...]))
        }
      }
      given += step.consumed * 2
      done += step.produced * 2
    }
    while true {
      let more = try out.withUnsafeMutableBufferPointer { output in
        try resampler.drain(into: UnsafeMutableBufferPointer(rebasing: output[done...]))
      }
      if more == 0 { break }
      done += more * 2
    }
    return Array(out[..<done])
  }

  @Test func `A join of two tracks of one rate is resampled as one piece of music`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 20_011, rate: 44_100)
    let two = try rig.track("two", frames: 15_000, first: 900_000, rate: 44_100)
    try rig.start([one.path, two.path])
    rig.hear(60_000)
    await rig.until { rig.hasEnded }
    let wanted = try resampled(one.samples + two.samples, from: 44_100)
    #expect(rig.heard.count == wanted.count)
    let worst = zip(rig.heard, wanted).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-6)
    #expect(rig.toldTracks == [0, 1])
  }

  @Test func `Tracks of different rates follow each other, each of its own length`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 22_050, rate: 22_050)
    let two = try rig.track("two", frames: 4_800)
    let three = try rig.track("three", frames: 9_600, rate: 96_000)
    try rig.start([one.path, two.path, three.path])
    rig.hear(70_000)
    await rig.until { rig.hasEnded }
    #expect(rig.heard.count / 2 == 48_000 + 4_800 + 4_800)
    let isSame = Array(rig.heard[96_000..<105_600]) == two.samples
    #expect(isSame)
    #expect(rig.toldTracks == [0, 1, 2])
  }

  @Test func `After a seek the resampled frames are those of a straight run`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 441_000, rate: 44_100)
    let wanted = try resampled(track.samples, from: 44_100)
    try rig.start([track.path])
    await rig.until { rig.toldTracks == [0] }
    rig.hear(1_000)
    rig.engine.seek(to: 5)
    await rig.until { rig.hasSought }
    rig.hear(4_000)
    // 1,000 heard, 240 of latency, then the fade of 480.
    let heard = Array(rig.heard[(1_720 * 2)...])
    let first = (240_000 + 480) * 2
    let worst =
      zip(heard, wanted[first...]).prefix(6_000).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-6)
  }
}
