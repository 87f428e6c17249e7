import AudioTypes
import PlayerState

/// `themes/NAME`: `role = colour [on colour] [bold dim italic underline reverse strike]`.
public enum ThemeFile {
  /// What a file leaves out is as in `base`.
  public static func read(_ text: String, name: String, over base: Theme = .standard) -> (
    theme: Theme, errors: [ConfigError]
  ) {
    var theme = base
    theme.name = name
    let (entries, faults) = ConfigLines.read(text)
    var errors = faults
    for entry in entries {
      do throws(CommandError) {
        guard let role = Role(rawValue: entry.name) else {
          let names = Role.allCases.map(\.rawValue)
          throw CommandError(
            "a theme has no '\(Text.printable(entry.name))'\(Nearest.hint(to: entry.name, among: names))"
          )
        }
        theme[role] = try style(entry.value)
      } catch {
        errors.append(ConfigError(line: entry.line, error.sentence))
      }
    }
    return (theme, errors.sorted { $0.line < $1.line })
  }

  static let colors = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black",
    "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white",
  ]
  static let attributes: [(String, Style.Attributes)] = [
    ("bold", .bold), ("dim", .dim), ("italic", .italic), ("underline", .underline),
    ("reverse", .reverse), ("strike", .strikethrough),
  ]

  static func style(_ text: String) throws(CommandError) -> Style {
    var style = Style.plain
    var isGround = false
    for word in text.split(separator: " ").map(String.init) {
      if word == "on" {
        isGround = true
      } else if let found = attributes.first(where: { $0.0 == word }) {
        style.attributes.insert(found.1)
      } else if let color = color(word) {
        if isGround { style.background = color } else { style.foreground = color }
        isGround = false
      } else {
        let names = colors + ["terminal"] + attributes.map(\.0)
        throw CommandError(
          "no colour is called '\(Text.printable(word))'\(Nearest.hint(to: word, among: names))")
      }
    }
    if isGround { throw CommandError("a colour is missing after 'on'") }
    return style
  }

  /// `terminal`, a name, `0` to `255`, `#rrggbb`.
  private static func color(_ word: String) -> Color? {
    if word == "terminal" { return .terminal }
    if let index = colors.firstIndex(of: word) { return .ansi(UInt8(index)) }
    if word.hasPrefix("#"), word.utf8.count == 7, let value = UInt32(word.dropFirst(), radix: 16) {
      return .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
    }
    return UInt8(word).map { .indexed($0) }
  }
}
