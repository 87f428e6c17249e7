import Database
import Glibc

/// What time it is, for ages and days; given from outside, so that a search can be repeated.
public struct SearchClock: Sendable {
  /// Seconds since 1970.
  public var now: Int64
  /// When a day begins, in seconds since 1970; months and days beyond the end go on.
  public var midnight: @Sendable (_ year: Int, _ month: Int, _ day: Int) -> Int64

  public init(now: Int64, midnight: @escaping @Sendable (Int, Int, Int) -> Int64) {
    self.now = now
    self.midnight = midnight
  }

  /// This machine's, in its own time zone.
  public static var system: SearchClock {
    SearchClock(now: Int64(time(nil))) { year, month, day in
      var parts = tm()
      parts.tm_year = Int32(year - 1900)
      parts.tm_mon = Int32(month - 1)
      parts.tm_mday = Int32(day)
      parts.tm_isdst = -1
      return Int64(mktime(&parts))
    }
  }
}

/// Which rows a query means.
struct CatalogMatch {
  let catalog: Catalog
  let clock: SearchClock
  let database: Database

  /// The rows of `some` that a query means.
  func rows(_ query: Query, among some: RowSet) throws(DatabaseError) -> RowSet {
    switch query {
    case .all: return some
    case .text(let term): return try text(term, among: some)
    case .number(let term): return number(term, among: some)
    case .not(let inner):
      var rest = some
      rest.subtract(try rows(inner, among: some))
      return rest
    case .and(let all):
      var left = some
      var waiting = Self.selectiveFirst(all)
      while !waiting.isEmpty {
        // What is known costs nothing and leaves less for the others.
        let next = waiting.firstIndex { isKnown($0, among: left) } ?? 0
        left = try rows(waiting.remove(at: next), among: left)
      }
      return left
    case .or(let all):
      var found = RowSet(rows: some.rows)
      for query in all { found.formUnion(try rows(query, among: some)) }
      return found
    }
  }

  /// Long words leave little to be looked through for the others.
  private static func selectiveFirst(_ queries: [Query]) -> [Query] {
    queries.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element)
  }

  // MARK: Texts

  private func text(_ term: Query.TextTerm, among some: RowSet) throws(DatabaseError) -> RowSet {
    let search = ByteSearch(Folding.folded(term.text))
    // Nothing but signs that are not compared.
    guard !search.needle.isEmpty else { return some }
    let word = Self.word(term)
    if let found = catalog.findings.rows(word, among: some) { return found }
    let found = try rows(term, search, among: catalog.findings.candidates(word, among: some))
    catalog.findings.keep(word, among: some, found: found)
    return found
  }

  private func isKnown(_ query: Query, among some: RowSet) -> Bool {
    guard case .text(let term) = query else { return false }
    return catalog.findings.knows(Self.word(term), among: some)
  }

  private static func word(_ term: Query.TextTerm) -> Findings.Word {
    // Numbers of MusicBrainz are compared as they are written.
    Findings.Word(
      field: term.field, isWhole: term.isWhole,
      needle: term.field == .mb ? Array(term.text.utf8) : Folding.folded(term.text))
  }

  private func rows(
    _ term: Query.TextTerm, _ search: ByteSearch, among some: RowSet
  ) throws(DatabaseError) -> RowSet {
    switch term.field {
    case nil:
      var found = scan(search, among: some, isWhole: term.isWhole, in: nil)
      shown(search, among: some, into: &found)
      return found
    case .folder:
      return folders(among: some) { term.isWhole ? $0.path == search.needle : search.isIn($0.path) }
    case .path: return try paths(search, isWhole: term.isWhole, among: some)
    case .mb: return try musicBrainz(term.text, among: some)
    case .artist: return scan(search, among: some, isWhole: term.isWhole, in: .artist)
    case .albumartist: return scan(search, among: some, isWhole: term.isWhole, in: .albumArtist)
    case .album: return scan(search, among: some, isWhole: term.isWhole, in: .album)
    case .title: return scan(search, among: some, isWhole: term.isWhole, in: .title)
    case .genre: return scan(search, among: some, isWhole: term.isWhole, in: .genre)
    case .composer: return scan(search, among: some, isWhole: term.isWhole, in: .composer)
    case .comment: return scan(search, among: some, isWhole: term.isWhole, in: .comment)
    case .codec: return scan(search, among: some, isWhole: term.isWhole, in: .codec)
    }
  }

  private func scan(
    _ search: ByteSearch, among some: RowSet, isWhole: Bool, in field: SearchEntry.Field?
  ) -> RowSet {
    CatalogScan.rows(catalog, search, among: some, isWhole: isWhole, in: field)
  }

  /// The rows of whose folder that is shown.
  private func shown(_ search: ByteSearch, among some: RowSet, into found: inout RowSet) {
    catalog.folderText.withUnsafeBytes { text in
      var folder = 0
      var place = 0
      let (ends, rows) = catalog.folderRows
      while let hit = search.first(in: text, from: place, to: text.count) {
        while Int(catalog.folderStarts[folder + 1]) <= hit { folder += 1 }
        for row in rows[ends[folder]..<ends[folder + 1]] where some.contains(Int(row)) {
          found.insert(Int(row))
        }
        place = Int(catalog.folderStarts[folder + 1])
      }
    }
  }

  /// The rows whose folder is wanted.
  private func folders(among some: RowSet, _ isWanted: (Catalog.Folder) -> Bool) -> RowSet {
    var found = RowSet(rows: some.rows)
    let wanted = catalog.folders.map(isWanted)
    guard wanted.contains(true) else { return found }
    some.each { row in if wanted[Int(catalog.folder[row])] { found.insert(row) } }
    return found
  }

  private func paths(
    _ search: ByteSearch, isWhole: Bool, among some: RowSet
  ) throws(DatabaseError) -> RowSet {
    let names = try catalog.fileNames(database)
    let needle = search.needle
    let cut = (needle.lastIndex(of: 0x2F) ?? -1) + 1
    let (head, tail) = (Array(needle[..<cut]), Array(needle[cut...]))
    /// 0 never, 1 by the name, 2 by the name's beginning too, 3 always.
    let kinds = catalog.folders.map { folder -> UInt8 in
      let path = folder.path + (folder.path.last == 0x2F ? [] : [0x2F])
      if isWhole { return path == head ? 2 : 0 }
      if search.isIn(path) { return 3 }
      return cut > 0 && path.suffix(head.count).elementsEqual(head) ? 2 : 1
    }
    var found = RowSet(rows: some.rows)
    some.each { row in
      let name = names[row]
      let isFound =
        switch kinds[Int(catalog.folder[row])] {
        case 3: true
        case 2: isWhole ? name == tail : name.starts(with: tail) || search.isIn(name)
        case 1: search.isIn(name)
        default: false
        }
      if isFound { found.insert(row) }
    }
    return found
  }

  private func musicBrainz(_ value: String, among some: RowSet) throws(DatabaseError) -> RowSet {
    var ids: Set<Int64> = []
    try database.rows(
      "SELECT track FROM musicbrainz WHERE instr(lower(value), lower(?)) > 0", [.text(value)]
    ) { ids.insert($0.integer(0)) }
    var found = RowSet(rows: some.rows)
    if !ids.isEmpty { some.each { if ids.contains(catalog.ids[$0]) { found.insert($0) } } }
    return found
  }

  // MARK: Numbers

  private func number(_ term: Query.NumberTerm, among some: RowSet) -> RowSet {
    var found = RowSet(rows: some.rows)
    let (from, to) = bounds(term)
    guard from < to else { return found }
    let facts = catalog.facts
    /// Unknown is nothing that could be compared.
    func take(_ value: (Int) -> Double?) {
      some.each { row in
        if let value = value(row), value >= from, value < to { found.insert(row) }
      }
    }
    func known(_ value: some BinaryInteger) -> Double? { value == 0 ? nil : Double(value) }
    switch term.field {
    case .year: take { known(facts[$0].year) }
    case .date: take { known(facts[$0].date) }
    case .track: take { known(facts[$0].track) }
    case .disc: take { known(facts[$0].disc) }
    case .rate: take { known(facts[$0].rate) }
    case .bits: take { known(facts[$0].bits) }
    case .bitrate: take { known(facts[$0].bitRate) }
    case .duration: take { facts[$0].duration > 0 ? Double(facts[$0].duration) : nil }
    // Not rated is no star, not played is played never.
    case .rating: take { Double(catalog.rating($0) ?? 0) * 5 }
    case .plays: take { Double(catalog.happened($0).plays) }
    case .played: take { known(catalog.happened($0).played) }
    case .added: take { Double(catalog.added[$0]) }
    }
    return found
  }

  /// From the first on, before the second.
  private func bounds(_ term: Query.NumberTerm) -> (Double, Double) {
    let open = Double.infinity
    switch term.comparison {
    // "added:30d" is what was added since then.
    case .equal(.age(let count, let unit)), .below(.age(let count, let unit)),
      .atMost(.age(let count, let unit)):
      return (ago(count, unit), open)
    case .above(.age(let count, let unit)), .atLeast(.age(let count, let unit)):
      return (-open, ago(count, unit))
    case .equal(let value): return place(value, term.field)
    case .above(let value): return (place(value, term.field).1, open)
    case .atLeast(let value): return (place(value, term.field).0, open)
    case .below(let value): return (-open, place(value, term.field).0)
    case .atMost(let value): return (-open, place(value, term.field).1)
    case .range(let low, let high):
      // Ages count backwards.
      var (low, high) = (low, high)
      if case .age? = low ?? high {
        if case .age? = high ?? low { (low, high) = (high, low) }
      }
      return (
        low.map { place($0, term.field).0 } ?? -open, high.map { place($0, term.field).1 } ?? open
      )
    }
  }

  private func ago(_ count: Int, _ unit: Query.Age) -> Double {
    Double(clock.now) - Double(count) * Double(unit.seconds)
  }

  /// What a value stands for: a day is all of its seconds, 3:30 all that is shown so.
  private func place(_ value: Query.Value, _ field: Query.NumberField) -> (Double, Double) {
    switch value {
    case .number(let thousandths):
      let number = Double(thousandths) / 1000
      switch field {
      case .rate: return (number - 0.5, number + 0.5)
      case .bitrate: return ((number - 0.5) * 1000, (number + 0.5) * 1000)
      case .rating: return (number - 0.25, number + 0.25)
      case .duration where thousandths % 1000 > 0: return (number - 0.001, number + 0.001)
      default: return (number, number + 1)
      }
    case .date(let year, let month, let day):
      if field == .date {
        let first = year * 10_000 + month * 100 + day
        return (Double(first), Double(first + (month == 0 ? 10_000 : day == 0 ? 100 : 1)))
      }
      let begin = clock.midnight(year, max(month, 1), max(day, 1))
      let end =
        month == 0
        ? clock.midnight(year + 1, 1, 1)
        : day == 0 ? clock.midnight(year, month + 1, 1) : clock.midnight(year, month, day + 1)
      return (Double(begin), Double(end))
    case .age(let count, let unit): return (ago(count, unit), ago(count, unit))
    }
  }
}

extension Query {
  /// How much a term leaves out, roughly.
  fileprivate var weight: Int {
    switch self {
    case .all: 0
    case .text(let term): term.field == .path || term.field == .mb ? 0 : term.text.utf8.count
    case .number: 2
    case .not, .or, .and: 1
    }
  }
}

extension Catalog {
  /// The folded names of all files; read when a path is looked for first.
  func fileNames(_ database: Database) throws(DatabaseError) -> [[UInt8]] {
    if let names { return names }
    var found = [[UInt8]](repeating: [], count: count)
    var row = 0
    try database.rows(
      "SELECT track.id, file.name FROM track JOIN file ON file.id = track.file ORDER BY track.id"
    ) { line in
      let id = line.integer(0)
      while row < ids.count, ids[row] < id { row += 1 }
      if row < ids.count, ids[row] == id { found[row] = Folding.folded(line.bytes(1)) }
    }
    names = found
    return found
  }

  func happened(_ row: Int) -> HistoryEntry { history.isEmpty ? HistoryEntry() : history[row] }

  /// 0 to 1: the user's own, otherwise as tagged.
  func rating(_ row: Int) -> Float? {
    let own = happened(row).rating
    if own >= 0 { return own }
    let tagged = facts[row].rating
    return tagged.isNaN ? nil : tagged
  }

  /// The row of a track in the index.
  func row(of id: Int64) -> Int? {
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < ids.count && ids[low] == id ? low : nil
  }
}
