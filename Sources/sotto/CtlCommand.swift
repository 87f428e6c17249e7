import AudioTypes
import Glibc
import JSONText
import PlayerState
import RemoteControl
import TerminalModel

/// `sotto ctl`: drives a running sotto by its control socket.
@MainActor enum CtlCommand {
  static func run(_ options: CtlOptions) {
    do throws(ControlError) {
      if options.wish == .instances { return try list() }
      let caller = try ControlCaller(PlayControl.folder, instance: options.instance)
      switch options.wish {
      case .instances: break
      case .status:
        let answer = try caller.ask(options.isJSON ? "status --json" : "status")
        if options.isJSON { line(answer) } else { tell(answer) }
      case .watch: try watch(caller)
      case .command(let command):
        let command = command.absolute(in: workingFolder)
        let answer = try caller.ask(command.text, patience: command.patience)
        if options.isJSON { line(answer) }
        tell(answer, isQuiet: options.isJSON)
      }
    } catch {
      Messages.tell(error.sentence)
      Messages.status = error.isAbsence ? 69 : 1
    }
    Console.endIfBroken()
  }

  private static func list() throws(ControlError) {
    let names = try PlayControl.folder.instances()
    if names.isEmpty { throw ControlError("no player is running", isAbsence: true) }
    for name in names { Console.print(name) }
  }

  private static func watch(_ caller: ControlCaller) throws(ControlError) {
    line(try caller.ask("watch"))
    Console.flush()
    while !Console.isBroken, let next = try caller.nextLine(whileRead: STDOUT_FILENO) {
      line(next)
      Console.flush()
    }
  }

  /// A line of the player's as it is.
  private static func line(_ text: String) {
    if !Environment.isUTF8, let value = try? JSON(reading: Array(text.utf8)) {
      return Console.write(value.text(isASCII: true) + "\n")
    }
    Console.write(text + "\n")
  }

  /// What it said, a sentence a line; a refusal is a fault, and so is what was left out.
  private static func tell(_ answer: String, isQuiet: Bool = false) {
    guard case .object(let fields)? = try? JSON(reading: Array(answer.utf8)) else {
      Messages.tell("the player's answer cannot be understood")
      Messages.status = 1
      return
    }
    let listsFaults = fields.contains { $0.0 == "errors" }
    for (name, value) in fields {
      switch (name, value) {
      case ("error", .string(let sentence)) where !listsFaults:
        Messages.tell(Text.printable(sentence))
        Messages.status = 1
      case ("errors", .array(let sentences)):
        for case .string(let sentence) in sentences { Messages.tell(Text.printable(sentence)) }
        Messages.status = 1
      case ("said", .array(let sentences)) where !isQuiet:
        for case .string(let sentence) in sentences { Console.print(Text.printable(sentence)) }
      default: break
      }
    }
  }

  static var workingFolder: [UInt8] {
    guard let name = unsafe getcwd(nil, 0) else { return [] }
    defer { unsafe free(name) }
    return unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name))).map {
      UInt8(bitPattern: $0)
    }
  }
}

extension ScreenCommand {
  /// The player has another working folder: paths are whole ones.
  func absolute(in folder: [UInt8]) -> ScreenCommand {
    if case .player(let command) = self { return .player(command.absolute(in: folder)) }
    return self
  }

  /// Who is told to read a folder takes as long as that takes.
  fileprivate var patience: Double? {
    switch self {
    case .player(.add), .player(.device), .player(.save), .player(.list), .player(.browse): nil
    default: ControlCaller.patience
    }
  }

  /// Words of a shell as the line that they are: those of a query are its own.
  init(words: [[UInt8]]) throws(CommandError) {
    let isQuery = words.first.map { $0.elementsEqual("search".utf8) } == true
    let line = words.enumerated().map { place, word in
      isQuery && place > 0
        ? String(decoding: word.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
        : CommandWords.quoted(word)
    }
    try self.init(elsewhere: line.joined(separator: " "))
  }
}

extension PlayerCommand {
  /// The player has another working folder: paths are whole ones. Addresses stay as they are.
  func absolute(in folder: [UInt8]) -> PlayerCommand {
    func whole(_ path: [UInt8]) -> [UInt8] { Self.whole(path, in: folder) }
    switch self {
    case .add(let paths, let destination): return .add(paths.map(whole), destination)
    case .preview(var piece):
      piece.path = whole(piece.path)
      return .preview(piece)
    case .save(let name, let replaces) where name.contains("/") && name.first != "~":
      return .save(
        String(decoding: whole(Array(name.utf8)), as: UTF8.self), replaces: replaces)
    case .list(let path, let wish) where path.contains(UInt8(ascii: "/")):
      return .list(path.first == UInt8(ascii: "~") ? path : whole(path), wish)
    case .browse(let path):
      return path.starts(with: "playlists:".utf8) ? self : .browse(whole(path))
    default: return self
    }
  }

  static func whole(_ path: [UInt8], in folder: [UInt8]) -> [UInt8] {
    if path.isEmpty || path.first == UInt8(ascii: "/") || TrackLocation(path: path).isURL
      || LibraryPlace.isWord(path)
    {
      return path
    }
    return folder + [UInt8(ascii: "/")] + path
  }
}

struct CtlOptions: Equatable {
  enum Wish: Equatable {
    case command(ScreenCommand)
    case status, watch, instances
  }

  var wish: Wish
  var isJSON = false
  var instance: String?
  var common = CommonOptions()
}

extension Arguments {
  /// `-5` is no option here, and after `--` nothing is.
  static func ctl(_ arguments: ArraySlice<[UInt8]>) throws(UsageError) -> Invocation {
    let read = try longOptions(arguments, CommandSpec.named(.ctl))
    let rest = read.rest
    if read.options["help"] != nil { return .help(.ctl) }
    guard let first = rest.first else {
      throw UsageError(sentence: "COMMAND is missing; see 'sotto ctl --help'")
    }
    var result = CtlOptions(wish: .status)
    result.isJSON = read.options["json"] != nil
    result.instance = read.text("instance")
    result.common = CommonOptions(log: read.options["log"])
    let own: [String: CtlOptions.Wish] = [
      "status": .status, "watch": .watch, "instances": .instances,
    ]
    let name = String(decoding: first, as: UTF8.self)
    if let wish = own[name] {
      result.wish = wish
      if rest.count > 1 {
        throw UsageError(
          sentence:
            "'\(name)' takes nothing, not '\(Text.printable(rest[1]))' too; see 'sotto ctl --help'")
      }
      return .ctl(result)
    }
    do throws(CommandError) {
      result.wish = .command(try ScreenCommand(words: rest))
    } catch {
      let known = ScreenCommand.specs.map(\.name)
      let isKnown = known.contains(name)
      let sentence =
        isKnown
        ? error.sentence : PlayerCommand.unknown(name, among: known + own.keys).sentence
      throw UsageError(sentence: "\(sentence); see 'sotto ctl --help'")
    }
    return .ctl(result)
  }
}
