import CRealtime
import Synchronization

/// Decoded frames between one decoder thread (the producer) and the device's thread (the
/// consumer), with history: a frame stays readable until the consumer says that it has been heard,
/// so queued sound can be rendered again (architecture decision 2).
///
/// Frames count from 0, the first frame the producer wrote since `reset`. A handle: copies share
/// the same memory, which `deallocate` frees.
@safe public struct SourceRing: @unchecked Sendable {
  /// Frames that fit; a power of two.
  public let capacity: Int64
  public let channels: Int
  private let samples: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<State>

  private struct State: ~Copyable {
    /// Frames written so far. Stored by the producer.
    let written = Atomic<Int64>(0)
    /// The oldest frame that may still be asked for. Stored by the consumer.
    let floor = Atomic<Int64>(0)
    /// The number of frames of a source that is complete, -1 while it is not. Producer.
    let total = Atomic<Int64>(-1)
  }

  /// - Parameter frames: the least number of frames to hold.
  public init(frames: Int, channels: Int) {
    precondition(frames > 0 && channels > 0)
    var size: Int64 = 1
    while size < Int64(frames) { size *= 2 }
    capacity = size
    self.channels = channels
    unsafe samples = .allocate(capacity: Int(size) * channels)
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  /// Frees the memory. Neither side may use any copy of the handle afterwards.
  public func deallocate() {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
    unsafe samples.deallocate()
  }

  // MARK: Producer

  /// Makes the ring empty for another source. Only while the consumer does not use it.
  public func reset() {
    unsafe state.pointee.total.store(-1, ordering: .relaxed)
    unsafe state.pointee.floor.store(0, ordering: .relaxed)
    unsafe state.pointee.written.store(0, ordering: .releasing)
  }

  /// Frames that can be written now.
  public var writable: Int64 {
    let floor = unsafe state.pointee.floor.load(ordering: .acquiring)
    return unsafe floor + capacity - state.pointee.written.load(ordering: .relaxed)
  }

  /// Where the next frames go: one contiguous run, perhaps shorter than `writable` (the ring's
  /// end). Fill it and say how much with `commit`.
  public func writableRun() -> UnsafeMutableBufferPointer<Float> {
    let written = unsafe state.pointee.written.load(ordering: .relaxed)
    let offset = written & (capacity - 1)
    let frames = min(writable, capacity - offset)
    return unsafe UnsafeMutableBufferPointer(
      start: samples + Int(offset) * channels, count: Int(frames) * channels)
  }

  /// Publishes frames that were put into `writableRun`.
  public func commit(frames: Int) {
    let written = unsafe state.pointee.written.load(ordering: .relaxed)
    unsafe state.pointee.written.store(written + Int64(frames), ordering: .releasing)
  }

  /// Copies frames in; the caller has looked at `writable`.
  public func write(_ source: UnsafeBufferPointer<Float>) {
    var rest = unsafe source
    while rest.count > 0 {
      let run = unsafe writableRun()
      let count = min(run.count, rest.count)
      precondition(count > 0, "written past what is writable")
      unsafe sotto_rt_copy(run.baseAddress!, rest.baseAddress!, Int64(count))
      commit(frames: count / channels)
      unsafe rest = UnsafeBufferPointer(rebasing: rest[count...])
    }
  }

  /// Tells that nothing follows what is written.
  public func finish() {
    unsafe state.pointee.total.store(written, ordering: .releasing)
  }

  // MARK: Either side

  /// Frames written so far.
  public var written: Int64 {
    @_noAllocation @_noLocks get { unsafe state.pointee.written.load(ordering: .acquiring) }
  }

  /// The number of frames of a complete source; -1 while more may come.
  public var total: Int64 {
    @_noAllocation @_noLocks get { unsafe state.pointee.total.load(ordering: .acquiring) }
  }

  /// The oldest frame kept.
  public var floor: Int64 {
    @_noAllocation @_noLocks get { unsafe state.pointee.floor.load(ordering: .acquiring) }
  }

  // MARK: Consumer

  /// Tells that frames before `frame` will not be asked for again.
  @_noAllocation @_noLocks
  public func release(before frame: Int64) {
    if unsafe frame > state.pointee.floor.load(ordering: .relaxed) {
      unsafe state.pointee.floor.store(frame, ordering: .releasing)
    }
  }

  /// The samples from `frame` to the ring's end: a pointer and the number of contiguous frames.
  /// The frames must have been written and not yet released.
  @_noAllocation @_noLocks
  public func run(at frame: Int64) -> (samples: UnsafeMutablePointer<Float>, frames: Int64) {
    let offset = frame & (capacity - 1)
    return unsafe (samples + Int(offset) * channels, capacity - offset)
  }
}
