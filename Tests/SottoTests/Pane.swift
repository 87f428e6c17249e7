import Foundation
import TestSupport
import Testing

/// `sotto` in a pane of a tmux server of the test's own: what people see. No sound server is there
/// unless a test brings one.
final class Pane {
  struct Absent: Error { var text: String }

  let folder: Folder
  let tmux: PrivateTmux
  /// What a shell needs to find the program and nothing of the user's.
  private static let environment = [
    "PULSE_SERVER": "unix:/nonexistent/pulse", "XDG_RUNTIME_DIR": "/nonexistent",
    "ALSA_CONFIG_PATH": "/dev/null",
  ]

  /// Music of a minute each in the folder `music`, which is played unless `paths` says otherwise.
  /// `before` are assignments of the shell.
  init(
    _ arguments: String = "play --output null", before: String = "", files: Int = 3,
    columns: Int = 80, rows: Int = 24, folder: Folder? = nil, paths: String? = nil,
    server: PrivateServer? = nil
  ) throws {
    let folder = try folder ?? Folder()
    self.folder = folder
    try FileManager.default.createDirectory(
      atPath: folder.path + "/music", withIntermediateDirectories: true)
    for number in 0..<files { try folder.write("music/song \(number + 1).wav", wav(seconds: 60)) }
    let paths = paths ?? " \(folder.path)/music"
    // Something lives on in the pane, or tmux would write of its death.
    tmux = try PrivateTmux(
      "trap : INT; stty -g > $HOME/before; echo shell;"
        + " \(before) sh -c 'echo $$ > \(folder.path)/pid; exec \(Run.program) \(arguments)\(paths)';"
        + " echo status $?; stty -g > $HOME/after; cmp $HOME/before $HOME/after && echo same;"
        + " exec cat",
      columns: columns, rows: rows,
      environment: Self.environment.merging(server?.environment ?? [:]) { $1 }
        .merging([
          "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": folder.path + "/state",
        ]) { $1 })
  }

  /// The program's own id.
  var program: pid_t {
    get throws {
      let text = try String(contentsOfFile: folder.path + "/pid", encoding: .utf8)
      return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
  }

  var rows: [String] { get throws { try tmux.rows() } }

  /// The rows with the look of each character; of a blank only what is seen of it.
  var picture: [String] {
    get throws {
      try tmux.rows(colors: true).map { line in
        var look: [String: String] = [:]
        var result = ""
        var rest = line[...]
        while let first = rest.first {
          if first == "\u{1B}", let found = rest.prefixMatch(of: /\u{1B}\[([0-9;]*)m/) {
            Self.change(&look, found.1.split(separator: ";").compactMap { Int($0) })
            rest = rest[found.range.upperBound...]
            continue
          }
          let seen = first == " " ? look.filter { ["ground", "7", "4"].contains($0.key) } : look
          if first != " " || !seen.isEmpty {
            result += seen.sorted { $0.key < $1.key }.map { "[\($0.key)\($0.value)]" }.joined()
          }
          result.append(first)
          rest.removeFirst()
        }
        while result.last == " " { result.removeLast() }
        return result
      }
    }
  }

  private static func change(_ look: inout [String: String], _ numbers: [Int]) {
    var numbers = numbers.isEmpty ? [0] : numbers
    while !numbers.isEmpty {
      let number = numbers.removeFirst()
      switch number {
      case 0: look = [:]
      case 39: look["ink"] = nil
      case 49: look["ground"] = nil
      case 38, 48:
        let count = numbers.first == 2 ? 4 : 2
        look[number == 38 ? "ink" : "ground"] = "\(numbers.prefix(count))"
        numbers.removeFirst(min(count, numbers.count))
      case 30...37, 90...97: look["ink"] = "\(number)"
      case 40...47, 100...107: look["ground"] = "\(number)"
      default: look["\(number)"] = ""
      }
    }
  }

  /// Waits until some row has each of these; false, and an issue with the screen, where it never
  /// happens.
  @discardableResult
  func shows(
    _ wanted: String..., absent: [String] = [], location: SourceLocation = #_sourceLocation
  ) throws -> Bool {
    var last: [String] = []
    let isShown = try tmux.wait {
      last = try tmux.rows()
      let text = last.joined(separator: "\n")
      return wanted.allSatisfy { text.contains($0) } && !absent.contains { text.contains($0) }
    }
    #expect(
      isShown, "\(wanted) without \(absent):\n\(last.joined(separator: "\n"))",
      sourceLocation: location)
    return isShown
  }

  func type(_ keys: String) throws { try tmux.type(keys) }

  /// Row and column of a text, from 0.
  func place(_ text: String) throws -> (row: Int, column: Int) {
    for (row, line) in try tmux.rows().enumerated() {
      if let range = line.range(of: text) {
        return (row, line.distance(from: line.startIndex, to: range.lowerBound))
      }
    }
    throw Absent(text: text)
  }

  /// A button pressed and let go, as a terminal reports it. 0 is the left one, 64 and 65 the wheel.
  func click(_ button: Int = 0, row: Int, column: Int) throws {
    let place = "\(button);\(column + 1);\(row + 1)"
    try tmux.type("\u{1B}[<\(place)M" + (button < 64 ? "\u{1B}[<\(place)m" : ""))
  }

  /// The seconds played that the screen tells, on the row of the seek bar.
  var elapsed: Int? {
    get throws {
      for line in try tmux.rows() {
        guard let found = line.firstMatch(of: /(\d+):(\d\d) .*-\d+:\d\d/),
          let minutes = Int(found.1), let seconds = Int(found.2)
        else { continue }
        return minutes * 60 + seconds
      }
      return nil
    }
  }
}
