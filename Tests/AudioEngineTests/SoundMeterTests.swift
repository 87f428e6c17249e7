import Glibc
import TestSupport
import Testing

@testable import AudioEngine

/// What meters show of what is heard.
@Suite struct SoundMeterTests {
  private static func sine(
    _ frequency: Float, _ amplitude: Float, channels: Int = 2, rate: Int = 48_000
  ) -> HeardSound {
    var sound = HeardSound()
    sound.channels = channels
    sound.sampleRate = rate
    sound.samples = (0..<SoundMeter.frames * channels).map { index in
      amplitude * sinf(2 * .pi * frequency * Float(index / channels) / Float(rate))
    }
    return sound
  }

  @Test func `A level is its channel's peak`() {
    var sound = Self.sine(1000, 0.5)
    for index in stride(from: 1, to: sound.samples.count, by: 2) { sound.samples[index] = 0 }
    var meter = SoundMeter()
    meter.take(sound, after: 0)
    #expect(meter.levels.count == 2)
    #expect(abs(meter.levels[0] + 6.02) < 0.1)
    #expect(meter.levels[1] == SoundMeter.floor)
    meter.take(Self.sine(1000, 1, channels: 1), after: 0)
    #expect(meter.levels.count == 1)
    #expect(abs(meter.levels[0]) < 0.1)
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `A tone stands in the band of its frequency, higher tones in higher bands`(_ rate: Int) {
    var last = -1
    for frequency: Float in [100, 250, 600, 1500, 4000, 10_000] {
      var meter = SoundMeter()
      meter.take(Self.sine(frequency, 0.25, rate: rate), after: 0)
      #expect(meter.spectrum.count == SoundMeter.bands)
      let loudest = meter.spectrum.indices.max { meter.spectrum[$0] < meter.spectrum[$1] } ?? -1
      #expect(loudest > last)
      last = loudest
      #expect(meter.spectrum[loudest] > 0.7)
      // Its neighbours share in it, the others hear nothing.
      for band in meter.spectrum.indices where abs(band - loudest) > 4 {
        #expect(meter.spectrum[band] < 0.5)
      }
    }
  }

  @Test func `It rises at once, falls with time, and silence ends at nothing`() {
    var meter = SoundMeter()
    let silence = Self.sine(1000, 0)
    meter.take(Self.sine(1000, 1), after: 0)
    let high = meter.spectrum.max() ?? 0
    meter.take(silence, after: 0.1)
    #expect(abs(meter.levels[0] + 2.6) < 0.1)
    #expect(abs((meter.spectrum.max() ?? 0) - (high - 0.16)) < 0.01)
    for _ in 0..<10 { meter.take(silence, after: 1) }
    #expect(meter.levels == [SoundMeter.floor, SoundMeter.floor])
    #expect(meter.spectrum.allSatisfy { $0 == 0 })
    meter.take(Self.sine(1000, 1), after: 0)
    meter.rest()
    #expect(meter.levels == [SoundMeter.floor, SoundMeter.floor])
    #expect(meter.spectrum.allSatisfy { $0 == 0 })
  }

  @Test func `Strange samples and formats leave numbers`() {
    var meter = SoundMeter()
    var sound = Self.sine(1000, 1)
    for (index, value) in [Float.nan, .infinity, -.infinity, 1e30].enumerated() {
      sound.samples[index * 7] = value
    }
    meter.take(sound, after: .nan)
    meter.take(sound, after: -1)
    #expect(meter.levels.allSatisfy { $0.isFinite })
    #expect(meter.spectrum.allSatisfy { (0...1).contains($0) })
    let before = meter.levels
    sound.samples = []
    meter.take(sound, after: 1)
    sound.channels = 0
    meter.take(sound, after: 1)
    #expect(meter.levels == before)
    meter.take(Self.sine(10, 1, channels: 6, rate: 8000), after: 1)
    #expect(meter.spectrum.allSatisfy { (0...1).contains($0) })
  }

  @Test func `The transform is the sum it stands for`() {
    let transform = Transform(count: 16)
    var generator = Seeded(seed: 5)
    let real = (0..<16).map { _ in Float.random(in: -1...1, using: &generator) }
    let imaginary = (0..<16).map { _ in Float.random(in: -1...1, using: &generator) }
    var (a, b) = (real, imaginary)
    transform.run(&a, &b)
    for bin in 0..<16 {
      var (sumReal, sumImaginary) = (Float(0), Float(0))
      for index in 0..<16 {
        let angle = -2 * Float.pi * Float(bin * index) / 16
        sumReal += real[index] * cosf(angle) - imaginary[index] * sinf(angle)
        sumImaginary += real[index] * sinf(angle) + imaginary[index] * cosf(angle)
      }
      #expect(abs(a[bin] - sumReal) < 1e-4 && abs(b[bin] - sumImaginary) < 1e-4)
    }
  }

  private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}

/// What meters are given is what the device plays, while it plays it.
@MainActor @Suite(.timeLimit(.minutes(15))) struct HeardSoundTests {
  @Test func `The frames around the heard one are copied, as loud as they are heard`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("a.wav", frames: Rig.rate * 4)
    try rig.start([track.path])
    var sound = HeardSound()
    rig.hear(30_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    #expect(rig.engine.copyHeard(frames: 512, into: &sound))
    #expect(sound.channels == 2 && sound.sampleRate == Rig.rate)
    let heard = Int(rig.device.clock().heard)
    // What was heard already may be gone; then it begins with what is heard now.
    let places = (heard - 256...heard).filter { start in
      Array(track.samples[(start * 2)..<((start + 512) * 2)]) == sound.samples
    }
    #expect(places.count == 1)
    rig.engine.setLevel(.silence)
    rig.hear(20_000)
    #expect(rig.engine.copyHeard(frames: 512, into: &sound))
    #expect(sound.samples.allSatisfy { $0 == 0 })
    rig.engine.hold()
    rig.hear(5_000)
    await rig.holdUntilSilent()
    #expect(!rig.engine.copyHeard(frames: 512, into: &sound))
  }
}
