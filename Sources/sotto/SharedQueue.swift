import AudioEngine
import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import PlayQueue
import StateStore

/// The queue as threads share it: the control thread and the decoder read it, a thread of its own
/// fills it from the arguments, so that music does not wait for a large folder.
///
/// The engine and the session know a track by its key, the number of its entry, which edits of the
/// queue leave alone; people know it by its row.
@safe final class SharedQueue: Succession, @unchecked Sendable {
  // All only under the lock.
  private var queue = PlayQueue()
  private var isComplete = false
  /// The decoder was told that what follows is not known yet; this wakes it.
  private var isAwaited = false
  private var wake: (@Sendable () -> Void)?
  /// Where long tracks go on: by the place of their file, or by the path under which that was noted
  /// before anybody looked.
  private var beginnings: [HistoryKey: Double] = [:]
  /// Where files are, however their paths are spelled. Not under the lock: it has its own.
  private let places = FilePlaces()
  /// Told of every change, on the thread that made it.
  private var changed: (@Sendable () -> Void)?
  /// What is current stays known when it is removed from the queue: it is still heard.
  private var kept: (key: Int, entry: QueueEntry)?
  /// Where the user goes by choice, until it is heard.
  private var chosen: Int?

  /// Where tracks were left when another list took the place of theirs, the latest last.
  private var left: [(key: Int, seconds: Double)] = []
  /// Where the user comes back to by an undo, until it is heard.
  private var returning: (key: Int, seconds: Double)?

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Marks the main queue, whatever thread runs it.
  private static let control = DispatchSpecificKey<Bool>()

  init() {
    unsafe pthread_mutex_init(lock, nil)
    DispatchQueue.main.setSpecific(key: Self.control, value: true)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
  }

  private func locked<Result>(_ body: (inout PlayQueue) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body(&queue)
  }

  private static func id(_ key: Int) -> EntryID { EntryID(UInt32(truncatingIfNeeded: key)) }

  private func isKept(_ key: Int) -> Bool { kept?.key == key }

  // MARK: Succession

  func track(at key: Int) -> TrackLocation? { entry(at: key)?.location }

  func index(after key: Int) -> Int? {
    locked { queue in
      let next = queue.id(after: Self.id(key)).map { Int($0.number) }
      if next == nil, !isComplete { isAwaited = true }
      return next
    }
  }

  var isGrowing: Bool { locked { _ in !isComplete } }

  /// Called, on whatever thread, when more is known of what follows than the decoder was told.
  func wakes(_ wake: @escaping @Sendable () -> Void) { locked { _ in self.wake = wake } }

  private func wakeDecoder() {
    let wake = locked { _ in
      defer { isAwaited = false }
      return isAwaited ? self.wake : nil
    }
    wake?()
  }

  func beginning(of key: Int) -> Double {
    if let seconds = locked({ _ in returning?.key == key ? returning?.seconds : nil }) {
      return seconds
    }
    guard let location = track(at: key), locked({ _ in !beginnings.isEmpty }) else { return 0 }
    // The decoder has opened the file, and asks its disk; the control thread takes what was found.
    let mayWait = DispatchQueue.getSpecific(key: Self.control) == nil
    let known = mayWait ? places.look(location) : places.known(location)
    return locked { _ in beginnings[known] ?? beginnings[HistoryKey(location)] ?? 0 }
  }

  // MARK: The control thread's side

  /// Where long tracks go on, as far as that was kept; what has become known since stays.
  func takeUp(beginnings kept: [HistoryKey: Double]) {
    locked { _ in beginnings.merge(kept) { now, _ in now } }
  }

  /// nil: it begins at its beginning.
  func setBeginning(_ seconds: Double?, of location: TrackLocation) {
    let known = places.known(location)
    locked { _ in
      beginnings[HistoryKey(location)] = nil
      beginnings[known] = seconds
    }
  }

  /// Files have other paths now: entries and places in long tracks go with them. Any thread; the lock
  /// is held for the rows alone that change.
  func follow(_ paths: [[UInt8]: [UInt8]]) {
    let (queue, current) = locked { ($0, kept) }
    func new(_ location: TrackLocation) -> [UInt8]? {
      if location.isURL { return nil }
      return paths[HistoryKey(location).path] ?? paths[places.known(location).path]
    }
    var moved: [(row: Int, id: EntryID, path: [UInt8])] = []
    for (row, entry) in queue.entries.enumerated() {
      if let path = new(entry.location) { moved.append((row, queue.ids[row], path)) }
    }
    let currentPath = current.flatMap { new($0.entry.location) }
    let isChanged = locked { queue in
      // Places may be exchanged: all leave theirs before one takes another.
      let long = beginnings.filter { paths[$0.key.path] != nil }
      for key in long.keys { beginnings[key] = nil }
      for (var key, place) in long {
        key.path = paths[key.path] ?? key.path
        beginnings[key] = place
      }
      for (row, id, path) in moved {
        // Edits may have put it elsewhere since, or taken it away.
        let isThere = queue.ids.indices.contains(row) && queue.ids[row] == id
        guard let row = isThere ? row : queue.index(of: id) else { continue }
        queue.relocate(at: row, to: path)
      }
      if let currentPath, kept?.key == current?.key { kept?.entry.location.path = currentPath }
      return !moved.isEmpty
    }
    if isChanged { tellChange() }
  }

  /// The queue as it is now.
  var value: PlayQueue { locked { $0 } }

  /// Looks at the queue without keeping a copy of it, which the next change would have to copy.
  func read<Result>(_ body: (PlayQueue) -> Result) -> Result { locked { body($0) } }

  /// The key of the first track to be played; `nil` in an empty queue.
  var firstKey: Int? { locked { $0.playOrder.first.map { Int($0.number) } } }

  func entry(at key: Int) -> QueueEntry? {
    locked { $0.entry(Self.id(key)) ?? (isKept(key) ? kept?.entry : nil) }
  }

  func key(ofRow row: Int) -> Int? {
    locked { $0.ids.indices.contains(row) ? Int($0.ids[row].number) : nil }
  }

  /// What the user gets who skips the current track.
  var keyAfterSkip: Int? {
    locked { queue in queue.indexAfterSkip.map { Int(queue.ids[$0].number) } }
  }

  /// True when a track follows, or may still be found.
  func mayFollow(_ key: Int) -> Bool {
    locked { $0.id(after: Self.id(key)) != nil || !isComplete }
  }

  /// Told of every change from now on, on the thread that makes it; it must not wait.
  func tell(_ changed: @escaping @Sendable () -> Void) { locked { _ in self.changed = changed } }

  private func tellChange() { locked { _ in changed }?() }

  /// The track that is heard. Unless the user has chosen it, it is because the one before has ended
  /// or was skipped.
  ///
  /// - Returns: whether one has left the queue for it.
  @discardableResult func pass(to key: Int) -> Bool {
    defer { tellChange() }
    return locked { queue in
      let isChosen = chosen == key
      if isChosen { chosen = nil }
      // Whatever is heard now, it begins at its own place the next time.
      returning = nil
      guard let row = queue.index(of: Self.id(key)) else { return false }
      kept = (key, queue.entries[row])
      let count = queue.entries.count
      if isChosen { queue.select(row) } else { queue.pass(to: row) }
      return queue.entries.count != count
    }
  }

  /// The user goes to that track, and will hear it: what is left for it has not been played.
  func choose(_ key: Int) { locked { _ in chosen = key } }

  /// The list of the heard track is replaced: this is where it was left.
  func leave(_ key: Int, at seconds: Double) {
    locked { _ in
      left.removeAll { $0.key == key }
      left.append((key, seconds))
      if left.count > Self.mostLeft { left.removeFirst() }
    }
  }

  private static let mostLeft = 100

  /// An undo or a redo has exchanged the list, and the heard track is not in the one that is there now:
  /// says where to go on, which is where that list was left.
  ///
  /// - Parameters:
  ///   - earlier: the track that was current when the list was replaced, where that is known.
  ///   - isNowhere: the player stands in no track, since there was none before.
  func comeBack(to earlier: EntryID?, isStopped: Bool, isNowhere: Bool) -> Int? {
    locked { queue in
      if !isNowhere {
        guard let now = queue.currentID, queue.index(of: now) == nil else { return nil }
      }
      let place = left.last { queue.index(of: Self.id($0.key)) != nil }
      let known = earlier.flatMap { queue.index(of: $0) == nil ? nil : Int($0.number) }
      guard let key = known ?? place?.key ?? queue.playOrder.first.map({ Int($0.number) }) else {
        return nil
      }
      returning = isStopped ? nil : left.last { $0.key == key }
      chosen = key
      return key
    }
  }

  /// Goes back, and says to which track.
  func previous(position: Double) -> Int? {
    defer { tellChange() }
    return locked { queue in
      let key = queue.previous(position: position).map { Int(queue.ids[$0].number) }
      chosen = key
      return key
    }
  }

  /// Nothing follows the current track by itself: says where the player stands then.
  func end() -> Int? {
    edit { queue in
      guard let row = queue.end() else { return nil }
      kept = (Int(queue.ids[row].number), queue.entries[row])
      return Int(queue.ids[row].number)
    }
  }

  /// Changes the queue; who waits for a next track looks again.
  func edit<Result>(_ body: (inout PlayQueue) -> Result) -> Result {
    let result = locked(body)
    wakeDecoder()
    tellChange()
    return result
  }

  // MARK: Filling

  func append(_ tracks: [ListedTrack]) {
    let entries = tracks.map(QueueEntry.init)
    edit { $0.append(entries) }
  }

  /// Nothing more will come: who waits for a next track learns that there is none.
  func complete() {
    locked { _ in isComplete = true }
    wakeDecoder()
  }
}

extension QueueEntry {
  init(_ track: ListedTrack) {
    self.init(
      track.location, title: track.title, artist: track.artist, duration: track.duration)
  }
}
