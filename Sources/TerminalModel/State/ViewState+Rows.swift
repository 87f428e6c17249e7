import PlayQueue
import PlayerState

/// Rows as they are shown: all of a list, or those that a filter leaves.
extension ViewState {
  var position: ListPosition { positions[view] ?? ListPosition() }

  private var activeFilter: Filter? { filter?.view == view ? filter : nil }

  func shownCount(_ source: RowSource) -> Int {
    activeFilter.map(\.rows.count) ?? source.count(view)
  }

  /// The row of the whole list that stands at a row that is shown.
  func row(_ shown: Int) -> Int {
    guard let rows = activeFilter?.rows else { return shown }
    return rows.indices.contains(shown) ? rows[shown] : 0
  }

  /// Brings everything in line with what there is: rows may have come, gone and moved since.
  mutating func settle(
    _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ size: ScreenSize, _ style: ScreenStyle
  ) {
    let source = RowSource(snapshot, content, style, view)
    // Another list altogether may count its changes from the beginning.
    if var filter, filter.view == view,
      filter.revision != source.revision(view)
        || (filter.rows.last ?? -1) >= source.count(view)
    {
      filter.rows = source.matches(filter.text, in: view)
      filter.revision = source.revision(view)
      self.filter = filter
    }
    if !marks.isEmpty, marksRevision != snapshot.queue.revision {
      marks.formIntersection(snapshot.queue.ids)
      marksRevision = snapshot.queue.revision
    }
    if !listMarks.isEmpty, content.playlists.revision > listMarksRevision {
      listMarks = []
    }
    if view == .queue { findAnchor(snapshot.queue, source) }
    findLeftRow(source)
    // Until the rows of another place are there, the selection waits.
    if view == .library, !content.library.wish.isSameList(libraryList()) { return }
    clamp(source, height: height(snapshot, size))
  }

  /// The rows of the list that are seen.
  func height(_ snapshot: PlayerSnapshot, _ size: ScreenSize) -> Int {
    let layout = Layout(size, view: view, causes: Renderer.stripCauses(snapshot))
    return layout.isTiny ? layout.main.rows : layout.listArea(view).rows
  }

  /// Back from a folder or a playlist one stands at its row. Until the rows around it are there it waits.
  private mutating func findLeftRow(_ source: RowSource) {
    guard let left = leftRows[view], let listing = source.listing(view), listing.path != left,
      !(view == .lists && listing.isPlaylist)
    else { return }
    leftRows[view] = nil
    guard let row = listing.rows.firstIndex(where: { $0.path == left }) else { return }
    positions[view, default: ListPosition()].selected = row
  }

  /// The selected entry is found again where edits have put it.
  private mutating func findAnchor(_ queue: PlayQueue, _ source: RowSource) {
    if isFollowing {
      // Before anything was current there is nothing to follow.
      guard let current = queue.current, filter == nil else { return }
      anchor = queue.ids[current]
      positions[.queue, default: ListPosition()].selected = current
      return
    }
    guard let anchor else { return }
    let selected = row(position.selected)
    if queue.ids.indices.contains(selected), queue.ids[selected] == anchor { return }
    guard let index = queue.index(of: anchor) else {
      self.anchor = nil
      return
    }
    if let rows = activeFilter?.rows {
      if let shown = rows.firstIndex(of: index) {
        positions[.queue, default: ListPosition()].selected = shown
      }
    } else {
      positions[.queue, default: ListPosition()].selected = index
    }
  }

  /// The selection is a row that is there, and is seen, with some rows around it.
  private mutating func clamp(_ source: RowSource, height: Int) {
    let count = shownCount(source)
    var position = position
    position.selected = min(max(position.selected, 0), max(count - 1, 0))
    let margin = height >= 9 ? 2 : 0
    let lowest = max(0, position.selected - height + 1 + margin)
    let highest = max(0, position.selected - margin)
    position.top = min(max(position.top, lowest), highest)
    position.top = min(position.top, max(count - height, 0))
    if height > 0, position.selected >= position.top + height {
      position.top = position.selected - height + 1
    }
    if positions[view] != position { positions[view] = position }
  }
}
