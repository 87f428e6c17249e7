import AudioTypes
import PlayQueue
import PlayerState

extension Reducer {
  mutating func run(_ command: ViewCommand, _ count: Int?) {
    let times = min(max(count ?? 1, 1), 999_999)
    let height = max(view.height(snapshot, size), 1)
    switch command {
    case .view(let other): go(to: other)
    case .nextView: go(to: neighbour(1))
    case .previousView: go(to: neighbour(-1))
    case .up: move(by: -times)
    case .down: move(by: times)
    case .pageUp: move(by: -times * height)
    case .pageDown: move(by: times * height)
    case .halfUp: move(by: -times * max(height / 2, 1))
    case .halfDown: move(by: times * max(height / 2, 1))
    case .top: select((count ?? 1) - 1)
    case .bottom: select(count.map { $0 - 1 } ?? view.shownCount(source) - 1)
    case .row(let row): select(row)
    case .follow: follow()
    case .enter: enter()
    case .back: back()
    case .mark: mark(times)
    case .markAll: markAll()
    case .unmark: unmark()
    case .filter: openFilter()
    case .search(let text): openSearch(text)
    case .sort(let column): sortLibrary(by: column)
    case .sortReverse: reverseLibrary()
    case .command(let text): openPrompt(text)
    case .close: close()
    case .menu: view.isMenuOpen = true
    case .removeRows: edit(times) { .remove($0) }
    case .cutRows: edit(times) { .cut($0) }
    case .copyRows: edit(times) { .copy($0) }
    case .pasteAfter: paste(after: true)
    case .pasteBefore: paste(after: false)
    case .queueEnd: put(.end, times)
    case .queueNext: put(.next, times)
    case .rowsUp: moveRows(-times)
    case .rowsDown: moveRows(times)
    case .previewRow: preview()
    case .ignoreRow: ignore()
    }
  }

  // MARK: Views

  private func neighbour(_ step: Int) -> ScreenView {
    let views = ScreenView.allCases
    return views[(view.view.rawValue - 1 + step + views.count) % views.count]
  }

  mutating func go(to other: ScreenView) {
    guard other != view.view else { return }
    if view.filter != nil { closeFilter() }
    if !view.view.isAside { view.viewBefore = view.view }
    view.view = other
    switch other {
    case .devices:
      if let current = snapshot.devices.firstIndex(where: \.isCurrent) {
        view.positions[.devices] = ViewState.ListPosition(selected: current)
      }
    case .why, .help: view.positions[other] = ViewState.ListPosition()
    case .files where content.files.path.isEmpty && content.files.rows.isEmpty:
      commands.append(.browse([]))
    case .lists where content.playlists.rows.isEmpty:
      commands.append(.browse(Array("playlists:".utf8)))
    default: break
    }
  }

  private mutating func close() {
    if view.count != nil {
      view.count = nil
      return
    }
    if view.filter != nil { return closeFilter() }
    if view.view == .library, closeLibrary() { return }
    if !view.marks.isEmpty, view.view == .queue {
      view.marks = []
      return
    }
    if !view.listMarks.isEmpty, openList != nil {
      view.listMarks = []
      return
    }
    if openList != nil { return back() }
    if !view.fileMarks.isEmpty, view.view == .files || view.view == .lists {
      view.fileMarks = []
      return
    }
    if view.view.isAside { go(to: view.viewBefore) }
  }

  // MARK: Moving

  private mutating func move(by step: Int) { select(view.position.selected + step) }

  /// `follows`: whether the user has moved, so that the current track is not followed any more.
  mutating func select(_ shown: Int, follows: Bool = true) {
    var position = view.position
    let count = view.shownCount(source)
    position.selected = min(max(shown, 0), max(count - 1, 0))
    view.positions[view.view] = position
    guard view.view == .queue, follows || view.filter != nil || !view.isFollowing else { return }
    view.isFollowing = false
    let row = view.row(position.selected)
    view.anchor = snapshot.queue.ids.indices.contains(row) ? snapshot.queue.ids[row] : nil
  }

  private mutating func follow() {
    if view.view != .queue { go(to: .queue) }
    if view.filter != nil { closeFilter() }
    view.isFollowing = true
  }

  /// The row of the whole list that is selected; nil when there is none.
  var selectedRow: Int? {
    let position = view.position
    guard position.selected < view.shownCount(source) else { return nil }
    let row = view.row(position.selected)
    return row < source.count(view.view) ? row : nil
  }

  private mutating func enter() {
    switch view.view {
    case .playing: commands.append(.toggle)
    case .queue: if let row = selectedRow { commands.append(.choose(row)) }
    case .files, .lists:
      guard let row = selectedRow, let listing = source.listing(view.view) else { return }
      let chosen = listing.rows[row]
      if let openList {
        commands.append(.list(openList.path, .play(row)))
      } else if chosen.kind == .folder || view.view == .lists && chosen.isList {
        if view.filter != nil { closeFilter() }
        view.positions[view.view] = ViewState.ListPosition()
        view.leftRows[view.view] = nil
        if view.view == .lists { view.openedRow = chosen.path }
        let place = view.view == .lists ? Array("playlists:".utf8) : []
        commands.append(.browse(place + chosen.path))
      } else {
        commands.append(.add([chosen.path], .replace))
      }
    case .devices:
      guard let row = selectedRow else { return }
      let device = snapshot.devices[row]
      if device.isAvailable {
        commands.append(.device(device.id))
      } else {
        say("\(device.name) is not available")
      }
    case .library: enterLibrary()
    case .why, .help: break
    }
  }

  private mutating func back() {
    if let openList {
      if view.filter != nil { closeFilter() }
      view.positions[.lists] = ViewState.ListPosition()
      view.leftRows[.lists] = view.openedRow ?? openList.path
      commands.append(.browse(Array("playlists:".utf8)))
      return
    }
    if view.view == .library { return backInLibrary() }
    guard view.view == .files || view.view == .lists, let listing = source.listing(view.view),
      let parent = listing.parent
    else { return }
    if view.filter != nil { closeFilter() }
    view.positions[view.view] = ViewState.ListPosition()
    view.leftRows[view.view] = listing.path
    commands.append(.browse(parent))
  }

  mutating func say(_ text: String, isFault: Bool = false) {
    view.message = ViewState.Message(text: text, isFault: isFault)
  }

  private mutating func openFilter() {
    if view.view == .library { return openSearch("") }
    guard view.view != .playing else {
      go(to: .queue)
      return openFilter()
    }
    if let filter = view.filter, filter.view == view.view {
      view.filter?.isTyping = true
      _ = filter
      return
    }
    view.filter = ViewState.Filter(
      view: view.view, text: "", isTyping: true, rows: Array(0..<source.count(view.view)),
      revision: source.revision(view.view), selectedBefore: view.position.selected)
  }

  // MARK: Marks

  private mutating func mark(_ times: Int) {
    if view.view == .library { return markInLibrary(times) }
    for _ in 0..<min(times, view.shownCount(source)) {
      guard let row = selectedRow else { return }
      toggleMark(row)
      let before = view.position.selected
      move(by: 1)
      if view.position.selected == before { return }
    }
  }

  mutating func toggleMark(_ row: Int) {
    switch view.view {
    case .queue:
      let id = snapshot.queue.ids[row]
      if view.marks.remove(id) == nil { view.marks.insert(id) }
    case .lists where openList != nil:
      if view.listMarks.remove(row) == nil { view.listMarks.insert(row) }
      view.listMarksRevision = content.playlists.revision
    case .files, .lists:
      guard let path = source.listing(view.view)?.rows[row].path else { return }
      if view.fileMarks.remove(path) == nil { view.fileMarks.insert(path) }
    default: break
    }
  }

  private mutating func markAll() {
    if view.view == .library {
      return say("Mark rows one by one here: the row above them stands for them all")
    }
    let rows = (0..<view.shownCount(source)).map { view.row($0) }
    switch view.view {
    case .queue: view.marks.formUnion(rows.map { snapshot.queue.ids[$0] })
    case .lists where openList != nil:
      view.listMarks.formUnion(rows)
      view.listMarksRevision = content.playlists.revision
    case .files, .lists:
      guard let listing = source.listing(view.view) else { return }
      view.fileMarks.formUnion(rows.map { listing.rows[$0].path })
    default: break
    }
  }

  private mutating func unmark() {
    view.marks = []
    view.fileMarks = []
    view.listMarks = []
    view.library.marks = []
  }

  /// The playlist whose rows are shown, in its view.
  var openList: Listing? {
    view.view == .lists && content.playlists.isPlaylist ? content.playlists : nil
  }

  /// The marked rows of the queue, or of the open playlist; without marks the selected one and those
  /// after it.
  func queueRows(_ times: Int) -> [Int] {
    guard view.view == .queue || openList != nil else { return [] }
    if openList != nil, !view.listMarks.isEmpty {
      return view.listMarks.filter { $0 < content.playlists.rows.count }.sorted()
    }
    if openList == nil, !view.marks.isEmpty {
      let ids = snapshot.queue.ids
      return ids.indices.filter { view.marks.contains(ids[$0]) }
    }
    guard selectedRow != nil else { return [] }
    let selected = view.position.selected
    let last = min(selected + max(times, 1), view.shownCount(source))
    return (selected..<last).map { view.row($0) }.sorted()
  }

  // MARK: Editing

  private mutating func edit(_ times: Int, _ command: ([Int]) -> PlayerCommand) {
    let rows = queueRows(times)
    guard !rows.isEmpty else {
      return say(
        view.view == .queue || openList != nil
          ? "There is no row to do that with" : "That is done in the queue or in a playlist")
    }
    if let openList { return edit(openList, rows, command(rows)) }
    commands.append(command(rows))
    // The selection goes to what comes after the rows that go.
    if case .copy = command(rows) {
    } else if let selected = selectedRow, rows.contains(selected) {
      let ids = snapshot.queue.ids
      let gone = Set(rows)
      let next =
        (selected..<ids.count).first { !gone.contains($0) }
        ?? (0..<selected).last { !gone.contains($0) }
      view.isFollowing = false
      view.anchor = next.map { ids[$0] }
    }
    view.marks = []
  }

  /// The same of the rows of a playlist.
  private mutating func edit(_ list: Listing, _ rows: [Int], _ command: PlayerCommand) {
    switch command {
    case .remove: commands.append(.list(list.path, .remove(rows)))
    case .cut: commands.append(.list(list.path, .cut(rows)))
    default: commands.append(.list(list.path, .copy(rows)))
    }
    if case .copy = command {
    } else if view.filter == nil, let selected = selectedRow {
      // The row that follows those that go.
      select(selected - rows.count { $0 < selected })
    }
    view.listMarks = []
  }

  private mutating func paste(after: Bool) {
    guard view.view == .queue || openList != nil else {
      return say("That is done in the queue or in a playlist")
    }
    guard snapshot.queue.clipboardCount > 0 else { return say("Nothing was cut or copied") }
    if let openList {
      let row = selectedRow.map { after ? $0 + 1 : $0 } ?? openList.rows.count
      return commands.append(.list(openList.path, .paste(at: row)))
    }
    let row = selectedRow.map { after ? $0 + 1 : $0 } ?? snapshot.queue.entries.count
    commands.append(.paste(at: row))
  }

  private mutating func moveRows(_ step: Int) {
    guard view.filter == nil else { return say("Rows are moved where all of them are shown") }
    let rows = queueRows(1)
    guard let first = rows.first, let last = rows.last else { return }
    let count = openList?.rows.count ?? snapshot.queue.entries.count
    // Before the row above the first, or after the row below the last.
    let to = step < 0 ? max(first + step, 0) : min(last + 1 + step, count)
    if let openList {
      let start = to - rows.count { $0 < to }
      commands.append(.list(openList.path, .move(rows, to: to)))
      // Marks and selection go along; the rows that come are the next ones.
      if let selected = selectedRow, let place = rows.firstIndex(of: selected) {
        select(start + place)
      }
      if !view.listMarks.isEmpty {
        view.listMarks = Set(start..<start + rows.count)
        // Moves may come faster than their rows.
        view.listMarksRevision = max(openList.revision, view.listMarksRevision) + 1
      }
      return
    }
    commands.append(.move(rows, to: to))
    view.isFollowing = false
    if let row = selectedRow { view.anchor = snapshot.queue.ids[row] }
  }

  /// Files go into the queue; rows of the queue go to where they are played last or next.
  private mutating func put(_ destination: PlayerCommand.Destination, _ times: Int) {
    switch view.view {
    case .queue:
      let rows = queueRows(times)
      guard !rows.isEmpty else { return }
      commands.append(
        destination == .next ? .moveNext(rows) : .move(rows, to: snapshot.queue.entries.count))
      view.marks = []
    case .lists where openList != nil:
      let rows = queueRows(times)
      guard !rows.isEmpty, let openList else { return }
      commands.append(.list(openList.path, .put(rows, destination)))
      if view.listMarks.isEmpty { select(view.position.selected + rows.count) }
      view.listMarks = []
    case .files, .lists:
      guard let listing = source.listing(view.view) else { return }
      var paths = listing.rows.map(\.path).filter { view.fileMarks.contains($0) }
      if paths.isEmpty, selectedRow != nil {
        let selected = view.position.selected
        let last = min(selected + max(times, 1), view.shownCount(source))
        paths = (selected..<last).map { listing.rows[view.row($0)].path }
        select(last)
      }
      guard !paths.isEmpty else { return }
      commands.append(.add(paths, destination))
      view.fileMarks = []
    case .library: putFromLibrary(destination, times)
    default: say("There is nothing here to put into the queue")
    }
  }

  private mutating func preview() {
    if view.view == .library {
      if let row = libraryRow(), row.kind == .track {
        commands.append(.preview(TrackLocation(path: row.argument)))
      }
      return
    }
    guard let row = selectedRow else { return }
    switch view.view {
    case .queue: commands.append(.preview(snapshot.queue.entries[row].location))
    case .files, .lists:
      guard let chosen = source.listing(view.view)?.rows[row], chosen.kind == .file else { return }
      commands.append(.preview(TrackLocation(path: chosen.path)))
    default: break
    }
  }

  private mutating func ignore() {
    guard view.view == .why, let row = selectedRow,
      let program = source.decision(row)?.program
    else { return say("No program stands behind this") }
    commands.append(.ignore(program))
  }
}
