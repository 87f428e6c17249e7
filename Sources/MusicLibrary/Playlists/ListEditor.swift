/// One M3U that is edited: the list, and what can be undone. Pure; `ListStore` brings it from the disk
/// and back. An edit that changes nothing is none.
public struct ListEditor: Equatable, Sendable {
  /// From the root on.
  public let path: [UInt8]
  /// The list as it is now, all edits made: its lines, with the paths as they are written.
  public private(set) var list: M3UList
  /// As it is written.
  public private(set) var bytes: [UInt8]
  public internal(set) var history: ListHistory
  /// What stands on the disk, as far as is known; `nil` where there is no such file.
  var stored: ContentMark?

  public init(path: [UInt8], bytes: [UInt8]?, history: ListHistory = ListHistory()) {
    self.path = path
    list = bytes.map { M3UList($0, atMost: PlaylistLimits.entries) } ?? M3UList()
    self.bytes = bytes ?? list.bytes
    stored = bytes.map { ContentMark($0) }
    self.history = history
    self.history.settle(for: self.bytes)
  }

  /// There is no such file yet.
  public var isNew: Bool { stored == nil }

  /// The same list was written as `other` in the meantime.
  public mutating func follow(_ other: ListEditor) { stored = other.stored }

  /// Where its relative paths begin.
  public var folder: [UInt8] { Paths.folder(path) }

  /// Entries, whether their files are there or not: rows are 0 up to this.
  public var count: Int { list.blocks.count }

  /// The file that an entry means, which need not be there, or its address.
  public func place(_ entry: PlaylistEntry) -> [UInt8] {
    FileURL.scheme(entry.path) == nil ? FileNames.place(of: entry, in: folder).path : entry.path
  }

  // MARK: Edits

  /// Puts entries (their paths from the root on) before that row; the number of rows is the end.
  @discardableResult
  public mutating func insert(
    _ entries: [PlaylistEntry], at row: Int, _ kind: ListEdit.Kind = .added
  ) -> ListEdit? {
    guard !entries.isEmpty else { return nil }
    let folder = folder
    return edit(kind, entries.count) { list in
      list.haveHeader()
      let row = min(max(row, 0), list.blocks.count)
      list.blocks.insert(
        contentsOf: entries.map { PlaylistText.block($0, in: folder) }, at: row)
    }
  }

  /// Takes rows out, in whatever order they are named, with the lines that stand before each; rows that
  /// do not exist are passed over.
  ///
  /// - Returns: the edit that can be undone; `nil` where nothing was taken out.
  @discardableResult
  public mutating func remove(_ rows: [Int], _ kind: ListEdit.Kind = .removed) -> ListEdit? {
    let gone = Set(rows.filter { list.blocks.indices.contains($0) })
    return edit(kind, gone.count) { list in
      list.blocks = list.blocks.indices.filter { !gone.contains($0) }.map { list.blocks[$0] }
    }
  }

  /// Moves rows, in their order, before what stands at `row` now; the number of rows is the end.
  @discardableResult public mutating func move(_ rows: [Int], to row: Int) -> ListEdit? {
    let moved = Set(rows.filter { list.blocks.indices.contains($0) })
    let row = min(max(row, 0), count)
    return edit(.moved, moved.count) { list in
      let blocks = list.blocks
      func without(_ range: Range<Int>) -> [M3UList.Block] {
        range.filter { !moved.contains($0) }.map { blocks[$0] }
      }
      list.blocks =
        without(0..<row) + moved.sorted().map { blocks[$0] } + without(row..<blocks.count)
    }
  }

  /// In place of all that was there.
  @discardableResult public mutating func replace(with entries: [PlaylistEntry]) -> ListEdit? {
    let folder = folder
    return edit(.replaced, entries.count) { list in
      list.haveHeader()
      list.blocks = entries.map { PlaylistText.block($0, in: folder) }
    }
  }

  /// Files that were found at other places: the lines about them stay.
  @discardableResult public mutating func repair(_ places: [Int: [UInt8]]) -> ListEdit? {
    let folder = folder
    return edit(.found, places.count) { list in
      for (row, place) in places where list.blocks.indices.contains(row) {
        list.blocks[row].path = PlaylistText.line(place, in: folder, isTrimmed: false)
      }
    }
  }

  private mutating func edit(
    _ kind: ListEdit.Kind, _ concerned: Int, _ change: (inout M3UList) -> Void
  ) -> ListEdit? {
    var changed = list
    change(&changed)
    guard changed != list else { return nil }
    let edit = ListEdit(kind: kind, count: concerned)
    let after = changed.bytes
    history.record(edit, bytes, after)
    list = changed
    bytes = after
    return edit
  }

  /// Another list in its place, lines and all.
  @discardableResult public mutating func take(_ other: M3UList) -> ListEdit? {
    edit(.replaced, other.blocks.count) { $0 = other }
  }

  // MARK: Undo and redo

  /// Takes the latest edit back, and says which it was.
  @discardableResult public mutating func undo() -> ListEdit? {
    history.undo(bytes).map { take($0) }
  }

  /// Makes the edit again that was undone last, and says which it was.
  @discardableResult public mutating func redo() -> ListEdit? {
    history.redo(bytes).map { take($0) }
  }

  private mutating func take(_ found: (bytes: [UInt8], edit: ListEdit)) -> ListEdit {
    bytes = found.bytes
    list = M3UList(bytes, atMost: PlaylistLimits.entries)
    return found.edit
  }
}
