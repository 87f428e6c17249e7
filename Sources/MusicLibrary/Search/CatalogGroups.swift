/// What the collection can be looked at by.
public enum CatalogView: String, CaseIterable, Sendable {
  case artists, albumartists, albums, genres, folders, years, composers
}

/// Tracks that have something in common.
struct CatalogGroup {
  /// Folded; empty where it is not known.
  var key: [UInt8]
  /// The row that stands for it, and which of its values it is.
  var row: Int
  var value: Int
  /// As albums stand.
  var rows: [UInt32] = []
}

extension Catalog {
  /// The groups of a view in their order, the unknown last.
  func groups(_ view: CatalogView) -> [CatalogGroup] {
    if let made = groupings[view] { return made }
    let made: [CatalogGroup]
    switch view {
    case .artists: made = byValues(.artist, isName: true)
    case .genres: made = byValues(.genre)
    case .composers: made = byValues(.composer, isName: true)
    case .albums: made = byAlbum()
    case .albumartists: made = byOwner()
    // Names may differ in what is not compared alone: folders have numbers.
    case .folders:
      made = sorted(byPlace(folders.count, { Int(folder[$0]) }, { "\(folders[$0].id)" })) {
        self.folders[Int(self.folder[$0.row])].path
      }
    case .years:
      made = sorted(
        byPlace(Int(UInt16.max) + 1, { Int(facts[$0].year) }, { $0 == 0 ? "" : "\($0)" }))
    }
    groupings[view] = made
    return made
  }

  private func sorted(
    _ groups: [CatalogGroup], isName: Bool = false, by name: ((CatalogGroup) -> [UInt8])? = nil
  ) -> [CatalogGroup] {
    let names = groups.map { name?($0) ?? $0.key }
    let keys = names.map { NaturalKey.key($0, isName: isName) }
    let order = groups.indices.sorted { left, right in
      let unknown = (names[left].isEmpty, names[right].isEmpty)
      if unknown.0 != unknown.1 { return unknown.1 }
      return keys[left] == keys[right]
        ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    return order.map { groups[$0] }
  }

  /// By a field that may have many values.
  private func byValues(_ field: SearchEntry.Field, isName: Bool = false) -> [CatalogGroup] {
    var groups: [CatalogGroup] = []
    var places: [[UInt8]: Int] = [:]
    var last: [UInt8]?
    var lastPlaces: [Int] = []
    for row in base.rows {
      let bytes = text[self.field(field, Int(row))]
      if last == nil || !bytes.elementsEqual(last!) {
        last = Array(bytes)
        lastPlaces = []
        let values = bytes.split(separator: SearchEntry.valueEnd, omittingEmptySubsequences: false)
        for (index, value) in values.enumerated() {
          let key = Array(value)
          if key.isEmpty, values.count > 1 { continue }
          let place = places[key] ?? groups.count
          if place == groups.count {
            places[key] = place
            groups.append(CatalogGroup(key: key, row: Int(row), value: index))
          }
          // Twice the same value is one.
          if !lastPlaces.contains(place) { lastPlaces.append(place) }
        }
      }
      for place in lastPlaces { groups[place].rows.append(row) }
    }
    return sorted(groups, isName: isName)
  }

  private func byAlbum() -> [CatalogGroup] {
    sorted(albums(in: base.rows), isName: true) {
      self.albums.albums[Int(self.albums.ofRow[$0.row])].title
    }
  }

  private func byOwner() -> [CatalogGroup] {
    var groups: [CatalogGroup] = []
    var album = -1
    // Albums of one owner stand beside one another.
    for row in base.rows {
      let next = Int(albums.ofRow[Int(row)])
      if next != album {
        let owner = albums.albums[next].owner
        if album < 0 || albums.albums[album].owner != owner {
          groups.append(CatalogGroup(key: owner, row: Int(row), value: 0))
        }
        album = next
      }
      groups[groups.count - 1].rows.append(row)
    }
    return sorted(groups, isName: true)
  }

  private func byPlace(
    _ places: Int, _ place: (Int) -> Int, _ key: (Int) -> String
  ) -> [CatalogGroup] {
    var rows = [[UInt32]](repeating: [], count: places)
    for row in base.rows { rows[place(Int(row))].append(row) }
    return rows.indices.compactMap { index in
      guard let first = rows[index].first else { return nil }
      return CatalogGroup(
        key: Array(key(index).utf8), row: Int(first), value: 0, rows: rows[index])
    }
  }
}
