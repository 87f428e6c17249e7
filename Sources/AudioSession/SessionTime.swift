/// A point in time, or a stretch of it, in nanoseconds since an origin that the caller chooses. The
/// session has no clock: time is a value that is given to it.
public struct SessionTime: Hashable, Sendable, Codable, Comparable {
  public var nanoseconds: Int64

  /// The largest stretch that is kept: 146 years. Sums of two such values do not overflow.
  public static let longest = SessionTime(nanoseconds: Int64.max / 2)
  public static let zero = SessionTime(nanoseconds: 0)

  /// Values beyond `longest` on either side are clipped to it.
  public init(nanoseconds: Int64) {
    self.nanoseconds = min(max(nanoseconds, -(Int64.max / 2)), Int64.max / 2)
  }

  /// To the nearest nanosecond. Not a number is zero; what is too large is clipped to `longest`.
  public static func seconds(_ seconds: Double) -> SessionTime {
    guard !seconds.isNaN else { return zero }
    let nanoseconds = (seconds * 1e9).rounded()
    if nanoseconds >= Double(longest.nanoseconds) { return longest }
    if nanoseconds <= -Double(longest.nanoseconds) {
      return SessionTime(nanoseconds: -longest.nanoseconds)
    }
    return SessionTime(nanoseconds: Int64(nanoseconds))
  }

  /// So many milliseconds after the beginning of time, or as a span.
  public static func milliseconds(_ milliseconds: Int64) -> SessionTime {
    let (nanoseconds, isTooLarge) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    if isTooLarge { return seconds(Double(milliseconds) / 1000) }
    return SessionTime(nanoseconds: nanoseconds)
  }

  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: SessionTime, right: SessionTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: SessionTime, right: SessionTime) -> SessionTime {
    SessionTime(nanoseconds: left.nanoseconds + right.nanoseconds)
  }

  public static func - (left: SessionTime, right: SessionTime) -> SessionTime {
    SessionTime(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

/// The session's numbers, each with where it is from.
public enum SessionTiming {
  /// How much music steps under a prompt, in decibels (Android, Chromium, ExoPlayer: 0.2 linear).
  public static let duckDecibels = -14.0
  /// How long the step down takes.
  public static let duckAttack = SessionTime.milliseconds(100)
  /// How long the way back takes (Android's notification ramp, reversed).
  public static let duckRelease = SessionTime.milliseconds(500)
  /// How long music stays low after the last prompt, so that a row of them is one step.
  public static let duckHold = SessionTime.milliseconds(300)
  /// The fade before a call or another interruption holds the music.
  public static let interruptionFade = SessionTime.milliseconds(100)
  /// The fade before another player takes over; up to 500 ms are allowed.
  public static let primaryFade = SessionTime.milliseconds(300)
  /// How long one program must play and record before that counts as a call (WirePlumber).
  public static let callDebounceIn = SessionTime.milliseconds(500)
  /// How long it must have stopped before the call counts as over (WirePlumber).
  public static let callDebounceOut = SessionTime.milliseconds(2000)
  /// How long a Bluetooth device may take to come back as another profile (more than WirePlumber's
  /// rescan after 2000 ms).
  public static let profileSwitchGrace = SessionTime.milliseconds(2500)
  /// How late WirePlumber may still pause players for a switch that is over: it waits 3 s for their
  /// answers, then one more.
  public static let profileSwitchEcho = SessionTime.milliseconds(4000)
  /// How long another player must play before it takes over: a call may turn out to own it.
  public static let primaryHold = SessionTime.milliseconds(200)
  /// How far back a player that took over is given up when its program turns out to be in a call.
  public static let callClaimsPrimary = SessionTime.milliseconds(5000)
  /// How long after a stop the media keys still mean this player.
  public static let remoteRelease = SessionTime.milliseconds(600_000)
  /// The longest sound that is an effect (S25).
  public static let longestEffect = SessionTime.milliseconds(5000)
}
