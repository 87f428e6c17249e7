/// What words have found in a catalog, the newest of them: a query that is typed letter by letter looks
/// through what the shorter one has found, and words before the last are not looked for again.
struct Findings {
  struct Word: Equatable {
    var field: Query.TextField?
    var isWhole: Bool
    /// Folded.
    var needle: [UInt8]
  }

  private struct Finding {
    var word: Word
    /// The rows that were looked through.
    var among: RowSet
    var rows: RowSet
  }

  /// Of 500,000 rows one takes 125 KB.
  static let most = 24
  private var kept: [Finding] = []

  private func place(of word: Word, among some: RowSet) -> Int? {
    kept.lastIndex { $0.word == word && some.isSubset(of: $0.among) }
  }

  func knows(_ word: Word, among some: RowSet) -> Bool { place(of: word, among: some) != nil }

  /// The rows of a word, where it was looked for in these before.
  mutating func rows(_ word: Word, among some: RowSet) -> RowSet? {
    guard let place = place(of: word, among: some) else { return nil }
    let finding = kept.remove(at: place)
    kept.append(finding)
    var rows = finding.rows
    rows.formIntersection(some)
    return rows
  }

  /// Those of these rows that may hold a word: the ones that hold the longest known piece of it.
  func candidates(_ word: Word, among some: RowSet) -> RowSet {
    var best: Finding?
    for finding in kept
    where finding.word.field == word.field && !finding.word.isWhole
      && finding.word.needle.count > best?.word.needle.count ?? 0
      && finding.word.needle.count <= word.needle.count
      && ByteSearch(finding.word.needle).isIn(word.needle) && some.isSubset(of: finding.among)
    {
      best = finding
    }
    guard let best else { return some }
    var rows = best.rows
    rows.formIntersection(some)
    return rows
  }

  mutating func keep(_ word: Word, among some: RowSet, found: RowSet) {
    if kept.count == Self.most { kept.removeFirst() }
    kept.append(Finding(word: word, among: some, rows: found))
  }
}
