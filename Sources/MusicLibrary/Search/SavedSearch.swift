import AudioTypes

/// A query with its order: a file `NAME.search` in the folder of playlists, which is played like
/// one. One line is the query; `sort=COLUMN` (`sort=-COLUMN` from the end) and `limit=N` may stand in
/// lines of their own, and lines that begin with # say nothing.
public struct SavedSearch: Hashable, Sendable {
  public var query: Query
  public var order: CatalogOrder
  /// Not more tracks than these.
  public var limit: Int?

  public init(_ query: Query, order: CatalogOrder = CatalogOrder(), limit: Int? = nil) {
    self.query = query
    self.order = order
    self.limit = limit
  }

  /// What is wrong in a file, and where.
  public struct Fault: Error, Hashable, Sendable {
    /// From 1 on.
    public var line: Int
    /// Without a full stop; safe to print.
    public var problem: String
    public var sentence: String { "line \(line): \(problem)" }
  }

  /// The ending of its file.
  public static let suffix = "search"

  /// Whether a path is that of one, by its ending.
  public static func isOne(_ path: [UInt8]) -> Bool { Paths.suffix(path) == suffix }

  /// What is said to those who would change its rows.
  public static let isNoList =
    "is a saved search: 'sotto search --save NAME --replace QUERY' changes it"

  /// Nobody writes more.
  static let longest = 64 * 1024

  /// Reads a file; blocks.
  public init(file path: [UInt8]) throws(LibraryFault) {
    guard let bytes = FileProbe.bytes(path, from: 0, atMost: Self.longest + 1) else {
      throw LibraryFault(path: path, sentence: "cannot be read")
    }
    do throws(Fault) {
      try self.init(reading: bytes)
    } catch {
      throw LibraryFault(path: path, sentence: error.sentence)
    }
  }

  /// Reads the text of a file.
  public init(reading bytes: [UInt8]) throws(Fault) {
    self.init(.all)
    guard bytes.count <= Self.longest else {
      throw Fault(line: 1, problem: "too large for a search")
    }
    var hasQuery = false
    let lines = String(decoding: LegacyText.unmarked(bytes), as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, raw) in lines.enumerated() {
      let line = Self.trimmed(raw)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("sort=") {
        order = try Self.order(Self.trimmed(line.dropFirst(5)), index + 1)
      } else if line.hasPrefix("limit=") {
        let text = Self.trimmed(line.dropFirst(6))
        guard let number = Int(text), number > 0 else {
          throw Fault(line: index + 1, problem: "limit= takes a number from 1 on")
        }
        limit = number
      } else {
        guard !hasQuery else {
          throw Fault(line: index + 1, problem: "a search is one line, and this is a second")
        }
        hasQuery = true
        do throws(QueryError) {
          query = try Query(String(line))
        } catch {
          throw Fault(line: index + 1, problem: error.sentence)
        }
      }
    }
  }

  private static func order(_ text: Substring, _ line: Int) throws(Fault) -> CatalogOrder {
    if let order = CatalogOrder(String(text)) { return order }
    throw Fault(line: line, problem: "sort= takes \(CatalogOrder.names)")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// The text of its file.
  public var text: String {
    var lines = [query.description]
    if order != CatalogOrder() { lines.append("sort=\(order.text)") }
    if let limit { lines.append("limit=\(limit)") }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension CatalogOrder {
  /// All columns, for people.
  public static let names =
    Column.allCases.map(\.rawValue).joined(separator: ", ") + ", with - before it from the end"
}
