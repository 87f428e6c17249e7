import Glibc

/// From the command line to a command, and to the exit status.
@MainActor enum Program {
  static func run(_ arguments: [[UInt8]]) -> Never {
    Signals.install()
    do {
      try dispatch(
        Arguments.parse(arguments) {
          unsafe access($0.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
        })
    } catch {
      Messages.tell(error.sentence)
      Process.end(64)
    }
    Process.end(Messages.status)
  }

  private static func dispatch(_ invocation: Invocation) throws(UsageError) {
    switch invocation {
    case .help(nil): result(Help.overview())
    case .help(let command?): result(Help.command(CommandSpec.named(command)))
    case .version: result("sotto \(Help.version)\n")
    default: throw UsageError(sentence: "this command is not built yet")
    }
  }

  private static func result(_ text: String) {
    Console.print(String(text.dropLast()))
    Console.endIfBroken()
  }
}
