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
  private let roots: [[UInt8]]
  /// Links into these lead to what is found at its own place.
  private let realRoots: [[UInt8]]
  private let now: Int64
  private let isCancelled: () -> Bool
  private let progress: (ScanProgress) -> Void
  /// Told of each folder before it is read.
  var onFolder: ([UInt8]) -> Void = { _ in }

  private var summary = ScanSummary()
  private var state = ScanProgress()
  /// Folders of which files are known, and their numbers.
  private var folders: [[UInt8]: Int64] = [:]
  private var entered: Set<FileProbe.Identity> = []
  private var visited: Set<[UInt8]> = []
  /// Folders that could not be read: nothing is known of them now.
  private var unread: [[UInt8]] = []
  private var matcher: ScanMatcher
  private var writer: ScanWriter

  private let jobs = WorkQueue<ScanJob>(limit: 256)
  private let readings = WorkQueue<ScanReading>(limit: .max)
  private let crew = Crew()
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
    self.roots = Self.outermost(roots)
    realRoots = (roots + all).compactMap(FileProbe.real)
    self.now = now
    self.isCancelled = isCancelled
    self.progress = progress
    matcher = ScanMatcher(index)
    writer = ScanWriter(index, now: now)
  }

  /// Those that are not within others.
  static func outermost(_ roots: [[UInt8]]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for root in roots.sorted(by: { $0.count < $1.count })
    where !result.contains(where: { LibraryIndex.isBelow(root, $0) }) {
      result.append(root)
    }
    return result.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Does it. Where it throws, what was committed before stays and is whole.
  public func run() throws(DatabaseError) -> ScanSummary {
    startReaders()
    defer {
      jobs.close(dropping: true)
      crew.join()
    }
    for (id, path) in try index.folders() { folders[path] = id }
    matcher.isEmpty = folders.isEmpty
    for root in roots where !isCancelled() { try walk(root) }
    while outstanding > 0, !isCancelled() { try wait() }
    if isCancelled() { try abandon() } else { try finish() }
    tell(isLast: true)
    return summary
  }

  private func startReaders() {
    // Two to a processor: one reads while the other waits for the disk.
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    for _ in 0..<min(8, processors * 2) {
      let (jobs, readings) = (jobs, readings)
      let started = crew.start {
        while let job = jobs.take() { _ = readings.offer(ScanReading(job)) }
      }
      if started { readers += 1 }
    }
  }

  // MARK: Folders

  private func walk(_ root: [UInt8]) throws(DatabaseError) {
    var open = [root]
    while let path = open.popLast() {
      if isCancelled() { return }
      for folder in try visit(path, isRoot: path == root).reversed() { open.append(folder) }
      while let reading = readings.takeIfThere() { try take(reading) }
      tell()
    }
  }

  /// Looks at one folder; the folders within it.
  private func visit(_ path: [UInt8], isRoot: Bool) throws(DatabaseError) -> [[UInt8]] {
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
    let identity = FileProbe.Identity(device: UInt(facts.st_dev), node: UInt(facts.st_ino))
    guard entered.insert(identity).inserted else { return [] }
    onFolder(path)
    let listing: FolderListing
    do throws(FileProbe.FolderError) {
      listing = try FolderListing(descriptor: descriptor)
    } catch {
      refuse(path, error.cause, isRoot)
      return []
    }
    if listing.count == 0, isAbsent(path) { return [] }
    summary.folders += 1
    state.folders += 1
    visited.insert(path)
    try match(path, listing)
    return listing.folders.compactMap { folder in
      let inner = Paths.join(path, folder.name)
      guard folder.isLink else { return inner }
      guard let real = FileProbe.real(inner) else { return nil }
      return realRoots.contains { LibraryIndex.isBelow(real, $0) } ? nil : inner
    }
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
  private func isAbsent(_ path: [UInt8]) -> Bool {
    guard folders.keys.contains(where: { LibraryIndex.isBelow($0, path) }),
      let count = try? index.count(below: path), count > 0
    else { return false }
    summary.absent.append((path, count))
    return true
  }

  // MARK: Files

  private func match(_ path: [UInt8], _ listing: FolderListing) throws(DatabaseError) {
    summary.files += listing.files.count
    state.files += listing.files.count
    let found = try matcher.match(listing, in: path, number: folders[path])
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

  private func take(_ reading: ScanReading) throws(DatabaseError) {
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

  private func write(_ operations: [ScanOperation]) throws(DatabaseError) {
    try writer.add(operations, folders: &folders)
  }

  // MARK: The end

  /// What was read is kept; what was not yet is read the next time.
  private func abandon() throws(DatabaseError) {
    jobs.close(dropping: true)
    crew.join()
    while let reading = readings.takeIfThere() { try take(reading) }
    try writer.flush(&folders)
  }

  private func finish() throws(DatabaseError) {
    // Folders that are not there any more.
    for (path, id) in folders
    where !visited.contains(path) && roots.contains(where: { LibraryIndex.isBelow(path, $0) })
      && !unread.contains(where: { LibraryIndex.isBelow(path, $0) })
    {
      let operations = try matcher.allMissing(in: id)
      summary.missing += operations.count
      try write(operations)
    }
    try writer.flush(&folders)
    try writer.removeParked()
    summary.isComplete = true
  }

  /// Forgets the files that have gone, but for those whose folder may only be away. After `run`.
  public func forgetMissing() throws(DatabaseError) -> Int {
    let kept = unread + summary.absent.map(\.folder)
    return try index.transaction { () throws(DatabaseError) in
      try index.forgetMissing { folder in kept.contains { LibraryIndex.isBelow(folder, $0) } }
    }
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
