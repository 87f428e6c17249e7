import Database
import Foundation
import Tags
import TestSupport
import Testing

@testable import MusicLibrary

/// What was found for a shorter query or on several threads is what is found afresh on one.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct FindingTests {
  private let shelf: Shelf

  private static let words = ["river", "stone", "rio", "Björk", "moon", "o", "東京", "ore", "nor"]

  init() throws {
    let shelf = try Shelf()
    var chance = SeededGenerator(seed: 8)
    func some() -> String {
      (0..<Int.random(in: 1...3, using: &chance)).map { _ in
        Self.words.randomElement(using: &chance)!
      }.joined(separator: " ")
    }
    try shelf.index.transaction { () throws(DatabaseError) in
      for number in 0..<700 {
        let folder = "\(some()) \(number / 20)"
        do {
          try shelf.put("/music/\(folder)/\(number).mp3") {
            if number % 9 > 0 { $0.title = some() }
            $0.artists = [some(), some()]
            if number % 3 == 0 { $0.albumArtists = [some()] }
            $0.album = some()
            $0.comment = some()
            $0.date = "\(1990 + number % 20)"
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    self.shelf = shelf
  }

  private func find(_ query: Query, _ order: CatalogOrder, limit: Int?) throws -> [UInt32] {
    try shelf.searcher.search(query, by: order, limit: limit, at: Shelf.clock).rows
  }

  @Test(arguments: [
    "river stone moon ore", "artist:river artist:rio", "-moon river or stone",
    "albumartist:bjork o", "title:=moon", "title:mo title:oo", "folder:river path:stone/1",
    "\"river stone\" -(nor or 東京) year:1991..2000", "o r e", "rio rio river", "comment:stone",
  ])
  func `A query that is typed finds at each letter what it finds at once`(_ text: String) throws {
    let orders = [CatalogOrder(), CatalogOrder(.title), CatalogOrder(.year, descending: true)]
    let letters = Array(text)
    // On, and back again.
    for count in Array(1...letters.count) + Array((0..<letters.count).reversed()) {
      let query = Query.typed(String(letters[..<count])).query
      for order in orders {
        let typed = try find(query, order, limit: nil)
        let few = try find(query, order, limit: 7)
        let catalog = try shelf.searcher.current(Shelf.clock.now)
        let kept = catalog.findings
        catalog.findings = Findings()
        #expect(try find(query, order, limit: nil) == typed, "\(letters[..<count])")
        #expect(few == Array(typed.prefix(7)))
        catalog.findings = kept
      }
    }
  }

  @Test func `Several threads find what one finds, among all rows and among few`() throws {
    let catalog = try shelf.searcher.current(Shelf.clock.now)
    let all = RowSet(rows: catalog.count, full: true)
    var few = RowSet(rows: catalog.count)
    for row in stride(from: 3, to: catalog.count, by: 5) { few.insert(row) }
    for some in [all, few, RowSet(rows: catalog.count)] {
      for word in ["r", "ri", "river", "東京", "xyz", "oo", "moon bjork"] {
        for field in [nil, SearchEntry.Field.title, .artist, .albumArtist, .comment] {
          for isWhole in [false, true] {
            func rows(_ pieces: Int) -> RowSet {
              CatalogScan.rows(
                catalog, ByteSearch(Folding.folded(word)), among: some, isWhole: isWhole,
                in: field, pieces: pieces)
            }
            let one = rows(1)
            #expect(one == slow(catalog, word, field, isWhole, among: some), "\(word)")
            for pieces in [2, 3, 11, 40] { #expect(rows(pieces) == one) }
          }
        }
      }
    }
  }

  /// Field after field, value after value.
  private func slow(
    _ catalog: Catalog, _ word: String, _ field: SearchEntry.Field?, _ isWhole: Bool,
    among some: RowSet
  ) -> RowSet {
    let needle = Folding.folded(word)
    var found = RowSet(rows: some.rows)
    some.each { row in
      let fields = SearchEntry.Field.allCases.map { catalog.text[catalog.field($0, row)] }
      let isOwnArtist = fields[SearchEntry.Field.albumArtist.rawValue].isEmpty
      let looked = field.map { field in
        [fields[(field == .albumArtist && isOwnArtist ? .artist : field).rawValue]]
      }
      let isFound = (looked ?? fields).contains { text in
        text.split(separator: SearchEntry.valueEnd).contains { value in
          isWhole
            ? value.elementsEqual(needle)
            : !value.isEmpty && value.indices.contains { value[$0...].starts(with: needle) }
        }
      }
      if isFound { found.insert(row) }
    }
    return found
  }

  @Test func `What was found among some rows says nothing of others, and the oldest is dropped`() {
    var findings = Findings()
    var half = RowSet(rows: 100)
    for row in 0..<50 { half.insert(row) }
    let all = RowSet(rows: 100, full: true)
    let word = Findings.Word(field: nil, isWhole: false, needle: [1, 2])
    var found = RowSet(rows: 100)
    found.insert(7)
    findings.keep(word, among: half, found: found)
    #expect(findings.rows(word, among: all) == nil)
    #expect(findings.rows(word, among: half) == found)
    let longer = Findings.Word(field: nil, isWhole: true, needle: [0, 1, 2])
    #expect(findings.candidates(longer, among: half) == found)
    #expect(findings.candidates(longer, among: all) == all)
    let other = Findings.Word(field: .title, isWhole: false, needle: [0, 1, 2])
    #expect(findings.candidates(other, among: half) == half)
    for number in 0..<Findings.most {
      findings.keep(
        Findings.Word(field: nil, isWhole: true, needle: [9, UInt8(number)]), among: all,
        found: found)
    }
    #expect(!findings.knows(word, among: half))
  }
}
