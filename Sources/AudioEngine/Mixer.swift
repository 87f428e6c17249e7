import CRealtime
import Realtime

/// The sources and the pure function that mixes them. A handle; the memory is freed by its owner.
@safe struct Mixer {
  /// One ring a slot.
  let rings: UnsafeMutablePointer<SourceRing>
  /// What layers may name.
  let clips: UnsafeMutablePointer<Clip>
  let channels: Int

  @_noAllocation @_noLocks
  init(
    rings: UnsafeMutablePointer<SourceRing>, clips: UnsafeMutablePointer<Clip>, channels: Int
  ) {
    unsafe self.rings = rings
    unsafe self.clips = clips
    self.channels = channels
  }

  /// Renders frames [frame, frame + frames) of the timeline into `out`, interleaved. Depends on
  /// nothing but the timeline and the sources' frames: rendered again, in whatever pieces, the
  /// samples come out bit for bit the same.
  @_noAllocation @_noLocks
  func render(
    _ timeline: MixTimeline, frame: Int64, into out: UnsafeMutablePointer<Float>,
    frames: Int64
  ) -> sotto_rendered {
    let extent = extent(timeline, frame: frame, frames: frames)
    var at = frame
    let end = frame + extent.frames
    while at < end {
      let next = timeline.nextChange(after: at, before: end)
      unsafe mix(timeline, from: at, to: next, into: out + Int(at - frame) * channels)
      at = next
    }
    return extent
  }

  /// How many of the frames exist by now: a source that is still being decoded ends the render
  /// short (never silence in its place), a source that has ended finishes it.
  @_noAllocation @_noLocks
  private func extent(_ timeline: MixTimeline, frame: Int64, frames: Int64)
    -> sotto_rendered
  {
    var ready = frame + frames  // before it, every source has what it needs
    var over = frame  // from it on, no source sounds
    var index = 0
    while index < timeline.count {
      let segment = timeline.segment(index)
      index += 1
      if segment.end <= frame { continue }
      let ring = unsafe rings[segment.slot]
      let total = ring.total
      if total >= 0 {
        over = max(over, min(segment.end, segment.begin + (total - segment.sourceBegin)))
      } else {
        over = max(over, segment.end)
        let written = segment.begin + (ring.written - segment.sourceBegin)
        if written < min(ready, segment.end) { ready = max(frame, written) }
      }
    }
    let layers = timeline.layersEnd
    over = max(over, layers)
    if timeline.open < 0 {
      // Not held, and nothing of the music was asked for yet: as far as the layers go.
      if !timeline.wish.isHeld && layers > frame {
        return sotto_rendered(frames: min(ready, layers) - frame, finished: layers <= ready)
      }
      // Held: silence follows. Nothing asked for yet: there are no frames.
      return sotto_rendered(frames: timeline.wish.isHeld ? ready - frame : 0, finished: false)
    }
    let end = min(ready, over)
    return sotto_rendered(frames: end - frame, finished: end == over)
  }

  /// Mixes a piece within which no segment begins, ends or begins to fade.
  @_noAllocation @_noLocks
  private func mix(
    _ timeline: MixTimeline, from: Int64, to: Int64,
    into out: UnsafeMutablePointer<Float>
  ) {
    var isFirst = true
    // How many sounds meet here; fades of the music into itself do not count.
    var count = 0
    var index = 0
    while index < timeline.count {
      let segment = timeline.segment(index)
      index += 1
      if segment.begin > from || segment.end <= from { continue }
      count = 1
      let ring = unsafe rings[segment.slot]
      let total = ring.total
      // Past a complete source's end there is silence.
      let last =
        total >= 0 ? max(from, min(to, segment.begin + (total - segment.sourceBegin))) : to
      var at = from
      while at < last {
        let run = unsafe ring.run(at: segment.source(at: at))
        let length = unsafe min(run.frames, last - at)
        let target = unsafe out + Int(at - from) * channels
        if isFirst {
          unsafe put(run.samples, timeline, segment, at: at, frames: length, into: target)
        } else {
          unsafe add(run.samples, timeline, segment, at: at, frames: length, into: target)
        }
        at += length
      }
      if isFirst {
        unsafe sotto_rt_zero(
          out + Int(last - from) * channels, (to - last) * Int64(channels))
        isFirst = false
      }
    }
    if isFirst { unsafe sotto_rt_zero(out, (to - from) * Int64(channels)) }
    index = 0
    while index < timeline.layerCount {
      let layer = timeline.layer(index)
      index += 1
      if layer.begin > from || layer.end <= from { continue }
      unsafe add(layer, timeline, from: from, to: to, into: out, isAlone: count == 0)
      count += 1
    }
  }

  /// Adds a layer's samples, which a clip has from its beginning on, again and again if it loops.
  /// Beside other sound it takes the room that this leaves.
  @_noAllocation @_noLocks
  private func add(
    _ layer: Layer, _ timeline: MixTimeline, from: Int64, to: Int64,
    into out: UnsafeMutablePointer<Float>, isAlone: Bool
  ) {
    let clip = unsafe clips[layer.clip]
    guard let samples = unsafe clip.samples, clip.frames > 0 else { return }
    var source = layer.sourceBegin + (from - layer.begin)
    if layer.isLooping { source %= clip.frames }
    let isFlat =
      timeline.level.settledFrom <= from && from >= layer.begin + layer.fadeIn
      && to <= layer.fadeOutBegin
    let flat = layer.gain * timeline.level.target
    var frame = from
    while frame < to {
      if source >= clip.frames {
        if !layer.isLooping { return }
        source = 0
      }
      let gain =
        isFlat ? flat : layer.gain * layer.fade(at: frame) * timeline.level.value(at: frame)
      let base = Int(frame - from) * channels
      let first = Int(source) * channels
      var channel = 0
      while channel < channels {
        let sample = unsafe samples[first + channel] * gain
        let other = unsafe out[base + channel]
        unsafe out[base + channel] = other + (isAlone ? sample : Self.fitted(sample, beside: other))
        channel += 1
      }
      source += 1
      frame += 1
    }
  }

  /// A layer's sample, bent so that the sum with what sounds already never leaves the range: unchanged
  /// up to 0.8 of the room that is left on its side, and always less than all of it. What was there
  /// stays as it is, bit for bit where the layer is silent (S25). Without memory, so that the mix
  /// stays a function of its frames.
  @_noAllocation @_noLocks
  static func fitted(_ sample: Float, beside other: Float) -> Float {
    let room = max(sample < 0 ? 1 + other : 1 - other, 0)
    let size = abs(sample)
    let knee = 0.8 * room
    if size <= knee { return sample }
    if room == 0 { return 0 }
    let over = (size - knee) / (room - knee)
    let bent = knee + (room - knee) * (over / (1 + over))
    return sample < 0 ? -bent : bent
  }

  /// The first source of a piece: written, not added, so that gain 1 leaves its samples untouched.
  @_noAllocation @_noLocks
  private func put(
    _ samples: UnsafeMutablePointer<Float>, _ timeline: MixTimeline, _ segment: Segment,
    at: Int64, frames: Int64, into out: UnsafeMutablePointer<Float>
  ) {
    let settled = timeline.level.settledFrom <= at && timeline.music.settledFrom <= at
    if settled && segment.isFlat(from: at, to: at + frames) {
      let gain = timeline.level.target * timeline.music.target
      if gain == 1 {
        unsafe sotto_rt_copy(out, samples, frames * Int64(channels))
      } else {
        let count = Int(frames) * channels
        var index = 0
        while index < count {
          unsafe out[index] = samples[index] * gain
          index += 1
        }
      }
      return
    }
    var frame: Int64 = 0
    while frame < frames {
      let gain =
        segment.fade(at: at + frame) * timeline.level.value(at: at + frame)
        * timeline.music.value(at: at + frame)
      let base = Int(frame) * channels
      var channel = 0
      while channel < channels {
        unsafe out[base + channel] = samples[base + channel] * gain
        channel += 1
      }
      frame += 1
    }
  }

  @_noAllocation @_noLocks
  private func add(
    _ samples: UnsafeMutablePointer<Float>, _ timeline: MixTimeline, _ segment: Segment,
    at: Int64, frames: Int64, into out: UnsafeMutablePointer<Float>
  ) {
    var frame: Int64 = 0
    while frame < frames {
      let gain =
        segment.fade(at: at + frame) * timeline.level.value(at: at + frame)
        * timeline.music.value(at: at + frame)
      let base = Int(frame) * channels
      var channel = 0
      while channel < channels {
        unsafe out[base + channel] += samples[base + channel] * gain
        channel += 1
      }
      frame += 1
    }
  }
}
