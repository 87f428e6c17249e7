import AudioTypes
import Testing

@testable import PlayQueue

struct QueueStateTests {
  @Test func `A queue comes back from its state as it was, whatever was done to it`() {
    for seed in 0..<300 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(Int.random(in: 0...12, using: &chance))
      for _ in 0..<Int.random(in: 0...60, using: &chance) {
        Act.allCases.randomElement(using: &chance)!.perform(&queue, &chance)
      }
      var other = PlayQueue(queue.state)
      #expect(other.fault == nil)
      #expect(isSame(queue, other), "seed \(seed)")
      #expect(other.state == queue.state, "seed \(seed)")
      // And it goes on in the same way, by the same chance.
      var (left, right) = (Chance(seed: seed), Chance(seed: seed))
      for _ in 0..<20 {
        Act.allCases.randomElement(using: &left)!.perform(&queue, &left)
        Act.allCases.randomElement(using: &right)!.perform(&other, &right)
        guard queue.entries == other.entries, queue.current == other.current else {
          Issue.record("seed \(seed): \(queue.shown) is not \(other.shown)")
          break
        }
      }
    }
  }

  @Test func `Any edits, a restart and as many undos give the start, and as many redos the end`() {
    for seed in 0..<300 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(Int.random(in: 0...12, using: &chance))
      if Bool.random(using: &chance) { queue.shuffle(seed: seed) }
      queue.select(Int.random(in: -1...12, using: &chance))
      let start = queue
      var edits = 0
      for _ in 0..<Int.random(in: 1...40, using: &chance) {
        let before = queue.editCount
        Act.edits.randomElement(using: &chance)!.perform(&queue, &chance)
        edits += queue.editCount - before
        if Int.random(in: 0..<10, using: &chance) == 0 { queue = PlayQueue(queue.state) }
      }
      let end = queue.entries
      queue = PlayQueue(queue.state)
      for number in 0..<edits {
        #expect(queue.undo() != nil)
        if number % 3 == 0 { queue = PlayQueue(queue.state) }
      }
      #expect(queue.entries == start.entries && queue.ids == start.ids, "seed \(seed)")
      #expect(queue.fault == nil)
      queue = PlayQueue(queue.state.renamed(from: 1000))
      while queue.redo() != nil {}
      #expect(queue.entries == end, "seed \(seed)")
      #expect(queue.fault == nil)
    }
  }

  @Test func `A queue that takes the place of an older one gives it back by undo`() {
    for seed in 0..<200 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var old = queue(Int.random(in: 1...8, using: &chance))
      for _ in 0..<Int.random(in: 0...10, using: &chance) {
        Act.edits.randomElement(using: &chance)!.perform(&old, &chance)
      }
      var new = PlayQueue((0..<3).map { entry("new \($0)") })
      new.select(0)
      for _ in 0..<Int.random(in: 0...6, using: &chance) {
        Act.edits.randomElement(using: &chance)!.perform(&new, &chance)
      }
      let shown = new.shown
      let first = new.freeName + 5
      let kept = PlayQueue(old.state.renamed(from: first))
      let own = new.editCount
      let isDone = new.takePlace(of: kept, namedFrom: first)
      #expect(isDone)
      #expect(new.shown == shown && new.fault == nil)
      for _ in 0..<own { new.undo() }
      #expect(new.entries.map(\.location.display) == ["new 0", "new 1", "new 2"])
      if old.entries.isEmpty, old.editCount == 0 { continue }
      #expect(new.undo()?.kind == .replaced)
      #expect(new.entries == old.entries && new.fault == nil, "seed \(seed)")
      while new.undo() != nil, old.undo() != nil {}
      while old.undo() != nil {}
      #expect(new.entries == old.entries)
      while new.redo() != nil {}
      #expect(new.shown == shown && new.fault == nil, "seed \(seed)")
    }
  }

  @Test func `Names that were given meanwhile are not given twice`() {
    var new = queue(3)
    let isDone = new.takePlace(of: queue(3), namedFrom: 2)
    #expect(!isDone)
    #expect(new.editCount == 0)
  }

  @Test func `A state of any nonsense is a queue all the same`() {
    for seed in 0..<500 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(6)
      for _ in 0..<20 { Act.allCases.randomElement(using: &chance)!.perform(&queue, &chance) }
      var state = queue.state
      func id() -> EntryID { EntryID(UInt32.random(in: 0...12, using: &chance)) }
      func range() -> Range<Int> {
        let start = Int.random(in: 0...9, using: &chance)
        return start..<start + Int.random(in: 0...4, using: &chance)
      }
      for _ in 0..<3 {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0: state.queue.ids = state.queue.ids.map { _ in id() }
        case 1: state.queue.entries = Array(state.queue.entries.dropLast())
        case 2: state.place = Int.random(in: -5...50, using: &chance)
        case 3: state.current = id()
        case 4: state.order.ids = (0..<6).map { _ in id() }
        case 5:
          for index in state.done.indices {
            for step in state.done[index].steps.indices {
              state.done[index].steps[step].places = [range(), range()]
            }
          }
        case 6:
          for index in state.undone.indices { state.undone[index].placeAfter = -3 }
          state.nextID = 0
        case 7: state.clipboard.ids = state.queue.entries.map { _ in id() }
        case 8:
          let name = id()
          state.clipboard = QueueState.Entries(
            ids: [name, name], entries: [entry("a"), entry("b")])
        default:
          for index in state.done.indices {
            for step in state.done[index].steps.indices {
              state.done[index].steps[step].kind = .move(to: range())
            }
          }
        }
      }
      var found = PlayQueue(state)
      #expect(found.fault == nil, "seed \(seed)")
      found.paste(at: 0)
      #expect(found.fault == nil, "seed \(seed)")
      for _ in 0..<10 { Act.allCases.randomElement(using: &chance)!.perform(&found, &chance) }
      while found.undo() != nil {}
      while found.redo() != nil {}
      #expect(found.fault == nil, "seed \(seed)")
    }
  }
}
