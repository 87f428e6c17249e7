/// Under which path each folder of the collection is found, however many links lead to it: within the
/// folders that the user has named it is where it lies, elsewhere behind the first link that led
/// there. So a file is known once, whatever part of the collection a scan looks through.
struct ScanPlaces {
  /// The paths of named folders and of links, by the paths without links that they stand for.
  private var owners: [[UInt8]: [UInt8]] = [:]
  /// The paths of named folders and of links that lead elsewhere, by the paths without links.
  var behindLinks: [[UInt8]: [UInt8]] { owners.filter { $0.key != $0.value } }
  /// Links that were known before and lead somewhere still.
  private(set) var links: Set<[UInt8]> = []

  /// - Parameters:
  ///   - named: the folders of the collection.
  ///   - known: links behind which folders were found before, in the order in which they were.
  ///   - real: a path without links; `nil` where it leads nowhere.
  init(named: [[UInt8]], known: [[UInt8]], real: ([UInt8]) -> [UInt8]? = FileProbe.real) {
    // One that is not there stands for itself.
    let roots = named.map { (path: $0, real: real($0) ?? $0) }.sorted { left, right in
      if left.real.count != right.real.count { return left.real.count < right.real.count }
      let isStraight = (left.path == left.real, right.path == right.real)
      if isStraight.0 != isStraight.1 { return isStraight.0 }
      return left.path.lexicographicallyPrecedes(right.path)
    }
    for root in roots where place(of: root.real) == nil { owners[root.real] = root.path }
    for link in known {
      guard let target = real(link), let folder = real(Paths.folder(link)),
        place(of: folder) == Paths.folder(link), place(of: target) == nil
      else { continue }
      owners[target] = link
      links.insert(link)
    }
  }

  /// What a scan has noted.
  init(behindLinks: [[UInt8]: [UInt8]]) { owners = behindLinks }

  /// The path under which a folder is found; `nil` for one outside the collection.
  ///
  /// - Parameter real: its path without links.
  func place(of real: [UInt8]) -> [UInt8]? {
    var above = real
    while true {
      if let owner = owners[above] {
        var rest = real[above.count...]
        if rest.first == 0x2F { rest = rest.dropFirst() }
        return rest.isEmpty ? owner : Paths.join(owner, Array(rest))
      }
      // What is hidden is not found from above.
      guard above.count > 1, Paths.name(above).first != UInt8(ascii: ".") else { return nil }
      above = Paths.folder(above)
      if above.isEmpty { return nil }
    }
  }

  /// Whether a link is where its folder is found, which it becomes where no other is.
  mutating func enters(link: [UInt8], to real: [UInt8]) -> Bool {
    if let place = place(of: real) { return place == link }
    owners[real] = link
    return true
  }

  /// True for a named folder itself and for what a scan finds in it, which is nothing hidden.
  static func covers(_ root: [UInt8], _ path: [UInt8]) -> Bool {
    guard LibraryIndex.isBelow(path, root) else { return false }
    return !path[root.count...].split(separator: 0x2F).contains { $0.first == UInt8(ascii: ".") }
  }

  /// The folders to be looked through: where they are found, and none within another.
  func outermost(_ roots: [[UInt8]], real: ([UInt8]) -> [UInt8]? = FileProbe.real) -> [[UInt8]] {
    var result: [[UInt8]] = []
    let places = roots.map { root in place(of: real(root) ?? root) ?? root }
    for root in places.sorted(by: { $0.count < $1.count })
    where !result.contains(where: { Self.covers($0, root) }) {
      result.append(root)
    }
    return result.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
