/// Signals whose every frame can be recognised, so that a test that compares them cannot pass by
/// chance: lost, repeated, swapped or shifted frames all show.
public enum Signals {
  /// A pseudo-random generator with a fixed start (SplitMix64): the same numbers on every run.
  public struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64
    public init(_ seed: UInt64) { state = seed }
    public mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }

  /// A sample that tells its frame and its channel: a whole number of `bits` bits.
  public static func coded(frame: Int, channel: Int, bits: Int) -> Int32 {
    var mixed =
      UInt64(frame) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(channel + 1) &* 0xD1B5_4A32_D192_ED03
    mixed = (mixed ^ mixed >> 31) &* 0xBF58_476D_1CE4_E5B9
    return Int32(truncatingIfNeeded: Int64(bitPattern: mixed) >> Int64(64 - bits))
  }

  /// Interleaved coded samples.
  public static func coded(frames: Int, channels: Int, bits: Int, from first: Int = 0) -> [Int32] {
    var samples: [Int32] = []
    samples.reserveCapacity(frames * channels)
    for frame in first..<first + frames {
      for channel in 0..<channels {
        samples.append(coded(frame: frame, channel: channel, bits: bits))
      }
    }
    return samples
  }

  /// Music-like sound for lossy codecs as 16-bit samples: a sweep, a beat and soft noise, other in
  /// every channel. Nowhere periodic, so a shift by any number of frames shows.
  public static func music(
    frames: Int, channels: Int, rate: Int, seed: UInt64 = 1, level: Double = 0.5
  ) -> [Int32] {
    var random = Seeded(seed)
    var samples = [Int32](repeating: 0, count: frames * channels)
    var phases = [Double](repeating: 0, count: channels * 2)
    for frame in 0..<frames {
      let time = Double(frame) / Double(rate)
      for channel in 0..<channels {
        let low = 110.0 * Double(channel + 2) * (1 + 0.3 * wave(time * 0.37))
        let high = 900.0 + 700 * wave(time * 0.21 + Double(channel) * 0.25)
        phases[channel * 2] += low / Double(rate)
        phases[channel * 2 + 1] += high / Double(rate)
        let beat = 0.3 + 0.7 * max(0, 1 - 6 * (time * 2 - (time * 2).rounded(.down)))
        let noise = Double(Int64.random(in: -1000...1000, using: &random)) / 1000
        let value =
          0.5 * wave(phases[channel * 2]) + 0.3 * beat * wave(phases[channel * 2 + 1])
          + 0.05 * noise
        samples[frame * channels + channel] = Int32((value * level * 32767).rounded())
      }
    }
    return samples
  }

  /// Something like a sine without a maths library: smooth, of period 1, between -1 and 1.
  private static func wave(_ phase: Double) -> Double {
    let part = phase - phase.rounded(.down)
    let half = part < 0.5 ? part : part - 0.5
    let hump = 16 * half * (0.5 - half)
    return part < 0.5 ? hump : -hump
  }
}
