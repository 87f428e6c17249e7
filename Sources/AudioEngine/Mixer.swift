import CRealtime
import Realtime

/// The sources and the pure function that mixes them. A handle; the memory is freed by its owner.
@safe struct Mixer {
  /// One ring a slot.
  let rings: UnsafeMutablePointer<SourceRing>
  let channels: Int

  @_noAllocation @_noLocks
  init(rings: UnsafeMutablePointer<SourceRing>, channels: Int) {
    unsafe self.rings = rings
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
    if timeline.open < 0 {
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
    var index = 0
    while index < timeline.count {
      let segment = timeline.segment(index)
      index += 1
      if segment.begin > from || segment.end <= from { continue }
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
  }

  /// The first source of a piece: written, not added, so that gain 1 leaves its samples untouched.
  @_noAllocation @_noLocks
  private func put(
    _ samples: UnsafeMutablePointer<Float>, _ timeline: MixTimeline, _ segment: Segment,
    at: Int64, frames: Int64, into out: UnsafeMutablePointer<Float>
  ) {
    let settled = timeline.level.settledFrom <= at
    if settled && segment.isFlat(from: at, to: at + frames) {
      let gain = timeline.level.target
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
      let gain = segment.fade(at: at + frame) * timeline.level.value(at: at + frame)
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
      let gain = segment.fade(at: at + frame) * timeline.level.value(at: at + frame)
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
