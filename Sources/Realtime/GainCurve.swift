/// A gain over absolute output frames: straight lines between points, constant before the first
/// and after the last. A trivial value of fixed size, so the render path may copy and change it.
public struct GainCurve: BitwiseCopyable, Sendable {
  public static let capacity = 24

  private var frames: InlineArray<24, Int64>
  private var gains: InlineArray<24, Float>
  private var count: Int

  /// Constant.
  @_noAllocation @_noLocks
  public init(_ gain: Float) {
    frames = InlineArray(repeating: 0)
    gains = InlineArray(repeating: gain)
    count = 1
  }

  /// The gain that holds after every ramp.
  public var target: Float {
    @_noAllocation @_noLocks get { gains[count - 1] }
  }

  /// The factor at a frame. Depends on nothing but the points and the frame, so that frames
  /// rendered twice, or in other pieces, come out bit for bit the same.
  @_noAllocation @_noLocks
  public func value(at frame: Int64) -> Float {
    if frame < frames[0] { return gains[0] }
    var index = count - 1
    while index > 0 && frames[index] > frame { index -= 1 }
    if index == count - 1 { return gains[index] }
    let span = frames[index + 1] - frames[index]
    if span <= 0 { return gains[index + 1] }
    let part = Float(frame - frames[index]) / Float(span)
    return gains[index] + (gains[index + 1] - gains[index]) * part
  }

  /// The first frame from which on the gain never changes.
  public var settledFrom: Int64 {
    @_noAllocation @_noLocks get { count == 1 ? Int64.min : frames[count - 1] }
  }

  /// From `frame` on, moves to `gain` within `length` frames, starting at the value the curve has
  /// there; what was planned after `frame` is dropped. Frames before it keep their gain.
  @_noAllocation @_noLocks
  public mutating func ramp(to gain: Float, at frame: Int64, over length: Int64) {
    let now = value(at: frame)
    if count == 1 && frames[0] >= frame { frames[0] = frame }
    while count > 1 && frames[count - 1] >= frame { count -= 1 }
    if count == 1 && frames[0] >= frame {
      // Everything planned lay after `frame`: before it the curve was constant.
      frames[0] = frame
      gains[0] = now
    } else {
      append(frame, now)
    }
    append(frame + max(length, 1), gain)
  }

  /// Forgets points that only frames before `frame` need.
  @_noAllocation @_noLocks
  public mutating func forget(before frame: Int64) {
    while count > 1 && frames[1] <= frame { dropFirst() }
  }

  @_noAllocation @_noLocks
  private mutating func append(_ frame: Int64, _ gain: Float) {
    // Full only when many ramps begin before one frame is heard: the oldest point goes.
    if count == GainCurve.capacity { dropFirst() }
    frames[count] = frame
    gains[count] = gain
    count += 1
  }

  @_noAllocation @_noLocks
  private mutating func dropFirst() {
    var index = 1
    while index < count {
      frames[index - 1] = frames[index]
      gains[index - 1] = gains[index]
      index += 1
    }
    count -= 1
  }
}
