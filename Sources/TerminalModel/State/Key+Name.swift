extension Key {
  private static let names: [(String, Name)] = [
    ("space", .character(" ")), ("equals", .character("=")), ("hash", .character("#")),
    ("up", .up), ("down", .down), ("left", .left), ("right", .right), ("home", .home),
    ("end", .end), ("pageup", .pageUp), ("pagedown", .pageDown), ("insert", .insert),
    ("delete", .delete), ("enter", .enter), ("tab", .tab), ("backspace", .backspace),
    ("escape", .escape),
  ]

  private static let modifierNames: [(String, Modifiers)] = [
    ("ctrl-", .control), ("alt-", .alt), ("shift-", .shift),
  ]

  /// As it stands in the configuration: `space`, `ctrl-r`, `alt-left`, `f5`, `C`, `+`. Nil for what
  /// is no key.
  public init?(named text: String) {
    var rest = text[...]
    var modifiers: Modifiers = []
    var isCut = true
    while isCut {
      isCut = false
      for (name, modifier) in Self.modifierNames
      where rest.hasPrefix(name) && rest.count > name.count {
        rest = rest.dropFirst(name.count)
        modifiers.insert(modifier)
        isCut = true
      }
    }
    if let found = Self.names.first(where: { $0.0 == rest }) {
      self.init(found.1, modifiers)
    } else if rest.first == "f", let number = Int(rest.dropFirst()), (1...24).contains(number) {
      self.init(.function(number), modifiers)
    } else if rest.count == 1, let character = rest.first, !character.isWhitespace {
      self.init(.character(character), modifiers)
    } else {
      return nil
    }
  }

  /// The name that is read back as this key.
  public var text: String {
    let head = Self.modifierNames.filter { modifiers.contains($0.1) }.map(\.0).joined()
    switch name {
    case .function(let number): return head + "f\(number)"
    case .unknown: return head + "unknown"
    default:
      if let found = Self.names.first(where: { $0.1 == name }) { return head + found.0 }
      if case .character(let character) = name { return head + String(character) }
      return head
    }
  }

  /// All names that are no single character, for "did you mean".
  static let allNames = names.map(\.0) + (1...12).map { "f\($0)" }
}
