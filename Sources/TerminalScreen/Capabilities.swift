import TerminalModel

/// What a terminal can do, as far as the painter asks. Whatever is painted on speaks ECMA-48; only
/// what terminals differ in is here.
public struct Capabilities: Equatable, Sendable {
  public enum Colors: Int, Comparable, Sendable {
    case none, eight, sixteen, indexed, direct
    public static func < (one: Colors, other: Colors) -> Bool { one.rawValue < other.rawValue }
  }

  public var colors = Colors.none
  /// Those that it shows. The others are left out.
  public var attributes: Style.Attributes = []
  /// Those that it cannot show together with a colour: then the colour stays.
  public var attributesWithoutColor: Style.Attributes = []
  /// It can go back to its own foreground or background alone.
  public var hasDefaultColors = false
  /// What is erased gets the background that is set; else the terminal's own.
  public var erasesInColor = false
  /// `CSI n X` blanks n cells.
  public var hasEraseCharacters = false
  /// `CSI n G` goes to a column.
  public var hasColumnAddress = false
  /// Writing the last cell of the last row moves the whole screen: it stays blank.
  public var lastCellScrolls = false
  /// A burst between `CSI ? 2026 h` and `l` is shown at once. Terminals that do not know it take it
  /// and do nothing.
  public var hasSynchronizedOutput = false
  /// Characters beyond ASCII reach it.
  public var showsUnicode = true
  /// It has another screen for programs, so that what was there comes back.
  public var hasAlternateScreen = false
  /// It may be asked whether it shows pictures: it takes questions that it does not know.
  public var mayShowPictures = false
  /// It stops the line by XON and XOFF: then these two are not ours to read as keys.
  public var needsFlowControl = false

  public init() {}

  /// The same with the colours that the user wants. One without colours, or with NO_COLOR, has none.
  public func colored(_ choice: Settings.ColorChoice) -> Capabilities {
    var capabilities = self
    guard colors > .none else { return capabilities }
    switch choice {
    case .auto: break
    case .none: capabilities.colors = .none
    case .eight: capabilities.colors = .eight
    case .sixteen: capabilities.colors = .sixteen
    case .indexed: capabilities.colors = .indexed
    case .direct: capabilities.colors = .direct
    }
    return capabilities
  }

  /// A terminal of today: xterm and whoever follows it.
  public static let modern: Capabilities = {
    var modern = Capabilities()
    modern.colors = .direct
    modern.attributes = [.bold, .dim, .italic, .underline, .reverse, .strikethrough]
    modern.hasDefaultColors = true
    modern.erasesInColor = true
    modern.hasEraseCharacters = true
    modern.hasColumnAddress = true
    modern.hasSynchronizedOutput = true
    modern.hasAlternateScreen = true
    return modern
  }()
}

/// Why the full screen cannot be had on a terminal: then the plain line is there.
public enum TerminalRefusal: Error, Equatable, Sendable {
  /// TERM is not set, or dumb.
  case dumb
  /// Nobody knows the terminal.
  case unknown(String)
  /// It cannot move its cursor, or does it in a way of its own.
  case foreign(String)

  /// For the user, without a full stop.
  public var sentence: String {
    switch self {
    case .dumb: "TERM is dumb or not set, so the full screen cannot be painted"
    case .unknown(let name):
      "the terminal '\(name)' is not known (TERM), so the full screen cannot be painted"
    case .foreign(let name):
      "the terminal '\(name)' cannot place its cursor as others do, so the full screen cannot be"
        + " painted"
    }
  }
}
