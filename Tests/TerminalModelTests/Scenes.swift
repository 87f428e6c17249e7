import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

@testable import TerminalModel

/// The states that frames are kept of.
enum Scene: String, CaseIterable {
  case empty, stopped, playing, ducked, interrupted
  case pausedByUser = "paused-by-user"
  case pausedNoisy = "paused-noisy"
  case pausedPrimary = "paused-primary"
  case pausedDenied = "paused-denied"
  case pausedSleep = "paused-sleep"
  case error
  case queue, marks, files, playlists, devices, why, help
  case ringing, talking, menu, command, filter
  case noVolume = "no-volume"
  case everything
  case library
  case libraryTracks = "library-tracks"
  case librarySearch = "library-search"
  case libraryEmpty = "library-empty"

  static let sizes = [
    (200, 60), (160, 48), (120, 35), (80, 24), (60, 20), (40, 12), (30, 8), (20, 4),
  ]
  .map { ScreenSize(columns: $0.0, rows: $0.1) }

  var stage: Stage {
    var stage = Stage(tracks: self == .empty ? 0 : Stage.tracks.count)
    if self == .empty || self == .stopped { return stage }
    stage.happen(after: 2, .choose(track: 2), .play(.key))
    stage.happen(after: 83)
    let later = 133.0
    switch self {
    case .ducked:
      stage.happen(.begin(id: "maps", kind: .duck, source: "Maps"))
      stage.snapshot.duckedGain = -9.5
    case .interrupted, .ringing, .talking:
      stage.happen(.begin(id: "call", kind: .call, source: "Firefox"))
      if self == .interrupted { stage.happen(after: later) }
      if self != .interrupted {
        stage.snapshot.call = .init(name: "Clara", phase: .ringing, since: stage.snapshot.at)
      }
      if self == .talking {
        stage.happen(after: 61)
        stage.snapshot.call?.phase = .talking
        stage.snapshot.call?.isAnotherWaiting = true
      }
    case .pausedByUser: stage.happen(.pause(.key))
    case .pausedNoisy:
      stage.happen(.route(RouteChange(to: Stage.headphones, reason: .newDeviceAvailable)))
      stage.happen(
        .route(
          RouteChange(from: "headphones", to: Stage.speakers, reason: .oldDeviceUnavailable)))
    case .pausedPrimary: stage.happen(.begin(id: "mpv", kind: .primary, source: "mpv"))
    case .pausedDenied:
      stage.happen(.begin(id: "call", kind: .call, source: "Firefox"))
      stage.happen(after: later, .end(id: "call", shouldResume: false))
    case .pausedSleep: stage.happen(.sleep(true), .sleep(false))
    case .error:
      for _ in Stage.tracks { stage.happen(after: 0, .trackFailed) }
      stage.snapshot.notice = .init(
        "/m/Aria.flac: the file ends within a frame", isFault: true, at: stage.snapshot.at)
    case .queue: stage.press("2")
    case .marks:
      stage.press("2", "g", "t", "j", "t", "t")
      stage.snapshot.queue.remove([11])
    case .files:
      stage.content.files = Listing(
        path: Array("/srv/Music".utf8),
        rows: ["Arvo Pärt", "Brian Eno", "Erik Satie", "坂本龍一"].map {
          .init(.folder, path: Array("/srv/Music/\($0)".utf8), name: $0, detail: "12 tracks")
        } + [
          .init(.playlist, path: Array("/srv/Music/calm.m3u".utf8), name: "calm.m3u"),
          .init(
            .file, path: Array("/srv/Music/one.flac".utf8), name: "one.flac", detail: "3:05"),
        ])
      stage.press("3", "j", "t")
    case .playlists: stage.press("4")
    case .devices: stage.press("o", "j")
    case .why:
      stage.happen(.begin(id: "call", kind: .call, source: "Firefox"))
      stage.happen(after: later, .end(id: "call", shouldResume: true))
      stage.happen(after: 20, .pause(.key))
      stage.happen(after: 4, .play(.key))
      stage.press("y", "j", "j", "j")
    case .help: stage.press("?")
    case .menu: stage.press("!")
    case .command:
      stage.press(":")
      stage.type("re")
      stage.press("tab", "tab")
    case .filter:
      stage.press("2", "/")
      stage.type("arvo")
    case .noVolume:
      stage.snapshot.deviceVolume = nil
      stage.snapshot.deviceName = "HDMI Receiver"
    case .everything: everything(&stage)
    case .library, .libraryTracks, .librarySearch, .libraryEmpty: library(&stage)
    default: break
    }
    return stage
  }

  /// The collection: artists, an album with a mark, a search that is typed, and none.
  private func library(_ stage: inout Stage) {
    stage.press("8")
    func bring(_ rows: [LibraryRow], total: Int, problem: String? = nil) {
      guard let wish = stage.view.libraryWish(stage.size) else { return }
      stage.content.library = LibraryPage(
        wish, rows: rows, total: total, collection: 5120, isEmpty: self == .libraryEmpty,
        problem: problem)
      stage.view.settle(stage.snapshot, stage.content, stage.size, stage.style)
    }
    func group(_ name: String, _ tracks: Int, _ artist: String = "", _ year: Int? = nil)
      -> LibraryRow
    {
      LibraryRow(
        .group, name: name, artist: artist, year: year, tracks: tracks, key: Array(name.utf8),
        argument: Array("library:x/\(name)".utf8))
    }
    if self == .libraryEmpty { return bring([], total: 0) }
    bring(
      LibrarySpot.View.allCases.map { LibraryRow(.view($0), name: $0.name) },
      total: LibrarySpot.View.allCases.count)
    let tracks = Stage.tracks.enumerated().map { number, track in
      LibraryRow(
        .track, name: track.0, artist: track.1, album: "An album \(number)", year: 1990 + number,
        duration: track.2, argument: Array("/m/\(number).flac".utf8))
    }
    if self == .librarySearch {
      stage.press("/")
      stage.type("art yaer:")
      return bring(Array(tracks.prefix(3)), total: 3, problem: "column 5: 'yaer' is no field")
    }
    stage.press("enter")
    bring(
      [
        group("Arvo Pärt", 24), group("Björk", 131), group("坂本龍一", 57),
        group("Various artists", 340), group("", 12),
      ], total: 5)
    guard self == .libraryTracks else { return }
    stage.press("enter")
    bring(
      [group("Tabula Rasa", 4, "Arvo Pärt", 1984), group("Alina", 5, "Arvo Pärt", 1999)], total: 2)
    stage.press("j", "enter")
    bring(tracks, total: tracks.count)
    stage.press("f", "w")
    bring(tracks, total: tracks.count)
    stage.press("j", "t")
  }

  /// All that can be shown at once.
  private func everything(_ stage: inout Stage) {
    stage.snapshot.queue.shuffle(seed: 7)
    stage.snapshot.queue.repeatMode = .all
    stage.snapshot.queue.isSingle = true
    stage.snapshot.queue.remove([0])
    stage.happen(.begin(id: "maps", kind: .duck, source: "Maps"))
    stage.happen(.silent(true))
    stage.snapshot.duckedGain = -14
    stage.snapshot.index = stage.snapshot.queue.current
    stage.snapshot.info?.chapters = [
      .init(start: 0, title: "Lent et douloureux"), .init(start: 60, title: "Lent et triste"),
      .init(start: 130, title: nil),
    ]
    stage.snapshot.gainMode = .album
    stage.snapshot.replayGain = -3.2
    stage.snapshot.level = 80
    stage.snapshot.isUntouched = false
    stage.snapshot.outputRate = 48_000
    stage.snapshot.lyrics = (0..<12).map {
      .init(start: Double($0) * 14, text: "Line \($0 + 1) of what is sung")
    }
    stage.content.levels = [-8, -11]
    stage.content.spectrum = (0..<24).map { Float(($0 * 7 + 3) % 11) / 11 * (1 - Float($0) / 40) }
    let cover = Layout(stage.size, view: .playing, causes: 1).coverArea
    let columns = max(cover.columns, 2)
    let rows = max(cover.rows, 1)
    stage.content.cover = Cover(
      picture: 1, rows: rows, columns: columns,
      cells: (0..<rows * columns).map { place in
        Cell(["░", "▒", "▓", "█"][(place / columns + place % columns) / 5 % 4])
      })
  }

  /// All eight frames as one text.
  var text: String {
    Self.sizes.map { size in
      var stage = stage
      stage.size = size
      if self == .everything { everything(&stage) }
      // What is open was opened on another size: the same keys may have led elsewhere.
      stage.view.settle(stage.snapshot, stage.content, size, stage.style)
      return "== \(size.columns)x\(size.rows)\n\(stage.frame().text)\n"
    }.joined()
  }
}
