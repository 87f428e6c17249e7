import Database
import Glibc

/// Looks through folders and brings the index up to what is there. One thread walks the folders and
/// writes, in transactions of many files; others read the files that are new or have changed. What
/// has not changed is not read: a file is the same when its place, its number on the disk, its size
/// and its time are.
///
/// Used once, on one thread, which it blocks; the index must not be used meanwhile by others
/// (another connection may read what was committed).
public final class LibraryScan {
  let index: LibraryIndex
  private let given: [[UInt8]]
  /// Every folder that the user has named.
  let named: [[UInt8]]
  /// The given folders as they are looked through.
  var roots: [[UInt8]] = []
  private let now: Int64
  private let isCancelled: () -> Bool
  private let progress: (ScanProgress) -> Void
  /// Told of each folder before it is read.
  var onFolder: ([UInt8]) -> Void = { _ in }

  var summary = ScanSummary()
  private var state = ScanProgress()
  /// Folders of which files are known, and their numbers.
  var folders: [[UInt8]: Int64] = [:]
  private var entered: Set<FileProbe.Identity> = []
  private(set) var places = ScanPlaces(named: [], known: [])
  var links: Set<[UInt8]> = []
  var drives = ScanDrives([:])
  private var formers: [ScanDrives.Identity: [[UInt8]]] = [:]
  /// Folders that could not be read: nothing is known of them now.
  var unread: [[UInt8]] = []
  var matcher: ScanMatcher
  var writer: ScanWriter

  let jobs = WorkQueue<ScanJob>(limit: 256)
  let readings = WorkQueue<ScanReading>(limit: .max)
  let crew = Crew()
  private var readers = 0
  private var outstanding = 0
  private var lastTold = 0.0

  /// - Parameters:
  ///   - roots: the folders to look through, absolute.
  ///   - all: every folder of the collection, these or more.
  ///   - now: seconds since 1970.
  public init(
    _ index: LibraryIndex, roots: [[UInt8]], all: [[UInt8]], now: Int64,
    isCancelled: @escaping () -> Bool = { false },
    progress: @escaping (ScanProgress) -> Void = { _ in }
  ) {
    self.index = index
    given = roots
    named = all
    self.now = now
    self.isCancelled = isCancelled
    self.progress = progress
    matcher = ScanMatcher(index)
    writer = ScanWriter(index, now: now)
  }

  /// True for a folder of the collection itself and for what a scan of it finds: nothing hidden.
  public static func covers(_ folder: [UInt8], _ path: [UInt8]) -> Bool {
    ScanPlaces.covers(folder, path)
  }

  /// Does it. Where it throws, what was committed before stays and is whole.
  public func run() throws(DatabaseError) -> ScanSummary {
    startReaders()
    defer {
      jobs.close(dropping: true)
      crew.join()
    }
    try begin()
    for root in roots where !isCancelled() { try walk(root) }
    while outstanding > 0, !isCancelled() { try wait() }
    if isCancelled() { try abandon() } else { try finish() }
    tell(isLast: true)
    return summary
  }

  private func begin() throws(DatabaseError) {
    try index.database.execute(IndexSchema.additions)
    var disks: [[UInt8]: ScanDrives.Identity] = [:]
    for (id, path, identity) in try index.placedFolders() {
      folders[path] = id
      if let identity {
        disks[path] = identity
        formers[identity, default: []].append(path)
      }
    }
    drives = ScanDrives(disks)
    matcher.isEmpty = folders.isEmpty
    let known = try index.links()
    links = Set(known)
    places = ScanPlaces(named: named, known: known)
    roots = places.outermost(given)
  }

  private func startReaders() {
    // Two to a processor: one reads while the other waits for the disk.
    for _ in 0..<min(8, Crew.processors * 2) {
      let (jobs, readings) = (jobs, readings)
      let started = crew.start {
        while let job = jobs.take() { _ = readings.offer(ScanReading(job)) }
      }
      if started { readers += 1 }
    }
  }

  // MARK: Folders

  private func walk(_ root: [UInt8]) throws(DatabaseError) {
    var open = [Step(path: root)]
    while let step = open.popLast() {
      if isCancelled() { return }
      open += try visit(step).reversed()
      while let reading = readings.takeIfThere() { try take(reading) }
      tell()
    }
  }

  /// A folder to look at.
  private struct Step {
    var path: [UInt8]
    /// Its path without links, where a link led here.
    var real: [UInt8]?
  }

  /// Looks at one folder; the folders within it.
  private func visit(_ step: Step) throws(DatabaseError) -> [Step] {
    let path = step.path
    let isRoot = named.contains(path) || roots.contains(path)
    let descriptor = open(
      FileProbe.cString(path), O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NONBLOCK)
    guard descriptor >= 0 else {
      refuse(path, errno, isRoot)
      return []
    }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      refuse(path, errno, isRoot)
      return []
    }
    let identity = FileIdentity(facts)
    let inode = FileProbe.Identity(device: UInt(facts.st_dev), node: UInt(facts.st_ino))
    guard entered.insert(inode).inserted else { return [] }
    onFolder(path)
    let listing: FolderListing
    do throws(FileProbe.FolderError) {
      listing = try FolderListing(descriptor: descriptor)
    } catch {
      refuse(path, error.cause, isRoot)
      return []
    }
    if isRoot, listing.count == 0, isAbsent(path) { return [] }
    summary.folders += 1
    state.folders += 1
    let disk = ScanDrives.Identity(device: identity.device, node: identity.node)
    drives.see(path, disk, isBare: listing.files.isEmpty && listing.folders.isEmpty)
    try match(path, disk, listing)
    if !listing.files.isEmpty, let news = drives.news(path), !news.isOnOtherDevice {
      try write([.place(folder: path, news.now)])
    }
    var steps: [Step] = []
    for folder in listing.folders {
      if let inner = try way(to: Paths.join(path, folder.name), folder.isLink, from: step) {
        steps.append(inner)
      }
    }
    return steps
  }

  /// The way to a folder within another; `nil` where it is found elsewhere.
  private func way(
    to path: [UInt8], _ isLink: Bool, from outer: Step
  ) throws(DatabaseError) -> Step? {
    guard isLink else {
      guard let real = outer.real.map({ Paths.join($0, Paths.name(path)) }) else {
        return Step(path: path)
      }
      return places.place(of: real) == path ? Step(path: path, real: real) : nil
    }
    guard let real = FileProbe.real(path), places.enters(link: path, to: real) else { return nil }
    if links.insert(path).inserted { try write([.link(path)]) }
    return Step(path: path, real: real)
  }

  /// What is wrong with a folder. One that has gone is no fault, unless the user named it.
  private func refuse(_ path: [UInt8], _ cause: CInt, _ isRoot: Bool) {
    let isGone = cause == ENOENT || cause == ENOTDIR
    if isGone, !isRoot || isAbsent(path) { return }
    if !isGone { unread.append(path) }
    let kind: FileKind =
      isGone ? .missing : cause == EACCES ? .noPermission : .unreachable(cause)
    summary.faults.append(LibraryFault(path: path, sentence: FileProbe.sentence(kind, path) ?? ""))
  }

  /// True where files of this folder are known, and notes that they are not there now.
  ///
  /// - Parameter isMissing: what is known to be there does not count.
  func isAbsent(_ path: [UInt8], isMissing: Bool = false) -> Bool {
    guard folders.keys.contains(where: { LibraryIndex.isBelow($0, path) }),
      let count = try? index.count(below: path, isMissing: isMissing), count > 0
    else { return false }
    summary.absent.append((path, count))
    return true
  }

  // MARK: Files

  private func match(
    _ path: [UInt8], _ disk: ScanDrives.Identity, _ listing: FolderListing
  ) throws(DatabaseError) {
    summary.files += listing.files.count
    state.files += listing.files.count
    let found = try matcher.match(
      listing, in: path, number: folders[path], former: former(of: path, disk))
    for change in found.renumbered { drives.found(on: change.now, before: change.before) }
    summary.moved += found.moved
    summary.returned += found.returned
    summary.missing += found.missing
    try write(found.operations)
    guard !found.toRead.isEmpty else { return }
    var sheets: [[UInt8]: [ListedTrack]] = [:]
    if listing.hasSheets {
      let tracks = FolderSheets(folder: path, entries: listing.entries).tracks.values.joined()
      for track in tracks { sheets[Paths.name(track.location.path), default: []].append(track) }
    }
    state.toRead += found.toRead.count
    for file in found.toRead {
      try dispatch(
        ScanJob(
          folder: path, name: file.name, identity: file.identity, beside: file.beside,
          isKnown: file.isKnown, fault: file.fault, sheet: sheets[file.name] ?? [],
          hasCover: listing.hasCover, hasLyrics: listing.hasLyrics(file.name)))
      if isCancelled() { return }
    }
  }

  /// The same folder, known under another path that still leads to it.
  private func former(
    of path: [UInt8], _ disk: ScanDrives.Identity
  ) -> (path: [UInt8], number: Int64)? {
    for former in formers[disk] ?? [] where former != path {
      guard let number = folders[former], let there = FileIdentity.at(former),
        there.device == disk.device, there.node == disk.node
      else { continue }
      return (former, number)
    }
    return nil
  }

  private func dispatch(_ job: ScanJob) throws(DatabaseError) {
    outstanding += 1
    if readers == 0 { return try take(ScanReading(job)) }
    while !jobs.offer(job) {
      if isCancelled() {
        outstanding -= 1
        return
      }
      try wait()
    }
  }

  /// Takes one reading, which is waited for.
  private func wait() throws(DatabaseError) {
    if let reading = readings.take() { try take(reading) }
  }

  func take(_ reading: ScanReading) throws(DatabaseError) {
    outstanding -= 1
    state.read += 1
    tell()
    switch reading.outcome {
    case .gone: break
    case .tracks:
      if reading.job.isKnown { summary.changed += 1 } else { summary.added += 1 }
    case .fault, .hindrance: summary.unreadable += 1
    }
    try write([.reading(reading)])
  }

  func write(_ operations: [ScanOperation]) throws(DatabaseError) {
    try writer.add(operations, folders: &folders)
  }

  private func tell(isLast: Bool = false) {
    let time = Self.seconds()
    guard isLast || time - lastTold > 0.1 else { return }
    lastTold = time
    progress(state)
  }

  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
