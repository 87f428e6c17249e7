import AudioTypes

@testable import PlayQueue

func entry(_ name: String, _ duration: Double? = nil) -> QueueEntry {
  QueueEntry(TrackLocation(name), duration: duration)
}

/// Apart from the expectation, which would print both of them whole.
func isSame(_ left: PlayQueue, _ right: PlayQueue) -> Bool { left == right }

func queue(_ count: Int) -> PlayQueue { PlayQueue((0..<count).map { entry("\($0)", 60) }) }

extension PlayQueue {
  var currentEntry: QueueEntry? { current.map { entries[$0] } }

  /// What the player does when the user skips.
  @discardableResult mutating func next() -> Int? {
    pass(to: indexAfterSkip)
    return current
  }

  /// What it does when the current track has ended.
  @discardableResult mutating func advance() -> Int? {
    let next = indexAfterCurrent
    stopsOnce = false
    pass(to: next)
    return current
  }

  /// The names, with the current one in brackets: "0 [1] 2".
  var shown: String {
    entries.indices.map { index in
      let name = entries[index].location.display
      return index == current ? "[\(name)]" : name
    }.joined(separator: " ")
  }

  /// What is wrong with it, if anything is.
  var fault: String? {
    if ids.count != entries.count { return "\(ids.count) names for \(entries.count) entries" }
    if Set(ids).count != ids.count { return "a name stands twice" }
    if !(0...entries.count).contains(place) { return "the place \(place) is outside" }
    if isCurrentPresent, !entries.indices.contains(place) || ids[place] != currentID {
      return "the current track is not where it should be"
    }
    if !isCurrentPresent, let currentID, ids.contains(currentID) {
      return "the current track is there and was not found"
    }
    let known = entries.compactMap(\.milliseconds)
    if knownMilliseconds != known.reduce(0, +) || unknownDurations != entries.count - known.count {
      return "the sum of durations is wrong"
    }
    if isShuffled, Set(playOrder) != Set(ids) || playOrder.count != ids.count {
      return "the order of chance holds other tracks than the queue"
    }
    return nil
  }
}

/// One random act on a queue.
enum Act: CaseIterable {
  case insert, add, next, replace, remove, clear, cut, copy, paste, move, moveNext
  case select, skip, advance, back, append, shuffle, unshuffle, repeating, single, describe
  case albums, consume, stopOnce, end

  static let edits: [Act] = [
    .insert, .add, .next, .replace, .remove, .clear, .cut, .copy, .paste, .move, .moveNext,
  ]

  func perform(_ queue: inout PlayQueue, _ chance: inout Chance) {
    func some() -> [QueueEntry] {
      (0..<Int.random(in: 0...4, using: &chance)).map { _ in
        entry("\(Int.random(in: 0...99, using: &chance))", Bool.random(using: &chance) ? 60 : nil)
      }
    }
    func places() -> [Int] {
      (0..<Int.random(in: 0...5, using: &chance)).map { _ in
        Int.random(in: -1...queue.entries.count, using: &chance)
      }
    }
    let place = Int.random(in: -2...queue.entries.count + 2, using: &chance)
    switch self {
    case .insert: queue.insert(some(), at: place)
    case .add: queue.add(some())
    case .next: queue.insertNext(some())
    case .replace: if Int.random(in: 0..<4, using: &chance) == 0 { queue.replace(with: some()) }
    case .remove: queue.remove(places())
    case .clear: if Int.random(in: 0..<8, using: &chance) == 0 { queue.clear() }
    case .cut: queue.cut(places())
    case .copy: queue.copy(places())
    case .paste: queue.paste(at: place)
    case .move: queue.move(places(), to: place)
    case .moveNext: queue.moveNext(places())
    case .select: queue.select(place)
    case .skip: queue.next()
    case .advance: queue.advance()
    case .back: queue.previous(position: Double.random(in: 0...6, using: &chance))
    case .append: queue.append(some())
    case .shuffle: queue.shuffle(seed: chance.next())
    case .unshuffle: queue.unshuffle()
    case .repeating: queue.repeatMode = RepeatMode.allCases.randomElement(using: &chance)!
    case .single: queue.isSingle.toggle()
    case .albums: queue.shuffle(seed: chance.next(), by: .album)
    case .consume: queue.isConsuming.toggle()
    case .stopOnce: queue.stopsOnce.toggle()
    case .end: queue.end()
    case .describe: queue.describe(at: place, title: "known", album: "a", duration: 30)
    }
  }
}
