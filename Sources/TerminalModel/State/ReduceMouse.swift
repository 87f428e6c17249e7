import AudioTypes
import PlayerState

/// Click to play, seek, set the volume, pick; the wheel scrolls.
extension Reducer {
  mutating func point(_ event: MouseEvent) {
    view.message = nil
    guard view.prompt == nil else {
      if case .press = event.action { view.prompt = nil }
      return
    }
    // What the user sees is what is pointed at: the same frame, drawn again.
    let frame = view.frame(snapshot, content, size, style, now: snapshot.at)
    let found = frame.target(row: event.row, column: event.column)
    switch event.action {
    case .press(.left): press(found, event)
    case .drag(.left): drag(found, event)
    case .press(.right): mark(found)
    case .scroll(let down): scroll(found, down: down)
    case .press, .drag, .release: break
    }
  }

  private mutating func press(_ found: (area: Area, target: Target)?, _ event: MouseEvent) {
    if view.isMenuOpen {
      view.isMenuOpen = false
      if case .command(let command)? = found?.target { commands.append(command) }
      return
    }
    guard let found else { return }
    switch found.target {
    case .view(let other): go(to: other)
    case .row(let shown): choose(shown)
    case .list: break
    case .seek, .volume, .ringer: drag(found, event)
    case .command(let command): commands.append(command)
    case .sort(let column): sort(by: column)
    }
  }

  /// A track is played and a device picked at once; a file, which would take the place of the
  /// queue, by a second click.
  private mutating func choose(_ shown: Int) {
    let isSecond = view.position.selected == shown
    select(shown)
    switch view.view {
    case .queue, .devices: run(.view(.enter))
    case .files, .lists, .library: if isSecond { run(.view(.enter)) }
    case .playing, .why, .help: break
    }
  }

  private mutating func drag(_ found: (area: Area, target: Target)?, _ event: MouseEvent) {
    guard let found, found.area.columns > 1 else { return }
    let column = min(max(event.column - found.area.column, 0), found.area.columns - 1)
    switch found.target {
    case .seek:
      guard snapshot.length != nil else { return }
      // As exact as it is written.
      let percent = (Double(column) / Double(found.area.columns) * 100_000).rounded() / 1000
      commands.append(.seek(.part(percent / 100)))
    // The last column is all of it, the first none.
    case .volume: commands.append(.volume(.to(percent(column, found.area.columns))))
    case .ringer: commands.append(.ringer(.to(percent(column, found.area.columns))))
    default: break
    }
  }

  private func percent(_ column: Int, _ columns: Int) -> Int {
    (column * 100 + (columns - 1) / 2) / (columns - 1)
  }

  private mutating func mark(_ found: (area: Area, target: Target)?) {
    guard case .row(let shown)? = found?.target else { return }
    select(shown)
    if view.view == .library {
      if let row = libraryRow() { toggleMark(of: row) }
    } else if let row = selectedRow {
      toggleMark(row)
    }
  }

  private mutating func scroll(_ found: (area: Area, target: Target)?, down: Bool) {
    switch found?.target {
    case .seek: commands.append(.seek(.by(down ? -5 : 5)))
    case .volume: commands.append(.volume(.by(down ? -5 : 5)))
    case .ringer: commands.append(.ringer(.by(down ? -5 : 5)))
    default: select(view.position.selected + (down ? 3 : -3))
    }
  }
}
