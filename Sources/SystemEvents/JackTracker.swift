import AudioSession
import AudioTypes
import OutputInterface

/// Makes events of the session out of how the jacks of a card are. Pure: two pictures that are equal
/// make no event, however many there were in between.
///
/// The card itself sends the sound to what is plugged in; ALSA's stream does not notice.
public struct JackTracker: Sendable {
  private let place: HardwarePlace
  private let device: String
  private let routeClass: RouteClass

  /// - Parameters:
  ///   - device: its description, for people.
  ///   - routeClass: of the device when nothing is plugged in.
  ///   - jacks: as they are at the beginning.
  public init(place: HardwarePlace, device: String, routeClass: RouteClass, jacks: [Jack]) {
    self.place = place
    self.device = device
    self.routeClass = routeClass
    route = candidates(jacks).first
  }

  /// Where sound goes now; `nil` where it goes nowhere.
  public private(set) var route: Route?

  /// Takes the next picture; `nil` is the card's end.
  ///
  /// - Returns: what happened to the route, `nil` when nothing did.
  public mutating func take(_ jacks: [Jack]?) -> RouteChange? {
    let before = route
    guard let jacks else {
      route = nil
      return before.map { RouteChange(from: $0.id, to: nil, reason: .oldDeviceUnavailable) }
    }
    let candidates = candidates(jacks)
    let isStillThere = before.map { candidates.contains($0) } ?? true
    // Headphones that are worn are not left for second ones.
    if isStillThere, before?.routeClass == .private { return nil }
    let next = candidates.first
    guard next != before else { return nil }
    route = next
    return RouteChange(
      from: before?.id, to: next,
      reason: isStillThere ? .newDeviceAvailable : .oldDeviceUnavailable)
  }

  /// Where sound may go, the first being where a card sends it.
  private func candidates(_ jacks: [Jack]) -> [Route] {
    let screens = jacks.filter { $0.kind == .screen(device: place.device) }
    if !screens.isEmpty {
      // A device that reaches a screen reaches nothing else.
      return screens.contains(where: \.isIn) ? [plain] : []
    }
    let plugged = jacks.filter(\.isIn)
    let headphones = plugged.filter { $0.kind == .headphones }.map { route($0, .private) }
    let external = plugged.filter { $0.kind == .external }.map { route($0, .external) }
    return headphones + external + [plain]
  }

  /// The device without anything plugged in.
  private var plain: Route {
    Route(id: place.name, name: device, routeClass: routeClass)
  }

  private func route(_ jack: Jack, _ routeClass: RouteClass) -> Route {
    Route(
      id: "\(place.name) \(jack.name) \(jack.index)", name: "\(device), \(jack.title)",
      routeClass: routeClass)
  }
}
