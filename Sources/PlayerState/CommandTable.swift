/// What a command is called, takes and does: help, completion and messages are made from it.
public struct CommandSpec: Equatable, Sendable {
  /// What stands after the name, for completion.
  public enum Argument: Equatable, Sendable {
    case none, number, time, rows, text
    case words([String])
    case path, device, program, theme, setting
  }

  public var name: String
  /// "[+|-]SECONDS"; empty where it takes nothing.
  public var usage: String
  /// What it does, without its full stop.
  public var summary: String
  public var argument: Argument

  public init(_ name: String, _ usage: String, _ summary: String, _ argument: Argument = .none) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.argument = argument
  }

  public var synopsis: String { usage.isEmpty ? name : "\(name) \(usage)" }

  static let switches = PlayerCommand.Switch.allCases.map(\.rawValue)

  /// All of them, in the order in which help shows them.
  public static let player: [CommandSpec] = [
    CommandSpec("play", "", "play"),
    CommandSpec("pause", "", "pause"),
    CommandSpec("toggle", "", "play or pause"),
    CommandSpec("stop", "", "stop"),
    CommandSpec("next", "", "next track"),
    CommandSpec("previous", "", "previous track, or back to the beginning of this one"),
    CommandSpec("force", "", "play over a call too"),
    CommandSpec("seek", "[+|-]TIME|PERCENT%", "go within the track, as +5, 1:23 or 50%", .time),
    CommandSpec("choose", "ROW", "play that row of the queue", .number),
    CommandSpec("volume", "[+|-]PERCENT", "the device's volume", .number),
    CommandSpec("ringer", "[+|-]PERCENT", "the volume of ringing and tones", .number),
    CommandSpec("level", "[+|-]PERCENT", "sotto's own level", .number),
    CommandSpec("mute", "", "mute, or sound again"),
    CommandSpec("silent", "[on|off|toggle]", "silent switch", .words(switches)),
    CommandSpec(
      "gain", "off|track|album", "loudness by the tags of the track or album",
      .words(["off", "track", "album"])),
    CommandSpec(
      "try", "WHAT", "try what happens: a call, a prompt, lost headphones",
      .words(PlayerCommand.Trial.allCases.map(\.rawValue))),
    CommandSpec(
      "shuffle", "[on|off|albums|toggle]",
      "play in an order of chance, track by track or by albums",
      .words(PlayerCommand.ShuffleWish.allCases.map(\.rawValue))),
    CommandSpec(
      "repeat", "[off|all|one|cycle]", "repeat all tracks, or one",
      .words(PlayerCommand.RepeatWish.allCases.map(\.rawValue))),
    CommandSpec("single", "[on|off|toggle]", "stop after each track", .words(switches)),
    CommandSpec(
      "stop-after", "[on|off|toggle]", "stop after this track, once", .words(switches)),
    CommandSpec(
      "consume", "[on|off|toggle]", "played tracks leave the queue", .words(switches)),
    CommandSpec(
      "sleep", "[TIME|track|off]", "pause after a while, as 30m or 1h30m, or stop after this track",
      .words(["15m", "30m", "1h", "track", "off"])),
    CommandSpec(
      "alarm", "[HH:MM [once|daily|weekdays]|off]", "an alarm, which silent mode leaves alone",
      .words(["07:00", "off"])),
    CommandSpec("add", "PATH...", "put files at the end of the queue", .path),
    CommandSpec("add-next", "PATH...", "put files after the current track", .path),
    CommandSpec("open", "PATH...", "play files in place of the queue", .path),
    CommandSpec("remove", "ROWS", "remove rows of the queue, as 1-3,7", .rows),
    CommandSpec("move", "ROWS ROW|end", "move rows before another one", .rows),
    CommandSpec("move-next", "ROWS", "move rows after the current track", .rows),
    CommandSpec("cut", "ROWS", "remove rows and keep them to be pasted", .rows),
    CommandSpec("copy", "ROWS", "keep rows to be pasted", .rows),
    CommandSpec("paste", "ROW|end", "put what was cut before a row", .rows),
    CommandSpec("clear", "", "empty the queue"),
    CommandSpec("undo", "", "take back the last change of the queue"),
    CommandSpec("redo", "", "make it again"),
    CommandSpec("rate", "STARS", "how good this track is, 1 to 5; 0 takes it back", .number),
    CommandSpec(
      "save", "NAME [replace]",
      "write the queue into a playlist, by NAME.pls or .xspf as such", .text),
    CommandSpec(
      "playlist", "NAME WHAT [ROWS] [ROW|end]",
      "play a playlist or rows of it (play, open, add, next), or change it: remove, cut, copy, paste, move, undo, redo, check, repair",
      .text),
    CommandSpec("device", "NAME", "play on that device", .device),
    CommandSpec("ignore", "PROGRAM", "leave that program out from now on", .program),
    CommandSpec(
      "preview", "PATH [FROM [TO]]", "hear a piece of it, without touching the queue", .path),
    CommandSpec("browse", "[PATH]", "show the rows of a folder or playlist", .path),
    CommandSpec("theme", "NAME", "another theme", .theme),
    CommandSpec("set", "NAME VALUE", "change a setting until the end", .setting),
    CommandSpec("quit", "", "quit"),
  ]

  /// What may stand for the word that is being typed at the end of a line: whole lines, best first.
  /// - Parameter choices: what is there for an argument that is known outside: devices, themes …
  public static func completions(
    of line: String, among specs: [CommandSpec], choices: (Argument) -> [String] = { _ in [] }
  ) -> [String] {
    let words = CommandWords(line)
    let isFirst = words.words.count == (words.endsInWord ? 1 : 0)
    let begun = words.endsInWord ? String(decoding: words.words.last ?? [], as: UTF8.self) : ""
    if isFirst {
      return specs.filter { $0.name.hasPrefix(begun) }
        .map { $0.usage.isEmpty ? $0.name : $0.name + " " }
    }
    let name = String(decoding: words.words[0], as: UTF8.self)
    guard let spec = specs.first(where: { $0.name == name }) else { return [] }
    let candidates: [String]
    if case .words(let some) = spec.argument {
      candidates = some
    } else {
      candidates = choices(spec.argument)
    }
    let done = (words.endsInWord ? words.words.dropLast() : words.words[...])
      .enumerated().map { $0.offset == 0 ? name : CommandWords.quoted($0.element) }
      .joined(separator: " ")
    return candidates.filter { $0.hasPrefix(begun) }.map {
      "\(done) \(CommandWords.quoted(Array($0.utf8)))"
    }
  }
}
