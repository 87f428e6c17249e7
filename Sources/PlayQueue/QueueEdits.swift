/// What the user does to the queue. Each edit can be undone; one that changes nothing is none. An
/// edit never makes another track current: one that is removed is still heard to its end.
extension PlayQueue {
  /// Puts tracks before what stands at `index` (the end of the queue at most), and says where they
  /// stand.
  @discardableResult
  public mutating func insert(_ new: [QueueEntry], at index: Int) -> Range<Int> {
    insert(named(new), at: index, .added)
  }

  /// Puts tracks at the end.
  @discardableResult public mutating func add(_ new: [QueueEntry]) -> Range<Int> {
    insert(named(new), at: entries.count, .added)
  }

  /// Puts tracks where they are played next, shuffled or not.
  @discardableResult public mutating func insertNext(_ new: [QueueEntry]) -> Range<Int> {
    let items = named(new)
    return insert(items, at: isCurrentPresent ? place + 1 : place, .putNext)
  }

  private mutating func insert(_ items: Items, at index: Int, _ kind: QueueEdit.Kind) -> Range<Int>
  {
    let index = min(max(index, 0), entries.count)
    let range = index..<index + items.count
    if order.isOn {
      if kind == .putNext {
        order.putNext(items, after: currentID)
      } else {
        order.restore(items, after: currentID)
      }
    }
    perform(kind, items.count, [Step(kind: .insert, places: Places(range), items: items)])
    return range
  }

  /// Takes the place of all that was in the queue.
  public mutating func replace(with new: [QueueEntry]) {
    let items = named(new)
    if order.isOn { order.mix(items, after: currentID) }
    perform(
      .replaced, items.count,
      [
        Step(kind: .remove, places: Places(0..<entries.count)),
        Step(kind: .insert, places: Places(0..<items.count), items: items),
      ])
  }

  /// Takes entries out; indexes that are none are passed over.
  public mutating func remove(_ indices: some Sequence<Int>) {
    let places = Places(indices, in: entries.count)
    perform(.removed, places.count, [Step(kind: .remove, places: places)])
  }

  /// A track that has been played leaves the queue.
  mutating func removePlayed(_ index: Int) {
    perform(.played, 1, [Step(kind: .remove, places: Places(index..<index + 1))])
  }

  /// Takes all entries out. The current track is still heard.
  public mutating func clear() {
    perform(.cleared, entries.count, [Step(kind: .remove, places: Places(0..<entries.count))])
  }

  /// Removes entries and keeps them, to be pasted.
  public mutating func cut(_ indices: some Sequence<Int>) {
    let places = Places(indices, in: entries.count)
    guard !places.isEmpty else { return }
    copy(indices)
    perform(.cut, places.count, [Step(kind: .remove, places: places)])
  }

  /// Keeps entries to be pasted elsewhere, and leaves them.
  public mutating func copy(_ indices: some Sequence<Int>) {
    let places = Places(indices, in: entries.count)
    guard !places.isEmpty else { return }
    var items = Items()
    for range in places.ranges {
      items.entries += entries[range]
      items.ids += ids[range]
    }
    clipboard = items
  }

  /// How many entries can be pasted.
  public var clipboardCount: Int { clipboard.count }

  /// Puts what was cut before what stands at `index`. What was cut keeps its name, so that the
  /// current track is current again; pasted once more it is another one.
  @discardableResult public mutating func paste(at index: Int) -> Range<Int> {
    let known = Set(ids)
    var items = clipboard
    for place in items.ids.indices where known.contains(items.ids[place]) {
      items.ids[place] = EntryID(nextID)
      nextID &+= 1
    }
    return insert(items, at: index, .pasted)
  }

  /// Moves entries, in their order, before what stands at `destination` now (the number of entries:
  /// to the end). Says where they stand.
  @discardableResult
  public mutating func move(_ indices: some Sequence<Int>, to destination: Int) -> Range<Int> {
    let places = Places(indices, in: entries.count)
    let destination = min(max(destination, 0), entries.count)
    let start = destination - places.count(below: destination)
    let range = start..<start + places.count
    guard places != Places(range) else { return range }
    perform(.moved, places.count, [Step(kind: .move(to: range), places: places)])
    return range
  }

  /// Moves entries to where they are played next, shuffled or not.
  @discardableResult
  public mutating func moveNext(_ indices: some Sequence<Int>) -> Range<Int> {
    let places = Places(indices, in: entries.count)
    let destination = isCurrentPresent ? place + 1 : place
    let start = destination - places.count(below: destination)
    let range = start..<start + places.count
    let ids = places.ranges.flatMap { self.ids[$0] }
    let before = order
    if order.isOn { order.moveNext(ids, after: currentID) }
    guard places != Places(range) || order.ids != before.ids else { return range }
    perform(
      .moved, places.count, [Step(kind: .move(to: range), places: places)],
      orders: order.isOn ? (before, order) : nil)
    return range
  }

  // MARK: Undo and redo

  /// How many edits can be undone.
  public var editCount: Int { history.depth }

  /// What `undo` would take back.
  public var undoable: QueueEdit? { history.next }
  public var redoable: QueueEdit? { history.nextAgain }

  /// The entry that was current when the latest edit was made.
  public var currentBeforeEdit: EntryID? { history.done.last?.currentID }

  /// Takes the latest edit back, and says which it was.
  @discardableResult public mutating func undo() -> QueueEdit? {
    guard var record = history.popDone() else { return nil }
    for index in record.steps.indices.reversed() { takeBack(&record.steps[index]) }
    // Later entries, of edits undone before this one, are known to the order as it is now.
    if let orders = record.orders {
      record.orders = (orders.before, order)
      order.restore(orders.before)
    }
    settle(record, place: record.placeBefore)
    history.undid(record)
    return record.edit
  }

  /// Makes the edit again that was undone last, and says which it was.
  @discardableResult public mutating func redo() -> QueueEdit? {
    guard var record = history.popUndone() else { return nil }
    for index in record.steps.indices { make(&record.steps[index]) }
    if let orders = record.orders {
      record.orders = (order, orders.after)
      order.restore(orders.after)
    }
    settle(record, place: record.placeAfter)
    history.redid(record)
    return record.edit
  }

  private mutating func perform(
    _ kind: QueueEdit.Kind, _ count: Int, _ steps: [Step],
    orders: (before: ShuffleOrder, after: ShuffleOrder)? = nil
  ) {
    guard steps.contains(where: { !$0.places.isEmpty }) else { return }
    var record = EditRecord(
      edit: QueueEdit(kind: kind, count: count), steps: steps, currentID: currentID,
      placeBefore: place, placeAfter: place, orders: orders)
    for index in record.steps.indices { make(&record.steps[index]) }
    record.placeAfter = place
    history.record(record)
    order.compact(ids, current: currentID)
  }

  private mutating func make(_ step: inout Step) {
    switch step.kind {
    case .insert:
      put(step.items, at: step.places)
      step.items = Items()
    case .remove: step.items = take(step.places)
    case .move(let range): put(take(step.places), at: Places(range))
    }
  }

  private mutating func takeBack(_ step: inout Step) {
    switch step.kind {
    case .insert: step.items = take(step.places)
    case .remove:
      put(step.items, at: step.places)
      step.items = Items()
    case .move(let range): put(take(Places(range)), at: step.places)
    }
  }

  /// A gap that the steps cannot find is where it was, unless another track is heard since.
  private mutating func settle(_ record: EditRecord, place: Int) {
    if !isCurrentPresent, currentID == record.currentID { self.place = min(place, entries.count) }
    if order.isOn {
      order.restore(Items(entries: entries, ids: ids), after: currentID)
      order.compact(ids, current: currentID)
    }
  }
}
