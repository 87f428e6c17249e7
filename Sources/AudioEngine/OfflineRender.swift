import AudioTypes
import Decoding
import Realtime

/// The path of playing without a device and without a clock: the same pipeline, ring, timeline and
/// mixer, run as fast as they go (`sotto render`).
///
/// With no option the samples are the decoder's own, at the file's rate and with its channels.
@safe public struct OfflineRender {
  /// What comes out.
  public let format: AudioFormat
  private let pipeline: Pipeline
  private let limit: Int64

  /// - Parameters:
  ///   - rate: frames a second; `nil` is the file's own.
  ///   - from: seconds of the track at which to begin.
  ///   - to: seconds at which to end; `nil` is the end.
  public init(
    location: TrackLocation, rate: Int? = nil, from: Double? = nil, to: Double? = nil,
    gain: LoudnessMode = .off
  ) throws(DecodingError) {
    let track = try OpenTrack(index: 0, location: location, loudness: gain)
    var format = track.decoder.format
    if let rate { format.sampleRate = rate }
    self.format = format
    let begin = format.frame(atSeconds: from ?? 0)
    limit = to.map { max(format.frame(atSeconds: $0) - begin, 0) } ?? .max
    pipeline = try Pipeline(track.decoder, gain: track.gain, target: format, at: begin)
    pipeline.finish()
  }

  /// Renders everything and gives it to `sink` piece by piece, interleaved. Throws what the sink
  /// throws, or the DecodingError that broke the track off after its sound pieces were given.
  public func run(_ sink: (UnsafeBufferPointer<Float>) throws -> Void) throws {
    let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
    renderer.prepare(
      sampleRate: format.sampleRate, channels: format.channels, fadeFrames: 0,
      // Nothing of it is asked for twice.
      ringFrames: 16_384)
    let ring = renderer.ring(0)
    let device = unsafe renderer.core
    renderer.send { $0.jump = 1 }
    _ = unsafe device.pointee.turn(at: 0, again: false)
    let block = 4096
    let out = UnsafeMutableBufferPointer<Float>.allocate(capacity: block * format.channels)
    defer { unsafe out.deallocate() }
    var frame: Int64 = 0
    var broken: DecodingError?
    while frame < limit {
      if ring.total < 0 {
        do throws(DecodingError) {
          let run = unsafe ring.writableRun()
          let count = min(run.count, block * format.channels)
          ring.commit(
            frames: try unsafe pipeline.read(
              into: UnsafeMutableBufferPointer(rebasing: run[..<count])))
          if pipeline.isOver { ring.finish() }
        } catch {
          broken = error
          ring.finish()
        }
      }
      let rendered = unsafe device.pointee.render(
        frame: frame, into: out.baseAddress!, frames: min(Int64(block), limit - frame))
      if rendered.frames > 0 {
        try unsafe sink(
          UnsafeBufferPointer(rebasing: out[..<(Int(rendered.frames) * format.channels)]))
      }
      frame += rendered.frames
      unsafe device.pointee.heard(before: frame)
      if rendered.finished { break }
    }
    if let broken { throw broken }
  }
}
