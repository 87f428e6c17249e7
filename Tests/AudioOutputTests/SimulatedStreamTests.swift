import AudioOutput
import AudioTypes
import CRealtime
import OutputInterface
import Synchronization
import Testing

@Suite struct `A simulated device` {
  private final class Count: Sendable { let calls = Atomic<Int>(0) }

  /// A renderer that counts the calls and has nothing to play.
  private static func counting(in count: Count) -> sotto_renderer {
    func counted(_ context: UnsafeMutableRawPointer?) {
      let count = Unmanaged<Count>.fromOpaque(context!).takeUnretainedValue()
      count.calls.add(1, ordering: .relaxed)
    }
    return sotto_renderer(
      context: Unmanaged.passUnretained(count).toOpaque(),
      turn: { context, _, _ in
        counted(context)
        return sotto_turn(rewrite: true, sounding: true, hold_at: -1)
      },
      render: { context, _, _, _ in
        counted(context)
        return sotto_rendered(frames: 0, finished: false)
      },
      heard: { context, _ in counted(context) },
      event: { context, _ in counted(context) })
  }

  @Test func `asks nothing before its first kick`() throws {
    let count = Count()
    let opened = Mutex<SimulatedStream?>(nil)
    let backend = NullBackend(pace: .manual) { stream in opened.withLock { $0 = stream } }
    let stream = try backend.open(StreamRequest(), renderer: Self.counting(in: count))
    defer { stream.close() }
    try #require(opened.withLock { $0 }).advance(frames: 100)
    #expect(count.calls.load(ordering: .relaxed) == 0)
    stream.kick()
    #expect(count.calls.load(ordering: .relaxed) > 0)
  }
}
