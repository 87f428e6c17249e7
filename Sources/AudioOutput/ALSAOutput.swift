import AudioTypes
import CAudioOutput
import CRealtime
import OutputInterface

/// ALSA without a server: the default device, or any by name ("hw:0", "hw:1,0", "plughw:1").
///
/// Only a PCM of type HW can be rewound; every other type keeps at most 60 ms queued.
public struct ALSABackend: OutputBackend {
  public init() {}

  public var descriptor: BackendDescriptor {
    BackendDescriptor(name: "alsa", title: "ALSA", isAutomatic: true)
  }

  /// Opens a device. Errors: noDevice, busy, formatRefused, noAnswer (after 3 s: what the device's
  /// name leads to may be a server that hangs).
  public func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    unsafe try openDeviceStream(request, renderer: renderer)
  }

  /// The same, with the figures about rewinds that benchmarks and tests read.
  public func openDeviceStream(_ request: StreamRequest, renderer: sotto_renderer)
    throws(OutputError) -> DeviceStream
  {
    let backend = unsafe sotto_alsa_backend()!
    return unsafe try DeviceStream(
      backend: backend, server: nil, request: request, renderer: renderer, say: Self.sentence)
  }

  public func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    let backend = unsafe sotto_alsa_capture()!
    return unsafe try DeviceCapture(
      backend: backend, server: nil, request: request, say: microphoneSentence(Self.sentence))
  }

  /// A card by itself takes one stream; what mixes (dmix, a server's plug-in) takes any number. Which
  /// of them another name stands for shows when the second one is opened.
  public func eventStreams(device: String?) -> EventStreams {
    let kind = device?.prefix { $0 != ":" } ?? "default"
    let exclusive = ["hw", "plughw", "front", "iec958", "hdmi", "surround51", "surround71"]
    return exclusive.contains(String(kind)) ? .mixed : .plain
  }

  public func survey() throws(OutputError) -> ServerSurvey {
    let backend = unsafe sotto_alsa_backend()!
    return unsafe try deviceSurvey(backend, server: nil, say: Self.sentence)
  }

  static func sentence(_ code: OutputError.Code, cause: String, device: String?) -> String {
    let name = device.map { Text.printable($0) }
    return switch code {
    case .noDevice:
      if let name {
        "no device named \(name): see sotto devices"
      } else {
        "ALSA has no device to play on"
      }
    case .noAnswer: "the device \(name ?? "default") does not answer"
    case .busy:
      "the device \(name ?? "default") is in use by "
        + (DeviceHolder.find(device: device).map(\.phrase) ?? "another program")
    case .formatRefused: "the device \(name ?? "default") refuses the sample rate or channels"
    case .deviceLost: "the device is gone"
    case .suspended: "the computer slept"
    default: "ALSA reports: \(cause)"
    }
  }
}
