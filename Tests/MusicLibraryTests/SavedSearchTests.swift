import Database
import Tags
import Testing

@testable import MusicLibrary

struct SavedSearchTests {
  private func read(_ text: String) throws -> SavedSearch {
    try SavedSearch(reading: Array(text.utf8))
  }

  private func fault(_ text: String) -> String? {
    do throws(SavedSearch.Fault) {
      _ = try SavedSearch(reading: Array(text.utf8))
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func `A saved search is a query with its order`() throws {
    let search = try read(
      "\u{FEFF}# jazz\r\n\r\n  genre:jazz rating:>3 \r\nsort=-added\r\nlimit=50\r\n")
    #expect(try search.query == Query("genre:jazz rating:>3"))
    #expect(search.order == CatalogOrder(.added, descending: true))
    #expect(search.limit == 50)
    #expect(try SavedSearch(reading: Array(search.text.utf8)) == search)
    #expect(try read("") == SavedSearch(.all))
    #expect(try read("x").text == "x\n")
  }

  @Test(arguments: [
    ("a\nb", "line 2: a search is one line, and this is a second"),
    ("\nyaer:1", "line 2: column 1: 'yaer' is no field; did you mean 'year'?"),
    ("limit=0", "line 1: limit= takes a number from 1 on"),
  ])
  func `What is wrong in it is told with its line`(_ text: String, _ sentence: String) {
    #expect(fault(text) == sentence)
  }

  @Test func `Any bytes end in a search or a sentence`() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? SavedSearch(reading: bytes)
    }
  }
}

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct PlayHistoryTests {
  /// A folder's database of the player, with the table as it is kept.
  private func history(_ folder: Scratch, _ rows: [(String, Double, Int, Int?, Double?)]) throws
    -> [UInt8]
  {
    let path = Array(folder.path.utf8) + Array("/state.db".utf8)
    let database = try Database(path)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS history(path BLOB, start REAL, device INTEGER, node INTEGER,
        size INTEGER, modified INTEGER, plays INTEGER NOT NULL DEFAULT 0, played INTEGER,
        skips INTEGER NOT NULL DEFAULT 0, rating REAL, bookmark REAL, PRIMARY KEY(path, start))
      """)
    for (file, start, plays, played, rating) in rows {
      try database.run(
        "INSERT INTO history(path, start, plays, played, rating) VALUES(?, ?, ?, ?, ?)",
        .bytes(Array(file.utf8)), .real(start), SQLValue(plays), played.map { SQLValue($0) },
        rating.map { .real($0) })
    }
    return path
  }

  private func fill(_ shelf: Shelf) throws {
    for name in ["a", "b", "c"] {
      try shelf.put("/m/\(name).mp3") {
        $0.title = name
        $0.rating = 0.2
      }
    }
    try shelf.put("/root.mp3") { $0.title = "root" }
  }

  @Test func `Plays, ratings and times of playing come from the player's database`() throws {
    let folder = try Scratch()
    let path = try history(
      folder,
      [
        ("/m/a.mp3", 0, 5, Int(Shelf.now) - 60, 5.0), ("/m/b.mp3", 0, 9, 1000, nil),
        ("/gone.mp3", 0, 99, nil, nil), ("/root.mp3", 0, 1, nil, nil), ("/m/c.mp3", 7, 3, nil, nil),
        ("nonsense", 0, 1, nil, nil),
      ])
    let shelf = try Shelf(history: path)
    try fill(shelf)
    #expect(try shelf.find("plays:>4", by: "-plays") == ["b", "a"])
    #expect(try shelf.find("plays:0") == ["c"])
    #expect(try shelf.find("played:<1d") == ["a"])
    #expect(try shelf.find("rating:5") == ["a"])
    #expect(try shelf.find("rating:1") == ["b", "c"])
    #expect(try shelf.find("", by: "-played").prefix(2) == ["a", "b"])
    // What is played meanwhile is known at the next look.
    _ = try history(folder, [("/m/c.mp3", 0, 20, Int(Shelf.now), nil)])
    #expect(try shelf.find("plays:>4", by: "-plays") == ["c", "b", "a"])
  }

  @Test func `Without the player's database nothing was played`() throws {
    let folder = try Scratch()
    let path = Array(folder.path.utf8) + Array("/state.db".utf8)
    let shelf = try Shelf(history: path)
    try fill(shelf)
    #expect(try shelf.find("plays:0").count == 4)
    #expect(try shelf.find("rating:1").count == 3)
    // It may come later, also without its table.
    try Database(path).execute("CREATE TABLE other(x)")
    #expect(try shelf.find("plays:>0").isEmpty)
  }
}
