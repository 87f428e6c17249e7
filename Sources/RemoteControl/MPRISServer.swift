import AudioSession
import Bus
import Dispatch
import Glibc
import PlayQueue
import PlayerState

/// sotto as desktops, headsets and other programs see and command it: MPRIS, whole. Its names are
/// held only while there is something to control (S66 to S68).
///
/// On the control thread.
@MainActor public final class MPRISServer {
  let bus: BusConnection
  unowned let player: any RemotePlayer
  private var object: BusObject?
  /// Remote commands are taken.
  private(set) var isAccepting = false
  /// The name that we have, and the one that is asked for.
  private var held: String?
  private var isAsking = false
  private var isDue = false
  /// What was told last, by interface and property.
  private var published: [String: [String: BusValue]] = [:]
  private var kept: PlayerSnapshot?
  var seeks: MPRISSeeks?
  let order = MPRISOrder()
  let list = MPRISList()
  let lists = MPRISLists()

  public nonisolated static let name = "org.mpris.MediaPlayer2.sotto"
  public nonisolated static let path = "/org/mpris/MediaPlayer2"

  /// - Parameter bus: the session's. No name is asked for before `accept`.
  public init(_ bus: BusConnection, player: any RemotePlayer) {
    self.bus = bus
    self.player = player
    let object = BusObject(
      Self.path, [rootInterface(), playerInterface(), trackListInterface(), playlistsInterface()])
    self.object = object
    seeks = MPRISSeeks(
      heard: { [weak self] in self?.snapshot?.heardID },
      perform: { [weak self] seek in self?.player.perform(.seek(seek), from: .mpris) })
    bus.export(object)
    bus.observe { [weak self] state in
      guard let self else { return }
      if case .ready = state { return ask() }
      (held, isAsking) = (nil, false)
    }
  }

  /// An audio context begins: there is something to control.
  public func accept() {
    guard !isAccepting else { return }
    isAccepting = true
    ask()
  }

  /// It is over: who presses play means another player.
  public func release() {
    guard isAccepting else { return }
    isAccepting = false
    flush()
    if let held { bus.release(held) }
    held = nil
  }

  /// Something may have changed; what has is told once this turn is over, in one signal each.
  public func changed() {
    guard held != nil, !isDue else { return }
    isDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isDue = false
        self?.flush()
      }
    }
  }

  /// The music jumped to another place of the track.
  public func seeked(to seconds: Double) {
    guard held != nil else { return }
    // Who hears of it may ask, and must find the rest changed already.
    flush()
    object?.emit(Self.player, "Seeked", [.int64(Self.microseconds(seconds))])
  }

  // MARK: Names

  private func ask() {
    guard isAccepting, bus.isReady, held == nil, !isAsking else { return }
    isAsking = true
    request([Self.name, "\(Self.name).instance\(getpid())"])
  }

  private func request(_ names: [String]) {
    guard let name = names.first else {
      isAsking = false
      return
    }
    bus.request(name) { [weak self] answer in
      guard let self, isAsking else { return }
      guard answer == .owned else { return request(Array(names.dropFirst())) }
      isAsking = false
      // Given up before it was ours.
      guard isAccepting else { return bus.release(name) }
      held = name
      published = current()
      list.begin(snapshot)
    }
  }

  // MARK: What is told

  /// The player now; one and the same while it is looked what of all that is told has changed.
  /// Who asks over the bus has each property from a new one.
  var snapshot: PlayerSnapshot? { kept ?? player.snapshot }

  nonisolated static func microseconds(_ seconds: Double) -> Int64 {
    seconds.isFinite ? Int64(max(0, min(seconds, 1e9)) * 1e6) : 0
  }

  private func current() -> [String: [String: BusValue]] {
    kept = player.snapshot
    defer { kept = nil }
    var values: [String: [String: BusValue]] = [:]
    for interface in object?.interfaces ?? [] {
      for property in interface.properties where property.change == .value {
        values[interface.name, default: [:]][property.name] = property.get()
      }
    }
    return values
  }

  private func flush() {
    guard held != nil, let object, let snapshot = player.snapshot else { return }
    kept = snapshot
    defer { kept = nil }
    lists.follow(snapshot.queue)
    for interface in object.interfaces {
      var values: [(String, BusValue)] = []
      for property in interface.properties where property.change == .value {
        let value = property.get()
        guard published[interface.name]?[property.name] != value else { continue }
        published[interface.name, default: [:]][property.name] = value
        values.append((property.name, value))
      }
      object.changed(interface.name, values)
    }
    let isOther = list.tell(snapshot) { member, arguments in
      object.emit(Self.trackList, member, arguments)
    }
    // So many tracks are read only by who wants them.
    if isOther { object.changed(Self.trackList, [], invalidated: ["Tracks"]) }
  }
}
