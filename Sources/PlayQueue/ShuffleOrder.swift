/// The order of chance in which entries are played. Holds the names of removed entries too: what
/// comes back by undo stands where it stood, and what follows a removed track is still known.
struct ShuffleOrder: Sendable {
  var isOn = false
  var ids: [EntryID] = []
  /// Whose order it is when albums are kept together; nil when each track stands for itself.
  var albums: AlbumTable?
  /// Which order this is: each is made once.
  var round = 0
  /// The end of the round before: going back leads there.
  var past: [EntryID] = []
  var chance = Chance(seed: 0)

  /// The last of those that the user has put next: nothing is mixed in before it.
  var promised: EntryID?

  /// How far back into the round before one can go.
  private static let pastLength = 100

  /// Not shuffled.
  init() {}

  /// Not shuffled any more.
  init(after other: ShuffleOrder) { round = other.round }

  init(
    _ ids: [EntryID], first: EntryID?, seed: UInt64, after other: ShuffleOrder,
    by albums: AlbumTable? = nil
  ) {
    isOn = true
    self.albums = albums
    round = other.round
    chance = Chance(seed: seed)
    begin(ids, first: first)
  }

  private mutating func begin(_ present: [EntryID], first: EntryID?) {
    round += 1
    guard let albums else {
      ids = present
      ids.shuffle(using: &chance)
      if let first { moveToFront(first) }
      return
    }
    var groups = albums.groups(present)
    groups.shuffle(using: &chance)
    // What stands before it in its album counts as played.
    if let first, let place = groups.firstIndex(where: { $0.contains(first) }) {
      groups.insert(groups.remove(at: place), at: 0)
    }
    ids = groups.flatMap(\.self)
  }

  /// A round of its own: nothing was played before.
  mutating func restart(_ present: [EntryID]) {
    past = []
    begin(present, first: nil)
  }

  private mutating func moveToFront(_ id: EntryID) {
    if let place = ids.firstIndex(of: id) { ids.remove(at: place) }
    ids.insert(id, at: 0)
  }

  // MARK: Walking

  /// What is played after that entry (nil: first of all). At the end of a round that wraps, the
  /// first of the next one.
  func follower(of id: EntryID?, among present: [EntryID], wraps: Bool) -> EntryID? {
    let place = id.flatMap { ids.firstIndex(of: $0) } ?? -1
    return firstLive(ids[(place + 1)...], among: present)
      ?? (wraps ? firstOfNextRound(among: present, not: id) : nil)
  }

  /// Removed entries are few: only when there are more of them, a set is made.
  private func firstLive(_ some: some Sequence<EntryID>, among present: [EntryID]) -> EntryID? {
    var tries = 0
    var set: Set<EntryID>?
    for id in some {
      tries += 1
      if tries == 4 { set = Set(present) }
      if set?.contains(id) ?? present.contains(id) { return id }
    }
    return nil
  }

  /// Known before the round is, so that it can be joined without a gap; never what has just been
  /// heard, where there is anything else.
  private func firstOfNextRound(among present: [EntryID], not last: EntryID?) -> EntryID? {
    guard !present.isEmpty else { return nil }
    var chance = chance
    if let albums { return firstAlbum(albums, among: present, not: last, &chance) }
    let index = Int(truncatingIfNeeded: chance.next() % UInt64(present.count))
    let id = present[index]
    return id == last ? present[(index + 1) % present.count] : id
  }

  private func firstAlbum(
    _ albums: AlbumTable, among present: [EntryID], not last: EntryID?, _ chance: inout Chance
  ) -> EntryID? {
    var seen: Set<Int> = []
    let heard = last.flatMap { albums.album(of: $0) }
    let firsts = present.filter { id in
      albums.album(of: id).map { seen.insert($0).inserted } ?? true
    }
    let others = firsts.filter { $0 != last && (heard == nil || albums.album(of: $0) != heard) }
    let choice = others.isEmpty ? firsts : others
    return choice[Int(truncatingIfNeeded: chance.next() % UInt64(choice.count))]
  }

  func last(among present: [EntryID]) -> EntryID? { firstLive(ids.reversed(), among: present) }

  func live(among present: [EntryID]) -> [EntryID] {
    let set = Set(present)
    return ids.filter { set.contains($0) }
  }

  // MARK: Going

  /// Another entry becomes current. What is chosen out of turn is taken out of its turn, so that
  /// nothing is played twice and nothing is left out.
  mutating func go(to id: EntryID, from old: EntryID?, among present: [EntryID], wraps: Bool) {
    guard id != old else { return }
    guard let old, let place = ids.firstIndex(of: old) else {
      if firstLive(ids, among: present) != id { begin(present, first: id) }
      return
    }
    let follower = firstLive(ids[(place + 1)...], among: present)
    if follower == id { return }
    if follower == nil, wraps, firstOfNextRound(among: present, not: old) == id {
      past = Array(live(among: present).suffix(Self.pastLength))
      return begin(present, first: id)
    }
    if firstLive(ids[..<place].reversed(), among: present) == id { return }
    if let albums { return takeAlbum(albums, from: id, after: old, among: present) }
    if let from = ids.firstIndex(of: id) { ids.remove(at: from) }
    let after = ids.firstIndex(of: old).map { $0 + 1 } ?? 0
    ids.insert(id, at: after)
  }

  /// From a track of the user's choice its album goes on; then what would have come. What is jumped
  /// over within an album counts as played.
  private mutating func takeAlbum(
    _ albums: AlbumTable, from id: EntryID, after old: EntryID, among present: [EntryID]
  ) {
    let album = albums.album(of: id)
    let list = album == nil ? [id] : present.filter { albums.album(of: $0) == album }
    guard let start = list.firstIndex(of: id) else { return }
    let taken = list[start...].filter { $0 != old }
    var skipped: Set<EntryID> = []
    if let heard = list[..<start].firstIndex(of: old), let place = ids.firstIndex(of: old) {
      skipped = Set(list[(heard + 1)..<start]).intersection(ids[place...])
    }
    let jumped = ids.filter { skipped.contains($0) }
    let moved = skipped.union(taken)
    ids.removeAll { moved.contains($0) }
    let place = ids.firstIndex(of: old) ?? 0
    ids.insert(contentsOf: jumped + [old] + taken, at: place)
    ids.remove(at: place + jumped.count + taken.count + 1)
  }

  /// What was played before; the round before is gone back into from its end.
  mutating func goBack(from id: EntryID, among present: [EntryID]) -> EntryID? {
    let place = ids.firstIndex(of: id) ?? 0
    if let before = firstLive(ids[..<place].reversed(), among: present) { return before }
    while let before = past.popLast() {
      guard before != id, present.contains(before) else { continue }
      moveToFront(before)
      return before
    }
    return nil
  }

  // MARK: New entries

  /// Puts entries where they are played next, in their order.
  mutating func putNext(_ new: Items, after current: EntryID?) {
    albums?.learn(new)
    putNext(new.ids, after: current)
  }

  private mutating func putNext(_ new: [EntryID], after current: EntryID?) {
    let place = current.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    let isPromised = promised.map { ids[place...].contains($0) } ?? false
    if !isPromised { promised = new.last }
    ids.insert(contentsOf: new, at: place)
  }

  /// Takes entries out of their turn, to be played next.
  mutating func moveNext(_ some: [EntryID], after current: EntryID?) {
    let moved = Set(some)
    ids.removeAll { moved.contains($0) && $0 != current }
    putNext(some.filter { $0 != current }, after: current)
  }

  /// The order as it was, where nothing was shuffled since.
  mutating func restore(_ other: ShuffleOrder) {
    if isOn, other.isOn, round == other.round { ids = other.ids }
  }

  /// Mixes entries into what is still to be played: albums between albums, and what is more of one
  /// at its end.
  mutating func mix(_ new: Items, after current: EntryID?) {
    var start = current.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    if let promised, let last = ids[start...].firstIndex(of: promised) { start = last + 1 }
    guard albums == nil else { return mixAlbums(new, after: current, from: start) }
    var new = new.ids
    new.shuffle(using: &chance)
    ids = Array(ids[..<start]) + mixed(Array(ids[start...]), new)
  }

  private mutating func mixAlbums(_ new: Items, after current: EntryID?, from start: Int) {
    albums?.learn(new)
    guard let albums else { return }
    var runs = albums.runs(ids[start...])
    let heard = current.flatMap { albums.album(of: $0) }
    // The album that is heard is not broken into.
    let isGoingOn = heard != nil && runs.first?.first.map { albums.album(of: $0) } == heard
    var first = isGoingOn ? runs.removeFirst() : []
    var ends: [Int: Int] = [:]
    for (place, run) in runs.enumerated() {
      if let album = run.first.flatMap({ albums.album(of: $0) }) { ends[album] = place }
    }
    var groups: [[EntryID]] = []
    for group in albums.groups(new.ids) {
      let album = group.first.flatMap { albums.album(of: $0) }
      if let place = album.flatMap({ ends[$0] }) {
        runs[place] += group
      } else if album != nil, album == heard {
        first += group
      } else {
        groups.append(group)
      }
    }
    groups.shuffle(using: &chance)
    ids = Array(ids[..<start]) + first + mixed(runs, groups).flatMap(\.self)
  }

  /// Some between others, each with the same chance at each place; the others keep their order.
  private mutating func mixed<Part>(_ parts: [Part], _ new: [Part]) -> [Part] {
    var mixed: [Part] = []
    mixed.reserveCapacity(parts.count + new.count)
    var mine = 0
    var theirs = 0
    while theirs < new.count {
      let left = UInt64(new.count - theirs)
      if chance.next() % (UInt64(parts.count - mine) + left) < left {
        mixed.append(new[theirs])
        theirs += 1
      } else {
        mixed.append(parts[mine])
        mine += 1
      }
    }
    return mixed + parts[mine...]
  }

  /// Entries that are back: those that are not known any more are mixed in.
  mutating func restore(_ back: Items, after current: EntryID?) {
    let known = Set(ids)
    var new = Items()
    for (id, entry) in zip(back.ids, back.entries) where !known.contains(id) {
      new.ids.append(id)
      new.entries.append(entry)
    }
    mix(new, after: current)
  }

  /// Removed entries are forgotten when there are more of them than of the others.
  mutating func compact(_ present: [EntryID], current: EntryID?) {
    guard ids.count > 2 * present.count + 1024 else { return }
    let set = Set(present)
    ids = ids.filter { set.contains($0) || $0 == current }
  }
}

/// Chance from a seed (SplitMix64): the same seed, the same order.
struct Chance: RandomNumberGenerator, Sendable {
  private(set) var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
