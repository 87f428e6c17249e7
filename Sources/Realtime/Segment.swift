/// A stretch of one source on the output's timeline, with its fades. Frames of the output are
/// absolute; frame `begin` sounds frame `sourceBegin` of the source, and so on one for one.
public struct Segment: BitwiseCopyable, Sendable {
  /// Which of the mixer's rings.
  public var slot: Int
  public var begin: Int64
  public var sourceBegin: Int64
  /// Frames over which it rises from silence; 0 begins at full level.
  public var fadeIn: Int64
  /// The frame from which it falls; `Int64.max` while it goes on.
  public var fadeOutBegin: Int64 = .max
  /// The first frame that it does not sound any more.
  public var end: Int64 = .max

  @_noAllocation @_noLocks
  public init(slot: Int, begin: Int64, sourceBegin: Int64, fadeIn: Int64) {
    self.slot = slot
    self.begin = begin
    self.sourceBegin = sourceBegin
    self.fadeIn = fadeIn
  }

  /// True while nothing has ended it.
  public var isOpen: Bool {
    @_noAllocation @_noLocks get { end == .max }
  }

  /// The source frame that sounds at an output frame.
  @_noAllocation @_noLocks
  public func source(at frame: Int64) -> Int64 { sourceBegin + (frame - begin) }

  /// The fades' factor at an output frame within the segment. Starting to fall in the middle of a
  /// rise multiplies the two, so that neither jumps.
  @_noAllocation @_noLocks
  public func fade(at frame: Int64) -> Float {
    var gain: Float = 1
    if frame < begin + fadeIn { gain = Float(frame - begin + 1) / Float(fadeIn + 1) }
    if frame >= fadeOutBegin {
      gain *= Float(end - frame) / Float(end - fadeOutBegin + 1)
    }
    return gain
  }

  /// True where the fades' factor is 1 for all of [from, to).
  @_noAllocation @_noLocks
  public func isFlat(from: Int64, to: Int64) -> Bool {
    from >= begin + fadeIn && to <= fadeOutBegin
  }

  /// Lets it fall to silence over `length` frames from `frame` on.
  @_noAllocation @_noLocks
  public mutating func fadeOut(at frame: Int64, over length: Int64) {
    fadeOutBegin = frame
    end = frame + length
  }
}
