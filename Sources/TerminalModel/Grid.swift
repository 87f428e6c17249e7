/// One column of one row.
public struct Cell: Hashable, Sendable {
  /// A grapheme cluster that is safe to print: never a control character.
  public var character: Character
  /// Columns it takes: 1 or 2; 0 for the right half of a character of two columns.
  public var width: UInt8
  public var style: Style

  public init(_ character: Character = " ", width: UInt8 = 1, style: Style = .plain) {
    self.character = character
    self.width = width
    self.style = style
  }

  public static let blank = Cell()
}

/// A picture that lies over cells, where the terminal can show one. The cells beneath hold what is
/// seen where it cannot.
public struct PicturePlace: Hashable, Sendable {
  /// Which picture: the painter's owner knows its pixels.
  public var id: Int
  public var row: Int
  public var column: Int
  public var rows: Int
  public var columns: Int

  public init(id: Int, row: Int, column: Int, rows: Int, columns: Int) {
    self.id = id
    self.row = row
    self.column = column
    self.rows = rows
    self.columns = columns
  }
}

/// What the whole screen shows: cells row by row, pictures over them, and where the cursor is.
public struct Grid: Hashable, Sendable {
  public let columns: Int
  public let rows: Int
  public private(set) var cells: [Cell]
  public var pictures: [PicturePlace] = []
  /// Where the cursor stands; nil when it is hidden.
  public var cursor: Position?

  public struct Position: Hashable, Sendable {
    public var row: Int
    public var column: Int
    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// All blank. A side of less than one is one.
  public init(columns: Int, rows: Int) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a place within the grid.
  public subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Puts a character of `width` columns at a place. Outside, or where its right half would be
  /// outside, nothing is written. What it tears in two (a wide character) becomes blank.
  public mutating func put(
    _ character: Character, width: Int, style: Style, row: Int, column: Int
  ) {
    guard (0..<rows).contains(row), column >= 0, (1...2).contains(width),
      column + width <= columns
    else { return }
    let place = row * columns + column
    tear(place)
    if width == 2 { tear(place + 1) }
    cells[place] = Cell(character, width: UInt8(width), style: style)
    if width == 2 { cells[place + 1] = Cell(" ", width: 0, style: style) }
  }

  /// The other half of a wide character at this place goes blank.
  private mutating func tear(_ place: Int) {
    if cells[place].width == 0, place % columns > 0 {
      cells[place - 1] = Cell(" ", style: cells[place - 1].style)
    } else if cells[place].width == 2, place % columns + 1 < columns {
      cells[place + 1] = Cell(" ", style: cells[place + 1].style)
    }
  }

  /// The rows as text, without trailing blanks: for tests and for people.
  public var text: String {
    (0..<rows).map { row in
      var line = ""
      for column in 0..<columns where self[row, column].width > 0 {
        line.append(self[row, column].character)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
