import TerminalModel

/// Turns what the terminal shows into what it should show, in as few bytes as we know.
///
/// Pure. Before and after each burst the terminal writes plainly, does not wrap at the right edge
/// (`TerminalModes.enter` sees to it), and shows the cursor only where the grid has one.
public enum Painter {
  /// The bytes that lead from one grid to another; none when they look the same. `old` is nil when
  /// nobody knows what is shown: then everything is painted anew.
  public static func paint(from old: Grid?, to new: Grid, _ capabilities: Capabilities) -> [UInt8] {
    var body: [UInt8]
    if let old, old.columns == new.columns, old.rows == new.rows {
      body = difference(from: old, to: new, capabilities)
      // Where nearly everything goes, erasing all and beginning anew is less. That takes a byte at
      // least for each character, so mostly there is nothing to compare.
      if body.count > clear.utf8.count, body.count > new.shown(least: body.count) {
        let repainted = repaint(new, old: old.cursor, capabilities)
        if repainted.count < body.count { body = repainted }
      }
    } else {
      body = repaint(new, old: nil, capabilities)
    }
    guard capabilities.hasSynchronizedOutput, body.count > synchronizedFrom else { return body }
    return Array("\u{1B}[?2026h".utf8) + body + Array("\u{1B}[?2026l".utf8)
  }

  /// A few cells are there at once anyway.
  private static let synchronizedFrom = 128

  private static let clear = "\u{1B}[?25l\u{1B}[m\u{1B}[H\u{1B}[2J"

  private static func repaint(
    _ new: Grid, old cursor: Grid.Position?, _ capabilities: Capabilities
  ) -> [UInt8] {
    var burst = Burst(from: Grid(columns: new.columns, rows: new.rows), to: new, capabilities)
    // Known or not: it must not be seen running about.
    burst.append(clear)
    burst.isCursorShown = false
    burst.place(row: 0, column: 0)
    burst.paintRows()
    burst.finish()
    return burst.bytes
  }

  private static func difference(
    from old: Grid, to new: Grid, _ capabilities: Capabilities
  ) -> [UInt8] {
    var burst = Burst(from: old, to: new, capabilities)
    burst.isCursorShown = old.cursor != nil
    if let cursor = old.cursor { burst.place(row: cursor.row, column: cursor.column) }
    burst.paintRows()
    burst.finish()
    return burst.bytes
  }
}

extension Grid {
  /// Characters that take a byte each at least to paint; counted up to `least`.
  fileprivate func shown(least: Int) -> Int {
    var count = 0
    for cell in cells where cell.character != " " {
      count += 1
      if count >= least { return count }
    }
    return count
  }
}

/// The bytes of one change, and what the terminal is like after them.
private struct Burst {
  private(set) var bytes: [UInt8] = []
  var isCursorShown = false

  private let old: Grid
  private let new: Grid
  private let capabilities: Capabilities
  private let columns: Int
  private var pen = Pen.plain
  /// Where the cursor is; the column is unknown after a character that terminals dispute about, and
  /// both after the last column.
  private var row = -1
  private var column: Int?
  /// The last style that was looked up, and its pen: mostly the next one is the same.
  private var knownStyle = Style.plain
  private var knownPen: Pen

  init(from old: Grid, to new: Grid, _ capabilities: Capabilities) {
    self.old = old
    self.new = new
    self.capabilities = capabilities
    columns = new.columns
    knownPen = Pen(.plain, capabilities)
  }

  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func place(row: Int, column: Int) {
    self.row = row
    self.column = column
  }

  // MARK: Rows

  mutating func paintRows() {
    for row in 0..<new.rows { paint(row: row) }
  }

  private mutating func paint(row: Int) {
    var column = 0
    // Cells before this one were damaged by a character that may be wider than we think.
    var damaged = 0
    var tail: Int?
    let end = capabilities.lastCellScrolls && row == new.rows - 1 ? columns - 1 : columns
    while column < end {
      let cell = new[row, column]
      let width = max(Int(cell.width), 1)
      if column >= damaged, isSame(row, column, cell) {
        column += width
        continue
      }
      if isBlank(cell) {
        let start = tail ?? blankTail(row)
        tail = start
        if column >= start, eraseRest(row, column) { return }
        if let after = eraseRun(row, column, end: end, damaged: damaged) {
          column = after
          continue
        }
      }
      go(row, column)
      damaged = max(damaged, write(cell, row, column))
      column += width
    }
  }

  /// The terminal shows this cell already.
  private mutating func isSame(_ row: Int, _ column: Int, _ cell: Cell) -> Bool {
    let shown = old[row, column]
    if cell.width == 2, old[row, column + 1].width != 0 { return false }
    if shown == cell { return true }
    guard shown.width == cell.width, shown.character == cell.character else { return false }
    let was = Pen(shown.style, capabilities)
    let pen = pen(of: cell.style)
    return was == pen || (isBlank(cell) && pen.showsBlankAs(was))
  }

  private func isBlank(_ cell: Cell) -> Bool { cell.width == 1 && cell.character == " " }

  private mutating func pen(of style: Style) -> Pen {
    if style != knownStyle {
      knownStyle = style
      knownPen = Pen(style, capabilities)
    }
    return knownPen
  }

  /// Erasing gives what this pen would give as blanks.
  private func isErasable(_ pen: Pen) -> Bool {
    pen.attributes.isDisjoint(with: Pen.onBlanks)
      && (pen.background == .terminal || capabilities.erasesInColor)
  }

  /// The column from which on the row is blank in one way.
  private mutating func blankTail(_ row: Int) -> Int {
    var start = columns
    let last = new[row, columns - 1]
    guard isBlank(last) else { return start }
    let pen = pen(of: last.style)
    guard isErasable(pen) else { return start }
    while start > 0 {
      let cell = new[row, start - 1]
      guard isBlank(cell), cell.style == last.style || self.pen(of: cell.style).showsBlankAs(pen)
      else { break }
      start -= 1
    }
    return start
  }

  /// Erases to the end of the row, where that is less than blanks for what differs there.
  private mutating func eraseRest(_ row: Int, _ column: Int) -> Bool {
    var last = columns - 1
    while last > column, isSame(row, last, new[row, last]) { last -= 1 }
    guard last - column >= 3 else { return false }
    go(row, column)
    useForBlank(pen(of: new[row, column].style))
    append("\u{1B}[K")
    return true
  }

  /// Erases a run of blanks within a row, where that is less than writing them. The column after it.
  private mutating func eraseRun(_ row: Int, _ column: Int, end: Int, damaged: Int) -> Int? {
    guard capabilities.hasEraseCharacters else { return nil }
    let pen = pen(of: new[row, column].style)
    guard isErasable(pen) else { return nil }
    var after = column
    while after < end {
      let cell = new[row, after]
      guard isBlank(cell), self.pen(of: cell.style).showsBlankAs(pen),
        after < damaged || !isSame(row, after, cell)
      else { break }
      after += 1
    }
    // The sequence, and another to go on behind it.
    guard after - column > 10 else { return nil }
    go(row, column)
    useForBlank(pen)
    append("\u{1B}[\(after - column)X")
    return after
  }

  // MARK: Cells

  /// Writes a cell where the cursor is. The column up to which what follows must be written again.
  private mutating func write(_ cell: Cell, _ row: Int, _ column: Int) -> Int {
    let pen = pen(of: cell.style)
    let width = max(Int(cell.width), 1)
    if isBlank(cell) { useForBlank(pen) } else { use(pen) }
    let character = printable(cell.character)
    if character.isASCII {
      bytes += character.utf8
      // A replacement is narrower than a wide character.
      if width == 2 { append(" ") }
      advance(column + width)
      return 0
    }
    if CharacterWidth.isCertain(character), CharacterWidth.columns(character) == width {
      bytes += character.utf8
      advance(column + width)
      return 0
    }
    // Terminals dispute about it. Where it turns out narrower, nothing old may be left beside it;
    // where wider, what it covers is written again.
    if (column..<column + width).contains(where: { !isShownBlank(row, $0, pen) }) {
      for _ in 0..<width { bytes.append(0x20) }
      advance(column + width)
      go(row, column)
    }
    bytes += character.utf8
    self.column = nil
    return min(column + max(CharacterWidth.widest(character), width), columns)
  }

  private func isShownBlank(_ row: Int, _ column: Int, _ pen: Pen) -> Bool {
    let shown = old[row, column]
    return isBlank(shown) && Pen(shown.style, capabilities).showsBlankAs(pen)
  }

  /// What may reach the terminal: never anything that it obeys.
  private func printable(_ character: Character) -> Character {
    if let byte = character.asciiValue { return byte >= 0x20 && byte < 0x7F ? character : "?" }
    let isSafe = character.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case ..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
    // What has no columns of its own would join the character before it.
    guard isSafe, CharacterWidth.isCertain(character) || CharacterWidth.columns(character) > 0
    else { return "?" }
    return capabilities.showsUnicode ? character : ASCIIGlyphs.replacement(character)
  }

  private mutating func advance(_ column: Int) {
    if column < columns {
      self.column = column
    } else {
      // Some terminals stay on the last column, some wait behind it.
      self.column = nil
      row = -1
    }
  }

  // MARK: Pen and cursor

  private mutating func use(_ pen: Pen) {
    guard pen != self.pen else { return }
    bytes += Pen.change(from: self.pen, to: pen, capabilities)
    self.pen = pen
  }

  /// A blank shows no letter, so its pen needs the background alone.
  private mutating func useForBlank(_ pen: Pen) {
    if !self.pen.showsBlankAs(pen) { use(pen) }
  }

  /// Goes to a place. Over a few cells of the row it goes by writing them again.
  private mutating func go(_ row: Int, _ column: Int) {
    if row == self.row, column == self.column { return }
    if isCursorShown, bytes.isEmpty {
      append("\u{1B}[?25l")
      isCursorShown = false
    }
    var best = "\u{1B}[" + (row > 0 || column > 0 ? "\(row + 1)" : "")
    if column > 0 { best += ";\(column + 1)" }
    best += "H"
    func offer(_ text: String) {
      if text.utf8.count < best.utf8.count { best = text }
    }
    if row == self.row {
      if column == 0 { offer("\r") }
      if capabilities.hasColumnAddress { offer("\u{1B}[\(column + 1)G") }
      if let now = self.column, now < column {
        offer(column - now == 1 ? "\u{1B}[C" : "\u{1B}[\(column - now)C")
        if column - now <= best.utf8.count, let bridge = bridge(row, now, column) {
          if bridge.count <= best.utf8.count {
            bytes += bridge
            self.column = column
            return
          }
        }
      }
    }
    append(best)
    place(row: row, column: column)
  }

  /// The cells between two columns as they are shown already; nil where they are not all plain to
  /// write with this pen.
  private mutating func bridge(_ row: Int, _ start: Int, _ end: Int) -> [UInt8]? {
    var bridge: [UInt8] = []
    for column in start..<end {
      let cell = new[row, column]
      let pen = pen(of: cell.style)
      guard cell.width == 1, cell.character.isASCII,
        pen == self.pen || (isBlank(cell) && pen.showsBlankAs(self.pen))
      else { return nil }
      bridge += printable(cell.character).utf8
    }
    return bridge
  }

  mutating func finish() {
    use(.plain)
    guard let cursor = new.cursor, (0..<new.rows).contains(cursor.row),
      (0..<columns).contains(cursor.column)
    else {
      if isCursorShown { append("\u{1B}[?25l") }
      return
    }
    let isMoved = row != cursor.row || column != cursor.column
    if isMoved {
      // A cursor that only moves needs not go and come.
      let wasShown = isCursorShown && bytes.isEmpty
      isCursorShown = isCursorShown && !wasShown
      go(cursor.row, cursor.column)
      isCursorShown = isCursorShown || wasShown
    }
    if !isCursorShown { append("\u{1B}[?25h") }
  }
}
