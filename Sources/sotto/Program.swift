import Glibc
import TerminalScreen

/// From the command line to a command, and to the exit status.
@MainActor enum Program {
  static func run(_ arguments: [[UInt8]]) -> Never {
    Signals.install()
    // Alone on a terminal it opens the player, which plays nothing by itself.
    if arguments.isEmpty, Terminal.isInteractive {
      takeDescriptor2(CommonOptions())
      PlayCommand.run(PlayOptions())
    }
    do {
      try dispatch(
        Arguments.parse(arguments) {
          unsafe access($0.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
        })
    } catch {
      Messages.tell(error.sentence)
      Exit.end(64)
    }
    Exit.end(Messages.status)
  }

  private static func dispatch(_ invocation: Invocation) throws(UsageError) {
    switch invocation {
    case .help(nil): result(Help.overview())
    case .help(let command?): result(Help.command(CommandSpec.named(command)))
    case .version: result("sotto \(Help.version)\n")
    case .play(let options):
      takeDescriptor2(options.common)
      PlayCommand.run(options)
    case .ctl(let options):
      takeDescriptor2(options.common)
      CtlCommand.run(options)
    case .info(let paths, let json, let common):
      takeDescriptor2(common)
      InfoCommand.run(paths: paths, json: json)
    case .search(let options):
      takeDescriptor2(options.common)
      SearchCommand.run(options)
    case .scan(let options):
      takeDescriptor2(options.common)
      try ScanCommand.run(options)
    case .render(let options):
      takeDescriptor2(options.common)
      try RenderCommand.run(options)
    case .devices(let json, let watch, let common):
      takeDescriptor2(common)
      DevicesCommand.run(json: json)
      if watch { DevicesWatch.run(json: json) }
    case .why(let count, let json, let common):
      takeDescriptor2(common)
      WhyCommand.run(count: count, json: json)
    case .session(let options):
      takeDescriptor2(options.common)
      SessionCommand.run(options)
    case .scenario(let options):
      takeDescriptor2(options.common)
      ScenarioCommand.run(options)
    case .playlist(let options):
      takeDescriptor2(options.common)
      PlaylistCommand.run(options)
    case .config(let options):
      takeDescriptor2(options.common)
      ConfigCommand.run(options)
    case .doctor(let common):
      takeDescriptor2(common)
      DoctorCommand.run()
    }
  }

  private static func takeDescriptor2(_ options: CommonOptions) {
    guard let sentence = Complaints.take(log: options.log) else { return }
    Messages.fault(options.log ?? [], sentence)
    Exit.end(1)
  }

  private static func result(_ text: String) {
    Console.print(String(text.dropLast()))
    Console.endIfBroken()
  }
}
