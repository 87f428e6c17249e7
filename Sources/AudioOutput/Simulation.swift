import CRealtime
import OutputInterface

/// The state of a simulated device: a queue of frames, how far it has been heard, and what is due.
///
/// Sendable because only the stream's lock reaches it.
@safe struct Simulation: @unchecked Sendable {
  private let renderer: sotto_renderer
  private let channels: Int
  private let rate: Int
  private let knobs: SimulationKnobs
  private let isFree: Bool
  private let sink: any SimulationSink
  /// Queued frames, by absolute frame modulo capacity.
  private var queue: [Float]
  private let capacity: Int64

  private(set) var written: Int64 = 0
  private(set) var heard: Int64 = 0
  private(set) var isCorked = true
  /// False until the first turn: before it the renderer is not ready.
  private var hasBegun = false
  private(set) var underruns = 0
  private(set) var failure: OutputError?
  /// Closed: the renderer may be gone.
  private(set) var isClosed = false
  private(set) var volume = DeviceVolume(percent: 100, isMuted: false)
  private var holdAt: Int64 = -1
  private var finishedAt: Int64 = -1
  private var isHeldReported = true
  private var hasUnderrun = false
  /// True from running dry until frames come again: it is told once.
  private var isDry = false
  /// While it runs: the moment at which `heard` was `baseFrame`.
  private var baseTime: Int64 = 0
  private var baseFrame: Int64 = 0

  init(
    renderer: sotto_renderer, channels: Int, rate: Int, knobs: SimulationKnobs, isFree: Bool,
    sink: any SimulationSink
  ) {
    unsafe self.renderer = unsafe renderer
    self.channels = channels
    self.rate = rate
    self.knobs = knobs
    self.isFree = isFree
    self.sink = sink
    let seconds = knobs.canRewind ? knobs.bufferSeconds : min(knobs.bufferSeconds, 0.06)
    capacity = isFree ? 4096 : max(Int64(Double(rate) * seconds), 64)
    queue = Array(repeating: 0, count: Int(capacity) * channels)
  }

  // MARK: Time

  mutating func advance(toTime now: Int64) {
    guard !isCorked, !isFree, !isClosed else { return }
    let elapsed = Double(now - baseTime) * 1e-9 * Double(rate)
    advance(toFrame: baseFrame + Int64(elapsed))
    if heard == written || isCorked { rebase(now) }
  }

  private mutating func rebase(_ now: Int64) {
    baseTime = now
    baseFrame = heard
  }

  /// Hears what is queued up to `target`.
  mutating func advance(toFrame target: Int64) {
    guard !isCorked, failure == nil, !isClosed else { return }
    if let lose = knobs.loseAtFrame, target >= lose {
      hear(to: min(lose, written))
      return fail(OutputError(.deviceLost, "the device is gone"))
    }
    if let dry = knobs.underrunAtFrame, !hasUnderrun, target >= dry {
      hear(to: min(dry, written))
      hasUnderrun = true
      underruns += 1
      rebase(sotto_monotonic_ns() + 100_000_000)
      return report(SOTTO_EVENT_UNDERRUN)
    }
    let limit = holdAt >= 0 ? min(written, holdAt) : written
    hear(to: min(target, limit))
    if target > written && finishedAt != written && holdAt < 0 && !isDry && failure == nil {
      isDry = true
      underruns += 1
      report(SOTTO_EVENT_UNDERRUN)
    }
    settle()
  }

  private mutating func hear(to target: Int64) {
    while heard < target {
      let offset = heard % capacity
      let count = min(target - heard, capacity - offset)
      do throws(OutputError) {
        unsafe try queue.withUnsafeBufferPointer { (all) throws(OutputError) in
          let range = Int(offset) * channels..<Int(offset + count) * channels
          try unsafe sink.hear(UnsafeBufferPointer(rebasing: all[range]))
        }
      } catch {
        return fail(error)
      }
      heard += count
    }
  }

  /// Corks where a hold or the end has been heard.
  private mutating func settle() {
    if holdAt >= 0 && heard >= holdAt && !isHeldReported {
      isCorked = true
      isHeldReported = true
      report(SOTTO_EVENT_HELD)
    } else if finishedAt >= 0 && heard >= finishedAt && !isCorked {
      isCorked = true
      report(SOTTO_EVENT_FINISHED)
    }
  }

  private mutating func fail(_ error: OutputError) {
    failure = error
    isCorked = true
    report(SOTTO_EVENT_LOST)
  }

  private func report(_ event: some BinaryInteger) {
    unsafe renderer.event(renderer.context, UInt32(event))
  }

  // MARK: The renderer

  /// The earliest frame that can still be changed.
  private var changeable: Int64 {
    if isCorked { return heard }  // nothing of it was taken: what is queued is dropped
    if !knobs.canRewind || isFree { return written }
    let burst = Int64(max(knobs.burstFrames, 1))
    let taken = heard + Int64(knobs.latencyFrames)
    return min(written, (taken + burst - 1) / burst * burst)
  }

  mutating func takeTurn() {
    guard failure == nil, !isClosed else { return }
    hasBegun = true
    unsafe renderer.heard(renderer.context, heard)
    let frame = changeable
    let turn = unsafe renderer.turn(renderer.context, frame, false)
    if turn.rewrite {
      written = frame
      finishedAt = -1
      holdAt = turn.hold_at
      isHeldReported = holdAt < 0
    }
    fill()
    if turn.sounding && isCorked && (written > heard || finishedAt >= 0) {
      isCorked = false
      rebase(sotto_monotonic_ns())
      report(SOTTO_EVENT_STARTED)
    }
    settle()
  }

  /// Renders until the queue is full, the source is behind, or it is over.
  mutating func fill() {
    guard failure == nil, hasBegun, !isClosed else { return }
    unsafe renderer.heard(renderer.context, heard)
    while written - heard < capacity && finishedAt < 0 {
      // After a hold there is only silence: a device in memory need not store it.
      if holdAt >= 0 && written >= holdAt { break }
      let offset = written % capacity
      var room = min(capacity - (written - heard), capacity - offset)
      if holdAt >= 0 { room = min(room, holdAt - written) }
      let rendered = unsafe queue.withUnsafeMutableBufferPointer { all in
        unsafe renderer.render(
          renderer.context, written, all.baseAddress! + Int(offset) * channels, room)
      }
      written += rendered.frames
      if rendered.frames > 0 { isDry = false }
      if rendered.finished { finishedAt = written }
      if rendered.frames < room { break }
    }
    // A source may be over with its last frame heard already.
    if isFree && !isCorked { settle() }
  }

  // MARK: A file

  /// Copies what a device without time hears next; false when there is nothing.
  func takePiece(into piece: inout [Float]) -> Bool {
    guard isFree, !isCorked, failure == nil, heard < written else { return false }
    let offset = heard % capacity
    let count = min(written - heard, capacity - offset)
    piece.removeAll(keepingCapacity: true)
    piece.append(contentsOf: queue[Int(offset) * channels..<Int(offset + count) * channels])
    return true
  }

  /// What became of that piece.
  mutating func pieceWasHeard(_ piece: [Float], _ error: OutputError?) {
    if let error { return fail(error) }
    heard += Int64(piece.count / channels)
    settle()
  }

  /// True when nothing follows what is queued.
  var isComplete: Bool { finishedAt >= 0 || holdAt >= 0 }

  /// How long the device's thread may sleep; -1 for ever.
  func waitMilliseconds() -> Int32 {
    guard !isCorked, !isFree, failure == nil else { return -1 }
    var due = heard + max((written - heard) / 2, 1)
    if holdAt >= 0 { due = holdAt }
    if finishedAt >= 0 { due = finishedAt }
    if let lose = knobs.loseAtFrame { due = min(due, lose) }
    if let dry = knobs.underrunAtFrame, !hasUnderrun { due = min(due, dry) }
    let frames = max(due - baseFrame, 0)
    let elapsed = Double(sotto_monotonic_ns() - baseTime) * 1e-6
    return Int32(min(max(Double(frames) * 1000 / Double(rate) - elapsed, 0) + 1, 10_000))
  }

  // MARK: The rest

  mutating func setVolume(percent: Int?, isMuted: Bool?) {
    volume.percent = percent ?? volume.percent
    volume.isMuted = isMuted ?? volume.isMuted
    if !isClosed { report(SOTTO_EVENT_VOLUME) }
  }

  /// Completes the sink; what it could not store is the stream's failure.
  mutating func finish() {
    isClosed = true
    do throws(OutputError) { try sink.finish() } catch { failure = failure ?? error }
  }
}
