import AudioTypes

/// All that the session knows: one value, without a clock. Whether anything is heard is not kept but
/// follows from it (`situation`).
public struct SessionState: Hashable, Sendable, Codable {
  public internal(set) var now = SessionTime.zero
  public internal(set) var configuration: SessionConfiguration
  /// What the user wants.
  public internal(set) var intent = Intent.stopped
  /// What stands in the way, oldest first.
  public internal(set) var blockers: [Blocker] = []
  public internal(set) var route: Route?
  public internal(set) var isSilent = false
  public internal(set) var isLocked = false
  public internal(set) var isInBackground = false
  /// Whether the program has claimed to be heard: by play or by `activate`.
  public internal(set) var isActive = false
  /// Whether there is a volume for event sounds that volume keys can mean (S12).
  public internal(set) var hasRingerVolume = true

  /// The tracks of which something is known: those that were loaded. The queue is kept elsewhere,
  /// and its later numbers are only numbers here.
  public internal(set) var tracks: [SessionTrack]
  /// How many tracks there are at the least, where a later one than those was gone to.
  var knownCount: Int?
  /// The index of the current track; 0 when there is none.
  public internal(set) var track = 0
  /// Where in the track we are at `now`: what was heard of it.
  public internal(set) var position = SessionTime.zero

  /// What is seen of other programs.
  var scene = Scene()
  /// Players that we paused and that have not moved since.
  var pausedPeers: [PausedPeer] = []
  /// The user has asked to play and nothing was heard since: the first sound pauses other players.
  var ownsNextStart = false
  /// The other player that turned the intent into `paused(primary)`, while nothing else has
  /// happened that would have paused too.
  var pausedByPrimary: Takeover?
  /// The Bluetooth route that may come back, and until when it may.
  var pendingRoute: PendingRoute?
  /// A device came back as another profile: what is still told of its going away is old.
  var profileSwitchToldUntil = SessionTime.zero
  var duckHoldUntil: SessionTime?
  var soloHoldUntil: SessionTime?
  var acceptsRemote = false
  var remoteReleaseAt: SessionTime?
  /// The streams and players that we have lowered (S33).
  var lowered: [String] = []

  public init(
    configuration: SessionConfiguration = .musicPlayer, route: Route?, tracks: [SessionTrack] = []
  ) {
    self.configuration = configuration
    self.route = route
    self.tracks = tracks
  }

  /// How many tracks there are, as far as is known: `track` is less, unless there is none.
  public var trackCount: Int { max(tracks.count, knownCount ?? 0) }

  /// The Bluetooth device that may come back as another profile (D4.7); `nil` when none is waited for.
  public var pendingAddress: String? { pendingRoute?.address }

  struct Takeover: Hashable, Sendable, Codable {
    var client: String?
    var at: SessionTime
  }

  struct PausedPeer: Hashable, Sendable, Codable {
    var id: String
    /// It has told us that it paused. Only then it may be told to play (S57).
    var hasPaused = false
  }

  struct PendingRoute: Hashable, Sendable, Codable {
    var route: Route
    var address: String
    var deadline: SessionTime

    var id: String { route.id }

    var blocker: String { "bt:\(address)" }
  }
}

/// What follows from the state. Effects are the differences of two of these.
public struct Situation: Hashable, Sendable, Codable {
  public var intent: Intent
  public var display: Display
  /// The user wants to hear it, and it will be heard when what stands in the way is gone.
  public var willResume: Bool
  public var isAudible: Bool
  /// What music is multiplied with for other sound, in decibels: 0 when nothing is to be heard over
  /// it. The target of the ramp.
  public var gain: Double
  public var status: PlaybackStatus
  /// Media keys and remotes are answered (S66).
  public var acceptsRemote: Bool
  /// Others are lowered (S33).
  public var ducksOthers: Bool
  /// The machine is kept awake (S40).
  public var keepsAwake: Bool
}

extension SessionState {
  public var situation: Situation {
    let isDucked = duckHoldUntil != nil || blockers.contains { $0.kind == .duck }
    let isSuppressed = isSuppressed
    let isPlaying = intent == .playing
    let isAudible = isPlaying && !isSuppressed && mayBeHeard
    let display: Display =
      switch intent {
      case .stopped: .stopped
      case .paused: .paused
      case .playing: isAudible ? (isDucked ? .ducked : .playing) : .interrupted
      }
    return Situation(
      intent: intent, display: display, willResume: isPlaying && isSuppressed,
      isAudible: isAudible, gain: isDucked ? SessionTiming.duckDecibels : 0,
      status: isAudible ? .playing : intent == .stopped ? .stopped : .paused,
      acceptsRemote: acceptsRemote, ducksOthers: isActive && configuration.options == .duckOthers,
      keepsAwake: isActive && configuration.category == .audioProcessing)
  }

  /// `situation.isAudible` alone.
  var isAudible: Bool { intent == .playing && !isSuppressed && mayBeHeard }

  /// Whether the category and the route allow sound.
  private var mayBeHeard: Bool { silencer == nil && route != nil }

  /// Whether something that is not set aside stands in the way; a duck never does.
  var isSuppressed: Bool {
    if soloHoldUntil != nil { return true }
    // A method of this value, passed on, would copy all of it.
    let mixes = configuration.mixesWithOthers
    return blockers.contains { Self.isInTheWay($0, mixing: mixes) }
  }

  func suppresses(_ blocker: Blocker) -> Bool {
    Self.isInTheWay(blocker, mixing: configuration.mixesWithOthers)
  }

  private static func isInTheWay(_ blocker: Blocker, mixing mixes: Bool) -> Bool {
    if blocker.isOverridden { return false }
    switch blocker.kind {
    case .duck: return false
    // Who plays beside others is not silenced by their playing (A9).
    case .primary: return !mixes
    default: return true
    }
  }

  /// What silences the category itself.
  enum Silencer: Hashable { case category, silentMode, lock, background }

  var silencer: Silencer? {
    let category = configuration.category
    if !category.playsSound { return .category }
    if category.isSilencedBySwitch {
      if isSilent { return .silentMode }
      if isLocked { return .lock }
    }
    if isInBackground && !category.playsInBackground { return .background }
    return nil
  }

  func blocker(_ id: String) -> Blocker? { blockers.first { $0.id == id } }

  /// Whether any other program is heard (S34, S43).
  public var isOtherAudioPlaying: Bool {
    scene.peers.contains { $0.status == .playing && !scene.isIgnored($0) }
      || scene.streams.contains { scene.isForeignSound($0) }
  }

  /// Whether sound other than this program's own is heard, so that volume keys mean the device
  /// (S12): another program's, or that of what stands in the way by sounding, also where no stream of
  /// it is seen. What stands in the way in silence, such as a lost server, is not heard.
  public var isOtherSoundHeard: Bool {
    isOtherAudioPlaying
      || blockers.contains { [.call, .solo, .duck, .primary].contains($0.kind) }
  }

  /// Whether another program plays what people listen to in the first place, so that sound which
  /// only adds to a program had better be left out.
  public var secondaryAudioShouldBeSilencedHint: Bool {
    blockers.contains { $0.kind == .primary || $0.kind == .call }
      || scene.peers.contains { $0.status == .playing && !scene.isIgnored($0) }
  }
}
