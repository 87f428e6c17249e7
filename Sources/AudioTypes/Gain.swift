#if canImport(Glibc)
  import Glibc
#endif

/// A loudness factor. Kept as the linear factor that samples are multiplied with; 1 changes nothing.
public struct Gain: Equatable, Hashable, Sendable {
  /// What samples are multiplied with: 0 is silence, 1 leaves them as they are, 2 is 6 dB more. Never
  /// below 0.
  public var linear: Float

  public init(linear: Float) { self.linear = linear }

  /// A gain in decibels: 20·log10 of the factor. `-.infinity` is silence.
  public init(decibels: Double) {
    linear = decibels == -.infinity ? 0 : Float(pow(10, decibels / 20))
  }

  /// The same in decibels; `-.infinity` for silence.
  public var decibels: Double { linear > 0 ? 20 * log10(Double(linear)) : -.infinity }

  /// 0 dB: samples stay as they are, bit for bit.
  public static let unity = Gain(linear: 1)
  /// No sound at all, whatever the samples are.
  public static let silence = Gain(linear: 0)
}
