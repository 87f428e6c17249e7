/// Help texts, made from the same descriptions that the parser reads.
enum Help {
  static let version = "0.1.0"

  /// The help of the program.
  static func overview() -> String {
    var text = "OVERVIEW: A music player that behaves around other sound the way a phone does\n\n"
    text += "USAGE: sotto PATH...\n       sotto COMMAND [options] ...\n\n"
    text += section(
      "COMMANDS",
      CommandSpec.all.map { spec in
        (spec.name.rawValue + (spec.name == .play ? " (default)" : ""), spec.abstract)
      })
    text += section(
      "OPTIONS",
      [("--version", "Show the version"), (CommandSpec.help.label, CommandSpec.help.help)])
    text += "See 'sotto COMMAND --help' for what a command takes.\n"
    return text
  }

  /// The help of one command.
  static func command(_ spec: CommandSpec) -> String {
    var text = "OVERVIEW: \(spec.abstract)\n\n"
    text += "USAGE: sotto \(spec.name.rawValue) \(spec.usage)\n\n"
    if !spec.arguments.isEmpty { text += section("ARGUMENTS", spec.arguments) }
    text += section("OPTIONS", spec.options.map { ($0.label, $0.help) })
    for note in spec.notes {
      text += "\(note.title):\n" + note.lines.map { "  \($0)\n" }.joined() + "\n"
    }
    return String(text.dropLast())
  }

  private static let column = 24
  private static let width = 80

  /// A title and its rows: the label, then the help from the column on, wrapped at 80.
  private static func section(_ title: String, _ rows: [(label: String, help: String)]) -> String {
    var text = "\(title):\n"
    for row in rows {
      var line = "  " + row.label
      if line.count >= column {
        text += line + "\n"
        line = ""
      }
      line += String(repeating: " ", count: column - line.count)
      var isEmpty = true
      for word in row.help.split(separator: " ") {
        if !isEmpty, line.count + 1 + word.count > width {
          text += line + "\n"
          line = String(repeating: " ", count: column)
          isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
      }
      text += line + "\n"
    }
    return text + "\n"
  }
}
