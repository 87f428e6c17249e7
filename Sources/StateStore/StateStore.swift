import AudioTypes
import Database
import Dispatch
import PlayQueue
import Synchronization

/// What the user did, kept: the history of tracks, settings, and how it stands. What is told to it is
/// written by a queue of its own a fifth of a second later, all of it at once, so that nobody waits
/// and a process that is killed loses no more than that. What cannot be written is told once and
/// tried again.
///
/// Any thread, unless it says otherwise.
public final class StateStore: Sendable {
  public let standing: StateStanding
  /// How it stood when the last sotto ended, as far as that was kept; nil where the state is not
  /// ours.
  public let moment: Moment?

  private let folder: StateFolder
  private let queue = DispatchQueue(label: "sotto.state", qos: .utility)
  private let pending = Mutex(Pending())
  private let momentFile: Mutex<MomentFile>
  private let writer: StateWriter
  private let tell: @Sendable (_ sentence: String, _ isFault: Bool) -> Void

  /// So long what has changed waits for more, in seconds.
  private let delay: Double
  /// So long another program is waited for at a time, in milliseconds.
  static let patience: Int32 = 1000
  /// After a failure it is tried again after so many seconds, doubled each time up to the last.
  static let retries = (first: 2.0, last: 60.0)
  /// As many changes of the history wait while nothing can be written.
  static let mostChanges = 10_000

  /// What waits to be written.
  struct Pending {
    var changes: [(key: HistoryKey, change: History.Change)] = []
    var settings: [String: String?] = [:]
    var moment: Moment?
    /// Where the queue is asked for, and whether it has changed.
    var queue: (@Sendable () -> PlayQueue)?
    var isQueueChanged = false
    var isScheduled = false
    var isClosed = false
    /// A failure was told, and not everything is well again.
    var isTold = false
    var hasFailed = false
    var hasMomentFailed = false
    /// The one that could not be written.
    var unwritten: Moment?
    /// Of which folder the last one is.
    var generation = 0
    var wait = StateStore.retries.first
    /// After a failure nothing is tried before.
    var earliest = DispatchTime(uptimeNanoseconds: 0)

    var isEmpty: Bool { changes.isEmpty && settings.isEmpty && moment == nil && !isQueueChanged }
  }

  /// Takes the folder, where no other sotto has it. Reads nothing but one page: a few system calls.
  ///
  /// - Parameter tell: what there is to say to the user, in whole sentences without a full stop.
  ///   Called on any thread.
  public convenience init(
    folder path: [UInt8], tell: @escaping @Sendable (_ sentence: String, _ isFault: Bool) -> Void
  ) {
    self.init(folder: path, delay: 0.2, tell: tell)
  }

  init(
    folder path: [UInt8], delay: Double, patience: Int32 = StateStore.patience,
    look: FileLook = FileLook(),
    tell: @escaping @Sendable (_ sentence: String, _ isFault: Bool) -> Void
  ) {
    self.delay = delay
    folder = StateFolder(path)
    standing = folder.standing
    let file = MomentFile(folder.file("moment"))
    moment = standing == .own ? file.read() : nil
    momentFile = Mutex(file)
    writer = StateWriter(folder, patience: patience, look: look)
    self.tell = tell
  }

  /// True where state can be kept: the library is installed.
  public static var isAvailable: Bool { Database.isAvailable }

  /// True where something is kept that is ours to read, as far as one can see without reading it.
  public var isFilled: Bool {
    standing == .own && (moment != nil || StateFolder.size(folder.file("state.db")) ?? 0 > 0)
  }

  // MARK: Reading

  public enum Reading: Sendable {
    case saved(SavedState)
    /// It cannot be read now, and why; it is tried again, and `saved` may follow.
    case waits(String)
  }

  /// Reads what is kept, on a queue of its own; `then` is called there. Where it cannot be read now
  /// that is told at once, and what is kept comes when it can: nothing is written before. Where it can
  /// be read and not written, that is told; it comes once more if it is another one when it can be.
  public func read(_ then: @escaping @Sendable (Reading) -> Void) {
    guard standing == .own else { return }
    queue.async { [self] in attempt(then, wait: Self.retries.first / 2, isFirst: true) }
  }

  ///
  /// - Parameter shown: what could be read and not written.
  private func attempt(
    _ then: @escaping @Sendable (Reading) -> Void, wait: Double, isFirst: Bool,
    shown: SavedState? = nil
  ) {
    if pending.withLock(\.isClosed) { return }
    do throws(DatabaseError) {
      writer.hold(try hold())
      let saved = try writer.read()
      for sentence in writer.takeNotices() { tell(sentence, true) }
      // Damage is found while most can be rescued; nobody waits for it.
      queue.async { [self] in check() }
      if saved != shown { then(.saved(saved)) }
      recovered()
      pending.withLock { if !$0.isEmpty { schedule(&$0, after: delay) } }
    } catch {
      // What can be said of it was said: a missing library is `sotto doctor`'s.
      if isFirst, error.cause != .noLibrary { fail(error) }
      var shown = shown
      if shown == nil, error.isOfThePlace, let saved = writer.unwritable() {
        shown = saved
        for sentence in writer.takeNotices() { tell(sentence, true) }
        then(.saved(saved))
      } else if isFirst {
        then(.waits(error.sentence))
      }
      let known = shown
      guard error.cause != .noLibrary, error.cause != .misuse else { return }
      let next = error.cause == .busy ? wait : min(wait * 2, Self.retries.last)
      queue.asyncAfter(deadline: .now() + wait) { [weak self] in
        self?.attempt(then, wait: next, isFirst: false, shown: known)
      }
    }
  }

  /// The folder is there, and ours: a number that is another one when it is another folder.
  private func hold() throws(DatabaseError) -> Int {
    let (standing, generation) = folder.hold()
    switch standing {
    case .own: return generation
    case .taken:
      throw DatabaseError(
        cause: .busy, code: 0, sentence: "another sotto has made it anew, and keeps its own there")
    case .refused(let sentence):
      let start = "\(Text.printable(folder.path)): "
      throw DatabaseError(
        cause: .cannotOpen, code: 0,
        sentence: sentence.hasPrefix(start) ? String(sentence.dropFirst(start.count)) : sentence)
    }
  }

  private func check() {
    do throws(DatabaseError) { try writer.check() } catch { fail(error) }
    for sentence in writer.takeNotices() { tell(sentence, true) }
  }

  /// What is known of a track; `then` is called on the store's queue.
  public func record(
    _ location: TrackLocation, _ then: @escaping @Sendable (HistoryRecord?) -> Void
  ) {
    queue.async { [self] in
      flush()
      then(writer.record(location))
    }
  }

  // MARK: Writing

  /// How it stands now. One small write, by whoever calls: what moves needs no database.
  ///
  /// - Parameter isLasting: it stays so for a while: the database is told too, for the case that the
  ///   machine loses its power.
  public func note(_ moment: Moment, isLasting: Bool = false) {
    guard standing == .own, !pending.withLock(\.isClosed) else { return }
    let isAnew = write(moment)
    guard isLasting || isAnew else { return }
    change { $0.moment = moment }
  }

  /// - Returns: whether the folder is another one than that of the last moment.
  @discardableResult private func write(_ moment: Moment) -> Bool {
    var isAnew = false
    do throws(DatabaseError) {
      let generation = try hold()
      isAnew = pending.withLock { $0.generation } != generation
      let cause = momentFile.withLock { file in
        if isAnew { file.reopen() }
        return file.write(moment)
      }
      guard cause == 0 else {
        throw DatabaseError(cause: .ioFailure, code: 0, sentence: StateFolder.meaning(cause))
      }
      pending.withLock { pending in
        pending.generation = generation
        pending.unwritten = nil
      }
      recovered(.moment)
    } catch {
      pending.withLock { $0.unwritten = moment }
      fail(error, .moment)
    }
    return isAnew
  }

  /// Something happened to a track.
  public func change(_ location: TrackLocation, _ change: History.Change) {
    let key = HistoryKey(location)
    self.change { pending in
      // What comes often is kept once.
      if let last = pending.changes.last, last.key == key {
        switch (last.change, change) {
        case (.bookmarked, .bookmarked), (.rated, .rated): pending.changes.removeLast()
        default: break
        }
      }
      if pending.changes.count < Self.mostChanges { pending.changes.append((key, change)) }
    }
  }

  /// Files have other paths now. Blocks until it is written: for a thread that may wait.
  public func follow(_ moves: [History.Move]) throws(DatabaseError) {
    let moves = History.look(moves)
    let result = queue.sync { () -> Result<Void, DatabaseError> in
      // What was done under the old paths comes first.
      flush()
      do throws(DatabaseError) {
        try writer.follow(moves)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    for sentence in queue.sync(execute: { writer.takeNotices() }) { tell(sentence, true) }
    try result.get()
  }

  /// A setting of the moment by its name; nil forgets it.
  public func set(_ name: String, _ value: String?) { change { $0.settings[name] = .some(value) } }

  /// From now on the queue is kept. It is asked for on the store's queue, a moment after
  /// `queueChanged`; only what differs from what was kept last is written.
  public func keep(_ queue: @escaping @Sendable () -> PlayQueue) {
    pending.withLock { $0.queue = queue }
  }

  public func queueChanged() {
    change { pending in if pending.queue != nil { pending.isQueueChanged = true } }
  }

  private func change(_ body: (inout Pending) -> Void) {
    guard standing == .own else { return }
    pending.withLock { pending in
      guard !pending.isClosed else { return }
      body(&pending)
      schedule(&pending, after: delay)
    }
  }

  private func schedule(_ pending: inout Pending, after seconds: Double) {
    guard !pending.isScheduled else { return }
    pending.isScheduled = true
    // Anything new does not make it sooner: a full disk is not asked five times a second.
    queue.asyncAfter(deadline: max(.now() + seconds, pending.earliest)) { [weak self] in
      self?.flush()
    }
  }

  /// Writes what waits. On the queue.
  ///
  /// - Parameter isLast: it is tried once more, however short after a failure.
  private func flush(isLast: Bool = false) {
    let work = pending.withLock { pending in
      let work = pending
      pending.isScheduled = false
      // Before it was read, nothing is written over it.
      guard writer.isReady else { return Pending() }
      if !isLast, .now() < pending.earliest {
        if !pending.isEmpty { schedule(&pending, after: 0) }
        return Pending()
      }
      pending.changes = []
      pending.settings = [:]
      pending.moment = nil
      pending.isQueueChanged = false
      return work
    }
    guard !work.isEmpty else { return }
    do throws(DatabaseError) {
      writer.hold(try hold())
      try writer.write(work, isLast: isLast)
      for sentence in writer.takeNotices() { tell(sentence, true) }
      recovered()
    } catch {
      fail(error)
      pending.withLock { pending in
        pending.changes = Array((work.changes + pending.changes).prefix(Self.mostChanges))
        pending.settings = work.settings.merging(pending.settings) { $1 }
        pending.moment = pending.moment ?? work.moment
        pending.isQueueChanged = pending.isQueueChanged || work.isQueueChanged
        let wait = pending.wait
        pending.wait = min(wait * 2, Self.retries.last)
        pending.earliest = .now() + wait
        schedule(&pending, after: wait)
      }
    }
  }

  /// What can fail alone: the database may be well where the small file of the moment is not.
  private enum Part { case database, moment }

  private func fail(_ error: DatabaseError, _ part: Part = .database) {
    let isNew = pending.withLock { pending in
      defer {
        pending.isTold = true
        if part == .moment { pending.hasMomentFailed = true } else { pending.hasFailed = true }
      }
      return !pending.isTold
    }
    guard isNew else { return }
    tell(
      "\(Text.printable(folder.path)): \(error.sentence); what you do is not kept until that is over",
      true)
  }

  private func recovered(_ part: Part = .database) {
    // The player may stand still: nobody else would write it for long.
    if part == .database, let moment = pending.withLock(\.unwritten) { write(moment) }
    let isOver = pending.withLock { pending in
      if part == .moment {
        pending.hasMomentFailed = false
      } else {
        pending.hasFailed = false
        pending.wait = Self.retries.first
        pending.earliest = DispatchTime(uptimeNanoseconds: 0)
      }
      guard pending.isTold, !pending.hasFailed, !pending.hasMomentFailed else { return false }
      pending.isTold = false
      return true
    }
    if isOver { tell("\(Text.printable(folder.path)): what you do is kept again", false) }
  }

  /// Writes what waits and lets the file go; nothing is kept afterwards.
  ///
  /// - Parameter seconds: not longer than this is waited.
  public func close(within seconds: Double = 2) {
    let done = DispatchSemaphore(value: 0)
    queue.async { [self] in
      flush(isLast: true)
      pending.withLock { $0.isClosed = true }
      writer.close()
      folder.release()
      done.signal()
    }
    _ = done.wait(timeout: .now() + seconds)
    pending.withLock { $0.isClosed = true }
  }
}

/// What was kept when the last sotto ended.
public struct SavedState: Equatable, Sendable {
  public var queue: QueueState?
  /// Of which queue the names are; a moment of another one means other entries.
  public var epoch: Int64 = 0
  public var bookmarks: [HistoryKey: Double] = [:]
  public var settings: [String: String] = [:]
  /// The newest moment that the database knows: older than the store's own, unless that was lost.
  public var moment: Moment?
}
