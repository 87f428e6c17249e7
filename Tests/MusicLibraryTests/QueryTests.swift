import Testing

@testable import MusicLibrary

struct QueryTests {
  private func read(_ text: String) throws -> Query { try Query(text) }

  private func fault(_ text: String) -> String? {
    do throws(QueryError) {
      _ = try Query(text)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func `Words are wanted everywhere, and all of them`() throws {
    #expect(try read("") == .all)
    #expect(try read("  ") == .all)
    #expect(try read("army") == .text(.init("army")))
    #expect(try read("army of") == .and([.text(.init("army")), .text(.init("of"))]))
    #expect(try read("\"army of\"") == .text(.init("army of")))
    #expect(try read("a(b)c") == .and([.text(.init("a")), .text(.init("b")), .text(.init("c"))]))
  }

  @Test func `Fields take texts, and = means the whole of a value`() throws {
    #expect(try read("artist:björk") == .text(.init("björk", in: .artist)))
    #expect(try read("ARTIST:\"Sigur Rós\"") == .text(.init("Sigur Rós", in: .artist)))
    #expect(try read("artist:=Low") == .text(.init("Low", in: .artist, isWhole: true)))
    #expect(try read("artist:\"=Low\"") == .text(.init("=Low", in: .artist)))
  }

  @Test(arguments: [
    ("year:1997", Query.NumberField.year, Query.Comparison.equal(.number(1_997_000))),
    ("year:1990..1999", .year, .range(.number(1_990_000), .number(1_999_000))),
    ("year:..1999", .year, .range(nil, .number(1_999_000))),
    ("rating:>3", .rating, .above(.number(3000))),
    ("rating:2.5..", .rating, .range(.number(2500), nil)),
    ("plays:0", .plays, .equal(.number(0))), ("track:<=3", .track, .atMost(.number(3000))),
    ("duration:3:30", .duration, .equal(.number(210_000))),
    ("duration:>1:02:03", .duration, .above(.number(3_723_000))),
    ("duration:10m..1h", .duration, .range(.number(600_000), .number(3_600_000))),
    ("rate:44.1", .rate, .equal(.number(44_100_000))),
    ("rate:>=48k", .rate, .atLeast(.number(48_000_000))),
    ("bitrate:320k", .bitrate, .equal(.number(320_000))),
    ("bits:=24", .bits, .equal(.number(24_000))),
    ("added:>2026-01-01", .added, .above(.date(year: 2026, month: 1, day: 1))),
    ("added:<30d", .added, .below(.age(30, .days))),
    ("played:2026-05", .played, .equal(.date(year: 2026, month: 5, day: 0))),
    (
      "date:1997..1999-05-02", .date,
      .range(.date(year: 1997, month: 0, day: 0), .date(year: 1999, month: 5, day: 2))
    ),
  ])
  func `Numbers, times and dates are compared`(
    _ text: String, _ field: Query.NumberField, _ comparison: Query.Comparison
  ) throws {
    #expect(try read(text) == .number(.init(field, comparison)))
  }

  @Test func `A minus leaves out, or chooses, and parentheses hold together`() throws {
    let (a, b, c) = (Query.text(.init("a")), Query.text(.init("b")), Query.text(.init("c")))
    #expect(try read("a -b") == .and([a, .not(b)]))
    #expect(try read("a b or c") == .or([.and([a, b]), c]))
    #expect(try read("a (b OR c)") == .and([a, .or([b, c])]))
    #expect(try read("-(a b)") == .not(.and([a, b])))
    #expect(try read("--a") == a)
    #expect(
      try read("orbit \"or\" or-else")
        == .and([.text(.init("orbit")), .text(.init("or")), .text(.init("or-else"))]))
    #expect(try read("AC-DC") == .text(.init("AC-DC")))
  }

  @Test func `What only looks like a field is a word`() throws {
    #expect(
      try read("mission: impossible")
        == .and([.text(.init("mission:")), .text(.init("impossible"))]))
    #expect(try read("2:30") == .text(.init("2:30")))
    #expect(try read("http://a") == .text(.init("http://a")))
    #expect(try read("\"year:1\"") == .text(.init("year:1")))
  }

  @Test(arguments: [
    ("artist:björk yaer:1997", "column 14: 'yaer' is no field; did you mean 'year'?"),
    ("xyz:1", "column 1: 'xyz' is no field"),
    ("björk year:", "column 7: 'year:' needs a year, as 1997, 1990..1999 or >1995 after it"),
    ("artist:", "column 1: 'artist:' needs a text after it"),
    ("year:x", "column 6: 'x' is not a year, as 1997, 1990..1999 or >1995"),
    ("year:..", "column 6: '..' is not a year, as 1997, 1990..1999 or >1995"),
    ("duration:3:75", "column 10: '3:75' is not a time, as 3:30, 90s or >10m"),
    ("added:2026-13-01", "column 7: '2026-13-01' is not a date or an age, as >2026-01-01 or <30d"),
    ("a (b", "column 3: '(' is not closed"), ("a )b", "column 3: ')' closes nothing"),
    ("()", "column 1: there is nothing between the parentheses"),
    ("a \"b", "column 3: the quote is not closed"),
    ("a or", "column 3: 'or' needs something after it"),
    ("or a", "column 1: 'or' needs something before it"),
    ("a or or b", "column 3: 'or' needs something after it"),
    ("a - b", "column 3: '-' needs what is not wanted right after it"),
    ("year:\u{1B}[2J", "column 6: '\u{FFFD}[2J' is not a year, as 1997, 1990..1999 or >1995"),
  ])
  func `Wrong syntax says where and what`(_ text: String, _ sentence: String) {
    #expect(fault(text) == sentence)
  }

  @Test func `While it is typed a query does what it can`() {
    #expect(Query.typed("army \"of m").query == .and([.text(.init("army")), .text(.init("of m"))]))
    #expect(Query.typed("army year:").query == .text(.init("army")))
    #expect(Query.typed("army year:19x").query == .text(.init("army")))
    #expect(Query.typed("army -").query == .text(.init("army")))
    #expect(Query.typed("army or").query == .text(.init("army")))
    #expect(Query.typed("army (of").query == .and([.text(.init("army")), .text(.init("of"))]))
    #expect(Query.typed("yaer:1").query == .text(.init("yaer:1")))
    #expect(Query.typed("yaer:1").fault?.column == 1)
  }

  /// Pieces that mean something, and others.
  private static let pieces = [
    "artist:", "year:", "rating:", "added:", "duration:", "rate:", "bitrate:", "date:", "path:",
    "mb:",
    "-", "(", ")", "\"", " ", " ", " or ", "or", "OR(", ":", "..", ".", ">", "<=", "=", "1997",
    "44.1",
    "48k", "0.5k", "3:30", "1:2:3.5", "30d", "2026-01", "999999999h", "björk", "\u{301}", "の", "x",
    "\u{1B}", "\u{0}", "\u{200D}", "👩‍👩‍👧", "\r\n", "|", "'",
  ]

  @Test func `No text crashes it, and what is printed is read as the same`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<10, using: &generator) {
        text += Self.pieces.randomElement(using: &generator)!
      }
      let (query, fault) = Query.typed(text)
      let printed = query.description
      guard let again = try? Query(printed), again == query else {
        Issue.record("\(text.debugDescription) printed as \(printed.debugDescription)")
        continue
      }
      if let fault {
        #expect(fault.column >= 1 && fault.column <= text.count + 1)
        #expect(!fault.sentence.unicodeScalars.contains { $0.value < 0x20 })
      }
    }
  }

  @Test func `Deep and long texts end`() {
    #expect(fault(String(repeating: "(", count: 9000))?.contains("too many parentheses") == true)
    #expect(fault(String(repeating: "-", count: 9000) + "a")?.contains("too many") == true)
    #expect(fault(String(repeating: "a ", count: 9000))?.contains("more than 10000") == true)
  }
}
