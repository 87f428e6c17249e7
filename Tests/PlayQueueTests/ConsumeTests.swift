import AudioTypes
import Testing

@testable import PlayQueue

@Suite struct ConsumeTests {
  @Test func `Consumed, what has ended or was skipped leaves the queue, and undo brings it back`() {
    var queue = queue(4)
    queue.isConsuming = true
    queue.select(0)
    queue.advance()
    #expect(queue.shown == "[1] 2 3")
    queue.next()
    #expect(queue.shown == "[2] 3")
    #expect(queue.undo()?.sentence == "took out 1 track that had been played")
    #expect(queue.shown == "1 [2] 3")
    queue.undo()
    #expect(queue.shown == "0 1 [2] 3")
    queue.redo()
    queue.redo()
    #expect(queue.shown == "[2] 3")
    queue.advance()
    #expect(queue.end() == nil)
    #expect(queue.shown == "")
    while queue.undo() != nil {}
    #expect(queue.shown == "0 1 2 3")
    #expect(queue.fault == nil)
  }

  @Test func `Consumed, what the user leaves for a track of their choice stays`() {
    var queue = queue(4)
    queue.isConsuming = true
    queue.select(1)
    queue.select(3)
    queue.previous(position: 0)
    #expect(queue.shown == "0 1 [2] 3")
    #expect(queue.undoable == nil)
  }

  @Test func `Consumed, nothing comes again that has left, whatever is repeated`() {
    for mode in RepeatMode.allCases {
      for isShuffled in [false, true] {
        var queue = queue(5)
        queue.isConsuming = true
        queue.repeatMode = mode
        if isShuffled { queue.shuffle(seed: 3) }
        var heard: [String] = []
        while let index = queue.advance() {
          heard.append(queue.entries[index].location.display)
          guard heard.count <= 5 else { break }
        }
        #expect(heard.sorted() == ["0", "1", "2", "3", "4"])
        #expect(queue.entries.isEmpty)
      }
    }
    var queue = queue(3)
    queue.isConsuming = true
    queue.repeatMode = .all
    queue.select(1)
    queue.advance()
    #expect(queue.shown == "0 [2]")
    #expect(queue.advance() == 0)
    #expect(queue.indexAfterCurrent == nil)
    #expect(queue.index(after: 0) == nil)
  }

  @Test func `The wish to stop after a track counts once, and holds no skip back`() {
    var queue = queue(3)
    queue.select(0)
    queue.stopsOnce = true
    #expect(queue.index(after: 0) == nil)
    #expect(queue.indexAfterCurrent == nil)
    #expect(queue.id(after: queue.ids[0]) == nil)
    #expect(queue.next() == 1)
    #expect(queue.stopsOnce)
    #expect(queue.end() == 2)
    #expect(!queue.stopsOnce)
    #expect(queue.shown == "0 1 [2]")
    queue.stopsOnce = true
    #expect(queue.end() == 0)
    queue.stopsOnce = true
    #expect(queue.advance() == nil)
    #expect(queue.advance() == 0)
    #expect(queue.advance() == 1)
  }

  @Test func `After single the player stands at the next track, after the last at the first`() {
    var queue = queue(3)
    queue.isSingle = true
    queue.select(0)
    #expect(queue.end() == 1)
    #expect(queue.end() == 2)
    #expect(queue.end() == 0)
    queue.isConsuming = true
    #expect(queue.end() == 0)
    #expect(queue.shown == "[1] 2")
    var none = PlayQueue()
    #expect(none.end() == nil)
  }

  @Test func `A shuffled queue that has ended is played whole again`() {
    for seed in 0..<20 as Range<UInt64> {
      var queue = queue(6)
      queue.shuffle(seed: seed)
      while queue.advance() != nil {}
      queue.select(queue.index(of: queue.playOrder.last!))
      var heard = [queue.end()!]
      while let index = queue.advance() { heard.append(index) }
      #expect(heard.sorted() == Array(0..<6))
    }
  }

  @Test func `Any edits and tracks consumed between them, and as many undos give the start`() {
    let ways: [Act] = [.select, .skip, .advance, .back]
    for seed in 0..<400 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(Int.random(in: 0...12, using: &chance))
      queue.isConsuming = true
      queue.repeatMode = RepeatMode.allCases.randomElement(using: &chance)!
      if Bool.random(using: &chance) {
        queue.shuffle(seed: seed, by: seed % 2 == 0 ? .track : .album)
      }
      queue.select(Int.random(in: -1...12, using: &chance))
      var states = [(queue.ids, queue.entries)]
      for _ in 0..<Int.random(in: 1...40, using: &chance) {
        let depth = queue.editCount
        let acts = Bool.random(using: &chance) ? Act.edits : ways
        acts.randomElement(using: &chance)!.perform(&queue, &chance)
        #expect(queue.fault == nil, "seed \(seed)")
        if queue.editCount > depth { states.append((queue.ids, queue.entries)) }
      }
      let id = queue.currentID
      for state in states.dropLast().reversed() {
        #expect(queue.undo() != nil)
        #expect(queue.ids == state.0 && queue.entries == state.1, "seed \(seed)")
        #expect(queue.fault == nil, "seed \(seed)")
      }
      #expect(queue.undo() == nil)
      for state in states.dropFirst() {
        #expect(queue.redo() != nil)
        #expect(queue.ids == state.0 && queue.entries == state.1, "seed \(seed)")
      }
      #expect(queue.currentID == id)
    }
  }
}
