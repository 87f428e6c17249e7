import AudioTypes
import PlayQueue
import Testing

@Suite struct PlayQueueTests {
  private static func queue(_ count: Int) -> PlayQueue {
    PlayQueue((0..<count).map { QueueEntry(TrackLocation("\($0).wav")) })
  }

  @Test func `Next goes through the queue once and stops at its end`() {
    var queue = Self.queue(3)
    #expect(queue.current == nil)
    #expect((0..<4).map { _ in queue.next() } == [0, 1, 2, nil])
    #expect(queue.currentEntry == nil)
    #expect(queue.index(after: 1) == 2)
    #expect(queue.index(after: 2) == nil)
    var none = PlayQueue()
    #expect(none.next() == nil)
    #expect(none.previous(position: 0) == nil)
  }

  @Test func `Previous restarts a track that has been heard for more than three seconds`() {
    var queue = Self.queue(3)
    queue.select(2)
    #expect(queue.previous(position: 3.5) == 2)
    #expect(queue.previous(position: 3) == 1)
    #expect(queue.previous(position: 0) == 0)
    #expect(queue.previous(position: 0) == 0)
  }

  @Test func `A track whose file was moved is the same entry, and nothing to undo`() {
    var queue = Self.queue(3)
    queue.select(1)
    let (ids, revision) = (queue.ids, queue.revision)
    queue.relocate(at: 1, to: Array("/new/1.wav".utf8))
    queue.relocate(at: 3, to: Array("/none".utf8))
    #expect(queue.ids == ids && queue.current == 1 && queue.editCount == 0)
    #expect(
      queue.entries.map(\.location.path) == ["0.wav", "/new/1.wav", "2.wav"].map { Array($0.utf8) })
    #expect(queue.revision != revision)
  }

  @Test func `Appended tracks follow, and what is current stays so`() {
    var queue = Self.queue(1)
    queue.select(0)
    queue.append([QueueEntry(TrackLocation("x.wav"))])
    #expect(queue.current == 0)
    #expect(queue.index(after: 0) == 1)
    queue.select(7)
    #expect(queue.current == nil)
    #expect(queue.previous(position: 0) == 1)
  }
}
