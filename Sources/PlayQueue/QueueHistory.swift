/// What an edit did, to be named when it is undone.
public struct QueueEdit: Hashable, Sendable {
  /// What was done.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case added, putNext, replaced, removed, cut, pasted, moved, cleared
    /// It left the queue when another was played.
    case played
  }

  public var kind: Kind
  /// How many tracks it concerned.
  public var count: Int

  public init(kind: Kind, count: Int) {
    self.kind = kind
    self.count = count
  }

  /// "removed 3 tracks".
  public var sentence: String {
    let tracks = count == 1 ? "1 track" : "\(count) tracks"
    return switch kind {
    case .added: "added \(tracks)"
    case .putNext: "put \(tracks) next"
    case .replaced where count == 0: "began with an empty queue"
    case .replaced: "replaced the queue by \(tracks)"
    case .removed: "removed \(tracks)"
    case .cut: "cut \(tracks)"
    case .pasted: "pasted \(tracks)"
    case .moved: "moved \(tracks)"
    case .cleared: "cleared \(tracks)"
    case .played: "took out \(tracks) that had been played"
    }
  }
}

/// Entries with their names.
struct Items: Sendable {
  var entries: [QueueEntry] = []
  var ids: [EntryID] = []
  var count: Int { ids.count }
}

/// One change of the list, which can be made and taken back. Holds entries only while they are not
/// in the queue.
struct Step: Sendable {
  enum Kind: Sendable {
    case insert, remove
    /// From the places of the step to this range.
    case move(to: Range<Int>)
  }

  var kind: Kind
  var places: Places
  var items = Items()
}

/// An edit with what is needed to take it back.
struct EditRecord: Sendable {
  var edit: QueueEdit
  var steps: [Step]
  /// Whose place it was when the edit was made, and where that was before and after: a gap that an
  /// absent track left cannot be found again from the steps alone.
  var currentID: EntryID?
  var placeBefore: Int
  var placeAfter: Int
  /// The order of chance before and after, where the edit changed what is played next.
  var orders: (before: ShuffleOrder, after: ShuffleOrder)?

  /// Another number for each time it is done or undone.
  var serial = 0

  /// What it keeps in memory, in entries.
  var cost: Int {
    steps.reduce(1 + (orders?.after.ids.count ?? 0) / 8) {
      $0 + $1.items.count + $1.places.ranges.count / 4
    }
  }
}

/// Edits done and edits undone. The oldest are forgotten when they keep too much, never the latest.
struct EditHistory: Sendable {
  /// Entries that edits may keep: about 40 MB at the most, with their texts.
  static let limit = 200_000

  var done: [EditRecord] = []
  var undone: [EditRecord] = []
  var cost = 0
  /// The latest number that was given.
  var serial = 0

  var next: QueueEdit? { done.last?.edit }
  var nextAgain: QueueEdit? { undone.last?.edit }
  var depth: Int { done.count }

  mutating func record(_ record: EditRecord) {
    undone = []
    push(record)
  }

  /// The latest edit, to be undone; hand it to `undid` afterwards.
  mutating func popDone() -> EditRecord? {
    guard let record = done.popLast() else { return nil }
    cost -= record.cost
    return record
  }

  mutating func popUndone() -> EditRecord? { undone.popLast() }
  mutating func undid(_ record: EditRecord) { undone.append(numbered(record)) }
  mutating func redid(_ record: EditRecord) { push(record) }

  private mutating func numbered(_ record: EditRecord) -> EditRecord {
    serial += 1
    var record = record
    record.serial = serial
    return record
  }

  private mutating func push(_ record: EditRecord) {
    done.append(numbered(record))
    cost += record.cost
    guard cost > Self.limit else { return }
    var dropped = 0
    while cost > Self.limit, dropped < done.count - 1 {
      cost -= done[dropped].cost
      dropped += 1
    }
    done.removeFirst(dropped)
  }
}
