import Glibc
import TerminalModel

/// A cell as the painter compares it: two numbers, so that twelve thousand of them take microseconds.
/// (Comparing characters of text asks whether they mean the same in Unicode, which is slow.)
struct FrameCell: Equatable, Sendable {
  /// The bytes of its UTF-8, first byte lowest; what is longer than seven is a hash below 0xFF.
  let key: UInt64
  /// The pen, and above it the columns and whether terminals agree on them.
  let look: UInt64

  static let blankKey: UInt64 = 0x20
  private static let certain: UInt64 = 1 << 62

  init(key: UInt64, pen: UInt64, width: UInt8, isCertain: Bool) {
    self.key = key
    look = pen | UInt64(width & 3) << 60 | (isCertain ? Self.certain : 0)
  }

  var width: Int { Int(look >> 60 & 3) }
  var isCertain: Bool { look & Self.certain != 0 }
  var pen: UInt64 { look & Pen.mask }
  var isASCII: Bool { key < 0x80 }
  /// The right half of a wide character has the key of a blank and no width.
  var isBlank: Bool { key == Self.blankKey && width == 1 }
  var isLong: Bool { key >> 56 == 0xFF }
}

/// A grid made ready for a terminal: every character safe and shown, every style a pen it has.
struct Frame: Sendable {
  let grid: Grid
  let cells: [FrameCell]

  var columns: Int { grid.columns }
  var rows: Int { grid.rows }

  subscript(row: Int, column: Int) -> FrameCell { cells[row * columns + column] }

  /// Nothing but blanks.
  init(columns: Int, rows: Int) {
    grid = Grid(columns: columns, rows: rows)
    cells = Array(
      repeating: FrameCell(key: FrameCell.blankKey, pen: 0, width: 1, isCertain: true),
      count: grid.columns * grid.rows)
  }

  /// Rows that are the same as in an older one, bit for bit, are taken from there: mostly nearly all
  /// of them are.
  init(_ grid: Grid, after old: Frame? = nil, _ capabilities: Capabilities) {
    self.grid = grid
    var maker = CellMaker(capabilities)
    var cells: [FrameCell] = []
    cells.reserveCapacity(grid.cells.count)
    for row in 0..<grid.rows {
      let places = row * grid.columns..<(row + 1) * grid.columns
      if let old, old.rows == grid.rows, old.columns == grid.columns,
        Self.areSame(grid.cells, old.grid.cells, places)
      {
        cells += old.cells[places]
      } else {
        for place in places { cells.append(maker.make(grid.cells[place])) }
      }
    }
    self.cells = cells
  }

  /// The same bits are the same cells; the other way round need not hold, and costs only time.
  private static func areSame(_ one: [Cell], _ other: [Cell], _ places: Range<Int>) -> Bool {
    let size = MemoryLayout<Cell>.stride
    return unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        guard let one = one.baseAddress, let other = other.baseAddress else {
          return false
        }
        let start = places.lowerBound * size
        return unsafe memcmp(one + start, other + start, places.count * size) == 0
      }
    }
  }

  /// The bytes of a cell.
  func append(_ row: Int, _ column: Int, to bytes: inout [UInt8]) {
    let cell = self[row, column]
    if cell.isLong {
      bytes += grid[row, column].character.utf8
      return
    }
    var rest = cell.key
    while rest != 0 {
      bytes.append(UInt8(rest & 0xFF))
      rest >>= 8
    }
  }
}

/// Makes cells, and remembers what it has looked up: neighbours are mostly alike.
private struct CellMaker {
  private let capabilities: Capabilities
  private var style = Style.plain
  private var pen: UInt64
  /// The pen of a blank in that style.
  private var blankPen: UInt64
  /// Characters beyond ASCII, by the lowest bits of their keys.
  private var known: [(key: UInt64, shown: UInt64, isCertain: Bool)]

  init(_ capabilities: Capabilities) {
    self.capabilities = capabilities
    let plain = Pen(.plain, capabilities)
    pen = plain.packed
    blankPen = plain.onBlank.packed
    known = Array(repeating: (0, 0, false), count: 256)
  }

  mutating func make(_ cell: Cell) -> FrameCell {
    if cell.style != style {
      style = cell.style
      let found = Pen(style, capabilities)
      pen = found.packed
      blankPen = found.onBlank.packed
    }
    if cell.width == 0 {
      return FrameCell(key: FrameCell.blankKey, pen: pen, width: 0, isCertain: true)
    }
    let key = Self.key(cell.character)
    if key < 0x80 {
      // What a terminal would obey is shown as a mark.
      let shown = key >= 0x20 && key < 0x7F ? key : 0x3F
      return FrameCell(
        key: shown, pen: shown == FrameCell.blankKey && cell.width == 1 ? blankPen : pen,
        width: cell.width, isCertain: true)
    }
    let (shown, isCertain) = look(up: key, cell.character, width: Int(cell.width))
    return FrameCell(key: shown, pen: pen, width: cell.width, isCertain: isCertain)
  }

  private static func key(_ character: Character) -> UInt64 {
    var key: UInt64 = 0
    var shift: UInt64 = 0
    for byte in character.utf8 {
      if shift == 56 { return hash(character) }
      key |= UInt64(byte) << shift
      shift += 8
    }
    return key
  }

  /// FNV-1a, below a byte that no UTF-8 has.
  private static func hash(_ character: Character) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in character.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash | 0xFF << 56
  }

  private mutating func look(up key: UInt64, _ character: Character, width: Int) -> (UInt64, Bool) {
    let place = Int((key ^ key >> 8 ^ key >> 16) & 0xFF)
    // The width is part of it: a certain character in a cell of other columns is not certain there.
    let mark = key ^ UInt64(width) << 55
    if known[place].key == mark { return (known[place].shown, known[place].isCertain) }
    let printable = printable(character)
    let isCertain =
      printable.isASCII
      || (CharacterWidth.isCertain(printable) && CharacterWidth.columns(printable) == width)
    let shown = printable == character ? key : Self.key(printable)
    known[place] = (mark, shown, isCertain)
    return (shown, isCertain)
  }

  /// What may reach the terminal: never anything that it obeys.
  private func printable(_ character: Character) -> Character {
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
}
