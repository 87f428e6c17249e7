/// The loudness tags of a track (ReplayGain 2.0, or R128 of Opus turned into it). Gains in dB,
/// peaks as a factor of full scale.
public struct LoudnessTags: Equatable, Sendable {
  public var trackGain: Double?
  public var albumGain: Double?
  public var trackPeak: Double?
  public var albumPeak: Double?

  public init(
    trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil,
    albumPeak: Double? = nil
  ) {
    self.trackGain = trackGain
    self.albumGain = albumGain
    self.trackPeak = trackPeak
    self.albumPeak = albumPeak
  }

  public var isEmpty: Bool { self == LoudnessTags() }
}

/// Which loudness tags are applied.
public enum LoudnessMode: String, Sendable, CaseIterable {
  case off, track, album
}

extension LoudnessTags {
  /// What is applied of a tagged gain, in dB: tags may say anything, and more is not meant.
  static let range = -60.0...24.0
  /// A higher peak is counted in something else than full scale, or damaged.
  private static let highestPeak = 100.0

  /// The factor to apply: the asked gain, or the other one where only that is known, between -60
  /// and 24 dB and lowered so that the tagged peak does not exceed full scale. A peak that is not
  /// known counts as full scale: nothing is lifted then. `nil` where no gain is tagged.
  public func gain(_ mode: LoudnessMode) -> Gain? {
    let gains = (track: Self.finite(trackGain), album: Self.finite(albumGain))
    let peaks = (track: Self.peak(trackPeak), album: Self.peak(albumPeak))
    let pair: (gain: Double?, peak: Double?)
    switch mode {
    case .off: return nil
    case .track:
      pair = (gains.track ?? gains.album, gains.track != nil ? peaks.track : peaks.album)
    case .album:
      pair = (gains.album ?? gains.track, gains.album != nil ? peaks.album : peaks.track)
    }
    guard let told = pair.gain else { return nil }
    let decibels = min(max(told, Self.range.lowerBound), Self.range.upperBound)
    // The other peak bounds this track as well.
    let peak = pair.peak ?? peaks.track ?? peaks.album ?? 1
    return Gain(linear: Float(min(Double(Gain(decibels: decibels).linear), 1 / peak)))
  }

  private static func finite(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func peak(_ value: Double?) -> Double? {
    value.flatMap { $0 > 0 && $0 <= highestPeak ? $0 : nil }
  }
}
