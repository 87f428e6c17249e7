import AudioTypes

/// A part of the screen, in cells.
public struct Area: Hashable, Sendable {
  public var row: Int
  public var column: Int
  public var rows: Int
  public var columns: Int

  public init(row: Int, column: Int, rows: Int, columns: Int) {
    self.row = row
    self.column = column
    self.rows = max(rows, 0)
    self.columns = max(columns, 0)
  }

  public var isEmpty: Bool { rows == 0 || columns == 0 }
  public var end: Int { column + columns }

  public func contains(row: Int, column: Int) -> Bool {
    (self.row..<self.row + rows).contains(row) && (self.column..<end).contains(column)
  }

  /// One row of it, by its number within.
  func line(_ index: Int) -> Area {
    Area(
      row: row + index, column: column, rows: index < rows && index >= 0 ? 1 : 0, columns: columns)
  }

  func inset(left: Int = 0, right: Int = 0, top: Int = 0, bottom: Int = 0) -> Area {
    Area(
      row: row + top, column: column + left, rows: rows - top - bottom,
      columns: columns - left - right)
  }
}

/// Draws texts into a grid: within an area, cut where it ends, safe to print.
struct Canvas {
  var grid: Grid
  let width: @Sendable (Character) -> Int
  let ellipsis: Character

  /// A character of more code points is no letter of any script.
  private static let mostScalars = 24

  init(
    columns: Int, rows: Int, ground: Style, ellipsis: Character,
    width: @escaping @Sendable (Character) -> Int
  ) {
    grid = Grid(columns: columns, rows: rows)
    self.width = width
    self.ellipsis = ellipsis
    if ground.background != .terminal {
      fill(Area(row: 0, column: 0, rows: grid.rows, columns: grid.columns), " ", ground)
    }
  }

  /// A text made safe and cut to some columns, as the cells it takes. Only as much of it is looked
  /// at as can be shown.
  func cut(_ text: some StringProtocol, _ columns: Int) -> [(Character, Int)] {
    guard columns > 0 else { return [] }
    var cells: [(Character, Int)] = []
    var used = 0
    for raw in text {
      let character = Self.safe(raw)
      let columnsOfIt = min(width(character), 2)
      guard columnsOfIt > 0 else { continue }
      if used + columnsOfIt > columns {
        // Room for the sign that something is missing.
        while used > columns - 1, let last = cells.popLast() { used -= last.1 }
        if used < columns { cells.append((ellipsis, 1)) }
        return cells
      }
      cells.append((character, columnsOfIt))
      used += columnsOfIt
    }
    return cells
  }

  /// The columns that a text takes, up to a limit.
  func columns(_ text: some StringProtocol, limit: Int) -> Int {
    var used = 0
    for raw in text {
      used += min(width(Self.safe(raw)), 2)
      if used >= limit { return limit }
    }
    return used
  }

  private static func safe(_ character: Character) -> Character {
    if character.isASCII, let byte = character.asciiValue, byte >= 0x20, byte < 0x7F {
      return character
    }
    let scalars = character.unicodeScalars
    let few =
      scalars.count > mostScalars
      ? String(String.UnicodeScalarView(scalars.prefix(mostScalars))) : String(character)
    return Text.printable(few).first ?? "\u{FFFD}"
  }

  enum Alignment { case left, right, center }

  /// Writes a text into the first row of an area; says where it ends.
  @discardableResult
  mutating func write(
    _ text: some StringProtocol, _ area: Area, _ style: Style, _ alignment: Alignment = .left
  ) -> Int {
    guard !area.isEmpty else { return area.column }
    let cells = cut(text, area.columns)
    let used = cells.reduce(0) { $0 + $1.1 }
    var column = area.column
    switch alignment {
    case .left: break
    case .right: column += area.columns - used
    case .center: column += (area.columns - used) / 2
    }
    for (character, columns) in cells {
      put(character, columns, style, area.row, column)
      column += columns
    }
    return column
  }

  /// Pieces of text one after another, each in its own style, cut as one text is.
  @discardableResult
  mutating func write(_ pieces: [(String, Style)], _ area: Area) -> Int {
    guard !area.isEmpty else { return area.column }
    var column = area.column
    for cell in cut(pieces, area.columns) {
      put(cell.character, cell.columns, cell.style, area.row, column)
      column += cell.columns
    }
    return column
  }

  private typealias StyledCell = (character: Character, columns: Int, style: Style)

  private func cut(_ pieces: [(String, Style)], _ columns: Int) -> [StyledCell] {
    var cells: [StyledCell] = []
    var used = 0
    for (text, style) in pieces {
      for raw in text {
        let character = Self.safe(raw)
        let wide = min(width(character), 2)
        guard wide > 0 else { continue }
        if used + wide > columns {
          while used > columns - 1, let last = cells.popLast() { used -= last.columns }
          // A dash that leads nowhere goes too.
          while cells.count > 1, cells[cells.count - 1].character == " " { cells.removeLast() }
          if cells.count > 2, cells[cells.count - 2].character == " ",
            "—-".contains(cells[cells.count - 1].character)
          {
            cells.removeLast(2)
          }
          if columns > 0 { cells.append((ellipsis, 1, cells.last?.style ?? style)) }
          return cells
        }
        cells.append((character, wide, style))
        used += wide
      }
    }
    return cells
  }

  mutating func put(
    _ character: Character, _ columns: Int, _ style: Style, _ row: Int, _ column: Int
  ) {
    grid.put(character, width: columns, style: style, row: row, column: column)
  }

  mutating func fill(_ area: Area, _ character: Character = " ", _ style: Style) {
    for row in area.row..<area.row + area.rows {
      for column in area.column..<area.end { put(character, 1, style, row, column) }
    }
  }

  /// The same cells, drawn otherwise: for a selected row.
  mutating func restyle(_ area: Area, _ change: (Style) -> Style) {
    for row in area.row..<area.row + area.rows where (0..<grid.rows).contains(row) {
      for column in area.column..<area.end where (0..<grid.columns).contains(column) {
        let cell = grid[row, column]
        guard cell.width > 0 else { continue }
        put(cell.character, Int(cell.width), change(cell.style), row, column)
      }
    }
  }
}
