import AudioSession
import Bus

/// The other players on MPRIS: who is there, who plays, and a word to them when the session asks for
/// it. To look at them touches nobody (S34).
///
/// On the control thread.
@MainActor public final class BusPeers {
  private struct Peer {
    var names: [String]
    var status: PlaybackStatus?
    var canPause = true
    var client: String?
    /// Questions about it that are not answered yet: half known it is not told.
    var questions = 2
    /// What was told of it.
    var told: PeerObservation?
  }

  private let bus: BusConnection
  private let send: @MainActor (SessionEvent) -> Void
  /// By unique name: a player that was started again is another one (S57).
  private var peers: [String: Peer] = [:]
  private var own: String?
  /// Questions about players that were there at the start.
  private var questions = 0
  private var isListing = false
  /// Called when the players that were there already are told; again each time the bus is back.
  public var onListed: (@MainActor () -> Void)?

  private static let prefix = "org.mpris.MediaPlayer2"
  private static let path = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  /// How long a player may take to answer, in seconds.
  private static let patience = 3.0

  /// - Parameter send: takes the events.
  public init(_ bus: BusConnection, send: @escaping @MainActor (SessionEvent) -> Void) {
    self.bus = bus
    self.send = send
    bus.watch(
      BusMatch(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged", argumentNamespace: Self.prefix)
    ) { [weak self] signal in
      guard signal.sender == "org.freedesktop.DBus" else { return }
      let texts = signal.arguments.map { $0.text ?? "" }
      if texts.count == 3 { self?.ownerChanged(texts[0], from: texts[1], to: texts[2]) }
    }
    bus.watch(
      BusMatch(
        path: Self.path, interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument: Self.player)
    ) { [weak self] signal in self?.propertiesChanged(signal) }
    bus.observe { [weak self] state in self?.busChanged(state) }
    busChanged(bus.state)
  }

  private func busChanged(_ state: BusConnection.State) {
    switch state {
    case .ready(let name):
      own = name
      list()
    case .absent, .closed:
      for id in peers.keys.sorted() { forget(id) }
    case .connecting: break
    }
  }

  /// Pause and play, as the session decided. False where it is nobody's here.
  public func carryOut(_ action: Action) -> Bool {
    let (id, member): (String, String)
    switch action {
    case .pausePeer(let peer): (id, member) = (peer, "Pause")
    case .playPeer(let peer): (id, member) = (peer, "Play")
    default: return false
    }
    guard peers[id] != nil else { return false }
    // One that cannot or does not answer is left as it is.
    bus.call(id, Self.path, Self.player, member, timeout: Self.patience) { _ in }
    return true
  }

  // MARK: Who is there

  private func list() {
    isListing = true
    questions = 1
    bus.ask("ListNames") { [weak self] result in
      guard let self else { return }
      let names = (try? result.get())?.first?.elements ?? []
      for name in names.compactMap(\.text) where name.hasPrefix(Self.prefix + ".") {
        questions += 1
        bus.ask("GetNameOwner", [.string(name)]) { [weak self] result in
          if let owner = (try? result.get())?.first?.text { self?.found(name, owner) }
          self?.answered()
        }
      }
      answered()
    }
  }

  private func answered() {
    questions -= 1
    guard questions <= 0, isListing else { return }
    isListing = false
    for id in peers.keys.sorted() { tell(id) }
    onListed?()
  }

  private func ownerChanged(_ name: String, from old: String, to new: String) {
    if !old.isEmpty, var peer = peers[old] {
      peer.names.removeAll { $0 == name }
      peers[old] = peer
      if peer.names.isEmpty { forget(old) } else { tell(old) }
    }
    if !new.isEmpty { found(name, new) }
  }

  private func found(_ name: String, _ id: String) {
    guard id != own else { return }
    if var peer = peers[id] {
      // A player with two names is one; the first of them names it.
      if !peer.names.contains(name) { peer.names.append(name) }
      peers[id] = peer
      return
    }
    peers[id] = Peer(names: [name])
    let wasListing = isListing
    if wasListing { questions += 2 }
    bus.ask("GetConnectionUnixProcessID", [.string(id)]) { [weak self] result in
      let process = (try? result.get())?.first?.integer
      self?.peers[id]?.client = process.flatMap {
        ProgramWord.word(ofProcess: Int($0), in: MachineProcesses())
      }
      self?.peers[id]?.questions -= 1
      self?.tell(id)
      if wasListing { self?.answered() }
    }
    bus.call(
      id, Self.path, "org.freedesktop.DBus.Properties", "GetAll", [.string(Self.player)],
      timeout: Self.patience
    ) { [weak self] result in
      self?.peers[id]?.questions -= 1
      self?.take((try? result.get())?.first ?? .properties([]), id)
      if wasListing { self?.answered() }
    }
  }

  private func forget(_ id: String) {
    guard let peer = peers.removeValue(forKey: id), let told = peer.told else { return }
    send(.peerGone(id: id))
    // With its program everything of it is over; a browser only closes a page.
    if let client = told.client, ProgramWord.hasEnded(client, in: MachineProcesses()) {
      send(.clientGone(client))
    }
  }

  // MARK: What they do

  private func propertiesChanged(_ signal: BusSignal) {
    guard peers[signal.sender] != nil, signal.arguments.count == 3 else { return }
    take(signal.arguments[1], signal.sender)
    let invalidated = signal.arguments[2].elements?.compactMap(\.text) ?? []
    for name in ["PlaybackStatus", "CanPause"] where invalidated.contains(name) {
      bus.property(signal.sender, Self.path, Self.player, name) { [weak self] result in
        guard let value = try? result.get() else { return }
        self?.take(.properties([(name, value)]), signal.sender)
      }
    }
  }

  private func take(_ values: BusValue, _ id: String) {
    if let status = values["PlaybackStatus"]?.text.flatMap(PlaybackStatus.init(rawValue:)) {
      peers[id]?.status = status
    }
    if let canPause = values["CanPause"]?.bool { peers[id]?.canPause = canPause }
    tell(id)
  }

  /// What is new of it. At the start all are told together, once all is known of them.
  private func tell(_ id: String) {
    guard !isListing, let peer = peers[id], peer.questions == 0, let status = peer.status,
      let name = peer.names.first
    else { return }
    let observation = PeerObservation(
      id: id, name: name, status: status, canPause: peer.canPause, client: peer.client)
    guard observation != peer.told else { return }
    peers[id]?.told = observation
    send(.peer(observation))
  }
}
