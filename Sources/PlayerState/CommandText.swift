import AudioTypes
import PlayQueue

extension PlayerCommand {
  /// Reads a line, as `seek +5`. Rows count from 1.
  public init(_ line: String) throws(CommandError) {
    let words = CommandWords(line)
    if words.openQuote != nil { throw CommandError("a quote is not closed") }
    try self.init(words: words.words)
  }

  public init(words: [[UInt8]]) throws(CommandError) {
    guard let first = words.first else { throw CommandError("a command is missing") }
    let name = String(decoding: first, as: UTF8.self)
    guard let spec = CommandSpec.player.first(where: { $0.name == name }) else {
      throw Self.unknown(name, among: CommandSpec.player.map(\.name))
    }
    var arguments = CommandArguments(spec, Array(words.dropFirst()))
    self = try Self.command(name, &arguments)
    try arguments.end()
  }

  /// There is no such command; names the one that was meant, where there is one like it.
  public static func unknown(_ name: String, among names: [String]) -> CommandError {
    CommandError("unknown command '\(Text.printable(name))'\(Nearest.hint(to: name, among: names))")
  }

  private static func command(_ name: String, _ arguments: inout CommandArguments)
    throws(CommandError) -> PlayerCommand
  {
    switch name {
    case "play": return .play
    case "pause": return .pause
    case "toggle": return .toggle
    case "stop": return .stop
    case "next": return .next
    case "previous": return .previous
    case "force": return .force
    case "seek": return .seek(try arguments.seek())
    case "choose": return .choose(try arguments.row())
    case "volume": return .volume(try arguments.change())
    case "ringer": return .ringer(try arguments.change())
    case "level": return .level(try arguments.change())
    case "mute": return .mute
    case "silent": return .silent(try arguments.word(or: .toggle))
    case "gain": return .gain(try arguments.word(or: nil))
    case "try": return .attempt(try arguments.word(or: nil))
    case "shuffle": return .shuffle(try arguments.word(or: .toggle))
    case "repeat": return .repeating(try arguments.word(or: .cycle))
    case "single": return .single(try arguments.word(or: .toggle))
    case "stop-after": return .stopAfter(try arguments.word(or: .toggle))
    case "consume": return .consume(try arguments.word(or: .toggle))
    case "sleep": return .sleep(try arguments.sleep())
    case "alarm": return .alarm(try arguments.alarm())
    case "add": return .add(try arguments.paths(), .end)
    case "add-next": return .add(try arguments.paths(), .next)
    case "open": return .add(try arguments.paths(), .replace)
    case "remove": return .remove(try arguments.rows())
    case "move": return .move(try arguments.rows(), to: try arguments.rowOrEnd())
    case "move-next": return .moveNext(try arguments.rows())
    case "cut": return .cut(try arguments.rows())
    case "copy": return .copy(try arguments.rows())
    case "paste": return .paste(at: try arguments.rowOrEnd())
    case "clear": return .clear
    case "undo": return .undo
    case "redo": return .redo
    case "rate": return .rate(try arguments.rating())
    case "save": return .save(try arguments.text(), replaces: arguments.takes("replace"))
    case "playlist": return .list(try arguments.path(), try ListWish(&arguments))
    case "device": return .device(try arguments.text())
    case "ignore": return .ignore(try arguments.text())
    case "preview": return .preview(try arguments.piece())
    case "browse": return .browse(arguments.isEmpty ? [] : try arguments.path())
    case "theme": return .theme(try arguments.text())
    case "set": return .set(name: try arguments.text(), value: try arguments.text())
    default: return .quit
    }
  }

  /// The line that is read back as this command.
  public var text: String {
    switch self {
    case .play: "play"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .force: "force"
    case .seek(.by(let seconds)): "seek \(seconds < 0 ? "-" : "+")\(Number.text(abs(seconds)))"
    case .seek(.to(let seconds)): "seek \(Number.text(seconds))"
    case .seek(.part(let part)): "seek \(Number.text(part * 100))%"
    case .choose(let row): "choose \(Rows.end(row))"
    case .volume(let change): "volume \(change.text)"
    case .ringer(let change): "ringer \(change.text)"
    case .level(let change): "level \(change.text)"
    case .mute: "mute"
    case .silent(let wish): "silent \(wish.rawValue)"
    case .gain(let mode): "gain \(mode.rawValue)"
    case .attempt(let trial): "try \(trial.rawValue)"
    case .shuffle(let wish): "shuffle \(wish.rawValue)"
    case .repeating(let wish): "repeat \(wish.rawValue)"
    case .single(let wish): "single \(wish.rawValue)"
    case .stopAfter(let wish): "stop-after \(wish.rawValue)"
    case .consume(let wish): "consume \(wish.rawValue)"
    case .sleep(let wish): wish.text
    case .alarm(.set(let time)): "alarm \(time.text)"
    case .alarm(.off): "alarm off"
    case .alarm(.tell): "alarm"
    case .add(let paths, .end): "add \(Self.quoted(paths))"
    case .add(let paths, .next): "add-next \(Self.quoted(paths))"
    case .add(let paths, .replace): "open \(Self.quoted(paths))"
    case .remove(let rows): "remove \(Rows.text(rows))"
    case .move(let rows, let to): "move \(Rows.text(rows)) \(Rows.end(to))"
    case .moveNext(let rows): "move-next \(Rows.text(rows))"
    case .cut(let rows): "cut \(Rows.text(rows))"
    case .copy(let rows): "copy \(Rows.text(rows))"
    case .paste(let row): "paste \(Rows.end(row))"
    case .clear: "clear"
    case .undo: "undo"
    case .redo: "redo"
    case .rate(let rating): "rate \(Number.text(rating ?? 0))"
    case .save(let name, let replaces):
      "save \(Self.quoted([Array(name.utf8)]))" + (replaces ? " replace" : "")
    case .list(let path, let wish): "playlist \(Self.quoted([path])) \(wish.text)"
    case .device(let name): "device \(Self.quoted([Array(name.utf8)]))"
    case .ignore(let name): "ignore \(Self.quoted([Array(name.utf8)]))"
    case .preview(let piece): "preview \(Self.text(piece))"
    case .browse(let path): path.isEmpty ? "browse" : "browse \(Self.quoted([path]))"
    case .theme(let name): "theme \(Self.quoted([Array(name.utf8)]))"
    case .set(let name, let value): "set \(Self.quoted([Array(name.utf8), Array(value.utf8)]))"
    case .quit: "quit"
    }
  }

  private static func text(_ piece: TrackLocation) -> String {
    var text = quoted([piece.path])
    if piece.start > 0 || piece.end != nil { text += " \(Number.text(piece.start))" }
    if let end = piece.end { text += " \(Number.text(end))" }
    return text
  }

  private static func quoted(_ words: [[UInt8]]) -> String {
    words.map(CommandWords.quoted).joined(separator: " ")
  }
}

extension PlayerCommand.SleepWish {
  var text: String {
    switch self {
    case .after(let seconds):
      "sleep "
        + [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        .filter { $0.0 != 0 }.map { "\($0.0)\($0.1)" }.joined()
    case .track: "sleep track"
    case .off: "sleep off"
    case .toggle: "sleep"
    }
  }
}

extension PlayerCommand.Change {
  var text: String {
    switch self {
    case .to(let value): "\(value)"
    case .by(let value): value < 0 ? "\(value)" : "+\(value)"
    }
  }

  /// No loudness is a thousand times what it should be at most.
  private static func sane(_ percent: Int) -> Int { min(max(percent, -100_000), 100_000) }

  /// The percentage that comes out, within 0 and 100; what is above that already is not pulled down
  /// by a step up.
  public func applied(to value: Int) -> Int {
    switch self {
    case .to(let wish): min(max(wish, 0), 100)
    case .by(let step):
      min(max(Self.sane(value) + Self.sane(step), 0), max(Self.sane(value), 100))
    }
  }
}

/// Rows as people write them: from 1, runs with a dash.
enum Rows {
  static func end(_ row: Int) -> String { row == .max ? "end" : "\(row + 1)" }

  static func text(_ rows: [Int]) -> String {
    var parts: [String] = []
    var index = rows.startIndex
    while index < rows.endIndex {
      var last = index
      while last + 1 < rows.endIndex, rows[last + 1] == rows[last] &+ 1 { last += 1 }
      parts.append(
        last == index ? "\(rows[index] &+ 1)" : "\(rows[index] &+ 1)-\(rows[last] &+ 1)")
      index = last + 1
    }
    return parts.joined(separator: ",")
  }
}

/// Numbers without Foundation.
enum Number {
  /// Up to three digits after the point, none that say nothing.
  static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "0" }
    let thousandths = Int64((value * 1000).rounded())
    let sign = thousandths < 0 ? "-" : ""
    let whole = abs(thousandths)
    guard whole % 1000 != 0 else { return "\(sign)\(whole / 1000)" }
    var digits = String(1000 + whole % 1000).dropFirst()
    while digits.last == "0" { digits = digits.dropLast() }
    return "\(sign)\(whole / 1000).\(digits)"
  }
}
