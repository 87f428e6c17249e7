/// Some of the rows of a catalog: a bit each.
struct RowSet: Equatable, Sendable {
  let rows: Int
  private(set) var words: [UInt64]

  init(rows: Int, full: Bool = false) {
    self.rows = rows
    words = [UInt64](repeating: full ? .max : 0, count: (rows + 63) / 64)
    if full { cut() }
  }

  /// - Parameter words: a bit for each row, and nothing beyond the last one.
  init(rows: Int, words: [UInt64]) {
    (self.rows, self.words) = (rows, words)
  }

  /// Beyond the last row there is nothing.
  private mutating func cut() {
    if rows % 64 > 0 { words[words.count - 1] &= (1 << UInt64(rows % 64)) - 1 }
  }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  func contains(_ row: Int) -> Bool { words[row >> 6] & 1 << UInt64(row & 63) != 0 }
  mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  mutating func formUnion(_ other: RowSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func formIntersection(_ other: RowSet) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  func isSubset(of other: RowSet) -> Bool {
    for index in words.indices where words[index] & ~other.words[index] != 0 { return false }
    return true
  }

  mutating func subtract(_ other: RowSet) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  func each(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}
