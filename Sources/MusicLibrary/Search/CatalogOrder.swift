import Database

/// How tracks are sorted: each order is whole and stable, with what is unknown at its end, and rows
/// that are the same in it stand as in `album`.
public struct CatalogOrder: Hashable, Sendable {
  /// What tracks are sorted by; the words are those of `--sort`.
  public enum Column: String, CaseIterable, Sendable {
    /// By whom the album is, its year, its name, disc and track.
    case album
    case title, artist, genre, composer, codec, path
    case year, date, duration, rating, plays, played, added, rate, bits, bitrate, track
  }

  public var column: Column
  public var isDescending: Bool

  public init(_ column: Column = .album, descending: Bool = false) {
    self.column = column
    isDescending = descending
  }

  /// `title`, or `-title` from the end.
  public init?(_ text: String) {
    let isDescending = text.hasPrefix("-")
    guard let column = Column(rawValue: text.dropFirst(isDescending ? 1 : 0).lowercased()) else {
      return nil
    }
    self.init(column, descending: isDescending)
  }

  public var text: String { (isDescending ? "-" : "") + column.rawValue }
}

extension Catalog {
  /// All rows in an order.
  func order(_ order: CatalogOrder, _ database: Database) throws(DatabaseError) -> [UInt32] {
    if let made = orders[order] { return made }
    let base = base
    let rows: [UInt32]
    switch order.column {
    case .album: rows = order.isDescending ? base.rows.reversed() : base.rows
    case .title: rows = byText(.title, order)
    case .artist: rows = byText(.artist, order, isName: true)
    case .genre: rows = byText(.genre, order)
    case .composer: rows = byText(.composer, order, isName: true)
    case .codec: rows = byText(.codec, order)
    case .path: rows = try byPath(order, database)
    case .year: rows = byNumber(order) { UInt32(facts[$0].year) }
    case .date: rows = byNumber(order) { facts[$0].date }
    case .duration: rows = byNumber(order) { Self.thousandths(facts[$0].duration) }
    case .rating: rows = byNumber(order) { Self.thousandths(rating($0) ?? 0) }
    case .plays: rows = byNumber(order) { happened($0).plays }
    case .played: rows = byNumber(order) { happened($0).played }
    case .added: rows = byNumber(order) { added[$0] }
    case .rate: rows = byNumber(order) { facts[$0].rate }
    case .bits: rows = byNumber(order) { UInt32(facts[$0].bits) }
    case .bitrate: rows = byNumber(order) { facts[$0].bitRate }
    case .track:
      rows = byNumber(order) { UInt32(min(facts[$0].disc, 0x7FFF)) << 16 | UInt32(facts[$0].track) }
    }
    orders[order] = rows
    return rows
  }

  /// Some rows in an order, or the first of them.
  func sorted(
    _ some: RowSet, by order: CatalogOrder, limit: Int?, _ database: Database
  ) throws(DatabaseError) -> [UInt32] {
    let all = try self.order(order, database)
    let total = some.count
    let count = min(limit ?? total, total)
    // Few are put in order, of many the whole order is gone through.
    if total < all.count / 32 {
      let ranks = ranks(order, all)
      var keys: [UInt64] = []
      keys.reserveCapacity(total)
      some.each { keys.append(UInt64(ranks[$0]) << 32 | UInt64($0)) }
      keys.sort()
      return keys.prefix(count).map { UInt32(truncatingIfNeeded: $0) }
    }
    return [UInt32](unsafeUninitializedCapacity: count) { rows, filled in
      some.words.withUnsafeBufferPointer { words in
        all.withUnsafeBufferPointer { all in
          for row in all where words[Int(row >> 6)] & 1 << UInt64(row & 63) != 0 {
            if filled == count { return }
            rows[filled] = row
            filled += 1
          }
        }
      }
    }
  }

  /// The place of each row in an order.
  private func ranks(_ order: CatalogOrder, _ rows: [UInt32]) -> [UInt32] {
    if order == CatalogOrder() { return base.ranks }
    if let made = ranksMade[order] { return made }
    var ranks = [UInt32](repeating: 0, count: count)
    for (rank, row) in rows.enumerated() { ranks[Int(row)] = UInt32(rank) }
    ranksMade[order] = ranks
    return ranks
  }

  /// The rows of each folder, and where they begin.
  var folderRows: (starts: [Int], rows: [UInt32]) {
    if let folderRowsMade { return folderRowsMade }
    var starts = [Int](repeating: 0, count: folders.count + 1)
    for place in folder { starts[Int(place) + 1] += 1 }
    for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
    var next = starts
    var rows = [UInt32](repeating: 0, count: count)
    for (row, place) in folder.enumerated() {
      rows[next[Int(place)]] = UInt32(row)
      next[Int(place)] += 1
    }
    folderRowsMade = (starts, rows)
    return (starts, rows)
  }

  /// Of what is not less than 0; too much is the most.
  private static func thousandths(_ value: Float) -> UInt32 {
    UInt32(exactly: (value * 1000).rounded(.down)) ?? (value > 0 ? .max : 0)
  }

  /// The rows as albums stand, and the place of each row there.
  var base: (rows: [UInt32], ranks: [UInt32]) {
    if let baseMade { return baseMade }
    let albums = albums
    // Albums first: each has its place among all rows. Within them mostly nothing moves.
    var ends = [Int](repeating: 0, count: albums.albums.count + 1)
    for album in albums.ofRow { ends[Int(album) + 1] += 1 }
    for index in ends.indices.dropFirst() { ends[index] += ends[index - 1] }
    var next = ends
    var rows = [UInt32](repeating: 0, count: count)
    for row in 0..<count {
      let album = Int(albums.ofRow[row])
      rows[next[album]] = UInt32(row)
      next[album] += 1
    }
    for album in albums.albums.indices { sort(&rows, ends[album]..<ends[album + 1]) }
    var ranks = [UInt32](repeating: 0, count: count)
    for (rank, row) in rows.enumerated() { ranks[Int(row)] = UInt32(rank) }
    baseMade = (rows, ranks)
    return (rows, ranks)
  }

  /// The tracks of one album: disc, track, title.
  private func sort(_ rows: inout [UInt32], _ range: Range<Int>) {
    /// One disc may have no number, and tracks without one stand after the others.
    func place(_ row: UInt32) -> UInt32 {
      let facts = facts[Int(row)]
      let track = facts.track == 0 ? UInt16.max : facts.track
      return UInt32(max(facts.disc, 1)) << 16 | UInt32(track)
    }
    let keys = rows[range].map(place)
    let isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
    if isSorted { return }
    let sorted = zip(keys, rows[range]).sorted { $0 < $1 }
    let text = text
    var place = range.lowerBound
    var start = sorted.startIndex
    while start < sorted.endIndex {
      let end = sorted[start...].firstIndex { $0.0 != sorted[start].0 } ?? sorted.endIndex
      var same = sorted[start..<end].map(\.1)
      if same.count > 1 {
        // In the order of their titles.
        same = same.map { (NaturalKey.key(text[field(.title, Int($0))]), $0) }
          .sorted { left, right in
            left.0 == right.0
              ? left.1 < right.1 : left.0.lexicographicallyPrecedes(right.0)
          }.map(\.1)
      }
      for row in same {
        rows[place] = row
        place += 1
      }
      start = end
    }
  }

  /// By a number, of which 0 is unknown.
  private func byNumber(_ order: CatalogOrder, _ number: (Int) -> UInt32) -> [UInt32] {
    let base = base
    let keys = base.rows.enumerated().map { rank, row -> UInt64 in
      let value = number(Int(row))
      let key = value == 0 ? .max : order.isDescending ? ~value : value
      return UInt64(key) << 32 | UInt64(rank)
    }
    return keys.sorted().map { base.rows[Int($0 & 0xFFFF_FFFF)] }
  }

  private func byText(
    _ field: SearchEntry.Field, _ order: CatalogOrder, isName: Bool = false
  ) -> [UInt32] {
    var keys: [UInt8] = []
    keys.reserveCapacity(count * 20)
    let text = text
    return sorted(order) { row, keys in
      NaturalKey.append(text[self.field(field, row)], isName: isName, to: &keys)
    }
  }

  private func byPath(
    _ order: CatalogOrder, _ database: Database
  ) throws(DatabaseError) -> [UInt32] {
    let names = try fileNames(database)
    return sorted(order) { row, keys in
      NaturalKey.append(folders[Int(folder[row])].path, to: &keys)
      keys.append(0x2F)
      NaturalKey.append(names[row], to: &keys)
    }
  }

  /// By keys that are put one after the other; a key that begins with 0xFF is none.
  private func sorted(_ order: CatalogOrder, _ append: (Int, inout [UInt8]) -> Void) -> [UInt32] {
    let base = base
    var keys: [UInt8] = []
    var ends: [Int] = [0]
    ends.reserveCapacity(count + 1)
    for row in base.rows {
      append(Int(row), &keys)
      ends.append(keys.count)
    }
    let ranks = keys.withUnsafeBufferPointer { keys -> [Int] in
      func key(_ rank: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
        keys[ends[rank]..<ends[rank + 1]]
      }
      func isUnknown(_ rank: Int) -> Bool { keys[ends[rank]] == 0xFF }
      return Array(0..<count).sorted { left, right in
        let unknown = (isUnknown(left), isUnknown(right))
        if unknown.0 != unknown.1 { return unknown.1 }
        let (a, b) = (key(left), key(right))
        let difference = compare(a, b)
        if difference == 0 { return left < right }
        return order.isDescending ? difference > 0 : difference < 0
      }
    }
    return ranks.map { base.rows[$0] }
  }

  private func compare(
    _ left: Slice<UnsafeBufferPointer<UInt8>>, _ right: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Int {
    let (a, b) = (
      UnsafeBufferPointer(rebasing: left), UnsafeBufferPointer(rebasing: right)
    )
    let common = min(a.count, b.count)
    for index in 0..<common where a[index] != b[index] {
      return a[index] < b[index] ? -1 : 1
    }
    return a.count - b.count
  }
}
