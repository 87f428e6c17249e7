import AudioEngine
import AudioSession
import AudioTypes
import Glibc
import OutputInterface
import Player
import PlayerState
import SystemEvents

/// What the sound server shows of devices and of other programs, for the session. Only where the
/// music plays through it.
@MainActor final class PlaySystem {
  private unowned let command: PlayCommand
  private let player: Player
  private var watch: ServerWatch?
  private var routes = RouteTracker()
  private var streams = StreamTracker(own: Int(getpid()))
  private let processes = MachineProcesses()
  private let start = MainTimer()
  private let doubt = MainTimer()
  private let reconciling = MainTimer()
  /// The first route is being told: that is no news.
  private(set) var isSettling = false
  private(set) var devices: [PlayerSnapshot.DeviceChoice] = []
  /// Programs whose streams the server shows, as they call themselves.
  var programs: [String] {
    streams.observations.map { $0.application.isEmpty ? $0.binary : $0.application }
      .filter { !$0.isEmpty }
  }
  private var defaultSink = ""
  /// Another mixer keeps our stream mute. With its own wish for silence it is the server, and told as
  /// that.
  private(set) var isStreamMuted = false
  /// The server has suspended the device while our stream plays on it: nothing of it is heard.
  private(set) var isDeviceSuspended = false
  /// Since when the server has wanted our silence; `nil` while it does not.
  private var silenceWanted: SessionTime?

  /// The first sound does not wait for the server's picture, and the session not longer for it than
  /// this, in seconds.
  private static let surveySeconds = 0.15
  /// How often everything is asked anew while something stands in the way (D6), in seconds.
  private static let reconcileSeconds = 30.0

  init(_ command: PlayCommand, _ player: Player) {
    self.command = command
    self.player = player
  }

  /// Begins to look. What plays already is known before the user's wish to play is carried out: it
  /// is older than that, and takes nothing over.
  func begin() {
    command.keeper?.routeOf = { [weak self] place in self?.route(toDevice: place.id) }
    command.keeper?.deviceOf = { [weak self] route in
      self?.watch?.latest?.sinks.first { $0.route.id == route.id }?.name
    }
    watch = ServerWatch { [weak self] snapshot, levels in self?.see(snapshot, levels) }
    guard watch != nil else { return player.surveyed() }
    start.set(after: Self.surveySeconds) { [weak self] in self?.player.surveyed() }
  }

  func end() {
    for timer in [start, doubt, reconciling] { timer.cancel() }
    watch?.close()
    watch = nil
  }

  /// The route that a device stands for; `nil` when it is not known.
  func route(toDevice name: String) -> Route? { watch?.latest?.sink(named: name)?.route }

  /// The server asks for silence, or takes that back.
  func silence(isWanted: Bool) {
    silenceWanted = isWanted ? player.now() : nil
    player.send(
      isWanted
        ? .begin(id: Self.silenceID, kind: .serverCork, source: "")
        : .end(id: Self.silenceID, shouldResume: true))
  }

  private static let silenceID = "cork:music"

  /// A call that is over before our stream stands still is taken back without a word: the server
  /// only lifts the mute that came with its wish.
  private func hear(muteOf own: ServerSnapshot.Stream?, at seconds: Double) {
    guard let wanted = silenceWanted, seconds > wanted.seconds, own?.isMuted == false else {
      return
    }
    silence(isWanted: false)
  }

  // MARK: Pictures

  private func see(_ snapshot: ServerSnapshot, _ levels: [UInt32: StreamLevel]) {
    processes.forget()
    let own = Self.ownStream(snapshot)
    let place = own?.device
    let isFirst = routes.route == nil
    // Whoever lost the headphones comes first (S16).
    let findings = routes.see(snapshot, stream: place) { [weak command] address in
      command?.bus?.bluez?.isConnected(address)
    }
    for finding in findings { take(finding, isFirst: isFirst) }
    follow(snapshot)
    hear(muteOf: own, at: snapshot.at)
    let isMuted = own?.isMuted == true && silenceWanted == nil
    // A device on which nothing plays is suspended to save power, which is nobody's business.
    let isSuspended =
      own?.isCorked == false && place.flatMap(snapshot.sink)?.isSuspended == true
    if isMuted != isStreamMuted || isSuspended != isDeviceSuspended {
      (isStreamMuted, isDeviceSuspended) = (isMuted, isSuspended)
      command.refresh()
    }
    if routes.isInDoubt {
      doubt.set(after: RouteTracker.doubtSeconds) { [weak self] in self?.watch?.refresh() }
    }
    let found = streams.see(
      snapshot, levels: levels, hearsOthers: !player.situation.isAudible, processes: processes)
    for event in found.events { player.send(event) }
    watch?.measure(found.measure)
    if snapshot.state == .ready {
      start.cancel()
      player.surveyed()
      choices(snapshot, place)
    }
    reconcileLater()
  }

  /// BlueZ says that a link is gone. The server tells what is left of it later.
  func loseLink(_ address: String) {
    for finding in routes.loseLink(address) { take(finding, isFirst: false) }
  }

  private func take(_ finding: RouteTracker.Finding, isFirst: Bool) {
    switch finding {
    case .route(let change):
      isSettling = isFirst
      player.send(.route(change))
      isSettling = false
    case .linkLost(let address): player.send(.linkLost(address: address))
    case .deviceReturned(let sink): goBack(to: sink)
    }
  }

  /// A Bluetooth device is back with another profile, and the server has left our stream elsewhere.
  private func goBack(to sink: String) {
    // If it cannot be opened it was lost: the session's own deadline says so.
    command.engine?.handOver(to: sink)
  }

  /// The user chose another default device, and our stream, which nobody else can move, was on the
  /// old one, which is still there (S21).
  private func follow(_ snapshot: ServerSnapshot) {
    let old = defaultSink
    guard snapshot.state == .ready else { return }
    defaultSink = snapshot.defaultSink
    guard !old.isEmpty, old != snapshot.defaultSink, snapshot.sink(named: old) != nil,
      let engine = command.engine, engine.guardState.isGuarded, engine.place?.id == old
    else { return }
    command.keeper?.follow(snapshot.defaultSink)
  }

  private func choices(_ snapshot: ServerSnapshot, _ place: UInt32?) {
    let found = snapshot.sinks.filter { !$0.isDummy }.map { sink in
      PlayerSnapshot.DeviceChoice(
        id: sink.name, name: sink.description, server: snapshot.server,
        routeClass: sink.routeClass,
        isCurrent: place.map { $0 == sink.index } ?? (sink.name == snapshot.defaultSink),
        isAvailable: sink.port?.availability != .no)
    }
    guard found != devices else { return }
    devices = found
    command.devices = found
    command.refresh()
  }

  /// What was missed is found after a while: a call that never seems to end must not hold the music
  /// for ever.
  private func reconcileLater() {
    guard !player.state.blockers.isEmpty else { return reconciling.cancel() }
    reconciling.set(after: Self.reconcileSeconds, leeway: 1000) { [weak self] in
      self?.watch?.refresh()
    }
  }

  /// The music's stream. Of two it is the later one: the other is being left.
  private static func ownStream(_ snapshot: ServerSnapshot) -> ServerSnapshot.Stream? {
    let own = Int(getpid())
    let clients = Set(snapshot.clients.filter { $0.pid == own }.map(\.index))
    let streams = snapshot.playbacks.filter { stream in
      stream.role == StreamRole.music.rawValue
        && (stream.pid == own || stream.client.map { clients.contains($0) } ?? false)
    }
    return streams.max { $0.index < $1.index }
  }
}

extension PlayCommand {
  /// Devices for the list: as the server has shown them, or asked for now.
  func readDevices() {
    if let system, !system.devices.isEmpty {
      devices = system.devices
      return
    }
    DeviceList.read { [weak self] devices in
      self?.devices = devices
      self?.refresh()
    }
  }
}
