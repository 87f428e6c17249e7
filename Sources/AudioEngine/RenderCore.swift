import CRealtime
import Realtime
import Synchronization

/// The renderer's memory. Lives at a fixed address; the device's thread works on it through the
/// pointer, so that nothing is retained, allocated or locked.
@safe struct RenderCore: ~Copyable {
  private(set) var rings: UnsafeMutablePointer<SourceRing>
  private var ringCount = 0
  /// Written by the control thread before the wish that names it is published, and again only when
  /// no wish and no timeline names it any more.
  let clips: UnsafeMutablePointer<Clip>
  private var channels = 0

  // Wishes: control and decoder threads (one at a time) -> device's thread.
  private let wishBuffer = TripleBuffer()
  private let wishCells: UnsafeMutablePointer<MixWish>
  // Timelines: device's thread -> control thread.
  private let timelineBuffer = TripleBuffer()
  private let timelineCells: UnsafeMutablePointer<MixTimeline>

  // The device's thread's own: the timeline it renders, and how it was before the last turn.
  private let timeline: UnsafeMutablePointer<MixTimeline>
  private let before: UnsafeMutablePointer<MixTimeline>

  /// The frame of the last `heard`. The device's thread only.
  private let told = Atomic<Int64>(0)
  let busy = Atomic<UInt64>(0)
  /// The clips that may still be rendered, a bit each; up to date with `taken`.
  let named = Atomic<UInt64>(0)
  let taken = Atomic<Int>(0)
  let events = Atomic<UInt32>(0)
  let starved = Atomic<Bool>(false)
  private let controlEvent: Int32
  private let decoderEvent: Int32
  /// Free frames of a ring from which on the decoder is woken: it then has a good second to decode
  /// in one go, and sleeps the longer.
  private var wakeAt: Int64 = .max

  init(controlEvent: Int32, decoderEvent: Int32) {
    self.controlEvent = controlEvent
    self.decoderEvent = decoderEvent
    unsafe rings = .allocate(capacity: Renderer.slots)
    unsafe clips = .allocate(capacity: Renderer.clips)
    unsafe clips.initialize(repeating: Clip(), count: Renderer.clips)
    unsafe wishCells = .allocate(capacity: 3)
    unsafe wishCells.initialize(repeating: MixWish(), count: 3)
    let empty = MixTimeline(fadeFrames: 0)
    unsafe timelineCells = .allocate(capacity: 3)
    unsafe timelineCells.initialize(repeating: empty, count: 3)
    unsafe timeline = .allocate(capacity: 1)
    unsafe timeline.initialize(to: empty)
    unsafe before = .allocate(capacity: 1)
    unsafe before.initialize(to: empty)
  }

  mutating func prepare(ringFrames frames: Int, channels: Int, fadeFrames: Int64) {
    self.channels = channels
    for slot in 0..<Renderer.slots {
      unsafe (rings + slot).initialize(to: SourceRing(frames: frames, channels: channels))
    }
    ringCount = Renderer.slots
    wakeAt = unsafe rings[0].capacity / 3
    unsafe timeline.pointee = MixTimeline(fadeFrames: fadeFrames)
    unsafe before.pointee = timeline.pointee
  }

  func free() {
    for slot in 0..<ringCount { unsafe rings[slot].deallocate() }
    unsafe rings.deallocate()
    unsafe clips.deallocate()
    wishBuffer.deallocate()
    unsafe wishCells.deallocate()
    timelineBuffer.deallocate()
    unsafe timelineCells.deallocate()
    unsafe timeline.deallocate()
    unsafe before.deallocate()
  }

  // MARK: Control and decoder threads

  func publish(_ wish: MixWish) {
    unsafe wishCells[wishBuffer.writeCell] = wish
    wishBuffer.publish()
  }

  func newestTimeline() -> MixTimeline { unsafe timelineCells[timelineBuffer.readCell()] }

  // MARK: The device's thread

  /// See sotto_renderer.turn.
  @_noAllocation @_noLocks
  func turn(at frame: Int64, again: Bool) -> sotto_turn {
    sotto_rt_enter()
    if again { unsafe timeline.pointee = before.pointee }
    let wish = unsafe wishCells[wishBuffer.readCell()]
    let isNew = unsafe wish.serial != timeline.pointee.wish.serial
    if isNew {
      unsafe before.pointee = timeline.pointee
      unsafe timeline.pointee.apply(wish, at: frame)
      unsafe timelineCells[timelineBuffer.writeCell] = timeline.pointee
      timelineBuffer.publish()
      tellBusy()
      taken.store(wish.serial, ordering: .releasing)
      event(UInt32(SOTTO_EVENT_TAKEN))
    }
    let turn = unsafe sotto_turn(
      rewrite: isNew, sounding: timeline.pointee.open >= 0 || timeline.pointee.layersEnd > frame,
      hold_at: timeline.pointee.holdAt)
    sotto_rt_leave()
    return turn
  }

  /// See sotto_renderer.render.
  @_noAllocation @_noLocks
  func render(frame: Int64, into out: UnsafeMutablePointer<Float>, frames: Int64)
    -> sotto_rendered
  {
    sotto_rt_enter()
    let mixer = unsafe Mixer(rings: rings, clips: clips, channels: channels)
    let rendered = unsafe mixer.render(timeline.pointee, frame: frame, into: out, frames: frames)
    if rendered.frames < frames && !rendered.finished {
      starved.store(true, ordering: .releasing)
      sotto_rt_signal(decoderEvent)
    }
    sotto_rt_leave()
    return rendered
  }

  /// See sotto_renderer.heard.
  @_noAllocation @_noLocks
  func heard(before frame: Int64) {
    sotto_rt_enter()
    unsafe timeline.pointee.forget(before: frame)
    unsafe before.pointee.forget(before: frame)
    told.store(frame, ordering: .relaxed)
    tellBusy()
    var slot = 0
    var wakes = false
    while slot < ringCount {
      let floor = unsafe timeline.pointee.floor(of: slot, from: frame)
      if floor != .max {
        let ring = unsafe rings[slot]
        ring.release(before: floor)
        let room = floor + ring.capacity - ring.written
        if ring.total < 0 && room >= wakeAt { wakes = true }
      }
      slot += 1
    }
    if wakes { sotto_rt_signal(decoderEvent) }
    sotto_rt_leave()
  }

  /// A slot is in use until all of it has been heard, not only queued: until then `heard` keeps its
  /// history. So is a clip, whose layer `heard` forgets. The timeline before the last turn counts
  /// too, since that turn may be taken again.
  @_noAllocation @_noLocks
  private func tellBusy() {
    let heard = told.load(ordering: .relaxed)
    let slots = unsafe timeline.pointee.slots(from: heard) | before.pointee.slots(from: heard)
    busy.store(slots, ordering: .releasing)
    let clips = unsafe timeline.pointee.clips | before.pointee.clips
    named.store(clips, ordering: .releasing)
  }

  /// See sotto_renderer.event.
  @_noAllocation @_noLocks
  func event(_ bits: UInt32) {
    sotto_rt_enter()
    events.bitwiseOr(bits, ordering: .acquiringAndReleasing)
    sotto_rt_signal(controlEvent)
    sotto_rt_leave()
  }
}
