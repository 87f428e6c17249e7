import AudioTypes
import Decoding
import Realtime

/// What playing gives when things happen at known times: the changes that the session asks for,
/// each at its frame, through the same pipeline, timeline and mixer (`sotto render --replay`).
@safe public struct ScheduledRender {
  /// What is asked of the music; see the functions of the same names in AudioEngine.
  public enum Change: Equatable, Sendable {
    case hold(fade: Double)
    case release(fade: Double)
    case music(decibels: Double, within: Double)
    /// To another place of the track, in seconds: with a fade, or as the next track joins.
    case go(seconds: Double, isJoin: Bool)
  }

  public let format: AudioFormat
  /// The track's length in seconds, where it is known.
  public let duration: Double?
  private let track: OpenTrack

  public init(
    location: TrackLocation, rate: Int? = nil, gain: LoudnessMode = .off
  ) throws(DecodingError) {
    track = try OpenTrack(index: 0, location: location, loudness: gain)
    var format = track.decoder.format
    duration = track.decoder.frames.map { format.seconds(atFrame: $0) }
    if let rate { format.sampleRate = rate }
    self.format = format
  }

  /// Renders from 0 to `end` seconds of the schedule's own time; silence where nothing sounds. At
  /// the start the track is held at its beginning.
  ///
  /// - Parameters:
  ///   - changes: with their times in seconds, in order.
  ///   - begin: what comes before it is rendered and dropped.
  public func run(
    _ changes: [(at: Double, change: Change)], from begin: Double = 0, to end: Double,
    _ sink: (UnsafeBufferPointer<Float>) throws -> Void
  ) throws {
    let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
    renderer.prepare(
      sampleRate: format.sampleRate, channels: format.channels,
      fadeFrames: format.frame(atSeconds: AudioEngine.fadeSeconds),
      // A file's rate may be anything.
      ringFrames: min(format.sampleRate * 4, 1 << 18))
    let last = format.frame(atSeconds: end)
    let first = format.frame(atSeconds: begin)
    var source = Source(
      slot: 0, pipeline: try pipeline(atSeconds: 0, isFresh: true), broken: nil)
    renderer.send { wish in
      wish.jump = 1
      wish.isHeld = true
    }
    let block = 4096
    let out = UnsafeMutableBufferPointer<Float>.allocate(capacity: block * format.channels)
    defer { unsafe out.deallocate() }
    let device = unsafe renderer.core
    _ = unsafe device.pointee.turn(at: 0, again: false)
    var pending = changes[...]
    var frame: Int64 = 0
    while frame < last {
      while let next = pending.first, format.frame(atSeconds: next.at) <= frame {
        pending.removeFirst()
        try apply(next.change, renderer, &source)
        _ = unsafe device.pointee.turn(at: frame, again: false)
      }
      let stop = min(last, pending.first.map { format.frame(atSeconds: $0.at) } ?? last)
      let wanted = min(Int64(block), stop - frame)
      source.feed(renderer.ring(source.slot), frames: block)
      let rendered = unsafe device.pointee.render(
        frame: frame, into: out.baseAddress!, frames: wanted)
      // Where nothing is left of the track there is silence.
      var frames = rendered.frames
      if rendered.finished || rendered.frames == 0 && source.isComplete {
        for index in Int(frames) * format.channels..<Int(wanted) * format.channels {
          unsafe out[index] = 0
        }
        frames = wanted
      }
      let dropped = min(max(first - frame, 0), frames)
      if frames > dropped {
        try unsafe sink(
          UnsafeBufferPointer(
            rebasing: out[Int(dropped) * format.channels..<Int(frames) * format.channels]))
      }
      frame += frames
      unsafe device.pointee.heard(before: frame)
    }
    if let broken = source.broken { throw broken }
  }

  private func pipeline(atSeconds seconds: Double, isFresh: Bool) throws(DecodingError) -> Pipeline
  {
    let pipeline = try Pipeline(
      track.decoder, gain: track.gain, target: format, at: format.frame(atSeconds: seconds),
      isFresh: isFresh)
    pipeline.finish()
    return pipeline
  }

  private func apply(
    _ change: Change, _ renderer: Renderer, _ source: inout Source
  ) throws(DecodingError) {
    switch change {
    case .hold(let fade):
      renderer.send { wish in
        wish.isHeld = true
        wish.holdFade = format.frame(atSeconds: fade)
      }
    case .release(let fade):
      renderer.send { wish in
        wish.isHeld = false
        wish.releaseFade = format.frame(atSeconds: fade)
      }
    case .music(let decibels, let within):
      renderer.send { wish in
        wish.music = Gain(decibels: decibels).linear
        wish.musicRamp = format.frame(atSeconds: within)
      }
    case .go(let seconds, let isJoin):
      // What is left of the old place for its fade has been decoded; nothing more comes of it.
      let old = renderer.ring(source.slot)
      if old.total < 0 { old.finish() }
      let slot = (source.slot + 1) % Renderer.slots
      renderer.ring(slot).reset()
      source = Source(
        slot: slot, pipeline: try pipeline(atSeconds: seconds, isFresh: false), broken: nil)
      source.feed(renderer.ring(slot), frames: 4096)
      renderer.send { wish in
        wish.jump += 1
        wish.slot = slot
        wish.sourceFrame = 0
        wish.fadesIn = seconds > 0 && !isJoin
      }
    }
  }

  /// The pipeline that fills a ring.
  private struct Source {
    var slot: Int
    var pipeline: Pipeline
    var broken: DecodingError?
    var isComplete = false

    /// Decodes as far as the ring has room, at least some blocks.
    mutating func feed(_ ring: SourceRing, frames: Int) {
      while ring.total < 0, ring.writable >= Int64(frames) {
        do throws(DecodingError) {
          let run = unsafe ring.writableRun()
          let count = min(run.count, frames * pipeline.target.channels)
          ring.commit(
            frames: try unsafe pipeline.read(
              into: UnsafeMutableBufferPointer(rebasing: run[..<count])))
          if pipeline.isOver { ring.finish() }
        } catch {
          broken = error
          ring.finish()
        }
      }
      isComplete = ring.total >= 0
    }
  }
}
