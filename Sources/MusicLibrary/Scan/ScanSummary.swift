/// How far a scan is.
public struct ScanProgress: Equatable, Sendable {
  public var folders = 0
  /// Files of music seen.
  public var files = 0
  /// Files whose tags were read, of those that must be read so far.
  public var read = 0
  public var toRead = 0
}

/// What a scan found, in files.
public struct ScanSummary: Equatable, Sendable {
  public var folders = 0
  /// Of music.
  public var files = 0
  public var added = 0
  /// Read again, since they or what lies beside them changed.
  public var changed = 0
  /// Found at another place.
  public var moved = 0
  /// There again.
  public var returned = 0
  /// Not there any more, since this scan.
  public var missing = 0
  /// Of those read in this scan.
  public var unreadable = 0
  /// Folders that cannot be read, and why. What is known of them stays.
  public var faults: [LibraryFault] = []
  /// Folders that may be drives that are not mounted, with how many files are known in them: named
  /// ones that are not there, or empty, and others whose files were on another device than their
  /// place is now. Their files count as missing and are never forgotten.
  public var absent: [(folder: [UInt8], files: Int)] = []
  /// False where it was ended before its end.
  public var isComplete = false

  public static func == (left: ScanSummary, right: ScanSummary) -> Bool {
    left.folders == right.folders && left.files == right.files && left.added == right.added
      && left.changed == right.changed && left.moved == right.moved
      && left.returned == right.returned && left.missing == right.missing
      && left.unreadable == right.unreadable && left.faults == right.faults
      && left.absent.elementsEqual(right.absent) { $0 == $1 }
      && left.isComplete == right.isComplete
  }
}
