/// A line that is being typed: of text as people see it, not of code points.
public struct LineEditor: Equatable, Sendable {
  public private(set) var characters: [Character] = []
  /// Before which character the cursor stands.
  public private(set) var cursor = 0

  /// Nobody types more; a paste may be anything.
  private static let longest = 4096

  public init(_ text: String = "") { insert(text) }

  public var text: String { String(characters) }
  public var isEmpty: Bool { characters.isEmpty }

  public mutating func insert(_ text: String) {
    let fit = Array(text.filter { !$0.isNewline }.prefix(Self.longest - characters.count))
    characters.insert(contentsOf: fit, at: cursor)
    cursor += fit.count
  }

  public mutating func replace(with text: String) {
    characters = []
    cursor = 0
    insert(text)
  }

  /// What editing keys do; false for a key that is none of them.
  public mutating func edit(_ key: Key) -> Bool {
    switch (key.name, key.modifiers) {
    case (.character(let character), []):
      insert(String(character))
    case (.backspace, []), (.character("h"), .control):
      if cursor > 0 {
        cursor -= 1
        characters.remove(at: cursor)
      }
    case (.delete, _), (.character("d"), .control):
      if cursor < characters.count { characters.remove(at: cursor) }
    case (.left, []), (.character("b"), .control): cursor = max(cursor - 1, 0)
    case (.right, []), (.character("f"), .control): cursor = min(cursor + 1, characters.count)
    case (.home, _), (.character("a"), .control): cursor = 0
    case (.end, _), (.character("e"), .control): cursor = characters.count
    case (.character("u"), .control):
      characters.removeFirst(cursor)
      cursor = 0
    case (.character("k"), .control): characters.removeLast(characters.count - cursor)
    case (.character("w"), .control), (.backspace, .alt):
      let end = cursor
      while cursor > 0, characters[cursor - 1].isWhitespace { cursor -= 1 }
      while cursor > 0, !characters[cursor - 1].isWhitespace { cursor -= 1 }
      characters.removeSubrange(cursor..<end)
    default: return false
    }
    return true
  }
}
