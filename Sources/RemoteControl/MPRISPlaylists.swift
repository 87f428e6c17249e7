import Bus
import PlayQueue
import PlayerState

/// org.mpris.MediaPlayer2.Playlists: the user's playlists, to be played in the queue's place.
extension MPRISServer {
  nonisolated static let playlists = "org.mpris.MediaPlayer2.Playlists"

  func playlistsInterface() -> BusInterface {
    BusInterface(
      Self.playlists,
      methods: [
        ordered("ActivatePlaylist", [BusArgument("PlaylistId", "o")]) { $0.activate($1) },
        BusMethod(
          "GetPlaylists",
          [
            BusArgument("Index", "u"), BusArgument("MaxCount", "u"), BusArgument("Order", "s"),
            BusArgument("ReverseOrder", "b"),
          ], gives: [BusArgument("Playlists", "a(oss)")]
        ) { [weak self] call in self?.list(call) },
      ],
      properties: [
        BusProperty("PlaylistCount", "u") { [weak self] in
          .uint32(UInt32(clamping: self?.player.playlists.count ?? 0))
        },
        BusProperty("Orderings", "as") { .strings(["Alphabetical"]) },
        BusProperty("ActivePlaylist", "(b(oss))") { [weak self] in
          let active = self?.lists.active
          return .structure([
            .boolean(active != nil),
            active.map(Self.structure) ?? .structure([.path("/"), .string(""), .string("")]),
          ])
        },
      ],
      signals: [("PlaylistChanged", [BusArgument("Playlist", "(oss)")])])
  }

  private static func structure(_ playlist: RemotePlaylist) -> BusValue {
    .structure([
      .path(MPRISAddress.playlist(playlist.path)), .string(playlist.name), .string(""),
    ])
  }

  private func activate(_ call: BusCall) {
    guard
      let playlist = player.playlists.first(where: {
        MPRISAddress.playlist($0.path) == call.arguments[0].text
      })
    else { return call.answer(.failure(.invalidArguments("there is no such playlist"))) }
    if let snapshot { lists.activate(playlist, in: snapshot.queue) }
    player.perform(.add([playlist.path], .replace), from: .mpris)
    call.answer(.success([]))
  }

  private func list(_ call: BusCall) {
    guard call.arguments[2].text == "Alphabetical" else {
      return call.answer(.failure(.invalidArguments("the only order is Alphabetical")))
    }
    var sorted = player.playlists.sorted { $0.name < $1.name }
    if call.arguments[3].bool == true { sorted.reverse() }
    let first = Int(call.arguments[0].integer ?? 0)
    let most = Int(call.arguments[1].integer ?? 0)
    let part = sorted.dropFirst(first).prefix(most).map(Self.structure)
    call.answer(.success([.array(of: "(oss)", part)]))
  }
}

/// Which playlist is in the queue: the one that was activated, for as long as the queue is it.
@MainActor final class MPRISLists {
  private(set) var active: RemotePlaylist?
  private var wanted: (playlist: RemotePlaylist, before: [EntryID])?
  private var ids: [EntryID] = []

  func activate(_ playlist: RemotePlaylist, in queue: PlayQueue) {
    wanted = (playlist, queue.ids)
  }

  func follow(_ queue: PlayQueue) {
    if let wanted, queue.ids != wanted.before {
      active = wanted.playlist
      ids = queue.ids
      self.wanted = nil
    } else if active != nil, queue.ids != ids {
      active = nil
    }
  }
}
