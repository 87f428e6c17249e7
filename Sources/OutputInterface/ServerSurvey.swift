import AudioTypes

/// One plug or part of a device (headphones, speakers).
public struct DevicePort: Equatable, Sendable {
  /// Whether something is plugged in, where the device can tell.
  public enum Availability: String, Sendable { case yes, no, unknown }
  public var name: String
  public var description: String
  public var availability: Availability
  public var isActive: Bool

  public init(name: String, description: String, availability: Availability, isActive: Bool) {
    self.name = name
    self.description = description
    self.availability = availability
    self.isActive = isActive
  }
}

/// One playback device as the server describes it; names are the server's own, byte for byte.
public struct DeviceFacts: Equatable, Sendable {
  public var name: String
  public var description: String
  public var isDefault: Bool
  public var routeClass: RouteClass
  public var sampleRate: Int?
  public var channels: Int?
  public var volume: DeviceVolume?
  public var ports: [DevicePort]

  public init(
    name: String, description: String, isDefault: Bool, routeClass: RouteClass,
    sampleRate: Int? = nil, channels: Int? = nil, volume: DeviceVolume? = nil,
    ports: [DevicePort] = []
  ) {
    self.name = name
    self.description = description
    self.isDefault = isDefault
    self.routeClass = routeClass
    self.sampleRate = sampleRate
    self.channels = channels
    self.volume = volume
    self.ports = ports
  }
}

/// A sound server (or ALSA itself) and its devices.
public struct ServerSurvey: Equatable, Sendable {
  /// For people: "PulseAudio 16.1", "PulseAudio (on PipeWire 0.3.65) 15.0.0", "ALSA".
  public var server: String
  public var devices: [DeviceFacts]

  public init(server: String, devices: [DeviceFacts]) {
    self.server = server
    self.devices = devices
  }
}
