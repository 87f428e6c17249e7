import TerminalModel

/// Grids that a test can compute too: frames, colours, wide letters, blanks that are erased, and on
/// every fourth row a character that terminals dispute about.
public enum Pattern {
  static let styles: [Style] = [
    .plain, Style(.ansi(1)), Style(.ansi(2), .bold), Style(.terminal, on: .ansi(4)),
    Style(.terminal, .reverse), Style(.indexed(208), .underline), Style(.ansi(12)),
  ]

  /// True for the rows whose columns a terminal may see otherwise.
  public static func isDisputed(row: Int) -> Bool { row % 4 == 3 }

  /// `note` stands on the first row.
  public static func grid(columns: Int, rows: Int, step: Int, note: String = "") -> Grid {
    var grid = Grid(columns: columns, rows: rows)
    for row in 0..<rows {
      var words = "\(columns)x\(rows) step \(step) row \(row)│"
      if row == 0 { words += note + "│" }
      if isDisputed(row: row) { words = "👩‍🎤❤️" + words }
      // Another row is another length, so that each step erases here and writes there.
      let length = 20 + (row * 37 + step * 23) % max(columns, 1)
      while words.count < length { words += row % 2 == 0 ? "─音楽 " : " ab  " }
      var column = 0
      for (place, character) in words.enumerated() {
        let width = CharacterWidth.columns(character)
        grid.put(
          character, width: width, style: styles[(row + step + place / 9) % styles.count], row: row,
          column: column)
        column += width
      }
      // The right edge, to the last cell.
      grid.put("│", width: 1, style: Style(.ansi(3)), row: row, column: columns - 1)
    }
    return grid
  }
}
