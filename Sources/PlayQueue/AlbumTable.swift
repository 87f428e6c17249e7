import AudioTypes

/// Which entries are of one album: those that name the same, and where none is named those of one
/// folder. An entry that names none is of the album that the others of its folder name.
struct AlbumTable: Sendable {
  private(set) var numbers: [EntryID: Int] = [:]
  private var named: [String: Int] = [:]
  private var folders: [[UInt8]: Folder] = [:]
  private(set) var count = 0

  private struct Folder {
    var album: Int
    var isNamed: Bool
  }

  init(_ items: Items) { learn(items) }

  /// A table that was kept: what its entries say now is what names and folders mean.
  init(_ kept: [EntryID: Int], _ items: Items) {
    let kept = kept.filter { QueueState.countable.contains($0.value) }
    numbers = kept
    count = (kept.values.max() ?? -1) + 1
    for (id, entry) in zip(items.ids, items.entries) {
      guard let album = kept[id] else { continue }
      let name = entry.album.flatMap { $0.isEmpty ? nil : $0 }
      if let name, named[name] == nil { named[name] = album }
      let folder = Self.folder(of: entry.location)
      if folders[folder]?.isNamed != true {
        folders[folder] = Folder(album: album, isNamed: name != nil)
      }
    }
    learn(items)
  }

  /// An entry that nobody has told of is an album of its own: no number.
  func album(of id: EntryID) -> Int? { numbers[id] }

  mutating func learn(_ items: Items) {
    // Names first: they say what the rest of a folder is.
    for (id, entry) in zip(items.ids, items.entries) where numbers[id] == nil {
      guard let name = entry.album, !name.isEmpty else { continue }
      numbers[id] = number(of: name, in: Self.folder(of: entry.location))
    }
    for (id, entry) in zip(items.ids, items.entries) where numbers[id] == nil {
      let folder = Self.folder(of: entry.location)
      let album = folders[folder]?.album ?? new()
      if folders[folder] == nil { folders[folder] = Folder(album: album, isNamed: false) }
      numbers[id] = album
    }
  }

  private mutating func number(of name: String, in folder: [UInt8]) -> Int {
    let known = folders[folder]
    // What was of a folder only has a name now.
    let adopted = known.flatMap { $0.isNamed ? nil : $0.album }
    let album = named[name] ?? adopted ?? new()
    named[name] = album
    if known?.isNamed != true { folders[folder] = Folder(album: album, isNamed: true) }
    return album
  }

  private mutating func new() -> Int {
    defer { count += 1 }
    return count
  }

  /// Everything before the last slash.
  private static func folder(of location: TrackLocation) -> [UInt8] {
    location.path.lastIndex(of: UInt8(ascii: "/")).map { Array(location.path[..<$0]) } ?? []
  }

  /// Albums in the order in which their first entries stand, each with its entries in their order.
  func groups(_ ids: [EntryID]) -> [[EntryID]] {
    var groups: [[EntryID]] = []
    var places: [Int: Int] = [:]
    for id in ids {
      guard let album = numbers[id] else {
        groups.append([id])
        continue
      }
      if let place = places[album] {
        groups[place].append(id)
      } else {
        places[album] = groups.count
        groups.append([id])
      }
    }
    return groups
  }

  /// Neighbours of one album together.
  func runs(_ ids: ArraySlice<EntryID>) -> [[EntryID]] {
    var runs: [[EntryID]] = []
    var last: Int?
    for id in ids {
      let album = numbers[id]
      if let album, album == last {
        runs[runs.count - 1].append(id)
      } else {
        runs.append([id])
      }
      last = album
    }
    return runs
  }
}
