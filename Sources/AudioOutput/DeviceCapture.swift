import AudioTypes
import CAudioOutput
import OutputInterface

/// A microphone of PulseAudio or ALSA: a C handle and its table of functions. One thread opens,
/// reads and closes it.
@safe final class DeviceCapture: CaptureStream {
  let format: AudioFormat
  let deviceName: String
  private let table: UnsafePointer<sotto_capture_backend>
  private var capture: OpaquePointer?
  private let device: String?
  private let say: FailureSentence

  init(
    backend: UnsafePointer<sotto_capture_backend>, server: String?, request: CaptureRequest,
    say: @escaping FailureSentence
  ) throws(OutputError) {
    var facts = sotto_capture_facts()
    var error = sotto_output_error()
    let opened: OpaquePointer? = unsafe withCString(request.device) { device in
      unsafe withCString(server) { server in
        unsafe request.name.withCString { name in
          var wanted = unsafe sotto_capture_request(device: device, server: server, name: name)
          return unsafe backend.pointee.open(&wanted, &facts, &error)
        }
      }
    }
    guard let opened = unsafe opened else {
      throw outputError(error, device: request.device, say: say)
    }
    unsafe table = backend
    unsafe capture = opened
    format = AudioFormat(sampleRate: Int(facts.rate), layout: facts.channels == 1 ? .mono : .stereo)
    deviceName = unsafe withUnsafeBytes(of: facts.device) { bytes in
      Text.printable(unsafe Array(bytes.prefix { $0 != 0 }))
    }
    device = request.device
    self.say = say
  }

  deinit { close() }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(OutputError) -> Int {
    guard let capture = unsafe capture, let start = buffer.baseAddress else { return 0 }
    var error = sotto_output_error()
    let most = Int64(buffer.count / format.channels)
    let frames = unsafe table.pointee.read(capture, start, most, &error)
    if frames < 0 { throw outputError(error, device: device, say: say) }
    return Int(frames)
  }

  func close() {
    guard let capture = unsafe capture else { return }
    unsafe table.pointee.close(capture)
    unsafe self.capture = nil
  }
}

/// The sentence for people of a failure of a microphone, where it differs from a device's.
func microphoneSentence(_ say: @escaping FailureSentence) -> FailureSentence {
  { code, cause, device in
    switch code {
    case .noDevice: device == nil ? "there is no microphone" : say(code, cause, device)
    case .busy: "the microphone is in use by another program"
    case .formatRefused: "the microphone refuses the sample rate or channels"
    case .deviceLost: "the microphone is gone"
    default: say(code, cause, device)
    }
  }
}
