import AudioTypes

/// What a microphone is opened with.
public struct CaptureRequest: Sendable {
  /// The server's name of a source; `nil` is the server's default.
  public var device: String?
  /// Shown by mixers as the stream's name.
  public var name: String

  public init(device: String? = nil, name: String = "Voice memo") {
    self.device = device
    self.name = name
  }
}

/// An open microphone: mono or stereo, at the device's own rate. The thread that opened it is the
/// only one that uses it, and it records as long as that thread reads.
public protocol CaptureStream: AnyObject {
  var format: AudioFormat { get }
  /// The server's own description of the source.
  var deviceName: String { get }
  /// Takes what was recorded since the last call, or waits for it, at most 50 ms.
  ///
  /// - Returns: the frames that were put into `buffer`; 0 when nothing came.
  /// - Throws: the device or the server is gone.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(OutputError) -> Int
  /// Ends the recording. Never waits for a server that does not answer.
  func close()
}
