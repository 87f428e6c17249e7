/// A gain over absolute output frames: ramps, each valid until the next begins. A trivial value of
/// fixed size, so the render path may copy and change it.
public struct GainCurve: BitwiseCopyable, Sendable {
  public static let capacity = 16

  /// A straight line over `length` frames from `begin` on, and its end value afterwards.
  private struct Ramp: BitwiseCopyable {
    var begin: Int64
    var length: Int64
    var from: Float
    var to: Float

    @_noAllocation @_noLocks
    init(begin: Int64, length: Int64, from: Float, to: Float) {
      self.begin = begin
      self.length = length
      self.from = from
      self.to = to
    }

    @_noAllocation @_noLocks
    func value(at frame: Int64) -> Float {
      if from == to || frame >= begin + length { return to }
      return from + (to - from) * (Float(frame - begin) / Float(length))
    }
  }

  private var ramps: InlineArray<16, Ramp>
  private var count = 1

  /// Constant.
  @_noAllocation @_noLocks
  public init(_ gain: Float) {
    ramps = InlineArray(repeating: Ramp(begin: .min, length: 0, from: gain, to: gain))
  }

  /// The gain that holds after every ramp.
  public var target: Float {
    @_noAllocation @_noLocks get { ramps[count - 1].to }
  }

  /// The first frame from which on the gain never changes.
  public var settledFrom: Int64 {
    @_noAllocation @_noLocks get { ramps[count - 1].begin + ramps[count - 1].length }
  }

  /// The factor at a frame. Depends on nothing but the ramps and the frame, so that frames rendered
  /// twice, or in other pieces, come out bit for bit the same.
  @_noAllocation @_noLocks
  public func value(at frame: Int64) -> Float {
    var index = count - 1
    while index > 0 && ramps[index].begin > frame { index -= 1 }
    return ramps[index].value(at: frame)
  }

  /// From `frame` on, moves to `gain` within `length` frames, starting at the value the curve has
  /// there; what was planned to begin at or after `frame` is dropped. Frames before it keep their
  /// gain, bit for bit.
  @_noAllocation @_noLocks
  public mutating func ramp(to gain: Float, at frame: Int64, over length: Int64) {
    let now = value(at: frame)
    while count > 1 && ramps[count - 1].begin >= frame { count -= 1 }
    // Full only when many ramps begin before one frame is heard: the oldest goes.
    if count == GainCurve.capacity { dropFirst() }
    ramps[count] = Ramp(begin: frame, length: max(length, 1), from: now, to: gain)
    count += 1
  }

  /// Forgets ramps that only frames before `frame` need.
  @_noAllocation @_noLocks
  public mutating func forget(before frame: Int64) {
    while count > 1 && ramps[1].begin <= frame { dropFirst() }
  }

  @_noAllocation @_noLocks
  private mutating func dropFirst() {
    var index = 1
    while index < count {
      ramps[index - 1] = ramps[index]
      index += 1
    }
    count -= 1
  }
}
