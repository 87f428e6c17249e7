import AudioTypes

/// One track of the queue: where it is, and what its playlist calls it.
public struct QueueEntry: Equatable, Sendable {
  public var location: TrackLocation
  /// Known before the track has been opened, from a playlist or CUE sheet; `nil` otherwise.
  public var title: String?
  public var artist: String?
  /// What all tracks of its album share and no other track has, for keeping them together; `nil` when
  /// it is not known: then the folder counts. Not for people's eyes.
  public var album: String?
  /// Seconds, as the playlist says.
  public var duration: Double?

  public init(
    _ location: TrackLocation, title: String? = nil, artist: String? = nil, album: String? = nil,
    duration: Double? = nil
  ) {
    self.location = location
    self.title = title
    self.artist = artist
    self.album = album
    self.duration = duration
  }

  /// Whole milliseconds, for sums that come out the same in any order; nil where the duration is
  /// not known or is none. Three years are the most a track may claim.
  var milliseconds: Int64? {
    guard let duration, duration >= 0, duration < 1e8 else { return nil }
    return Int64((duration * 1000).rounded())
  }
}

/// Names one entry of one queue for as long as the queue lives, wherever edits put it. A track that
/// stands in the queue twice is two entries.
public struct EntryID: Hashable, Sendable {
  public let number: UInt32
  /// What `number` said: for those who can hand on nothing but a number.
  public init(_ number: UInt32) { self.number = number }
}

/// What is put in an order of chance.
public enum ShuffleUnit: String, Hashable, Sendable, CaseIterable {
  case track, album
}

/// What comes after the last track, and after each.
public enum RepeatMode: String, Hashable, Sendable, CaseIterable {
  case off
  /// After the last track the first.
  case all
  /// The same track again, until the user skips it.
  case one
}
