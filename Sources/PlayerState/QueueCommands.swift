import PlayQueue

/// What the queue made of a command.
public struct QueueAnswer: Equatable, Sendable {
  /// What there is to say, without a full stop; nil when nothing has changed.
  public var sentence: String?
}

extension PlayQueue {
  /// Carries out a command that is the queue's own business; nil for those that need the disk or the
  /// player (`add`, `choose`, `save` …).
  /// - Parameter seed: chance, for shuffling.
  public mutating func perform(_ command: PlayerCommand, seed: UInt64) -> QueueAnswer? {
    switch command {
    case .remove(let rows): return edit { $0.remove(rows) }
    case .move(let rows, let to): return edit { $0.move(rows, to: to) }
    case .moveNext(let rows): return edit { $0.moveNext(rows) }
    case .cut(let rows): return edit { $0.cut(rows) }
    case .paste(let row): return edit { $0.paste(at: row) }
    case .clear: return edit { $0.clear() }
    case .copy(let rows):
      copy(rows)
      return QueueAnswer(sentence: "Copied \(TrackText.count(clipboardCount))")
    case .undo:
      return QueueAnswer(
        sentence: undo().map { "Undid: \($0.sentence)" } ?? "There is nothing to undo")
    case .redo:
      return QueueAnswer(
        sentence: redo().map { "Redid: \($0.sentence)" } ?? "There is nothing to redo")
    case .shuffle, .repeating, .single, .stopAfter, .consume:
      return QueueAnswer(sentence: setMode(command, seed))
    default: return nil
    }
  }

  private mutating func setMode(_ command: PlayerCommand, _ seed: UInt64) -> String {
    switch command {
    case .shuffle(let wish):
      switch wish.applied(to: shuffleUnit) {
      case nil: unshuffle()
      // Wanted once more it stays the order that it is.
      case let unit? where unit != shuffleUnit: shuffle(seed: seed, by: unit)
      default: break
      }
      return Self.shuffleSentence(shuffleUnit)
    case .single(let wish):
      isSingle = wish.applied(to: isSingle)
      return isSingle ? "Stops after each track" : "Goes on after each track"
    case .stopAfter(let wish):
      stopsOnce = wish.applied(to: stopsOnce)
      return stopsOnce ? "Stops after this track" : "Goes on after this track"
    case .consume(let wish):
      isConsuming = wish.applied(to: isConsuming)
      return isConsuming ? "Played tracks leave the queue" : "Played tracks stay in the queue"
    case .repeating(let wish): repeatMode = wish.applied(to: repeatMode)
    default: break
    }
    return switch repeatMode {
    case .off: "Repeat off"
    case .all: "Repeat all tracks"
    case .one: "Repeat this track"
    }
  }

  static func shuffleSentence(_ unit: ShuffleUnit?) -> String {
    switch unit {
    case nil: "Shuffle off"
    case .track?: "Shuffle on"
    case .album?: "Shuffle by albums"
    }
  }

  /// "Removed 3 tracks".
  private mutating func edit(_ body: (inout PlayQueue) -> Void) -> QueueAnswer {
    let before = editCount
    body(&self)
    guard editCount != before, let sentence = undoable?.sentence else { return QueueAnswer() }
    return QueueAnswer(sentence: sentence.prefix(1).uppercased() + sentence.dropFirst())
  }
}
