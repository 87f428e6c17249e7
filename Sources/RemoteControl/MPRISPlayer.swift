import AudioSession
import Bus
import PlayQueue
import PlayerState

/// org.mpris.MediaPlayer2.Player: each command means what it says (S70), and what cannot be done has
/// no effect (S71).
extension MPRISServer {
  nonisolated static let player = "org.mpris.MediaPlayer2.Player"

  func playerInterface() -> BusInterface {
    BusInterface(
      Self.player, methods: transport + seeking + [openURI], properties: playerProperties,
      signals: [("Seeked", [BusArgument("Position", "x")])])
  }

  // MARK: Methods

  /// A method that changes what is heard: it waits for those that came before it.
  func ordered(
    _ name: String, _ takes: [BusArgument] = [],
    body: @escaping @MainActor (MPRISServer, BusCall) -> Void
  ) -> BusMethod {
    BusMethod(name, takes) { [weak self] call in
      self?.order.take { [weak self] in if let self { body(self, call) } }
    }
  }

  /// A command is taken while there is something to control, and answered whatever it did.
  private func command(
    _ name: String, _ command: PlayerCommand,
    when isPossible: @escaping @MainActor (PlayerSnapshot) -> Bool
  ) -> BusMethod {
    ordered(name) { server, call in
      // The player may go on hearing the old track for a moment: jumps in it are over.
      if [.next, .previous, .stop].contains(command) { server.seeks?.forget() }
      if server.isAccepting, let snapshot = server.snapshot, isPossible(snapshot) {
        server.player.perform(command, from: .mpris)
      }
      call.answer(.success([]))
    }
  }

  private var transport: [BusMethod] {
    [
      command("Next", .next, when: canGoNext),
      command("Previous", .previous, when: canPlay),
      ordered("Pause") { $0.pause($1) },
      command("PlayPause", .toggle, when: canPlay),
      command("Stop", .stop, when: canPlay),
      command("Play", .play, when: canPlay),
    ]
  }

  /// From WirePlumber it says that the device is gone; then it waits for the answer before it lets
  /// the stream go to another one, and must get it once nothing is heard (T10). Who it is from the
  /// bus may have to say: what is sent meanwhile comes after it.
  private func pause(_ call: BusCall) {
    order.hold()
    player.isWirePlumber(call.sender) { [weak self] isWirePlumber in
      guard let self else { return call.answer(.success([])) }
      pause(call, isWirePlumber: isWirePlumber)
      order.goOn()
    }
  }

  private func pause(_ call: BusCall, isWirePlumber: Bool) {
    guard isAccepting, let snapshot, canPlay(snapshot) else { return call.answer(.success([])) }
    player.perform(.pause, from: isWirePlumber ? .wireplumber : .mpris)
    guard isWirePlumber else { return call.answer(.success([])) }
    player.whenSilent { call.answer(.success([])) }
  }

  private var seeking: [BusMethod] {
    [
      ordered("Seek", [BusArgument("Offset", "x")]) { server, call in
        if let offset = call.arguments.first?.integer { server.seek(by: Double(offset) / 1e6) }
        call.answer(.success([]))
      },
      ordered("SetPosition", [BusArgument("TrackId", "o"), BusArgument("Position", "x")]) {
        server, call in
        if let track = call.arguments[0].text, let position = call.arguments[1].integer {
          server.setPosition(track, Double(position) / 1e6)
        }
        call.answer(.success([]))
      },
    ]
  }

  private func seek(by offset: Double) {
    guard isAccepting, let snapshot, canSeek(snapshot), snapshot.situation.intent != .stopped,
      let entry = snapshot.heardID
    else { return }
    let position = seeks?.target(from: snapshot.position(at: player.now), in: entry) ?? 0
    if let length = snapshot.length, position + offset >= length {
      // Past the end is the next track; after the last one there is silence.
      seeks?.forget()
      return player.perform(canGoNext(snapshot) ? .next : .stop, from: .mpris)
    }
    seeks?.seek(to: max(0, position + offset), in: entry)
  }

  /// Of another track than the heard one it came too late.
  private func setPosition(_ track: String, _ position: Double) {
    guard isAccepting, let snapshot, canSeek(snapshot), snapshot.situation.intent != .stopped,
      let length = snapshot.length, position >= 0, position <= length,
      let entry = snapshot.heardID, MPRISAddress.track(entry) == track
    else { return }
    seeks?.seek(to: position, in: entry)
  }

  private var openURI: BusMethod {
    ordered("OpenUri", [BusArgument("Uri", "s")]) { server, call in
      guard let path = call.arguments[0].text.flatMap(MPRISAddress.path) else {
        return call.answer(.failure(.notSupported("sotto opens file, http and https")))
      }
      server.player.open(path, at: nil, playsIt: true) { fault in
        call.answer(fault.map { .failure(.failed($0)) } ?? .success([]))
      }
    }
  }

  // MARK: What is possible

  func canPlay(_ snapshot: PlayerSnapshot) -> Bool { isAccepting && snapshot.entry != nil }

  private func canGoNext(_ snapshot: PlayerSnapshot) -> Bool {
    isAccepting && snapshot.queue.indexAfterSkip != nil
  }

  private func canSeek(_ snapshot: PlayerSnapshot) -> Bool {
    canPlay(snapshot) && snapshot.index != nil && snapshot.length != nil
  }

  // MARK: Properties

  private func read(
    _ name: String, _ type: String, change: BusProperty.Change = .value, otherwise: BusValue,
    _ get: @escaping @MainActor (PlayerSnapshot) -> BusValue
  ) -> BusProperty {
    BusProperty(
      name, type, change: change, get: { [weak self] in self?.snapshot.map(get) ?? otherwise })
  }

  private func can(
    _ name: String, _ test: @escaping @MainActor (PlayerSnapshot) -> Bool
  ) -> BusProperty {
    read(name, "b", otherwise: .boolean(false), { .boolean(test($0)) })
  }

  private var playerProperties: [BusProperty] {
    [
      read(
        "PlaybackStatus", "s", otherwise: .string(PlaybackStatus.stopped.rawValue),
        { .string($0.situation.status.rawValue) }),
      loopStatus, rate("Rate", isSettable: true), shuffle,
      read(
        "Metadata", "a{sv}", otherwise: .properties([]),
        { [weak self] in MPRISMetadata.heard($0, artURL: self?.player.artURL) }),
      volume,
      // Panels ask many times a second.
      BusProperty("Position", "x", change: .silent) { [weak self] in
        .int64(Self.microseconds(self?.player.position ?? 0))
      },
      rate("MinimumRate"), rate("MaximumRate"),
      can("CanGoNext") { [weak self] in self?.canGoNext($0) ?? false },
      can("CanGoPrevious") { [weak self] in self?.canPlay($0) ?? false },
      can("CanPlay") { [weak self] in self?.canPlay($0) ?? false },
      can("CanPause") { [weak self] in self?.canPlay($0) ?? false },
      can("CanSeek") { [weak self] in self?.canSeek($0) ?? false },
      BusProperty("CanControl", "b", change: .silent) { .boolean(true) },
    ]
  }

  private nonisolated static let loopWords: [RepeatMode: String] = [
    .off: "None", .one: "Track", .all: "Playlist",
  ]

  /// LoopStatus, which has no word for playing one track and then none.
  nonisolated static func loopStatus(_ snapshot: PlayerSnapshot) -> BusValue {
    .string(loopWords[snapshot.queue.repeatMode] ?? "None")
  }

  /// What somebody wants who sets LoopStatus.
  nonisolated static func loopWish(_ value: BusValue) throws(BusError) -> PlayerCommand.RepeatWish {
    switch value.text {
    case "None": .off
    case "Track": .one
    case "Playlist": .all
    default: throw .invalidArguments("LoopStatus is None, Track or Playlist")
    }
  }

  private var loopStatus: BusProperty {
    var property = read("LoopStatus", "s", otherwise: .string("None"), Self.loopStatus)
    property.set = { [weak self] (value) throws(BusError) in
      let wish = try Self.loopWish(value)
      self?.change(.repeating(wish))
    }
    return property
  }

  private var shuffle: BusProperty {
    var property = read("Shuffle", "b", otherwise: .boolean(false)) { snapshot in
      .boolean(snapshot.queue.isShuffled)
    }
    property.set = { [weak self] (value) throws(BusError) in
      let isWanted = value.bool == true
      if self?.snapshot?.queue.isShuffled != isWanted {
        self?.change(.shuffle(isWanted ? .on : .off))
      }
    }
    return property
  }

  /// sotto's own level, which is what MPRIS means; never the device's (S18).
  private var volume: BusProperty {
    var property = read("Volume", "d", otherwise: .double(1)) { snapshot in
      .double(snapshot.isOwnMuted ? 0 : Double(snapshot.level) / 100)
    }
    property.set = { [weak self] (value) throws(BusError) in
      guard case .double(let number) = value, number.isFinite else {
        throw .invalidArguments("a volume is a number from 0 to 1")
      }
      self?.change(.level(.to(Int((min(max(number, 0), 1) * 100).rounded()))))
    }
    return property
  }

  /// There is one speed. Zero means pause, as MPRIS says; anything else has no effect.
  private func rate(_ name: String, isSettable: Bool = false) -> BusProperty {
    var property = BusProperty(name, "d", get: { .double(1) })
    if isSettable {
      property.set = { [weak self] (value) throws(BusError) in
        if value == .double(0) { self?.change(.pause) }
      }
    }
    return property
  }

  private func change(_ command: PlayerCommand) {
    if isAccepting { player.perform(command, from: .mpris) }
  }
}

extension PlayerSnapshot {
  /// The name of the heard entry; `nil` where nothing is heard, or it has left the queue.
  var heardID: EntryID? {
    index.flatMap { queue.ids.indices.contains($0) ? queue.ids[$0] : nil }
  }
}
