import AudioTypes
import CRealtime
import OutputInterface
import Synchronization

/// Another output, and a copy of all that is handed to it: what was rendered can be looked at as
/// samples (`sotto scenario`). Not meant for everyday playing: the copy grows with time.
public struct RecordingBackend: OutputBackend {
  private let output: any OutputBackend
  private let seconds: Double
  private let onOpen: @Sendable (Recording) -> Void

  public var descriptor: BackendDescriptor { output.descriptor }

  /// - Parameters:
  ///   - seconds: how much is kept of each stream, from its beginning.
  ///   - onOpen: gets each stream's recording, on the thread that opens it.
  public init(
    _ output: any OutputBackend, seconds: Double, onOpen: @escaping @Sendable (Recording) -> Void
  ) {
    self.output = output
    self.seconds = seconds
    self.onOpen = onOpen
  }

  public func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    let recording = unsafe Recording(renderer, role: request.role)
    let stream = try unsafe output.open(request, renderer: recording.face)
    recording.begin(stream, seconds: seconds)
    onOpen(recording)
    return stream
  }

  public func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    try output.openMicrophone(request)
  }

  public func eventStreams(device: String?) -> EventStreams { output.eventStreams(device: device) }

  public func survey() throws(OutputError) -> ServerSurvey { try output.survey() }
}

/// What one stream was given, frame by frame of its own timeline. A frame that is rendered again
/// replaces what stood there: what is kept is what was meant to be heard in the end. Must live until
/// its stream is closed.
@safe public final class Recording: @unchecked Sendable {
  private let core: UnsafeMutablePointer<RecordingCore>
  private var stream: (any OutputStream)?

  /// What the stream was opened for.
  public let role: StreamRole

  fileprivate init(_ renderer: sotto_renderer, role: StreamRole) {
    self.role = role
    unsafe core = .allocate(capacity: 1)
    unsafe core.initialize(to: RecordingCore(renderer: renderer))
  }

  deinit {
    unsafe core.pointee.samples?.deallocate()
    unsafe core.deinitialize(count: 1)
    unsafe core.deallocate()
  }

  /// Before the stream's first kick, and so before anything is rendered.
  fileprivate func begin(_ stream: any OutputStream, seconds: Double) {
    self.stream = stream
    let frames = stream.format.frame(atSeconds: seconds)
    let count = Int(frames) * stream.format.channels
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
    unsafe core.pointee.samples = samples
    unsafe core.pointee.frames = frames
    unsafe core.pointee.channels = Int64(stream.format.channels)
  }

  public var format: AudioFormat { stream?.format ?? AudioFormat(sampleRate: 1, layout: .stereo) }

  /// The frame that is heard now, and so the end of what is sure.
  public var heard: Int64 { stream?.clock().heard ?? 0 }

  /// How often the device had gone on before it could be told: a machine that is too busy. Each time
  /// something else was heard than what is kept here, for some milliseconds.
  public var late: Int { (stream as? DeviceStream)?.rewinds.late ?? 0 }

  /// How many frames are kept at most.
  public var capacity: Int64 { unsafe core.pointee.frames }

  /// One channel of the frames, which must have been heard: silence where nothing was rendered or
  /// nothing is kept.
  public func channel(_ channel: Int, _ frames: Range<Int64>) -> [Float] {
    let channels = format.channels
    return frames.map { frame in
      guard frame >= 0, frame < capacity, channel < channels,
        let samples = unsafe core.pointee.samples
      else { return 0 }
      return unsafe samples[Int(frame) * channels + channel]
    }
  }

  /// The face that the output gets in the renderer's place.
  fileprivate var face: sotto_renderer {
    unsafe sotto_renderer(
      context: core, turn: recordingTurn, render: recordingRender, heard: recordingHeard,
      event: recordingEvent)
  }
}

/// What the device's thread needs.
@safe private struct RecordingCore {
  let renderer: sotto_renderer
  var samples: UnsafeMutablePointer<Float>?
  var frames: Int64 = 0
  var channels: Int64 = 0

  init(renderer: sotto_renderer) { unsafe self.renderer = renderer }
}

// On the device's thread. They pass everything on, and copy what was rendered.

private func recordingTurn(_ context: UnsafeMutableRawPointer?, _ frame: Int64, _ again: Bool)
  -> sotto_turn
{
  let core = unsafe context!.assumingMemoryBound(to: RecordingCore.self)
  return unsafe core.pointee.renderer.turn(core.pointee.renderer.context, frame, again)
}

private func recordingRender(
  _ context: UnsafeMutableRawPointer?, _ frame: Int64, _ out: UnsafeMutablePointer<Float>?,
  _ frames: Int64
) -> sotto_rendered {
  let core = unsafe context!.assumingMemoryBound(to: RecordingCore.self)
  let rendered = unsafe core.pointee.renderer.render(
    core.pointee.renderer.context, frame, out, frames)
  let kept = unsafe min(rendered.frames, core.pointee.frames - frame)
  if kept > 0, frame >= 0, let samples = unsafe core.pointee.samples, let out = unsafe out {
    let channels = unsafe core.pointee.channels
    unsafe sotto_rt_copy(samples + Int(frame * channels), out, kept * channels)
  }
  return rendered
}

private func recordingHeard(_ context: UnsafeMutableRawPointer?, _ frame: Int64) {
  let core = unsafe context!.assumingMemoryBound(to: RecordingCore.self)
  unsafe core.pointee.renderer.heard(core.pointee.renderer.context, frame)
}

private func recordingEvent(_ context: UnsafeMutableRawPointer?, _ events: UInt32) {
  let core = unsafe context!.assumingMemoryBound(to: RecordingCore.self)
  unsafe core.pointee.renderer.event(core.pointee.renderer.context, events)
}
