import AudioTypes
import JSONText
import TerminalModel

/// `sotto config`: what is set, and where each value comes from.
@MainActor enum ConfigCommand {
  static func run(_ options: ConfigOptions) {
    if options.isExample {
      Console.print(String(Settings.example.dropLast()))
      return Console.endIfBroken()
    }
    let configuration = Configuration.read(options.config)
    let rows = configuration.settings.effective(
      file: configuration.file, lines: configuration.lines)
    let widest = (rows.map { "\($0.name) = \($0.value)".count }.max() ?? 0) + 2
    for row in rows {
      if options.json {
        let object = JSON.object([
          ("name", .string(row.name)), ("value", .string(row.value)),
          ("origin", .string(row.origin)), ("summary", .string(row.summary)),
        ])
        Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
      } else {
        let text = "\(row.name) = \(row.value)"
        let gap = String(repeating: " ", count: widest - text.count)
        Console.print(Text.printable(text + gap + "# " + row.origin))
      }
    }
    Console.flush()
    for fault in configuration.faults {
      Messages.status = 1
      Messages.tell(fault)
    }
    Console.endIfBroken()
  }
}
