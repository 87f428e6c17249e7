import AudioTypes
import Dispatch
import MusicLibrary

/// What `sotto play` shows: the line on a terminal; elsewhere a line a track, and one for each decision
/// and each word to the user.
extension PlayCommand {
  /// Draws the line, and again at the next full second while something plays.
  func refresh() {
    kept?.changed()
    bus?.changed()
    control?.server.changed()
    if let full, !isEnding, !isStopping { return full.changed() }
    if let voice, !isEnding, !isStopping { return voice.changed() }
    guard let screen, let engine, !isEnding, !isStopping else { return }
    redraw?.cancel()
    redraw = nil
    let snapshot = engine.snapshot()
    var line = StatusLine()
    switch state {
    case .playing: line.state = .playing
    case .held: line.state = .paused
    default: line.state = .starting
    }
    // What is heard, not what was asked for: title and times are of the same track at any moment.
    let heard = snapshot.index ?? index
    let entry = queue.entry(at: heard)
    line.title = title(entry?.title, entry?.artist, at: heard, snapshot.info)
    line.position = heard == index ? seekTarget ?? snapshot.position : snapshot.position
    line.duration = snapshot.duration ?? entry?.duration
    line.level = level
    line.isOwnMuted = isOwnMuted
    line.isStreamMuted = system?.isStreamMuted ?? false
    line.isDeviceSuspended = system?.isDeviceSuspended ?? false
    if let volume = snapshot.deviceVolume {
      line.device = StatusLine.DeviceLevel(percent: volume.percent, isMuted: volume.isMuted)
    } else {
      line.deviceWithoutVolume = snapshot.device.map { Text.printable($0) }
    }
    screen.show(line)
    guard state == .playing else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let rest = 1 - (snapshot.position - snapshot.position.rounded(.down))
    timer.schedule(deadline: .now() + rest + 0.01, leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.seekTarget = nil
        self?.refresh()
      }
    }
    timer.activate()
    redraw = timer
  }

  /// A line of its own: above the line that is drawn, and on standard output where none is.
  func tellLine(_ sentence: String) {
    if let screen { return screen.tell(sentence) }
    Console.print(Text.printable(sentence))
    Console.flush()
  }

  /// One line a track, for pipes and `--plain`.
  func announce(_ info: TrackInfo) {
    let entry = queue.entry(at: index)
    let time = info.duration.map { " (\(StatusLine.clock($0)))" } ?? ""
    let word = player?.situation.intent.isPaused == true ? "Paused: " : "Playing: "
    Console.print(word + title(entry?.title, entry?.artist, at: index, info) + time)
    Console.flush()
  }

  /// A track of the queue with what its playlist says of it.
  func listed(_ key: Int) -> ListedTrack {
    let entry = queue.entry(at: key)
    return ListedTrack(
      entry?.location ?? TrackLocation(""), title: entry?.title, artist: entry?.artist,
      duration: entry?.duration)
  }

  /// Title and artist as people read them: of the sheet for a part of a file, otherwise of the
  /// tags, then of the playlist, then the file's name.
  func title(
    _ listedTitle: String?, _ listedArtist: String?, at index: Int, _ info: TrackInfo? = nil
  ) -> String {
    guard let location = queue.track(at: index) else { return "sotto" }
    let track = ListedTrack(location, title: listedTitle, artist: listedArtist)
    let title: String?
    let artist: String?
    if let info {
      title = InfoText.title(track, info)
      artist = InfoText.artist(track, info)
    } else {
      title = listedTitle
      artist = listedArtist
    }
    let name = location.path.lastIndex(of: 0x2F).map { Array(location.path[($0 + 1)...]) }
    let shown = title ?? Text.printable(location.isURL ? location.path : name ?? location.path)
    return Text.printable(artist.map { "\(shown) - \($0)" } ?? shown)
  }
}
