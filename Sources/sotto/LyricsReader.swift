import AudioTypes
import Dispatch
import MusicLibrary
import PlayerState

/// The words of the heard track: of the file beside it, or of its tags. On the control thread; the
/// disk is read on a queue of its own.
@MainActor final class LyricsReader {
  private(set) var lines: [PlayerSnapshot.LyricLine] = []
  private let onChange: @MainActor () -> Void
  private let queue = DispatchQueue(label: "sotto.lyrics")
  private var location: TrackLocation?

  init(onChange: @escaping @MainActor () -> Void) { self.onChange = onChange }

  /// Which track it is about; nothing happens while that is the same.
  func follow(_ location: TrackLocation?, _ info: TrackInfo?) {
    // Before the file was opened nobody knows its tags.
    let location = info == nil ? nil : location
    guard location != self.location else { return }
    self.location = location
    lines = []
    guard let location, let info else { return }
    let tagged = Self.tags.compactMap { info.tag($0) }
    queue.async { [weak self] in
      let lines = Self.read(location, tagged)
      guard !lines.isEmpty else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, self.location == location else { return }
          self.lines = lines
          self.onChange()
        }
      }
    }
  }

  /// Words with times before those without.
  private static let tags = ["syncedlyrics", "lyrics", "unsyncedlyrics"]

  nonisolated static func read(
    _ location: TrackLocation, _ tagged: [String]
  ) -> [PlayerSnapshot.LyricLine] {
    var lines: [Lyrics.Line] = []
    if !location.isURL, let bytes = SideFiles.lyrics(beside: location.path) {
      lines = Lyrics.parse(bytes)
    }
    if lines.isEmpty {
      let all = tagged.map { Lyrics.parse($0) }.filter { !$0.isEmpty }
      lines = all.first { $0.first?.start != nil } ?? all.first ?? []
    }
    // Times are those of the file, of which the track may be a part.
    return lines.compactMap { line in
      let start = line.start.map { $0 - location.start }
      if let start, start < 0 { return nil }
      if let start, let end = location.end, start >= end - location.start { return nil }
      return PlayerSnapshot.LyricLine(start: start, text: Text.printable(line.text))
    }
  }
}
