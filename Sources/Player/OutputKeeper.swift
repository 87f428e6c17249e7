import AudioEngine
import AudioSession
import AudioTypes
import OutputInterface

/// Keeps the music on an output. A device that vanishes is told to the session first and only then
/// is another one opened, held; a server that ends is waited for; and a stream that came to a private
/// device by a move gives way to one that cannot be moved from there (architecture decision 6).
///
/// Nothing here starts the music: that is the session's alone (S2, S17).
///
/// On the control thread.
@MainActor public final class OutputKeeper {
  private let player: Player
  private let engine: AudioEngine
  /// The device that the user named, where a server is not to choose another one (bare ALSA).
  private let only: String?
  private let retry: any Countdown
  /// Which try comes next, since the loss.
  private var attempts = 0
  private var isServerLost = false
  /// An output is being opened in the place of the lost one.
  private var isRecovering = false
  /// What is lost may be found again; false where its loss is the end, as a file's is.
  private let isLasting: Bool

  /// Tells what the route of a device is, where somebody watches the server; else the stream says.
  public var routeOf: (@MainActor (DevicePlace) -> Route?)?
  /// Whether the Bluetooth link to an address still stands; where nobody knows, it may.
  public var isLinked: (@MainActor (_ address: String) -> Bool)?
  /// The server's name of the device that a route is; `nil` leaves the choice to the server.
  public var deviceOf: (@MainActor (Route) -> String?)?

  /// While a Bluetooth device is waited for: seconds until it is looked at again.
  static let profilePause = 0.1
  /// Seconds before each try; the last one repeats.
  static let pauses = [0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0]

  /// - Parameters:
  ///   - only: the one device to play on, where no server would choose another.
  ///   - isLasting: false for outputs whose loss is the end: a file that is full.
  public convenience init(
    player: Player, engine: AudioEngine, only: String? = nil, isLasting: Bool = true
  ) {
    self.init(
      player: player, engine: engine, only: only, isLasting: isLasting, retry: DeadlineTimer())
  }

  /// - Parameter retry: tells when to try again.
  init(
    player: Player, engine: AudioEngine, only: String?, isLasting: Bool, retry: any Countdown
  ) {
    self.player = player
    self.engine = engine
    self.only = only
    self.isLasting = isLasting
    self.retry = retry
  }

  /// Takes what the engine tells of its output.
  ///
  /// - Returns: false when the output is lost for good: then the program has nothing to play on.
  public func take(_ event: EngineEvent) -> Bool {
    switch event {
    case .lost(let error): return lose(error)
    case .stalled(true):
      isServerLost = true
      player.send(.serverLost)
    case .stalled(false):
      guard isServerLost, engine.snapshot().state != .lost else { break }
      isServerLost = false
      player.send(.serverBack(.unchanged))
    case .device:
      // The user's choice of a device may have brought back what was lost.
      if isServerLost, !isRecovering, engine.snapshot().state != .lost {
        opened()
      } else {
        guardIfWanted()
      }
    default: break
    }
    return true
  }

  /// The user chose that device, here or in the desktop: sotto follows, also with a stream that
  /// nobody else can move (S21). What is heard goes on.
  public func follow(_ device: String) {
    guard engine.snapshot().state != .lost, engine.place?.id != device else { return }
    engine.handOver(to: device)
  }

  /// The user wants to hear something: what is lost is tried at once.
  public func tryNow() {
    guard engine.snapshot().state == .lost else { return }
    attempts = 0
    open()
  }

  // MARK: Lost

  private func lose(_ error: OutputError) -> Bool {
    guard isLasting, error.code != .fileError else { return false }
    attempts = 0
    switch error.code {
    case .serverLost, .noServer, .noAnswer:
      if !isServerLost {
        isServerLost = true
        player.send(.serverLost)
      }
    case .suspended:
      // Told when it was over already.
      player.send(.sleep(true))
      player.send(.sleep(false))
    default: player.send(.route(loss()))
    }
    open()
    return true
  }

  /// That the stream's device went away. The server's picture may have said so before the stream
  /// did: then the route is another one already, and the device is the one that is waited for.
  private func loss() -> RouteChange {
    let state = player.state
    let address = state.pendingAddress ?? state.route?.deviceAddress
    let isLinkKept = address.map { isLinked?($0) ?? true } ?? false
    let isKnown = state.pendingAddress != nil
    return RouteChange(
      from: isKnown ? nil : state.route?.id, to: isKnown ? state.route : nil,
      reason: .oldDeviceUnavailable, isLinkKept: isLinkKept)
  }

  private func open() {
    retry.cancel()
    let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
    attempts += 1
    if pause == 0 { return tryOpening() }
    retry.set(after: pause) { [weak self] in self?.tryOpening() }
  }

  private func tryOpening() {
    guard engine.snapshot().state == .lost else { return }
    if player.state.pendingAddress != nil {
      // The device comes back as another profile, or it is given up: only then it is known where
      // sound may go.
      return retry.set(after: Self.profilePause) { [weak self] in self?.tryOpening() }
    }
    if engine.isOpening {
      // The user has chosen one meanwhile, which comes first.
      return retry.set(after: Self.profilePause) { [weak self] in self?.tryOpening() }
    }
    isRecovering = true
    engine.recover(to: only ?? player.state.route.flatMap { deviceOf?($0) }) { [weak self] error in
      guard let self else { return }
      isRecovering = false
      guard let error else { return opened() }
      // The device's own server may have gone with it.
      let isServer = [.noServer, .serverLost, .noAnswer].contains(error.code)
      if isServer, !isServerLost {
        isServerLost = true
        player.send(.serverLost)
      }
      open()
    }
  }

  /// What servers show where there is no device: nobody hears it.
  private static let standIn = "auto_null"

  private func opened() {
    let place = engine.place
    if place?.id == Self.standIn {
      // The devices of a server that has just begun come after it.
      engine.forsake()
      return open()
    }
    attempts = 0
    let route = place.flatMap { place in
      routeOf?(place)
        ?? place.routeClass.map { Route(place, name: engine.snapshot().device, $0) }
    }
    if isServerLost {
      isServerLost = false
      player.send(.serverBack(route.map { .route($0) } ?? .unchanged))
    } else if player.state.route == nil {
      let new = route ?? Route(id: "device", name: engine.snapshot().device, routeClass: .speaker)
      player.send(.route(RouteChange(to: new, reason: .newDeviceAvailable)))
    }
    guardIfWanted()
  }

  private func guardIfWanted() {
    guard engine.guardState.isWanted, let place = engine.place else { return }
    engine.handOver(to: place.id)
  }
}

extension Route {
  /// What a stream knows of its device.
  public init(_ place: DevicePlace, name: String?, _ routeClass: RouteClass) {
    self.init(id: place.id, name: name, routeClass: routeClass, deviceAddress: place.address)
  }
}
