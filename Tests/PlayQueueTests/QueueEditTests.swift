import AudioTypes
import Testing

@testable import PlayQueue

@Suite struct QueueEditTests {
  @Test func `Edits put tracks where they belong and keep the current one`() {
    var queue = queue(3)
    queue.select(1)
    queue.insertNext([entry("a"), entry("b")])
    #expect(queue.shown == "0 [1] a b 2")
    queue.add([entry("c")])
    queue.insert([entry("d")], at: 0)
    #expect(queue.shown == "d 0 [1] a b 2 c")
    queue.move([0, 6], to: 3)
    #expect(queue.shown == "0 [1] d c a b 2")
    queue.move([1], to: 7)
    #expect(queue.shown == "0 d c a b 2 [1]")
    queue.remove([0, 5, 1, 1, 99, -3])
    #expect(queue.shown == "c a b [1]")
    queue.moveNext([0])
    #expect(queue.shown == "a b [1] c")
  }

  @Test func `Each edit is undone and made again by its name`() {
    var queue = queue(4)
    queue.select(2)
    queue.remove([0, 1, 3])
    queue.move([0], to: 1)
    queue.clear()
    queue.replace(with: [entry("a"), entry("b")])
    queue.cut([1])
    queue.paste(at: 0)
    queue.paste(at: 0)
    queue.insertNext([entry("c")])
    #expect(queue.shown == "c b b a")
    var names: [String] = []
    while let edit = queue.undo() { names.append(edit.sentence) }
    #expect(
      names == [
        "put 1 track next", "pasted 1 track", "pasted 1 track", "cut 1 track",
        "replaced the queue by 2 tracks", "cleared 1 track", "removed 3 tracks",
      ])
    #expect(queue.shown == "0 1 [2] 3")
    #expect(queue.redo()?.sentence == "removed 3 tracks")
    #expect(queue.shown == "[2]")
    #expect(queue.redoable?.sentence == "cleared 1 track")
    queue.add([entry("d")])
    #expect(queue.redo() == nil)
    #expect(queue.undoable?.kind == .added)
  }

  @Test func `An edit that changes nothing is none`() {
    var queue = queue(3)
    queue.remove([7])
    queue.move([1], to: 1)
    queue.move([1], to: 2)
    queue.insert([], at: 1)
    queue.cut([])
    queue.select(0)
    queue.moveNext([1])
    queue.paste(at: 0)
    #expect(queue.undoable == nil)
    var none = PlayQueue()
    none.clear()
    none.replace(with: [])
    #expect(none.undo() == nil)
  }

  @Test func `A removed track stays the current one until another is chosen`() {
    var queue = queue(5)
    queue.select(2)
    queue.remove([1, 2])
    #expect(queue.current == nil)
    #expect(queue.currentID != nil)
    #expect(queue.shown == "0 3 4")
    #expect(queue.indexAfterCurrent == 1)
    var back = queue
    #expect(back.previous(position: 0) == 0)
    var undone = queue
    undone.undo()
    #expect(undone.shown == "0 1 [2] 3 4")
    #expect(queue.next() == 1)
    queue.undo()
    #expect(queue.shown == "0 1 2 [3] 4")
  }

  @Test func `What is cut and pasted is the same track, and what is pasted again is another`() {
    var queue = queue(4)
    queue.select(1)
    let id = queue.currentID
    queue.cut([0, 1])
    #expect(queue.clipboardCount == 2)
    #expect(queue.paste(at: 2) == 2..<4)
    #expect(queue.shown == "2 3 0 [1]")
    queue.paste(at: 0)
    #expect(queue.shown == "0 1 2 3 0 [1]")
    #expect(queue.currentID == id)
    #expect(queue.fault == nil)
  }

  @Test func `The sum of durations follows the edits and what becomes known`() {
    var queue = PlayQueue([entry("a", 60), entry("b"), entry("c", .infinity), entry("d", 1.5)])
    #expect(queue.knownMilliseconds == 61_500)
    #expect(queue.unknownDurations == 2)
    queue.describe(at: 1, title: "B", duration: 30)
    #expect(queue.knownMilliseconds == 91_500)
    queue.remove([0])
    #expect(queue.knownMilliseconds == 31_500)
    queue.undo()
    #expect(queue.knownMilliseconds == 91_500)
    #expect(queue.unknownDurations == 1)
  }

  @Test func `Tracks that are still being found are no edit, and do not disturb one`() {
    var queue = queue(2)
    queue.remove([0])
    queue.append([entry("x"), entry("y")])
    #expect(queue.shown == "1 x y")
    queue.undo()
    #expect(queue.shown == "0 1 x y")
    queue.append([entry("z")])
    queue.redo()
    #expect(queue.shown == "1 x y z")
    #expect(queue.undo()?.sentence == "removed 1 track")
    #expect(queue.undo() == nil)
  }

  @Test func `Any edits and as many undos give the start, and as many redos the end`() {
    for seed in 0..<400 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(Int.random(in: 0...12, using: &chance))
      if Bool.random(using: &chance) { queue.shuffle(seed: seed) }
      queue.select(Int.random(in: -1...12, using: &chance))
      let start = queue
      var states = [start]
      for _ in 0..<Int.random(in: 1...40, using: &chance) {
        let depth = queue.history.depth
        Act.edits.randomElement(using: &chance)!.perform(&queue, &chance)
        #expect(queue.fault == nil, "seed \(seed)")
        if queue.history.depth > depth { states.append(queue) }
      }
      for state in states.dropLast().reversed() {
        #expect(queue.undo() != nil)
        #expect(isSame(queue, state), "seed \(seed): \(queue.shown) for \(state.shown)")
      }
      #expect(queue.undo() == nil)
      #expect(isSame(queue, start))
      for state in states.dropFirst() {
        #expect(queue.redo() != nil)
        #expect(isSame(queue, state), "seed \(seed): \(queue.shown) for \(state.shown)")
      }
      #expect(queue.redo() == nil)
    }
  }

  @Test func `No edit makes another track current`() {
    for seed in 0..<300 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(8)
      if Bool.random(using: &chance) { queue.shuffle(seed: seed) }
      queue.select(Int.random(in: 0..<8, using: &chance))
      let id = queue.currentID
      for _ in 0..<20 {
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: queue.undo()
        case 1: queue.redo()
        default: Act.edits.randomElement(using: &chance)!.perform(&queue, &chance)
        }
        #expect(queue.currentID == id)
        #expect(queue.current == queue.ids.firstIndex(of: id!))
      }
    }
  }

  @Test func `Whatever is done in whatever order, the queue stays whole`() {
    for seed in 0..<400 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var queue = queue(Int.random(in: 0...6, using: &chance))
      for _ in 0..<80 {
        switch Int.random(in: 0..<6, using: &chance) {
        case 0: queue.undo()
        case 1: queue.redo()
        default: Act.allCases.randomElement(using: &chance)!.perform(&queue, &chance)
        }
        if let fault = queue.fault {
          Issue.record("seed \(seed): \(fault)")
          return
        }
        for index in -2...queue.entries.count {
          if let next = queue.index(after: index) { #expect(queue.entries.indices.contains(next)) }
        }
        if let next = queue.indexAfterCurrent { #expect(queue.entries.indices.contains(next)) }
      }
    }
  }

  @Test func `Edits are remembered up to a limit, the latest always`() {
    var queue = queue(50_000)
    queue.clear()
    queue.undo()
    let entries = queue.entries
    for _ in 0..<10 {
      queue.clear()
      queue.add(entries)
    }
    var count = 0
    while queue.undo() != nil { count += 1 }
    #expect((2..<12).contains(count))
    #expect(queue.fault == nil)
    var long = PlayQueue()
    for number in 0..<20_000 { long.add([entry("\(number)")]) }
    while long.undo() != nil { count += 1 }
    #expect(count >= 20_000)
    #expect(long.entries.isEmpty)
  }

  @Test func `An unchanged queue is equal to its copy, a changed one is not`() {
    var queue = queue(50_000)
    let copy = queue
    #expect(isSame(queue, copy))
    let revision = queue.revision
    queue.remove([49_999])
    #expect(!isSame(queue, copy))
    #expect(queue.revision != revision)
    queue.undo()
    #expect(isSame(queue, copy))
    queue.repeatMode = .all
    #expect(!isSame(queue, copy))
  }
}
