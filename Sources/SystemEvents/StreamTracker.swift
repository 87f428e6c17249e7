import AudioSession

/// Streams of other programs, from one picture of the server to the next, as what the session hears
/// of them.
///
/// A value without a clock.
public struct StreamTracker: Sendable {
  /// What a picture has brought.
  public struct Findings: Hashable, Sendable {
    public var events: [SessionEvent] = []
    /// The playback streams whose level must be known.
    public var measure: [UInt32] = []
  }

  /// What the session was told last, by its id.
  private var told: [String: StreamObservation] = [:]
  /// Nothing was seen yet.
  private var isFirst = true
  private let own: Int
  private let classifier: Classifier

  /// More streams at once than these are left out, those that are silent by their own word first.
  public static let most = 256

  /// - Parameter own: this process.
  public init(own: Int, applications: KnownApplications = .builtIn) {
    self.own = own
    classifier = Classifier(applications: applications)
  }

  /// All that the session has been told of, and that still plays.
  public var observations: [StreamObservation] { told.values.sorted { $0.id < $1.id } }

  /// - Parameters:
  ///   - hearsOthers: it matters whether any other program is heard, whatever it plays (S12, S43).
  public mutating func see(
    _ snapshot: ServerSnapshot, levels: [UInt32: StreamLevel] = [:], hearsOthers: Bool = true,
    processes: some ProcessTable
  ) -> Findings {
    // Without a server nobody is heard; who is back later is told then.
    guard snapshot.state == .ready else { return Findings() }
    let clients = Dictionary(
      snapshot.clients.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
    let monitors = Set(snapshot.sources.filter(\.isMonitor).map(\.index))
    var foreign: [(stream: ServerSnapshot.Stream, seen: StreamObservation)] = []
    for stream in snapshot.playbacks {
      let seen = observation(stream, .playback, clients, processes)
      if !seen.isOwn { foreign.append((stream, seen)) }
    }
    for stream in snapshot.captures {
      var seen = observation(stream, .capture, clients, processes)
      if monitors.contains(stream.device) { seen.isMonitor = true }
      if !seen.isOwn, !seen.isMonitor { foreign.append((stream, seen)) }
    }
    if foreign.count > Self.most {
      foreign = Array(
        (foreign.filter { !$0.seen.isCorked } + foreign.filter(\.seen.isCorked)).prefix(Self.most))
    }
    var findings = Findings()
    var now: [String: StreamObservation] = [:]
    for (stream, seen) in foreign {
      var seen = seen
      if seen.direction == .playback {
        let level = levels[stream.index]
        let isNeeded = needsLevel(seen, hearsOthers)
        if isNeeded { findings.measure.append(stream.index) }
        seen.isAudible = isAudible(seen, level)
      }
      now[seen.id] = seen
    }
    findings.events = tell(now, processes)
    return findings
  }

  private mutating func tell(
    _ now: [String: StreamObservation], _ processes: some ProcessTable
  ) -> [SessionEvent] {
    var events: [SessionEvent] = []
    for id in told.keys.sorted() where now[id] == nil { events.append(.streamGone(id: id)) }
    let gone = Set(told.values.compactMap(\.client)).subtracting(now.values.compactMap(\.client))
    // A program that has ended can be in no call, nor be a player.
    for word in gone.sorted() where ProgramWord.hasEnded(word, in: processes) {
      events.append(.clientGone(word))
    }
    for id in now.keys.sorted(by: Self.isEarlier) {
      if let seen = now[id], told[id] != seen { events.append(.stream(seen)) }
    }
    told = now
    isFirst = false
    return events
  }

  /// Of two streams the older one: the server counts up.
  private static func isEarlier(_ one: String, _ other: String) -> Bool {
    one.count == other.count ? one < other : one.count < other.count
  }

  // MARK: One stream

  private func observation(
    _ stream: ServerSnapshot.Stream, _ direction: StreamObservation.Direction,
    _ clients: [UInt32: ServerSnapshot.Client], _ processes: some ProcessTable
  ) -> StreamObservation {
    let client = stream.client.flatMap { clients[$0] }
    func either(_ own: String, _ other: String?) -> String { own.isEmpty ? other ?? "" : own }
    let pid = stream.pid ?? client?.pid
    let binary = either(stream.binary, client?.binary)
    var role = either(stream.role, client?.role)
    // What a module passes on is no program's, unless it says that it is a call (a telephone that
    // uses the machine as its headset).
    if role.isEmpty, stream.passesOn { role = "filter" }
    return StreamObservation(
      id: (direction == .playback ? "" : "r") + String(stream.index),
      client: ProgramWord.word(
        pid: pid, binary: binary, client: stream.client, in: processes),
      application: either(stream.application, client?.application), binary: binary, role: role,
      direction: direction, isCorked: stream.isCorked, isMuted: stream.isMuted,
      isMonitor: stream.isMeter,
      isOwn: pid.map { ProgramWord.isOwn($0, of: own, in: processes) } ?? false)
  }

  /// Whether its level decides anything (T3).
  private func needsLevel(_ seen: StreamObservation, _ hearsOthers: Bool) -> Bool {
    if seen.isCorked || seen.isMuted || seen.isMonitor { return false }
    var heard = seen
    heard.isAudible = true
    switch classifier.kind(of: heard) {
    case .call: return false
    case nil: return hearsOthers && heard.role.lowercased() != "filter"
    default: return true
    }
  }

  private func isAudible(_ seen: StreamObservation, _ level: StreamLevel?) -> Bool {
    if seen.isCorked || seen.isMuted { return false }
    switch level {
    case .sounding, .unavailable: return true
    case .silent: return false
    case .unknown, nil:
      // What counts goes on to count until it is known better. A player that was there before us was
      // there first, whatever comes of measuring it.
      if told[seen.id]?.isAudible == true { return true }
      if isFirst, classifier.kind(of: seen) == .primary { return true }
      // A tone is over before it is measured: to step aside for one that is silent does no harm.
      // Whoever takes over for good must be heard first.
      return classifier.kind(of: seen) == .call
        || ["event", "notification"].contains(seen.role.lowercased())
    }
  }
}
