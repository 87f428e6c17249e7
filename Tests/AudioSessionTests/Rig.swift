import AudioSession
import AudioTypes

/// A session with a clock that a test turns by hand.
struct Rig {
  var machine: SessionMachine
  /// Every step since the start, deadlines too.
  private(set) var steps: [Transition] = []

  init(
    _ configuration: SessionConfiguration = .musicPlayer, route: Route? = .speakers,
    tracks: [Double?] = [600]
  ) {
    machine = SessionMachine(
      configuration: configuration, route: route,
      tracks: tracks.map { SessionTrack(duration: $0.map { .seconds($0) }) })
  }

  @discardableResult
  mutating func send(_ event: SessionEvent) -> Transition {
    let step = machine.apply(event)
    steps.append(step)
    return step
  }

  /// Lets time pass and gives back the deadlines that came.
  @discardableResult
  mutating func wait(_ seconds: Double) -> [Transition] {
    let due = machine.advance(to: machine.state.now + .seconds(seconds))
    steps += due
    return due
  }

  @discardableResult
  mutating func begin(_ id: String, _ kind: BlockerKind, source: String = "") -> Transition {
    send(.begin(id: id, kind: kind, source: source))
  }

  @discardableResult
  mutating func end(_ id: String, resume: Bool? = nil) -> Transition {
    send(.end(id: id, shouldResume: resume))
  }

  @discardableResult
  mutating func play() -> Transition { send(.play(.key)) }

  @discardableResult
  mutating func pause() -> Transition { send(.pause(.key)) }

  @discardableResult
  mutating func lose(
    to: Route? = .speakers, from: String? = nil, isLinkKept: Bool = false
  ) -> Transition {
    send(
      .route(
        RouteChange(from: from, to: to, reason: .oldDeviceUnavailable, isLinkKept: isLinkKept)))
  }

  @discardableResult
  mutating func connect(_ route: Route) -> Transition {
    send(.route(RouteChange(to: route, reason: .newDeviceAvailable)))
  }

  @discardableResult
  mutating func choose(_ route: Route) -> Transition {
    send(.route(RouteChange(to: route, reason: .override)))
  }

  var isAudible: Bool { machine.situation.isAudible }
  var intent: Intent { machine.situation.intent }
  var display: Display { machine.situation.display }
  var gain: Double { machine.situation.gain }
  var status: PlaybackStatus { machine.situation.status }
  var position: Double { machine.state.position.seconds }
  var blockers: [String] { machine.state.blockers.map(\.id) }

  /// Everything that was asked for since the start.
  var actions: [Action] { steps.flatMap(\.actions) }

  func count(_ matches: (Action) -> Bool) -> Int { actions.count(where: matches) }
}

extension Route {
  static let speakers = Route(id: "speakers", name: "Speakers", routeClass: .speaker)
  static let headphones = Route(id: "headphones", name: "Headphones", routeClass: .private)
  static let hdmi = Route(id: "hdmi", name: "HDMI", routeClass: .external)
  static let bluetooth = Route(
    id: "a2dp", name: "WH-1000", routeClass: .private, deviceAddress: "00:11")
  static let handsFree = Route(
    id: "hfp", name: "WH-1000 (headset)", routeClass: .private, deviceAddress: "00:11")
}

extension Action {
  var isCork: Bool { if case .cork = self { true } else { false } }
  var isPeerCall: Bool {
    switch self {
    case .pausePeer, .playPeer: true
    default: false
    }
  }
  var isDeviceVolume: Bool { if case .changeDeviceVolume = self { true } else { false } }
  var isEventVolume: Bool { if case .changeEventVolume = self { true } else { false } }
}
