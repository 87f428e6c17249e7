import MusicLibrary
import Testing

@testable import AudioTypes
@testable import sotto

private func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

private func parse(_ words: String..., existing: Set<String> = []) throws -> Invocation {
  try Arguments.parse(bytes(words)) { existing.contains(String(decoding: $0, as: UTF8.self)) }
}

private func refusal(_ words: String...) -> String? {
  do {
    _ = try Arguments.parse(bytes(words)) { _ in false }
    return nil
  } catch {
    return error.sentence
  }
}

@Suite struct ArgumentTests {
  @Test func `Options stand anywhere, with a space or an equals sign, until two dashes`() throws {
    var options = PlayOptions()
    options.paths = bytes(["a.wav", "-b.wav", "--plain"])
    options.output = .file(Array("x.wav".utf8))
    options.device = "speakers"
    options.level = 40
    options.gain = .album
    options.isPlain = true
    options.common.log = Array("log".utf8)
    options.isFresh = true
    options.given = ["output", "device", "plain", "volume", "gain", "log", "mix", "no-resume"]
    let invocation = try parse(
      "play", "--output", "file:x.wav", "a.wav", "--device=speakers", "--volume", "40",
      "--gain=album", "--plain", "--log", "log", "--mix", "--no-resume", "--", "-b.wav", "--plain")
    #expect(invocation == .play(options))
  }

  @Test func `A scenario is chosen by its name; a wrong name gets the nearest one`() throws {
    var options = ScenarioOptions()
    options.names = [.unplug]
    options.output = .null
    #expect(try parse("scenario", "unplug", "--output", "null") == .scenario(options))
    options.names = Scenario.Name.allCases
    #expect(try parse("scenario", "--output=null", "all") == .scenario(options))
    #expect(
      refusal("scenario", "cal")
        == "unknown scenario 'cal', did you mean 'call'?; see 'sotto scenario --help'")
    #expect(
      refusal("scenario")
        == "NAME (language, call, game, navigation, interface, unplug, all) is missing; see 'sotto scenario --help'"
    )
    #expect(
      refusal("scenario", "all", "--output", "file:x.wav")
        == "a file takes one scenario, and 'all' is several")
    #expect(
      refusal("scenario", "call", "game")
        == "unexpected argument 'game'; see 'sotto scenario --help'")
  }

  @Test func `Paths alone are played, also when a file is called like no command`() throws {
    var options = PlayOptions()
    options.paths = bytes(["plya"])
    #expect(try parse("plya", existing: ["plya"]) == .play(options))
    options.paths = bytes(["missing.wav"])
    #expect(try parse("missing.wav") == .play(options))
    options.isPlain = true
    options.given = ["plain"]
    #expect(try parse("--plain", "missing.wav") == .play(options))
    #expect(try parse() == .help(nil))
    #expect(try parse("play", "x", "--help") == .help(.play))
    #expect(try parse("help", "info") == .help(.info))
    #expect(try parse("--version") == .version)
  }

  @Test func `A path keeps bytes that are not UTF-8`() throws {
    let path: [UInt8] = [0x61, 0xFF, 0x0A]
    let invocation = try Arguments.parse([Array("info".utf8), path]) { _ in false }
    #expect(invocation == .info(paths: [path], json: false, common: CommonOptions()))
  }

  @Test func `Search takes words that begin with a dash, an order and a limit`() throws {
    var options = SearchOptions()
    options.query = .and([.text(.init("bjork")), .not(.text(.init("live")))])
    #expect(try parse("search", "bjork", "-live") == .search(options))
    options.order = CatalogOrder(.added, descending: true)
    options.limit = 5
    options.json = true
    #expect(
      try parse("search", "--sort", "-added", "bjork", "--limit=5", "-live", "--json")
        == .search(options))
    #expect(try parse("search", "--help") == .help(.search))
    #expect(refusal("search") == "QUERY is missing; see 'sotto search --help'")
    #expect(
      refusal("search", "--jsn", "x")
        == "unknown option '--jsn', did you mean '--json'?; see 'sotto search --help'")
    #expect(
      refusal("search", "(x") == "column 1: '(' is not closed; see 'sotto search --help'")
  }

  @Test func `Why takes a number of decisions`() throws {
    let common = CommonOptions()
    #expect(try parse("why") == .why(count: 20, json: false, common: common))
    #expect(try parse("why", "-n", "3", "--json") == .why(count: 3, json: true, common: common))
    for word in ["0", "-1", "x", ""] {
      #expect(
        refusal("why", "--count", word)
          == "--count must be a whole number from 1 on, not '\(word)'")
    }
  }

  @Test func `Session takes a file or lists the rules`() throws {
    var options = SessionOptions(replay: Array("f".utf8), json: true)
    #expect(try parse("session", "replay", "--json", "f") == .session(options))
    options.replay = nil
    options.json = false
    #expect(try parse("session", "rules") == .session(options))
    let help = "see 'sotto session --help'"
    #expect(refusal("session") == "replay or rules is missing; \(help)")
    #expect(refusal("session", "replay") == "FILE is missing; \(help)")
    #expect(refusal("session", "replay", "a", "b") == "unexpected argument 'b'; \(help)")
    #expect(refusal("session", "rules", "x") == "unexpected argument 'x'; \(help)")
    #expect(
      refusal("session", "reply")
        == "unknown command 'session reply', did you mean 'replay'?; \(help)")
  }

  @Test func `What is misspelt names the nearest`() {
    #expect(
      refusal("plya", "a.wav") == "unknown command 'plya', did you mean 'play'?; see 'sotto --help'"
    )
    #expect(refusal("xyzzy") == "unknown command 'xyzzy'; see 'sotto --help'")
    #expect(
      refusal("play", "--volum", "3", "a")
        == "unknown option '--volum', did you mean '--volume'?; see 'sotto play --help'")
    #expect(refusal("--versoin")?.contains("did you mean '--version'?") == true)
    #expect(refusal("info", "--jsn", "a")?.contains("did you mean '--json'?") == true)
    #expect(
      refusal("play", "--output", "pulze", "a")
        == "--output takes pulse, alsa, null or file:PATH, not 'pulze', did you mean 'pulse'?")
    #expect(refusal("play", "-x", "a") == "unknown option '-x'; see 'sotto play --help'")
  }

  @Test func `Every wrong value is refused in a sentence`() {
    #expect(
      refusal("play", "--output", "file:out.wav") == "PATH is missing; see 'sotto play --help'")
    #expect(refusal("play", "--device") == "--device needs a value: --device NAME")
    #expect(refusal("play", "--plain=1", "a") == "--plain takes no value")
    #expect(
      refusal("play", "--volume", "101", "a")
        == "--volume takes a number from 0 to 100, not '101'")
    #expect(refusal("play", "--output", "file:", "a") != nil)
    #expect(
      refusal("play", "--gain", "loud", "a") == "--gain takes off, track or album, not 'loud'")
    #expect(refusal("render", "a") == "--out OUT is missing; see 'sotto render --help'")
    #expect(refusal("render", "a", "b", "-o", "c") != nil)
    #expect(refusal("render", "a", "-o", "c", "--rate", "0") != nil)
    #expect(refusal("render", "a", "-oc", "--to", "1:60") != nil)
    #expect(
      refusal("render", "a", "-oc", "--from", "5", "--to", "4") == "--to must be later than --from")
    #expect(refusal("render", "a", "-oc", "--replay", "") == "--replay needs a file name")
    #expect(refusal("devices", "x") == "unexpected argument 'x'; see 'sotto devices --help'")
    #expect(refusal("play", "--\u{1B}[31m", "a")?.contains("\u{1B}") == false)
  }

  @Test func `A time is seconds, minutes or hours`() {
    #expect(Arguments.seconds("90") == 90)
    #expect(Arguments.seconds("1.25") == 1.25)
    #expect(Arguments.seconds("1:30") == 90)
    #expect(Arguments.seconds("1:02:03.5") == 3723.5)
    for wrong in ["", ":", "1:", "-1", "1e3", "nan", "1:60", "1.5:00", "1:2:3:4", "0x1"] {
      #expect(Arguments.seconds(wrong) == nil, "\(wrong)")
    }
  }

  @Test func `A distance counts edits and swaps`() {
    #expect(Nearest.distance("play", "play") == 0)
    #expect(Nearest.distance("plya", "play") == 1)
    #expect(Nearest.distance("", "abc") == 3)
    #expect(Nearest.distance("kitten", "sitting") == 3)
    #expect(Nearest.word(to: "rendr", among: ["play", "render"]) == "render")
    #expect(Nearest.word(to: "zzz", among: ["play", "render"]) == nil)
  }
}
