import AudioTypes
import MusicLibrary
import PlayerState
import TerminalModel

/// A list with what is known of its files, so that nothing waits for a disk while it is edited.
struct OpenList: Sendable {
  private(set) var editor: ListEditor
  private(set) var entries: [PlaylistEntry]
  /// By the path as the list has it.
  private var places: [[UInt8]: (path: [UInt8], isMissing: Bool)] = [:]
  /// As the screen has them.
  private var rows: [Listing.Row] = []

  /// Looks at every file of the list. Blocks.
  init(_ editor: ListEditor) {
    self.editor = editor
    entries = editor.list.entries
    for entry in entries where places[entry.path] == nil {
      let item = PlaylistReader.item(entry, in: editor.folder)
      places[entry.path] = (item.entry.path, item.isMissing)
    }
    rows = entries.map { row($0) }
  }

  /// Where an entry leads; one that was not looked at is taken to be there.
  func place(_ entry: PlaylistEntry) -> (path: [UInt8], isMissing: Bool) {
    if let place = places[entry.path] { return place }
    let isWhole = entry.path.first == 0x2F || PlaylistPath.isAddress(entry.path)
    let path = isWhole ? entry.path : PlaylistPath.absolute(entry.path, in: editor.folder)
    return (path, false)
  }

  func isNamed(_ path: [UInt8]) -> Bool { editor.path == path || name == path }

  /// As it was asked for, before links were followed.
  var name: [UInt8] = []
  /// Which reading of the file it comes from.
  var reading = 0

  /// A long list takes its time. What an edit left alone is not read again.
  mutating func edit(_ change: (inout ListEditor) -> ListEdit?) -> ListEdit? {
    let before = editor.list
    guard let edit = change(&editor) else { return nil }
    let list = editor.list
    guard list.isRead(as: before) else {
      entries = list.entries
      rows = entries.map { row($0) }
      return edit
    }
    let (old, new) = (before.blocks, list.blocks)
    let shortest = min(old.count, new.count)
    var head = 0
    while head < shortest, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < shortest - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
    let changed = (head..<new.count - tail).map { list.entry($0) }
    entries.replaceSubrange(head..<old.count - tail, with: changed)
    rows.replaceSubrange(head..<old.count - tail, with: changed.map { row($0) })
    return edit
  }

  private func row(_ entry: PlaylistEntry) -> Listing.Row {
    let place = place(entry)
    let title = entry.title ?? TrackText.fileName(TrackLocation(path: place.path))
    let words = [entry.artist, title].compactMap(\.self).joined(separator: " - ")
    var row = Listing.Row(
      .file, path: place.path, name: words,
      detail: entry.duration.map { TrackText.clock($0) } ?? "")
    row.isMissing = place.isMissing
    return row
  }

  func listing(_ revision: Int) -> Listing {
    var listing = Listing(path: editor.path, rows: rows, revision: revision)
    listing.isPlaylist = true
    return listing
  }
}
