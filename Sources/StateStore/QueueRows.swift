import AudioTypes
import Database
import PlayQueue

/// The queue in the database. What is written is what differs from what is there: one edit of a queue
/// of 50,000 tracks is a few rows and the list of their names, a byte or two each. On the store's
/// queue.
struct QueueRows {
  /// What the database holds; nil: unknown, or nothing.
  private var saved: QueueState?
  private var facts: [String: SQLValue] = [:]
  private var edits: [Int: Bool] = [:]
  /// Which entries have a row.
  private var known: Set<EntryID> = []
  /// Of which queue the names are: a moment says it too.
  private(set) var epoch: Int64 = 0

  /// Tracks that the queue has and no row tells of, after `read`.
  private(set) var lost = 0

  static let lists: Set<String> = ["queue", "order", "past", "clipboard", "albums"]
  static let factPrefix = "queue."

  /// Rows that nobody needs any more are left until there are as many.
  private static let mostSpare = 5000

  /// What the database holds is not known any more: the next time all of it is written.
  mutating func forget() {
    if saved != nil { isForgotten = true }
    saved = nil
  }

  /// True from `forget` to the next write.
  private(set) var isForgotten = false

  // MARK: Writing

  /// Brings the database to that state; within a transaction. What `self` was before is right again
  /// where that fails.
  mutating func write(_ state: QueueState, in database: Database) throws(DatabaseError) {
    if saved == nil {
      for table in ["entry", "list", "edit"] { try database.execute("DELETE FROM \(table)") }
      try database.execute("DELETE FROM fact WHERE name LIKE 'queue.%'")
      (known, edits, facts) = ([], [:], [:])
    }
    let old = saved ?? QueueState()
    try writeEntries(state.queue, old.queue, in: database)
    for edit in state.done + state.undone where edits[edit.serial] == nil {
      for step in edit.steps { try add(step.items, in: database) }
    }
    if saved == nil || state.clipboard.ids != old.clipboard.ids {
      try add(state.clipboard, in: database)
    }
    let lists = [
      ("queue", state.queue.ids, old.queue.ids), ("order", state.order.ids, old.order.ids),
      ("past", state.order.past, old.order.past),
      ("clipboard", state.clipboard.ids, old.clipboard.ids),
    ]
    for (name, ids, before) in lists where saved == nil || ids != before {
      var writer = ByteWriter()
      writer.add(ids)
      try write(list: name, writer.bytes, in: database)
    }
    if saved == nil || state.order.albums != old.order.albums {
      try write(list: "albums", Self.albums(state.order.albums), in: database)
    }
    try writeEdits(state, in: database)
    var facts = Self.facts(of: state, epoch: epoch)
    let isSame = saved != nil && state.queue.ids == old.queue.ids
    let known = isSame ? self.facts[Self.copyName] : nil
    facts[Self.copyName] = known ?? Self.copy(of: state.queue.ids)
    try writeFacts(facts, in: database)
    saved = state
    isForgotten = false
    try sweep(state, in: database)
  }

  private func write(list name: String, _ bytes: [UInt8], in database: Database)
    throws(DatabaseError)
  {
    try database.run(
      "INSERT OR REPLACE INTO list(name, ids) VALUES(?, ?)", .text(name), .bytes(bytes))
  }

  /// Those that are new, and those of which more is known. Beginning and end of the list are compared
  /// one by one, what lies between by name.
  private mutating func writeEntries(
    _ new: QueueState.Entries, _ old: QueueState.Entries, in database: Database
  ) throws(DatabaseError) {
    let most = min(new.ids.count, old.ids.count)
    var head = 0
    while head < most, new.ids[head] == old.ids[head] { head += 1 }
    var tail = 0
    while tail < most - head, new.ids[new.ids.count - 1 - tail] == old.ids[old.ids.count - 1 - tail]
    { tail += 1 }
    for index in 0..<head where new.entries[index] != old.entries[index] {
      try put(new.ids[index], new.entries[index], in: database)
    }
    let shift = old.ids.count - new.ids.count
    for index in new.ids.count - tail..<new.ids.count
    where new.entries[index] != old.entries[index + shift] {
      try put(new.ids[index], new.entries[index], in: database)
    }
    let middle = head..<new.ids.count - tail
    guard !middle.isEmpty else { return }
    var before: [EntryID: Int] = [:]
    for index in head..<old.ids.count - tail { before[old.ids[index]] = index }
    for index in middle {
      let id = new.ids[index]
      let isAsBefore = before[id].map { old.entries[$0] == new.entries[index] } ?? false
      // What comes back by undo may have been told more of since it was written. Of many that is not
      // worth the writing: at worst they have their old titles until they are heard.
      let mayBeNew = before[id] != nil || middle.count <= Self.fewBack
      if !known.contains(id) || !isAsBefore && mayBeNew {
        try put(id, new.entries[index], in: database)
      }
    }
  }

  private static let fewBack = 200

  private mutating func add(_ items: QueueState.Entries, in database: Database)
    throws(DatabaseError)
  {
    for (id, entry) in zip(items.ids, items.entries) where !known.contains(id) {
      try put(id, entry, in: database)
    }
  }

  private mutating func put(_ id: EntryID, _ entry: QueueEntry, in database: Database)
    throws(DatabaseError)
  {
    try database.run(
      """
      INSERT OR REPLACE INTO entry(id, path, start, end, title, artist, album, duration)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(Int64(id.number)), .bytes(HistoryKey.whole(entry.location)),
        .real(entry.location.start), entry.location.end.map { .real($0) },
        entry.title.map { .text($0) }, entry.artist.map { .text($0) },
        entry.album.map { .text($0) }, entry.duration.map { .real($0) },
      ])
    known.insert(id)
  }

  private mutating func writeEdits(_ state: QueueState, in database: Database)
    throws(DatabaseError)
  {
    var now: [Int: Bool] = [:]
    for edit in state.done { now[edit.serial] = false }
    for edit in state.undone { now[edit.serial] = true }
    for serial in edits.keys where now[serial] == nil {
      try database.run("DELETE FROM edit WHERE serial = ?", .integer(Int64(serial)))
    }
    for edit in state.done + state.undone where edits[edit.serial] != now[edit.serial] {
      try database.run(
        "INSERT OR REPLACE INTO edit(serial, undone, record) VALUES(?, ?, ?)",
        .integer(Int64(edit.serial)), SQLValue(now[edit.serial] == true),
        .bytes(EditCoding.bytes(edit)))
    }
    edits = now
  }

  private mutating func writeFacts(_ new: [String: SQLValue], in database: Database)
    throws(DatabaseError)
  {
    for (name, value) in new where facts[name] != value {
      try database.run(
        "INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", .text("queue." + name), value)
    }
    for name in facts.keys where new[name] == nil {
      try database.run("DELETE FROM fact WHERE name = ?", .text("queue." + name))
    }
    facts = new
  }

  /// Takes away what no list and no edit names, once that is much.
  private mutating func sweep(_ state: QueueState, in database: Database) throws(DatabaseError) {
    guard known.count > 2 * state.queue.ids.count + Self.mostSpare else { return }
    var needed = Set(state.queue.ids)
    needed.formUnion(state.clipboard.ids)
    for edit in state.done + state.undone {
      for step in edit.steps { needed.formUnion(step.items.ids) }
    }
    guard known.count > needed.count + Self.mostSpare else { return }
    for id in known.subtracting(needed) {
      try database.run("DELETE FROM entry WHERE id = ?", .integer(Int64(id.number)))
    }
    known = needed
  }

  private static func facts(of state: QueueState, epoch: Int64) -> [String: SQLValue] {
    var facts: [String: SQLValue] = [
      "epoch": .integer(epoch), "place": SQLValue(state.place),
      "repeat": .text(state.repeatMode.rawValue), "single": SQLValue(state.isSingle),
      "once": SQLValue(state.stopsOnce), "consume": SQLValue(state.isConsuming),
      "shuffle": SQLValue(state.order.isOn), "round": SQLValue(state.order.round),
      "chance": .integer(Int64(bitPattern: state.order.chance)),
      "next": .integer(Int64(state.nextID)), "serial": SQLValue(state.serial),
    ]
    facts["current"] = state.current.map { .integer(Int64($0.number)) }
    facts["promised"] = state.order.promised.map { .integer(Int64($0.number)) }
    return facts
  }

  /// The queue's names once more, in another table: without them nobody could tell its entries from
  /// those that only an undo brings back.
  private static let copyName = "copy"

  private static func copy(of ids: [EntryID]) -> SQLValue {
    var writer = ByteWriter()
    writer.add(ids)
    return .bytes(writer.bytes)
  }

  private static func albums(_ albums: [EntryID: Int]?) -> [UInt8] {
    var writer = ByteWriter()
    guard let albums else { return [] }
    let ids = albums.keys.sorted { $0.number < $1.number }
    writer.add(ids)
    for id in ids { writer.add(albums[id] ?? 0) }
    return writer.bytes
  }

  // MARK: Reading

  /// What is kept; nil where nothing is. Whatever does not fit together is left out.
  ///
  /// Names that have grown large over many days begin anew: then the next `write` writes it all.
  mutating func read(_ database: Database) throws(DatabaseError) -> QueueState? {
    var entries: [EntryID: QueueEntry] = [:]
    try database.rows("SELECT id, path, start, end, title, artist, album, duration FROM entry") {
      row in
      guard let number = UInt32(exactly: row.integer(0)) else { return }
      let location = TrackLocation(
        path: row.bytes(1), start: row.real(2), end: row.realOrNil(3))
      entries[EntryID(number)] = QueueEntry(
        location, title: row.textOrNil(4), artist: row.textOrNil(5), album: row.textOrNil(6),
        duration: row.realOrNil(7))
    }
    var lists: [String: [UInt8]] = [:]
    try database.rows("SELECT name, ids FROM list") { lists[$0.text(0)] = $0.bytes(1) }
    var found: [String: SQLValue] = [:]
    try database.rows("SELECT name, value FROM fact WHERE name LIKE 'queue.%'") { row in
      found[String(row.text(0).dropFirst("queue.".count))] = row.value(1)
    }
    guard !entries.isEmpty || !found.isEmpty else { return nil }
    var state = QueueState()
    if lists["queue"] == nil, case .bytes(let bytes)? = found[Self.copyName] {
      lists["queue"] = bytes
    }
    func ids(_ name: String) -> [EntryID]? {
      lists[name].flatMap { bytes in
        var reader = ByteReader(bytes)
        return reader.ids()
      }
    }
    func items(_ ids: [EntryID]) -> QueueState.Entries {
      let there = ids.filter { entries[$0] != nil }
      return QueueState.Entries(ids: there, entries: there.compactMap { entries[$0] })
    }
    state.clipboard = items(ids("clipboard") ?? [])
    try readEdits(database, entries, &state)
    let queue = ids("queue")
    state.queue = items(queue ?? Self.presumed(entries, state))
    lost = (queue?.count ?? 0) - state.queue.ids.count
    // Places are those of a queue that is whole.
    if lost != 0 || queue == nil { (state.done, state.undone) = ([], []) }
    state.order.ids = ids("order") ?? []
    state.order.past = ids("past") ?? []
    state.order.albums = lists["albums"].flatMap { Self.readAlbums($0) }
    Self.take(found, into: &state)
    epoch = 0
    if case .integer(let number)? = found["epoch"], QueueState.countable.contains(Int(number)) {
      epoch = number
    }
    edits = [:]
    for edit in state.done { edits[edit.serial] = false }
    for edit in state.undone { edits[edit.serial] = true }
    known = Set(entries.keys)
    facts = found
    if state.freeName > 2 * UInt32(clamping: entries.count) + Self.mostNames {
      state = state.renamed()
      epoch += 1
      saved = nil
    } else {
      saved = state
    }
    return state
  }

  /// Without any list the queue is all that came into it, in that order, but for what edits have taken
  /// out or can put in again.
  private static func presumed(
    _ entries: [EntryID: QueueEntry], _ state: QueueState
  ) -> [EntryID] {
    var out: Set<EntryID> = []
    for edit in state.done + state.undone {
      for step in edit.steps { out.formUnion(step.items.ids) }
    }
    return entries.keys.filter { !out.contains($0) }.sorted { $0.number < $1.number }
  }

  /// Names up to so many more than there are entries are not given anew.
  private static let mostNames: UInt32 = 20_000

  private func readEdits(
    _ database: Database, _ entries: [EntryID: QueueEntry], _ state: inout QueueState
  ) throws(DatabaseError) {
    var (done, undone): ([QueueState.Edit], [QueueState.Edit]) = ([], [])
    try database.rows("SELECT serial, undone, record FROM edit ORDER BY serial") { row in
      let isUndone = row.integer(1) != 0
      let edit = EditCoding.edit(row.bytes(2), serial: row.int(0)) { entries[$0] }
      guard let edit, QueueState.countable.contains(edit.serial) else {
        // What lies below one that cannot be taken back is out of reach.
        if isUndone { undone = [] } else { done = [] }
        return
      }
      if isUndone { undone.append(edit) } else { done.append(edit) }
    }
    (state.done, state.undone) = (done, undone)
  }

  private static func take(_ facts: [String: SQLValue], into state: inout QueueState) {
    func integer(_ name: String) -> Int64? {
      if case .integer(let number)? = facts[name] { number } else { nil }
    }
    func number(_ name: String) -> Int {
      integer(name).map { Int($0) }.flatMap { QueueState.countable.contains($0) ? $0 : nil } ?? 0
    }
    func id(_ name: String) -> EntryID? {
      integer(name).flatMap { UInt32(exactly: $0) }.map { EntryID($0) }
    }
    state.current = id("current")
    state.place = number("place")
    if case .text(let mode)? = facts["repeat"] {
      state.repeatMode = RepeatMode(rawValue: mode) ?? .off
    }
    state.isSingle = integer("single") == 1
    state.stopsOnce = integer("once") == 1
    state.isConsuming = integer("consume") == 1
    state.order.isOn = integer("shuffle") == 1
    state.order.round = number("round")
    state.order.chance = UInt64(bitPattern: integer("chance") ?? 0)
    state.order.promised = id("promised")
    state.nextID = integer("next").flatMap { UInt32(exactly: $0) } ?? 0
    state.serial = number("serial")
  }

  private static func readAlbums(_ bytes: [UInt8]) -> [EntryID: Int]? {
    var reader = ByteReader(bytes)
    guard let ids = reader.ids() else { return nil }
    var albums: [EntryID: Int] = [:]
    for id in ids {
      guard let number = reader.int(), QueueState.countable.contains(number) else { return nil }
      albums[id] = number
    }
    return albums
  }
}
