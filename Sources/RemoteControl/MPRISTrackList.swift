import Bus
import PlayQueue
import PlayerState

/// org.mpris.MediaPlayer2.TrackList: the queue.
extension MPRISServer {
  nonisolated static let trackList = "org.mpris.MediaPlayer2.TrackList"

  func trackListInterface() -> BusInterface {
    BusInterface(
      Self.trackList,
      methods: [
        BusMethod(
          "GetTracksMetadata", [BusArgument("TrackIds", "ao")],
          gives: [BusArgument("Metadata", "aa{sv}")]
        ) { [weak self] call in
          let paths = call.arguments[0].elements?.compactMap(\.text) ?? []
          call.answer(.success([.array(of: "a{sv}", self?.metadata(paths) ?? [])]))
        },
        ordered(
          "AddTrack",
          [
            BusArgument("Uri", "s"), BusArgument("AfterTrack", "o"),
            BusArgument("SetAsCurrent", "b"),
          ]
        ) { $0.add($1) },
        BusMethod("RemoveTrack", [BusArgument("TrackId", "o")]) { [weak self] call in
          if let row = self?.row(call.arguments[0].text) {
            self?.player.perform(.remove([row]), from: .mpris)
          }
          call.answer(.success([]))
        },
        ordered("GoTo", [BusArgument("TrackId", "o")]) { server, call in
          server.seeks?.forget()
          if server.isAccepting, let row = server.row(call.arguments[0].text) {
            server.player.perform(.choose(row), from: .mpris)
          }
          call.answer(.success([]))
        },
      ],
      properties: [
        BusProperty("Tracks", "ao", change: .invalidates) { [weak self] in
          .paths(self?.snapshot.map { MPRISList.paths($0.queue) } ?? [])
        },
        BusProperty("CanEditTracks", "b") { .boolean(true) },
      ],
      signals: [
        ("TrackListReplaced", [BusArgument("Tracks", "ao"), BusArgument("CurrentTrack", "o")]),
        ("TrackAdded", [BusArgument("Metadata", "a{sv}"), BusArgument("AfterTrack", "o")]),
        ("TrackRemoved", [BusArgument("TrackId", "o")]),
        (
          "TrackMetadataChanged",
          [BusArgument("TrackId", "o"), BusArgument("Metadata", "a{sv}")]
        ),
      ])
  }

  private func row(_ path: String?) -> Int? {
    path.flatMap(MPRISAddress.track).flatMap { snapshot?.queue.index(of: $0) }
  }

  /// Of those that are in the queue, in the order asked for.
  private func metadata(_ paths: [String]) -> [BusValue] {
    guard let snapshot else { return [] }
    return paths.prefix(MPRISList.most).compactMap { path in
      guard let id = MPRISAddress.track(path), let row = snapshot.queue.index(of: id) else {
        return nil
      }
      if row == snapshot.index { return MPRISMetadata.heard(snapshot, artURL: player.artURL) }
      return MPRISMetadata.track(id, snapshot.queue.entries[row])
    }
  }

  private func add(_ call: BusCall) {
    guard let path = call.arguments[0].text.flatMap(MPRISAddress.path) else {
      return call.answer(.failure(.notSupported("sotto opens file, http and https")))
    }
    // After no track is the beginning; after one that is gone, the end.
    let after = call.arguments[1].text
    let count = snapshot?.queue.entries.count ?? 0
    let place = after == MPRISAddress.noTrack ? 0 : row(after).map { $0 + 1 } ?? count
    player.open(path, at: place, playsIt: call.arguments[2].bool == true) { fault in
      call.answer(fault.map { .failure(.failed($0)) } ?? .success([]))
    }
  }
}

/// The queue as it was told last.
@MainActor final class MPRISList {
  private var ids: [EntryID] = []
  private var entries: [EntryID: QueueEntry] = [:]
  private var revision = -1
  private var start = 0

  /// A longer queue is shown in part: those around the current track.
  nonisolated static let most = 1000

  nonisolated private static func window(_ queue: PlayQueue) -> Range<Int> {
    let count = queue.entries.count
    guard count > most else { return 0..<count }
    // In steps, so that not every track moves it.
    let step = most / 2
    let first = max(0, min(((queue.current ?? 0) / step - 1) * step, count - most))
    return first..<first + most
  }

  nonisolated static func paths(_ queue: PlayQueue) -> [String] {
    queue.ids[window(queue)].map(MPRISAddress.track)
  }

  func begin(_ snapshot: PlayerSnapshot?) {
    if let snapshot { keep(snapshot.queue) }
  }

  private func keep(_ queue: PlayQueue) {
    let window = Self.window(queue)
    revision = queue.revision
    start = window.lowerBound
    ids = Array(queue.ids[window])
    entries = Dictionary(
      zip(ids, queue.entries[window]).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// Tells what has changed since: one track more or less, or else all of them anew. True where
  /// other tracks are shown than before.
  func tell(_ snapshot: PlayerSnapshot, _ emit: (String, [BusValue]) -> Void) -> Bool {
    let queue = snapshot.queue
    guard queue.revision != revision || Self.window(queue).lowerBound != start else {
      return false
    }
    let (before, known) = (ids, entries)
    keep(queue)
    for id in ids where before != ids || known[id] != entries[id] {
      guard let old = known[id], let new = entries[id], old != new else { continue }
      let isHeard = snapshot.index.map { queue.ids[$0] } == id
      let metadata = MPRISMetadata.track(id, new, isHeard ? snapshot.info : nil)
      emit("TrackMetadataChanged", [.path(MPRISAddress.track(id)), metadata])
    }
    if before == ids { return false }
    if let place = Self.onlyExtra(in: ids, over: before), let entry = entries[ids[place]] {
      let after = place > 0 ? MPRISAddress.track(ids[place - 1]) : MPRISAddress.noTrack
      emit("TrackAdded", [MPRISMetadata.track(ids[place], entry), .path(after)])
    } else if let place = Self.onlyExtra(in: before, over: ids) {
      emit("TrackRemoved", [.path(MPRISAddress.track(before[place]))])
    } else {
      let current = snapshot.index.map { MPRISAddress.track(queue.ids[$0]) }
      emit(
        "TrackListReplaced",
        [.paths(ids.map(MPRISAddress.track)), .path(current ?? MPRISAddress.noTrack)])
    }
    return true
  }

  /// Where the longer list has the one element that the other has not; nil where more differs.
  private static func onlyExtra(in longer: [EntryID], over shorter: [EntryID]) -> Int? {
    guard longer.count == shorter.count + 1 else { return nil }
    let place = zip(longer, shorter).prefix { $0 == $1 }.count
    return longer[(place + 1)...].elementsEqual(shorter[place...]) ? place : nil
  }
}
