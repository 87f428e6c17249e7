import AudioSession
import AudioTypes
import JSONText

/// One line of a replay, read: when, which event by its name in the file, and the event itself.
struct ReplayLine {
  var at: Double?
  var name: String
  var event: SessionEvent

  /// The events by their names in the file.
  static let names = [
    "configure", "load", "play", "force", "pause", "toggle", "stop", "next", "previous", "seek",
    "failed", "begin", "end", "route", "silent", "lock", "background", "sleep", "stopped",
    "server", "stream", "peer", "volumeKey", "effect", "ignore", "activate", "deactivate", "wait",
  ]
}

/// From lines to events. Remembers streams and players, for a change names only what changed.
struct LineReader {
  private var streams: [String: StreamObservation] = [:]
  private var peers: [String: PeerObservation] = [:]

  /// `nil` for a comment or an empty line.
  mutating func read(_ bytes: [UInt8]) throws(ReplayError) -> ReplayLine? {
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    if first == nil || first == UInt8(ascii: "#") { return nil }
    let value: JSON
    do throws(JSONError) {
      value = try JSON(reading: bytes)
    } catch {
      throw ReplayError("\(error.sentence) (byte \(error.offset + 1) of the line)")
    }
    var line = try Fields(value, owner: "a line")
    let at = try line.number("at")
    let name = try line.needText("event")
    guard ReplayLine.names.contains(name) else { throw ReplayError("unknown event '\(name)'") }
    var fields = line.renamed("'\(name)'")
    let event = try event(name, &fields)
    try fields.end()
    return ReplayLine(at: at, name: name, event: event)
  }

  private mutating func event(
    _ name: String, _ fields: inout Fields
  ) throws(ReplayError) -> SessionEvent {
    switch name {
    case "configure": return .configure(try configuration(&fields))
    case "load": return .load(try tracks(&fields))
    case "play": return .play(try source(&fields))
    case "force": return .force(try source(&fields))
    case "pause": return .pause(try source(&fields))
    case "toggle": return .toggle(try source(&fields))
    case "stop": return .stop(try source(&fields))
    case "next": return .next(try source(&fields))
    case "previous": return .previous(try source(&fields))
    case "seek": return .seek(.seconds(try fields.needNumber("to")))
    case "failed": return .trackFailed
    case "begin":
      let id = try fields.needText("id")
      let kind = try fields.needText("kind")
      return .begin(
        id: id, kind: BlockerKind(rawValue: kind), source: try fields.text("app") ?? "")
    case "end": return .end(id: try fields.needText("id"), shouldResume: try fields.flag("resume"))
    case "route": return try route(&fields)
    case "silent": return .silent(try fields.needFlag("on"))
    case "lock": return .lock(try fields.needFlag("on"))
    case "background": return .background(try fields.needFlag("on"))
    case "sleep": return .sleep(try fields.needFlag("on"))
    case "stopped": return .suspended(try fields.needFlag("on"))
    case "server": return try server(&fields)
    case "stream": return try stream(&fields)
    case "peer": return try peer(&fields)
    case "volumeKey":
      guard let direction = try fields.word("direction", VolumeDirection.self) else {
        throw fields.missing("direction")
      }
      return .volumeKey(direction)
    case "effect":
      let seconds = try fields.needNumber("seconds")
      guard seconds >= 0 else { throw ReplayError("'seconds' must be 0 or more") }
      return .effect(.seconds(seconds))
    case "ignore": return .ignore(try fields.needText("app"))
    case "activate": return .activate
    case "deactivate": return .deactivate(notifyOthers: try fields.needFlag("notify"))
    default: return .wait
    }
  }

  /// A source that is not known is the key's.
  private func source(_ fields: inout Fields) throws(ReplayError) -> CommandSource {
    try fields.text("source").flatMap(CommandSource.init(rawValue:)) ?? .key
  }

  private func configuration(_ fields: inout Fields) throws(ReplayError) -> SessionConfiguration {
    let category = try fields.word("category", Category.self) ?? .playback
    var options: CategoryOptions = []
    for value in try fields.list("options") ?? [] {
      switch value {
      case .string("mixWithOthers"): options.insert(.mixWithOthers)
      case .string("duckOthers"): options.insert(.duckOthers)
      default: throw ReplayError("'options' may hold mixWithOthers and duckOthers")
      }
    }
    let controls = try fields.flag("controls") ?? true
    let content = try fields.word("content", ContentKind.self) ?? .music
    do throws(SessionError) {
      return try SessionConfiguration(
        category: category, options: options, hasTransportControls: controls, content: content)
    } catch {
      throw ReplayError(error.sentence)
    }
  }

  private func tracks(_ fields: inout Fields) throws(ReplayError) -> [SessionTrack] {
    guard let list = try fields.list("tracks") else { return Replay.defaultTracks }
    var tracks: [SessionTrack] = []
    for value in list {
      var track = try Fields(value, owner: "a track")
      let duration = try track.number("duration")
      if let duration, duration < 0 { throw ReplayError("'duration' must be 0 or more") }
      tracks.append(
        SessionTrack(duration: duration.map { .seconds($0) }, title: try track.text("title") ?? ""))
      try track.end()
    }
    return tracks
  }

  private func route(_ fields: inout Fields) throws(ReplayError) -> SessionEvent {
    let from = try fields.text("from")
    var place = try fields.object("to")
    let to: Route?
    if place != nil { to = try destination(&place!) } else { to = nil }
    guard let reason = try fields.word("reason", RouteChange.Reason.self) else {
      throw fields.missing("reason")
    }
    let isGiven = place != nil
    if !isGiven, reason == .newDeviceAvailable || reason == .override {
      throw ReplayError("'route' needs 'to' when the reason is \(reason.rawValue)")
    }
    let link = try fields.word("link", Link.self) ?? .lost
    return .route(RouteChange(from: from, to: to, reason: reason, isLinkKept: link == .kept))
  }

  private enum Link: String, CaseIterable { case kept, lost }

  /// `nil` for the class none. A class that is not known is a device like others, outside.
  private func destination(_ fields: inout Fields) throws(ReplayError) -> Route? {
    let id = try fields.text("id")
    let routeClass = try fields.text("class")
    let name = try fields.text("name")
    let hasVolume = try fields.flag("hasVolume") ?? true
    let device = try fields.text("device")
    try fields.end()
    if routeClass == "none" { return nil }
    guard let id else { throw fields.missing("id") }
    return Route(
      id: id, name: name, routeClass: routeClass.flatMap(RouteClass.init(rawValue:)) ?? .external,
      hasVolume: hasVolume, deviceAddress: device)
  }

  private enum ServerState: String, CaseIterable { case lost, back }

  private func server(_ fields: inout Fields) throws(ReplayError) -> SessionEvent {
    guard let state = try fields.word("state", ServerState.self) else {
      throw fields.missing("state")
    }
    if state == .lost { return .serverLost }
    guard var place = try fields.object("to") else { return .serverBack(.unchanged) }
    return .serverBack(try destination(&place).map { .route($0) } ?? .none)
  }

  private enum StreamState: String, CaseIterable { case new, change, gone }
  private enum StreamDirection: String, CaseIterable { case playback, capture }

  private mutating func stream(_ fields: inout Fields) throws(ReplayError) -> SessionEvent {
    let id = try fields.needText("id")
    let state = try fields.word("state", StreamState.self) ?? .change
    var stream = (state == .new ? nil : streams[id]) ?? StreamObservation(id: id)
    let wasKnown = state != .new && streams[id] != nil
    if let client = try fields.text("client") { stream.client = client }
    if let app = try fields.text("app") { stream.application = app }
    if let binary = try fields.text("binary") { stream.binary = binary }
    if let role = try fields.text("role") { stream.role = role }
    let direction = try fields.word("direction", StreamDirection.self)
    if let direction { stream.direction = direction == .capture ? .capture : .playback }
    let corked = try fields.flag("corked")
    if let corked { stream.isCorked = corked }
    let muted = try fields.flag("muted")
    if let muted { stream.isMuted = muted }
    if let monitor = try fields.flag("monitor") { stream.isMonitor = monitor }
    if let audible = try fields.flag("audible") {
      stream.isAudible = audible
    } else if !wasKnown || direction != nil || corked != nil || muted != nil {
      stream.isAudible = stream.direction == .playback && !stream.isCorked && !stream.isMuted
    }
    if state == .gone {
      streams[id] = nil
      return .streamGone(id: id)
    }
    streams[id] = stream
    return .stream(stream)
  }

  private enum PeerStatus: String, CaseIterable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
    case gone
  }

  private mutating func peer(_ fields: inout Fields) throws(ReplayError) -> SessionEvent {
    let id = try fields.needText("id")
    guard let status = try fields.word("status", PeerStatus.self) else {
      throw fields.missing("status")
    }
    var peer = peers[id] ?? PeerObservation(id: id, name: id, status: .stopped)
    if let name = try fields.text("name") { peer.name = name }
    if let canPause = try fields.flag("canPause") { peer.canPause = canPause }
    if let client = try fields.text("client") { peer.client = client }
    guard let known = PlaybackStatus(rawValue: status.rawValue) else {
      peers[id] = nil
      return .peerGone(id: id)
    }
    peer.status = known
    peers[id] = peer
    return .peer(peer)
  }
}

extension Fields {
  /// The same fields, of something that has a name now.
  func renamed(_ owner: String) -> Fields { Fields(rest, owner: owner) }
}
