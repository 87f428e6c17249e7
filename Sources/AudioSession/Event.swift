import AudioTypes

/// Who gave a command. All are the user's, WirePlumber's pause excepted (T10); what a timer does, the
/// user wanted when setting it.
public enum CommandSource: String, Hashable, Sendable, Codable, CaseIterable {
  case key, mpris, headset, avrcp, cli, wireplumber, timer

  /// Whether it is someone at the machine: only they may start over a call.
  var isAtTheMachine: Bool { self == .key || self == .cli }
}

/// A track as the session sees it.
public struct SessionTrack: Hashable, Sendable, Codable {
  /// `nil` when it is not known; the session then waits to be told of the end.
  public var duration: SessionTime?
  /// As the file has it: not safe to print raw.
  public var title: String

  public init(duration: SessionTime?, title: String = "") {
    self.duration = duration.map { max($0, .zero) }
    self.title = title
  }
}

/// What happened to the route.
public struct RouteChange: Hashable, Sendable, Codable {
  /// Why the route changed; the names are Apple's (S14 to S21).
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    case newDeviceAvailable, oldDeviceUnavailable
    /// The user chose; the old device is still there.
    case override
    case noSuitableRoute
  }

  /// The id of the route that was left; `nil` is the current one.
  public var from: String?
  /// Where sound goes now; `nil` when there is nothing, or it is not known.
  public var to: Route?
  public var reason: Reason
  /// The Bluetooth link still stands: only the profile changes.
  public var isLinkKept: Bool

  public init(
    from: String? = nil, to: Route?, reason: Reason, isLinkKept: Bool = false
  ) {
    self.from = from
    self.to = to
    self.reason = reason
    self.isLinkKept = isLinkKept
  }
}

/// What a volume key asks for.
public enum VolumeDirection: String, Hashable, Sendable, Codable, CaseIterable {
  case up, down, mute
}

/// Everything that can happen. None of them throws or traps, whatever its order, repetition or
/// values; a request that the rules refuse is told in the transition.
public enum SessionEvent: Hashable, Sendable, Codable {
  // The user.
  case play(CommandSource)
  /// Play over a call too: a key of its own at the machine. From anywhere else it is `play`.
  case force(CommandSource)
  case pause(CommandSource)
  case toggle(CommandSource)
  case stop(CommandSource)
  case next(CommandSource)
  case previous(CommandSource)
  case seek(SessionTime)
  case load([SessionTrack])
  case volumeKey(VolumeDirection)
  /// Leave that program out from now on (T2).
  case ignore(String)

  // The program.
  case configure(SessionConfiguration)
  case activate
  case deactivate(notifyOthers: Bool)
  /// A short sound of our own is asked for; how long it is.
  case effect(SessionTime)
  /// The user goes to that track; shuffle and repeat are decided outside. Later tracks than are
  /// known are taken for known: a queue may still be read.
  case choose(track: Int)
  /// That track is heard from now on, from its beginning: the engine tells, for it knows the queue.
  case trackBegan(Int)
  /// The last track is over.
  case queueEnded
  /// A track is over after which the user wanted no other.
  case stoppedAfterTrack
  case trackEnded
  case trackFailed
  case silent(Bool)
  case background(Bool)

  // The system.
  /// Something begins to stand in the way. `nil` is a kind that is not known: nothing happens.
  case begin(id: String, kind: BlockerKind?, source: String)
  /// It is over; with no hint the kind's own one holds.
  case end(id: String, shouldResume: Bool?)
  case route(RouteChange)
  /// The Bluetooth link to that address is gone.
  case linkLost(address: String)
  case lock(Bool)
  case sleep(Bool)
  /// The program is about to be stopped from the terminal, or goes on.
  case suspended(Bool)
  case serverLost
  /// The server is back; with no route the old one holds.
  case serverBack(ServerRoute)
  case stream(StreamObservation)
  case streamGone(id: String)
  case peer(PeerObservation)
  case peerGone(id: String)
  /// A program is gone with all that it owned.
  case clientGone(String)
  /// Our own stream is gone: what the server asked of it is void.
  case streamDestroyed(id: String)
  case reconcile(SystemSnapshot)
  /// Nothing happened; time passed.
  case wait

  /// What a server that came back says of the route.
  public enum ServerRoute: Hashable, Sendable, Codable {
    case unchanged
    case none
    case route(Route)
  }
}

/// What makes the session move: something that happened, or a deadline that was reached.
public enum Trigger: Hashable, Sendable, Codable {
  case event(SessionEvent)
  case timer(SessionTimer)
}

/// The deadlines that the session waits for.
public enum SessionTimer: Hashable, Sendable, Codable {
  /// The Bluetooth device did not come back.
  case profileSwitch
  /// A program has played and recorded long enough to be in a call.
  case callConfirmed(client: String)
  /// Another player has played long enough.
  case primaryConfirmed(id: String)
  /// A call's streams have been gone long enough.
  case callOver(client: String)
  case soloHold
  case duckHold
  case trackEnd
  case remoteRelease
}

extension Trigger {
  /// What it is called in logs and replay files: `route`, `begin`, `timer`.
  public var name: String {
    guard case .event(let event) = self else { return "timer" }
    return switch event {
    case .play: "play"
    case .force: "force"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .seek: "seek"
    case .load: "load"
    case .volumeKey: "volumeKey"
    case .ignore: "ignore"
    case .configure: "configure"
    case .activate: "activate"
    case .deactivate: "deactivate"
    case .effect: "effect"
    case .choose: "choose"
    case .trackBegan: "trackBegan"
    case .queueEnded, .stoppedAfterTrack, .trackEnded: "trackEnded"
    case .trackFailed: "failed"
    case .silent: "silent"
    case .background: "background"
    case .begin: "begin"
    case .end: "end"
    case .route: "route"
    case .linkLost: "linkLost"
    case .lock: "lock"
    case .sleep: "sleep"
    case .suspended: "stopped"
    case .serverLost, .serverBack: "server"
    case .stream, .streamGone: "stream"
    case .peer, .peerGone: "peer"
    case .clientGone: "clientGone"
    case .streamDestroyed: "streamDestroyed"
    case .reconcile: "reconcile"
    case .wait: "wait"
    }
  }
}
