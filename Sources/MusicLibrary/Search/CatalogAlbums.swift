import Glibc

/// The albums of a catalog. Tracks of one name belong together that have the same album artist, or
/// are tagged as a compilation; without such tags those of one artist, and those of one folder
/// where these are of several artists.
struct Albums {
  struct Album {
    /// The row that stands for it: its first one.
    var row: Int
    var isVarious: Bool
    /// The folded name of whom it is by; empty where that is not known.
    var owner: [UInt8]
    var title: [UInt8]
    /// The first year of its tracks; 0 is unknown.
    var year: UInt16
    /// The number of its folder, where it is of several artists and nothing but the folder says
    /// that it is one.
    var folder: Int64?

    /// What it is called when it is looked for again.
    var key: [UInt8] {
      title + [SearchEntry.fieldEnd] + owner + (folder.map { Array("\u{1F}\($0)".utf8) } ?? [])
    }
  }

  /// In their order: by whom they are, from which year, by their names.
  let albums: [Album]
  /// The album of each row.
  let ofRow: [UInt32]

  static let various = Array("various artists".utf8)

  init(_ catalog: Catalog) {
    var ofRow = [UInt32](repeating: 0, count: catalog.count)
    var rooms = Rooms()
    catalog.text.withUnsafeBytes { text in
      var last = 0..<0
      for row in 0..<catalog.count {
        let fields = catalog.albumFields(row)
        let facts = catalog.facts[row]
        let isSame =
          row > 0 && catalog.folder[row] == catalog.folder[row - 1]
          && (facts.flags ^ catalog.facts[row - 1].flags) & SearchEntry.Facts.isCompilation == 0
          && fields.count == last.count
          && memcmp(
            text.baseAddress! + fields.lowerBound, text.baseAddress! + last.lowerBound, last.count)
            == 0
        if !isSame {
          rooms.enter(catalog, row, text[fields])
          last = fields
        }
        if facts.year > 0,
          rooms.found[rooms.last].year == 0 || facts.year < rooms.found[rooms.last].year
        {
          rooms.found[rooms.last].year = facts.year
        }
        ofRow[row] = UInt32(rooms.last)
      }
    }
    (albums, self.ofRow) = Self.sorted(Self.merged(rooms.found, rooms.isOneArtist), ofRow)
  }

  /// Albums by name and what is tagged, otherwise by name and folder.
  private struct Rooms {
    var found: [Album] = []
    var isOneArtist: [Bool] = []
    var last = 0
    private var isTagged: [Bool] = []
    private var places: [[UInt8]: Int] = [:]

    /// - Parameter fields: artist, album artist and album.
    mutating func enter(_ catalog: Catalog, _ row: Int, _ fields: Slice<UnsafeRawBufferPointer>) {
      let parts = fields.split(
        separator: SearchEntry.fieldEnd, maxSplits: 2, omittingEmptySubsequences: false)
      func part(_ index: Int) -> [UInt8] { index < parts.count ? Array(parts[index]) : [] }
      let (artist, albumArtist, title) = (part(0), part(1), part(2))
      let isCompilation = catalog.facts[row].flags & SearchEntry.Facts.isCompilation != 0
      var key = title
      key.append(SearchEntry.fieldEnd)
      if !albumArtist.isEmpty {
        key += albumArtist
      } else if !isCompilation {
        if title.isEmpty, !artist.isEmpty {
          key += artist
        } else {
          key.append(SearchEntry.fieldEnd)
          withUnsafeBytes(of: catalog.folder[row]) { key += $0 }
        }
      }
      if let place = places[key] {
        last = place
      } else {
        last = found.count
        places[key] = last
        let owner = !albumArtist.isEmpty ? albumArtist : isCompilation ? Albums.various : artist
        let isTagged = !albumArtist.isEmpty || isCompilation
        let folder = isTagged ? nil : catalog.folders[Int(catalog.folder[row])].id
        found.append(
          Album(
            row: row, isVarious: false, owner: owner, title: title, year: 0, folder: folder))
        isOneArtist.append(true)
        self.isTagged.append(isTagged)
      }
      if !isTagged[last], artist != found[last].owner { isOneArtist[last] = false }
    }
  }

  /// Folders of one album and one artist are one album, as its discs are.
  private static func merged(
    _ found: [Album], _ isOneArtist: [Bool]
  ) -> (albums: [Album], places: [Int]) {
    var albums: [Album] = []
    var places: [Int] = []
    var byOwner: [[UInt8]: Int] = [:]
    for (index, var album) in found.enumerated() {
      if isOneArtist[index] { album.folder = nil } else { album.owner = various }
      album.isVarious = album.owner == various
      let key = album.title + [SearchEntry.fieldEnd] + album.owner
      // Folders of several artists stay by themselves.
      if isOneArtist[index], !album.owner.isEmpty, let place = byOwner[key] {
        places.append(place)
        let year = album.year
        if year > 0, albums[place].year == 0 || year < albums[place].year {
          albums[place].year = year
        }
      } else {
        if isOneArtist[index] { byOwner[key] = albums.count }
        places.append(albums.count)
        albums.append(album)
      }
    }
    return (albums, places)
  }

  private static func sorted(
    _ merged: (albums: [Album], places: [Int]), _ ofRow: [UInt32]
  ) -> ([Album], [UInt32]) {
    let albums = merged.albums
    let keys = albums.map { album -> [UInt8] in
      var key = NaturalKey.key(album.owner, isName: true)
      key.append(0)
      let year = album.year == 0 ? UInt16.max : album.year
      key.append(UInt8(year >> 8))
      key.append(UInt8(year & 0xFF))
      NaturalKey.append(album.title, isName: true, to: &key)
      return key
    }
    let order = albums.indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    var ranks = [UInt32](repeating: 0, count: albums.count)
    for (rank, index) in order.enumerated() { ranks[index] = UInt32(rank) }
    return (order.map { albums[$0] }, ofRow.map { ranks[merged.places[Int($0)]] })
  }
}

extension Catalog {
  var albums: Albums {
    if let albumsMade { return albumsMade }
    let made = Albums(self)
    albumsMade = made
    return made
  }
}
