import Glibc

/// Looks for a word in the texts of a catalog. Many rows are shared among the processors.
struct CatalogScan {
  private let text: UnsafeRawBufferPointer
  private let starts: UnsafeBufferPointer<UInt32>
  private let among: UnsafeBufferPointer<UInt64>
  private let found: UnsafeMutableBufferPointer<UInt64>
  private let search: ByteSearch
  private let field: SearchEntry.Field?
  private let isWhole: Bool
  private let areFew: Bool

  /// A thread costs as much as so many bytes of text.
  private static let worthThread = 1 << 20
  private static let mostThreads = 4

  /// - Parameter pieces: how many threads take part; nil is as many as are worth it.
  static func rows(
    _ catalog: Catalog, _ search: ByteSearch, among some: RowSet, isWhole: Bool,
    in field: SearchEntry.Field?, pieces: Int? = nil
  ) -> RowSet {
    let count = some.count
    guard count > 0 else { return some }
    var words = [UInt64](repeating: 0, count: some.words.count)
    catalog.text.withUnsafeBytes { text in
      catalog.starts.withUnsafeBufferPointer { starts in
        some.words.withUnsafeBufferPointer { among in
          words.withUnsafeMutableBufferPointer { found in
            let scan = CatalogScan(
              text: text, starts: starts, among: among, found: found, search: search,
              field: field, isWhole: isWhole, areFew: count * 2 < some.rows)
            let bytes = text.count / max(some.rows / count, 1)
            scan.all(pieces ?? min(Crew.processors, mostThreads, max(1, bytes / worthThread)))
          }
        }
      }
    }
    return RowSet(rows: some.rows, words: words)
  }

  /// Every piece is whole words of the sets, so that no two threads write one.
  private func all(_ pieces: Int) {
    let crew = Crew()
    let size = (among.count + pieces - 1) / pieces
    for piece in 0..<pieces where piece > 0 {
      let range = min(piece * size, among.count)..<min((piece + 1) * size, among.count)
      // The others are waited for before what they read ends.
      nonisolated(unsafe) let scan = self
      if !crew.start({ scan.look(range) }) { look(range) }
    }
    look(0..<min(size, among.count))
    crew.join()
  }

  private func look(_ words: Range<Int>) {
    guard !words.isEmpty else { return }
    if areFew { return each(words) }
    through(words.lowerBound * 64..<min(words.upperBound * 64, starts.count - 1))
  }

  /// Few rows are looked at one by one.
  private func each(_ words: Range<Int>) {
    for word in words {
      var rest = among[word]
      while rest != 0 {
        let row = word << 6 + rest.trailingZeroBitCount
        rest &= rest - 1
        let end = Int(starts[row + 1])
        var place = Int(starts[row])
        while let hit = search.first(in: text, from: place, to: end) {
          guard let next = go(hit, row) else { break }
          place = next
        }
      }
    }
  }

  private func through(_ rows: Range<Int>) {
    var row = rows.lowerBound
    var place = Int(starts[row])
    let end = Int(starts[rows.upperBound])
    while let hit = search.first(in: text, from: place, to: end) {
      while Int(starts[row + 1]) <= hit { row += 1 }
      let isAmong = among[row >> 6] & 1 << UInt64(row & 63) != 0
      place = isAmong ? go(hit, row) ?? Int(starts[row + 1]) : Int(starts[row + 1])
    }
  }

  /// Where the row is looked at next; nil when it is done.
  private func go(_ hit: Int, _ row: Int) -> Int? {
    switch look(hit, row) {
    case .goesOn(let next): return next
    case .found: insert(row)
    case .over: break
    }
    return nil
  }

  private func insert(_ row: Int) { found[row >> 6] |= 1 << UInt64(row & 63) }

  // MARK: Where in an entry

  private enum Answer {
    case found, over
    case goesOn(Int)
  }

  /// Whether a place in a row is where the word is looked for, and otherwise from where on it may be.
  private func look(_ hit: Int, _ row: Int) -> Answer {
    let (start, end) = (Int(starts[row]), Int(starts[row + 1]) - 1)
    if isWhole {
      let after = hit + search.needle.count
      guard hit == start || isEnd(text[hit - 1]), isEnd(text[after]) else {
        return .goesOn(hit + 1)
      }
    }
    guard let field else { return .found }
    var from = start
    // Who has no album artist is the album's artist.
    let first = field == .albumArtist ? SearchEntry.Field.artist : field
    for _ in 0..<first.rawValue { from = fieldEnd(from, end) + 1 }
    if hit < from { return from < end ? .goesOn(from) : .over }
    let to = fieldEnd(from, end)
    if field != .albumArtist { return hit < to ? .found : .over }
    let last = fieldEnd(to + 1, end)
    if hit < to { return last == to + 1 ? .found : .goesOn(to + 1) }
    return hit < last ? .found : .over
  }

  /// Where the field ends that begins here.
  private func fieldEnd(_ place: Int, _ end: Int) -> Int {
    guard place < end, let base = text.baseAddress,
      let hit = memchr(base + place, Int32(SearchEntry.fieldEnd), end - place)
    else { return end }
    return UnsafeRawPointer(hit) - base
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == SearchEntry.fieldEnd || byte == SearchEntry.valueEnd || byte == SearchEntry.entryEnd
  }
}
