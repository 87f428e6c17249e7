import AudioSession
import AudioTypes

/// What must be so, from the history alone: a fold over what happened that keeps books of its own
/// and has never seen how the machine does it. It knows less than the machine; what it knows, it
/// knows from the design's text.
struct Oracle {
  /// The user has asked to play and has not taken it back (P2, P9).
  private(set) var hasAsked = false
  /// What became of the device that was heard (P3).
  private(set) var loss = Loss.none
  /// What has begun and not ended, by its id (P5 to P7). Other players are left out.
  private(set) var live: [String: Live] = [:]
  /// The live calls that somebody at the machine forced play over.
  private(set) var forced: Set<String> = []
  /// When the last prompt's time is over: until then music stays low (P6).
  private(set) var lowUntil: SessionTime?
  /// Programs that are in a call because they play and record (P22).
  private(set) var pairedCalls: Set<String> = []

  enum Loss: Hashable {
    case none
    /// Lost for good: silence until the user plays.
    case lost
    /// A Bluetooth device may be back as another profile.
    case awaited(address: String, until: SessionTime)
  }

  enum Live: Hashable {
    case kind(BlockerKind)
    /// A prompt over spoken content, which is waited for instead.
    case heldPrompt
  }

  private var route: Route? = Walk.route
  private var isServerLost = false
  /// Where sound went when the server was lost.
  private var routeOfServer: Route?
  /// Until when WirePlumber may still pause for a profile switch that is over.
  private var echoUntil = SessionTime.zero
  private var content = ContentKind.music
  private var streams: [String: StreamObservation] = [:]
  private var order: [String] = []
  private var ignored: Set<String> = []
  private var pairedSince: [String: SessionTime] = [:]
  private var apartSince: [String: SessionTime] = [:]
  private var now = SessionTime.zero

  var calls: Set<String> {
    Set(live.filter { $0.value == .kind(.call) }.keys).union(pairedCalls.map { "call:" + $0 })
  }

  var isPromptLive: Bool { live.values.contains(.kind(.duck)) }

  var isLow: Bool { isPromptLive || lowUntil != nil }

  // MARK: - Time

  mutating func advance(to time: SessionTime) {
    now = max(now, time)
    if case .awaited(_, let until) = loss, until <= now { loseForGood() }
    if let until = lowUntil, until <= now { lowUntil = nil }
    for (program, since) in pairedSince where since + .milliseconds(500) <= now {
      pairedSince[program] = nil
      pairedCalls.insert(program)
    }
    for (program, since) in apartSince where since + .milliseconds(2000) <= now {
      endPairedCall(program)
    }
  }

  // MARK: - Events

  /// - Parameters:
  ///   - wasAudible: toggle means pause while something is heard.
  ///   - wasRefused: the request was refused, and so counts for nothing.
  mutating func take(_ event: SessionEvent, wasAudible: Bool, wasRefused: Bool) {
    switch event {
    case .play: play(wasRefused)
    case .force(let source):
      play(wasRefused)
      if !wasRefused, source == .key || source == .cli { forced.formUnion(calls) }
    case .toggle: if wasAudible { hasAsked = false } else { play(wasRefused) }
    case .pause(.wireplumber):
      // An echo of a switch that is known.
      if case .awaited = loss { return }
      if now < echoUntil { return }
      currentDeviceGone(to: route, isLinkKept: true)
    case .pause, .stop, .deactivate: hasAsked = false
    case .configure(let new): if !wasRefused { content = new.content }
    case .begin(let id, let kind?, _): begin(id, kind)
    case .end(let id, _): end(id)
    case .streamDestroyed(let id): end("cork:" + id)
    case .serverLost:
      if !isServerLost { routeOfServer = route }
      isServerLost = true
    case .serverBack(let to):
      serverBack(to, from: isServerLost ? routeOfServer : route)
      isServerLost = false
    case .route(let change): routeChanged(change)
    case .linkLost(let address):
      if case .awaited(address, _) = loss { loseForGood() }
    case .stream(let stream): seen(stream)
    case .streamGone(let id): gone(id)
    case .clientGone(let client):
      for id in order where streams[id].flatMap(Self.program) == client { gone(id) }
      pairedSince[client] = nil
      if pairedCalls.contains(client) { endPairedCall(client) }
    case .ignore(let name):
      guard !name.isEmpty else { return }
      ignored.insert(name.lowercased())
      for stream in order.compactMap({ streams[$0] }) { judge(stream) }
      for program in Set(streams.values.compactMap(Self.program)) {
        judgePair(program, ignoring: name.lowercased())
      }
    case .reconcile(let snapshot):
      let known = Set(snapshot.streams.map(\.id))
      for id in order where !known.contains(id) { gone(id) }
      for stream in snapshot.streams
      where snapshot.streams.last(where: { $0.id == stream.id }) == stream
        && streams[stream.id] != stream
      {
        seen(stream)
      }
    default: break
    }
  }

  private mutating func play(_ wasRefused: Bool) {
    guard !wasRefused else { return }
    hasAsked = true
    if loss == .lost { loss = .none }
  }

  private mutating func begin(_ id: String, _ kind: BlockerKind) {
    guard live[id] == nil else { return }
    let isHeld = kind == .duck && content == .spoken
    live[id] = isHeld ? .heldPrompt : .kind(kind)
    if kind == .duck, !isHeld { lowUntil = nil }
  }

  private mutating func end(_ id: String) {
    guard let was = live.removeValue(forKey: id) else { return }
    forced.remove(id)
    if was == .kind(.duck), !isPromptLive { lowUntil = now + .milliseconds(300) }
  }

  // MARK: - Devices

  private mutating func loseForGood() {
    loss = .lost
    hasAsked = false
  }

  private mutating func currentDeviceGone(to: Route?, isLinkKept: Bool) {
    if case .awaited = loss {
      if !isLinkKept { loseForGood() }
    } else if isLinkKept, let address = route?.deviceAddress {
      if to?.deviceAddress != address || to?.id == route?.id {
        loss = .awaited(address: address, until: now + .milliseconds(2500))
        awaited = route?.id
      } else {
        echoUntil = now + .milliseconds(4000)
      }
    } else {
      loseForGood()
    }
    route = to
  }

  private mutating func isBackAgain() {
    loss = .none
    echoUntil = now + .milliseconds(4000)
  }

  /// The id of the device that is waited for: a second word about it is about the current one.
  private var awaited: String?

  private mutating func routeChanged(_ change: RouteChange) {
    var isAwaited = false
    var isBack = false
    if case .awaited(let address, _) = loss {
      isAwaited = true
      isBack = change.to?.deviceAddress == address
    }
    switch change.reason {
    case .noSuitableRoute:
      loseForGood()
      route = nil
    case .newDeviceAvailable:
      guard let to = change.to else { return }
      if isBack { isBackAgain() }
      route = to
    case .override:
      if isBack { isBackAgain() } else if change.to == nil || isAwaited { loseForGood() }
      route = change.to
    case .oldDeviceUnavailable:
      guard
        change.from == nil || change.from == route?.id || isAwaited && change.from == awaited
      else { return }
      if isBack, change.isLinkKept {
        isBackAgain()
        route = change.to
      } else {
        currentDeviceGone(to: change.to, isLinkKept: change.isLinkKept)
      }
    }
  }

  private mutating func serverBack(_ to: SessionEvent.ServerRoute, from old: Route?) {
    if case .none = to {
      loseForGood()
      route = nil
      return
    }
    if case .route(let new) = to { route = new }
    if case .awaited(let address, _) = loss {
      if case .route(let new) = to, new.deviceAddress == address { isBackAgain() }
    } else if old?.routeClass == .private, let route, route.routeClass != .private {
      // More public than before.
      loseForGood()
    }
  }

  // MARK: - Streams

  private static func program(_ stream: StreamObservation) -> String? {
    [stream.client ?? "", stream.binary, stream.application].first { !$0.isEmpty }
  }

  private static func key(_ stream: StreamObservation) -> String {
    (stream.direction == .playback ? "sinkinput:" : "source:") + stream.id
  }

  private static let passing: Set = [
    "filter", "abstract", "production", "test", "dsp", "loopback",
  ]

  private static func isLeftOut(_ stream: StreamObservation) -> Bool {
    stream.isOwn || stream.isMonitor || passing.contains(stream.role.lowercased())
  }

  private static func isTaggedCall(_ stream: StreamObservation) -> Bool {
    // Mumble says so as long as it runs.
    ["phone", "communication"].contains(stream.role.lowercased())
      && stream.application.lowercased() != "mumble"
  }

  private func isIgnored(_ stream: StreamObservation) -> Bool {
    ignored.contains(stream.application.lowercased())
      || ignored.contains(stream.binary.lowercased())
  }

  /// C3, as far as calls and prompts go; `nil` for what is not of interest here.
  private func meaning(_ stream: StreamObservation) -> BlockerKind? {
    if Self.isLeftOut(stream) || stream.isCorked || stream.isMuted || isIgnored(stream) {
      return nil
    }
    if Self.isTaggedCall(stream) { return .call }
    guard stream.direction == .playback, stream.isAudible else { return nil }
    switch stream.role.lowercased() {
    case "alert", "emergency", "alarm", "assistant": return .solo
    case "a11y", "accessibility", "event", "notification", "navigation", "gps": return .duck
    case "": return stream.application.hasPrefix("speech-dispatcher") ? .duck : nil
    default: return nil
    }
  }

  private mutating func seen(_ stream: StreamObservation) {
    let old = streams.updateValue(stream, forKey: stream.id)
    if old == nil { order.append(stream.id) }
    if let old, old.direction != stream.direction { end(Self.key(old)) }
    judge(stream)
    let program = Self.program(stream)
    if let before = old.flatMap(Self.program), before != program { judgePair(before) }
    if let program { judgePair(program) }
  }

  private mutating func gone(_ id: String) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    order.removeAll { $0 == id }
    end(Self.key(stream))
    if let program = Self.program(stream) { judgePair(program) }
  }

  private mutating func judge(_ stream: StreamObservation) {
    let key = Self.key(stream)
    let meaning = meaning(stream)
    switch (live[key], meaning) {
    case (.kind(let now)?, let then?) where now == then: return
    case (.heldPrompt?, .duck?), (.heldPrompt?, .solo?): return
    default: break
    }
    end(key)
    if let meaning { begin(key, meaning) }
  }

  private mutating func judgePair(_ program: String, ignoring name: String? = nil) {
    let halves = streams.values.filter {
      Self.program($0) == program && !$0.isCorked && !Self.isLeftOut($0) && !Self.isTaggedCall($0)
    }
    let heard = halves.filter { !isIgnored($0) }
    let isPaired =
      heard.contains { $0.direction == .playback } && heard.contains { $0.direction == .capture }
    if isPaired {
      apartSince[program] = nil
      if !pairedCalls.contains(program), pairedSince[program] == nil { pairedSince[program] = now }
    } else {
      pairedSince[program] = nil
      guard pairedCalls.contains(program) else { return }
      if halves.contains(where: {
        [$0.application.lowercased(), $0.binary.lowercased()].contains(name)
      }) {
        endPairedCall(program)
      } else if apartSince[program] == nil {
        apartSince[program] = now
      }
    }
  }

  private mutating func endPairedCall(_ program: String) {
    apartSince[program] = nil
    pairedCalls.remove(program)
    forced.remove("call:" + program)
  }
}

extension Walk {
  /// Through a history with the oracle beside it, which is asked after every step.
  static func beside(_ moments: [Moment], _ ask: (Step, Oracle) -> String?) -> String? {
    var oracle = Oracle()
    return through(moments) { step in
      oracle.advance(to: step.transition.at)
      if let event = step.event {
        oracle.take(
          event, wasAudible: step.transition.before.isAudible,
          wasRefused: step.transition.refusal != nil)
      }
      return ask(step, oracle)
    }
  }
}
