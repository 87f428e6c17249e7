import AudioTypes

/// One track of the queue: where it is, and what its playlist calls it.
public struct QueueEntry: Equatable, Sendable {
  public var location: TrackLocation
  /// Known before the track has been opened, from a playlist or CUE sheet; `nil` otherwise.
  public var title: String?
  public var artist: String?
  /// Seconds, as the playlist says.
  public var duration: Double?

  public init(
    _ location: TrackLocation, title: String? = nil, artist: String? = nil,
    duration: Double? = nil
  ) {
    self.location = location
    self.title = title
    self.artist = artist
    self.duration = duration
  }
}

/// The tracks to be played, in order, and the one that is current. Pure: nothing here plays.
public struct PlayQueue: Equatable, Sendable {
  public private(set) var entries: [QueueEntry] = []
  /// An index of `entries`; `nil` before the first track and after the last.
  public private(set) var current: Int?

  /// "Previous" restarts a track of which more than this has been heard, in seconds.
  public static let restartAfter = 3.0

  public init(_ entries: [QueueEntry] = []) { self.entries = entries }

  public var currentEntry: QueueEntry? { current.map { entries[$0] } }

  /// Appends at the end; what is current stays so.
  public mutating func append(_ more: some Sequence<QueueEntry>) {
    entries.append(contentsOf: more)
  }

  /// Makes a track current; `nil` and indexes outside of the queue mean none.
  public mutating func select(_ index: Int?) {
    current = index.flatMap { entries.indices.contains($0) ? $0 : nil }
  }

  /// The index that follows, `nil` at the end of the queue.
  public func index(after index: Int) -> Int? {
    index >= -1 && index + 1 < entries.count ? index + 1 : nil
  }

  /// Goes to the next track; at the end nothing is current, which means stop.
  @discardableResult public mutating func next() -> Int? {
    current = current.map { index(after: $0) } ?? (entries.isEmpty ? nil : 0)
    return current
  }

  /// Goes back: to the beginning of the current track when more than `restartAfter` of it has been
  /// heard or none comes before it, otherwise to the track before. Nothing current: the last.
  @discardableResult public mutating func previous(position: Double) -> Int? {
    guard let index = current else {
      current = entries.indices.last
      return current
    }
    if position <= Self.restartAfter, index > 0 { current = index - 1 }
    return current
  }
}
