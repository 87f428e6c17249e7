import TerminalModel

/// A grid as a picture that any browser shows: its characters as text in a monospaced font, lines
/// and bars as shapes, since fonts leave gaps between them.
struct SVGPicture {
  /// What a colour is that the terminal chooses.
  struct Palette {
    var foreground: String
    var background: String
    /// The sixteen.
    var named: [String]

    static let dark = Palette(
      foreground: "#c4c6d0", background: "#181921",
      named: [
        "#2c2e3c", "#e86e6e", "#96be96", "#e2b06e", "#96b2d6", "#c09ad0", "#7fc0c4", "#c4c6d0",
        "#72768c", "#f08a8a", "#aed2ae", "#eec48a", "#aec6e4", "#d2b2e0", "#9ad4d8", "#f0eee6",
      ])
  }

  let grid: Grid
  var palette = Palette.dark
  /// For those who cannot see it.
  var title: String

  /// Hundredths of a pixel: sums stay whole numbers.
  private static let (cellWidth, cellHeight, baseline, border) = (840, 1800, 1330, 1600)

  var text: String {
    let width = grid.columns * Self.cellWidth + 2 * Self.border
    let height = grid.rows * Self.cellHeight + 2 * Self.border
    let size = "\(Self.number(width)) \(Self.number(height))"
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\""
        + " width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" role=\"img\">",
      "<title>\(Self.escaped(title))</title>",
      "<style>text { font: 14px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace;"
        + " white-space: pre }</style>",
      "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"\(ground)\"/>",
    ]
    for row in 0..<grid.rows { lines += grounds(row) + shapes(row) + texts(row) }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  /// The ground that most cells have is that of the whole picture.
  private var ground: String {
    var counts: [String: Int] = [:]
    for cell in grid.cells { counts[colors(cell.style).ground, default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? palette.background
  }

  // MARK: Parts of a row

  /// Runs of columns for which `key` is the same; where it is nil there is nothing.
  private func runs<Key: Equatable>(_ row: Int, _ key: (Cell) -> Key?) -> [(Key, Range<Int>)] {
    var runs: [(Key, Range<Int>)] = []
    for column in 0..<grid.columns {
      guard let found = key(grid[row, column]) else { continue }
      if let last = runs.last, last.0 == found, last.1.upperBound == column {
        runs[runs.count - 1].1 = last.1.lowerBound..<column + 1
      } else {
        runs.append((found, column..<column + 1))
      }
    }
    return runs
  }

  private func grounds(_ row: Int) -> [String] {
    let common = ground
    return runs(row) { cell in
      let color = colors(cell.style).ground
      return color == common ? nil : color
    }.map { color, columns in
      rectangle(row, columns, from: 0, to: Self.cellHeight, color)
    }
  }

  /// Heights and lines: what must meet its neighbours.
  private func shapes(_ row: Int) -> [String] {
    struct Shape: Equatable {
      var character: Character
      var color: String
      var opacity: String
    }
    let found = runs(row) { cell -> Shape? in
      guard Self.isShape(cell.character) else { return nil }
      return Shape(
        character: cell.character, color: colors(cell.style).ink, opacity: opacity(cell.style))
    }
    return found.flatMap { shape, columns in
      let (height, middle) = (Self.cellHeight, Self.cellHeight / 2)
      func bar(_ from: Int, _ to: Int) -> [String] {
        [rectangle(row, columns, from: from, to: to, shape.color, shape.opacity)]
      }
      func upright(_ half: Int, _ character: Character) -> [String] {
        columns.map { column in
          let x = Self.border + column * Self.cellWidth + Self.cellWidth / 2 - half
          return "<rect x=\"\(Self.number(x))\" y=\"\(y(row))\" width=\"\(Self.number(2 * half))\""
            + " height=\"\(Self.number(height))\" fill=\"\(shape.color)\"\(shape.opacity)/>"
        }
      }
      switch shape.character {
      case "─": return bar(middle - 50, middle + 50)
      case "━": return bar(middle - 150, middle + 150)
      case "│": return upright(50, "│")
      case "┃": return upright(100, "┃")
      case "▀": return bar(0, middle)
      case "╭", "╮", "╯", "╰":
        return columns.map { corner(shape.character, row, $0, shape.color, shape.opacity) }
      default:
        let eighths = Self.heights.firstIndex(of: shape.character).map { $0 + 1 } ?? 8
        return bar(height - height * eighths / 8, height)
      }
    }
  }

  private static let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  private static func isShape(_ character: Character) -> Bool {
    heights.contains(character) || "─━│┃▀╭╮╯╰".contains(character)
  }

  private func corner(
    _ character: Character, _ row: Int, _ column: Int, _ color: String, _ opacity: String
  ) -> String {
    let (left, top) = (Self.border + column * Self.cellWidth, Self.border + row * Self.cellHeight)
    let (middle, center) = (left + Self.cellWidth / 2, top + Self.cellHeight / 2)
    let x = "╭╰".contains(character) ? left + Self.cellWidth : left
    let y = "╭╮".contains(character) ? top + Self.cellHeight : top
    let (at, turn, end) = (
      "\(Self.number(middle)) \(Self.number(y))", "\(Self.number(middle)) \(Self.number(center))",
      "\(Self.number(x)) \(Self.number(center))"
    )
    return "<path d=\"M\(at) Q\(turn) \(end)\" fill=\"none\" stroke=\"\(color)\"\(opacity)/>"
  }

  /// Words: a run of one style without a gap of two blanks. Its length is told, so that a font with
  /// other widths moves nothing.
  private func texts(_ row: Int) -> [String] {
    var lines: [String] = []
    var start = 0
    var text = ""
    var style = Style.plain
    func write(_ end: Int) {
      while text.last == " " { text.removeLast() }
      guard !text.isEmpty else { return }
      let columns = text.reduce(0) { $0 + CharacterWidth.columns($1) }
      lines.append(
        "<text x=\"\(Self.number(Self.border + start * Self.cellWidth))\""
          + " y=\"\(Self.number(Self.border + row * Self.cellHeight + Self.baseline))\""
          + " textLength=\"\(Self.number(columns * Self.cellWidth))\""
          + " fill=\"\(colors(style).ink)\"\(attributes(style))>\(Self.escaped(text))</text>")
      text = ""
    }
    for column in 0..<grid.columns {
      let cell = grid[row, column]
      if cell.width == 0 { continue }
      let isBlank = cell.character == " " || Self.isShape(cell.character)
      if isBlank, text.isEmpty { continue }
      if Self.isShape(cell.character) || cell.style != style || isBlank && text.last == " " {
        write(column)
      }
      if isBlank, text.isEmpty { continue }
      if text.isEmpty { (start, style) = (column, cell.style) }
      text.append(cell.character)
    }
    write(grid.columns)
    return lines
  }

  // MARK: Looks

  private func colors(_ style: Style) -> (ink: String, ground: String) {
    let ink = hexadecimal(style.foreground, palette.foreground)
    let ground = hexadecimal(style.background, palette.background)
    return style.attributes.contains(.reverse) ? (ground, ink) : (ink, ground)
  }

  private func hexadecimal(_ color: Color, _ own: String) -> String {
    func hexadecimal(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> String {
      let number = Int(red) << 16 | Int(green) << 8 | Int(blue)
      let digits = String(number, radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
    switch color {
    case .terminal: return own
    case .ansi(let number): return palette.named[Int(number) % 16]
    case .indexed(let number) where number < 16: return palette.named[Int(number)]
    case .indexed(let number) where number >= 232:
      let gray = (number - 232) * 10 + 8
      return hexadecimal(gray, gray, gray)
    case .indexed(let number):
      func step(_ part: UInt8) -> UInt8 { part == 0 ? 0 : 55 + part * 40 }
      let place = number - 16
      return hexadecimal(step(place / 36), step(place / 6 % 6), step(place % 6))
    case .rgb(let red, let green, let blue): return hexadecimal(red, green, blue)
    }
  }

  private func opacity(_ style: Style) -> String {
    style.attributes.contains(.dim) ? " opacity=\"0.6\"" : ""
  }

  private func attributes(_ style: Style) -> String {
    var text = opacity(style)
    if style.attributes.contains(.bold) { text += " font-weight=\"bold\"" }
    if style.attributes.contains(.italic) { text += " font-style=\"italic\"" }
    if style.attributes.contains(.underline) { text += " text-decoration=\"underline\"" }
    return text
  }

  // MARK: Text

  private func rectangle(
    _ row: Int, _ columns: Range<Int>, from top: Int, to bottom: Int, _ color: String,
    _ opacity: String = ""
  ) -> String {
    let y = Self.border + row * Self.cellHeight + top
    return "<rect x=\"\(Self.number(Self.border + columns.lowerBound * Self.cellWidth))\""
      + " y=\"\(Self.number(y))\" width=\"\(Self.number(columns.count * Self.cellWidth))\""
      + " height=\"\(Self.number(bottom - top))\" fill=\"\(color)\"\(opacity)/>"
  }

  private func y(_ row: Int) -> String { Self.number(Self.border + row * Self.cellHeight) }

  private static func number(_ hundredths: Int) -> String {
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
