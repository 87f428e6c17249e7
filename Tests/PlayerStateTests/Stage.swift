import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

/// A player without sound: the real session rules on a clock of its own, and the snapshot that
/// follows.
struct Stage {
  var machine: SessionMachine
  var snapshot: PlayerSnapshot
  private(set) var lines: [String] = []
  private var track: Int?

  static let speakers = Route(id: "speakers", name: "Speakers", routeClass: .speaker)
  static let headphones = Route(id: "headphones", name: "Headphones", routeClass: .private)

  init(route: Route = speakers, tracks: Int = 3) {
    machine = SessionMachine(
      configuration: .musicPlayer, route: route,
      tracks: (0..<tracks).map { SessionTrack(duration: .seconds(200), title: "Title \($0)") })
    snapshot = PlayerSnapshot(at: .zero, situation: machine.situation)
    snapshot.queue = PlayQueue(
      (0..<tracks).map {
        QueueEntry(
          TrackLocation("/m/\($0).flac"), title: "Title \($0)", artist: "Artist", duration: 200)
      })
    snapshot.route = route
    snapshot.deviceName = route.name
    snapshot.deviceVolume = 60
    take()
  }

  /// What happens after some seconds, and the lines that tell of it.
  @discardableResult
  mutating func happen(after seconds: Double = 1, _ events: SessionEvent...) -> [String] {
    change { stage in
      let time = stage.machine.state.now + .seconds(seconds)
      for transition in stage.machine.advance(to: time) { stage.note(transition) }
      for event in events { stage.note(stage.machine.apply(event)) }
    }
  }

  @discardableResult mutating func change(_ body: (inout Stage) -> Void) -> [String] {
    let before = snapshot
    body(&self)
    take()
    let told = snapshot.changes(since: before)
    lines += told
    return told
  }

  private mutating func note(_ transition: Transition) {
    if let decision = transition.decision {
      snapshot.lastDecision = decision
      snapshot.decisions.append(decision)
    }
  }

  private mutating func take() {
    let state = machine.state
    snapshot.at = state.now
    snapshot.situation = machine.situation
    snapshot.causes = state.blockers
    snapshot.isSilent = state.isSilent
    snapshot.isLocked = state.isLocked
    if machine.situation.display != .stopped, track != state.track {
      track = state.track
      snapshot.queue.select(state.track)
    }
    snapshot.index = snapshot.queue.current
    snapshot.position = state.position.seconds
    snapshot.duration = 200
    snapshot.isAdvancing = machine.situation.isAudible
    if let route = state.route, route != snapshot.route {
      snapshot.route = route
      snapshot.deviceName = route.name
    }
  }
}
