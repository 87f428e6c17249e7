import AudioTypes
import CAudioOutput
import CRealtime
import OutputInterface
import Synchronization

/// How the rewinds of a stream went: for `sotto doctor`, benchmarks and tests.
public struct RewindFigures: Equatable, Sendable {
  public var turns: Int
  /// Turns repeated because the rewind came too late.
  public var late: Int
  /// The margin now in use, in microseconds.
  public var marginMicroseconds: Int
  /// The longest way from the question where the device stands to the arrival of the write.
  public var worstMicroseconds: Int
}

/// Makes the sentence of a failure: code, the library's own words, the device asked for.
typealias FailureSentence =
  @Sendable (_ code: OutputError.Code, _ cause: String, _ device: String?) -> String

/// A stream of PulseAudio or ALSA: a C handle and its backend's table of functions. All functions
/// may be called from any thread but the device's own; after `close` they do nothing.
public final class DeviceStream: OutputStream {
  public let format: AudioFormat
  public let capabilities: StreamCapabilities
  public let hardware: HardwarePlace?

  /// The C side. The table is constant; the handle is freed by `close` and then nil. The lock
  /// keeps a call from meeting the close of another thread; the device's thread never takes it.
  @safe private struct Handle: ~Copyable {
    nonisolated(unsafe) let table: UnsafePointer<sotto_output_backend>
    nonisolated(unsafe) var output: OpaquePointer?
    var lastClock = StreamClock(heard: 0, isRunning: false, underruns: 0)
    var lastFailure: OutputError?
  }

  private let handle: Mutex<Handle>
  private let device: String?
  private let say: FailureSentence

  init(
    backend: UnsafePointer<sotto_output_backend>, server: String?, request: StreamRequest,
    renderer: sotto_renderer, say: @escaping FailureSentence
  ) throws(OutputError) {
    let places = request.layout.channels.map { Int8(clamping: $0.rawValue) }
    guard (1...32).contains(places.count), (0...768_000).contains(request.sampleRate ?? 0) else {
      throw OutputError(.formatRefused, say(.formatRefused, "", nil))
    }
    var facts = sotto_output_facts()
    var error = sotto_output_error()
    let output: OpaquePointer? = unsafe withCString(request.device) { device in
      unsafe withCString(server) { server in
        unsafe request.trackName.withCString { track in
          unsafe request.role.rawValue.withCString { role in
            unsafe places.withUnsafeBufferPointer { places in
              var wanted = unsafe sotto_output_request(
                device: device, server: server, track: track, role: role,
                rate: Int32(request.sampleRate ?? 0), channels: Int32(places.count),
                places: places.baseAddress,
                guard: Int32(LeakGuard.allCases.firstIndex(of: request.leakGuard) ?? 0),
                renderer: renderer)
              return unsafe backend.pointee.open(&wanted, &facts, &error)
            }
          }
        }
      }
    }
    guard let output = unsafe output else {
      throw outputError(error, device: request.device, say: say)
    }
    format = AudioFormat(sampleRate: Int(facts.rate), layout: request.layout)
    capabilities = StreamCapabilities(
      rewind: facts.margin < 0 ? .none : .exact(marginFrames: Int(facts.margin)),
      hasDeviceVolume: facts.has_volume)
    hardware =
      facts.on_card ? HardwarePlace(card: Int(facts.card), device: Int(facts.card_device)) : nil
    device = request.device
    self.say = say
    handle = unsafe Mutex(Handle(table: backend, output: output))
  }

  deinit { close() }

  public var deviceName: String {
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return "" }
      return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
        unsafe handle.table.pointee.device(output, name.baseAddress, name.count)
        return unsafe String(cString: name.baseAddress!)
      }
    }
  }

  public var place: DevicePlace? {
    handle.withLock { handle in
      guard let output = unsafe handle.output, let ask = unsafe handle.table.pointee.place
      else { return nil }
      var place = sotto_output_place()
      unsafe ask(output, &place)
      let address = Self.text(place.address)
      return DevicePlace(
        id: Self.text(place.name), routeClass: routeClass(place.route),
        address: address.isEmpty ? nil : address)
    }
  }

  private static func text<Bytes>(_ bytes: Bytes) -> String {
    unsafe withUnsafeBytes(of: bytes) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  public var guardState: GuardState {
    handle.withLock { handle in
      guard let output = unsafe handle.output, let ask = unsafe handle.table.pointee.guard else {
        return .none
      }
      let state = unsafe ask(output)
      return GuardState(isGuarded: state.guarded, isWanted: state.wanted)
    }
  }

  public var isSilenceWanted: Bool {
    handle.withLock { handle in
      guard let output = unsafe handle.output,
        let ask = unsafe handle.table.pointee.silence_wanted
      else { return false }
      return unsafe ask(output)
    }
  }

  public func unmuteStream() {
    handle.withLock { handle in
      guard let output = unsafe handle.output,
        let unmute = unsafe handle.table.pointee.unmute_stream
      else { return }
      unsafe unmute(output)
    }
  }

  public func kick() {
    handle.withLock { handle in
      if let output = unsafe handle.output { unsafe handle.table.pointee.kick(output) }
    }
  }

  public func clock() -> StreamClock {
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return handle.lastClock }
      let clock = unsafe handle.table.pointee.clock(output)
      return StreamClock(
        heard: clock.heard, isRunning: clock.running, underruns: Int(clock.underruns))
    }
  }

  public func deviceVolume() -> DeviceVolume? {
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return nil }
      return DeviceVolume(unsafe handle.table.pointee.volume(output))
    }
  }

  public func setDeviceVolume(percent: Int) {
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return }
      unsafe handle.table.pointee.set_volume(output, Int32(max(0, min(150, percent))))
    }
  }

  public func setMuted(_ muted: Bool) {
    handle.withLock { handle in
      if let output = unsafe handle.output {
        unsafe handle.table.pointee.set_muted(output, muted)
      }
    }
  }

  public func ringerVolume() -> DeviceVolume? {
    handle.withLock { handle in
      guard let output = unsafe handle.output, let ask = unsafe handle.table.pointee.ringer else {
        return nil
      }
      return DeviceVolume(unsafe ask(output))
    }
  }

  public func stepRinger(percent: Int) {
    handle.withLock { handle in
      guard let output = unsafe handle.output, let step = unsafe handle.table.pointee.step_ringer
      else { return }
      unsafe step(output, Int32(clamping: percent))
    }
  }

  public func setTrackName(_ name: String) {
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return }
      unsafe name.withCString { unsafe handle.table.pointee.set_track(output, $0) }
    }
  }

  public var failure: OutputError? {
    let (last, error) = handle.withLock { handle in
      guard let output = unsafe handle.output else {
        return (handle.lastFailure, sotto_output_error())
      }
      return (nil, unsafe handle.table.pointee.failure(output))
    }
    return error.code == 0 ? last : outputError(error, device: device, say: say)
  }

  /// How the rewinds went so far.
  public var rewinds: RewindFigures {
    handle.withLock { handle in
      let none = RewindFigures(turns: 0, late: 0, marginMicroseconds: 0, worstMicroseconds: 0)
      guard let output = unsafe handle.output else { return none }
      let figures = unsafe handle.table.pointee.rewinds(output)
      return RewindFigures(
        turns: Int(figures.turns), late: Int(figures.late),
        marginMicroseconds: Int(figures.margin_us), worstMicroseconds: Int(figures.worst_us))
    }
  }

  public func close() {
    let failure = failure
    handle.withLock { handle in
      guard let output = unsafe handle.output else { return }
      let clock = unsafe handle.table.pointee.clock(output)
      handle.lastClock = StreamClock(
        heard: clock.heard, isRunning: false, underruns: Int(clock.underruns))
      handle.lastFailure = failure
      unsafe handle.output = nil
      unsafe handle.table.pointee.close(output)
    }
  }
}

extension DeviceVolume {
  init?(_ volume: sotto_output_volume) {
    guard volume.known else { return nil }
    self.init(percent: Int(volume.percent), isMuted: volume.muted)
  }
}

/// The error value of a failure in C.
func outputError(_ error: sotto_output_error, device: String?, say: FailureSentence)
  -> OutputError
{
  let codes: [OutputError.Code] = [
    .other, .noServer, .noAnswer, .noDevice, .busy, .formatRefused, .deviceLost, .serverLost,
    .other, .suspended,
  ]
  let number = Int(error.code)
  let code = codes.indices.contains(number) ? codes[number] : .other
  let cause = unsafe withUnsafeBytes(of: error.text) { bytes in
    Text.printable(unsafe Array(bytes.prefix { $0 != 0 }))
  }
  return OutputError(code, say(code, cause, device), underlying: Int(error.underlying))
}

/// A C string that may be missing.
func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return body(nil) }
  return unsafe text.withCString { unsafe body($0) }
}
