/// What is played next, what was before, and how one goes there.
extension PlayQueue {
  mutating func stand(at index: Int) {
    currentID = ids[index]
    place = index
    isCurrentPresent = true
  }

  /// The index of what is played when the track at `index` has ended, by shuffle, repeat, single
  /// and the wish to stop once; `nil` when nothing is. -1 stands before the first track.
  public func index(after index: Int) -> Int? {
    if isSingle || stopsOnce, index >= 0 { return nil }
    if repeatsOne, entries.indices.contains(index) { return index }
    return self.index(skipping: index)
  }

  /// The index of what the user gets who skips the track at `index`: repeating one and single hold
  /// nobody back.
  public func index(skipping index: Int) -> Int? {
    guard index >= -1, index < entries.count else { return nil }
    if order.isOn { return follower(of: index < 0 ? nil : ids[index]) }
    if index + 1 < entries.count { return index + 1 }
    return wraps && !entries.isEmpty && !(isConsuming && index == 0) ? 0 : nil
  }

  /// What is played when the current track has ended, and what a skip would bring.
  public var indexAfterCurrent: Int? {
    if currentID != nil, isSingle || stopsOnce { return nil }
    return repeatsOne && isCurrentPresent ? place : indexAfterSkip
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
    let next = order.follower(of: id, among: ids, wraps: wraps)
    // It has left by then.
    if isConsuming, next == id { return nil }
    return next.flatMap { ids.firstIndex(of: $0) }
  }

  var wraps: Bool { repeatMode != .off }

  /// What leaves the queue cannot come again.
  private var repeatsOne: Bool { repeatMode == .one && !isConsuming }

  // MARK: Going

  /// Goes to a track because the one before has ended or was skipped: when tracks are consumed, that
  /// one leaves the queue. `nil` means none.
  public mutating func pass(to index: Int?) {
    let left = isCurrentPresent ? currentID : nil
    select(index)
    if let left, left != currentID { consume(left) }
  }

  private mutating func consume(_ id: EntryID) {
    guard isConsuming, let index = index(of: id) else { return }
    removePlayed(index)
  }

  /// The current track has ended and nothing follows by itself. Makes current where the player stands
  /// until the user wants more, and says which it is: what a skip would have brought where single or
  /// the wish to stop once held it, otherwise the first of all; `nil` in an empty queue. Shuffled,
  /// another order begins with the latter.
  @discardableResult public mutating func end() -> Int? {
    let isHeldBack = isSingle || stopsOnce
    let next = isHeldBack ? indexAfterSkip.map { ids[$0] } : nil
    stopsOnce = false
    if let currentID { consume(currentID) }
    if let next, let index = index(of: next) {
      select(index)
      return current
    }
    if order.isOn { order.restart(ids) }
    if let first = playOrder.first, let index = ids.firstIndex(of: first) {
      stand(at: index)
    } else {
      select(nil)
    }
    return current
  }

  /// Goes back: to the beginning of the current track when more than `restartAfter` of it has been
  /// heard or none comes before it, otherwise to the track before. Nothing current: the last.
  @discardableResult public mutating func previous(position: Double) -> Int? {
    if isCurrentPresent, position > Self.restartAfter { return current }
    guard let currentID else {
      let last = order.isOn ? order.last(among: ids).flatMap(index(of:)) : entries.indices.last
      if let last { stand(at: last) }
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
}
