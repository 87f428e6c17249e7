import AudioTypes
import PlayerState

struct PlaylistOptions: Equatable {
  enum Action: Equatable {
    case list
    case show([UInt8])
    case export([UInt8], to: [UInt8])
    case take([UInt8], as: [UInt8]?)
    case add([UInt8], [[UInt8]])
    case remove([UInt8], [Int])
    case move([UInt8], [Int], to: Int)
    case undo([UInt8])
    case redo([UInt8])
    case check([UInt8])
  }

  var action = Action.list
  var json = false
  var repairs = false
  var config: [UInt8]?
  var common = CommonOptions()
}

extension PlaylistOptions {
  /// How many words follow each action, and what they are.
  private static let usages: [(name: String, words: ClosedRange<Int>, usage: String)] = [
    ("list", 0...0, "nothing"), ("show", 1...1, "NAME"), ("export", 2...2, "NAME FILE"),
    ("import", 1...2, "FILE [NAME]"), ("add", 2...(.max), "NAME PATH..."),
    ("remove", 2...2, "NAME ROWS"), ("move", 3...3, "NAME ROWS ROW|end"), ("undo", 1...1, "NAME"),
    ("redo", 1...1, "NAME"), ("check", 1...1, "NAME"),
  ]

  /// What the words after `sotto playlist` mean.
  static func action(_ words: [[UInt8]]) throws(UsageError) -> Action {
    guard let first = words.first else { return .list }
    let word = String(decoding: first, as: UTF8.self)
    guard let usage = usages.first(where: { $0.name == word }) else {
      if let sentence = playing(words) { throw UsageError(sentence: sentence) }
      let nearest = Nearest.word(to: word, among: usages.map(\.name))
      let hint = nearest.map { ", did you mean '\($0)'?" } ?? ""
      throw UsageError(
        sentence:
          "unknown command 'playlist \(Text.printable(first))'\(hint); see 'sotto playlist --help'")
    }
    let rest = Array(words.dropFirst())
    guard usage.words.contains(rest.count), !rest.contains([]) else {
      throw UsageError(
        sentence: "'playlist \(word)' takes \(usage.usage); see 'sotto playlist --help'")
    }
    switch word {
    case "show": return .show(rest[0])
    case "export": return .export(rest[0], to: rest[1])
    case "import": return .take(rest[0], as: rest.count > 1 ? rest[1] : nil)
    case "add": return .add(rest[0], Array(rest.dropFirst()))
    case "remove":
      guard case .remove(let rows) = try command(word, rest) else { return .list }
      return .remove(rest[0], rows)
    case "move":
      guard case .move(let rows, let row) = try command(word, rest) else { return .list }
      return .move(rest[0], rows, to: row)
    case "undo": return .undo(rest[0])
    case "redo": return .redo(rest[0])
    case "check": return .check(rest[0])
    default: return .list
    }
  }

  /// Who wants to hear a playlist has come to the wrong door.
  private static func playing(_ words: [[UInt8]]) -> String? {
    let texts = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
    guard texts.count == 2,
      let place = ["play", "open", "next"].contains(texts[0])
        ? 0 : ["play", "open", "next", "add"].contains(texts[1]) ? 1 : nil
    else { return nil }
    let name = CommandWords.quoted(words[1 - place])
    let heard = CommandWords.quoted(Array("playlist:".utf8) + words[1 - place])
    return "'sotto play \(heard)' plays it here,"
      + " 'sotto ctl playlist \(name) \(texts[place])' in the player that runs"
  }

  /// Rows are written as everywhere.
  private static func command(_ word: String, _ rest: [[UInt8]]) throws(UsageError) -> PlayerCommand
  {
    do throws(CommandError) {
      return try PlayerCommand(words: [Array(word.utf8)] + rest.dropFirst())
    } catch {
      throw UsageError(sentence: "\(error.sentence); see 'sotto playlist --help'")
    }
  }
}

extension CommandSpec {
  static let playlist = CommandSpec(
    name: .playlist,
    abstract: "Show, edit, import and export playlists, and find their missing files",
    usage: "[options] [COMMAND ...]",
    arguments: [
      ("list", "List your playlists (default)"),
      ("show NAME", "List the tracks of one"),
      ("export NAME FILE", "Write it as .m3u8, .m3u, .pls or .xspf, with relative paths"),
      ("import FILE [NAME]", "Make one of an M3U, PLS, XSPF or CUE file"),
      ("add NAME PATH...", "Put files, folders, playlists or addresses at its end"),
      ("remove NAME ROWS", "Remove rows, as 1-3,7"),
      ("move NAME ROWS ROW|end", "Move rows before another one"),
      ("undo NAME", "Take back the latest change, also of an earlier run"),
      ("redo NAME", "Make it again"),
      ("check NAME", "Tell which files are missing, and where they are now"),
    ],
    options: [
      OptionSpec("repair", "With check: take the places of the files that were found"),
      OptionSpec("config", value: "FILE", "Read this configuration, not the user's own"),
      OptionSpec("json", "Print one JSON object a line; what is unknown is null"), log, help,
    ],
    notes: [
      (
        "NAMES",
        [
          "A name means a list in the playlist folder ($XDG_DATA_HOME/sotto/Playlists, or",
          "the setting playlist-folder), with its ending or without; with a slash a path.",
          "Otherwise a saved search ('sotto search --save'), which is shown and exported.",
          "'sotto play playlist:NAME' plays either.",
        ]
      ),
      (
        "STATUS",
        [
          "0   done                            1   it cannot be done; files are missing",
          "64  wrong usage",
        ]
      ),
    ])
}
