/// A colour as a theme names it. What the terminal cannot show becomes the nearest it can.
public enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case terminal
  /// One of the sixteen named colours, 0 to 15: whatever the user's terminal makes of it.
  case ansi(UInt8)
  /// One of the 256.
  case indexed(UInt8)
  case rgb(UInt8, UInt8, UInt8)
}

/// How a cell is drawn.
public struct Style: Hashable, Sendable {
  public struct Attributes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let bold = Attributes(rawValue: 1)
    public static let dim = Attributes(rawValue: 2)
    public static let italic = Attributes(rawValue: 4)
    public static let underline = Attributes(rawValue: 8)
    public static let reverse = Attributes(rawValue: 16)
    public static let strikethrough = Attributes(rawValue: 32)
  }

  public var foreground: Color
  public var background: Color
  public var attributes: Attributes

  public init(
    _ foreground: Color = .terminal, on background: Color = .terminal,
    _ attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  public static let plain = Style()
}
