/// All of a queue as a value: what is to be kept when the program ends, so that the next one goes on
/// as if nothing had happened: entries under their names, the order of chance with its chance, every
/// edit that can be undone or made again, the clipboard.
public struct QueueState: Equatable, Sendable {
  /// Entries with their names.
  public struct Entries: Equatable, Sendable {
    public var ids: [EntryID] = []
    public var entries: [QueueEntry] = []
    public init(ids: [EntryID] = [], entries: [QueueEntry] = []) {
      self.ids = ids
      self.entries = entries
    }
  }

  /// The order of chance, and how far it is.
  public struct Order: Equatable, Sendable {
    public var isOn = false
    public var ids: [EntryID] = []
    public var round = 0
    public var past: [EntryID] = []
    public var chance: UInt64 = 0
    public var promised: EntryID?
    /// The album that each entry is of, where albums are kept together.
    public var albums: [EntryID: Int]?
    public init() {}
  }

  /// What an edit knows of an order: which one, and how it was.
  public struct OrderMark: Equatable, Sendable {
    public var isOn: Bool
    public var round: Int
    public var ids: [EntryID]
    public init(isOn: Bool, round: Int, ids: [EntryID]) {
      self.isOn = isOn
      self.round = round
      self.ids = ids
    }
  }

  /// One change of the list, which can be made and taken back.
  public struct Step: Equatable, Sendable {
    /// What the step does with its items.
    public enum Kind: Equatable, Sendable {
      case insert, remove
      case move(to: Range<Int>)
    }

    public var kind: Kind
    /// Ascending, without overlaps.
    public var places: [Range<Int>]
    /// Held only while they are not in the queue.
    public var items: Entries
    public init(kind: Kind, places: [Range<Int>], items: Entries) {
      self.kind = kind
      self.places = places
      self.items = items
    }
  }

  /// An edit of the user, to be undone or made again.
  public struct Edit: Equatable, Sendable {
    /// Another one for each time it is done or undone: the same number, the same edit.
    public var serial: Int
    public var edit: QueueEdit
    public var steps: [Step]
    public var current: EntryID?
    public var placeBefore: Int
    public var placeAfter: Int
    public var before: OrderMark?
    public var after: OrderMark?
    public init(
      serial: Int, edit: QueueEdit, steps: [Step], current: EntryID?, placeBefore: Int,
      placeAfter: Int, before: OrderMark?, after: OrderMark?
    ) {
      self.serial = serial
      self.edit = edit
      self.steps = steps
      self.current = current
      self.placeBefore = placeBefore
      self.placeAfter = placeAfter
      self.before = before
      self.after = after
    }
  }

  public var queue = Entries()
  public var current: EntryID?
  public var place = 0
  public var repeatMode = RepeatMode.off
  public var isSingle = false
  public var stopsOnce = false
  public var isConsuming = false
  public var order = Order()
  /// The latest last.
  public var done: [Edit] = []
  public var undone: [Edit] = []
  public var clipboard = Entries()
  /// The next entry's name, and the latest edit's number.
  public var nextID: UInt32 = 0
  public var serial = 0

  public init() {}

  /// Numbers that are counted on (of edits, rounds and albums) never come near this one.
  public static let countable = 0..<1 << 48

  /// What is none of these is 0.
  static func counted(_ number: Int) -> Int { countable.contains(number) ? number : 0 }

  /// The first name that is not given to anything here.
  public var freeName: UInt32 {
    max(nextID, QueueTrial.names(self).max().map { $0 == .max ? $0 : $0 + 1 } ?? 0)
  }
}

extension PlayQueue {
  /// All of it. What is large in it is shared, not copied.
  public var state: QueueState {
    var state = QueueState()
    state.queue = QueueState.Entries(ids: ids, entries: entries)
    state.current = currentID
    state.place = place
    state.repeatMode = repeatMode
    state.isSingle = isSingle
    state.stopsOnce = stopsOnce
    state.isConsuming = isConsuming
    state.order = order.state
    state.done = history.done.map(\.state)
    state.undone = history.undone.map(\.state)
    state.clipboard = clipboard.state
    state.nextID = nextID
    state.serial = history.serial
    return state
  }

  /// A queue that goes on where another one was. Whatever it is given, it is a queue: entries
  /// without a name of their own are left out, and so are edits that do not fit.
  public init(_ state: QueueState) {
    self.init()
    var known: Set<EntryID> = []
    let items = Items(state.queue) { known.insert($0).inserted }
    nextID = state.nextID
    put(items, at: Places(0..<items.count))
    currentID = state.current
    if let current = state.current, let index = ids.firstIndex(of: current) {
      place = index
      isCurrentPresent = true
    } else {
      place = min(max(state.place, 0), entries.count)
    }
    repeatMode = state.repeatMode
    isSingle = state.isSingle
    stopsOnce = state.stopsOnce
    isConsuming = state.isConsuming
    // What was copied has the names that it has in the queue, but none twice.
    var kept: Set<EntryID> = []
    clipboard = Items(state.clipboard) { kept.insert($0).inserted }
    order = ShuffleOrder(state.order, items)
    if order.isOn { order.restore(items, after: currentID) }
    history = EditHistory(
      done: Array(
        state.done.suffix(QueueTrial.fitting(state.done.reversed(), to: ids, undoing: true))),
      undone: Array(
        state.undone.suffix(QueueTrial.fitting(state.undone.reversed(), to: ids, undoing: false))),
      serial: state.serial)
    // No name is given twice.
    nextID = state.freeName
  }

  /// The first name that was never given to an entry of this queue.
  public var freeName: UInt32 { nextID }

  /// Takes the place of an older queue, which an undo brings back with all that could be undone in
  /// it; what was done here stays on top of that. Modes are this queue's own.
  ///
  /// - Parameter first: the older one has no name below it (`QueueState.renamed`).
  /// - Returns: false where such a name was given here meanwhile: then nothing was done.
  public mutating func takePlace(of old: PlayQueue, namedFrom first: UInt32) -> Bool {
    guard nextID <= first else { return false }
    guard !old.entries.isEmpty || old.history.depth > 0 else { return true }
    // As it was before anything was done to it.
    var begun = self
    while begun.undo() != nil {}
    nextID = old.nextID
    let items = Items(entries: old.entries, ids: old.ids)
    let count = begun.entries.count
    let record = EditRecord(
      edit: QueueEdit(kind: .replaced, count: count),
      steps: [
        Step(kind: .remove, places: Places(0..<items.count), items: items),
        Step(kind: .insert, places: Places(0..<count)),
      ], currentID: old.currentID, placeBefore: old.place, placeAfter: 0)
    history.rest(on: old.history, record)
    if clipboard.count == 0 { clipboard = old.clipboard }
    return true
  }
}

extension QueueState {
  /// The same under other names, from that one on.
  public func renamed(from first: UInt32 = 0) -> QueueState {
    var names: [EntryID: EntryID] = [:]
    var next = first
    func name(_ id: EntryID) -> EntryID {
      if let known = names[id] { return known }
      defer { next &+= 1 }
      let new = EntryID(next)
      names[id] = new
      return new
    }
    func renamed(_ items: Entries) -> Entries {
      Entries(ids: items.ids.map(name), entries: items.entries)
    }
    var state = self
    state.queue = renamed(queue)
    state.clipboard = renamed(clipboard)
    func renamed(_ mark: OrderMark) -> OrderMark {
      OrderMark(isOn: mark.isOn, round: mark.round, ids: mark.ids.map(name))
    }
    func renamed(_ edit: Edit) -> Edit {
      var edit = edit
      for index in edit.steps.indices { edit.steps[index].items = renamed(edit.steps[index].items) }
      edit.current = edit.current.map(name)
      edit.before = edit.before.map { renamed($0) }
      edit.after = edit.after.map { renamed($0) }
      return edit
    }
    state.done = done.map { renamed($0) }
    state.undone = undone.map { renamed($0) }
    state.current = current.map(name)
    state.order.ids = order.ids.map(name)
    state.order.past = order.past.map(name)
    state.order.promised = order.promised.map(name)
    state.order.albums = order.albums.map { albums in
      Dictionary(albums.map { (name($0.key), $0.value) }) { first, _ in first }
    }
    state.nextID = next
    return state
  }
}

/// Whether edits fit a queue, tried on names alone.
enum QueueTrial {
  /// How many of the edits, in this order, can be taken back or made again.
  static func fitting(
    _ edits: [QueueState.Edit], to ids: [EntryID], undoing: Bool
  ) -> Int {
    var ids = ids
    var known = Set(ids)
    for (number, edit) in edits.enumerated() {
      for step in undoing ? edit.steps.reversed() : edit.steps {
        guard perform(step, &ids, &known, undoing: undoing) else { return number }
      }
      guard edit.placeBefore >= 0, edit.placeAfter >= 0 else { return number }
    }
    return edits.count
  }

  private static func perform(
    _ step: QueueState.Step, _ ids: inout [EntryID], _ known: inout Set<EntryID>, undoing: Bool
  ) -> Bool {
    guard let places = Places(ranges: step.places), step.items.ids.count == step.items.entries.count
    else { return false }
    func take(_ places: Places) -> [EntryID]? {
      guard places.ranges.last?.upperBound ?? 0 <= ids.count else { return nil }
      return ids.take(places)
    }
    func put(_ some: [EntryID], _ places: Places) -> Bool {
      guard places.count == some.count,
        places.ranges.last?.upperBound ?? 0 <= ids.count + some.count
      else { return false }
      ids.put(some, at: places)
      return true
    }
    let isPut = (step.kind == .insert) != undoing
    switch step.kind {
    case .insert, .remove:
      if isPut {
        for id in step.items.ids where !known.insert(id).inserted { return false }
        return put(step.items.ids, places)
      }
      guard step.items.ids.isEmpty, let taken = take(places) else { return false }
      for id in taken { known.remove(id) }
      return true
    case .move(let range):
      let target = Places(range)
      guard range.count == places.count, range.lowerBound >= 0 else { return false }
      guard let taken = take(undoing ? target : places) else { return false }
      return put(taken, undoing ? places : target)
    }
  }

  /// Every name in a state.
  static func names(_ state: QueueState) -> [UInt32] {
    var names = (state.queue.ids + state.clipboard.ids + state.order.ids).map(\.number)
    for edit in state.done + state.undone {
      for step in edit.steps { names += step.items.ids.map(\.number) }
    }
    if let current = state.current { names.append(current.number) }
    return names
  }
}

// MARK: The parts

extension Items {
  var state: QueueState.Entries { QueueState.Entries(ids: ids, entries: entries) }

  /// Those that `isWanted`; with a name too many or too few the rest is left out.
  init(_ state: QueueState.Entries, where isWanted: (EntryID) -> Bool) {
    for (id, entry) in zip(state.ids, state.entries) where isWanted(id) {
      ids.append(id)
      entries.append(entry)
    }
  }
}

extension ShuffleOrder {
  var mark: QueueState.OrderMark {
    QueueState.OrderMark(isOn: isOn, round: round, ids: ids)
  }

  var state: QueueState.Order {
    var state = QueueState.Order()
    state.isOn = isOn
    state.ids = ids
    state.round = round
    state.past = past
    state.chance = chance.state
    state.promised = promised
    state.albums = albums?.numbers
    return state
  }

  init(_ mark: QueueState.OrderMark) {
    self.init()
    isOn = mark.isOn
    ids = mark.ids
    round = QueueState.counted(mark.round)
  }

  init(_ state: QueueState.Order, _ items: Items) {
    self.init()
    isOn = state.isOn
    var known: Set<EntryID> = []
    ids = state.ids.filter { known.insert($0).inserted }
    round = QueueState.counted(state.round)
    past = state.past
    chance = Chance(seed: state.chance)
    promised = state.promised
    albums = state.albums.map { AlbumTable($0, items) }
  }
}

extension EditRecord {
  var state: QueueState.Edit {
    QueueState.Edit(
      serial: serial, edit: edit,
      steps: steps.map { step in
        let kind: QueueState.Step.Kind =
          switch step.kind {
          case .insert: .insert
          case .remove: .remove
          case .move(let range): .move(to: range)
          }
        return QueueState.Step(kind: kind, places: step.places.ranges, items: step.items.state)
      }, current: currentID, placeBefore: placeBefore, placeAfter: placeAfter,
      before: orders?.before.mark, after: orders?.after.mark)
  }

  init(_ state: QueueState.Edit) {
    edit = state.edit
    steps = state.steps.map { step in
      let kind: Step.Kind =
        switch step.kind {
        case .insert: .insert
        case .remove: .remove
        case .move(let range): .move(to: range)
        }
      return Step(
        kind: kind, places: Places(ranges: step.places) ?? Places(0..<0),
        items: Items(step.items) { _ in true })
    }
    currentID = state.current
    placeBefore = state.placeBefore
    placeAfter = state.placeAfter
    if let before = state.before, let after = state.after {
      orders = (ShuffleOrder(before), ShuffleOrder(after))
    }
    serial = state.serial
  }
}

extension EditHistory {
  init(done: [QueueState.Edit], undone: [QueueState.Edit], serial: Int) {
    self.init()
    self.done = done.map { EditRecord($0) }
    self.undone = undone.map { EditRecord($0) }
    cost = self.done.reduce(0) { $0 + $1.cost }
    self.serial = (done + undone).reduce(QueueState.counted(serial)) {
      max($0, QueueState.counted($1.serial))
    }
  }

  /// What was done here was done after all of that, and after `record`.
  mutating func rest(on old: EditHistory, _ record: EditRecord) {
    let (own, ownUndone) = (done, undone)
    var base = old
    base.undone = []
    base.serial = max(old.serial, serial)
    base.redid(record)
    for edit in own { base.redid(edit) }
    for edit in ownUndone { base.undid(edit) }
    self = base
  }
}

extension Places {
  /// nil where they are not ascending, or overlap.
  init?(ranges: [Range<Int>]) {
    var end = 0
    var joined: [Range<Int>] = []
    for range in ranges where !range.isEmpty {
      guard range.lowerBound >= end, range.upperBound < Int(Int32.max) else { return nil }
      end = range.upperBound
      if let last = joined.last, last.upperBound == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
    self.init(checked: joined)
  }
}
