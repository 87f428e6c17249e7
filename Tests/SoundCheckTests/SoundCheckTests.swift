import SoundCheck
import Testing

@Suite struct SoundCheckTests {
  /// Noise that has a pitch: alike nowhere but to itself.
  private static func noise(_ seed: UInt64, _ count: Int) -> Samples {
    var state = seed
    var low: Float = 0
    func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      low += 0.2 * (Float(Int64(bitPattern: state) >> 40) / Float(1 << 23) - low)
      return low
    }
    return Samples(left: (0..<count).map { _ in next() }, right: (0..<count).map { _ in next() })
  }

  private static func mix(_ parts: [(sound: Samples, begin: Int, gain: Float)], _ count: Int)
    -> Samples
  {
    var mix = Samples(left: [Float](repeating: 0, count: count))
    for part in parts {
      for frame in 0..<count where (0..<part.sound.count).contains(frame - part.begin) {
        mix.left[frame] += part.gain * part.sound.left[frame - part.begin]
        mix.right[frame] += part.gain * part.sound.right[frame - part.begin]
      }
    }
    return mix
  }

  @Test(arguments: [0, 1, 777, 4001])
  func `A sound is found at the frame where it is`(begin: Int) throws {
    let sound = Self.noise(1, 12_000)
    let piece = Samples(
      left: Array(sound.left[begin..<begin + 2048]), right: Array(sound.right[begin..<begin + 2048])
    )
    let match = try #require(SoundCheck.find(piece, in: sound, at: 0..<5000))
    #expect(match.frame == begin)
    #expect(match.likeness > 0.9999)
  }

  @Test func `Another sound is not alike`() throws {
    let piece = Self.noise(2, 4096)
    let match = try #require(SoundCheck.find(piece, in: Self.noise(1, 12_000), at: 0..<5000))
    #expect(match.likeness < 0.3)
  }

  @Test func `Silence is found nowhere`() {
    let silence = Samples(left: [Float](repeating: 0, count: 2048))
    #expect(SoundCheck.find(silence, in: Self.noise(1, 8000), at: 0..<1000) == nil)
  }

  @Test func `A mix of three is taken apart, and nothing of it is left`() throws {
    let sounds = (1...3).map { Self.noise($0, 6000) }
    let mix = Self.mix([(sounds[0], 0, 0.2), (sounds[1], -500, 1), (sounds[2], 300, 0)], 4000)
    let fit = SoundCheck.fit(
      [
        PlacedSound(sounds[0], begin: 0), PlacedSound(sounds[1], begin: -500),
        PlacedSound(sounds[2], begin: 300),
      ], to: mix, first: 0)
    let gains = fit.gains.compactMap { $0 }
    try #require(gains.count == 3)
    for (gain, expected) in zip(gains, [0.2, 1, 0]) { #expect(abs(gain - expected) < 1e-4) }
    #expect(fit.rest < fit.level / 1000)
  }

  @Test func `What no known sound explains is the rest`() {
    let sound = Self.noise(1, 4000)
    let fit = SoundCheck.fit(
      [PlacedSound(sound, begin: 0)],
      to: Self.mix([(sound, 0, 1), (Self.noise(9, 4000), 0, 1)], 4000),
      first: 0)
    #expect(fit.rest > fit.level / 2)
  }

  @Test func `Where a sound is silent itself, nothing is said of its level`() {
    var sound = Self.noise(1, 4000)
    for index in 1000..<2000 { (sound.left[index], sound.right[index]) = (0, 0) }
    let piece = Samples(
      left: Array(sound.left[1000..<2000]), right: Array(sound.right[1000..<2000]))
    let fit = SoundCheck.fit([PlacedSound(sound, begin: 0)], to: piece, first: 1000)
    #expect(fit.gains == [nil] && fit.level == 0)
  }

  @Test func `A sound that begins again is known in its second round`() {
    let sound = Self.noise(1, 1000)
    let piece = Samples(left: Array(sound.left[200..<600]), right: Array(sound.right[200..<600]))
    let fit = SoundCheck.fit(
      [PlacedSound(sound, begin: 50, isLooping: true)], to: piece, first: 2250)
    #expect(abs((fit.gains[0] ?? 0) - 1) < 1e-6)
  }
}
