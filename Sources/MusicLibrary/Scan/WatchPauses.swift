/// When folders that change are looked through: once they have ceased to change for a moment, in any
/// case soon, and never so often that it would be noticed elsewhere. Pure; in seconds of any clock.
struct WatchPauses {
  static let quiet = 1.0
  static let longest = 5.0
  /// At least this long between two scans, and ten times as long as the last one took.
  static let between = 2.0
  static let longestBetween = 60.0
  /// Another program holds the index.
  static let hindered = 15.0

  private var first: Double?
  private var latest = 0.0
  private var earliest = -Double.infinity

  /// `nil` while nothing has changed.
  var due: Double? {
    first.map { max(earliest, min(latest + Self.quiet, $0 + Self.longest)) }
  }

  mutating func changed(at now: Double) {
    if first == nil { first = now }
    latest = now
  }

  /// A scan was made; what changes from here on is for the next one.
  mutating func scanned(from start: Double, to end: Double) {
    first = nil
    earliest = end + min(max(Self.between, (end - start) * 10), Self.longestBetween)
  }

  /// A scan could not be made now.
  mutating func hindered(at now: Double) {
    changed(at: now)
    earliest = now + Self.hindered
  }
}
