import AudioTypes
import CRealtime
import Glibc
import OutputInterface

/// The file output: what would be heard goes into a WAV file, as fast as it is rendered, or paced by
/// the clock where things are to happen meanwhile.
public struct FileBackend: OutputBackend {
  public let descriptor = BackendDescriptor(
    name: "file", title: "a WAV file", isAutomatic: false)
  private let path: [UInt8]
  private let isPaced: Bool

  /// - Parameter isPaced: takes as long as a device that plays it.
  public init(path: [UInt8], isPaced: Bool = false) {
    self.path = path
    self.isPaced = isPaced
  }

  public init(path: String) { self.init(path: Array(path.utf8)) }

  /// Creates the file, or empties it. Without a rate asked for, 44.1 kHz; samples are 32-bit float.
  public func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    let format = AudioFormat(
      sampleRate: request.sampleRate ?? 44_100, layout: request.layout)
    // A rate is asked for when a stream is opened again: a pipe's reader was there, and if it is
    // gone by now nobody else will come.
    let sink = try FileSink(
      path: path, format: format, waitsForReader: request.sampleRate == nil)
    var knobs = SimulationKnobs()
    knobs.canRewind = isPaced
    let stream = unsafe SimulatedStream(
      format: format, deviceName: Text.printable(path), knobs: knobs, pace: isPaced ? .real : .free,
      renderer: renderer, sink: sink)
    try stream.start()
    return stream
  }

  public func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    throw OutputError(.noDevice, "there is no microphone where sound goes into a file")
  }

  /// One file holds all that would be heard.
  public func eventStreams(device: String?) -> EventStreams { .mixed }

  public func survey() throws(OutputError) -> ServerSurvey {
    ServerSurvey(server: "File", devices: [])
  }
}

/// Writes what is heard. Used by the device's thread, and by whoever closes once that has ended.
private final class FileSink: SimulationSink, @unchecked Sendable {
  private let writer: WAVWriter
  private let path: [UInt8]
  private let givenUp = sotto_eventfd()

  init(path: [UInt8], format: AudioFormat, waitsForReader: Bool) throws(OutputError) {
    self.path = path
    do throws(OutputError) {
      writer = try WAVWriter(
        path: path, format: format, sample: .f32, waitsForReader: waitsForReader,
        givenUp: givenUp)
    } catch {
      close(givenUp)
      throw Self.named(error, path)
    }
  }

  /// Whoever reads it has not said which file it is.
  private static func named(_ error: OutputError, _ path: [UInt8]) -> OutputError {
    OutputError(
      error.code, "\(Text.printable(path)): \(error.sentence)", underlying: error.underlying)
  }

  private func named(_ work: () throws(OutputError) -> Void) throws(OutputError) {
    do throws(OutputError) { try work() } catch { throw Self.named(error, path) }
  }

  /// Heard is what the pipe or the file has.
  func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {
    try named { () throws(OutputError) in
      try unsafe writer.write(samples)
      try writer.flush()
    }
  }

  func finish() throws(OutputError) {
    try named { () throws(OutputError) in try writer.finish() }
  }

  func giveUp() { sotto_rt_signal(givenUp) }

  deinit { close(givenUp) }
}
