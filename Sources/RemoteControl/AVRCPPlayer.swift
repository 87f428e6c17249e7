import AudioSession
import Bus
import Dispatch
import PlayQueue
import PlayerState

/// sotto as Bluetooth headsets command and show it: a player that is registered with BlueZ on each
/// adapter, so that Play and Pause are two things (S14, S63). Only while there is something to
/// control (S66 to S68); without BlueZ nothing happens.
///
/// Headsets reach the player that was registered first, or one that they chose. Whether that is
/// sotto is nothing that BlueZ tells: commands come, or do not.
///
/// On the control thread.
@MainActor public final class AVRCPPlayer {
  private let bus: BusConnection
  private unowned let player: any RemotePlayer
  private var object: BusObject?
  private var isAccepting = false
  /// BlueZ's unique name: nobody else is listened to.
  private var owner: String?
  private var adapters: [String] = []
  /// What became of the registration on each adapter. An answer that does not come is no answer: the
  /// call waits in BlueZ's queue, and is undone there by a later one.
  private var registrations: [String: Registration] = [:]
  private var isDue = false
  private var told = AVRCPNews()

  private enum Registration { case asked, refused }

  public nonisolated static let path = "/sotto/avrcp"
  private static let media = "org.bluez.Media1"

  /// - Parameter bus: the system's, where BlueZ is.
  public init(_ bus: BusConnection, player: any RemotePlayer) {
    self.bus = bus
    self.player = player
    let object = BusObject(Self.path, [interface])
    object.admits = { [weak self] sender in self?.owner == sender }
    self.object = object
    bus.export(object)
  }

  /// Who BlueZ is, and which adapters there are; with BlueZ all registrations go.
  public func follow(_ owner: String?, adapters: [String]) {
    if owner != self.owner { registrations = [:] }
    self.owner = owner
    self.adapters = adapters
    registrations = registrations.filter { adapters.contains($0.key) }
    register()
  }

  /// An audio context begins: there is something to control.
  public func accept() {
    guard !isAccepting else { return }
    isAccepting = true
    register()
  }

  /// It is over: a press means another player.
  public func release() {
    guard isAccepting else { return }
    isAccepting = false
    guard let owner else { return }
    for (adapter, registration) in registrations where registration == .asked {
      bus.call(owner, adapter, Self.media, "UnregisterPlayer", [.path(Self.path)]) { _ in }
    }
    registrations = [:]
  }

  /// Something may have changed; what has is told once this turn is over, in one signal.
  public func changed() {
    guard isRegistered, !isDue else { return }
    isDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isDue = false
        self?.flush()
      }
    }
  }

  // MARK: Registering

  private var isRegistered: Bool { registrations.values.contains(.asked) }

  private func register() {
    guard isAccepting, let owner, let snapshot = player.snapshot else { return }
    let new = adapters.filter { registrations[$0] == nil }
    guard !new.isEmpty else { return }
    // Those that know sotto already learn the same as the new ones.
    if isRegistered { flush() } else { told = AVRCPNews() }
    let all = AVRCPNews.all(snapshot, at: player.now)
    let news = AVRCPNews().changes(all, at: player.now)
    told.take(news, at: player.now)
    for adapter in new {
      registrations[adapter] = .asked
      bus.call(
        owner, adapter, Self.media, "RegisterPlayer", [.path(Self.path), .properties(news)]
      ) { [weak self] result in
        guard let self, case .failure(let error) = result, error.isRefusal,
          // Of this BlueZ, and not given up since.
          owner == self.owner, registrations[adapter] == .asked
        else { return }
        registrations[adapter] = .refused
      }
    }
  }

  private func flush() {
    guard isRegistered, let owner, let snapshot = player.snapshot else { return }
    let values = told.changes(AVRCPNews.all(snapshot, at: player.now), at: player.now)
    told.take(values, at: player.now)
    // The system's bus has other users, who need not know what is played.
    object?.changed(MPRISServer.player, values, to: owner)
  }

  // MARK: What BlueZ calls

  private var interface: BusInterface {
    BusInterface(
      MPRISServer.player,
      methods: [
        command("Play", .play), command("Pause", .pause), command("PlayPause", .toggle),
        command("Stop", .stop), command("Previous", .previous),
        command("Next", .next, when: { $0.queue.indexAfterSkip != nil }),
        // BlueZ forgets the player, with its adapter; that is told by the adapter itself.
        BusMethod("Release") { $0.answer(.success([])) },
      ], properties: properties)
  }

  /// A command is taken while there is something to control, and answered whatever it did.
  private func command(
    _ name: String, _ command: PlayerCommand,
    when isPossible: @escaping @MainActor (PlayerSnapshot) -> Bool = { _ in true }
  ) -> BusMethod {
    BusMethod(name) { [weak self] call in
      self?.perform(command, when: isPossible)
      call.answer(.success([]))
    }
  }

  private func perform(
    _ command: PlayerCommand, when isPossible: (PlayerSnapshot) -> Bool = { _ in true }
  ) {
    guard isAccepting, let snapshot = player.snapshot, snapshot.entry != nil, isPossible(snapshot)
    else { return }
    player.perform(command, from: .avrcp)
  }

  private var properties: [BusProperty] {
    AVRCPNews.types.map { name, type in
      var property = BusProperty(
        name, type, change: name == AVRCPNews.position ? .silent : .value
      ) { [weak self] in
        let values = self.flatMap { here in
          here.player.snapshot.map { AVRCPNews.all($0, at: here.player.now) }
        }
        return values?.first { $0.0 == name }?.1 ?? AVRCPNews.none(name)
      }
      property.set = setter(name)
      return property
    }
  }

  /// What a headset or a car sets, which BlueZ hands on: Repeat and Shuffle, and nothing else.
  private func setter(_ name: String) -> (@MainActor (BusValue) throws(BusError) -> Void)? {
    switch name {
    case AVRCPNews.loop:
      { [weak self] (value) throws(BusError) in
        let wish = try MPRISServer.loopWish(value)
        self?.perform(.repeating(wish))
      }
    case AVRCPNews.shuffle:
      { [weak self] (value) throws(BusError) in
        let isWanted = value.bool == true
        self?.perform(.shuffle(isWanted ? .on : .off)) { $0.queue.isShuffled != isWanted }
      }
    default: nil
    }
  }
}

extension BusError {
  /// Whether somebody said no. Silence is none, and who has us already has not refused.
  fileprivate var isRefusal: Bool {
    let isSilence = ["NoReply", "Timeout", "TimedOut", "Disconnected"].contains {
      name == "org.freedesktop.DBus.Error." + $0
    }
    return !isSilence && name != "org.bluez.Error.AlreadyExists"
  }
}
