import AudioTypes

/// The tracks to be played, in order, the one that is current, and what was edited. Pure: nothing
/// here plays, and chance comes from a seed.
///
/// Two queues are equal when they hold the same entries under the same names and go on alike; what
/// could be undone is not compared. Comparing a queue with an unchanged copy of it takes no time.
public struct PlayQueue: Sendable {
  public internal(set) var entries: [QueueEntry] = []
  /// The entries' names, in their order.
  public internal(set) var ids: [EntryID] = []
  /// The current entry. It may have been removed since: then it is not among `ids`, and the track
  /// is still the one that is heard.
  public internal(set) var currentID: EntryID?
  /// Counts the changes of `entries`: who has looked at one number need not look again.
  public internal(set) var revision = 0
  /// The sum of the durations that are known, in milliseconds, and how many are not.
  public internal(set) var knownMilliseconds: Int64 = 0
  public internal(set) var unknownDurations = 0

  public var repeatMode = RepeatMode.off
  /// Stop after the current track.
  public var isSingle = false

  /// The index of the current entry, or where it stood when it is not in the queue any more: what
  /// stands there now comes next.
  var place = 0
  var isCurrentPresent = false
  var order = ShuffleOrder()
  var history = EditHistory()
  var clipboard = Items()
  var nextID: UInt32 = 0

  /// "Previous" restarts a track of which more than this has been heard, in seconds.
  public static let restartAfter = 3.0

  public init(_ entries: [QueueEntry] = []) { append(entries) }

  /// An index of `entries`; `nil` before the first track, after the last, and when the current one
  /// has been removed.
  public var current: Int? { isCurrentPresent ? place : nil }

  public var currentEntry: QueueEntry? { current.map { entries[$0] } }

  /// Appends at the end; what is current stays so. This fills the queue and is no edit: there is
  /// nothing to undo.
  public mutating func append(_ more: some Sequence<QueueEntry>) {
    let items = named(Array(more))
    guard items.count > 0 else { return }
    put(items, at: Places(entries.count..<entries.count + items.count))
    if order.isOn { order.mix(items.ids, after: currentID) }
  }

  /// What has become known of a track: what is nil here stays as it was.
  public mutating func describe(
    at index: Int, title: String? = nil, artist: String? = nil, duration: Double? = nil
  ) {
    guard entries.indices.contains(index) else { return }
    count([entries[index]], sign: -1)
    if let title { entries[index].title = title }
    if let artist { entries[index].artist = artist }
    if let duration { entries[index].duration = duration }
    count([entries[index]], sign: 1)
    revision += 1
  }

  /// Where an entry is now; nil when it is not in the queue.
  public func index(of id: EntryID) -> Int? {
    if isCurrentPresent, currentID == id { return place }
    return ids.firstIndex(of: id)
  }

  /// The entry of that name; nil when it is not in the queue.
  public func entry(_ id: EntryID) -> QueueEntry? { index(of: id).map { entries[$0] } }

  // MARK: What follows

  /// Makes a track current; `nil` and indexes outside of the queue mean none.
  public mutating func select(_ index: Int?) {
    guard let index, entries.indices.contains(index) else {
      currentID = nil
      isCurrentPresent = false
      place = 0
      return
    }
    if order.isOn { order.go(to: ids[index], from: currentID, among: ids, wraps: wraps) }
    stand(at: index)
  }

  private mutating func stand(at index: Int) {
    currentID = ids[index]
    place = index
    isCurrentPresent = true
  }

  /// The index of what is played when the track at `index` has ended, by shuffle, repeat and
  /// single; `nil` when nothing is. -1 stands before the first track.
  public func index(after index: Int) -> Int? {
    if isSingle, index >= 0 { return nil }
    if repeatMode == .one, entries.indices.contains(index) { return index }
    return self.index(skipping: index)
  }

  /// The index of what the user gets who skips the track at `index`: repeating one and single hold
  /// nobody back.
  public func index(skipping index: Int) -> Int? {
    guard index >= -1, index < entries.count else { return nil }
    if order.isOn { return follower(of: index < 0 ? nil : ids[index]) }
    if index + 1 < entries.count { return index + 1 }
    return wraps && !entries.isEmpty ? 0 : nil
  }

  /// What is played when the current track has ended, and what a skip would bring.
  public var indexAfterCurrent: Int? {
    if currentID != nil, isSingle { return nil }
    return repeatMode == .one && isCurrentPresent ? place : indexAfterSkip
  }

  public var indexAfterSkip: Int? {
    guard let currentID else { return index(skipping: -1) }
    if isCurrentPresent { return index(skipping: place) }
    if order.isOn { return follower(of: currentID) }
    if place < entries.count { return place }
    return wraps && !entries.isEmpty ? 0 : nil
  }

  /// The same by names, which edits leave alone: what is played when that entry has ended. The
  /// current one may have been removed, any other has nothing after it then.
  public func id(after id: EntryID) -> EntryID? {
    let next = id == currentID ? indexAfterCurrent : index(of: id).flatMap { index(after: $0) }
    return next.map { ids[$0] }
  }

  private func follower(of id: EntryID?) -> Int? {
    order.follower(of: id, among: ids, wraps: wraps).flatMap { ids.firstIndex(of: $0) }
  }

  private var wraps: Bool { repeatMode != .off }

  /// Goes to the next track, as the user's key does; at the end nothing is current, which means
  /// stop.
  @discardableResult public mutating func next() -> Int? {
    select(indexAfterSkip)
    return current
  }

  /// Goes on when the current track has ended.
  @discardableResult public mutating func advance() -> Int? {
    select(indexAfterCurrent)
    return current
  }

  /// Goes back: to the beginning of the current track when more than `restartAfter` of it has been
  /// heard or none comes before it, otherwise to the track before. Nothing current: the last.
  @discardableResult public mutating func previous(position: Double) -> Int? {
    if isCurrentPresent, position > Self.restartAfter { return current }
    guard let currentID else {
      select(order.isOn ? order.last(among: ids).flatMap(index(of:)) : entries.indices.last)
      return current
    }
    if order.isOn {
      if let before = order.goBack(from: currentID, among: ids).flatMap(index(of:)) {
        // Not by `select`: back is not forward into the next round, though that may begin there.
        stand(at: before)
      }
    } else if place > 0 {
      select(place - 1)
    } else if !isCurrentPresent {
      select(entries.isEmpty ? nil : 0)
    }
    return current
  }

  // MARK: Shuffle

  public var isShuffled: Bool { order.isOn }

  /// Plays the tracks in an order of chance, each once, the current one first. The list stays as it
  /// is. Shuffled already: another order.
  public mutating func shuffle(seed: UInt64) {
    order = ShuffleOrder(ids, first: isCurrentPresent ? currentID : nil, seed: seed, after: order)
  }

  /// Plays in the list's order again, from the current track on.
  public mutating func unshuffle() { order = ShuffleOrder(after: order) }

  /// The names in the order in which they are played: the list's own when it is not shuffled.
  public var playOrder: [EntryID] { order.isOn ? order.live(among: ids) : ids }

  // MARK: The list itself

  /// Gives entries their names.
  mutating func named(_ entries: [QueueEntry]) -> Items {
    let first = nextID
    nextID &+= UInt32(truncatingIfNeeded: entries.count)
    return Items(
      entries: entries,
      ids: (0..<entries.count).map { EntryID(first &+ UInt32(truncatingIfNeeded: $0)) })
  }

  mutating func put(_ items: Items, at places: Places) {
    guard items.count > 0 else { return }
    if entries.isEmpty {
      entries = items.entries
      ids = items.ids
    } else if places.ranges.first?.lowerBound == entries.count {
      entries += items.entries
      ids += items.ids
    } else {
      entries.put(items.entries, at: places)
      ids.put(items.ids, at: places)
    }
    revision += 1
    count(items.entries, sign: 1)
    for range in places.ranges {
      // A gap stays before what is put into it, so that this comes next.
      guard isCurrentPresent ? range.lowerBound <= place : range.lowerBound < place else { break }
      place += range.count
    }
    if let currentID, !isCurrentPresent, items.ids.contains(currentID),
      let index = ids.firstIndex(of: currentID)
    {
      place = index
      isCurrentPresent = true
    }
  }

  mutating func take(_ places: Places) -> Items {
    guard !places.isEmpty else { return Items() }
    let items = Items(entries: entries.take(places), ids: ids.take(places))
    revision += 1
    count(items.entries, sign: -1)
    if isCurrentPresent, places.contains(place) { isCurrentPresent = false }
    place -= places.count(below: place)
    return items
  }

  private mutating func count(_ entries: [QueueEntry], sign: Int64) {
    for entry in entries {
      if let milliseconds = entry.milliseconds {
        knownMilliseconds += sign * milliseconds
      } else {
        unknownDurations += Int(sign)
      }
    }
  }
}

extension PlayQueue: Equatable {
  public static func == (left: PlayQueue, right: PlayQueue) -> Bool {
    // The names come first: they are small, and other entries have other names.
    left.currentID == right.currentID && left.isCurrentPresent == right.isCurrentPresent
      && left.place == right.place && left.repeatMode == right.repeatMode
      && left.isSingle == right.isSingle && left.order.isOn == right.order.isOn
      && left.ids == right.ids && left.entries == right.entries
      && (left.order.ids == right.order.ids || left.playOrder == right.playOrder)
  }
}
