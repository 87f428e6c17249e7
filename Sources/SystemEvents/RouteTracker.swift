import AudioSession
import AudioTypes
import OutputInterface

/// What became of the place where our stream sounds, from one picture of the server to the next. Never
/// from single events: when a jack is pulled, a server has moved the sound before it tells (T5).
///
/// A value without a clock.
public struct RouteTracker: Sendable {
  /// What the session, or the player, must hear of it.
  public enum Finding: Hashable, Sendable {
    case route(RouteChange)
    /// Nothing of the Bluetooth device whose profile seemed to change is left.
    case linkLost(address: String)
    /// The Bluetooth device is back, as that sink, and our stream is elsewhere.
    case deviceReturned(sink: String)
  }

  /// A sink, with the port that is active there.
  private struct Place: Hashable {
    var sink: String
    var card: UInt32?
    var port: String?
    var route: Route

    init(_ sink: ServerSnapshot.Sink) {
      self.sink = sink.name
      card = sink.card
      port = sink.port?.name
      route = sink.route
    }
  }

  private var place: Place?
  private var last: ServerSnapshot?
  /// The server was away: what is there now says nothing until our stream is back.
  private var isAway = false
  private var hasNoRoute = false
  /// A Bluetooth device that changes its profile, or is gone.
  private var awaited: String?
  /// Its sink that was told of already.
  private var returned: String?
  /// PipeWire shows a stream on another sink for a moment, before it shows that the old one is gone
  /// (T11): since when, and where.
  private var doubt: (place: Place, since: Double)?

  /// How long a move to a more public place is not believed on PipeWire, in seconds.
  public static let doubtSeconds = 0.3

  public init() {}

  /// Where our stream is, as far as it is known.
  public var route: Route? { place?.route }

  /// It must be told the picture again after `doubtSeconds`, although nothing changes.
  public var isInDoubt: Bool { doubt != nil }

  /// - Parameters:
  ///   - stream: the sink that our stream is on; `nil` when the server has no stream of ours.
  ///   - isLinked: whether the link to a Bluetooth address stands; `nil` where nobody knows. Then the
  ///     device is linked for as long as the server shows anything of it.
  public mutating func see(
    _ snapshot: ServerSnapshot, stream: UInt32?,
    isLinked: (_ address: String) -> Bool? = { _ in nil }
  ) -> [Finding] {
    guard snapshot.state == .ready else {
      isAway = true
      doubt = nil
      return []
    }
    defer { last = snapshot }
    let sink = stream.flatMap { snapshot.sink($0) }
    let now = sink.flatMap { $0.isDummy ? nil : Place($0) }
    if isAway { return comeBack(now) }
    var findings: [Finding] = []
    if let awaited, !Self.isLinked(awaited, snapshot, isLinked) {
      self.awaited = nil
      // Nothing is left: whatever comes next is told.
      if place == nil { hasNoRoute = true }
      findings.append(.linkLost(address: awaited))
    }
    guard let place else {
      // The only device there was may be back before any stream of ours is on it.
      return findings + settle(now, snapshot) + (now == nil ? back(snapshot) : [])
    }
    if isLost(place, snapshot) {
      doubt = nil
      return findings + lose(place, now, snapshot, isLinked)
    }
    guard let now else { return findings + back(snapshot) }
    if now.route.id == place.route.id {
      doubt = nil
      self.place = now
      return findings + back(snapshot)
    }
    return findings + move(from: place, to: now, snapshot)
  }

  /// BlueZ says that the link to a device is gone, before the server does: whoever hears our stream
  /// there hears it no longer.
  public func loseLink(_ address: String) -> [Finding] {
    guard let route, route.deviceAddress?.uppercased() == address.uppercased() else { return [] }
    return [.route(RouteChange(from: route.id, to: route, reason: .oldDeviceUnavailable))]
  }

  // MARK: One picture

  /// Our stream is where nothing was known of before.
  private mutating func settle(_ now: Place?, _ snapshot: ServerSnapshot) -> [Finding] {
    let there = now ?? (hasNoRoute ? Self.defaultPlace(snapshot) : nil)
    guard let there else { return [] }
    hasNoRoute = false
    place = there
    if there.route.deviceAddress == awaited { awaited = nil }
    return [.route(RouteChange(to: there.route, reason: .newDeviceAvailable))]
  }

  private mutating func move(from old: Place, to now: Place, _ snapshot: ServerSnapshot)
    -> [Finding]
  {
    let isBack = awaited != nil && now.route.deviceAddress == awaited
    let isNew = isBack || isNewlyAvailable(now, snapshot)
    if !isNew, snapshot.kind == .pipeWire, now.route.isMorePublic(than: old.route) {
      if doubt?.place != now { doubt = (now, snapshot.at) }
      if let doubt, snapshot.at - doubt.since < Self.doubtSeconds { return [] }
    }
    doubt = nil
    place = now
    if isBack { awaited = nil }
    // The old one is still there: somebody chose (S21), or something better came (S15).
    return [.route(RouteChange(to: now.route, reason: isNew ? .newDeviceAvailable : .override))]
  }

  private mutating func lose(
    _ old: Place, _ now: Place?, _ snapshot: ServerSnapshot, _ isLinked: (String) -> Bool?
  ) -> [Finding] {
    let there = now ?? Self.defaultPlace(snapshot)
    place = there
    let address = old.route.deviceAddress
    let isLinkKept = address.map { Self.isLinked($0, snapshot, isLinked) } ?? false
    let isSameDevice = address != nil && now?.route.deviceAddress == address
    if let now, isSameDevice, isLinkKept {
      // The same device as its other profile (T9).
      return [
        .route(RouteChange(to: now.route, reason: .oldDeviceUnavailable, isLinkKept: true))
      ]
    }
    if let now, !isSameDevice,
      isSamePlug(old, now, snapshot) || isTakenOver(old, by: now, snapshot)
    {
      return [.route(RouteChange(to: now.route, reason: .newDeviceAvailable))]
    }
    if isLinkKept { awaited = address }
    if there == nil, !isLinkKept {
      hasNoRoute = true
      return [.route(RouteChange(to: nil, reason: .noSuitableRoute))]
    }
    return [
      .route(
        RouteChange(to: there?.route, reason: .oldDeviceUnavailable, isLinkKept: isLinkKept))
    ] + back(snapshot)
  }

  /// The awaited Bluetooth device has a sink, and our stream is not there.
  private mutating func back(_ snapshot: ServerSnapshot) -> [Finding] {
    let sink = awaited.flatMap { address in snapshot.sinks.first { $0.address == address } }
    defer { returned = sink?.name }
    guard let sink, sink.name != returned else { return [] }
    return [.deviceReturned(sink: sink.name)]
  }

  /// After the server was away only our stream's own place counts: devices appear one by one.
  private mutating func comeBack(_ now: Place?) -> [Finding] {
    guard let now else { return [] }
    isAway = false
    awaited = nil
    let old = place
    place = now
    hasNoRoute = false
    guard let old, old.route.id != now.route.id else {
      return old == nil
        ? [.route(RouteChange(to: now.route, reason: .newDeviceAvailable))] : []
    }
    let reason: RouteChange.Reason =
      now.route.isMorePublic(than: old.route) ? .oldDeviceUnavailable : .newDeviceAvailable
    return [.route(RouteChange(to: now.route, reason: reason))]
  }

  // MARK: Questions

  /// Whether a Bluetooth device may come back as its other profile. What is left of it at the server
  /// says so, except where its link is known to be gone: its card can outlive that for a moment.
  private static func isLinked(
    _ address: String, _ snapshot: ServerSnapshot, _ isLinked: (String) -> Bool?
  ) -> Bool {
    snapshot.has(address: address) && isLinked(address) != false
  }

  /// Whether a place that was usable no longer is. A port that is not known to be there or not is
  /// there (T7); one that was said to be empty all the time, and plays, is no news.
  private func isLost(_ place: Place, _ snapshot: ServerSnapshot) -> Bool {
    !Self.isUsable(place, snapshot) && (last.map { Self.isUsable(place, $0) } ?? true)
  }

  private static func isUsable(_ place: Place, _ snapshot: ServerSnapshot) -> Bool {
    guard let sink = snapshot.sink(named: place.sink) else { return false }
    guard let port = place.port else { return true }
    return sink.ports.first { $0.name == port }.map { $0.availability != .no } ?? false
  }

  /// Whether what sounds now was not there before.
  private func isNewlyAvailable(_ now: Place, _ snapshot: ServerSnapshot) -> Bool {
    guard let before = last?.sink(named: now.sink) else { return last != nil }
    guard let port = now.port else { return false }
    return availability(port, snapshot.sink(named: now.sink)) == .yes
      && availability(port, before) != .yes
  }

  private func availability(_ port: String, _ sink: ServerSnapshot.Sink?)
    -> DevicePort.Availability?
  {
    sink?.ports.first { $0.name == port }?.availability
  }

  /// The card changed its profile, and the plug is still in: another sink for the same thing.
  private func isSamePlug(_ old: Place, _ now: Place, _ snapshot: ServerSnapshot) -> Bool {
    guard let port = old.port, old.card != nil, old.card == now.card, now.port == port else {
      return false
    }
    return availability(port, snapshot.sink(named: now.sink)) != .no
  }

  /// Speakers count as unplugged while headphones are in. What came took over from what went, as long
  /// as nobody more hears it.
  private func isTakenOver(_ old: Place, by now: Place, _ snapshot: ServerSnapshot) -> Bool {
    isNewlyAvailable(now, snapshot) && !now.route.isMorePublic(than: old.route)
      && old.card == now.card
  }

  /// Where a new stream would go.
  private static func defaultPlace(_ snapshot: ServerSnapshot) -> Place? {
    let sinks = snapshot.sinks.filter { !$0.isDummy }
    return (sinks.first { $0.name == snapshot.defaultSink } ?? sinks.first).map(Place.init)
  }
}
