import AudioTypes
import OutputInterface

/// What a sound server shows of itself and of the programs that use it, at one moment. Texts are as
/// other programs chose them: cut, valid UTF-8, and not safe to print raw.
public struct ServerSnapshot: Hashable, Sendable {
  /// Whether there is a server.
  public enum State: String, Hashable, Sendable {
    /// There is none, or it went away; it is looked for again and again.
    case absent
    /// It is there and does not answer.
    case silent
    case ready
  }

  /// Which of the two answers: they move streams differently (T11).
  public enum Kind: String, Hashable, Sendable { case pulseAudio, pipeWire }

  /// A plug or a built-in part of a device that sound may go to.
  public struct Port: Hashable, Sendable {
    public var name: String
    public var description: String
    public var availability: DevicePort.Availability
    /// Who hears the device while this port is active.
    public var routeClass: RouteClass

    public init(
      _ name: String, description: String? = nil,
      availability: DevicePort.Availability = .unknown, routeClass: RouteClass = .speaker
    ) {
      self.name = name
      self.description = description ?? name
      self.availability = availability
      self.routeClass = routeClass
    }
  }

  /// A device that plays, as the server has it.
  public struct Sink: Hashable, Sendable {
    public var index: UInt32
    public var card: UInt32?
    public var name: String
    public var description: String
    /// Bluetooth.
    public var address: String?
    /// With the active port.
    public var routeClass: RouteClass
    public var ports: [Port]
    public var activePort: Int?
    /// What plays on it stands still: by the user's wish, or while another user has the seat. Servers
    /// also do it to a device on which nothing plays.
    public var isSuspended: Bool

    public init(
      _ name: String, index: UInt32, card: UInt32? = nil, description: String? = nil,
      address: String? = nil, routeClass: RouteClass = .speaker, ports: [Port] = [],
      activePort: Int? = nil, isSuspended: Bool = false
    ) {
      self.index = index
      self.card = card
      self.name = name
      self.description = description ?? name
      self.address = address
      self.routeClass = routeClass
      self.ports = ports
      self.activePort = activePort
      self.isSuspended = isSuspended
    }
  }

  /// What sinks and sources belong to. It outlives them when its profile changes (T9).
  public struct Card: Hashable, Sendable {
    public var index: UInt32
    public var name: String
    public var address: String?
    public var ports: [Port]

    public init(
      _ name: String, index: UInt32, address: String? = nil, ports: [Port] = []
    ) {
      self.index = index
      self.name = name
      self.address = address
      self.ports = ports
    }
  }

  /// A device that records.
  public struct Source: Hashable, Sendable {
    public var index: UInt32
    public var name: String
    public var address: String?
    /// It records what a sink plays.
    public var isMonitor: Bool

    public init(_ name: String, index: UInt32, address: String? = nil, isMonitor: Bool = false) {
      self.index = index
      self.name = name
      self.address = address
      self.isMonitor = isMonitor
    }
  }

  /// A program's connection. What a stream does not say of itself, it may say.
  public struct Client: Hashable, Sendable {
    public var index: UInt32
    /// As the program says.
    public var pid: Int?
    public var application: String
    public var binary: String
    public var role: String

    public init(
      index: UInt32, pid: Int? = nil, application: String = "", binary: String = "",
      role: String = ""
    ) {
      self.index = index
      self.pid = pid
      self.application = application
      self.binary = binary
      self.role = role
    }
  }

  /// A stream that plays or records.
  public struct Stream: Hashable, Sendable {
    public var index: UInt32
    public var client: UInt32?
    /// The sink or source.
    public var device: UInt32
    public var pid: Int?
    public var application: String
    public var binary: String
    public var role: String
    public var name: String
    public var isCorked: Bool
    public var isMuted: Bool
    /// It only measures, or records what a device plays, by its own word (T16).
    public var isMeter: Bool
    /// Part of a filter or a loopback.
    public var passesOn: Bool

    public init(
      index: UInt32, client: UInt32? = nil, device: UInt32 = 0, pid: Int? = nil,
      application: String = "", binary: String = "", role: String = "", name: String = "",
      isCorked: Bool = false, isMuted: Bool = false, isMeter: Bool = false, passesOn: Bool = false
    ) {
      self.index = index
      self.client = client
      self.device = device
      self.pid = pid
      self.application = application
      self.binary = binary
      self.role = role
      self.name = name
      self.isCorked = isCorked
      self.isMuted = isMuted
      self.isMeter = isMeter
      self.passesOn = passesOn
    }
  }

  public var state: State
  public var kind: Kind
  /// When the server was asked, in seconds of the machine's uptime.
  public var at: Double
  /// For people: "PulseAudio 16.1", "PulseAudio (on PipeWire 0.3.65) 15.0.0".
  public var server: String
  public var defaultSink: String
  public var sinks: [Sink]
  public var cards: [Card]
  public var sources: [Source]
  public var clients: [Client]
  public var playbacks: [Stream]
  public var captures: [Stream]
  /// The names of the server's modules.
  public var modules: [String]

  public init(
    state: State = .ready, kind: Kind = .pulseAudio, at: Double = 0, server: String = "",
    defaultSink: String = "", sinks: [Sink] = [], cards: [Card] = [], sources: [Source] = [],
    clients: [Client] = [], playbacks: [Stream] = [], captures: [Stream] = [],
    modules: [String] = []
  ) {
    self.state = state
    self.kind = kind
    self.at = at
    self.server = server
    self.defaultSink = defaultSink
    self.sinks = sinks
    self.cards = cards
    self.sources = sources
    self.clients = clients
    self.playbacks = playbacks
    self.captures = captures
    self.modules = modules
  }
}

extension ServerSnapshot {
  /// The sink of that name, which lasts; `nil` where there is none.
  public func sink(named name: String) -> Sink? { sinks.first { $0.name == name } }

  /// The sink of that number, which is given anew after each change; `nil` where there is none.
  public func sink(_ index: UInt32) -> Sink? { sinks.first { $0.index == index } }

  /// Whether anything of the Bluetooth device with that address is there: its card, or a part.
  public func has(address: String) -> Bool {
    cards.contains { $0.address == address } || sinks.contains { $0.address == address }
      || sources.contains { $0.address == address }
  }
}

extension ServerSnapshot.Sink {
  /// The active port; `nil` on a device without ports.
  public var port: ServerSnapshot.Port? {
    activePort.flatMap { ports.indices.contains($0) ? ports[$0] : nil }
  }

  /// The server's stand-in for a device when there is none: what is played there nobody hears.
  public var isDummy: Bool { name == "auto_null" }

  /// Where sound goes that is played there. Names are the server's own (S69).
  public var route: Route {
    let port = port
    let name = port.map { ports.count > 1 ? $0.description : description } ?? description
    return Route(
      id: port.map { "\(self.name)/\($0.name)" } ?? self.name,
      name: name.isEmpty ? self.name : name,
      routeClass: routeClass, deviceAddress: address)
  }
}
