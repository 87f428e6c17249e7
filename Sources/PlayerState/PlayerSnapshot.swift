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
  /// The decisions that are still known, oldest first.
  public var decisions: [Decision] = []
  public var isSilent: Bool
  public var isLocked: Bool

  public var queue: PlayQueue
  /// The heard track, an index of the queue.
  public var index: Int?
  /// The same where it is not in the queue any more: it is heard to its end.
  public var removed: QueueEntry?
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
  /// All devices in the servers' order, for the picker (S20, S69).
  public var devices: [DeviceChoice] = []
  /// Loudness of ringing and tones in percent (S11, S12).
  public var ringerVolume: Int
  /// There is a volume for ringing and tones alone.
  public var hasRingerVolume = true
  /// Other sound is heard: volume keys then mean the device (S12), as the session says.
  public var isOtherSoundHeard = false
  /// sotto's own level in percent, and whether sotto itself is muted.
  public var level: Int
  public var isOwnMuted: Bool
  /// The sound server keeps sotto's stream mute: another mixer wants that.
  public var isStreamMuted = false
  /// The sound server has suspended the device while sotto plays: `pactl suspend-sink`, or another
  /// user has the seat. Playing goes on when it is back.
  public var isDeviceSuspended = false
  /// What ReplayGain applies to the heard track, in dB; nil when it is off.
  public var replayGain: Double?
  public var gainMode = LoudnessMode.off
  /// What the music is multiplied with at this moment while prompts lower it, in dB.
  public var duckedGain: Double?
  /// A call that rings or lasts.
  public var call: Call?
  public var isRecordingMemo: Bool
  /// Frames a second of the output.
  public var outputRate: Int?
  /// The samples reach the device as they were decoded: same rate, gain 1, nothing mixed in.
  public var isUntouched: Bool

  /// Beside the track: words in time, and how loud each stretch of it is (equal parts, 0 to 255).
  public var lyrics: [LyricLine] = []
  public var peaks: [UInt8] = []
  /// When the sleep timer pauses the music; nil when none is set.
  public var sleepsAt: SessionTime?
  /// The alarm that is set or rings.
  public var alarm: AlarmState?
  /// What was done, or why it was not.
  public var notice: Notice?

  /// A device that music can be moved to.
  public struct DeviceChoice: Equatable, Sendable {
    /// The server's name for it: what a command says.
    public var id: String
    /// The server's description, for people.
    public var name: String
    /// Where it is from: "PulseAudio", "ALSA".
    public var server: String
    public var routeClass: RouteClass
    public var isCurrent: Bool
    public var isAvailable: Bool
    public init(
      id: String, name: String, server: String, routeClass: RouteClass, isCurrent: Bool = false,
      isAvailable: Bool = true
    ) {
      self.id = id
      self.name = name
      self.server = server
      self.routeClass = routeClass
      self.isCurrent = isCurrent
      self.isAvailable = isAvailable
    }
  }

  /// A line of the words.
  public struct LyricLine: Equatable, Sendable {
    /// Seconds into the track; nil when the words have no times.
    public var start: Double?
    public var text: String
    public init(start: Double?, text: String) {
      self.start = start
      self.text = text
    }
  }

  /// A sentence for the user, and when it was said.
  public struct Notice: Equatable, Sendable {
    /// A sentence without its full stop.
    public var text: String
    public var isFault: Bool
    public var at: SessionTime
    public init(_ text: String, isFault: Bool = false, at: SessionTime) {
      self.text = text
      self.isFault = isFault
      self.at = at
    }
  }

  /// A call that rings or is talked in, among those that are tried.
  public struct Call: Equatable, Sendable {
    /// Whether it was answered.
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

  /// The causes as people count them: another player that both the sound server and D-Bus tell of is
  /// one.
  public var distinctCauses: [Blocker] {
    var told = Set<String>()
    return causes.filter { told.insert(Self.key($0)).inserted }
  }

  /// What makes two causes one.
  static func key(_ cause: Blocker) -> String {
    cause.kind == .primary && !cause.source.isEmpty ? "player " + cause.source : cause.id
  }

  /// What volume keys mean now.
  public enum VolumeTarget: Equatable, Sendable {
    case device(percent: Int, isMuted: Bool)
    case ringer(percent: Int)
    /// The loudness is set on the device itself, whose name this is (S23).
    case onDevice(String)
    /// There is no device.
    case none
  }

  public var volumeTarget: VolumeTarget {
    if !situation.isAudible, !isOtherSoundHeard, hasRingerVolume {
      return .ringer(percent: ringerVolume)
    }
    return deviceLoudness
  }

  /// The device's loudness, whatever the keys mean.
  public var deviceLoudness: VolumeTarget {
    if let deviceVolume { return .device(percent: deviceVolume, isMuted: isDeviceMuted) }
    return (deviceName ?? route?.name).map { .onDevice($0) } ?? .none
  }

  /// The heard entry, or the current one before anything is heard.
  public var entry: QueueEntry? {
    if index == nil, let removed { return removed }
    return (index ?? queue.current).flatMap {
      queue.entries.indices.contains($0) ? queue.entries[$0] : nil
    }
  }

  /// Whole minutes until the sleep timer pauses, the last one to its end; nil when none is set.
  public func sleepMinutes(at time: SessionTime) -> Int? {
    sleepsAt.map { max(1, Int((($0 - time).seconds / 60).rounded(.up))) }
  }

  /// Seconds heard of the track at a later time.
  public func position(at time: SessionTime) -> Double {
    let now = isAdvancing ? position + (time - at).seconds : position
    guard now.isFinite, now > 0 else { return 0 }
    return min(now, length ?? Self.longest)
  }

  /// The length of the heard track where one is known that can be meant, otherwise what its
  /// playlist says.
  public var length: Double? {
    [duration, entry?.duration].lazy.compactMap(\.self).first { $0 > 0 && $0 < Self.longest }
  }

  /// Thirty years: no track is longer, and sums of it stay exact.
  private static let longest = 1e9
}
