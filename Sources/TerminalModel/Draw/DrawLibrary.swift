import AudioTypes
import PlayerState

/// The columns of the collection's rows: what matters least goes first where there is little room.
struct LibraryColumns {
  var name: Area
  var artist: Area?
  var album: Area?
  var year: Area?
  /// The time of a track, or how much a group holds.
  var end: Area?

  init(_ area: Area, _ spot: LibrarySpot) {
    var left = area
    func cut(_ columns: Int) -> Area {
      let place = Area(row: left.row, column: left.end - columns, rows: 1, columns: columns)
      left = left.inset(right: columns + 2)
      return place
    }
    let isOfTracks = spot.showsTracks
    if area.columns >= 34 { end = cut(isOfTracks ? 7 : 12) }
    if area.columns >= 70, isOfTracks || spot.showsAlbums { year = cut(4) }
    if isOfTracks, left.columns >= 70 {
      let (first, second) = (left.columns * 2 / 5, left.columns * 7 / 10)
      name = Area(row: left.row, column: left.column, rows: 1, columns: first - 2)
      artist = Area(
        row: left.row, column: left.column + first, rows: 1, columns: second - first - 2)
      album = left.inset(left: second)
    } else if left.columns >= 44, isOfTracks || spot.showsAlbums {
      let first = left.columns * 3 / 5
      name = Area(row: left.row, column: left.column, rows: 1, columns: first - 2)
      artist = left.inset(left: first)
    } else {
      name = left
    }
  }
}

extension Renderer {
  mutating func drawLibrary(_ area: Area) {
    let page = content.library
    let spot = view.library.spot
    let list = layout.isTiny ? area : layout.listArea(.library)
    if list.rows < area.rows { drawLibraryHead(area.line(0), spot) }
    let isThere = page.wish.isSameList(view.libraryList())
    // While one types, what was found before stays until what is found now is there.
    guard isThere || spot.query != nil && page.wish.spot.query != nil else {
      return drawEmpty(list, ["Looking \(glyphs.ellipsis)"])
    }
    if let fault = page.fault { return drawEmpty(list, [fault]) }
    if page.isEmpty { return drawEmpty(list, emptyLibrary) }
    let empty = spot.query == nil ? ["Nothing is here yet"] : ["Nothing holds these words"]
    let marks = Set(view.library.marks)
    drawList(list, empty: empty) { renderer, index, area, _ in
      guard let row = page.row(index) else { return }
      renderer.drawLibraryRow(row, area, page.wish.spot, marks.contains(row.argument))
    }
  }

  private var emptyLibrary: [String] {
    [
      "The collection is empty", "", "sotto scan DIR reads the music in a folder,",
      "and what has changed in it when it is called again",
    ]
  }

  private mutating func drawLibraryHead(_ area: Area, _ spot: LibrarySpot) {
    if spot.query == nil, !spot.showsTracks {
      canvas.write(libraryPath, area.inset(left: 3), self[.faint])
      return
    }
    let columns = LibraryColumns(area.inset(left: 3), spot)
    drawHead("Title", .title, columns.name)
    if let artist = columns.artist { drawHead("Artist", .artist, artist) }
    if let album = columns.album { drawHead("Album", .album, album) }
    if let year = columns.year { drawHead("Year", .year, year, isRight: true) }
    if let end = columns.end { drawHead("Time", .duration, end, isRight: true) }
  }

  /// What is sorted by has a sign, which has its word beside it.
  private mutating func drawHead(
    _ title: String, _ sort: LibrarySort, _ area: Area, isRight: Bool = false
  ) {
    let isOrder = view.library.sort == sort
    let sign = !isOrder ? "" : view.library.isDescending ? glyphs.falling : glyphs.rising
    let text =
      isRight && area.columns < 6
      ? sign + title.prefix(area.columns - sign.count)
      : title + (sign.isEmpty ? "" : " " + sign)
    canvas.write(text, area, self[isOrder ? .accent : .faint], isRight ? .right : .left)
    target(area, .sort(sort))
  }

  private mutating func drawLibraryRow(
    _ row: LibraryRow, _ area: Area, _ spot: LibrarySpot, _ isMarked: Bool
  ) {
    if isMarked { canvas.write(String(glyphs.mark), area, self[.marked]) }
    let columns = LibraryColumns(area.inset(left: 2), spot)
    let isTrack = row.kind == .track
    let name = row.name.isEmpty ? "unknown" : row.name
    let role: Role = isMarked ? .marked : isTrack ? .text : .accent
    if columns.artist == nil, !row.artist.isEmpty {
      canvas.write(
        [(name, self[role]), (" \(glyphs.dash) ", self[.faint]), (row.artist, self[.artist])],
        columns.name)
    } else {
      canvas.write(name, columns.name, self[row.name.isEmpty ? .faint : role])
    }
    if let artist = columns.artist { canvas.write(row.artist, artist, self[.artist]) }
    if let album = columns.album { canvas.write(row.album, album, self[.faint]) }
    if let place = columns.year, let year = row.year {
      canvas.write("\(year)", place, self[.faint], .right)
    }
    guard let end = columns.end else { return }
    if let tracks = row.tracks {
      canvas.write(TrackText.count(tracks), end, self[.faint], .right)
    } else if let duration = row.duration {
      canvas.write(TrackText.clock(duration), end, self[.faint], .right)
    }
  }

  /// "Artists / Björk / Post"; in the list of views what it is.
  private var libraryPath: String {
    let names = view.library.steps.dropFirst().map { Text.printable($0.name) }
    return names.isEmpty ? "What the collection has, by" : names.joined(separator: " / ")
  }

  /// Where one is and how much there is, or what is wrong with what is typed.
  var librarySummary: String {
    let page = content.library
    guard page.wish.isSameList(view.libraryList()), !page.isEmpty, page.fault == nil else {
      return ""
    }
    if let search = view.library.search, !search.line.text.trimmed.isEmpty {
      let found = "\(page.total) of \(page.collection)"
      return page.problem.map { "\(found); \($0)" } ?? found
    }
    let spot = view.library.spot
    if spot.view == nil { return TrackText.count(page.collection) }
    return spot.showsTracks
      ? "\(libraryPath), \(TrackText.count(page.total))" : "\(page.total)"
  }
}
