import TerminalModel
import TestSupport
import Testing

@testable import TerminalScreen

@Suite struct PictureSymbolsTests {
  /// Left one colour, right the other.
  private static func image(width: Int, height: Int) throws -> PixelImage {
    var pixels: [UInt8] = []
    for _ in 0..<height {
      for x in 0..<width { pixels += x < width / 2 ? [200, 0, 0, 255] : [0, 0, 200, 255] }
    }
    return try #require(PixelImage(width: width, height: height, pixels: pixels))
  }

  @Test func `A picture has four bytes for each pixel, or is none`() {
    #expect(PixelImage(width: 2, height: 2, pixels: [UInt8](repeating: 0, count: 15)) == nil)
    #expect(PixelImage(width: 0, height: 0, pixels: []) == nil)
    #expect(PixelImage(width: 1 << 20, height: 1, pixels: []) == nil)
  }

  @Test func `A picture keeps its shape within the cells there are`() throws {
    func fit(_ width: Int, _ height: Int, _ columns: Int, _ rows: Int) throws -> [Int] {
      let fit = PictureSymbols.fit(
        try Self.image(width: width, height: height), columns: columns, rows: rows, cell: nil)
      return [fit.columns, fit.rows]
    }
    #expect(try fit(100, 100, 40, 10) == [20, 10])
    #expect(try fit(100, 100, 10, 40) == [10, 5])
    #expect(try fit(200, 100, 40, 10) == [40, 10])
    #expect(try fit(1000, 1, 40, 10) == [40, 1])
    #expect(try fit(1, 1000, 40, 10) == [1, 10])
    #expect(try fit(5, 5, 0, 10) == [0, 0])
    let square = PictureSymbols.fit(
      try Self.image(width: 10, height: 10), columns: 40, rows: 10,
      cell: Terminal.Size.Pixels(width: 10, height: 10))
    #expect(square == (10, 10))
  }

  @Test(
    .enabled(if: Tool.isIntegration || PictureSymbols.isAvailable),
    arguments: [Capabilities.Colors.none, .eight, .sixteen, .indexed, .direct])
  func `A picture is drawn in the colours there are`(_ colors: Capabilities.Colors) throws {
    var capabilities = Capabilities.modern
    capabilities.colors = colors
    let image = try Self.image(width: 80, height: 80)
    let drawn = try #require(
      PictureSymbols.cells(image, columns: 20, rows: 5, cell: nil, capabilities))
    #expect(drawn.columns == 10 && drawn.rows == 5 && drawn.cells.count == 50)
    #expect(drawn.cells.allSatisfy { $0.width == 1 })
    for cell in drawn.cells { #expect(CharacterWidth.columns(cell.character) == 1) }
    /// What fills a cell: a blank shows the ground alone, a full block the letter's colour.
    func fill(_ cell: Cell) -> Color {
      cell.character == " " ? cell.style.background : cell.style.foreground
    }
    let (left, right) = (fill(drawn.cells[21]), fill(drawn.cells[28]))
    switch colors {
    case .none: #expect(left == .terminal && right == .terminal)
    case .eight, .sixteen:
      #expect(left != right)
      for color in [left, right] {
        guard case .ansi = color else {
          Issue.record("\(color)")
          continue
        }
      }
    case .indexed:
      #expect(left == .indexed(160) && right == .indexed(20))
    case .direct:
      guard case .rgb(let red, _, let blue) = left, case .rgb(let red2, _, let blue2) = right
      else {
        Issue.record("\(left), \(right)")
        return
      }
      #expect(red > 150 && blue < 50 && red2 < 50 && blue2 > 150)
    }
  }

  @Test(.enabled(if: Tool.isIntegration || PictureSymbols.isAvailable))
  func `Without Unicode a picture is ASCII`() throws {
    var capabilities = Capabilities.modern
    capabilities.showsUnicode = false
    let drawn = try #require(
      PictureSymbols.cells(
        try Self.image(width: 30, height: 30), columns: 20, rows: 5, cell: nil, capabilities))
    #expect(drawn.cells.allSatisfy { $0.character.isASCII })
  }
}

@Suite struct TerminalLibrariesTests {
  @Test func `Each library says what it gives and what its absence costs`() {
    let libraries = TerminalLibraries.survey()
    #expect(libraries.map(\.name) == ["terminfo", "libutf8proc", "libchafa"])
    for library in libraries {
      #expect(!library.purpose.isEmpty && !library.loss.isEmpty && !library.remedy.isEmpty)
      #expect(library.isAvailable || library.version.isEmpty)
    }
  }
}
