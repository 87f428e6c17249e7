/// What may be asked of one playlist. Rows count from 0 here and from 1 in the text.
public enum ListWish: Hashable, Sendable {
  /// Its tracks in place of the queue, from that row on.
  case play(Int)
  /// These rows into the queue; `nil` is all of them.
  case put([Int]?, PlayerCommand.Destination)
  case remove([Int])
  case cut([Int])
  /// Into what can be pasted, here, in another list and in the queue.
  case copy([Int])
  case paste(at: Int)
  case move([Int], to: Int)
  case undo, redo
  /// What is missing, and where it is now.
  case check
  /// The same, and the places of what was found are taken.
  case repair

  private enum Verb: String, CaseIterable {
    case play, add, next, remove, cut, copy, paste, move, undo, redo, check, repair
    /// Rows in place of the queue.
    case open

    /// What stands after it.
    var usage: String {
      switch self {
      case .play: "[ROW]"
      case .add, .next, .open: "[ROWS]"
      case .remove, .cut, .copy: "ROWS"
      case .paste: "ROW|end"
      case .move: "ROWS ROW|end"
      case .undo, .redo, .check, .repair: ""
      }
    }
  }

  static let words = Verb.allCases.map(\.rawValue)

  init(_ arguments: inout CommandArguments) throws(CommandError) {
    let verb: Verb = try arguments.word(or: nil)
    arguments.goInto("NAME \(verb.rawValue)", verb.usage)
    switch verb {
    // All of it begins where the order of play does.
    case .play: self = arguments.isEmpty ? .put(nil, .replace) : .play(try arguments.row())
    case .add: self = .put(try arguments.rowsOrAll(), .end)
    case .next: self = .put(try arguments.rowsOrAll(), .next)
    case .open: self = .put(try arguments.rowsOrAll(), .replace)
    case .remove: self = .remove(try arguments.rows())
    case .cut: self = .cut(try arguments.rows())
    case .copy: self = .copy(try arguments.rows())
    case .paste: self = .paste(at: try arguments.rowOrEnd())
    case .move: self = .move(try arguments.rows(), to: try arguments.rowOrEnd())
    case .undo: self = .undo
    case .redo: self = .redo
    case .check: self = .check
    case .repair: self = .repair
    }
  }

  var text: String {
    switch self {
    case .play(let row): "play \(Rows.end(row))"
    case .put(let rows, .end): "add" + Self.text(rows)
    case .put(let rows, .next): "next" + Self.text(rows)
    case .put(let rows, .replace): "open" + Self.text(rows)
    case .remove(let rows): "remove \(Rows.text(rows))"
    case .cut(let rows): "cut \(Rows.text(rows))"
    case .copy(let rows): "copy \(Rows.text(rows))"
    case .paste(let row): "paste \(Rows.end(row))"
    case .move(let rows, let row): "move \(Rows.text(rows)) \(Rows.end(row))"
    case .undo: "undo"
    case .redo: "redo"
    case .check: "check"
    case .repair: "repair"
    }
  }

  private static func text(_ rows: [Int]?) -> String { rows.map { " " + Rows.text($0) } ?? "" }

  /// The rows that it names.
  public var rows: [Int] {
    switch self {
    case .play(let row): [row]
    case .put(let rows, _): rows ?? []
    case .remove(let rows), .cut(let rows), .copy(let rows), .move(let rows, _): rows
    case .paste, .undo, .redo, .check, .repair: []
    }
  }
}
