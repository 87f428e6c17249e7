import AudioTypes
import PlayerState

/// What a terminal pastes when files are dragged into it: paths a line or a word, plain, quoted,
/// with backslashes, or as file URLs.
enum PastedPaths {
  /// No more than this: a paste is no library.
  private static let most = 1000

  /// All of them, or none when any piece of it looks like something else.
  static func read(_ text: String) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    for raw in text.split(whereSeparator: \.isNewline) {
      let line = String(raw).trimmed
      if line.isEmpty { continue }
      guard let found = pieces(of: line) else { return [] }
      paths += found
      if paths.count > most { return [] }
    }
    return paths
  }

  private static func pieces(of line: String) -> [[UInt8]]? {
    // A plain path may hold blanks; words do, when each of them is a path.
    let words = CommandWords(line)
    if words.openQuote == nil, !words.words.isEmpty {
      let found = words.words.map { isPath($0) ? path($0) : nil }
      if found.allSatisfy({ $0 != nil }) { return found.compactMap(\.self) }
    }
    let whole = Array(line.utf8)
    return isPath(whole) ? path(whole).map { [$0] } : nil
  }

  private static let starts = ["/", "~/", "./", "../", "file://", "http://", "https://"]

  private static func isPath(_ word: [UInt8]) -> Bool {
    starts.contains { word.starts(with: $0.utf8) } && !word.contains { $0 < 0x20 || $0 == 0x7F }
  }

  /// A file URL as the path it means; nil when it means none on this machine.
  private static func path(_ word: [UInt8]) -> [UInt8]? {
    let scheme = Array("file://".utf8)
    guard word.starts(with: scheme) else { return word }
    var rest = word[scheme.count...]
    let local = Array("localhost".utf8)
    if rest.starts(with: local) { rest = rest.dropFirst(local.count) }
    guard rest.first == UInt8(ascii: "/") else { return nil }
    var path: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        let digits = rest.prefix(2)
        guard digits.count == 2,
          let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
        else { return nil }
        path.append(value)
        rest = rest.dropFirst(2)
      } else {
        path.append(byte)
      }
    }
    return path
  }
}
