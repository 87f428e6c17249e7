import AudioSession
import AudioTypes
import PlayQueue

/// All that screens and remotes may know of the player, as one value. Made on the control thread
/// after each change; nothing in it changes by itself but the clock, which is computed
/// (`position(at:)`).
public struct PlayerSnapshot: Equatable, Sendable {
  /// When it was made, in the session's time.
  public var at: SessionTime
  public var situation: Situation
  /// What stands in the way or lowers the music, oldest first.
  public var causes: [Blocker]
  /// The latest decision in words, with its rules.
  public var lastDecision: Decision?
  public var isSilent: Bool
  public var isLocked: Bool

  public var queue: PlayQueue
  /// The heard track, an index of the queue.
  public var index: Int?
  public var info: TrackInfo?
  /// Seconds of the heard track at `at`, and its length where it is known.
  public var position: Double
  public var duration: Double?
  /// Position goes on with time.
  public var isAdvancing: Bool

  public var route: Route?
  public var deviceName: String?
  /// The device's own volume in percent; nil where it has none.
  public var deviceVolume: Int?
  public var isDeviceMuted: Bool
  /// Loudness of ringing and tones in percent (S11, S12).
  public var ringerVolume: Int
  /// sotto's own level in percent, and whether sotto itself is muted.
  public var level: Int
  public var isOwnMuted: Bool
  /// What ReplayGain applies to the heard track, in dB; nil when it is off.
  public var replayGain: Double?
  /// A call that rings or lasts.
  public var call: Call?
  public var isRecordingMemo: Bool
  /// Frames a second of the output.
  public var outputRate: Int?
  /// The samples reach the device as they were decoded: same rate, gain 1, nothing mixed in.
  public var isUntouched: Bool

  public struct Call: Equatable, Sendable {
    public enum Phase: Equatable, Sendable { case ringing, talking }
    public var name: String
    public var phase: Phase
    public var since: SessionTime
    /// A second one that waits.
    public var isAnotherWaiting: Bool
    public init(name: String, phase: Phase, since: SessionTime, isAnotherWaiting: Bool = false) {
      self.name = name
      self.phase = phase
      self.since = since
      self.isAnotherWaiting = isAnotherWaiting
    }
  }

  public init(at: SessionTime, situation: Situation) {
    self.at = at
    self.situation = situation
    causes = []
    isSilent = false
    isLocked = false
    queue = PlayQueue()
    position = 0
    isAdvancing = false
    isDeviceMuted = false
    ringerVolume = 80
    level = 100
    isOwnMuted = false
    isRecordingMemo = false
    isUntouched = false
  }

  /// Seconds heard of the track at a later time.
  public func position(at time: SessionTime) -> Double {
    guard isAdvancing else { return position }
    let now = position + (time - at).seconds
    return duration.map { min(now, $0) } ?? now
  }
}
