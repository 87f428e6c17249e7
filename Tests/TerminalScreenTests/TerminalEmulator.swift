import TerminalModel

@testable import TerminalScreen

/// A terminal in memory: what the painter's bytes make of a screen. It knows what the painter uses
/// and calls anything else a fault.
struct TerminalEmulator {
  struct Shown: Equatable {
    var text = " "
    /// 0 for the right half of a wide one.
    var width = 1
    var pen = Pen()
  }

  let columns: Int
  let rows: Int
  var erasesInColor = true
  /// False for a terminal that draws each code point by itself, as old ones do.
  var knowsClusters = true
  private(set) var cells: [Shown]
  private(set) var row = 0
  private(set) var column = 0
  private(set) var isCursorShown = false
  private(set) var isSynchronized = false
  private(set) var pen = Pen()
  private(set) var faults: [String] = []
  /// The cursor stands behind the last column.
  private var isBehind = false

  init(columns: Int, rows: Int, filledWith text: String = " ") {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Shown(text: text), count: columns * rows)
  }

  mutating func feed(_ bytes: [UInt8]) {
    var run: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x20, byte != 0x7F {
        run.append(byte)
        index += 1
        continue
      }
      write(run)
      run = []
      if byte == 0x0D {
        column = 0
        isBehind = false
        index += 1
      } else if byte == 0x1B, index + 1 < bytes.count, bytes[index + 1] == 0x5B {
        var end = index + 2
        while end < bytes.count, !(0x40...0x7E).contains(bytes[end]) { end += 1 }
        guard end < bytes.count else { return faults.append("a sequence without an end") }
        obey(String(decoding: bytes[(index + 2)..<end], as: UTF8.self), bytes[end])
        index = end + 1
      } else if byte == 0x1B, index + 1 < bytes.count, bytes[index + 1] == 0x5F {
        // A picture or a question about them: this terminal takes it and has none.
        let rest = bytes[index...]
        guard
          let end = rest.indices.dropLast().dropFirst(2)
            .first(where: { bytes[$0] == 0x1B && bytes[$0 + 1] == 0x5C })
        else { return faults.append("a string without an end") }
        index = end + 2
      } else {
        faults.append("byte \(byte)")
        index += 1
      }
    }
    write(run)
  }

  private mutating func write(_ run: [UInt8]) {
    let text = String(decoding: run, as: UTF8.self)
    if text.unicodeScalars.contains("\u{FFFD}") { faults.append("broken UTF-8") }
    if knowsClusters {
      for character in text { put(String(character), CharacterWidth.columns(character)) }
    } else {
      for scalar in text.unicodeScalars { put(String(scalar), CharacterWidth.columns(scalar)) }
    }
  }

  private mutating func put(_ text: String, _ width: Int) {
    if width == 0 {
      if knowsClusters { faults.append("a character without columns") }
      return
    }
    // It does not wrap: on the last column one overwrites the other, and a wide one has no room.
    if isBehind || column + width > columns {
      if knowsClusters { faults.append("\(text) at the right edge of row \(row)") }
      if width > 1 { return }
      column = columns - 1
    }
    for place in column..<column + width { tear(row * columns + place) }
    cells[row * columns + column] = Shown(text: text, width: width, pen: pen)
    if width == 2 { cells[row * columns + column + 1] = Shown(text: "", width: 0, pen: pen) }
    column += width
    if column == columns {
      column = columns - 1
      isBehind = true
    }
  }

  private mutating func tear(_ place: Int) {
    if cells[place].width == 0 {
      cells[place - 1] = Shown(pen: cells[place - 1].pen)
    } else if cells[place].width == 2 {
      cells[place + 1] = Shown(pen: cells[place + 1].pen)
    }
  }

  private mutating func erase(_ places: Range<Int>) {
    var blank = Shown()
    if erasesInColor { blank.pen.background = pen.background }
    for place in places {
      tear(place)
      cells[place] = blank
    }
  }

  private mutating func obey(_ parameters: String, _ last: UInt8) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    let first = numbers.first.flatMap { $0 }
    isBehind = false
    switch (last, parameters) {
    case (UInt8(ascii: "H"), _):
      row = (first ?? 1) - 1
      column = (numbers.count > 1 ? numbers[1] ?? 1 : 1) - 1
      if !(0..<rows).contains(row) || !(0..<columns).contains(column) {
        faults.append("a place outside: \(parameters)")
        (row, column) = (0, 0)
      }
    case (UInt8(ascii: "G"), _): column = min(max((first ?? 1) - 1, 0), columns - 1)
    case (UInt8(ascii: "C"), _): column = min(column + max(first ?? 1, 1), columns - 1)
    case (UInt8(ascii: "K"), ""): erase(row * columns + column..<(row + 1) * columns)
    case (UInt8(ascii: "J"), "2"): erase(0..<cells.count)
    case (UInt8(ascii: "X"), _):
      erase(row * columns + column..<row * columns + min(column + (first ?? 1), columns))
    case (UInt8(ascii: "m"), _): style(parameters)
    case (UInt8(ascii: "h"), "?25"): isCursorShown = true
    case (UInt8(ascii: "l"), "?25"): isCursorShown = false
    case (UInt8(ascii: "h"), "?2026"): isSynchronized = true
    case (UInt8(ascii: "l"), "?2026"): isSynchronized = false
    // What entering and leaving switches.
    case (UInt8(ascii: "h"), "?1049"), (UInt8(ascii: "l"), "?7"), (UInt8(ascii: "h"), "?2004"),
      (UInt8(ascii: "h"), "?1004"), (UInt8(ascii: "h"), "?1002"), (UInt8(ascii: "h"), "?1006"):
      break
    default: faults.append("CSI \(parameters) \(Character(Unicode.Scalar(last)))")
    }
  }

  private mutating func style(_ parameters: String) {
    var rest = parameters.split(separator: ";").compactMap { Int($0) }[...]
    if rest.isEmpty { rest = [0] }
    while let number = rest.popFirst() {
      switch number {
      case 0: pen = Pen()
      case 1: pen.attributes.insert(.bold)
      case 2: pen.attributes.insert(.dim)
      case 3: pen.attributes.insert(.italic)
      case 4: pen.attributes.insert(.underline)
      case 7: pen.attributes.insert(.reverse)
      case 9: pen.attributes.insert(.strikethrough)
      case 38: pen.foreground = color(&rest)
      case 48: pen.background = color(&rest)
      case 39: pen.foreground = .terminal
      case 49: pen.background = .terminal
      case 30...37: pen.foreground = .ansi(UInt8(number - 30))
      case 40...47: pen.background = .ansi(UInt8(number - 40))
      case 90...97: pen.foreground = .ansi(UInt8(number - 82))
      case 100...107: pen.background = .ansi(UInt8(number - 92))
      default: faults.append("SGR \(number)")
      }
    }
  }

  private mutating func color(_ rest: inout ArraySlice<Int>) -> Color {
    let kind = rest.popFirst()
    let numbers = (0..<(kind == 5 ? 1 : 3)).map { _ in UInt8(clamping: rest.popFirst() ?? -1) }
    return kind == 5 ? .indexed(numbers[0]) : .rgb(numbers[0], numbers[1], numbers[2])
  }

  // MARK: Comparing

  /// In what the screen is not the grid; nil where it is. Only cells that `isJudged` says yes to.
  func difference(
    from grid: Grid, _ capabilities: Capabilities, isJudged: (Int, Int) -> Bool = { _, _ in true }
  ) -> String? {
    if let fault = faults.first { return fault }
    if isSynchronized { return "the burst has no end" }
    if pen != Pen() { return "the pen is left at \(pen)" }
    if isCursorShown != (grid.cursor != nil) { return "cursor shown: \(isCursorShown)" }
    if let cursor = grid.cursor, row != cursor.row || column != cursor.column {
      return "cursor at \(row), \(column)"
    }
    for row in 0..<rows {
      for column in 0..<columns where isJudged(row, column) {
        let cell = grid[row, column]
        let shown = cells[row * columns + column]
        let pen = Pen(cell.style, capabilities)
        let isBlank = cell.character == " " && cell.width == 1
        let isRight =
          shown.width == Int(cell.width)
          && (cell.width == 0 || shown.text == String(cell.character))
          && (shown.pen == pen || (isBlank && shown.pen.showsBlankAs(pen)) || cell.width == 0)
        if !isRight { return "row \(row), column \(column): \(shown) instead of \(cell)" }
      }
    }
    return nil
  }
}
