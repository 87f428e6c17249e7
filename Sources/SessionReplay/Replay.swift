import AudioSession
import AudioTypes

/// Feeds a file of events to the session rules, a line at a time, and says what follows.
public struct Replay {
  /// What there is at the start: one track, nothing played yet, the machine's own speakers.
  public static let defaultTracks = [SessionTrack(duration: .seconds(600))]
  public static let defaultRoute = Route(id: "speaker", routeClass: .speaker)

  /// One event, or one deadline, and what was after it.
  public struct Step: Sendable {
    /// The event's name in the file, or `timer`.
    public var name: String
    public var transition: Transition
    public var state: SessionState
  }

  private var machine: SessionMachine
  private var reader = LineReader()
  private var at = 0.0

  /// - Parameter tracks: what there is to play until the file loads something else.
  public init(
    applications: KnownApplications = .builtIn, tracks: [SessionTrack] = Replay.defaultTracks
  ) {
    machine = SessionMachine(
      route: Self.defaultRoute, tracks: tracks, applications: applications)
  }

  /// The time of the last line.
  public var time: Double { at }

  /// Takes one line, without its line feed. Calls `tell` for each deadline that was due before it,
  /// and for its event.
  /// - Throws: what is wrong with the line. What was due before it has been told.
  public mutating func take(
    _ line: [UInt8], tell: (Step) -> Void
  ) throws(ReplayError) {
    guard let line = try reader.read(line) else { return }
    if let time = line.at {
      guard time >= 0 else { throw ReplayError("'at' must be 0 or more") }
      guard time <= 1e9 else { throw ReplayError("'at' must be at most 1000000000") }
      guard time >= at else {
        throw ReplayError("'at' goes back, from \(number(at)) to \(number(time))")
      }
      at = time
    }
    while let transition = machine.fireNext(by: .seconds(at)) {
      tell(Step(name: "timer", transition: transition, state: machine.state))
    }
    let transition = machine.apply(line.event)
    if let refusal = transition.refusal, case .configure = line.event {
      throw ReplayError(refusal.sentence)
    }
    tell(Step(name: line.name, transition: transition, state: machine.state))
  }

  private func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }
}
