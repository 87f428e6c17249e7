/// What comes from the terminal.
public enum TerminalInput: Hashable, Sendable {
  case key(Key)
  case mouse(MouseEvent)
  /// Pasted text (bracketed): never keys.
  case paste(String)
  /// The terminal's window is looked at, or no longer.
  case focus(Bool)
}

/// A key with what was held down beside it.
public struct Key: Hashable, Sendable {
  public enum Name: Hashable, Sendable {
    /// What was typed, as typed: shift is in the character.
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
    case enter, tab, backspace, escape
    case function(Int)
    /// A sequence nobody knows: does nothing.
    case unknown
  }

  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// For keys that are no characters.
    public static let shift = Modifiers(rawValue: 1)
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }

  public var name: Name
  public var modifiers: Modifiers

  public init(_ name: Name, _ modifiers: Modifiers = []) {
    self.name = name
    self.modifiers = modifiers
  }
}

/// What the mouse did, and where: row and column count from 0.
public struct MouseEvent: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    case press(Button)
    case drag(Button)
    case release
    case scroll(down: Bool)
  }

  public enum Button: Hashable, Sendable { case left, middle, right }

  public var action: Action
  public var row: Int
  public var column: Int
  public var modifiers: Key.Modifiers

  public init(_ action: Action, row: Int, column: Int, modifiers: Key.Modifiers = []) {
    self.action = action
    self.row = row
    self.column = column
    self.modifiers = modifiers
  }
}
