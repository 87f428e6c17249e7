/// Who can hear a route.
public enum RouteClass: String, Hashable, Sendable, Codable, CaseIterable {
  /// Only the wearer hears it: headphones, headset, hearing aid.
  case `private`
  /// A device outside this machine: HDMI, dock, line out, a Bluetooth speaker.
  case external
  /// The machine's own speakers.
  case speaker
  /// A device reached over the network.
  case network
}

/// Where sound goes: a device, or a port of one, as the sound server describes it.
public struct Route: Hashable, Sendable, Codable {
  /// The server's name for the device and its port; two routes are one when their ids are equal.
  public var id: String
  /// The server's description, for people; the id where there is none.
  public var name: String
  public var routeClass: RouteClass
  /// False when the device's loudness is set on the device itself (S23).
  public var hasVolume: Bool
  /// The Bluetooth address, for a Bluetooth device; its profiles are routes with one address.
  public var deviceAddress: String?

  public init(
    id: String, name: String? = nil, routeClass: RouteClass, hasVolume: Bool = true,
    deviceAddress: String? = nil
  ) {
    self.id = id
    self.name = name ?? id
    self.routeClass = routeClass
    self.hasVolume = hasVolume
    self.deviceAddress = deviceAddress
  }

  /// True when sound that was private elsewhere would be shared here (between the other three nothing is
  /// more public).
  public func isMorePublic(than other: Route) -> Bool {
    other.routeClass == .private && routeClass != .private
  }
}
