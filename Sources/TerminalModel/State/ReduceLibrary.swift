import AudioTypes
import PlayerState

extension ViewState {
  /// Keys are letters of a search.
  var isSearching: Bool { view == .library && library.search?.isTyping == true }

  fileprivate func isShown(_ page: LibraryPage) -> Bool { page.wish.isSameList(libraryList()) }
}

/// The view of the collection.
extension Reducer {
  /// A row that is there; without a number the selected one. Rows of another place, which are seen
  /// until those of this one are there, are none.
  func libraryRow(_ number: Int? = nil) -> LibraryRow? {
    guard view.isShown(content.library) else { return nil }
    return content.library.row(number ?? view.position.selected)
  }

  // MARK: Places

  mutating func enterLibrary() {
    guard let row = libraryRow() else { return }
    let spot = view.library.spot
    switch row.kind {
    case .view(let other): open(LibrarySpot(other), other.name)
    case .group:
      open(
        LibrarySpot(spot.view, keys: spot.keys + [row.key]),
        row.name.isEmpty ? "unknown" : row.name)
    case .track:
      let argument = row.fromHere.isEmpty ? row.argument : row.fromHere
      let marks = view.library.marks
      commands.append(.add(marks.isEmpty ? [argument] : marks, .replace))
      view.library.marks = []
    }
  }

  private mutating func open(_ spot: LibrarySpot, _ name: String) {
    view.library.steps[view.library.steps.count - 1].position = view.position
    view.library.steps.append(LibraryState.Step(spot: spot, name: name))
    view.library.sort = .usual
    view.library.isDescending = false
    view.library.marks = []
    view.positions[.library] = ViewState.ListPosition()
  }

  mutating func backInLibrary() {
    if view.library.search != nil { return closeSearch() }
    guard view.library.steps.count > 1 else { return }
    view.library.steps.removeLast()
    view.library.sort = .usual
    view.library.isDescending = false
    view.library.marks = []
    view.positions[.library] = view.library.steps[view.library.steps.count - 1].position
  }

  /// What `close` ends here; false where there is nothing.
  mutating func closeLibrary() -> Bool {
    if view.library.search != nil {
      closeSearch()
      return true
    }
    guard !view.library.marks.isEmpty else { return false }
    view.library.marks = []
    return true
  }

  // MARK: Search

  mutating func openSearch(_ text: String) {
    go(to: .library)
    if view.library.search == nil {
      view.library.steps[view.library.steps.count - 1].position = view.position
    }
    if text.isEmpty, view.library.search != nil {
      view.library.search?.isTyping = true
      return
    }
    view.library.search = LibraryState.Search(line: LineEditor(text), isTyping: text.isEmpty)
    view.library.sort = .usual
    view.library.isDescending = false
    searchChanged()
  }

  private mutating func searchChanged() {
    view.positions[.library] = ViewState.ListPosition()
  }

  private mutating func closeSearch() {
    view.library.search = nil
    view.library.sort = .usual
    view.library.isDescending = false
    view.positions[.library] = view.library.steps[view.library.steps.count - 1].position
  }

  mutating func typeSearch(_ key: Key) {
    guard var search = view.library.search else { return }
    switch (key.name, key.modifiers) {
    case (.escape, _), (.character("c"), .control): return closeSearch()
    case (.enter, _):
      if search.line.text.trimmed.isEmpty { return closeSearch() }
      view.library.search?.isTyping = false
      return
    case (.up, _): return run(.view(.up))
    case (.down, _): return run(.view(.down))
    case (.pageUp, _): return run(.view(.pageUp))
    case (.pageDown, _): return run(.view(.pageDown))
    case (.backspace, []) where search.line.isEmpty: return closeSearch()
    default: break
    }
    let before = search.line.text.trimmed
    guard search.line.edit(key) else { return }
    view.library.search = search
    if search.line.text.trimmed != before { searchChanged() }
  }

  mutating func pasteIntoSearch(_ text: String) {
    view.library.search?.line.insert(String(Text.printable(text.trimmed).prefix(200)))
    searchChanged()
  }

  // MARK: Order

  /// By a click: a column that is the order already is turned round, and then is none any more.
  mutating func sort(by column: LibrarySort) {
    guard view.library.spot.showsTracks else { return }
    if view.library.sort != column {
      view.library.sort = column
      view.library.isDescending = false
    } else if !view.library.isDescending {
      view.library.isDescending = true
    } else {
      view.library.sort = .usual
      view.library.isDescending = false
    }
    view.positions[.library] = ViewState.ListPosition()
  }

  mutating func sortLibrary(by column: LibrarySort?) {
    guard view.view == .library, view.library.spot.showsTracks else {
      return say("Only tracks of the library are sorted")
    }
    let all = LibrarySort.allCases
    let place = all.firstIndex(of: view.library.sort) ?? 0
    view.library.sort = column ?? all[(place + 1) % all.count]
    view.library.isDescending = false
    view.positions[.library] = ViewState.ListPosition()
    say("Sorted \(view.library.sort == .usual ? "" : "by ")\(view.library.sort.name)")
  }

  mutating func reverseLibrary() {
    guard view.view == .library, view.library.spot.showsTracks else {
      return say("Only tracks of the library are sorted")
    }
    view.library.isDescending.toggle()
    view.positions[.library] = ViewState.ListPosition()
  }

  // MARK: Rows

  mutating func toggleMark(of row: LibraryRow) {
    guard !row.argument.isEmpty else { return }
    if let index = view.library.marks.firstIndex(of: row.argument) {
      view.library.marks.remove(at: index)
    } else {
      view.library.marks.append(row.argument)
    }
  }

  mutating func markInLibrary(_ times: Int) {
    for _ in 0..<min(times, content.library.total) {
      guard let row = libraryRow() else { return }
      toggleMark(of: row)
      let before = view.position.selected
      select(before + 1)
      if view.position.selected == before { return }
    }
  }

  /// The marked rows, otherwise the selected one and those after it, as far as they are there.
  mutating func putFromLibrary(_ destination: PlayerCommand.Destination, _ times: Int) {
    var arguments = view.library.marks
    if arguments.isEmpty {
      let selected = view.position.selected
      for number in selected..<selected + max(times, 1) {
        guard let row = libraryRow(number), !row.argument.isEmpty else { break }
        arguments.append(row.argument)
      }
      select(selected + arguments.count)
    }
    guard !arguments.isEmpty else { return }
    commands.append(.add(arguments, destination))
    view.library.marks = []
  }
}
