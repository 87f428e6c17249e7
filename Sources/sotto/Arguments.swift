import AudioTypes

/// What the command line asks for.
enum Invocation: Equatable {
  case help(Command?)
  case version
  case play(PlayOptions)
  case ctl(CtlOptions)
  case info(paths: [[UInt8]], json: Bool, common: CommonOptions)
  case scan(ScanOptions)
  case search(SearchOptions)
  case render(RenderOptions)
  case devices(json: Bool, watch: Bool, common: CommonOptions)
  case why(count: Int, json: Bool, common: CommonOptions)
  case session(SessionOptions)
  case scenario(ScenarioOptions)
  case config(ConfigOptions)
  case playlist(PlaylistOptions)
  case doctor(CommonOptions)
}

struct CommonOptions: Equatable {
  var log: [UInt8]?
}

enum OutputChoice: Equatable {
  case automatic, pulse, alsa, null
  case file([UInt8])
}

struct PlayOptions: Equatable {
  var paths: [[UInt8]] = []
  var output = OutputChoice.automatic
  var device: String?
  var isPlain = false
  /// Nothing of the last run is taken up, and nothing is kept of this one.
  var isFresh = false
  /// Percent of sotto's own level.
  var level = 100
  var gain = LoudnessMode.off
  /// The configuration to read; `nil` is the user's own.
  var config: [UInt8]?
  /// The options that were given: what was not is as the configuration says.
  var given: Set<String> = []
  var common = CommonOptions()
}

/// How `render` stores samples; the words of `--format`.
enum SampleFormat: String, CaseIterable {
  case f32, s24, s16
}

struct RenderOptions: Equatable {
  var path: [UInt8] = []
  var out: [UInt8] = []
  var format = SampleFormat.f32
  var rate: Int?
  var from: Double?
  var to: Double?
  var gain = LoudnessMode.off
  /// A file of session events to render under.
  var replay: [UInt8]?
  var common = CommonOptions()
}

struct ScanOptions: Equatable {
  var folders: [[UInt8]] = []
  var report = false
  var forgetsMissing = false
  var config: [UInt8]?
  var json = false
  var common = CommonOptions()
}

struct SessionOptions: Equatable {
  /// The file to replay; `nil` lists the rules.
  var replay: [UInt8]?
  var json = false
  var applications: [UInt8]?
  var common = CommonOptions()
}

struct ConfigOptions: Equatable {
  var config: [UInt8]?
  var isExample = false
  var json = false
  var common = CommonOptions()
}

struct ScenarioOptions: Equatable {
  var names: [Scenario.Name] = []
  var output = OutputChoice.automatic
  var device: String?
  var common = CommonOptions()
}

/// Wrong usage, in a sentence; ends with status 64.
struct UsageError: Error, Equatable {
  var sentence: String
}

/// Reads the command line. Arguments are bytes: a file name need not be UTF-8.
enum Arguments {
  /// - Parameter exists: whether a path is there, which tells a misspelt command from a file.
  static func parse(
    _ arguments: [[UInt8]], exists: ([UInt8]) -> Bool
  ) throws(UsageError) -> Invocation {
    guard let first = arguments.first else { return .help(nil) }
    let word = String(decoding: first, as: UTF8.self)
    if let command = Command(rawValue: word) {
      return try parse(command, arguments.dropFirst())
    }
    switch word {
    case "--help", "-h": return .help(nil)
    case "--version": return .version
    case "help":
      guard arguments.count > 1 else { return .help(nil) }
      let name = String(decoding: arguments[1], as: UTF8.self)
      guard let command = Command(rawValue: name) else { throw unknown(command: arguments[1]) }
      return .help(command)
    default: break
    }
    // A word that is neither a command nor a path is a misspelt command.
    let isBareWord =
      !first.isEmpty && first[0] != UInt8(ascii: "-")
      && !first.contains { "/.:*?[".utf8.contains($0) }
    if isBareWord, !exists(first) { throw unknown(command: first) }
    if first.first == UInt8(ascii: "-"), first.count > 1, first != Array("--".utf8) {
      try checkTopOption(first)
    }
    return try parse(.play, arguments[...])
  }

  /// Before a command only play's options may stand.
  private static func checkTopOption(_ argument: [UInt8]) throws(UsageError) {
    let text = String(decoding: argument, as: UTF8.self)
    let name = String(text.prefix { $0 != "=" })
    let known = CommandSpec.named(.play).options.flatMap { option in
      ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    guard !known.contains(name) else { return }
    throw unknown(option: name, known: known + ["--version"], help: "sotto --help")
  }

  private static func unknown(command: [UInt8]) -> UsageError {
    let shown = Text.printable(command)
    let nearest = Nearest.word(to: shown, among: Command.allCases.map(\.rawValue) + ["help"])
    return UsageError(
      sentence: "unknown command '\(shown)'\(suggestion(nearest)); see 'sotto --help'")
  }

  private static func unknown(option: String, known: [String], help: String) -> UsageError {
    let nearest = Nearest.word(to: option, among: known)
    return UsageError(
      sentence:
        "unknown option '\(Text.printable(option))'\(suggestion(nearest)); see '\(help)'")
  }

  private static func suggestion(_ word: String?) -> String {
    word.map { ", did you mean '\($0)'?" } ?? ""
  }

  // MARK: One command

  /// Options by their long names, the last of each, and what is no option.
  struct Words {
    var options: [String: [UInt8]] = [:]
    var rest: [[UInt8]] = []

    func text(_ name: String) -> String? {
      options[name].map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func parse(
    _ command: Command, _ arguments: ArraySlice<[UInt8]>
  ) throws(UsageError) -> Invocation {
    // Its words may begin with a dash: 'seek -5'.
    if command == .ctl { return try ctl(arguments) }
    if command == .search { return try search(arguments) }
    let spec = CommandSpec.named(command)
    let words = try words(arguments, spec)
    if words.options["help"] != nil { return .help(command) }
    let common = CommonOptions(log: words.options["log"])
    if let log = common.log, log.isEmpty { throw UsageError(sentence: "--log needs a file name") }
    switch command {
    case .play: return .play(try play(words, common))
    case .ctl: return try ctl(arguments)
    case .search: return try search(arguments)
    case .info:
      guard !words.rest.isEmpty else { throw missing("PATH", command) }
      return .info(paths: words.rest, json: words.options["json"] != nil, common: common)
    case .scan:
      if words.options["config"]?.isEmpty == true {
        throw UsageError(sentence: "--config needs a file name")
      }
      if words.rest.contains([]) { throw UsageError(sentence: "a folder's name is empty") }
      return .scan(
        ScanOptions(
          folders: words.rest, report: words.options["report"] != nil,
          forgetsMissing: words.options["forget-missing"] != nil,
          config: words.options["config"], json: words.options["json"] != nil, common: common))
    case .render: return .render(try render(words, common))
    case .devices:
      try nothingMore(words, command)
      return .devices(
        json: words.options["json"] != nil, watch: words.options["watch"] != nil, common: common)
    case .why:
      try nothingMore(words, command)
      let text = words.text("count") ?? "20"
      guard let count = Int(text), (1...1_000_000).contains(count) else {
        throw UsageError(
          sentence: "--count must be a whole number from 1 on, not '\(Text.printable(text))'")
      }
      return .why(count: count, json: words.options["json"] != nil, common: common)
    case .playlist:
      if words.options["config"]?.isEmpty == true {
        throw UsageError(sentence: "--config needs a file name")
      }
      return .playlist(
        PlaylistOptions(
          action: try PlaylistOptions.action(words.rest), json: words.options["json"] != nil,
          repairs: words.options["repair"] != nil, config: words.options["config"],
          common: common))
    case .session: return .session(try session(words, common))
    case .scenario: return .scenario(try scenario(words, common))
    case .config:
      try nothingMore(words, command)
      if words.options["config"]?.isEmpty == true {
        throw UsageError(sentence: "--config needs a file name")
      }
      return .config(
        ConfigOptions(
          config: words.options["config"], isExample: words.options["example"] != nil,
          json: words.options["json"] != nil, common: common))
    case .doctor:
      try nothingMore(words, command)
      return .doctor(common)
    }
  }

  private static func session(
    _ words: Words, _ common: CommonOptions
  ) throws(UsageError) -> SessionOptions {
    guard let first = words.rest.first else { throw missing("replay or rules", .session) }
    let word = String(decoding: first, as: UTF8.self)
    var options = SessionOptions(json: words.options["json"] != nil, common: common)
    options.applications = words.options["applications"]
    var rest = words
    switch word {
    case "rules":
      rest.rest.removeFirst()
    case "replay":
      guard words.rest.count > 1 else { throw missing("FILE", .session) }
      options.replay = words.rest[1]
      rest.rest.removeFirst(2)
    default:
      let nearest = Nearest.word(to: word, among: ["replay", "rules"])
      throw UsageError(
        sentence:
          "unknown command 'session \(Text.printable(first))'\(suggestion(nearest)); see 'sotto session --help'"
      )
    }
    try nothingMore(rest, .session)
    return options
  }

  private static func scenario(
    _ words: Words, _ common: CommonOptions
  ) throws(UsageError) -> ScenarioOptions {
    let names = Scenario.Name.allCases.map(\.rawValue) + ["all"]
    guard let first = words.rest.first else {
      throw missing("NAME (\(names.joined(separator: ", ")))", .scenario)
    }
    let word = String(decoding: first, as: UTF8.self)
    var options = ScenarioOptions(device: words.text("device"), common: common)
    if word == "all" {
      options.names = Scenario.Name.allCases
    } else if let name = Scenario.Name(rawValue: word) {
      options.names = [name]
    } else {
      let nearest = Nearest.word(to: word, among: names)
      throw UsageError(
        sentence:
          "unknown scenario '\(Text.printable(first))'\(suggestion(nearest)); see 'sotto scenario --help'"
      )
    }
    if let output = words.options["output"] { options.output = try self.output(output) }
    if case .file = options.output, options.names.count > 1 {
      throw UsageError(sentence: "a file takes one scenario, and 'all' is several")
    }
    var rest = words
    rest.rest.removeFirst()
    try nothingMore(rest, .scenario)
    return options
  }

  private static func missing(_ what: String, _ command: Command) -> UsageError {
    UsageError(sentence: "\(what) is missing; see 'sotto \(command.rawValue) --help'")
  }

  private static func nothingMore(_ words: Words, _ command: Command) throws(UsageError) {
    guard let word = words.rest.first else { return }
    throw UsageError(
      sentence:
        "unexpected argument '\(Text.printable(word))'; see 'sotto \(command.rawValue) --help'")
  }

  /// Where other words may begin with a dash: only what begins with two is an option, and `-h`.
  static func longOptions(
    _ arguments: ArraySlice<[UInt8]>, _ spec: CommandSpec
  ) throws(UsageError) -> Words {
    var (options, rest): ([[UInt8]], [[UInt8]]) = ([], [])
    var words = arguments
    while let word = words.popFirst() {
      let text = String(decoding: word, as: UTF8.self)
      if text == "--" {
        rest += words
        break
      }
      guard text == "-h" || text.hasPrefix("--") else {
        rest.append(word)
        continue
      }
      options.append(word)
      let takesValue = spec.options.contains { "--\($0.name)" == text && $0.value != nil }
      if takesValue, let value = words.popFirst() { options.append(value) }
    }
    var read = try self.words(options[...], spec)
    read.rest = rest
    return read
  }

  static func words(
    _ arguments: ArraySlice<[UInt8]>, _ spec: CommandSpec
  ) throws(UsageError) -> Words {
    var words = Words()
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == Array("--".utf8) {
        words.rest += rest
        break
      }
      guard argument.count > 1, argument[0] == UInt8(ascii: "-") else {
        words.rest.append(argument)
        continue
      }
      let equals = argument.firstIndex(of: UInt8(ascii: "="))
      let isLong = argument[1] == UInt8(ascii: "-")
      let name = String(
        decoding: argument[..<(isLong ? equals ?? argument.count : 2)], as: UTF8.self)
      let option = spec.options.first { option in
        isLong ? "--\(option.name)" == name : option.short.map { "-\($0)" == name } ?? false
      }
      guard let option else {
        let shown = isLong ? name : String(decoding: argument, as: UTF8.self)
        throw unknown(
          option: shown, known: spec.options.map { "--\($0.name)" },
          help: "sotto \(spec.name.rawValue) --help")
      }
      guard let value = option.value else {
        guard isLong ? equals == nil : argument.count == 2 else {
          throw UsageError(sentence: "\(name) takes no value")
        }
        words.options[option.name] = []
        continue
      }
      if isLong, let equals {
        words.options[option.name] = Array(argument[(equals + 1)...])
      } else if !isLong, argument.count > 2 {
        words.options[option.name] = Array(argument[2...])
      } else if let next = rest.popFirst() {
        words.options[option.name] = next
      } else {
        throw UsageError(sentence: "\(name) needs a value: \(name) \(value)")
      }
    }
    return words
  }
}
