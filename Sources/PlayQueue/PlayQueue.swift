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
  /// Stop after each track.
  public var isSingle = false
  /// Stop when the current track ends, once: that takes the wish back.
  public var stopsOnce = false
  /// What has been played leaves the queue, which can be undone; what the user left for another
  /// track of their choice stays. Nothing is repeated then that has not been left in such a way.
  public var isConsuming = false

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

  /// Appends at the end; what is current stays so. This fills the queue and is no edit: there is
  /// nothing to undo.
  public mutating func append(_ more: some Sequence<QueueEntry>) {
    let items = named(Array(more))
    guard items.count > 0 else { return }
    put(items, at: Places(entries.count..<entries.count + items.count))
    if order.isOn { order.mix(items, after: currentID) }
  }

  /// What has become known of a track: what is nil here stays as it was. An order of albums that
  /// stands already stays too.
  public mutating func describe(
    at index: Int, title: String? = nil, artist: String? = nil, album: String? = nil,
    duration: Double? = nil
  ) {
    guard entries.indices.contains(index) else { return }
    count([entries[index]], sign: -1)
    if let title { entries[index].title = title }
    if let artist { entries[index].artist = artist }
    if let album { entries[index].album = album }
    if let duration { entries[index].duration = duration }
    count([entries[index]], sign: 1)
    revision += 1
  }

  /// A track's file has another path now. It is the same entry, and nothing to undo.
  public mutating func relocate(at index: Int, to path: [UInt8]) {
    guard entries.indices.contains(index) else { return }
    entries[index].location.path = path
    revision += 1
  }

  /// Where an entry is now; nil when it is not in the queue.
  public func index(of id: EntryID) -> Int? {
    if isCurrentPresent, currentID == id { return place }
    return ids.firstIndex(of: id)
  }

  /// The entry of that name; nil when it is not in the queue.
  public func entry(_ id: EntryID) -> QueueEntry? { index(of: id).map { entries[$0] } }

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

  // MARK: Shuffle

  public var isShuffled: Bool { order.isOn }

  /// What is put in an order of chance; nil when nothing is.
  public var shuffleUnit: ShuffleUnit? { order.isOn ? order.albums == nil ? .track : .album : nil }

  /// Plays the tracks in an order of chance, each once, the current one first; or album after album
  /// in such an order, each from its first track in the list's order, the current one from where it
  /// is. The list stays as it is. Shuffled already: another order.
  public mutating func shuffle(seed: UInt64, by unit: ShuffleUnit = .track) {
    let albums = unit == .album ? AlbumTable(Items(entries: entries, ids: ids)) : nil
    order = ShuffleOrder(
      ids, first: isCurrentPresent ? currentID : nil, seed: seed, after: order, by: albums)
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
      && left.isSingle == right.isSingle && left.stopsOnce == right.stopsOnce
      && left.isConsuming == right.isConsuming && left.shuffleUnit == right.shuffleUnit
      && left.ids == right.ids && left.entries == right.entries
      && (left.order.ids == right.order.ids || left.playOrder == right.playOrder)
  }
}
