import OutputInterface

/// How a simulated device behaves, and when it misbehaves.
public struct SimulationKnobs: Sendable {
  /// Frames a second of the device.
  public var sampleRate = 48_000
  /// Seconds that it lets be queued (at most 0.06 without rewind).
  public var bufferSeconds = 2.0
  /// False for a device whose queue cannot be taken back.
  public var canRewind = true
  /// Frames that it has taken before they are heard; they cannot be taken back.
  public var latencyFrames = 240
  /// It takes frames in bursts of so many.
  public var burstFrames = 1
  /// Runs dry once, for a tenth of a second, when so many frames have been heard.
  public var underrunAtFrame: Int64?
  /// The device vanishes when so many frames have been heard.
  public var loseAtFrame: Int64?
  /// What its microphone hears; `nil` is no microphone.
  public var microphone: SimulatedSound? = .tone
  /// The microphone vanishes when so many frames were recorded.
  public var loseMicrophoneAtFrame: Int64?
  /// The time of the microphone; `nil` is the machine's.
  public var microphoneClock: MicrophoneClock?
  /// Whether it takes a second stream, for events.
  public var eventStreams = EventStreams.mixed
  /// Opening fails with this.
  public var openError: OutputError?
  /// Opening a stream for events fails with this.
  public var eventOpenError: OutputError?

  public init() {}
}

/// What makes a simulated device's time pass.
public enum SimulationPace: Sendable, Equatable {
  /// The machine's clock.
  case real
  /// Whoever calls `advance`.
  case manual
  /// As fast as frames come: a file.
  case free
}

/// Where a simulated device's sound goes as it is heard.
public protocol SimulationSink: AnyObject, Sendable {
  /// Takes interleaved frames; an error is the loss of the device.
  func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError)
  func finish() throws(OutputError)
  /// Ends a `hear` that waits for somebody, and lets no later one wait. Any thread.
  func giveUp()
}

extension SimulationSink {
  public func giveUp() {}
}
