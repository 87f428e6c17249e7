import CChafa
import TerminalModel

/// A picture in memory: RGBA, row by row, not premultiplied.
public struct PixelImage: Hashable, Sendable {
  public let width: Int
  public let height: Int
  public let pixels: [UInt8]

  /// Nil where there are not four bytes for each pixel.
  public init?(width: Int, height: Int, pixels: [UInt8]) {
    guard width > 0, height > 0, width < 1 << 15, height < 1 << 15,
      pixels.count == width * height * 4
    else { return nil }
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// Pictures as characters, by libchafa.
public enum PictureSymbols {
  /// True where the library is installed. Loads it; any thread.
  public static var isAvailable: Bool { sotto_chafa_load() }

  /// The picture as large as it gets within some cells, its shape kept: cells row by row. Nil where
  /// the library is missing or there is no room. Some milliseconds for a cover; any thread.
  public static func cells(
    _ image: PixelImage, columns: Int, rows: Int, cell: Terminal.Size.Pixels?,
    _ capabilities: Capabilities
  ) -> (columns: Int, rows: Int, cells: [Cell])? {
    let (columns, rows) = fit(image, columns: columns, rows: rows, cell: cell)
    guard columns > 0, rows > 0 else { return nil }
    let colors: sotto_chafa_colors
    switch capabilities.colors {
    case .direct: colors = sotto_chafa_direct
    case .indexed: colors = sotto_chafa_indexed
    case .sixteen: colors = sotto_chafa_sixteen
    case .eight: colors = sotto_chafa_eight
    case .none: colors = sotto_chafa_none
    }
    var symbols = sotto_chafa_ascii
    // Consoles and old terminals have no sixths in their fonts; their colours are few.
    if capabilities.showsUnicode {
      symbols = capabilities.colors >= .indexed ? sotto_chafa_sextants : sotto_chafa_halves
    }
    var drawn = [sotto_chafa_cell](repeating: sotto_chafa_cell(), count: columns * rows)
    let isDrawn = unsafe image.pixels.withUnsafeBufferPointer { pixels in
      unsafe drawn.withUnsafeMutableBufferPointer { cells in
        unsafe sotto_chafa_draw(
          pixels.baseAddress, Int32(image.width), Int32(image.height), Int32(columns), Int32(rows),
          colors, symbols, cells.baseAddress)
      }
    }
    guard isDrawn else { return nil }
    return (columns, rows, drawn.map { Self.cell($0, colors) })
  }

  /// Columns and rows of a picture that keeps its shape; a cell is half as wide as it is high where
  /// the terminal does not tell.
  public static func fit(
    _ image: PixelImage, columns: Int, rows: Int, cell: Terminal.Size.Pixels?
  ) -> (columns: Int, rows: Int) {
    guard columns > 0, rows > 0 else { return (0, 0) }
    let cell = cell ?? Terminal.Size.Pixels(width: 1, height: 2)
    // As high as there is room, unless that is too wide.
    let wide = image.width * rows * cell.height
    let high = image.height * cell.width
    if wide <= columns * high { return (max(1, (wide + high / 2) / high), rows) }
    let tall = image.height * columns * cell.width
    let broad = image.width * cell.height
    return (columns, min(max(1, (tall + broad / 2) / broad), rows))
  }

  private static func cell(_ drawn: sotto_chafa_cell, _ colors: sotto_chafa_colors) -> Cell {
    let character = Unicode.Scalar(drawn.scalar).map { Character($0) } ?? " "
    func color(_ number: Int32) -> Color {
      guard number >= 0 else { return .terminal }
      if colors == sotto_chafa_direct {
        return .rgb(
          UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
      }
      // Beyond the colours are its own numbers for what is transparent.
      guard number < 256, colors != sotto_chafa_none else { return .terminal }
      return number < 16 ? .ansi(UInt8(number)) : .indexed(UInt8(number))
    }
    return Cell(character, style: Style(color(drawn.foreground), on: color(drawn.background)))
  }
}
