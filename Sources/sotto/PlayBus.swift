import AudioEngine
import AudioSession
import AudioTypes
import Bus
import Dispatch
import MusicLibrary
import PlayQueue
import Player
import PlayerState
import RemoteControl
import SystemEvents
import TerminalModel

/// D-Bus beside the player: what it tells becomes events of the session, what the session wants of
/// others goes out, and remotes reach the player here. It is opened after the first sound, so that
/// nothing comes before that; without any bus everything else is as it was.
///
/// On the control thread.
@MainActor final class PlayBus: RemotePlayer {
  private unowned let command: PlayCommand
  private let player: Player
  private let session = BusConnection(.session)
  private let system = BusConnection(.system)
  private let sender: BusSender
  private var peers: BusPeers?
  private var logind: BusLogind?
  private(set) var bluez: BusBlueZ?
  private var avrcp: AVRCPPlayer?
  private var silentMode: BusSilentMode?
  private var remote: MPRISServer?
  private let covers = CoverFiles()
  private var notify: PlayNotify?
  private var idle: BusIdle?
  /// The players that were there before sotto have been seen.
  private var hasListed = false
  private(set) var playlists: [RemotePlaylist] = []

  init(_ command: PlayCommand, player: Player) {
    self.command = command
    self.player = player
    sender = BusSender(session)
  }

  func open() {
    let send: @MainActor (SessionEvent) -> Void = { [weak self] event in self?.take(event) }
    let peers = BusPeers(session, send: send)
    peers.onListed = { [weak self] in self?.listed() }
    self.peers = peers
    silentMode = BusSilentMode(session, send: send)
    let remote = MPRISServer(session, player: self)
    self.remote = remote
    follow(command.configuration.settings)
    if player.situation.acceptsRemote { remote.accept() }
    logind = BusLogind(system, send: send) { [weak self] then in self?.whenSilent(then) }
    let avrcp = AVRCPPlayer(system, player: self)
    self.avrcp = avrcp
    if player.situation.acceptsRemote { avrcp.accept() }
    let bluez = BusBlueZ(system, send: send)
    bluez.onAdapters = { [weak bluez, weak avrcp] in
      if let bluez { avrcp?.follow(bluez.owner, adapters: bluez.adapters) }
    }
    self.bluez = bluez
    command.keeper?.isLinked = { [weak self] address in self?.bluez?.isConnected(address) ?? true }
    idle = BusIdle(system)
    readPlaylists()
    session.open()
    system.open()
  }

  /// The program is about to be stopped from the terminal: it could answer nobody, and let no
  /// sleep pass.
  func suspend() {
    remote?.release()
    avrcp?.release()
    logind?.suspend()
    idle?.hold(false)
  }

  func resume() {
    if player.situation.acceptsRemote {
      remote?.accept()
      avrcp?.accept()
    }
    logind?.resume()
  }

  /// What the user has set, at the start and whenever it changes.
  func follow(_ settings: Settings) {
    holdAwake()
    guard settings.notify != (notify != nil) else { return }
    notify?.withdraw()
    notify = settings.notify ? PlayNotify(session) : nil
    changed()
  }

  func close() {
    notify?.withdraw()
    session.close()
    system.close()
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .silent(let isOn):
      // What rings falls silent too.
      command.setSilent(isOn)
    case .linkLost(let address):
      command.system?.loseLink(address)
      player.send(event)
    default: player.send(event)
    }
    command.refresh()
  }

  /// Who played before the user started sotto is paused, as by any start: the start was before
  /// they could be seen (S41).
  private func listed() {
    guard !hasListed else { return }
    hasListed = true
    if player.situation.isAudible { player.send(.activate) }
  }

  /// What the session wants done outside. False where it is nobody's here.
  func carryOut(_ action: Action) -> Bool {
    switch action {
    case .acceptRemote:
      remote?.accept()
      avrcp?.accept()
    case .releaseRemote:
      remote?.release()
      avrcp?.release()
    case .publish:
      remote?.changed()
      avrcp?.changed()
    default: return peers?.carryOut(action) ?? false
    }
    return true
  }

  /// The player has changed.
  func changed() {
    guard let remote else { return }
    holdAwake()
    follow()
    remote.changed()
    avrcp?.changed()
    if let notify, let snapshot = command.snapshot() {
      notify.changed(snapshot) { [weak self] in self?.artURL }
    }
  }

  /// While music is heard, and the user wants that.
  private func holdAwake() {
    let choice = command.configuration.settings.keepAwake
    idle?.hold(choice == .playing && player.situation.isAudible)
  }

  func seeked(to position: Double) {
    remote?.seeked(to: position)
    avrcp?.changed()
  }

  // MARK: Covers and playlists

  private func follow() {
    let info = command.engine?.snapshot().info
    covers.follow(command.heardLocation, isEmbedded: info?.picture != nil) { [weak self] in
      self?.remote?.changed()
    }
  }

  var artURL: String? { covers.url }

  /// Read again when one was saved.
  func readPlaylists() {
    let settings = command.configuration.settings
    guard let folder = Browser.folder(settings.playlistFolder) ?? Browser.defaultPlaylists else {
      return
    }
    DispatchQueue.global(qos: .utility).async { [weak self] in
      let rows = (try? FolderRow.read(folder)) ?? []
      let found = rows.filter { $0.kind == .playlist }.map { row in
        let point = row.name.lastIndex(of: UInt8(ascii: ".")) ?? row.name.endIndex
        return RemotePlaylist(
          path: folder + [0x2F] + row.name, name: Text.printable(row.name[..<point]))
      }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          self?.playlists = found
          self?.remote?.changed()
        }
      }
    }
  }

  // MARK: What remotes reach

  var snapshot: PlayerSnapshot? { command.snapshot() }

  var position: Double { command.position }

  var now: SessionTime { player.now() }

  func perform(_ wish: PlayerCommand, from source: CommandSource) {
    // Answers to whoever asked go out before the program ends.
    if wish == .quit {
      return DispatchQueue.main.async { [weak command] in
        MainActor.assumeIsolated { command?.perform(.quit, from: source) }
      }
    }
    command.perform(wish, from: source)
  }

  func open(
    _ path: [UInt8], at row: Int?, playsIt: Bool,
    _ answer: @escaping @MainActor (_ fault: String?) -> Void
  ) {
    command.insert(path, at: row, playsIt: playsIt, from: .mpris, answer)
  }

  func whenSilent(_ then: @escaping @MainActor () -> Void) {
    // What the session lets sound goes on: there is no silence to wait for.
    guard let engine = command.engine, !player.situation.isAudible else { return then() }
    engine.hold(then: then)
  }

  func isWirePlumber(_ sender: String, _ answer: @escaping @MainActor (Bool) -> Void) {
    self.sender.isWirePlumber(sender, answer)
  }
}
