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
  /// The factor to apply: the asked gain, or the other one where only that is known, lowered so
  /// that the tagged peak does not exceed full scale. `nil` where nothing is tagged.
  public func gain(_ mode: LoudnessMode) -> Gain? {
    let pair: (gain: Double?, peak: Double?)
    switch mode {
    case .off: return nil
    case .track: pair = (trackGain ?? albumGain, trackGain != nil ? trackPeak : albumPeak)
    case .album: pair = (albumGain ?? trackGain, albumGain != nil ? albumPeak : trackPeak)
    }
    guard let decibels = pair.gain else { return nil }
    var factor = Double(Gain(decibels: decibels).linear)
    if let peak = pair.peak, peak > 0 { factor = min(factor, 1 / peak) }
    return Gain(linear: Float(factor))
  }
}
