import AudioTypes
import Database
import Glibc
import Synchronization

/// What a watch has to tell.
public enum LibraryNews: Equatable, Sendable {
  /// A scan begins; exactly one of `.ends`, `.fails` and `.repaired` follows.
  case begins
  /// It has ended, also when it was cancelled.
  ///
  /// - newTracks: how many more the index has.
  /// - hasChanged: false when all was as it had been.
  case ends(newTracks: Int, hasChanged: Bool)
  /// The index was damaged: what was done, as a sentence without its full stop. A scan follows that
  /// reads all anew.
  case repaired(String)
  /// It could not be made: why, as a sentence safe to print without its full stop; `nil` where that
  /// was told before.
  case fails(String?)
  /// What is not watched, and what follows from that: told once.
  case unwatched(String)
}

/// Keeps the index up to what is in its folders: scans once, and again whenever inotify tells of a
/// change. Between changes it sleeps.
public final class LibraryWatch: Sendable {
  private let index: [UInt8]
  private let folders: [[UInt8]]
  private let isEnded = Atomic<Bool>(false)
  private let reading: CInt
  private let writing: CInt

  /// - Parameters:
  ///   - index: the path of the index. Where it is not there, it is waited for.
  ///   - folders: those of the configuration, absolute; beside them are those of the index.
  public init(index: [UInt8], folders: [[UInt8]]) {
    self.index = index
    self.folders = folders
    var ends: [CInt] = [-1, -1]
    if pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit { for end in [reading, writing] where end >= 0 { close(end) } }

  /// Ends it, and a scan that is under way; from any thread, does not wait.
  public func end() {
    guard !isEnded.exchange(true, ordering: .sequentiallyConsistent) else { return }
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// Watches until it is ended; once, on a thread of the caller's, which it blocks and on which it
  /// tells.
  public func run(_ tell: (LibraryNews) -> Void) {
    guard Database.isAvailable else { return }
    let events = FolderEvents(stop: reading)
    var isThere = follow(events).isThere
    if isThere, events.cause != 0 {
      tell(.unwatched(Self.sentence(events.cause)))
    }
    var pauses = WatchPauses()
    var keeper = LibraryKeeper(index: index, folders: folders) {
      self.isEnded.load(ordering: .relaxed)
    }
    var isFirst = isThere
    while !isEnded.load(ordering: .sequentiallyConsistent) {
      let now = LibraryScan.seconds()
      if isFirst || pauses.due.map({ $0 <= now }) == true {
        isFirst = false
        switch keeper.scan(events, tell) {
        case .again:
          pauses.scanned(from: now, to: LibraryScan.seconds())
          pauses.changed(at: LibraryScan.seconds())
        case .done: pauses.scanned(from: now, to: LibraryScan.seconds())
        case .hindered: pauses.hindered(at: LibraryScan.seconds())
        case .over: return
        }
        let isOther: Bool
        (isThere, isOther) = follow(events)
        if isOther { pauses.changed(at: LibraryScan.seconds()) }
        continue
      }
      // Nobody tells of changes, so nobody waits for them.
      if events.cause != 0 || reading < 0, pauses.due == nil { return }
      let seen = events.wait(pauses.due.map { $0 - now })
      var isDue = isThere && seen.hasChanged || seen.hasMounted && keeper.isAway
      if seen.isIndexWritten || !isThere && seen.hasChanged {
        let isOther: Bool
        (isThere, isOther) = follow(events)
        // Another program has made it, has added folders to it, or has found it damaged.
        if isThere, isOther || LibraryFile.isSuspected(index) || keeper.hasOtherFolders {
          isDue = true
        }
      }
      if isDue { pauses.changed(at: LibraryScan.seconds()) }
    }
  }

  /// Watches the index, or waits for it.
  ///
  /// - Returns: whether it is there, and another one than before.
  private func follow(_ events: FolderEvents) -> (isThere: Bool, isOther: Bool) {
    for _ in 0..<2 {
      if FileProbe.kind(index) != .missing {
        return (true, events.watch(index: index))
      }
      events.expect(index)
      // It may have come meanwhile.
    }
    return (false, false)
  }

  private static func sentence(_ cause: CInt) -> String {
    let reason =
      cause == EMFILE
      ? "too much is watched already (fs.inotify.max_user_instances)"
      : String(cString: strerror(cause))
    return "the collection's folders cannot be watched, \(reason): what changes in them is found at"
      + " the next start or by 'sotto scan'"
  }
}

/// The scans of a watch, on its thread.
private struct LibraryKeeper {
  enum Outcome { case done, again, hindered, over }

  let index: [UInt8]
  let folders: [[UInt8]]
  let isCancelled: () -> Bool
  /// A folder is not there, or empty; its drive may be mounted.
  private(set) var isAway = false
  private var told: Set<String> = []
  private var hasToldRefused = false
  /// Those that were looked through last.
  private var roots: [[UInt8]] = []
  /// A disk that damages the next one too needs more than that.
  private var hasRepaired = false

  init(index: [UInt8], folders: [[UInt8]], isCancelled: @escaping () -> Bool) {
    self.index = index
    self.folders = folders
    self.isCancelled = isCancelled
  }

  /// Looks through everything: what is the same is not read.
  mutating func scan(_ events: FolderEvents, _ tell: (LibraryNews) -> Void) -> Outcome {
    // The user may take the index away at any time, and make a new one.
    guard FileProbe.kind(index) != .missing else { return .done }
    tell(.begins)
    let identity = FileProbe.look(index).identity
    do throws(DatabaseError) {
      let index = try LibraryIndex(Database(self.index, .readWrite))
      try LibraryFile.verify(index, at: self.index)
      let kept = try index.roots()
      LibraryFile.keepFolders(of: index, beside: self.index)
      roots = kept + folders
      let before = try index.counts().tracks
      let scan = LibraryScan(
        index, roots: roots, all: roots, now: Int64(time(nil)), isCancelled: isCancelled)
      // Before a folder is read, so that no change is lost between.
      scan.onFolder = { events.watch($0) }
      events.begin()
      func isMissing(_ root: [UInt8]) -> Bool { FileProbe.kind(root) == .missing }
      // Those that come back while it is scanned are told by nobody.
      let wereMissing = roots.filter(isMissing)
      let summary = try scan.run()
      var isBack = false
      if summary.isComplete {
        let missing = roots.filter { wereMissing.contains($0) || isMissing($0) }
        for root in missing { events.expect(root) }
        events.commit()
        isBack = missing.contains { !isMissing($0) }
        isAway = !missing.isEmpty || !summary.absent.isEmpty
      }
      let changes = [
        summary.added, summary.changed, summary.moved, summary.returned, summary.missing,
      ]
      let hasChanged = changes.contains { $0 > 0 }
      let added = hasChanged ? try index.counts().tracks - before : 0
      tell(.ends(newTracks: max(0, added), hasChanged: hasChanged))
      tellRefused(events, tell)
      return isBack ? .again : .done
    } catch {
      guard error.cause == .corrupt, !hasRepaired else { return fail(error, tell) }
      return repair(identity, tell)
    }
  }

  /// Puts the damaged index aside and begins another one, which the next scan fills. Readers notice that
  /// another file is in its place.
  private mutating func repair(
    _ identity: FileProbe.Identity?, _ tell: (LibraryNews) -> Void
  ) -> Outcome {
    // Somebody else was faster.
    guard FileProbe.look(index).identity == identity else {
      tell(.fails(nil))
      return .again
    }
    hasRepaired = true
    do throws(DatabaseError) {
      let name = try LibraryFile.anew(index).setAside ?? index
      tell(
        .repaired(
          "library.db was damaged: the collection is read again; the old file is"
            + " \(Text.printable(name))"))
      return .again
    } catch {
      return fail(error, tell)
    }
  }

  /// True where the index names other folders than it did.
  var hasOtherFolders: Bool {
    guard let index = try? LibraryIndex(Database(index, .readOnly)),
      let known = try? index.roots()
    else { return false }
    return known + folders != roots
  }

  private mutating func fail(
    _ error: DatabaseError, _ tell: (LibraryNews) -> Void
  ) -> Outcome {
    // A scan of another program's, most likely: it does the same.
    if error.cause == .busy {
      tell(.fails(nil))
      return .hindered
    }
    // Its disk is read-only, and may be another one later.
    if error.cause == .readOnly || error.cause == .cannotOpen {
      let sentence =
        "\(Text.printable(index)): nothing can be written there: the collection stays as it was"
        + " scanned last"
      tell(.fails(told.insert(sentence).inserted ? sentence : nil))
      return .hindered
    }
    let isDamaged = error.cause == .corrupt
    let advice = isDamaged ? "; 'sotto scan' reads all anew" : ""
    let sentence = "\(Text.printable(index)): \(error.sentence)\(advice)"
    tell(.fails(told.insert(sentence).inserted ? sentence : nil))
    return isDamaged ? .over : .done
  }

  private mutating func tellRefused(_ events: FolderEvents, _ tell: (LibraryNews) -> Void) {
    guard events.refused > 0, !hasToldRefused else { return }
    hasToldRefused = true
    let all = events.refused + events.count
    tell(
      .unwatched(
        "\(events.refused) of the collection's \(all) folders cannot be watched, the system allows"
          + " no more (fs.inotify.max_user_watches): what changes in them is found at the next"
          + " start or by 'sotto scan'"))
  }
}
