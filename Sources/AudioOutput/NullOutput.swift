import AudioTypes
import CRealtime
import OutputInterface
import Synchronization

/// The null output: a simulated device with a real clock. Never chosen unless asked for.
public struct NullBackend: OutputBackend {
  public let descriptor = BackendDescriptor(
    name: "null", title: "a simulated device that nobody hears", isAutomatic: false)
  private let knobs: SimulationKnobs
  private let pace: SimulationPace
  private let sink: any SimulationSink
  private let onOpen: @Sendable (SimulatedStream) -> Void

  /// - Parameters:
  ///   - sink: gets the frames as they are heard (tests).
  ///   - onOpen: gets each stream that is opened (tests drive its clock).
  public init(
    knobs: SimulationKnobs = SimulationKnobs(), pace: SimulationPace = .real,
    sink: any SimulationSink = SilentSink(),
    onOpen: @escaping @Sendable (SimulatedStream) -> Void = { _ in }
  ) {
    self.knobs = knobs
    self.pace = pace
    self.sink = sink
    self.onOpen = onOpen
  }

  public func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    if let error = knobs.openError { throw error }
    if request.role == .event, let error = knobs.eventOpenError { throw error }
    let format = AudioFormat(
      sampleRate: request.sampleRate ?? knobs.sampleRate, layout: request.layout)
    let stream = unsafe SimulatedStream(
      format: format, deviceName: "Null output", knobs: knobs, pace: pace, renderer: renderer,
      sink: sink)
    try stream.start()
    onOpen(stream)
    return stream
  }

  public func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    guard let sound = knobs.microphone else {
      throw OutputError(.noDevice, "there is no microphone")
    }
    return SimulatedMicrophone(sound: sound, knobs: knobs, clock: knobs.microphoneClock)
  }

  public func eventStreams(device: String?) -> EventStreams { knobs.eventStreams }

  public func survey() throws(OutputError) -> ServerSurvey {
    ServerSurvey(
      server: "Null output",
      devices: [
        DeviceFacts(
          name: "null", description: "Null output", isDefault: true, routeClass: .speaker,
          sampleRate: knobs.sampleRate, channels: 2,
          volume: DeviceVolume(percent: 100, isMuted: false))
      ])
  }
}

/// Hears and forgets.
public final class SilentSink: SimulationSink {
  public init() {}
  public func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {}
  public func finish() throws(OutputError) {}
}
