import AudioSession
import PlayerState

/// What one point of the screen means to the mouse.
enum Target: Hashable {
  case view(ScreenView)
  /// A row of the list, as it is shown.
  case row(Int)
  case list
  /// A part of the track or of the volume: 0 at the left end of its area, 1 at the right.
  case seek, volume, ringer
  case command(PlayerCommand)
  /// The head of a column.
  case sort(LibrarySort)
}

/// A frame: the cells, and what the mouse finds where.
public struct Frame: Sendable {
  public var grid: Grid
  var targets: [(area: Area, target: Target)] = []

  /// What was drawn last there.
  func target(row: Int, column: Int) -> (area: Area, target: Target)? {
    targets.last { $0.area.contains(row: row, column: column) }
  }
}

extension ViewState {
  /// The screen at a moment.
  public func render(
    _ snapshot: PlayerSnapshot, _ content: ScreenContent = ScreenContent(), _ size: ScreenSize,
    _ style: ScreenStyle = ScreenStyle(), now: SessionTime
  ) -> Grid {
    frame(snapshot, content, size, style, now: now).grid
  }

  /// What `render` gave, with the levels that are now: meter and spectrum move thirty times a
  /// second, and nothing else is drawn for it. Nil where they are not seen, something lies over
  /// them, or the grid has another size.
  public func renderLevels(
    onto grid: Grid, _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ size: ScreenSize,
    _ style: ScreenStyle = ScreenStyle()
  ) -> Grid? {
    guard showsLevels(size, style), snapshot.call == nil, snapshot.entry != nil,
      grid.rows == size.rows, grid.columns == size.columns
    else { return nil }
    var renderer = Renderer(self, snapshot, content, size, style, snapshot.at)
    renderer.canvas.grid = grid
    renderer.drawLevels(renderer.layout.main)
    return renderer.canvas.grid
  }

  func frame(
    _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ size: ScreenSize, _ style: ScreenStyle,
    now: SessionTime
  ) -> Frame {
    var view = self
    view.settle(snapshot, content, size, style)
    var renderer = Renderer(view, snapshot, content, size, style, now)
    renderer.draw()
    return Frame(grid: renderer.canvas.grid, targets: renderer.targets)
  }

  /// The row of the queue that is looked at: what is known of those around it is read first.
  public func queueRow(_ snapshot: PlayerSnapshot) -> Int {
    view == .queue && !isFollowing ? row(position.selected) : snapshot.index ?? 0
  }

  /// How large a cover is wanted now, in cells; nil when none is seen.
  public func coverSize(
    _ snapshot: PlayerSnapshot, _ size: ScreenSize, _ style: ScreenStyle = ScreenStyle()
  ) -> (rows: Int, columns: Int)? {
    guard view == .playing, style.settings.showsCover else { return nil }
    let area = Layout(size, view: view, causes: Renderer.stripCauses(snapshot)).coverArea
    return area.isEmpty ? nil : (area.rows, area.columns)
  }

  /// Whether the meter or the spectrum is seen: where not, nothing need be measured.
  public func showsLevels(_ size: ScreenSize, _ style: ScreenStyle = ScreenStyle()) -> Bool {
    guard view == .playing, !isMenuOpen else { return false }
    let layout = Layout(size, view: view, causes: 0)
    return !layout.isTiny && layout.main.rows >= 10
      && (style.settings.meter || style.settings.spectrum)
  }
}
