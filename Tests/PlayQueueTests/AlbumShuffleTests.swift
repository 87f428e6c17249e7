import AudioTypes
import Testing

@testable import PlayQueue

@Suite struct AlbumShuffleTests {
  /// Albums of so many tracks each, track by track in turn: "a1 b1 a2 b2 a3".
  private func albums(_ sizes: [Int]) -> PlayQueue {
    var entries: [QueueEntry] = []
    for track in 1...(sizes.max() ?? 1) {
      for (album, size) in sizes.enumerated() where track <= size {
        let name = String("abcdefgh".dropFirst(album).prefix(1))
        entries.append(QueueEntry(TrackLocation("/m/\(name)\(track)"), album: name))
      }
    }
    return PlayQueue(entries)
  }

  private func name(_ queue: PlayQueue, _ index: Int) -> String {
    String(queue.entries[index].location.display.suffix(2))
  }

  /// Tracks of an album stand together and ascend.
  private func isInOrder(_ heard: [String]) -> Bool {
    var albums: [Character] = []
    var last = ""
    for name in heard {
      let album = name.first ?? " "
      if albums.last == album {
        if name <= last { return false }
      } else {
        albums.append(album)
      }
      last = name
    }
    return Set(albums).count == albums.count
  }

  @Test func `Albums come in an order of chance, each once and whole, and one can go back`() {
    var orders = Set<[String]>()
    for seed in 0..<60 as Range<UInt64> {
      var queue = albums([3, 1, 4, 2])
      queue.shuffle(seed: seed, by: .album)
      #expect(queue.shuffleUnit == .album)
      var heard: [String] = []
      while let index = queue.advance() { heard.append(name(queue, index)) }
      #expect(heard.count == 10 && Set(heard).count == 10)
      #expect(isInOrder(heard), "\(heard)")
      orders.insert(heard)
      queue.previous(position: 0)
      var back = [name(queue, queue.current!)]
      while let index = queue.previous(position: 0), name(queue, index) != back.last {
        back.append(name(queue, index))
      }
      #expect(back == heard.reversed())
    }
    #expect(orders.count > 12)
  }

  @Test func `The album that is heard goes on to its end first`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = albums([3, 3, 2])
      queue.select(queue.entries.firstIndex { $0.location.display.hasSuffix("b2") })
      queue.shuffle(seed: seed, by: .album)
      var heard = ["b2"]
      while let index = queue.advance() { heard.append(name(queue, index)) }
      #expect(heard.prefix(2) == ["b2", "b3"])
      #expect(heard.count == 7 && isInOrder(heard))
    }
  }

  @Test func `From a track of one's choice its album goes on, and nothing else is left out`() {
    for seed in 0..<40 as Range<UInt64> {
      var queue = albums([3, 3, 3])
      queue.shuffle(seed: seed, by: .album)
      let first = name(queue, queue.advance()!)
      let other = queue.entries.firstIndex {
        $0.album != String(first.prefix(1)) && $0.location.display.hasSuffix("2")
      }!
      let chosen = name(queue, other)
      queue.select(other)
      var back = queue
      #expect(back.previous(position: 0).map { name(back, $0) } == first)
      var heard = [first, chosen]
      while let index = queue.advance() { heard.append(name(queue, index)) }
      #expect(heard[2] == chosen.prefix(1) + "3")
      #expect(heard.count == 9 && Set(heard).count == 9, "\(heard)")
      // Within an album one jumps as in a list.
      queue = albums([4, 2])
      queue.shuffle(seed: seed, by: .album)
      while name(queue, queue.advance()!) != "a1" {}
      queue.select(queue.entries.firstIndex { $0.location.display.hasSuffix("a3") })
      #expect(queue.advance().map { name(queue, $0) } == "a4")
      let next = queue.advance().map { name(queue, $0) }
      #expect(next == nil || next == "b1")
    }
  }

  @Test func `Repeating all, each round begins with the first track of another album`() {
    for seed in 0..<30 as Range<UInt64> {
      var queue = albums([2, 3, 2])
      queue.repeatMode = .all
      queue.shuffle(seed: seed, by: .album)
      var last: String?
      for _ in 0..<5 {
        let round = (0..<7).map { _ in name(queue, queue.advance()!) }
        #expect(Set(round).count == 7 && isInOrder(round), "\(round)")
        #expect(round[0].hasSuffix("1") && round[0].first != last?.first)
        last = round.last
      }
      let announced = queue.index(after: queue.current!)
      #expect(queue.advance() == announced)
    }
  }

  @Test func `What is added stands between albums, and what is more of one at its end`() {
    for seed in 0..<40 as Range<UInt64> {
      var queue = albums([3, 2])
      queue.shuffle(seed: seed, by: .album)
      queue.advance()
      queue.add(
        ["a4", "x1", "b3", "x2"].map {
          QueueEntry(TrackLocation("/m/\($0)"), album: String($0.prefix(1)))
        })
      var heard = [name(queue, queue.current!)]
      while let index = queue.advance() { heard.append(name(queue, index)) }
      #expect(heard.count == 9 && isInOrder(heard), "\(heard)")
      #expect(queue.fault == nil)
    }
  }

  @Test func `Without names a folder is an album, and has the name that one of it has`() {
    func entry(_ path: String, _ album: String? = nil) -> QueueEntry {
      QueueEntry(TrackLocation(path), album: album)
    }
    let entries = [
      entry("/m/one/1"), entry("/m/two/1"), entry("/m/one/2", "One"), entry("/m/disc2/1", "One"),
      entry("/m/two/2"), entry("/m/mixed/1", "P"), entry("/m/mixed/2", "Q"),
    ]
    let ids = (0..<7).map { EntryID($0) }
    var table = AlbumTable(Items(entries: Array(entries[..<2]), ids: Array(ids[..<2])))
    table.learn(Items(entries: entries, ids: ids))
    let groups = table.groups(ids).map { $0.map(\.number) }
    #expect(groups == [[0, 2, 3], [1, 4], [5], [6]])
    #expect(table.groups([EntryID(99)]) == [[EntryID(99)]])
  }
}
