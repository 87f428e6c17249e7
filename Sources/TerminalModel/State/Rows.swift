import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

/// The rows of each view: how many there are, and which of them a filter shows.
struct RowSource {
  let snapshot: PlayerSnapshot
  let content: ScreenContent
  /// Made once, and only where it is looked at.
  let help: [HelpText.Row]

  init(
    _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ style: ScreenStyle, _ view: ScreenView
  ) {
    self.snapshot = snapshot
    self.content = content
    help = view == .help ? HelpText.rows(style.keys) : []
  }

  func count(_ view: ScreenView) -> Int {
    switch view {
    case .playing, .queue: snapshot.queue.entries.count
    case .files: content.files.rows.count
    case .lists: content.playlists.rows.count
    case .devices: snapshot.devices.count
    case .why: snapshot.decisions.count
    case .help: help.count
    case .library: content.library.total
    }
  }

  /// Another number for other rows.
  func revision(_ view: ScreenView) -> Int {
    switch view {
    case .playing, .queue: snapshot.queue.revision
    case .files: content.files.revision &+ content.files.rows.count
    case .lists: content.playlists.revision &+ content.playlists.rows.count
    case .devices: snapshot.devices.count
    case .why: snapshot.decisions.count
    case .help, .library: 0
    }
  }

  func listing(_ view: ScreenView) -> Listing? {
    view == .files ? content.files : view == .lists ? content.playlists : nil
  }

  /// Newest first.
  func decision(_ row: Int) -> Decision? {
    let index = snapshot.decisions.count - 1 - row
    return snapshot.decisions.indices.contains(index) ? snapshot.decisions[index] : nil
  }

  /// The rows that hold all of the words.
  func matches(_ text: String, in view: ScreenView, among some: [Int]? = nil) -> [Int] {
    let words = Needle.words(of: text)
    let rows = some ?? Array(0..<count(view))
    if words.isEmpty { return rows }
    if view == .queue || view == .playing {
      let entries = snapshot.queue.entries
      return rows.filter { row in
        for word in words {
          if let title = entries[row].title, word.isIn(title.utf8.span) { continue }
          if let artist = entries[row].artist, word.isIn(artist.utf8.span) { continue }
          let path = entries[row].location.path
          if word.isIn(path.span) { continue }
          return false
        }
        return true
      }
    }
    return rows.filter { row in words.allSatisfy { holds($0, row, view) } }
  }

  private func holds(_ word: Needle, _ row: Int, _ view: ScreenView) -> Bool {
    switch view {
    // The collection has a search of its own.
    case .playing, .queue, .library: return false
    case .files, .lists:
      let rows = view == .files ? content.files.rows : content.playlists.rows
      return word.isIn(rows[row].name.utf8.span)
    case .devices: return word.isIn(snapshot.devices[row].name.utf8.span)
    case .why: return decision(row).map { word.isIn($0.sentence.utf8.span) } ?? false
    case .help: return word.isIn(help[row].text.utf8.span)
    }
  }
}

/// A word to be found, in any case. Bytes are compared: fifty thousand rows are searched between
/// two keys.
struct Needle {
  private let lower: [UInt8]
  private let upper: [UInt8]

  static func words(of text: String) -> [Needle] {
    text.split(whereSeparator: \.isWhitespace).map { Needle(String($0)) }
  }

  init(_ word: String) {
    let small = Array(word.lowercased().utf8)
    let large = Array(word.uppercased().utf8)
    lower = small
    // Letters whose other case has other bytes are found in the case as typed only.
    upper = large.count == small.count ? large : small
  }

  func isIn(_ buffer: Span<UInt8>) -> Bool {
    guard buffer.count >= lower.count, let first = lower.first, let firstUpper = upper.first else {
      return lower.isEmpty
    }
    var start = 0
    let last = buffer.count - lower.count
    while start <= last {
      if buffer[start] == first || buffer[start] == firstUpper {
        var place = 1
        while place < lower.count,
          buffer[start + place] == lower[place] || buffer[start + place] == upper[place]
        {
          place += 1
        }
        if place == lower.count { return true }
      }
      start += 1
    }
    return false
  }
}
