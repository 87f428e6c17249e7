/// Which bytes a list consisted of: enough to notice that another program has changed it.
public struct ContentMark: Hashable, Sendable {
  var length: Int
  var sum: UInt64

  public init(_ bytes: [UInt8]) {
    length = bytes.count
    // FNV-1a.
    sum = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  init(length: Int, sum: UInt64) {
    self.length = length
    self.sum = sum
  }
}

/// What an edit of a playlist did, to be named when it is undone.
public struct ListEdit: Equatable, Sendable {
  /// What was done; the words stand in histories that are kept.
  public enum Kind: String, Sendable, CaseIterable {
    case added, removed, cut, pasted, moved, found, replaced
  }

  public var kind: Kind
  /// How many tracks it concerned.
  public var count: Int

  /// "removed 3 tracks".
  public var sentence: String {
    let tracks = count == 1 ? "1 track" : "\(count) tracks"
    return switch kind {
    case .found: "found \(tracks) again"
    case .replaced: "replaced all by \(tracks)"
    default: "\(kind.rawValue) \(tracks)"
    }
  }
}

/// Edits of one list done and edits undone, each as the bytes that it put in the place of others: so it
/// can be kept in a file and tells by itself whether the list is still the one that it knows. Pure.
public struct ListHistory: Equatable, Sendable {
  struct Step: Equatable, Sendable {
    var edit: ListEdit
    /// Where the bytes differ, and what stood and stands there.
    var offset: Int
    var removed: [UInt8]
    var inserted: [UInt8]
    var before: ContentMark
    var after: ContentMark
  }

  /// Oldest first; the first `position` of them are done, the others undone.
  private(set) var steps: [Step] = []
  private(set) var position = 0

  /// No more than this is kept, but the latest edit always is.
  static let mostBytes = 8 << 20
  static let mostSteps = 1000

  public init() {}

  /// The edit that undoing would take back; `nil` where there is none.
  public var undoable: ListEdit? { position > 0 ? steps[position - 1].edit : nil }
  /// The edit that redoing would make again; `nil` where nothing is undone.
  public var redoable: ListEdit? { position < steps.count ? steps[position].edit : nil }

  /// Notes an edit that made these bytes of those. What was undone before cannot be made again.
  mutating func record(_ edit: ListEdit, _ old: [UInt8], _ new: [UInt8]) {
    guard old != new else { return }
    steps.removeLast(steps.count - position)
    let least = min(old.count, new.count)
    var start = 0
    while start < least, old[start] == new[start] { start += 1 }
    var end = 0
    while end < least - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    steps.append(
      Step(
        edit: edit, offset: start, removed: Array(old[start..<(old.count - end)]),
        inserted: Array(new[start..<(new.count - end)]), before: ContentMark(old),
        after: ContentMark(new)))
    var kept = steps.reduce(0) { $0 + $1.removed.count + $1.inserted.count }
    while steps.count > 1, kept > Self.mostBytes || steps.count > Self.mostSteps {
      let oldest = steps.removeFirst()
      kept -= oldest.removed.count + oldest.inserted.count
    }
    position = steps.count
  }

  /// The bytes before the latest edit; `nil` where there is none, or it knows other bytes.
  mutating func undo(_ bytes: [UInt8]) -> (bytes: [UInt8], edit: ListEdit)? {
    guard position > 0 else { return nil }
    let step = steps[position - 1]
    guard step.after == ContentMark(bytes),
      let old = Self.replaced(step.inserted, by: step.removed, at: step.offset, in: bytes),
      ContentMark(old) == step.before
    else { return nil }
    position -= 1
    return (old, step.edit)
  }

  mutating func redo(_ bytes: [UInt8]) -> (bytes: [UInt8], edit: ListEdit)? {
    guard position < steps.count else { return nil }
    let step = steps[position]
    guard step.before == ContentMark(bytes),
      let new = Self.replaced(step.removed, by: step.inserted, at: step.offset, in: bytes),
      ContentMark(new) == step.after
    else { return nil }
    position += 1
    return (new, step.edit)
  }

  private static func replaced(
    _ old: [UInt8], by new: [UInt8], at offset: Int, in bytes: [UInt8]
  ) -> [UInt8]? {
    guard offset >= 0, offset <= bytes.count, old.count <= bytes.count - offset,
      bytes[offset..<(offset + old.count)].elementsEqual(old)
    else { return nil }
    return Array(bytes[..<offset]) + new + Array(bytes[(offset + old.count)...])
  }

  /// Finds the edit after which the list is as it is now: list and history are two files, and between
  /// them the power may fail. Where there is none, another program has changed the list, and nothing
  /// can be undone any more.
  mutating func settle(for bytes: [UInt8]) {
    let mark = ContentMark(bytes)
    func fits(_ place: Int) -> Bool {
      place > 0 ? steps[place - 1].after == mark : steps.first?.before == mark
    }
    let near = [position, position - 1, position + 1].filter { (0...steps.count).contains($0) }
    if let place = near.first(where: fits) {
      position = place
    } else {
      self = ListHistory()
    }
  }

  // MARK: As a file

  private static let head = "sotto undo 1 "

  /// - Parameter path: the list's, which a file of another list cannot be taken for.
  public func bytes(of path: [UInt8]) -> [UInt8] {
    var text = Array("\(Self.head)\(position) \(steps.count) \(path.count)\n".utf8) + path + [0x0A]
    for step in steps {
      let marks = [step.before, step.after].map { "\($0.length) \($0.sum)" }
      let numbers = "\(step.offset) \(step.removed.count) \(step.inserted.count)"
      text += Array(
        "\(step.edit.kind.rawValue) \(step.edit.count) \(numbers) \(marks[0]) \(marks[1])\n".utf8)
      text += step.removed + [0x0A] + step.inserted + [0x0A]
    }
    return text
  }

  /// Reads what `bytes(of:)` wrote; `nil` for anything else.
  public init?(_ bytes: [UInt8], of path: [UInt8]) {
    var rest = bytes[...]
    func line() -> [Substring]? {
      guard let end = rest.prefix(400).firstIndex(of: 0x0A) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
    }
    func piece(_ count: Int) -> [UInt8]? {
      guard count >= 0, count < rest.count, rest[rest.startIndex + count] == 0x0A else {
        return nil
      }
      defer { rest = rest[(rest.startIndex + count + 1)...] }
      return Array(rest.prefix(count))
    }
    guard let first = line(), first.count == 6,
      first[..<3].joined(separator: " ") + " " == Self.head,
      let position = Int(first[3]), let count = Int(first[4]), let length = Int(first[5]),
      (0...Self.mostSteps).contains(count), (0...count).contains(position), piece(length) == path
    else { return nil }
    for _ in 0..<count {
      guard let words = line(), words.count == 9,
        let kind = ListEdit.Kind(rawValue: String(words[0])),
        let concerned = Int(words[1]), let offset = Int(words[2]), let removedCount = Int(words[3]),
        let insertedCount = Int(words[4]), let lengthBefore = Int(words[5]),
        let sumBefore = UInt64(words[6]), let lengthAfter = Int(words[7]),
        let sumAfter = UInt64(words[8]), let removed = piece(removedCount),
        let inserted = piece(insertedCount), concerned >= 0
      else { return nil }
      steps.append(
        Step(
          edit: ListEdit(kind: kind, count: concerned), offset: offset, removed: removed,
          inserted: inserted, before: ContentMark(length: lengthBefore, sum: sumBefore),
          after: ContentMark(length: lengthAfter, sum: sumAfter)))
    }
    guard rest.isEmpty else { return nil }
    self.position = position
  }
}
