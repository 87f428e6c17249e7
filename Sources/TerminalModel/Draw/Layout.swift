import PlayerState

/// Where each part of the screen is, for a size. What matters least goes first as it gets smaller.
struct Layout {
  let size: ScreenSize
  /// A line each of transport, title and state, and nothing else.
  let isTiny: Bool
  var margin = 0
  /// The names of the views.
  var header = Area(row: 0, column: 0, rows: 0, columns: 0)
  /// A line beneath them that shows which it is.
  var headerRule = Area(row: 0, column: 0, rows: 0, columns: 0)
  /// The view.
  var main = Area(row: 0, column: 0, rows: 0, columns: 0)
  var stripRule = Area(row: 0, column: 0, rows: 0, columns: 0)
  /// What stands in the way, and what was decided last.
  var strip = Area(row: 0, column: 0, rows: 0, columns: 0)
  /// State and title, the seek bar, the volume.
  var now = Area(row: 0, column: 0, rows: 0, columns: 0)
  /// What is typed, or what there is to say.
  var bottom = Area(row: 0, column: 0, rows: 0, columns: 0)

  init(_ size: ScreenSize, view: ScreenView, causes: Int) {
    self.size = size
    let (columns, rows) = (size.columns, size.rows)
    isTiny = rows < 7 || columns < 26
    if isTiny {
      now = Area(row: 0, column: 0, rows: view == .playing ? min(rows, 3) : 1, columns: columns)
      let hasBottom = rows >= 4
      bottom = Area(row: rows - 1, column: 0, rows: hasBottom ? 1 : 0, columns: columns)
      // A list has the last row too while nothing is typed or said.
      let end = hasBottom && view == .playing ? rows - 1 : rows
      main = Area(row: now.rows, column: 0, rows: max(end - now.rows, 0), columns: columns)
      return
    }
    margin = columns >= 100 ? 2 : columns >= 40 ? 1 : 0
    let (left, inner) = (margin, columns - 2 * margin)
    func area(_ row: Int, _ count: Int) -> Area {
      Area(row: row, column: left, rows: count, columns: inner)
    }
    var bottomRow = rows - 1
    bottom = area(bottomRow, 1)
    let nowRows = rows >= 40 ? 4 : rows >= 10 ? 3 : 2
    now = area(bottomRow - nowRows, nowRows)
    bottomRow = now.row
    if rows >= 28 { bottomRow -= 1 }
    // Always there, so that nothing moves when a call comes.
    let fixed = rows >= 20 ? 2 : rows >= 10 ? 1 : 0
    let most = rows >= 30 ? 6 : rows >= 20 ? 4 : fixed
    let stripRows = min(max(fixed, causes + (rows >= 20 ? 1 : 0)), most)
    strip = area(bottomRow - stripRows, stripRows)
    bottomRow = strip.row
    if rows >= 16 {
      stripRule = area(bottomRow - 1, 1)
      bottomRow -= 1
    }
    header = area(0, 1)
    var top = 1
    if rows >= 16 {
      headerRule = area(1, 1)
      top = 2
    }
    if rows >= 30 {
      top += 1
      bottomRow -= 1
    }
    main = area(top, max(bottomRow - top, 0))
  }

  /// The rows of the list within the view.
  func listArea(_ view: ScreenView) -> Area {
    switch view {
    case .why where main.rows >= 12: main.inset(bottom: 5)
    // The heads of its columns.
    case .library where main.rows >= 5: main.inset(top: 1)
    default: main
    }
  }

  /// The columns of what follows, beside what is playing; 0 where it has no place of its own.
  var nextColumns: Int {
    main.columns >= 110 && main.rows >= 8 ? min(main.columns * 2 / 5, 56) : 0
  }

  /// Where the cover is in the view of what is playing; empty where there is no room for one.
  var coverArea: Area {
    guard !isTiny, main.rows >= 6, main.columns >= 50 else {
      return Area(row: 0, column: 0, rows: 0, columns: 0)
    }
    // A cell is about twice as high as wide, and words need some columns beside it.
    let columns = main.columns - (nextColumns == 0 ? 0 : nextColumns + 4)
    let rows = min(main.rows, (columns - 36) / 2, main.columns / 5, 30)
    return Area(row: main.row, column: main.column, rows: rows, columns: rows * 2)
  }
}
