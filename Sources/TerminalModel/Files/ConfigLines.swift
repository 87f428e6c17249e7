import AudioTypes
import PlayerState

/// What is wrong with a line of a configuration file.
public struct ConfigError: Error, Equatable, Sendable {
  public var line: Int
  /// Without its full stop.
  public var sentence: String
  public init(line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }

  /// "FILE:LINE: what is wrong".
  public func message(in file: String) -> String { "\(file):\(line): \(sentence)" }
}

/// Files of `name = value`. A line that begins with `#` is a comment; so is what follows a `#` that
/// stands alone between blanks. A value in quotes keeps its blanks and signs.
public enum ConfigLines {
  public struct Entry: Equatable, Sendable {
    public var line: Int
    public var name: String
    public var value: String
  }

  public static func read(_ text: String) -> (entries: [Entry], errors: [ConfigError]) {
    var entries: [Entry] = []
    var errors: [ConfigError] = []
    for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = trim(raw)
      if line.isEmpty || line.first == "#" { continue }
      do throws(CommandError) {
        let (name, value) = try split(line)
        entries.append(Entry(line: index + 1, name: name, value: value))
      } catch {
        errors.append(ConfigError(line: index + 1, error.sentence))
      }
    }
    return (entries, errors)
  }

  /// A name and its value.
  static func split(_ line: Substring) throws(CommandError) -> (name: String, value: String) {
    // The name may be a sign, even this one: what is looked for comes after it.
    guard let equals = line.dropFirst().firstIndex(of: "=") else {
      throw CommandError("'\(Text.printable(String(line.prefix(40))))' is no 'name = value'")
    }
    let name = trim(line[..<equals])
    let value = try unquoted(trim(line[line.index(after: equals)...]))
    if name.isEmpty { throw CommandError("a name is missing before '='") }
    return (String(name), value)
  }

  private static func unquoted(_ text: Substring) throws(CommandError) -> String {
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      return String(uncommented(text))
    }
    guard let end = text.dropFirst().firstIndex(of: quote) else {
      throw CommandError("a quote is not closed")
    }
    // A quoted word with more after it is no quoted value: a command, as it stands.
    let rest = trim(text[text.index(after: end)...])
    guard rest.isEmpty || rest.first == "#" else { return String(uncommented(text)) }
    return String(text[text.index(after: text.startIndex)..<end])
  }

  private static func uncommented(_ text: Substring) -> Substring {
    // A colour is `#ffd700`, so a comment needs its blank.
    var before: Character = " "
    for index in text.indices {
      let next = text.index(after: index)
      if text[index] == "#", before.isWhitespace, next == text.endIndex || text[next].isWhitespace {
        return trim(text[..<index])
      }
      before = text[index]
    }
    return text
  }

  static func trim(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
