import Database

/// How a scan ends: what was not found has gone, and what may come back with its drive is kept.
extension LibraryScan {
  /// What was read is kept; what was not yet is read the next time.
  func abandon() throws(DatabaseError) {
    jobs.close(dropping: true)
    crew.join()
    while let reading = readings.takeIfThere() { try take(reading) }
    try writer.flush(&folders)
  }

  func finish() throws(DatabaseError) {
    for root in named where !drives.hasSeen(root) && isLookedThrough(root) {
      if FileProbe.kind(root) == .missing, !isAway(root) { _ = isAbsent(root) }
    }
    var away: [[UInt8]] = []
    for (path, id) in folders where isLookedThrough(path) {
      if !drives.hasSeen(path) {
        // Not there any more.
        let operations = try matcher.allMissing(in: id)
        summary.missing += operations.count
        try write(operations)
      } else if let news = drives.news(path), news.isOnOtherDevice, drives.away(path) == nil {
        try write([.place(folder: path, news.now)])
      }
    }
    try forgetLinks()
    try writer.flush(&folders)
    for (path, id) in folders where isLookedThrough(path) && !isAway(path) {
      guard let drive = drives.away(path) else { continue }
      if try index.missingCount(in: id) > 0 {
        away.append(drive)
      } else if let news = drives.news(path) {
        // Other files are there, on a drive that is another one.
        try write([.place(folder: path, news.now)])
      }
    }
    for drive in Set(away).sorted(by: { $0.count < $1.count }) where !isAway(drive) {
      _ = isAbsent(drive, isMissing: true)
    }
    summary.absent.sort { $0.folder.lexicographicallyPrecedes($1.folder) }
    try writer.flush(&folders)
    try writer.removeParked()
    try index.note(places: places.behindLinks, of: Set(named).union(links))
    summary.isComplete = true
  }

  private func isLookedThrough(_ path: [UInt8]) -> Bool {
    roots.contains { Self.covers($0, path) }
      && !unread.contains { LibraryIndex.isBelow(path, $0) }
  }

  private func isAway(_ path: [UInt8]) -> Bool {
    summary.absent.contains { LibraryIndex.isBelow(path, $0.folder) }
  }

  /// Those that lead nowhere now, or to what is found elsewhere.
  private func forgetLinks() throws(DatabaseError) {
    for link in links where isLookedThrough(link) && !drives.hasSeen(link) {
      try write([.unlink(link)])
    }
  }

  /// Forgets the files that have gone, but for those whose folder may only be away. After `run`.
  public func forgetMissing() throws(DatabaseError) -> Int {
    try index.transaction { () throws(DatabaseError) in
      try index.forgetMissing { folder in
        // Of what was not looked through, nobody has asked whether its drive is there.
        let isCurrent = isLookedThrough(folder) || !named.contains { Self.covers($0, folder) }
        let isUnread = unread.contains { LibraryIndex.isBelow(folder, $0) }
        return !isCurrent || isUnread || isAway(folder)
      }
    }
  }
}
