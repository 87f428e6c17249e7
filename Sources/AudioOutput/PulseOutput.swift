import AudioTypes
import CAudioOutput
import CRealtime
import OutputInterface

/// PulseAudio, and PipeWire by its PulseAudio service.
public struct PulseBackend: OutputBackend {
  /// The server's address as in PULSE_SERVER; `nil` takes what the environment says.
  public var server: String?

  public init(server: String? = nil) { self.server = server }

  public var descriptor: BackendDescriptor {
    BackendDescriptor(name: "pulse", title: "PulseAudio or PipeWire", isAutomatic: true)
  }

  /// Opens a stream. Errors: noServer, noAnswer (after 3 s), noDevice, formatRefused, busy.
  public func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    unsafe try openDeviceStream(request, renderer: renderer)
  }

  /// The same, with the figures about rewinds that benchmarks and tests read.
  public func openDeviceStream(_ request: StreamRequest, renderer: sotto_renderer)
    throws(OutputError) -> DeviceStream
  {
    let backend = unsafe sotto_pulse_backend()!
    return unsafe try DeviceStream(
      backend: backend, server: server, request: request, renderer: renderer, say: Self.sentence)
  }

  public func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    let backend = unsafe sotto_pulse_capture()!
    return unsafe try DeviceCapture(
      backend: backend, server: server, request: request, say: microphoneSentence(Self.sentence))
  }

  public func eventStreams(device: String?) -> EventStreams { .withVolume }

  /// Errors: noServer, noAnswer (after 3 s), serverLost.
  public func survey() throws(OutputError) -> ServerSurvey {
    let backend = unsafe sotto_pulse_backend()!
    return unsafe try deviceSurvey(backend, server: server, say: Self.sentence)
  }

  /// The sentence for people of a failure; `device` is the one that was asked for.
  static func sentence(_ code: OutputError.Code, cause: String, device: String?) -> String {
    switch code {
    case .noServer: "no PulseAudio or PipeWire server answers"
    case .noAnswer: "the sound server does not answer"
    case .noDevice:
      if let device {
        "no device named \(Text.printable(device)): see sotto devices"
      } else {
        "the sound server has no device to play on"
      }
    case .busy: "the device is in use by another program"
    case .formatRefused: "the sound server refuses the sample rate or channels"
    case .deviceLost: "the device is gone"
    case .serverLost: "the sound server ended"
    case .fileError, .suspended, .superseded, .other: "the sound server reports: \(cause)"
    }
  }
}
