import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

/// Draws one frame. Touches only the rows that are seen.
struct Renderer {
  let view: ViewState
  let snapshot: PlayerSnapshot
  let content: ScreenContent
  let style: ScreenStyle
  let now: SessionTime
  let layout: Layout
  let source: RowSource
  var canvas: Canvas
  var targets: [(area: Area, target: Target)] = []
  /// The header had room for what the view holds.
  var isSummaryDrawn = false
  /// The view shows what follows already.
  var isNextDrawn = false

  init(
    _ view: ViewState, _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ size: ScreenSize,
    _ style: ScreenStyle, _ now: SessionTime
  ) {
    self.view = view
    self.snapshot = snapshot
    self.content = content
    self.style = style
    self.now = now
    layout = Layout(size, view: view.view, causes: Self.stripCauses(snapshot))
    source = RowSource(snapshot, content, style, view.view)
    canvas = Canvas(
      columns: size.columns, rows: size.rows, ground: style.theme[.text],
      ellipsis: style.glyphs.ellipsis, width: style.width)
  }

  /// The rows of the strip that causes need.
  static func stripCauses(_ snapshot: PlayerSnapshot) -> Int {
    snapshot.distinctCauses.count + (pauseLines(snapshot, dash: "") == nil ? 0 : 1)
  }

  subscript(role: Role) -> Style { style.theme[role] }
  var glyphs: Glyphs { style.glyphs }

  mutating func draw() {
    if layout.isTiny {
      drawTiny()
    } else {
      drawHeader()
      drawView(layout.main)
      drawStrip()
      drawNow()
    }
    drawBottom()
    if view.isMenuOpen { drawMenu() } else if snapshot.call != nil { drawCall() }
  }

  mutating func drawView(_ area: Area) {
    switch view.view {
    case .playing: drawPlaying(area)
    case .queue: drawQueue(area)
    case .files, .lists: drawListing(area)
    // Lines of words: what stands at their right is not to be looked for at the other end of a
    // table.
    case .devices: drawDevices(readable(area))
    case .why: drawDecisions(readable(area))
    case .help: drawHelp(readable(area))
    case .library: drawLibrary(area)
    }
  }

  private func readable(_ area: Area) -> Area {
    Area(row: area.row, column: area.column, rows: area.rows, columns: min(area.columns, 116))
  }

  mutating func target(_ area: Area, _ target: Target) {
    if !area.isEmpty { targets.append((area, target)) }
  }

  // MARK: Lists

  /// Draws the rows that are seen of a list; `body` draws one of them, given its number in the
  /// whole list, within the area after the pointer.
  mutating func drawList(
    _ area: Area, empty: [String], _ body: (inout Renderer, Int, Area, Bool) -> Void
  ) {
    target(area, .list)
    let count = view.shownCount(source)
    guard count > 0 else { return drawEmpty(area, empty) }
    let position = view.position
    for line in 0..<area.rows {
      let shown = position.top + line
      guard shown < count else { break }
      let row = area.line(line)
      let isSelected = shown == position.selected
      target(row, .row(shown))
      body(&self, view.row(shown), row.inset(left: 1), isSelected)
      guard isSelected else { continue }
      canvas.write(String(glyphs.pointer), row, self[.accent])
      let selection = self[.selection]
      canvas.restyle(row) { $0.selected(selection) }
      if style.settings.showCursor, view.prompt == nil {
        canvas.grid.cursor = Grid.Position(row: row.row, column: row.column)
      }
    }
    drawScroll(area, count: count, top: position.top)
  }

  /// Where in a long list we are, at the right edge.
  private mutating func drawScroll(_ area: Area, count: Int, top: Int) {
    guard count > area.rows, area.rows >= 3, area.columns >= 40, layout.margin > 0 else { return }
    let length = max(1, area.rows * area.rows / count)
    let room = area.rows - length
    let start = count > area.rows ? room * top / (count - area.rows) : 0
    for line in start..<min(start + length, area.rows) {
      canvas.put(glyphs.frame[4], 1, self[.faint], area.row + line, area.end)
    }
  }

  /// Some lines in the middle: the first one stands out.
  mutating func drawEmpty(_ area: Area, _ lines: [String]) {
    let shown = lines.prefix(area.rows)
    let top = max((area.rows - shown.count) / 2 - (area.rows > 8 ? 1 : 0), 0)
    for (index, text) in shown.enumerated() {
      canvas.write(text, area.line(top + index), self[index == 0 ? .text : .faint], .center)
    }
  }
}
