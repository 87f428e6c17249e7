import Database

/// Compares what lies in a folder with what is known of it: which files are the same, which have to
/// be read, which have come from elsewhere and which are gone.
struct ScanMatcher {
  struct FileToRead {
    var name: [UInt8]
    var identity: FileIdentity
    var beside: Int64
    var isKnown: Bool
    var fault: String?
  }

  struct Found {
    var toRead: [FileToRead] = []
    var operations: [ScanOperation] = []
    var moved = 0
    var returned = 0
    var missing = 0
    /// Devices that are called by another number now.
    var renumbered: Set<Renumbering> = []
  }

  struct Renumbering: Hashable {
    var before: Int64
    var now: Int64
  }

  private let index: LibraryIndex
  /// Nothing is known yet, so nothing can have moved.
  var isEmpty = false
  /// Files that were found at another place in this scan.
  private var claimed: Set<Int64> = []
  /// Files that were not at their places in this scan.
  private var lost: Set<Int64> = []
  /// The places, not looked at yet, of files with many names: each is looked at once in a scan.
  private var unseen: [FileIdentity: [LibraryIndex.PlacedFile]] = [:]
  /// How many places of other files were looked at.
  private(set) var looks = 0
  private static let many = 4

  init(_ index: LibraryIndex) { self.index = index }

  /// - Parameters:
  ///   - number: the folder's own, where files of it are known.
  ///   - former: the same folder where it is known under another path that leads to it still.
  mutating func match(
    _ listing: FolderListing, in folder: [UInt8], number: Int64?,
    former: (path: [UInt8], number: Int64)? = nil
  ) throws(DatabaseError) -> Found {
    var found = Found()
    var known: [[UInt8]: IndexedFile] = [:]
    if let number {
      for file in try index.files(in: number) where !claimed.contains(file.id) {
        known[file.name] = file
      }
    }
    var others: [FolderListing.File] = []
    var areStable: Bool?
    for file in listing.files {
      guard let row = known[file.name] else {
        others.append(file)
        continue
      }
      var isSame = row.identity.isSame(file.identity)
      if !isSame, row.identity.isSame(file.identity, withNode: false) {
        let stable = areStable ?? FileSystem.hasStableNodes(file.identity.device)
        areStable = stable
        isSame = !stable
      }
      guard isSame else {
        others.append(file)
        continue
      }
      known[file.name] = nil
      if row.identity.device != file.identity.device {
        found.renumbered.insert(
          Renumbering(before: row.identity.device, now: file.identity.device))
      }
      unmoved(row, file, listing.beside(file.name), folder, &found)
    }
    var same: [[UInt8]: LibraryIndex.PlacedFile] = [:]
    if let former, !others.isEmpty {
      for file in try index.files(in: former.number) where !claimed.contains(file.id) {
        same[file.name] = LibraryIndex.PlacedFile(file: file, folder: former.path)
      }
    }
    for file in others {
      let beside = listing.beside(file.name)
      let placed =
        if let placed = same[file.name], placed.file.identity.isSame(file.identity) {
          Optional(placed)
        } else {
          isEmpty ? nil : try origin(of: file.identity)
        }
      if let placed {
        claimed.insert(placed.file.id)
        if lost.remove(placed.file.id) != nil { found.missing -= 1 }
        if placed.folder == folder { known[placed.file.name] = nil }
        if let occupant = known.removeValue(forKey: file.name) {
          found.operations.append(.park(occupant.id))
        }
        found.operations.append(.move(placed.file.id, folder: folder, name: file.name))
        found.moved += 1
        var row = placed.file
        row.isMissing = false
        unmoved(row, file, beside, folder, &found)
        continue
      }
      let row = known.removeValue(forKey: file.name)
      found.toRead.append(
        FileToRead(
          name: file.name, identity: file.identity, beside: beside, isKnown: row != nil,
          fault: row?.fault))
    }
    for row in known.values where !row.isMissing && !claimed.contains(row.id) {
      found.operations.append(.missing(row.id))
      lost.insert(row.id)
      found.missing += 1
    }
    return found
  }

  /// A file that is the same, at its old place or at another one.
  private func unmoved(
    _ row: IndexedFile, _ file: FolderListing.File, _ beside: Int64, _ folder: [UInt8],
    _ found: inout Found
  ) {
    if row.isMissing {
      found.operations.append(.present(row.id))
      found.returned += 1
    }
    if row.beside != beside {
      found.toRead.append(
        FileToRead(
          name: file.name, identity: file.identity, beside: beside, isKnown: true,
          fault: row.fault))
    } else if row.identity != file.identity {
      found.operations.append(
        .restamp(folder: folder, name: file.name, file.identity, beside, row.fault))
    }
  }

  /// Where a file was, if it has come from another place: one that has still a file there is a
  /// second name of it.
  private mutating func origin(
    of identity: FileIdentity
  ) throws(DatabaseError) -> LibraryIndex.PlacedFile? {
    // Taken out, so that it is not copied.
    var places = unseen.removeValue(forKey: identity)
    var isKept = places != nil
    if places == nil {
      var all = try index.places(of: identity)
      // Those of the same device are taken first, from the end.
      _ = all.partition { $0.file.identity.device == identity.device }
      isKept = all.count > Self.many
      places = all
    }
    defer { if isKept { unseen[identity] = places } }
    while let place = places?.popLast() {
      if isFree(place, identity) { return place }
    }
    return nil
  }

  private mutating func isFree(
    _ place: LibraryIndex.PlacedFile, _ identity: FileIdentity
  ) -> Bool {
    guard !claimed.contains(place.file.id) else { return false }
    // Put aside, since another file took its place.
    if place.file.name.first == 0x2F { return true }
    looks += 1
    guard let there = FileIdentity.at(place.path) else { return true }
    return there.node != identity.node || there.device != identity.device
  }

  /// For a folder that is not there.
  func allMissing(in folder: Int64) throws(DatabaseError) -> [ScanOperation] {
    try index.files(in: folder)
      .filter { !$0.isMissing && !claimed.contains($0.id) }
      .map { .missing($0.id) }
  }
}

extension FileIdentity {
  /// The same file, unchanged. A drive has another number each time it is mounted.
  func isSame(_ other: FileIdentity, withNode: Bool = true) -> Bool {
    size == other.size && modified == other.modified && (!withNode || node == other.node)
  }
}
