import AudioSession
import AudioTypes
import JSONText

/// An event, and how long after the one before it.
struct Moment: Hashable {
  var wait = SessionTime.zero
  var event: SessionEvent
}

/// What one moment, or one deadline on the way to it, did to the machine.
struct Step {
  /// The moment's place in the history.
  let index: Int
  /// Before time moved on to the step.
  let before: SessionState
  let transition: Transition
  let machine: SessionMachine

  var event: SessionEvent? {
    if case .event(let event) = transition.trigger { event } else { nil }
  }

  /// Nothing more is due at this very time: what must hold within an instant may be asked now.
  var isSettled: Bool { machine.nextDeadline.map { $0 > machine.state.now } ?? true }

  /// Sound begins with it, or ends.
  var begins: Bool { !transition.before.isAudible && transition.after.isAudible }
  var ends: Bool { transition.before.isAudible && !transition.after.isAudible }
}

/// A machine that is led through a history, every deadline at its own time. It starts where a
/// replay starts, so that any history can be written down as one.
struct Walk {
  static let route = Route(id: "speaker", routeClass: .speaker)

  private(set) var machine = SessionMachine(
    route: route, tracks: [SessionTrack(duration: .seconds(600))])

  init() {}

  init(from machine: SessionMachine) { self.machine = machine }

  /// - Returns: what `visit` had to object, at its first objection.
  mutating func take(
    _ moment: Moment, at index: Int = 0, _ visit: (Step) -> String?
  ) -> String? {
    let time = machine.state.now + moment.wait
    var before = machine.state
    while let transition = machine.fireNext(by: time) {
      let step = Step(index: index, before: before, transition: transition, machine: machine)
      if let fault = visit(step) { return fault }
      before = machine.state
    }
    let transition = machine.apply(moment.event)
    return visit(Step(index: index, before: before, transition: transition, machine: machine))
  }

  static func through(_ moments: [Moment], _ visit: (Step) -> String?) -> String? {
    var walk = Walk()
    for (index, moment) in moments.enumerated() {
      if let fault = walk.take(moment, at: index, visit) { return fault }
    }
    return nil
  }

  /// All steps at once.
  static func steps(_ moments: [Moment], from machine: SessionMachine? = nil) -> [Step] {
    var walk = machine.map(Walk.init(from:)) ?? Walk()
    var steps: [Step] = []
    for (index, moment) in moments.enumerated() {
      _ = walk.take(moment, at: index) { step in
        steps.append(step)
        return nil
      }
    }
    return steps
  }
}

/// A history as the lines of a replay: what fails here can be run with `sotto session replay`.
enum ReplayText {
  /// What a file of events has no word for is a comment.
  static func lines(_ moments: [Moment]) -> [String] {
    var at = SessionTime.zero
    return moments.map { moment in
      at = max(at, at + moment.wait)
      guard let line = line(moment.event, at) else { return "# at \(at.seconds): \(moment.event)" }
      return line
    }
  }

  /// `nil` for what a file of events cannot say, or not to the nanosecond.
  static func line(_ event: SessionEvent, _ at: SessionTime) -> String? {
    guard isExact(at), let (name, fields) = fields(event) else { return nil }
    return JSON.object([("at", .double(at.seconds)), ("event", .string(name))] + fields).text()
  }

  private static func isExact(_ time: SessionTime) -> Bool { abs(time.nanoseconds) < 1 << 53 }

  private static func fields(_ event: SessionEvent) -> (String, [(String, JSON)])? {
    switch event {
    case .play(let source): ("play", [("source", .string(source.rawValue))])
    case .force(let source): ("force", [("source", .string(source.rawValue))])
    case .pause(let source): ("pause", [("source", .string(source.rawValue))])
    case .toggle(let source): ("toggle", [("source", .string(source.rawValue))])
    case .stop(let source): ("stop", [("source", .string(source.rawValue))])
    case .next(let source): ("next", [("source", .string(source.rawValue))])
    case .previous(let source): ("previous", [("source", .string(source.rawValue))])
    case .seek(let to): isExact(to) ? ("seek", [("to", .double(to.seconds))]) : nil
    case .load(let tracks): tracks.contains { !isExact($0.duration ?? .zero) } ? nil : load(tracks)
    case .volumeKey(let way): ("volumeKey", [("direction", .string(way.rawValue))])
    case .ignore(let name): ("ignore", [("app", .string(name))])
    case .configure(let configuration): configure(configuration)
    case .activate: ("activate", [])
    case .deactivate(let notify): ("deactivate", [("notify", .bool(notify))])
    case .effect(let length):
      isExact(length) ? ("effect", [("seconds", .double(length.seconds))]) : nil
    case .trackFailed: ("failed", [])
    case .silent(let isOn): ("silent", [("on", .bool(isOn))])
    case .background(let isOn): ("background", [("on", .bool(isOn))])
    case .lock(let isOn): ("lock", [("on", .bool(isOn))])
    case .sleep(let isOn): ("sleep", [("on", .bool(isOn))])
    case .suspended(let isOn): ("stopped", [("on", .bool(isOn))])
    case .begin(let id, let kind, let source):
      (
        "begin",
        [
          ("id", .string(id)), ("kind", .string(kind?.rawValue ?? "nonsense")),
          ("app", .string(source)),
        ]
      )
    case .end(let id, let shouldResume):
      ("end", [("id", .string(id)), ("resume", shouldResume.map { .bool($0) } ?? .null)])
    case .route(let change): route(change)
    case .serverLost: ("server", [("state", .string("lost"))])
    case .serverBack(let to): serverBack(to)
    case .stream(let stream): self.stream(stream)
    case .streamGone(let id): ("stream", [("id", .string(id)), ("state", .string("gone"))])
    case .peer(let peer): self.peer(peer)
    case .peerGone(let id): ("peer", [("id", .string(id)), ("status", .string("gone"))])
    case .wait: ("wait", [])
    default: nil
    }
  }

  private static func load(_ tracks: [SessionTrack]) -> (String, [(String, JSON)]) {
    let list = tracks.map { track -> JSON in
      .object([
        ("duration", .double(track.duration?.seconds)), ("title", .string(track.title)),
      ])
    }
    return ("load", [("tracks", .array(list))])
  }

  private static func configure(_ new: SessionConfiguration) -> (String, [(String, JSON)])? {
    guard !new.isInterlude else { return nil }
    var options: [JSON] = []
    if new.options == .duckOthers {
      options = [.string("duckOthers")]
    } else if new.options == .mixWithOthers {
      options = [.string("mixWithOthers")]
    }
    return (
      "configure",
      [
        ("category", .string(new.category.rawValue)), ("options", .array(options)),
        ("controls", .bool(new.hasTransportControls)), ("content", .string(new.content.rawValue)),
      ]
    )
  }

  private static func place(_ route: Route?) -> JSON {
    guard let route else { return .object([("class", .string("none"))]) }
    return .object([
      ("id", .string(route.id)), ("name", .string(route.name)),
      ("class", .string(route.routeClass.rawValue)), ("hasVolume", .bool(route.hasVolume)),
      ("device", .string(route.deviceAddress)),
    ])
  }

  private static func route(_ change: RouteChange) -> (String, [(String, JSON)]) {
    (
      "route",
      [
        ("from", .string(change.from)), ("to", place(change.to)),
        ("reason", .string(change.reason.rawValue)),
        ("link", .string(change.isLinkKept ? "kept" : "lost")),
      ]
    )
  }

  private static func serverBack(_ to: SessionEvent.ServerRoute) -> (String, [(String, JSON)]) {
    let back = ("state", JSON.string("back"))
    return switch to {
    case .unchanged: ("server", [back])
    case .none: ("server", [back, ("to", place(nil))])
    case .route(let route): ("server", [back, ("to", place(route))])
    }
  }

  private static func stream(_ stream: StreamObservation) -> (String, [(String, JSON)])? {
    guard !stream.isOwn else { return nil }
    return (
      "stream",
      [
        ("id", .string(stream.id)), ("state", .string("new")), ("client", .string(stream.client)),
        ("app", .string(stream.application)), ("binary", .string(stream.binary)),
        ("role", .string(stream.role)), ("direction", .string(stream.direction.rawValue)),
        ("corked", .bool(stream.isCorked)), ("muted", .bool(stream.isMuted)),
        ("monitor", .bool(stream.isMonitor)), ("audible", .bool(stream.isAudible)),
      ]
    )
  }

  private static func peer(_ peer: PeerObservation) -> (String, [(String, JSON)]) {
    (
      "peer",
      [
        ("id", .string(peer.id)), ("name", .string(peer.name)),
        ("status", .string(peer.status.rawValue)), ("canPause", .bool(peer.canPause)),
        ("client", .string(peer.client)),
      ]
    )
  }
}
