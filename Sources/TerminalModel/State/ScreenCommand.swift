import AudioTypes
import PlayerState

/// The views, in the order of their keys.
public enum ScreenView: Int, CaseIterable, Sendable {
  case playing = 1
  case queue, files, lists, devices, why, help, library

  public var name: String {
    switch self {
    case .playing: "Playing"
    case .queue: "Queue"
    case .files: "Files"
    case .lists: "Playlists"
    case .devices: "Devices"
    case .why: "Why"
    case .help: "Help"
    case .library: "Library"
    }
  }

  /// Looked at for a moment, and left for where one was.
  var isAside: Bool { self == .devices || self == .why || self == .help }

  /// As in `view queue` and in the table of keys.
  public var word: String { name.lowercased() }
}

/// What the screen does by itself, or what it does with the rows that are selected or marked.
public enum ViewCommand: Hashable, Sendable {
  case view(ScreenView)
  case nextView, previousView
  case up, down, pageUp, pageDown, halfUp, halfDown, top, bottom
  case row(Int)
  case follow, enter, back
  case mark, markAll, unmark
  case filter
  /// Over the whole collection; with a text that is looked for already.
  case search(String)
  /// The next column where none is named.
  case sort(LibrarySort?)
  case sortReverse
  case command(String)
  case close, menu
  case removeRows, cutRows, copyRows, pasteAfter, pasteBefore
  case queueEnd, queueNext, rowsUp, rowsDown
  case previewRow, ignoreRow
}

/// Anything that a key or a line can do.
public enum ScreenCommand: Hashable, Sendable {
  case player(PlayerCommand)
  case view(ViewCommand)

  /// What a line means: the screen's own commands first, the player's otherwise.
  public init(_ line: String) throws(CommandError) {
    let words = CommandWords(line)
    // Quotes are the query's own.
    if words.words.first.map({ $0.elementsEqual("search".utf8) }) == true,
      line.trimmed.hasPrefix("search")
    {
      self = .view(.search(String(line.trimmed.dropFirst("search".count)).trimmed))
      return
    }
    if words.openQuote != nil { throw CommandError("a quote is not closed") }
    guard let first = words.words.first else { throw CommandError("a command is missing") }
    let name = String(decoding: first, as: UTF8.self)
    // `:12` goes to row 12, as in vi.
    if words.words.count == 1, let row = Int(name), row >= 1 {
      self = .view(.row(row - 1))
      return
    }
    let rest = words.words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    if let found = try Self.viewCommand(name, rest) {
      self = .view(found)
      return
    }
    guard Self.specs.contains(where: { $0.name == name }) else {
      throw PlayerCommand.unknown(name, among: Self.specs.map(\.name))
    }
    self = .player(try PlayerCommand(words: words.words))
  }

  /// What a line means that comes from elsewhere: the player's commands first, since nobody there sees
  /// which row is selected; then the screen's own.
  public init(elsewhere line: String) throws(CommandError) {
    do throws(CommandError) {
      self = .player(try PlayerCommand(line))
    } catch let fault {
      do throws(CommandError) {
        self = try ScreenCommand(line)
      } catch {
        // Who has the name of a command right is told what is wrong with the rest.
        let name = CommandWords(line).words.first.map { String(decoding: $0, as: UTF8.self) }
        throw CommandSpec.player.contains { $0.name == name } ? fault : error
      }
    }
  }

  private static func viewCommand(_ name: String, _ rest: [String]) throws(CommandError)
    -> ViewCommand?
  {
    if name == "view" { return .view(try view(rest)) }
    if name == "command" { return .command(rest.joined(separator: " ")) }
    if name == "sort" { return .sort(try sort(rest)) }
    guard let command = simple.first(where: { $0.spec.name == name }) else { return nil }
    if rest.isEmpty { return command.command }
    // With rows it is the player's command of that name.
    if CommandSpec.player.contains(where: { $0.name == name }) { return nil }
    throw CommandError("'\(name)' takes nothing")
  }

  private static func sort(_ rest: [String]) throws(CommandError) -> LibrarySort? {
    guard let word = rest.first else { return nil }
    if rest.count == 1, let found = LibrarySort(rawValue: word) { return found }
    let names = LibrarySort.allCases.map(\.rawValue)
    let hint = Nearest.hint(to: word, among: names)
    throw CommandError("'sort' takes \(names.joined(separator: ", "))\(hint)")
  }

  private static func view(_ rest: [String]) throws(CommandError) -> ScreenView {
    let names = ScreenView.allCases.map(\.word)
    guard rest.count == 1 else { throw CommandError("'view' needs NAME|NUMBER") }
    if let found = ScreenView.allCases.first(where: {
      $0.word == rest[0] || "\($0.rawValue)" == rest[0]
    }) {
      return found
    }
    let hint = Nearest.hint(to: rest[0], among: names)
    throw CommandError("'view' takes \(names.joined(separator: ", ")) or 1 to 8\(hint)")
  }

  /// The line that is read back as this command.
  public var text: String {
    switch self {
    case .player(let command): return command.text
    case .view(.view(let view)): return "view \(view.word)"
    case .view(.row(let row)): return "\(row &+ 1)"
    case .view(.command(let text)): return text.isEmpty ? "command" : "command \(text)"
    case .view(.search(let text)):
      return text.isEmpty ? "search" : "search \(text)"
    case .view(.sort(let column)): return column.map { "sort \($0.rawValue)" } ?? "sort"
    case .view(let command):
      return Self.simple.first { $0.command == command }?.spec.name ?? "close"
    }
  }

  /// What it does, for help.
  public var summary: String {
    switch self {
    case .view(.view(let view)): return Self.viewSummaries[view] ?? view.name
    case .view(.row): return "go to that row"
    case .view(.command(let text)): return text.isEmpty ? "type a command" : "type: \(text)"
    case .view(.search(let text)):
      return text.isEmpty ? "search the collection" : "search the collection for: \(text)"
    case .view(.sort(let column)):
      return column.map { "sort by \($0.name)" } ?? "sort by the next column"
    case .view(let command):
      return Self.simple.first { $0.command == command }?.spec.summary ?? ""
    case .player(let command): return Self.summary(command)
    }
  }

  private static func summary(_ command: PlayerCommand) -> String {
    switch command {
    case .seek(.by(let seconds)):
      let amount = TrackText.spoken(abs(seconds))
      return seconds < 0 ? "back \(amount)" : "on \(amount)"
    case .volume(.by(let step)): return step < 0 ? "device volume down" : "device volume up"
    case .level(.by(let step)): return step < 0 ? "sotto's own level down" : "sotto's own level up"
    case .ringer(.by(let step)): return step < 0 ? "ringer volume down" : "ringer volume up"
    case .attempt(let trial): return trial.summary
    case .shuffle(.albums): return "play albums in an order of chance"
    case .sleep(.toggle): return "sleep timer: pause in half an hour, or not"
    default:
      let name = command.text.split(separator: " ").first.map(String.init) ?? ""
      return CommandSpec.player.first { $0.name == name }?.summary ?? ""
    }
  }

  private static let viewSummaries: [ScreenView: String] = [
    .playing: "what is playing", .queue: "the queue", .files: "folders and files",
    .lists: "playlists", .devices: "output devices", .why: "why: the decisions", .help: "help",
    .library: "the collection",
  ]

  private static let simple: [(command: ViewCommand, spec: CommandSpec)] = [
    (.nextView, CommandSpec("next-view", "", "the next view")),
    (.previousView, CommandSpec("previous-view", "", "the view before")),
    (.up, CommandSpec("up", "", "a row up")),
    (.down, CommandSpec("down", "", "a row down")),
    (.pageUp, CommandSpec("page-up", "", "a page up")),
    (.pageDown, CommandSpec("page-down", "", "a page down")),
    (.halfUp, CommandSpec("half-up", "", "half a page up")),
    (.halfDown, CommandSpec("half-down", "", "half a page down")),
    (.top, CommandSpec("top", "", "to the first row")),
    (.bottom, CommandSpec("bottom", "", "to the last row, or to that of a number before")),
    (.follow, CommandSpec("follow", "", "to the current track")),
    (.enter, CommandSpec("enter", "", "play or open this")),
    (.back, CommandSpec("back", "", "the folder above")),
    (.mark, CommandSpec("mark", "", "mark this row, or no longer")),
    (.markAll, CommandSpec("mark-all", "", "mark all rows")),
    (.unmark, CommandSpec("unmark", "", "no marks")),
    (.filter, CommandSpec("filter", "", "show the rows that hold some words")),
    (.sortReverse, CommandSpec("sort-reverse", "", "sort the other way round")),
    (.close, CommandSpec("close", "", "close what is open: a box, a filter, this view")),
    (.menu, CommandSpec("menu", "", "what else one can try")),
    (.removeRows, CommandSpec("remove", "[ROWS]", "remove the marked rows, or this one", .rows)),
    (.cutRows, CommandSpec("cut", "[ROWS]", "cut the marked rows, or this one", .rows)),
    (.copyRows, CommandSpec("copy", "[ROWS]", "copy the marked rows, or this one", .rows)),
    (.pasteAfter, CommandSpec("paste", "[ROW|end]", "paste after this row", .rows)),
    (.pasteBefore, CommandSpec("paste-before", "", "paste before this row")),
    (.queueEnd, CommandSpec("queue-end", "", "put it at the end of the queue")),
    (.queueNext, CommandSpec("queue-next", "", "put it after the current track")),
    (.rowsUp, CommandSpec("rows-up", "", "move the marked rows, or this one, up")),
    (.rowsDown, CommandSpec("rows-down", "", "move the marked rows, or this one, down")),
    (
      .previewRow,
      CommandSpec("preview", "[PATH [FROM [TO]]]", "hear a piece of it, the queue untouched", .path)
    ),
    (
      .ignoreRow,
      CommandSpec("ignore", "[PROGRAM]", "leave the program of this decision out", .program)
    ),
  ]

  /// Everything that a line can begin with.
  public static let specs: [CommandSpec] = {
    let own =
      [
        CommandSpec(
          "view", "NAME|NUMBER", "another view", .words(ScreenView.allCases.map(\.word))),
        CommandSpec("command", "[TEXT]", "type a command", .text),
        CommandSpec("search", "[QUERY]", "search the collection", .text),
        CommandSpec(
          "sort", "[COLUMN]", "sort by a column, or the next one",
          .words(LibrarySort.allCases.map(\.rawValue))),
      ] + simple.map(\.spec)
    let names = Set(own.map(\.name))
    return CommandSpec.player.filter { !names.contains($0.name) } + own
  }()
}
