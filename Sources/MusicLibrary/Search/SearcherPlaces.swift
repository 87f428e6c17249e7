import Database

/// Places of the collection: what a list of groups or of tracks shows there.
extension Searcher {
  /// What a place holds.
  public enum Listing {
    case groups(Groups)
    case tracks(Result)

    public var count: Int {
      switch self {
      case .groups(let groups): groups.count
      case .tracks(let result): result.count
      }
    }
  }

  /// The rows of a list; of its group `keys[0]` the albums where `hasAlbums`, otherwise the tracks;
  /// of the album `keys[1]` in that the tracks. A key that is not there any more holds nothing.
  public func listing(
    _ list: CatalogPlace.List, keys: [[UInt8]], hasAlbums: Bool, by order: CatalogOrder? = nil,
    at clock: SearchClock
  ) throws(DatabaseError) -> Listing {
    if case .groups(let view) = list {
      if keys.isEmpty { return .groups(try groups(view, at: clock)) }
      if keys.count == 1, hasAlbums {
        let catalog = try current(clock.now)
        let albums = catalog.albums(in: rows(view, keys, catalog))
        return .groups(Groups(catalog: catalog, view: .albums, groups: albums))
      }
    }
    return .tracks(try tracks(of: list, keys: keys, by: order, at: clock))
  }

  /// All tracks of a place, in its order or another one.
  public func tracks(
    of list: CatalogPlace.List, keys: [[UInt8]], from: Int64? = nil,
    by order: CatalogOrder? = nil, at clock: SearchClock
  ) throws(DatabaseError) -> Result {
    let usual = list.search
    guard case .groups(let view) = list, !keys.isEmpty else {
      let result = try search(usual.query, by: order ?? usual.order, at: clock)
      return Self.cut(result, from)
    }
    let catalog = try current(clock.now)
    let rows = rows(view, keys, catalog)
    guard let order else { return Self.cut(Result(catalog: catalog, rows: rows), from) }
    var wanted = RowSet(rows: catalog.count)
    for row in rows { wanted.insert(Int(row)) }
    let sorted = try search(.all, by: order, at: clock)
    // It may have been read anew meanwhile.
    guard sorted.catalog === catalog else { return Result(catalog: catalog, rows: rows) }
    return Self.cut(
      Result(catalog: catalog, rows: sorted.rows.filter { wanted.contains(Int($0)) }), from)
  }

  private static func cut(_ result: Result, _ from: Int64?) -> Result {
    guard let from, let row = result.catalog.row(of: from),
      let index = result.rows.firstIndex(of: UInt32(row))
    else { return result }
    return Result(catalog: result.catalog, rows: Array(result.rows[index...]))
  }

  private func rows(_ view: CatalogView, _ keys: [[UInt8]], _ catalog: Catalog) -> [UInt32] {
    guard let group = catalog.groups(view).first(where: { $0.key == keys[0] }) else { return [] }
    guard keys.count > 1 else { return group.rows }
    return catalog.albums(in: group.rows).first { $0.key == keys[1] }?.rows ?? []
  }

  /// The tracks that a word among paths stands for.
  func listed(_ place: CatalogPlace, at clock: SearchClock) throws(DatabaseError) -> [ListedTrack] {
    switch place {
    case .track(let id):
      let catalog = try current(clock.now)
      guard let row = catalog.row(of: id) else { return [] }
      return try listed(Result(catalog: catalog, rows: [UInt32(row)]))
    case .list(let list, let keys, let from):
      return try listed(tracks(of: list, keys: keys, from: from, at: clock))
    }
  }
}

extension Catalog {
  /// The albums of some rows, which stand as albums do.
  func albums(in rows: [UInt32]) -> [CatalogGroup] {
    var groups: [CatalogGroup] = []
    var last: UInt32?
    for row in rows {
      let album = albums.ofRow[Int(row)]
      if album != last {
        groups.append(
          CatalogGroup(key: albums.albums[Int(album)].key, row: Int(row), value: 0))
        last = album
      }
      groups[groups.count - 1].rows.append(row)
    }
    return groups
  }
}
