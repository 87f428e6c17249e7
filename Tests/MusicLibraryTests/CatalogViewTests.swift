import Database
import Tags
import Testing

@testable import MusicLibrary

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct CatalogViewTests {
  private let shelf: Shelf

  init() throws { shelf = try Shelf() }

  private func put(
    _ path: String, _ artist: String?, _ album: String?, track: Int? = nil,
    _ fill: (inout TrackRecord) -> Void = { _ in }
  ) throws {
    try shelf.put(path) {
      $0.title = String(path.split(separator: "/").last!)
      if let artist { $0.artists = [artist] }
      $0.album = album
      $0.track = track
      fill(&$0)
    }
  }

  @Test func `Albums of various artists stay together, by tag, by flag, or by folder`() throws {
    try put("/m/a/1", "Nick", "Duets", track: 1) { $0.albumArtists = ["Kylie"] }
    try put("/m/b/2", "Shane", "Duets", track: 2) { $0.albumArtists = ["Kylie"] }
    try put("/m/c/3", "Abba", "Hits", track: 1) { $0.isCompilation = true }
    try put("/m/d/4", "Zappa", "Hits", track: 2) { $0.isCompilation = true }
    try put("/m/e/5", "Air", "Mix", track: 1)
    try put("/m/e/6", "Beck", "Mix", track: 2)
    try put("/m/f/7", "Cake", "Mix", track: 1)
    try put("/m/g/CD1/8", "Low", "Live", track: 1)
    try put("/m/g/CD2/9", "Low", "Live", track: 2)
    #expect(
      try shelf.names(.albums) == [
        "Duets by Kylie: 2", "Hits by Various artists: 2", "Live by Low: 2", "Mix by Cake: 1",
        "Mix by Various artists: 2",
      ])
    #expect(
      try shelf.names(.albumartists) == ["Cake: 1", "Kylie: 2", "Low: 2", "Various artists: 4"])
    #expect(try shelf.find("") == ["7", "1", "2", "8", "9", "3", "4", "5", "6"])
  }

  @Test func `Artists, genres and composers with many values are each there, once each`() throws {
    try put("/m/1", nil, nil) {
      $0.artists = ["Simon", "Garfunkel", "Simon"]
      $0.genres = ["Folk", "Rock"]
      $0.composers = ["The Simon"]
    }
    try put("/m/2", "simon", nil) { $0.genres = ["rock"] }
    try put("/m/3", nil, nil)
    #expect(try shelf.names(.artists) == ["Garfunkel: 1", "simon: 2", ": 1"])
    #expect(try shelf.names(.genres) == ["Folk: 1", "rock: 2", ": 1"])
    #expect(try shelf.names(.composers) == ["The Simon: 1", ": 2"])
    #expect(try shelf.names(.artists, of: "folk") == ["Garfunkel: 1", "simon: 1"])
  }

  @Test func `Folders and years have their order`() throws {
    try put("/m/10/a", nil, nil) { $0.date = "2001" }
    try put("/m/9/b", nil, nil) { $0.date = "1999" }
    try put("/m/9/c", nil, nil)
    #expect(try shelf.names(.folders) == ["/m/9: 2", "/m/10: 1"])
    #expect(try shelf.names(.years) == ["1999: 1", "2001: 1", ": 1"])
  }

  @Test func `Tracks stand by disc, number and name, and albums by their year`() throws {
    try put("/m/x/c", "The Who", "Two", track: 2) {
      $0.date = "1970"
      $0.disc = 1
    }
    try put("/m/x/b", "The Who", "Two", track: 10) {
      $0.date = "1970"
      $0.disc = 1
    }
    try put("/m/x/a", "The Who", "Two", track: 1) {
      $0.date = "1970"
      $0.disc = 2
    }
    try put("/m/y/t 10", "Abba", "New") { $0.date = "1980" }
    try put("/m/y/t 9", "Abba", "New") { $0.date = "1980" }
    try put("/m/z/old", "Abba", "Old", track: 1) { $0.date = "1974" }
    #expect(try shelf.find("") == ["old", "t 9", "t 10", "c", "b", "a"])
  }

  @Test func `Every column sorts up and down, the unknown last, and equals as albums stand`() throws
  {
    try put("/m/1/z", "B", "One", track: 1) {
      $0.duration = 100
      $0.title = "Track 10"
    }
    try put("/m/1/y", "B", "One", track: 2) {
      $0.duration = 50
      $0.title = "track 9"
    }
    try put("/m/2/x", "A", "Two", track: 1) { $0.title = "Ärger" }
    #expect(try shelf.find("", by: "title") == ["Ärger", "track 9", "Track 10"])
    #expect(try shelf.find("", by: "-title") == ["Track 10", "track 9", "Ärger"])
    #expect(try shelf.find("", by: "duration") == ["track 9", "Track 10", "Ärger"])
    #expect(try shelf.find("", by: "-duration") == ["Track 10", "track 9", "Ärger"])
    #expect(try shelf.find("", by: "-artist") == ["Track 10", "track 9", "Ärger"])
    #expect(try shelf.find("", by: "genre") == ["Ärger", "Track 10", "track 9"])
    #expect(try shelf.find("", by: "-genre") == ["Ärger", "Track 10", "track 9"])
    #expect(try shelf.find("", by: "path") == ["track 9", "Track 10", "Ärger"])
    for column in CatalogOrder.Column.allCases {
      for sign in ["", "-"] {
        #expect(try Set(shelf.find("", by: sign + column.rawValue)).count == 3)
      }
    }
  }

  @Test func `Results come by pages of any range`() throws {
    for number in 0..<30 { try put("/m/\(number)", "A", "B", track: number + 1) }
    let result = try shelf.searcher.search(.all, at: Shelf.clock)
    #expect(result.count == 30)
    func page(_ range: Range<Int>) throws -> [Int?] {
      try shelf.searcher.tracks(result, range).map(\.track.track)
    }
    #expect(try page(10..<13) == [11, 12, 13])
    #expect(try page(28..<99) == [29, 30])
    #expect(try page(50..<60).isEmpty)
    let few = try shelf.searcher.search(.all, limit: 4, at: Shelf.clock)
    #expect(few.count == 4)
    let groups = try shelf.searcher.groups(.artists, at: Shelf.clock)
    #expect(groups.tracks(0).count == 30)
    #expect(groups.tracks(7).count == 0)
  }

  private func titles(
    _ list: CatalogPlace.List, _ keys: [String] = [], from: Int64? = nil, by order: String? = nil
  ) throws -> [String?] {
    let result = try shelf.searcher.tracks(
      of: list, keys: keys.map { Array($0.utf8) }, from: from,
      by: order.flatMap { CatalogOrder($0) }, at: Shelf.clock)
    return try shelf.searcher.tracks(result, 0..<result.count).map(\.track.title)
  }

  @Test func `An artist is opened, then an album, then there are tracks`() throws {
    try put("/m/a/1", "Low", "Old", track: 1) { $0.date = "1990" }
    try put("/m/a/2", "Low", "Old", track: 2) { $0.date = "1990" }
    try put("/m/b/3", "Low", "A new one", track: 1) { $0.date = "2000" }
    try put("/m/c/4", "Air", "Other", track: 1)
    let artist = try shelf.searcher.listing(
      .groups(.artists), keys: [Array("low".utf8)], hasAlbums: true, at: Shelf.clock)
    guard case .groups(let albums) = artist else {
      Issue.record("an artist has albums")
      return
    }
    let rows = try shelf.searcher.rows(albums, 0..<9)
    #expect(rows.map(\.name) == ["Old", "A new one"])
    let key = String(decoding: rows[0].key, as: UTF8.self)
    #expect(try titles(.groups(.artists), ["low", key]) == ["1", "2"])
    #expect(try titles(.groups(.artists), ["low", key], by: "-title") == ["2", "1"])
    #expect(try titles(.groups(.artists), ["low", key], from: 2) == ["2"])
    #expect(try titles(.groups(.artists), ["low"]) == ["1", "2", "3"])
    #expect(try titles(.groups(.artists), ["gone"]).isEmpty)
    #expect(try titles(.groups(.artists), ["low", "gone"]).isEmpty)
    #expect(try titles(.all).count == 4)
  }

  @Test func `What was added last stands first, and what was never played is all at first`() throws
  {
    for (number, name) in ["x", "y", "z"].enumerated() {
      try shelf.put("/m/\(name)", added: Int64(number + 100)) { $0.title = name }
    }
    #expect(try titles(.added) == ["z", "y", "x"])
    #expect(try titles(.never).count == 3)
    #expect(try titles(.plays).isEmpty)
    #expect(try titles(.played).isEmpty)
  }

  @Test func `A place is a word that is read as the same place`() {
    let places: [CatalogPlace] = [
      .track(7), .list(.all, keys: [], from: nil), .list(.added, keys: [], from: 3),
      .list(.groups(.artists), keys: [Array("ac/dc? 100%".utf8)], from: nil),
      .list(.groups(.genres), keys: [[], [0xFF, 0x1F, 0x0A]], from: -1),
    ]
    for place in places { #expect(CatalogPlace(place.argument) == place) }
    #expect(
      CatalogPlace.list(.groups(.artists), keys: [Array("ac/dc".utf8)], from: nil).argument
        == Array("library:artists/ac%2Fdc".utf8))
    for word in [
      "library:", "library:x", "library:track", "library:track/x", "library:added/a",
      "library:artists/a/b/c", "library:artists?to=3", "search:x", "",
    ] {
      #expect(CatalogPlace(Array(word.utf8)) == nil, "\(word)")
    }
  }
}
