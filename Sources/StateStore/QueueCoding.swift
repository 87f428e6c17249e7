import PlayQueue

/// Numbers as bytes: small ones are short.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }

  /// Around zero short.
  mutating func add(signed number: Int64) {
    add(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func add(_ number: Int) { add(signed: Int64(number)) }

  /// Names of entries: those that follow each other are a byte each.
  mutating func add(_ ids: [EntryID]) {
    add(UInt64(ids.count))
    var last: Int64 = -1
    for id in ids {
      add(signed: Int64(id.number) - last - 1)
      last = Int64(id.number)
    }
  }

  mutating func add(_ text: String) {
    let utf8 = Array(text.utf8)
    add(UInt64(utf8.count))
    bytes += utf8
  }
}

/// Reads what a `ByteWriter` wrote; nil where there is something else.
struct ByteReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number() -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    return nil
  }

  mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func int() -> Int? { signed().map { Int($0) } }

  mutating func ids() -> [EntryID]? {
    // Each takes a byte at least.
    guard let count = number(), count <= UInt64(bytes.count - place) else { return nil }
    var ids: [EntryID] = []
    ids.reserveCapacity(Int(count))
    var last: Int64 = -1
    for _ in 0..<count {
      guard let step = signed() else { return nil }
      let next = last &+ 1 &+ step
      guard let name = UInt32(exactly: next) else { return nil }
      ids.append(EntryID(name))
      last = next
    }
    return ids
  }

  mutating func text() -> String? {
    guard let count = number(), count <= UInt64(bytes.count - place) else { return nil }
    defer { place += Int(count) }
    return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
  }
}

/// Edits as bytes. Their entries are kept by name alone.
enum EditCoding {
  static func bytes(_ edit: QueueState.Edit) -> [UInt8] {
    var writer = ByteWriter()
    writer.add(UInt64(1))
    writer.add(edit.edit.kind.rawValue)
    writer.add(edit.edit.count)
    writer.add(UInt64(edit.current == nil ? 0 : 1))
    if let current = edit.current { writer.add(UInt64(current.number)) }
    writer.add(edit.placeBefore)
    writer.add(edit.placeAfter)
    writer.add(UInt64(edit.steps.count))
    for step in edit.steps {
      switch step.kind {
      case .insert: writer.add(UInt64(0))
      case .remove: writer.add(UInt64(1))
      case .move(let range):
        writer.add(UInt64(2))
        writer.add(range.lowerBound)
        writer.add(range.count)
      }
      writer.add(UInt64(step.places.count))
      var last = 0
      for range in step.places {
        writer.add(range.lowerBound - last)
        writer.add(range.count)
        last = range.upperBound
      }
      writer.add(step.items.ids)
    }
    for mark in [edit.before, edit.after] {
      writer.add(UInt64(mark == nil ? 0 : mark!.isOn ? 2 : 1))
      guard let mark else { continue }
      writer.add(mark.round)
      writer.add(mark.ids)
    }
    return writer.bytes
  }

  /// - Parameter entry: what a name stands for; a name that stands for nothing spoils the edit.
  static func edit(
    _ bytes: [UInt8], serial: Int, entry: (EntryID) -> QueueEntry?
  ) -> QueueState.Edit? {
    var reader = ByteReader(bytes)
    guard reader.number() == 1, let kind = reader.text().flatMap(QueueEdit.Kind.init),
      let count = reader.int(), let hasCurrent = reader.number()
    else { return nil }
    var current: EntryID?
    if hasCurrent == 1 {
      guard let name = reader.number().flatMap({ UInt32(exactly: $0) }) else { return nil }
      current = EntryID(name)
    }
    let most = 0..<1 << 31
    guard most.contains(count), let before = reader.int(), let after = reader.int(),
      most.contains(before), most.contains(after), let steps = reader.number(), steps <= 1000
    else { return nil }
    var read: [QueueState.Step] = []
    for _ in 0..<steps {
      guard let step = step(&reader, entry) else { return nil }
      read.append(step)
    }
    guard let old = mark(&reader), let new = mark(&reader), reader.isAtEnd else { return nil }
    return QueueState.Edit(
      serial: serial, edit: QueueEdit(kind: kind, count: count), steps: read, current: current,
      placeBefore: before, placeAfter: after, before: old.mark, after: new.mark)
  }

  private static func step(
    _ reader: inout ByteReader, _ entry: (EntryID) -> QueueEntry?
  ) -> QueueState.Step? {
    let kind: QueueState.Step.Kind
    switch reader.number() {
    case 0: kind = .insert
    case 1: kind = .remove
    case 2:
      guard let range = range(&reader, after: 0) else { return nil }
      kind = .move(to: range)
    default: return nil
    }
    guard let count = reader.number(), count < 1 << 24 else { return nil }
    var places: [Range<Int>] = []
    for _ in 0..<count {
      guard let range = range(&reader, after: places.last?.upperBound ?? 0) else { return nil }
      places.append(range)
    }
    guard let ids = reader.ids() else { return nil }
    var items = QueueState.Entries()
    for id in ids {
      guard let entry = entry(id) else { return nil }
      items.ids.append(id)
      items.entries.append(entry)
    }
    return QueueState.Step(kind: kind, places: places, items: items)
  }

  private static func range(_ reader: inout ByteReader, after end: Int) -> Range<Int>? {
    guard let start = reader.int(), let count = reader.int(), (0..<1 << 31).contains(start),
      (0..<1 << 31).contains(count)
    else { return nil }
    return end + start..<end + start + count
  }

  private static func mark(_ reader: inout ByteReader) -> (mark: QueueState.OrderMark?, Void)? {
    switch reader.number() {
    case 0: return (nil, ())
    case let kind? where kind <= 2:
      guard let round = reader.int(), QueueState.countable.contains(round), let ids = reader.ids()
      else { return nil }
      return (QueueState.OrderMark(isOn: kind == 2, round: round, ids: ids), ())
    default: return nil
    }
  }
}
