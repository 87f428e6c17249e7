import Synchronization

/// Who holds which of three cells of a triple buffer: one thread publishes, one thread reads,
/// neither ever waits, and the newest value wins. The reader gets a whole value, never a torn one,
/// and may miss values that were replaced before it looked.
///
/// The cells themselves belong to the user, with their concrete type: generic code cannot be proven
/// free of locks. A handle: copies share the memory.
@safe public struct TripleBuffer: @unchecked Sendable {
  private let state: UnsafeMutablePointer<State>

  private struct State: ~Copyable {
    /// Bits 0 and 1: the cell that nobody holds. Bit 2: it holds a value not yet read.
    let middle = Atomic<UInt8>(1)
    var back: UInt8 = 0  // the writer's
    var front: UInt8 = 2  // the reader's
  }

  public init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  public func deallocate() {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// The cell to write. The writer's thread only.
  public var writeCell: Int {
    @_noAllocation @_noLocks get { Int(unsafe state.pointee.back) }
  }

  /// Publishes what is in `writeCell`. The writer's thread only.
  @_noAllocation @_noLocks
  public func publish() {
    let back = unsafe state.pointee.back
    let old = unsafe state.pointee.middle.exchange(back | 4, ordering: .acquiringAndReleasing)
    unsafe state.pointee.back = old & 3
  }

  /// The cell that holds the newest value. The reader's thread only; stays the reader's until the
  /// next call.
  @_noAllocation @_noLocks
  public func readCell() -> Int {
    if unsafe state.pointee.middle.load(ordering: .relaxed) & 4 != 0 {
      let front = unsafe state.pointee.front
      let old = unsafe state.pointee.middle.exchange(front, ordering: .acquiringAndReleasing)
      unsafe state.pointee.front = old & 3
    }
    return Int(unsafe state.pointee.front)
  }
}
