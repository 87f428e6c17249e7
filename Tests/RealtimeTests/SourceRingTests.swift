import Realtime
import TestSupport
import Testing

@Suite struct SourceRingTests {
  /// A frame's samples, told apart from every other frame's.
  private func sample(_ frame: Int64, _ channel: Int) -> Float {
    Float((frame * 2 + Int64(channel)) % 1_000_003)
  }

  private func write(_ ring: SourceRing, _ frames: Range<Int64>) {
    let samples = frames.flatMap { [sample($0, 0), sample($0, 1)] }
    samples.withUnsafeBufferPointer { ring.write($0) }
  }

  private func read(_ ring: SourceRing, _ frame: Int64) -> [Float] {
    let run = ring.run(at: frame)
    return [run.samples[0], run.samples[1]]
  }

  @Test func `Every frame from the floor to the last written can be read again, in any order`() {
    let ring = SourceRing(frames: 100, channels: 2)
    defer { ring.deallocate() }
    #expect(ring.capacity == 128)
    var random = Signals.Seeded(7)
    var floor: Int64 = 0
    for _ in 0..<2000 {
      let room = ring.writable
      #expect(room == floor + 128 - ring.written)
      let count = Int64.random(in: 0...room, using: &random)
      write(ring, ring.written..<(ring.written + count))
      if ring.written > floor {
        let frame = Int64.random(in: floor..<ring.written, using: &random)
        #expect(read(ring, frame) == [sample(frame, 0), sample(frame, 1)])
        floor = Int64.random(in: floor...ring.written, using: &random)
        ring.release(before: floor)
      }
    }
  }

  @Test func `The floor never goes back`() {
    let ring = SourceRing(frames: 8, channels: 2)
    defer { ring.deallocate() }
    write(ring, 0..<8)
    ring.release(before: 5)
    ring.release(before: 2)
    #expect(ring.floor == 5)
    #expect(ring.writable == 5)
  }

  @Test func `A run that is filled in place and committed is what the reader gets`() {
    let ring = SourceRing(frames: 8, channels: 2)
    defer { ring.deallocate() }
    write(ring, 0..<6)
    ring.release(before: 6)
    let run = ring.writableRun()
    #expect(run.count == 2 * 2)  // up to the ring's end
    for index in 0..<4 { run[index] = Float(100 + index) }
    ring.commit(frames: 2)
    #expect(ring.written == 8)
    #expect(read(ring, 7) == [102, 103])
  }

  @Test func `A finished source tells its length, and a reset forgets it`() {
    let ring = SourceRing(frames: 8, channels: 2)
    defer { ring.deallocate() }
    write(ring, 0..<3)
    #expect(ring.total == -1)
    ring.finish()
    #expect(ring.total == 3)
    ring.reset()
    #expect(ring.total == -1)
    #expect(ring.written == 0)
    #expect(ring.writable == 8)
  }
}

@Suite struct TripleBufferTests {
  @Test func `The reader gets the newest published value and keeps it`() {
    let buffer = TripleBuffer()
    defer { buffer.deallocate() }
    var cells = [0, 0, 0]
    for value in 1...10 {
      cells[buffer.writeCell] = value
      buffer.publish()
      if value % 3 == 0 {
        #expect(cells[buffer.readCell()] == value)
        #expect(cells[buffer.readCell()] == value)
      }
    }
    #expect(cells[buffer.readCell()] == 10)
  }

  @Test func `Writer and reader never hold the same cell`() {
    let buffer = TripleBuffer()
    defer { buffer.deallocate() }
    var random = Signals.Seeded(3)
    var held = buffer.readCell()
    for _ in 0..<1000 {
      #expect(buffer.writeCell != held)
      if Bool.random(using: &random) { buffer.publish() } else { held = buffer.readCell() }
    }
  }
}
