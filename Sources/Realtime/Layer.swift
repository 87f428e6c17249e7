/// A short sound, wholly decoded, at the stream's rate and with its channels. A handle: copies
/// share the memory, which whoever made it frees when no timeline names it any more.
@safe public struct Clip: BitwiseCopyable, @unchecked Sendable {
  /// Interleaved; nil when there are none.
  public let samples: UnsafePointer<Float>?
  public let frames: Int64

  /// Nothing.
  @_noAllocation @_noLocks
  public init() {
    unsafe samples = nil
    frames = 0
  }

  @_noAllocation @_noLocks
  public init(samples: UnsafePointer<Float>, frames: Int64) {
    unsafe self.samples = samples
    self.frames = frames
  }
}

/// What the control side wants to sound beside the music in one place: a prompt, a voice of a call,
/// another player. A part of the wish; the newest one wins.
public struct LayerWish: BitwiseCopyable, Equatable, Sendable {
  /// Counts the sounds that were begun: a change begins this one. 0 is none yet.
  public var serial = 0
  /// Which of the mixer's clips, and how long that is.
  public var clip = 0
  public var frames: Int64 = 0
  /// The frame of the clip at which it begins.
  public var sourceBegin: Int64 = 0
  public var isLooping = false
  public var gain: Float = 1
  /// False lets it fall to silence.
  public var isOn = false

  @_noAllocation @_noLocks
  public init() {}
}

/// A stretch of a clip on the output's timeline.
public struct Layer: BitwiseCopyable, Sendable {
  public var place: Int
  public var clip: Int
  public var begin: Int64
  public var sourceBegin: Int64
  public var gain: Float
  public var isLooping: Bool
  public var fadeIn: Int64
  public var fadeOutBegin: Int64 = .max
  /// The first frame that it does not sound any more; `Int64.max` while it loops.
  public var end: Int64

  @_noAllocation @_noLocks
  init(_ wish: LayerWish, place: Int, at frame: Int64, fade: Int64) {
    self.place = place
    clip = wish.clip
    begin = frame
    sourceBegin = wish.sourceBegin
    gain = wish.gain
    isLooping = wish.isLooping
    fadeIn = wish.sourceBegin == 0 ? 0 : fade
    end = wish.isLooping ? .max : frame + max(wish.frames - wish.sourceBegin, 0)
  }

  /// Lets it fall to silence over `length` frames from `frame` on, unless it ends before that.
  @_noAllocation @_noLocks
  mutating func fadeOut(at frame: Int64, over length: Int64) {
    if frame + length >= end || fadeOutBegin != .max { return }
    fadeOutBegin = frame
    end = frame + length
  }

  /// The fades' factor at a frame within it; see Segment.
  @_noAllocation @_noLocks
  public func fade(at frame: Int64) -> Float {
    var factor: Float = 1
    if frame < begin + fadeIn { factor = Float(frame - begin + 1) / Float(fadeIn + 1) }
    if frame >= fadeOutBegin { factor *= Float(end - frame) / Float(end - fadeOutBegin + 1) }
    return factor
  }
}
