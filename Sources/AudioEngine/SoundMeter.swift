import Glibc

/// How loud sound is, as meters show it: peaks of its channels, and how strong its frequencies are.
/// Rises at once and falls slowly. Pure.
public struct SoundMeter: Sendable {
  /// Frames that are looked at; a power of two.
  public static let frames = 2048
  public static let bands = 24
  /// Where a level stands in silence, in dB.
  public static let floor: Float = -120

  /// Peaks of the channels in dB of full scale, at most two of them.
  public private(set) var levels: [Float] = []
  /// From low to high, 0 to 1.
  public private(set) var spectrum: [Float] = []

  private static let lowest: Float = 50
  private static let highest: Float = 16_000
  /// What a band shows at its foot, in dB.
  private static let spectrumFloor: Float = -66
  /// Music has less of what is higher: so much is added for each octave, in dB.
  private static let tilt: Float = 2.5
  /// In dB a second, and in whole heights a second.
  private static let levelFall: Float = 26
  private static let bandFall: Float = 1.6

  private var transform = Transform(count: SoundMeter.frames)
  private var real = [Float](repeating: 0, count: SoundMeter.frames)
  private var imaginary = [Float](repeating: 0, count: SoundMeter.frames)
  /// The first bin of each band, and of what is above them, for the rate they were made for.
  private var edges: [Int] = []
  private var edgesRate = 0

  public init() {}

  /// Silence: nothing is left to fall.
  public mutating func rest() {
    for index in levels.indices { levels[index] = Self.floor }
    for index in spectrum.indices { spectrum[index] = 0 }
  }

  /// Looks at a stretch of `frames` frames.
  ///
  /// - Parameter seconds: how much later than the one before.
  public mutating func take(_ sound: HeardSound, after seconds: Double) {
    let channels = sound.channels
    guard channels > 0, sound.samples.count == Self.frames * channels, sound.sampleRate > 0 else {
      return
    }
    let passed = Float(min(max(seconds, 0), 1))
    takeLevels(sound, passed)
    takeSpectrum(sound, passed)
  }

  private mutating func takeLevels(_ sound: HeardSound, _ passed: Float) {
    let shown = min(sound.channels, 2)
    if levels.count != shown { levels = Array(repeating: Self.floor, count: shown) }
    for channel in 0..<shown {
      var peak: Float = 0
      var index = channel
      while index < sound.samples.count {
        let value = abs(sound.samples[index])
        if value > peak { peak = value }
        index += sound.channels
      }
      let level = Self.decibels(peak)
      levels[channel] = max(level, levels[channel] - Self.levelFall * passed, Self.floor)
    }
  }

  private mutating func takeSpectrum(_ sound: HeardSound, _ passed: Float) {
    if edgesRate != sound.sampleRate { makeEdges(sound.sampleRate) }
    if spectrum.count != Self.bands { spectrum = Array(repeating: 0, count: Self.bands) }
    let (channels, part) = (sound.channels, 1 / Float(sound.channels))
    for frame in 0..<Self.frames {
      var sum: Float = 0
      for channel in 0..<channels { sum += sound.samples[frame * channels + channel] }
      real[frame] = sum.isFinite ? sum * part * transform.window[frame] : 0
      imaginary[frame] = 0
    }
    transform.run(&real, &imaginary)
    for band in 0..<Self.bands {
      var strongest: Float = 0
      for bin in edges[band]..<edges[band + 1] {
        let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
        if power > strongest { strongest = power }
      }
      // A sine of full scale gives a quarter of the frames, the window taking half of it.
      let level = Self.decibels(strongest.squareRoot() * 4 / Float(Self.frames))
      let octaves = log2f(Float(edges[band]) / Float(edges[0]))
      let height = (level + Self.tilt * octaves - Self.spectrumFloor) / -Self.spectrumFloor
      spectrum[band] = max(min(height, 1), spectrum[band] - Self.bandFall * passed, 0)
    }
  }

  private mutating func makeEdges(_ rate: Int) {
    edgesRate = rate
    let width = Float(rate) / Float(Self.frames)
    let top = min(Self.highest, Float(rate) * 0.45)
    edges = []
    for band in 0...Self.bands {
      let frequency = Self.lowest * powf(top / Self.lowest, Float(band) / Float(Self.bands))
      // Each band has a bin of its own, also where these are wider than bands.
      let bin = max(Int((frequency / width).rounded()), (edges.last ?? 0) + 1)
      edges.append(min(bin, Self.frames / 2))
    }
  }

  private static func decibels(_ value: Float) -> Float {
    value > 1e-6 ? min(20 * log10f(value), 60) : floor
  }
}

/// A Fourier transform of fixed length, in place.
struct Transform: Sendable {
  let count: Int
  let window: [Float]
  private let cosines: [Float]
  private let sines: [Float]
  private let reversed: [Int]

  /// - Parameter count: a power of two.
  init(count: Int) {
    self.count = count
    let step = 2 * Float.pi / Float(count)
    window = (0..<count).map { 0.5 - 0.5 * cosf(step * Float($0)) }
    cosines = (0..<count / 2).map { cosf(step * Float($0)) }
    sines = (0..<count / 2).map { -sinf(step * Float($0)) }
    let bits = count.trailingZeroBitCount
    reversed = (0..<count).map { index in
      (0..<bits).reduce(0) { $0 << 1 | index >> $1 & 1 }
    }
  }

  func run(_ real: inout [Float], _ imaginary: inout [Float]) {
    for index in 0..<count where reversed[index] > index {
      real.swapAt(index, reversed[index])
      imaginary.swapAt(index, reversed[index])
    }
    unsafe real.withUnsafeMutableBufferPointer { real in
      unsafe imaginary.withUnsafeMutableBufferPointer { imaginary in
        var half = 1
        while half < count {
          let stride = count / (2 * half)
          var start = 0
          while start < count {
            for offset in 0..<half {
              let (low, high) = (start + offset, start + offset + half)
              let (cosine, sine) = (cosines[offset * stride], sines[offset * stride])
              let (a, b) = unsafe (real[high], imaginary[high])
              let turned = (a * cosine - b * sine, a * sine + b * cosine)
              unsafe real[high] = real[low] - turned.0
              unsafe imaginary[high] = imaginary[low] - turned.1
              unsafe real[low] += turned.0
              unsafe imaginary[low] += turned.1
            }
            start += 2 * half
          }
          half *= 2
        }
      }
    }
  }
}
