import Database

/// One change to the index.
enum ScanOperation {
  case reading(ScanReading)
  case move(Int64, folder: [UInt8], name: [UInt8])
  /// Another file has taken its place.
  case park(Int64)
  case missing(Int64)
  case present(Int64)
  /// The same file on a drive or with a number that is called otherwise now.
  case restamp(folder: [UInt8], name: [UInt8], FileIdentity, Int64, String?)
  /// Which folder on disk it is.
  case place(folder: [UInt8], ScanDrives.Identity)
  /// Files are found behind a link, or not any more.
  case link([UInt8])
  case unlink([UInt8])
}

/// Gathers changes and writes many in one transaction, in their order.
struct ScanWriter {
  private let index: LibraryIndex
  private let now: Int64
  private var waiting: [ScanOperation] = []
  private var since = 0.0
  /// By which the moves of one scan are known.
  private let sign = Int64.random(in: 1...(.max))
  /// Where files were that were put aside.
  private var origins: [Int64: [UInt8]] = [:]

  private static let most = 1000
  /// What was read is not lost for longer than this, in seconds.
  private static let longest = 0.5

  init(_ index: LibraryIndex, now: Int64) {
    self.index = index
    self.now = now
  }

  mutating func add(
    _ operations: [ScanOperation], folders: inout [[UInt8]: Int64]
  ) throws(DatabaseError) {
    guard !operations.isEmpty else { return }
    if waiting.isEmpty { since = LibraryScan.seconds() }
    waiting += operations
    if waiting.count >= Self.most || LibraryScan.seconds() - since > Self.longest {
      try flush(&folders)
    }
  }

  mutating func flush(_ folders: inout [[UInt8]: Int64]) throws(DatabaseError) {
    guard !waiting.isEmpty else { return }
    let operations = waiting
    waiting = []
    var numbers = folders
    try index.transaction { () throws(DatabaseError) in
      for operation in operations { try apply(operation, &numbers) }
    }
    folders = numbers
  }

  func removeParked() throws(DatabaseError) {
    try index.transaction { () throws(DatabaseError) in try index.removeParked() }
  }

  private mutating func apply(
    _ operation: ScanOperation, _ folders: inout [[UInt8]: Int64]
  ) throws(DatabaseError) {
    switch operation {
    case .reading(let reading): try apply(reading, &folders)
    case .park(let id): try park(id)
    case .missing(let id): try index.set(missing: now, file: id)
    case .present(let id): try index.set(missing: nil, file: id)
    case .restamp(let folder, let name, let identity, let beside, let fault):
      try index.put(
        file: name, in: number(of: folder, &folders), identity, beside: beside, fault: fault,
        at: now)
    case .place(let folder, let identity):
      try index.set(place: identity, folder: number(of: folder, &folders))
    case .link(let path): try index.add(link: path)
    case .unlink(let path): try index.remove(link: path)
    case .move(let id, let folder, let name):
      let number = try number(of: folder, &folders)
      // Another scan may have been there first.
      guard try index.isKnown(file: id) else { return }
      if let other = try index.file(at: name, in: number), other != id {
        try park(other)
      }
      let old = try origin(of: id)
      try index.move(file: id, to: number, name: name)
      let new = Paths.join(folder, name)
      if let old, old != new { try index.note(move: id, from: old, to: new, scan: sign) }
    }
  }

  /// Where it was before this scan.
  private func origin(of id: Int64) throws(DatabaseError) -> [UInt8]? {
    if let path = origins[id] { return path }
    return try index.path(of: id)
  }

  private mutating func park(_ id: Int64) throws(DatabaseError) {
    if origins[id] == nil { origins[id] = try index.path(of: id) }
    try index.park(file: id, at: now)
  }

  private func apply(
    _ reading: ScanReading, _ folders: inout [[UInt8]: Int64]
  ) throws(DatabaseError) {
    let job = reading.job
    switch reading.outcome {
    case .gone: break
    case .tracks(let tracks):
      let file = try index.put(
        file: job.name, in: number(of: job.folder, &folders), job.identity, beside: job.beside,
        at: now)
      try index.replace(tracks: tracks, of: file)
    case .fault(let sentence):
      let file = try index.put(
        file: job.name, in: number(of: job.folder, &folders), job.identity, beside: job.beside,
        fault: sentence, at: now)
      try index.replace(tracks: [], of: file)
    case .hindrance(let sentence):
      if job.isKnown, job.fault == sentence { return }
      try index.put(
        file: job.name, in: number(of: job.folder, &folders), job.identity, beside: ScanJob.again,
        fault: sentence, at: now)
    }
  }

  private func number(
    of folder: [UInt8], _ folders: inout [[UInt8]: Int64]
  ) throws(DatabaseError) -> Int64 {
    if let number = folders[folder] { return number }
    let number = try index.folder(folder)
    folders[folder] = number
    return number
  }
}
