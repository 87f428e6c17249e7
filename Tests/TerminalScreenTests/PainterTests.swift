import TerminalModel
import Testing

@testable import TerminalScreen

@Suite struct PainterTests {
  private static func grid(_ lines: [String], columns: Int, _ style: Style = .plain) -> Grid {
    var grid = Grid(columns: columns, rows: lines.count)
    for (row, line) in lines.enumerated() {
      var column = 0
      for character in line {
        let width = CharacterWidth.columns(character)
        grid.put(character, width: width, style: style, row: row, column: column)
        column += width
      }
    }
    return grid
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}[", with: "^")
  }

  private static func paint(_ old: [String], _ new: [String], columns: Int = 20) -> String {
    var plain = Capabilities.modern
    plain.hasSynchronizedOutput = false
    return text(
      Painter.paint(
        from: grid(old, columns: columns), to: grid(new, columns: columns), plain))
  }

  // MARK: Bytes

  @Test func `What is the same needs no byte`() {
    #expect(Self.paint(["abc", "日本"], ["abc", "日本"]) == "")
  }

  @Test func `A changed cell is a place and a character`() {
    #expect(Self.paint(["abc", "def"], ["abc", "dXf"]) == "^2;2HX")
    #expect(Self.paint(["abc", "def"], ["abc", "Xef"]) == "^2HX")
    #expect(Self.paint(["abc"], ["Xbc"]) == "^HX")
  }

  @Test func `Between near changes the cells are written again, further away the cursor moves`() {
    #expect(Self.paint(["0:01 / 3:00"], ["0:02 / 3:05"]) == "^1;4H2^6C5")
    #expect(Self.paint(["0:01/3:00"], ["0:02/3:05"]) == "^1;4H2/3:05")
    #expect(Self.paint(["a         b"], ["x         y"]) == "^Hx^9Cy")
  }

  @Test func `The rest of a row is erased`() {
    #expect(Self.paint(["a long title"], ["a"]) == "^1;3H^K")
    #expect(Self.paint(["abc"], ["ab"]) == "^1;3H ")
  }

  @Test func `Blanks within a row are erased when they are many`() {
    #expect(Self.paint(["ab345678901234567y"], ["ab               y"]) == "^1;3H^15X")
  }

  @Test func `After a character that terminals dispute about the place is absolute`() {
    #expect(Self.paint([""], ["👍ab"]) == "^H👍^3Gab")
    // What it may cover is written again, and what it may leave is blank.
    #expect(Self.paint(["xyz"], ["👍z"]) == "^H  \r👍")
    #expect(Self.paint(["abcdefghijklmno"], ["👩‍🎤cdefghijklmno"]) == "^H  \r👩‍🎤^3Gcde")
    #expect(Self.paint([""], ["日ab"]) == "^H日ab")
  }

  @Test func `Erasing all is chosen where it is less`() {
    let old = (0..<8).map { _ in "x        x        x" }
    var new = [String](repeating: "", count: 8)
    new[7] = "end"
    #expect(Self.paint(old, new) == "^?25l^m^H^2J^8Hend")
  }

  @Test func `A long burst is synchronized, where the terminal may know it`() {
    let grid = Self.grid([String](repeating: "0123456789", count: 20), columns: 10)
    let bytes = Self.text(Painter.paint(from: nil, to: grid, .modern))
    #expect(bytes.hasPrefix("^?2026h") && bytes.hasSuffix("^?2026l"))
    var old = Capabilities.modern
    old.hasSynchronizedOutput = false
    #expect(!Self.text(Painter.paint(from: nil, to: grid, old)).contains("2026"))
  }

  @Test func `The pen changes only where it is seen to`() {
    var old = Self.grid(["one two"], columns: 20)
    var new = old
    let red = Style(.ansi(1))
    for (column, character) in "one two".enumerated() {
      new.put(character, width: 1, style: red, row: 0, column: column)
    }
    #expect(Self.text(Painter.paint(from: old, to: new, .modern)) == "^H^31mone two^m")
    // A blank of another foreground is the same blank.
    old = new
    new.put(" ", width: 1, style: Style(.ansi(2)), row: 0, column: 3)
    #expect(Painter.paint(from: old, to: new, .modern).isEmpty)
  }

  @Test func `The cursor is shown where it belongs, and hidden while it runs about`() {
    var old = Self.grid(["abc", "def"], columns: 10)
    var new = old
    new.cursor = Grid.Position(row: 1, column: 2)
    #expect(Self.text(Painter.paint(from: old, to: new, .modern)) == "^2;3H^?25h")
    old = new
    new.cursor = Grid.Position(row: 1, column: 3)
    #expect(Self.text(Painter.paint(from: old, to: new, .modern)) == "f")
    new.put("x", width: 1, style: .plain, row: 0, column: 0)
    #expect(Self.text(Painter.paint(from: old, to: new, .modern)) == "^?25l^Hx^2;4H^?25h")
    new.cursor = nil
    #expect(Self.text(Painter.paint(from: old, to: new, .modern)) == "^?25l^Hx")
  }

  @Test func `Nothing that a terminal obeys gets through`() {
    let hostile: [Character] = [
      "\u{1B}", "\r\n", "\u{7}", "\u{9B}", "\u{202E}", "\u{2028}", "\u{301}", "\u{200D}", "\u{0}",
    ]
    var grid = Grid(columns: 20, rows: 1)
    for (column, character) in hostile.enumerated() {
      grid.put(character, width: 1, style: .plain, row: 0, column: column)
    }
    let bytes = Painter.paint(from: Grid(columns: 20, rows: 1), to: grid, .modern)
    #expect(Self.text(bytes) == "^H" + String(repeating: "?", count: hostile.count))
  }

  @Test func `A terminal without Unicode gets a likeness of the same columns`() {
    var capabilities = Capabilities.modern
    capabilities.showsUnicode = false
    let grid = Self.grid(["╭─▶ 日本 é…│"], columns: 20)
    let bytes = Painter.paint(from: Grid(columns: 20, rows: 1), to: grid, capabilities)
    #expect(Self.text(bytes) == "^H+-> ? ?  ?.|")
  }

  @Test func `The last cell stays blank where writing it would move the screen`() {
    var capabilities = Capabilities.modern
    capabilities.lastCellScrolls = true
    let grid = Self.grid(["abc", "def"], columns: 3)
    #expect(Self.text(Painter.paint(from: nil, to: grid, capabilities)).hasSuffix("^2Jabc^2Hde"))
  }

  // MARK: Any grid after any other

  private static let alphabet: [Character] =
    Array("abcdefgh    .─│█▁日本語あ") + [
      "👍", "👩‍🎤", "👨‍👩‍👧‍👦", "🇩🇪", "❤️", "e\u{301}", "é", "1️⃣", "कि", "ש", "⏸",
    ]
  private static let styles: [Style] = [
    .plain, .plain, Style(.ansi(1)), Style(.ansi(9), .bold), Style(.terminal, on: .ansi(4)),
    Style(.rgb(200, 10, 90), on: .rgb(1, 2, 3)), Style(.indexed(200), on: .indexed(17), .italic),
    Style(.terminal, .reverse), Style(.terminal, .underline), Style(.ansi(8)),
    Style(.terminal, [.dim, .strikethrough]),
  ]

  private static func randomCapabilities(_ random: inout SeededGenerator) -> Capabilities {
    var found = Capabilities.modern
    found.colors = [.none, .eight, .sixteen, .indexed, .direct].randomElement(using: &random)!
    if Bool.random(using: &random) { found.attributes = [.bold, .reverse, .underline] }
    if Bool.random(using: &random) { found.attributesWithoutColor = [.underline, .dim] }
    found.hasDefaultColors = Bool.random(using: &random)
    found.erasesInColor = Bool.random(using: &random)
    found.hasEraseCharacters = Bool.random(using: &random)
    found.hasColumnAddress = Bool.random(using: &random)
    found.hasSynchronizedOutput = Bool.random(using: &random)
    return found
  }

  /// Another grid: a few cells, whole rows, or everything changed.
  private static func change(_ grid: Grid, _ random: inout SeededGenerator) -> Grid {
    var new = Bool.random(using: &random) ? grid : Grid(columns: grid.columns, rows: grid.rows)
    let most = [1, 4, 30, 300].randomElement(using: &random)!
    for _ in 0..<Int.random(in: 0...most, using: &random) {
      let row = Int.random(in: 0..<grid.rows, using: &random)
      let start = Int.random(in: 0..<grid.columns, using: &random)
      let style = styles.randomElement(using: &random)!
      // Runs of one character make what can be erased.
      let run = Int.random(in: 0..<3, using: &random) == 0 ? 20 : 1
      let character = alphabet.randomElement(using: &random)!
      let width = CharacterWidth.columns(character)
      for step in 0..<run {
        new.put(character, width: width, style: style, row: row, column: start + step * width)
      }
    }
    new.cursor = nil
    if Int.random(in: 0..<3, using: &random) == 0 {
      new.cursor = Grid.Position(
        row: Int.random(in: 0..<grid.rows, using: &random),
        column: Int.random(in: 0..<grid.columns, using: &random))
    }
    return new
  }

  @Test
  func `The terminal shows the new grid, whatever the old one was, in no more bytes than all`() {
    var random = SeededGenerator(seed: 13)
    for round in 0..<120 {
      let capabilities = Self.randomCapabilities(&random)
      let columns = Int.random(in: 1...40, using: &random)
      let rows = Int.random(in: 1...8, using: &random)
      var terminal = TerminalEmulator(columns: columns, rows: rows, filledWith: "#")
      terminal.erasesInColor = capabilities.erasesInColor
      var shown: Grid?
      for step in 0..<8 {
        let base = shown ?? Grid(columns: columns, rows: rows)
        let new = Self.change(base, &random)
        let bytes = Painter.paint(from: shown, to: new, capabilities)
        terminal.feed(bytes)
        if let difference = terminal.difference(from: new, capabilities) {
          Issue.record("round \(round), step \(step): \(difference); \(Self.text(bytes))")
          return
        }
        let all = Painter.paint(from: nil, to: new, capabilities)
        #expect(bytes.count <= all.count, "round \(round), step \(step)")
        shown = new
      }
    }
  }

  @Test func `A frame made after another is the frame made alone`() {
    var random = SeededGenerator(seed: 15)
    var grid = Grid(columns: 30, rows: 6)
    var frame = Frame(grid, .modern)
    for _ in 0..<200 {
      grid = Self.change(grid, &random)
      frame = Frame(grid, after: frame, .modern)
      #expect(frame.cells == Frame(grid, .modern).cells)
    }
  }

  @Test func `A terminal that knows no clusters is wrong only where the cluster itself is`() {
    var random = SeededGenerator(seed: 14)
    for round in 0..<80 {
      let columns = Int.random(in: 4...40, using: &random)
      let rows = Int.random(in: 1...6, using: &random)
      var terminal = TerminalEmulator(columns: columns, rows: rows, filledWith: "#")
      terminal.knowsClusters = false
      var shown: Grid?
      for step in 0..<8 {
        let new = Self.change(shown ?? Grid(columns: columns, rows: rows), &random)
        terminal.feed(Painter.paint(from: shown, to: new, .modern))
        let difference = terminal.difference(from: new, .modern) { row, column in
          let cell = new[row, column]
          if cell.width == 0 { return CharacterWidth.isCertain(new[row, column - 1].character) }
          return CharacterWidth.isCertain(cell.character)
        }
        if let difference {
          Issue.record("round \(round), step \(step): \(difference)")
          return
        }
        shown = new
      }
    }
  }
}
