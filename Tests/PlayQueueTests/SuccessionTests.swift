import Testing

@testable import PlayQueue

@Suite struct SuccessionTests {
  @Test func `Repeat goes round, one stays, and a skip leaves it`() {
    var queue = queue(3)
    queue.repeatMode = .all
    queue.select(2)
    #expect(queue.index(after: 2) == 0)
    #expect(queue.advance() == 0)
    queue.repeatMode = .one
    #expect(queue.index(after: 0) == 0)
    #expect(queue.advance() == 0)
    #expect(queue.index(skipping: 0) == 1)
    #expect(queue.next() == 1)
    queue.select(2)
    #expect(queue.next() == 0)
    #expect(queue.index(after: 99) == nil)
    #expect(queue.index(after: .max) == nil)
    #expect(queue.index(after: .min) == nil)
  }

  @Test func `Single stops after the track and holds no skip back`() {
    var queue = queue(3)
    queue.isSingle = true
    #expect(queue.index(after: -1) == 0)
    #expect(queue.advance() == 0)
    #expect(queue.index(after: 0) == nil)
    #expect(queue.indexAfterSkip == 1)
    queue.repeatMode = .one
    #expect(queue.index(after: 0) == nil)
    #expect(queue.advance() == nil)
  }

  @Test func `Shuffled, each track is played once and one can go all the way back`() {
    for seed in 0..<50 as Range<UInt64> {
      var queue = queue(20)
      queue.select(7)
      queue.shuffle(seed: seed)
      var heard = [7]
      while let index = queue.advance() { heard.append(index) }
      #expect(heard.sorted() == Array(0..<20))
      #expect(queue.current == nil)
      queue.shuffle(seed: seed)
      var way = [queue.next()!]
      for _ in 0..<9 { way.append(queue.next()!) }
      var back = [way.removeLast()]
      while let index = queue.previous(position: 0), index != back.last { back.append(index) }
      #expect(back.dropFirst() == way.reversed()[...])
    }
  }

  @Test func `The order of chance differs by seed and is the same for the same seed`() {
    var orders = Set<[EntryID]>()
    for seed in 0..<20 as Range<UInt64> {
      var queue = queue(10)
      queue.shuffle(seed: seed)
      let order = queue.playOrder
      queue.shuffle(seed: seed)
      #expect(queue.playOrder == order)
      orders.insert(order)
      queue.unshuffle()
      #expect(queue.playOrder == queue.ids)
      #expect(queue.index(after: 3) == 4)
    }
    #expect(orders.count == 20)
  }

  @Test func `Repeating all, each round has its own order, and none begins with what ended`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = queue(6)
      queue.repeatMode = .all
      queue.shuffle(seed: seed)
      var rounds: [[Int]] = []
      for _ in 0..<5 { rounds.append((0..<6).map { _ in queue.advance()! }) }
      for round in rounds { #expect(round.sorted() == Array(0..<6), "seed \(seed)") }
      #expect(Set(rounds).count > 1)
      for (round, next) in zip(rounds, rounds.dropFirst()) { #expect(round.last != next.first) }
      // What was announced for a join without a gap is what comes.
      let announced = queue.index(after: queue.current!)
      #expect(queue.advance() == announced)
      #expect(queue.previous(position: 0) == rounds[4].last)
    }
  }

  @Test func `A track chosen out of turn is not played again`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = queue(12)
      queue.shuffle(seed: seed)
      var heard: [Int] = []
      for _ in 0..<4 { heard.append(queue.advance()!) }
      let chosen = (0..<12).first { !heard.contains($0) }!
      queue.select(chosen)
      heard.append(chosen)
      var back = queue
      #expect(back.previous(position: 0) == heard[3])
      while let index = queue.advance() { heard.append(index) }
      #expect(heard.sorted() == Array(0..<12))
    }
  }

  @Test func `Shuffled, what is put next comes next, in its order, and what is added comes once`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = queue(5)
      queue.shuffle(seed: seed)
      queue.next()
      queue.next()
      queue.insertNext([entry("a"), entry("b")])
      queue.add([entry("c"), entry("d")])
      queue.append([entry("e")])
      var names: [String] = []
      while queue.advance() != nil { names.append(queue.currentEntry!.location.display) }
      #expect(Array(names.prefix(2)) == ["a", "b"])
      #expect(names.count == 8)
      #expect(Set(names).isSuperset(of: ["c", "d", "e"]))
      queue.moveNext([6, 0])
      #expect(queue.fault == nil)
    }
  }

  @Test func `By names, what follows stays the same wherever edits put it`() {
    var queue = queue(5)
    queue.select(1)
    let (current, next, last) = (queue.ids[1], queue.ids[2], queue.ids[4])
    #expect(queue.id(after: current) == next)
    queue.move([0], to: 5)
    #expect(queue.id(after: current) == next)
    #expect(queue.id(after: last) == queue.ids[4])
    queue.remove([0])
    #expect(queue.entry(current) == nil)
    #expect(queue.id(after: current) == next)
    queue.remove([0])
    #expect(queue.id(after: next) == nil)
    queue.isSingle = true
    #expect(queue.id(after: current) == nil)
    #expect(EntryID(last.number) == last)
    #expect(queue.entry(last)?.location.display == "4")
  }

  @Test func `A removed track is followed by what would have followed it`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = queue(8)
      queue.shuffle(seed: seed)
      for _ in 0..<3 { queue.next() }
      let next = queue.indexAfterCurrent.map { queue.ids[$0] }
      queue.remove([queue.current!])
      #expect(queue.indexAfterCurrent.map { queue.ids[$0] } == next)
      #expect(queue.next().map { queue.ids[$0] } == next)
    }
  }
}
