import TerminalModel

/// Turns what the terminal shows into what it should show, in as few bytes as we know.
///
/// Pure. Before and after each burst the terminal writes plainly, does not wrap at the right edge
/// (`TerminalModes.enter` sees to it), and shows the cursor only where the grid has one.
public enum Painter {
  /// The bytes that lead from one grid to another; none when they look the same. `old` is nil when
  /// nobody knows what is shown: then everything is painted anew.
  public static func paint(from old: Grid?, to new: Grid, _ capabilities: Capabilities) -> [UInt8] {
    let old = old.map { Frame($0, capabilities) }
    return paint(from: old, to: Frame(new, after: old, capabilities), capabilities)
  }

  /// The same for grids that were made ready.
  static func paint(from old: Frame?, to new: Frame, _ capabilities: Capabilities) -> [UInt8] {
    var body: [UInt8]
    if let old, old.columns == new.columns, old.rows == new.rows {
      body = difference(from: old, to: new, capabilities)
      // Where nearly everything goes, erasing all and beginning anew is less. That takes a byte at
      // least for each character, so mostly there is nothing to compare.
      if body.count > clear.utf8.count, body.count > new.shown(least: body.count) {
        let repainted = repaint(new, capabilities)
        if repainted.count < body.count { body = repainted }
      }
    } else {
      body = repaint(new, capabilities)
    }
    guard capabilities.hasSynchronizedOutput, body.count > synchronizedFrom else { return body }
    return Array(synchronized.utf8) + body + Array("\u{1B}[?2026l".utf8)
  }

  /// The burst begins by erasing all, pictures too.
  static func erases(_ burst: [UInt8]) -> Bool {
    burst.starts(with: clear.utf8) || burst.starts(with: (synchronized + clear).utf8)
  }

  private static let synchronized = "\u{1B}[?2026h"

  /// A few cells are there at once anyway.
  private static let synchronizedFrom = 128

  private static let clear = "\u{1B}[?25l\u{1B}[m\u{1B}[H\u{1B}[2J"

  private static func repaint(_ new: Frame, _ capabilities: Capabilities) -> [UInt8] {
    var burst = Burst(from: Frame(columns: new.columns, rows: new.rows), to: new, capabilities)
    // Known or not: it must not be seen running about.
    burst.append(clear)
    burst.isCursorShown = false
    burst.place(row: 0, column: 0)
    burst.paintRows()
    burst.finish()
    return burst.bytes
  }

  private static func difference(
    from old: Frame, to new: Frame, _ capabilities: Capabilities
  ) -> [UInt8] {
    var burst = Burst(from: old, to: new, capabilities)
    burst.isCursorShown = old.grid.cursor != nil
    if let cursor = old.grid.cursor { burst.place(row: cursor.row, column: cursor.column) }
    burst.paintRows()
    burst.finish()
    return burst.bytes
  }
}

extension Frame {
  /// Characters that take a byte each at least to paint; counted up to `least`.
  fileprivate func shown(least: Int) -> Int {
    var count = 0
    for cell in cells where cell.key != FrameCell.blankKey {
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

  private let old: Frame
  private let new: Frame
  private let capabilities: Capabilities
  private let columns: Int
  /// Packed; zero is the plain one.
  private var pen: UInt64 = 0
  /// What is seen of it on a blank.
  private var blankPen: UInt64 = 0
  /// Where the cursor is; the column is unknown after a character that terminals dispute about, and
  /// both after the last column.
  private var row = -1
  private var column: Int?

  init(from old: Frame, to new: Frame, _ capabilities: Capabilities) {
    self.old = old
    self.new = new
    self.capabilities = capabilities
    columns = new.columns
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
      let width = max(cell.width, 1)
      if column >= damaged, isSame(row, column, cell) {
        column += width
        continue
      }
      if cell.isBlank {
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
  private func isSame(_ row: Int, _ column: Int, _ cell: FrameCell) -> Bool {
    old[row, column] == cell && (cell.width < 2 || old[row, column + 1].width == 0)
  }

  /// Erasing gives what this pen gives as blanks.
  private func isErasable(_ pen: UInt64) -> Bool {
    let pen = Pen(packed: pen)
    return pen.attributes.isDisjoint(with: Pen.onBlanks)
      && (pen.background == .terminal || capabilities.erasesInColor)
  }

  /// The column from which on the row is blank in one way.
  private func blankTail(_ row: Int) -> Int {
    let last = new[row, columns - 1]
    guard last.isBlank, isErasable(last.pen) else { return columns }
    var start = columns - 1
    while start > 0, new[row, start - 1] == last { start -= 1 }
    return start
  }

  /// Erases to the end of the row, where that is less than blanks for what differs there.
  private mutating func eraseRest(_ row: Int, _ column: Int) -> Bool {
    var last = columns - 1
    while last > column, isSame(row, last, new[row, last]) { last -= 1 }
    guard last - column >= 3 else { return false }
    go(row, column)
    useForBlank(new[row, column].pen)
    append("\u{1B}[K")
    return true
  }

  /// Erases a run of blanks within a row, where that is less than writing them. The column after it.
  private mutating func eraseRun(_ row: Int, _ column: Int, end: Int, damaged: Int) -> Int? {
    guard capabilities.hasEraseCharacters else { return nil }
    let first = new[row, column]
    var after = column + 1
    while after < end, new[row, after] == first, after < damaged || old[row, after] != first {
      after += 1
    }
    // The sequence, and another to go on behind it.
    guard after - column > 10, isErasable(first.pen) else { return nil }
    go(row, column)
    useForBlank(first.pen)
    append("\u{1B}[\(after - column)X")
    return after
  }

  // MARK: Cells

  /// Writes a cell where the cursor is. The column up to which what follows must be written again.
  private mutating func write(_ cell: FrameCell, _ row: Int, _ column: Int) -> Int {
    let width = max(cell.width, 1)
    if cell.isBlank { useForBlank(cell.pen) } else { use(cell.pen) }
    if cell.isCertain {
      new.append(row, column, to: &bytes)
      // What stands for a wide character is narrower.
      if width == 2, cell.isASCII { bytes.append(0x20) }
      advance(column + width)
      return 0
    }
    // Terminals dispute about it. Where it turns out narrower, nothing old may be left beside it;
    // where wider, what it covers is written again.
    let ground = Pen(packed: cell.pen).onBlank.packed
    let isClear = (column..<column + width).allSatisfy {
      old[row, $0].isBlank && old[row, $0].pen == ground
    }
    if !isClear {
      for _ in 0..<width { bytes.append(0x20) }
      advance(column + width)
      go(row, column)
    }
    new.append(row, column, to: &bytes)
    self.column = nil
    let widest = CharacterWidth.widest(new.grid[row, column].character)
    return min(column + max(widest, width), columns)
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

  private mutating func use(_ pen: UInt64) {
    guard pen != self.pen else { return }
    let new = Pen(packed: pen)
    bytes += Pen.change(from: Pen(packed: self.pen), to: new, capabilities)
    self.pen = pen
    blankPen = new.onBlank.packed
  }

  /// A blank shows no letter, so its pen needs the background alone.
  private mutating func useForBlank(_ pen: UInt64) {
    if blankPen != pen { use(pen) }
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
        if column - now <= best.utf8.count, isBridge(row, now, column) {
          for place in now..<column { new.append(row, place, to: &bytes) }
          self.column = column
          return
        }
      }
    }
    append(best)
    place(row: row, column: column)
  }

  /// The cells between two columns, which are shown already, can be written again with this pen, a
  /// byte each.
  private func isBridge(_ row: Int, _ start: Int, _ end: Int) -> Bool {
    (start..<end).allSatisfy { column in
      let cell = new[row, column]
      return cell.isASCII && cell.width == 1 && cell.pen == (cell.isBlank ? blankPen : pen)
    }
  }

  mutating func finish() {
    use(0)
    guard let cursor = new.grid.cursor, (0..<new.rows).contains(cursor.row),
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
