import Database

/// Finds files of lists that are not where they were: where the index knows that they were moved to,
/// otherwise by what the list says of them, otherwise by their names, in the index and below the music
/// folders. Blocks.
public struct ListSearch {
  /// A row whose file is missing, and where it may be.
  public struct Finding: Equatable, Sendable {
    public var row: Int
    public var entry: PlaylistEntry
    /// Where it is now: none, one, or several of which none is likelier than the others.
    public var places: [[UInt8]]
  }

  /// Folders within folders, and files, that are looked at at most.
  private static let mostFiles = 2_000_000
  private static let depth = 64

  private let index: LibraryIndex?
  private let roots: [[UInt8]]

  /// - Parameters:
  ///   - index: the collection's, where there is one.
  ///   - roots: music folders, for what the index does not know.
  public init(index: LibraryIndex? = nil, roots: [[UInt8]]) {
    self.index = index
    let known = (try? index?.roots()) ?? []
    self.roots = (roots + known).map { Paths.absolute($0, in: [0x2F]) }
  }

  /// The same with the path of the index, which need not be there: it is only read.
  public init(index path: [UInt8]?, roots: [[UInt8]]) {
    var index: LibraryIndex?
    if let path, FileProbe.kind(path) != .missing, let database = try? Database(path, .readOnly) {
      index = try? LibraryIndex(database)
    }
    self.init(index: index, roots: roots)
  }

  /// What is missing in a list, and where it is now.
  public func findings(_ items: [PlaylistReader.Item]) -> [Finding] {
    let missing = items.enumerated().filter(\.element.isMissing)
    guard !missing.isEmpty else { return [] }
    var found: [Int: [[UInt8]]] = [:]
    for (row, item) in missing {
      let places = known(item.entry)
      if !places.isEmpty { found[row] = places }
    }
    // Folders are walked through for the rest alone.
    let rest = missing.filter { found[$0.offset] == nil }.map(\.element.entry)
    let wanted = Set(rest.map { Self.key($0.path) })
    var named: [[UInt8]: [[UInt8]]] = [:]
    for path in wanted.isEmpty ? [] : indexed(wanted) + walked(wanted) {
      let key = Self.key(path)
      if named[key]?.contains(path) != true { named[key, default: []].append(path) }
    }
    return missing.map { row, item in
      let places = found[row] ?? byName(item.entry, named[Self.key(item.entry.path)] ?? [])
      return Finding(row: row, entry: item.entry, places: places)
    }
  }

  /// By which file it is, or by what the list says of it.
  private func known(_ entry: PlaylistEntry) -> [[UInt8]] {
    let path = Paths.absolute(entry.path, in: [0x2F])
    if let place = try? index?.place(ofFormer: path), FileProbe.kind(place) != .missing {
      return [place]
    }
    return Self.likeliest(described(entry), for: entry.path)
  }

  /// Of those of its name; one that is known to last longer or less long is another track.
  private func byName(_ entry: PlaylistEntry, _ places: [[UInt8]]) -> [[UInt8]] {
    var places = places
    if let index, let duration = entry.duration, duration > 0, !entry.isPart {
      places = places.filter { (try? index.mayLast(duration, $0)) != false }
    }
    return Self.likeliest(places, for: entry.path)
  }

  /// A file is the same in another letter case and, since it may have been converted, with another
  /// ending.
  private static func key(_ path: [UInt8]) -> [UInt8] { LegacyText.lower(Paths.stem(path)) }

  /// Those that share most with the place where it was: the ending, and the folders above it.
  static func likeliest(_ places: [[UInt8]], for old: [UInt8]) -> [[UInt8]] {
    func likeness(_ place: [UInt8]) -> Int {
      let (left, right) = (old.split(separator: 0x2F), place.split(separator: 0x2F))
      let folders = zip(left.dropLast().reversed(), right.dropLast().reversed())
        .prefix { $0.elementsEqual($1) }.count
      let isSameName = left.last.map(Array.init) == right.last.map(Array.init)
      return folders * 4 + (isSameName ? 2 : 0) + (Paths.suffix(old) == Paths.suffix(place) ? 1 : 0)
    }
    let most = places.map(likeness).max() ?? 0
    return places.filter { likeness($0) == most }
  }

  // MARK: The index

  private func indexed(_ wanted: Set<[UInt8]>) -> [[UInt8]] {
    let paths = try? index?.paths { wanted.contains(Self.key($0)) }
    return (paths ?? []).filter { FileProbe.kind($0) != .missing }
  }

  /// Whatever its name is now, by what the list says of it.
  private func described(_ entry: PlaylistEntry) -> [[UInt8]] {
    guard let title = entry.title, let duration = entry.duration, !entry.isPart else { return [] }
    let found = try? index?.paths(title: title, artist: entry.artist, duration: duration)
    return (found ?? []).filter { FileProbe.kind($0) != .missing }
  }

  // MARK: The folders

  private func walked(_ wanted: Set<[UInt8]>) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var entered: Set<FileProbe.Identity> = []
    var seen = 0
    func walk(_ folder: [UInt8], _ level: Int) {
      guard level < Self.depth, seen < Self.mostFiles,
        let identity = FileProbe.look(folder).identity, entered.insert(identity).inserted,
        let entries = try? FileProbe.list(folder)
      else { return }
      seen += entries.count
      for entry in entries {
        let path = Paths.join(folder, entry.name)
        switch entry.kind {
        case .folder: walk(path, level + 1)
        case .brokenLink: break
        case .file:
          let isMusic = Recognition.audioSuffixes.contains(Paths.suffix(entry.name))
          if wanted.contains(Self.key(entry.name)),
            isMusic || !Recognition.otherSuffixes.contains(Paths.suffix(entry.name))
          {
            found.append(path)
          }
        }
      }
    }
    for root in roots { walk(root, 0) }
    return found
  }
}
