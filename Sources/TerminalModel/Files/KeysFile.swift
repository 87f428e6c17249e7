import AudioTypes
import PlayerState

/// `keys`: `key = command`, or `place.key = command`; `none` takes a key away.
public enum KeysFile {
  /// The table with the file's changes, and what is wrong with it. A line with a fault changes
  /// nothing.
  public static func read(_ text: String, over table: KeyTable = .defaults) -> (
    keys: KeyTable, errors: [ConfigError]
  ) {
    var table = table
    var (entries, errors) = ConfigLines.read(text)
    for entry in entries {
      do throws(CommandError) {
        let (place, key) = try place(entry.name)
        table.bind(key, in: place, to: try command(entry.value))
      } catch {
        errors.append(ConfigError(line: entry.line, error.sentence))
      }
    }
    entries = []
    return (table, errors.sorted { $0.line < $1.line })
  }

  static func binding(_ line: String) throws(CommandError) -> (
    KeyTable.Place, Key, ScreenCommand?
  ) {
    let (name, value) = try ConfigLines.split(ConfigLines.trim(line[...]))
    let (place, key) = try place(name)
    return (place, key, try command(value))
  }

  private static func command(_ text: String) throws(CommandError) -> ScreenCommand? {
    text == "none" ? nil : try ScreenCommand(text)
  }

  private static func place(_ name: String) throws(CommandError) -> (KeyTable.Place, Key) {
    if let key = Key(named: name) { return (.everywhere, key) }
    if let dot = name.firstIndex(of: "."), dot != name.startIndex {
      let word = String(name[..<dot])
      guard let place = KeyTable.Place(rawValue: word) else {
        let places = KeyTable.Place.allCases.map(\.rawValue)
        throw CommandError(
          "no place is called '\(Text.printable(word))'\(Nearest.hint(to: word, among: places))")
      }
      let rest = String(name[name.index(after: dot)...])
      guard let key = Key(named: rest) else { throw noKey(rest) }
      return (place, key)
    }
    throw noKey(name)
  }

  private static func noKey(_ name: String) -> CommandError {
    CommandError(
      "no key is called '\(Text.printable(name))'\(Nearest.hint(to: name, among: Key.allNames))")
  }

  /// The table as a file that is read back as it.
  public static func text(_ table: KeyTable) -> String {
    table.bindings.map { binding in
      let place = binding.place == .everywhere ? "" : binding.place.rawValue + "."
      return "\(place)\(binding.key.text) = \(binding.command.text)\n"
    }.joined()
  }
}
