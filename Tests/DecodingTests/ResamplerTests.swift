import Decoding
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Tool.isIntegration)) struct ResamplerTests {
  static let pairs = [
    (44100, 48000), (48000, 44100), (96000, 48000), (192_000, 44100), (44100, 96000),
    (8000, 48000), (11025, 44100), (44100, 44101), (48000, 48000),
  ]

  /// Resamples all of a mono signal, in pieces.
  static func resample(_ input: [Float], _ resampler: Resampler, piece: Int = 1000) throws
    -> [Float]
  {
    var all: [Float] = []
    var out = [Float](repeating: 0, count: 700)
    var at = 0
    while at < input.count {
      let end = min(input.count, at + piece)
      let (consumed, produced) = try input[at..<end].withUnsafeBufferPointer { from in
        try out.withUnsafeMutableBufferPointer { try resampler.process(from, into: $0) }
      }
      at += consumed
      all += out[..<produced]
    }
    while true {
      let produced = try out.withUnsafeMutableBufferPointer { try resampler.drain(into: $0) }
      if produced == 0 { return all }
      all += out[..<produced]
    }
  }

  static func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var random = Signals.Seeded(seed)
    return (0..<count).map { _ in Float(Int.random(in: -32768...32767, using: &random)) / 32768 }
  }

  @Test(arguments: pairs)
  func `the number of frames is the input's time, rounded up`(from: Int, to: Int) throws {
    let resampler = try Resampler(from: from, to: to, channels: 1)
    for count in [1, 2, 3, 100, 147, 160, 999, 4096, 12_345] {
      let wanted = (count * to + from - 1) / from
      #expect(resampler.outputFrames(Int64(count)) == Int64(wanted))
      let got = try Self.resample(Self.noise(count), resampler).count
      #expect(got == wanted, "\(count)")
      try resampler.reset()
    }
  }

  @Test(arguments: pairs)
  func `frames after a seek equal those of a straight run`(from: Int, to: Int) throws {
    let input = Self.noise(from * 4)
    let resampler = try Resampler(from: from, to: to, channels: 1)
    let straight = try Self.resample(input, resampler)
    var random = Signals.Seeded(5)
    for _ in 0..<12 {
      let target = Int.random(in: 0..<straight.count - 10, using: &random)
      let plan = Resampler.seekPlan(outputFrame: Int64(target), from: from, to: to)
      #expect(plan.inputFrame >= 0 && plan.dropOutputFrames >= 0)
      try resampler.reset()
      let got = try Self.resample(Array(input[Int(plan.inputFrame)...]), resampler, piece: 333)
      let worst = zip(got[plan.dropOutputFrames...], straight[target...]).map { abs($0 - $1) }.max()
      #expect(got.count - plan.dropOutputFrames == straight.count - target)
      #expect(worst! < 1e-6)
    }
  }

  @Test(arguments: pairs)
  func `a tone stays where and what it is`(from: Int, to: Int) throws {
    let resampler = try Resampler(from: from, to: to, channels: 1)
    func tone(_ index: Int, _ rate: Int) -> Float {
      Float(0.5 * sin(2 * Double.pi * 997 * Double(index) / Double(rate)))
    }
    let got = try Self.resample((0..<from).map { tone($0, from) }, resampler)
    // Away from the ends, where the filter sees the silence around the signal.
    for index in to / 4..<to * 3 / 4 { #expect(abs(got[index] - tone(index, to)) < 3e-6) }
  }

  @Test func `impossible rates are refused`() {
    #expect(throws: DecodingError.self) { try Resampler(from: 0, to: 48000, channels: 2) }
    #expect(throws: DecodingError.self) { try Resampler(from: 44100, to: 48000, channels: 0) }
  }
}
