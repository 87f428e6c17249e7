import Glibc

/// Folders as inotify watches them: whether something in them has changed that the collection cares
/// for. What has changed is not told, since a scan finds that out. Used by one thread.
final class FolderEvents {
  /// Why nothing can be watched, an errno; 0 where it can.
  let cause: CInt
  private let descriptor: CInt
  /// Readable once the watching is to end.
  private let stop: CInt
  /// Tells when something is mounted.
  private let mounts: CInt
  private var folders: [CInt: [UInt8]] = [:]
  /// Folders in which only these names matter: those of music that is not there.
  private var awaited: [CInt: Set<[UInt8]>] = [:]
  /// The file of the index.
  private var index: CInt?
  /// What was watched since `begin`.
  private var wanted: Set<CInt> = []
  /// Folders that were not watched since `begin`, because the system allows no more.
  private(set) var refused = 0

  init(stop: CInt) {
    self.stop = stop
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    cause = descriptor < 0 ? errno : 0
    mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if mounts >= 0 { close(mounts) }
  }

  // MARK: What is watched

  private static let changes = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// What is not watched again from here to `commit` is not wanted any more.
  func begin() {
    wanted = []
    awaited = [:]
    refused = 0
  }

  func commit() {
    for number in folders.keys where !wanted.contains(number) {
      inotify_rm_watch(descriptor, number)
      folders[number] = nil
    }
  }

  /// A folder of the collection. One that is watched already, perhaps under another path, stays so.
  func watch(_ folder: [UInt8]) {
    if let number = add(folder, Self.changes) { wanted.insert(number) }
  }

  /// The folder in which one that is not there would appear.
  func expect(_ folder: [UInt8]) {
    var missing = folder
    while missing.count > 1 {
      let above = Paths.folder(missing)
      let place = above.isEmpty ? [0x2F] : above
      let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD)
      if let number = add(place, mask) {
        // In a folder of the collection everything matters.
        if wanted.insert(number).inserted || awaited[number] != nil {
          awaited[number, default: []].insert(Paths.name(missing))
        }
        return
      }
      missing = place
    }
  }

  /// The file of the index: told when another program has written it, or has put another one in its
  /// place. Again where that was told.
  ///
  /// - Returns: whether it is another file than before.
  @discardableResult func watch(index path: [UInt8]) -> Bool {
    guard descriptor >= 0 else { return false }
    let mask = UInt32(IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    let number = inotify_add_watch(descriptor, FileProbe.cString(path), mask)
    if let index, index != number { inotify_rm_watch(descriptor, index) }
    defer { index = number >= 0 ? number : nil }
    return index != number
  }

  private func add(_ folder: [UInt8], _ mask: UInt32) -> CInt? {
    guard descriptor >= 0 else { return nil }
    let number = inotify_add_watch(descriptor, FileProbe.cString(folder), mask)
    guard number >= 0 else {
      // Any other is told by the scan, or has gone meanwhile.
      if errno == ENOSPC || errno == ENOMEM { refused += 1 }
      return nil
    }
    folders[number] = folder
    return number
  }

  var count: Int { folders.count }

  // MARK: What happens

  /// What has happened: to the folders, to what is mounted, to the index.
  struct Seen {
    var hasChanged = false
    var hasMounted = false
    var isIndexWritten = false
  }

  private var isIndexWritten = false

  /// Waits until something happens, or so many seconds; `nil` is for ever.
  func wait(_ seconds: Double?) -> Seen {
    var places = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
    ]
    let limit = seconds.map { CInt(min(max(0, $0), 3600) * 1000) + 1 } ?? -1
    guard poll(&places, nfds_t(places.count), limit) > 0 else { return Seen() }
    isIndexWritten = false
    let hasChanged = places[0].revents != 0 && drain()
    return Seen(
      hasChanged: hasChanged, hasMounted: places[2].revents != 0, isIndexWritten: isIndexWritten)
  }

  private func drain() -> Bool {
    var hasChanged = false
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return hasChanged }
      if take(bytes[..<count]) { hasChanged = true }
    }
  }

  /// True when one of the events is a change. Each is a watch, what happened, a number that links
  /// moves, and a name with zeros behind.
  func take(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    var hasChanged = false
    while rest.count >= 16 {
      func number(_ offset: Int) -> UInt32 {
        rest.dropFirst(offset).prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
      }
      let (watch, mask) = (CInt(bitPattern: number(0)), number(4))
      let length = Int(number(12))
      let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
      rest = rest.dropFirst(16 + length)
      if isChange(watch, mask, Array(name)) { hasChanged = true }
    }
    return hasChanged
  }

  private func isChange(_ watch: CInt, _ mask: UInt32, _ name: [UInt8]) -> Bool {
    func has(_ bits: Int) -> Bool { mask & UInt32(bits) != 0 }
    // Some were lost.
    if has(Int(IN_Q_OVERFLOW)) { return true }
    if watch == index {
      if has(Int(IN_IGNORED)) { index = nil }
      isIndexWritten = true
      return false
    }
    if has(Int(IN_IGNORED)) {
      folders[watch] = nil
      return false
    }
    guard let folder = folders[watch] else { return false }
    if let names = awaited[watch] { return names.contains(name) }
    // Of the folder itself.
    if name.isEmpty { return true }
    if name.first == UInt8(ascii: ".") { return false }
    // A link to a folder may be called anything.
    if has(Int(IN_ISDIR) | Int(IN_MOVED_FROM) | Int(IN_MOVED_TO) | Int(IN_DELETE)) { return true }
    if has(Int(IN_CREATE)) {
      // A file that is written now is told when it is closed; a link is there at once.
      var facts = stat()
      let path = FileProbe.cString(Paths.join(folder, name))
      return lstat(path, &facts) == 0
        && (facts.st_mode & S_IFMT == S_IFLNK || facts.st_nlink > 1)
    }
    let suffix = Paths.suffix(name)
    return Recognition.audioSuffixes.contains(suffix) || suffix == "cue" || suffix == "lrc"
      || SideFiles.isCover(name)
  }
}
