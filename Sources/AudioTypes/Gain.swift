#if canImport(Glibc)
  import Glibc
#endif

/// A loudness factor. Kept as the linear factor that samples are multiplied with; 1 changes nothing.
public struct Gain: Equatable, Hashable, Sendable {
  public var linear: Float

  public init(linear: Float) { self.linear = linear }

  /// A gain in decibels: 20·log10 of the factor. `-.infinity` is silence.
  public init(decibels: Double) {
    linear = decibels == -.infinity ? 0 : Float(pow(10, decibels / 20))
  }

  public var decibels: Double { linear > 0 ? 20 * log10(Double(linear)) : -.infinity }

  public static let unity = Gain(linear: 1)
  public static let silence = Gain(linear: 0)
}
