/// Which folders that have gone, or are empty, may be on a drive that is not mounted: those that were
/// on another device than the one on which their place is now. Pure.
///
/// A device may be called by another number each time it is mounted; the files that are found where
/// they were, unchanged but for that number, tell of it.
struct ScanDrives {
  /// Which folder on disk it is.
  struct Identity: Hashable {
    var device: Int64
    var node: Int64
  }

  private struct Seen {
    var identity: Identity
    /// Neither music nor folders are in it.
    var isBare: Bool
  }

  private struct Renumbering: Hashable {
    var before: Int64
    var now: Int64
  }

  private let known: [[UInt8]: Identity]
  private var seen: [[UInt8]: Seen] = [:]
  private var renumberings: Set<Renumbering> = []

  /// - Parameter known: what the folders of files were at the last scan.
  init(_ known: [[UInt8]: Identity]) { self.known = known }

  mutating func see(_ path: [UInt8], _ identity: Identity, isBare: Bool) {
    seen[path] = Seen(identity: identity, isBare: isBare)
  }

  /// A file was found where it was, on a device that had another number.
  mutating func found(on now: Int64, before: Int64) {
    if now != before { renumberings.insert(Renumbering(before: before, now: now)) }
  }

  func hasSeen(_ path: [UInt8]) -> Bool { seen[path] != nil }

  /// What a folder is now, where that is not what is known of it.
  func news(_ path: [UInt8]) -> (now: Identity, isOnOtherDevice: Bool)? {
    guard let now = seen[path]?.identity, known[path] != now else { return nil }
    return (now, known[path].map { $0.device != now.device } ?? false)
  }

  private func isSame(_ before: Int64, _ now: Int64) -> Bool {
    before == now || renumberings.contains(Renumbering(before: before, now: now))
  }

  /// The folder whose drive is not there, of a folder with files that have gone; `nil` where they were
  /// taken away.
  func away(_ path: [UInt8]) -> [UInt8]? {
    var above = path
    var below = path
    while seen[above] == nil {
      guard above.count > 1 else { return nil }
      below = above
      above = Paths.folder(above)
      if above.isEmpty { return nil }
    }
    guard let place = seen[above] else { return nil }
    // An index of before devices were noted.
    guard let device = known[path]?.device else { return place.isBare ? above : nil }
    if isSame(device, place.identity.device) { return nil }
    return above == path || place.isBare ? above : below
  }
}
