/// A stream of another program, as the sound server shows it.
public struct StreamObservation: Hashable, Sendable, Codable {
  /// Whether it plays or records.
  public enum Direction: String, Hashable, Sendable, Codable {
    case playback, capture
  }

  /// The server's serial of it.
  public var id: String
  /// Groups the streams of one program.
  public var client: String?
  /// `application.name`.
  public var application: String
  /// `application.process.binary`.
  public var binary: String
  /// `media.role`, of PulseAudio or of PipeWire; empty when there is none.
  public var role: String
  public var direction: Direction
  public var isCorked: Bool
  public var isMuted: Bool
  /// It records what a device plays, or only measures it (T16).
  public var isMonitor: Bool
  /// Whether sound was measured on it. Not corked does not mean audible (T3).
  public var isAudible: Bool
  /// It is this program's own, or of its process tree.
  public var isOwn: Bool

  /// When `isAudible` is not given, what plays and is neither corked nor muted is audible.
  public init(
    id: String, client: String? = nil, application: String = "", binary: String = "",
    role: String = "", direction: Direction = .playback, isCorked: Bool = false,
    isMuted: Bool = false, isMonitor: Bool = false, isAudible: Bool? = nil, isOwn: Bool = false
  ) {
    self.id = id
    self.client = client
    self.application = application
    self.binary = binary
    self.role = role
    self.direction = direction
    self.isCorked = isCorked
    self.isMuted = isMuted
    self.isMonitor = isMonitor
    self.isAudible = isAudible ?? (direction == .playback && !isCorked && !isMuted)
    self.isOwn = isOwn
  }
}

/// Another player on MPRIS.
public struct PeerObservation: Hashable, Sendable, Codable {
  /// The unique name on the bus: a player that was started again is another one (S57).
  public var id: String
  /// The name it goes by; not safe to print raw.
  public var name: String
  public var status: PlaybackStatus
  public var canPause: Bool
  /// The program behind it; the same word as in its streams.
  public var client: String?

  public init(
    id: String, name: String = "", status: PlaybackStatus, canPause: Bool = true,
    client: String? = nil
  ) {
    self.id = id
    self.name = name
    self.status = status
    self.canPause = canPause
    self.client = client
  }
}

/// All that is there at one moment, for reconciling: at the start, when the server
/// came back, and now and then while something stands in the way.
public struct SystemSnapshot: Hashable, Sendable, Codable {
  public var streams: [StreamObservation]
  public var peers: [PeerObservation]

  public init(streams: [StreamObservation] = [], peers: [PeerObservation] = []) {
    self.streams = streams
    self.peers = peers
  }
}
