import AudioTypes

/// How much of a track was heard, and what follows from that. Pure.
struct Listening: Equatable {
  var key: Int
  var location: TrackLocation
  /// Seconds; nil where it is not known.
  var duration: Double?
  /// It is one that people hear in pieces: long, or spoken.
  var isLong = false
  /// Seconds heard so far.
  private(set) var heard: Double
  private(set) var isCounted: Bool
  /// Where in the track it is, as far as that was told.
  var position = 0.0
  /// Since when it has been sounding, in seconds of a clock.
  private var since: Double?

  /// Half of it, or four minutes, whatever is less, makes a play.
  static let countedSeconds = 240.0
  /// Who goes on sooner than this only looks for something.
  static let skippedSeconds = 1.0
  /// Tracks longer than this go on where they were left.
  static let longSeconds = 1200.0
  /// So near to its ends a track has no place to go on at.
  static let marginSeconds = 10.0

  init(
    key: Int, location: TrackLocation, duration: Double?, isLong: Bool, heard: Double = 0,
    isCounted: Bool = false
  ) {
    self.key = key
    self.location = location
    self.duration = duration
    self.isLong = isLong
    self.heard = heard
    self.isCounted = isCounted
  }

  private var threshold: Double {
    guard let duration, duration > 0 else { return Self.countedSeconds }
    return min(duration / 2, Self.countedSeconds)
  }

  /// It sounds from now on, or does not any more. True when it has become a play.
  mutating func take(isSounding: Bool, at now: Double) -> Bool {
    if let since { heard += max(0, now - since) }
    since = isSounding ? now : nil
    guard !isCounted, heard >= threshold else { return false }
    isCounted = true
    return true
  }

  /// Whether leaving it now, by the user's wish, is a skip.
  var isSkip: Bool { !isCounted && heard >= Self.skippedSeconds }

  /// Where it goes on the next time; nil: at its beginning.
  var bookmark: Double? {
    guard isLong, position > Self.marginSeconds else { return nil }
    if let duration, position > duration - Self.marginSeconds { return nil }
    return position
  }

  /// Whether leaving it now says anything of where it goes on: not so a few seconds of its beginning.
  var tellsPlace: Bool {
    isLong && (bookmark != nil || heard >= Self.marginSeconds || position > Self.marginSeconds)
  }

  /// - Parameter genres: as tagged.
  static func isLong(duration: Double?, genres: [String]) -> Bool {
    if let duration, duration > longSeconds { return true }
    return genres.contains { genre in
      let genre = genre.lowercased()
      return spoken.contains { genre.contains($0) }
    }
  }

  private static let spoken = ["audiobook", "audio book", "podcast", "speech", "spoken"]
}
