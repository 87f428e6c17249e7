/// Which source sounds at which output frame, and how loud: the whole state that the mix depends
/// on beside the sources themselves (architecture decision 2). A trivial value of fixed size: the
/// render path copies it, changes it, and takes a change back.
public struct MixTimeline: BitwiseCopyable, Sendable {
  /// Segments that may live at once; a flood of seeks makes a few within one margin.
  public static let capacity = 16

  private var segments: InlineArray<16, Segment>
  public private(set) var count = 0
  public private(set) var level: GainCurve
  /// The level of the music alone.
  public private(set) var music: GainCurve
  private var layers: InlineArray<12, Layer>
  public private(set) var layerCount = 0
  /// The last wish that was applied.
  public private(set) var wish = MixWish()
  /// The source held at its frame; -1 when none is.
  public private(set) var heldSlot = -1
  public private(set) var heldFrame: Int64 = 0
  /// Frames of a fade.
  public let fade: Int64
  /// No change takes effect before this frame: changes never overtake each other.
  private var effect: Int64 = 0

  @_noAllocation @_noLocks
  public init(fadeFrames: Int64) {
    fade = fadeFrames
    level = GainCurve(1)
    music = GainCurve(1)
    layers = InlineArray(
      repeating: Layer(LayerWish(), place: 0, at: 0, fade: 0))
    segments = InlineArray(repeating: Segment(slot: 0, begin: 0, sourceBegin: 0, fadeIn: 0))
  }

  /// One of `count` segments, oldest first.
  @_noAllocation @_noLocks
  public func segment(_ index: Int) -> Segment { segments[index] }

  /// One of `layerCount` layers, oldest first.
  @_noAllocation @_noLocks
  public func layer(_ index: Int) -> Layer { layers[index] }

  // MARK: Changes

  /// Makes the timeline follow the wish from `frame` on. Frames before it keep what they had.
  @_noAllocation @_noLocks
  public mutating func apply(_ new: MixWish, at frame: Int64) {
    let at = max(frame, effect)
    effect = at
    if wish.serial == 0 {
      // Nothing has been heard yet that it could fall or rise from.
      level = GainCurve(new.level)
      music = GainCurve(new.music)
    }
    if new.level != level.target {
      level.ramp(to: new.level, at: at, over: new.levelRamp < 0 ? fade : new.levelRamp)
    }
    if new.music != music.target {
      music.ramp(to: new.music, at: at, over: new.musicRamp < 0 ? fade : new.musicRamp)
    }
    applyLayers(new, at: at)
    if new.jump != wish.jump {
      let first = firstFrame(new, at: at)
      endOpen(at: at)
      if new.isHeld {
        heldSlot = new.slot
        heldFrame = first
      } else {
        heldSlot = -1
        append(
          Segment(
            slot: new.slot, begin: at, sourceBegin: first,
            fadeIn: new.fadesIn ? fade : 0))
      }
    } else if new.isHeld && !wish.isHeld {
      hold(at: at, over: new.holdFade < 0 ? fade : new.holdFade)
    } else if !new.isHeld && wish.isHeld && heldSlot >= 0 {
      // Never before the fade-out has ended: the frame held is the one after it.
      let begin = max(at, lastEnd)
      append(
        Segment(
          slot: heldSlot, begin: begin, sourceBegin: heldFrame,
          fadeIn: heldFrame == 0 ? 0 : new.releaseFade < 0 ? fade : new.releaseFade))
      heldSlot = -1
    }
    wish = new
  }

  /// Where in its source a jump begins.
  @_noAllocation @_noLocks
  private func firstFrame(_ new: MixWish, at frame: Int64) -> Int64 {
    if new.anchor >= 0 { return new.sourceFrame + max(0, frame - new.anchor) }
    if new.follows < 0 { return new.sourceFrame }
    let index = open
    if index >= 0 { return max(0, segments[index].source(at: frame) - new.follows) }
    return heldSlot >= 0 ? max(0, heldFrame - new.follows) : new.sourceFrame
  }

  @_noAllocation @_noLocks
  private mutating func hold(at frame: Int64, over fade: Int64) {
    var index = 0
    while index < count {
      if segments[index].isOpen {
        heldSlot = segments[index].slot
        if segments[index].begin >= frame {
          heldFrame = segments[index].sourceBegin
          remove(index)
          continue
        }
        heldFrame = segments[index].source(at: frame + fade)
        segments[index].fadeOut(at: frame, over: fade)
      }
      index += 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func applyLayers(_ new: MixWish, at frame: Int64) {
    var place = 0
    while place < new.layers.count {
      let (old, now) = (wish.layers[place], new.layers[place])
      if now.serial != old.serial {
        endLayers(place, at: frame)
        if now.isOn {
          if layerCount == layers.count { removeLayer(0) }
          layers[layerCount] = Layer(now, place: place, at: frame, fade: fade)
          layerCount += 1
        }
      } else if old.isOn && !now.isOn {
        endLayers(place, at: frame)
      }
      place += 1
    }
  }

  /// Lets what sounds in a place fall to silence; what has not begun by `frame` never does.
  @_noAllocation @_noLocks
  private mutating func endLayers(_ place: Int, at frame: Int64) {
    var index = 0
    while index < layerCount {
      if layers[index].place == place {
        if layers[index].begin >= frame {
          removeLayer(index)
          continue
        }
        layers[index].fadeOut(at: frame, over: fade)
      }
      index += 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func removeLayer(_ index: Int) {
    var at = index + 1
    while at < layerCount {
      layers[at - 1] = layers[at]
      at += 1
    }
    layerCount -= 1
  }

  /// Lets what sounds fall to silence; what has not begun by `frame` never does.
  @_noAllocation @_noLocks
  private mutating func endOpen(at frame: Int64) {
    var index = 0
    while index < count {
      if segments[index].isOpen {
        if segments[index].begin >= frame {
          remove(index)
          continue
        }
        segments[index].fadeOut(at: frame, over: fade)
      }
      index += 1
    }
  }

  /// Forgets what only frames before `frame` need: they have been heard.
  @_noAllocation @_noLocks
  public mutating func forget(before frame: Int64) {
    level.forget(before: frame)
    music.forget(before: frame)
    var layer = 0
    while layer < layerCount {
      if layers[layer].end <= frame { removeLayer(layer) } else { layer += 1 }
    }
    var index = 0
    while index < count {
      if segments[index].end <= frame { remove(index) } else { index += 1 }
    }
  }

  @_noAllocation @_noLocks
  private mutating func append(_ segment: Segment) {
    // Full only if a flood outran the device; the oldest is the nearest to silence.
    if count == MixTimeline.capacity { remove(0) }
    segments[count] = segment
    count += 1
  }

  @_noAllocation @_noLocks
  private mutating func remove(_ index: Int) {
    var at = index + 1
    while at < count {
      segments[at - 1] = segments[at]
      at += 1
    }
    count -= 1
  }

  // MARK: Questions

  /// The first frame after every segment that has an end.
  private var lastEnd: Int64 {
    @_noAllocation @_noLocks get {
      var last: Int64 = 0
      var index = 0
      while index < count {
        if !segments[index].isOpen { last = max(last, segments[index].end) }
        index += 1
      }
      return last
    }
  }

  /// The index of the segment that goes on, -1 when none does.
  public var open: Int {
    @_noAllocation @_noLocks get {
      var index = 0
      while index < count {
        if segments[index].isOpen { return index }
        index += 1
      }
      return -1
    }
  }

  /// While held: the frame from which on only silence follows. -1 when not held, or while a layer
  /// sounds whose end is not known.
  public var holdAt: Int64 {
    @_noAllocation @_noLocks get {
      if !wish.isHeld { return -1 }
      let layers = layersEnd
      return layers == .max ? -1 : max(max(lastEnd, effect), layers)
    }
  }

  /// The first frame at which no layer sounds any more; 0 when none does.
  public var layersEnd: Int64 {
    @_noAllocation @_noLocks get {
      var last: Int64 = 0
      var index = 0
      while index < layerCount {
        last = max(last, layers[index].end)
        index += 1
      }
      return last
    }
  }

  /// The slots that sound at or after `frame`, or are held: a bit each.
  @_noAllocation @_noLocks
  public func slots(from frame: Int64) -> UInt64 {
    var mask: UInt64 = heldSlot >= 0 ? 1 << UInt64(heldSlot) : 0
    var index = 0
    while index < count {
      if segments[index].end > frame { mask |= 1 << UInt64(segments[index].slot) }
      index += 1
    }
    return mask
  }

  /// The clips that its layers name, a bit each.
  public var clips: UInt64 {
    @_noAllocation @_noLocks get {
      var mask: UInt64 = 0
      var index = 0
      while index < layerCount {
        mask |= 1 << UInt64(layers[index].clip)
        index += 1
      }
      return mask
    }
  }

  /// The oldest frame of a slot's source that frames from `frame` on can need; `Int64.max` when
  /// they need none.
  @_noAllocation @_noLocks
  public func floor(of slot: Int, from frame: Int64) -> Int64 {
    var oldest = heldSlot == slot ? heldFrame : Int64.max
    var index = 0
    while index < count {
      if segments[index].slot == slot && segments[index].end > frame {
        oldest = min(oldest, segments[index].source(at: max(frame, segments[index].begin)))
      }
      index += 1
    }
    return oldest
  }

  /// What is heard at a frame, as slot and source frame: what goes on, from the moment it was
  /// asked for; while held, what falls to silence, then the held frame. `slot` is -1 when nothing
  /// was asked for yet.
  @_noAllocation @_noLocks
  public func heard(at frame: Int64) -> (slot: Int, sourceFrame: Int64) {
    if heldSlot >= 0 {
      var index = count - 1
      while index >= 0 {
        let segment = segments[index]
        if segment.slot == heldSlot && frame < segment.end {
          return (heldSlot, segment.source(at: max(frame, segment.begin)))
        }
        index -= 1
      }
      return (heldSlot, heldFrame)
    }
    let index = open
    if index < 0 { return (-1, 0) }
    return (segments[index].slot, segments[index].source(at: max(frame, segments[index].begin)))
  }

  /// The first frame after `frame` at which the mix is made otherwise: pieces between such frames
  /// need no look at the segments' bounds.
  @_noAllocation @_noLocks
  public func nextChange(after frame: Int64, before limit: Int64) -> Int64 {
    var next = limit
    var index = 0
    while index < count {
      let segment = segments[index]
      next = nearest(segment.begin, after: frame, before: next)
      next = nearest(segment.begin + segment.fadeIn, after: frame, before: next)
      next = nearest(segment.fadeOutBegin, after: frame, before: next)
      next = nearest(segment.end, after: frame, before: next)
      index += 1
    }
    index = 0
    while index < layerCount {
      let layer = layers[index]
      next = nearest(layer.begin, after: frame, before: next)
      next = nearest(layer.end, after: frame, before: next)
      index += 1
    }
    next = nearest(music.settledFrom, after: frame, before: next)
    return nearest(level.settledFrom, after: frame, before: next)
  }

  @_noAllocation @_noLocks
  private func nearest(_ candidate: Int64, after frame: Int64, before limit: Int64) -> Int64 {
    candidate > frame && candidate < limit ? candidate : limit
  }
}
