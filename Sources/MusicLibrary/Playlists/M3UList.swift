/// An M3U as its lines, so that an edit leaves alone what it is not about: comments and directives of
/// other programs stay with the entry that they stand before. Pure.
public struct M3UList: Equatable, Sendable {
  /// One entry: the lines that say something of it, and its path or URL.
  public struct Block: Equatable, Sendable {
    public var before: [[UInt8]]
    public var path: [UInt8]
  }

  /// What is said of the whole list, `#EXTM3U` first.
  var head: [[UInt8]] = []
  public var blocks: [Block] = []
  /// What stands after the last entry.
  var tail: [[UInt8]] = []
  private var hasMark = false
  /// LF, or CR LF where the list has that.
  private var lineEnd: [UInt8] = [0x0A]
  private var charset = Charset.unknown
  /// False where there were more entries, or more lines, than are read.
  private(set) var isWhole = true

  /// An empty list.
  public init() { head = [Self.header] }

  private static let header = Array("#EXTM3U".utf8)

  /// Never fails: every line is something.
  ///
  /// - Parameter limit: entries after that many are left out.
  public init(_ bytes: [UInt8], atMost limit: Int = .max) {
    hasMark = bytes.starts(with: LegacyText.utf8Mark)
    var text = LegacyText.unmarked(bytes)
    // A mark within UTF-16 would be the mark of the UTF-8 that is written.
    var rest = text[...]
    while rest.starts(with: LegacyText.utf8Mark) {
      rest = rest.dropFirst(3)
      hasMark = true
    }
    if rest.count < text.count { text = Array(rest) }
    charset = Charset(of: text)
    if let end = text.firstIndex(of: 0x0A), end > 0, text[end - 1] == 0x0D {
      lineEnd = [0x0D, 0x0A]
    }
    var before: [[UInt8]] = []
    var lines = 0
    for line in LegacyText.lines(text) {
      lines += 1
      guard lines <= PlaylistLimits.lines else {
        isWhole = false
        return
      }
      let content = LegacyText.trimmed(line)
      guard let first = content.first, first != UInt8(ascii: "#") else {
        if blocks.isEmpty, Self.isOfTheList(content) {
          head += before + [Array(line)]
          before = []
        } else {
          before.append(Array(line))
        }
        continue
      }
      guard blocks.count < limit else {
        isWhole = false
        return
      }
      blocks.append(Block(before: before, path: Array(line)))
      before = []
    }
    tail = before
  }

  /// Directives that name or describe the list, wherever its first entry goes.
  private static func isOfTheList(_ line: ArraySlice<UInt8>) -> Bool {
    let words: [StaticString] = ["#extm3u", "#playlist:", "#extenc:"]
    return words.contains { LegacyText.begins(line, with: $0) }
  }

  /// What the entries say.
  public var entries: [PlaylistEntry] {
    blocks.map { M3UParser.entry($0.before, $0.path, charset) }
  }

  /// Whether the same block says the same in both.
  public func isRead(as other: M3UList) -> Bool { charset == other.charset }

  /// What one of them says.
  public func entry(_ row: Int) -> PlaylistEntry {
    M3UParser.entry(blocks[row].before, blocks[row].path, charset)
  }

  /// As it is written into a file. A text in UTF-16 becomes UTF-8.
  public var bytes: [UInt8] {
    var text = hasMark ? LegacyText.utf8Mark : []
    func add(_ line: [UInt8]) {
      text += line
      text += lineEnd
    }
    for line in head { add(line) }
    for block in blocks {
      for line in block.before { add(line) }
      add(block.path)
    }
    for line in tail { add(line) }
    return text
  }

  /// Directives are read where the list begins with the word for it.
  mutating func haveHeader() {
    if head.first.map({ LegacyText.begins($0, with: "#extm3u") }) != true {
      head.insert(Self.header, at: 0)
    }
  }
}
