import Foundation

/// Records what a sink plays, sample by sample, through its monitor (`parec`). With the recorder
/// attached PulseAudio's device works in steps of 5 ms, as with any program that wants to be quick,
/// and PipeWire's in its usual quantum of 21 ms (a smaller one drops out on a busy machine).
public final class Recorder: @unchecked Sendable {
  public let rate: Int
  public let channels: Int
  private let process: ChildProcess
  private let arrived = NSCondition()
  private var data = Data()
  private var ended = false

  /// Starts to record; returns when the first samples came, so that nothing played later is missed.
  /// `rate` and `channels` should be the sink's own: then no sample is changed on the way.
  public init(
    _ server: PrivateServer, sink: String = "speakers", rate: Int = 48000, channels: Int = 2
  ) throws {
    self.rate = rate
    self.channels = channels
    let output = Pipe.ours()
    process = try ChildProcess(
      "parec",
      [
        "--raw", "--format=float32le", "--rate=\(rate)", "--channels=\(channels)",
        "--latency-msec=\(server.kind == .pulseAudio ? 5 : 23)", "-d", "\(sink).monitor",
        // WirePlumber would take it to the monitor of a new default.
        "--property=node.dont-reconnect=true",
      ], environment: server.environment,
      output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    let handle = output.fileHandleForReading
    let thread = Thread { [self] in
      while true {
        let chunk = handle.availableData
        arrived.lock()
        if chunk.isEmpty { ended = true } else { data.append(chunk) }
        arrived.broadcast()
        arrived.unlock()
        if chunk.isEmpty { return }
      }
    }
    thread.start()
    guard wait(until: { !$0.isEmpty }) else {
      throw PrivateServer.Failure(description: "the monitor of \(sink) records nothing")
    }
  }

  deinit { stop() }

  /// The interleaved samples so far, whole frames only.
  public var samples: [Float] {
    arrived.lock()
    defer { arrived.unlock() }
    return lastSamples(.max)
  }

  /// The last `frames` frames, under the lock.
  private func lastSamples(_ frames: Int) -> [Float] {
    let size = channels * MemoryLayout<Float>.size
    let end = data.count / size
    let start = max(0, end - frames)
    return data[data.startIndex + start * size..<data.startIndex + end * size]
      .withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Waits until the last `frames` frames satisfy the condition, at most `timeout` seconds. False
  /// when they never did.
  @discardableResult
  public func wait(
    last frames: Int = 9600, timeout: TimeInterval = 120, until condition: ([Float]) -> Bool
  ) -> Bool {
    let limit = Date().addingTimeInterval(timeout)
    arrived.lock()
    defer { arrived.unlock() }
    while true {
      if condition(lastSamples(frames)) { return true }
      if ended || !arrived.wait(until: limit) { return false }
    }
  }

  /// Frames recorded so far.
  public var frameCount: Int {
    arrived.lock()
    defer { arrived.unlock() }
    return data.count / (channels * MemoryLayout<Float>.size)
  }

  /// Waits until so many more frames were recorded.
  @discardableResult
  public func wait(frames: Int) -> Bool {
    let size = channels * MemoryLayout<Float>.size
    let wanted = (frameCount + frames) * size
    return wait(last: 0) { _ in data.count >= wanted }
  }

  /// Ends the recording and returns all of it.
  @discardableResult
  public func stop() -> [Float] {
    process.signal(SIGTERM)
    process.signal(SIGCONT)
    process.wait()
    return samples
  }
}

/// Comparing recordings with what should have been played.
public enum Recording {
  /// Interleaved samples without the silent frames before the first and after the last sound.
  public static func sounding(_ samples: [Float], channels: Int = 2) -> ArraySlice<Float> {
    guard let first = samples.firstIndex(where: { $0 != 0 }),
      let last = samples.lastIndex(where: { $0 != 0 })
    else { return [] }
    return samples[(first / channels * channels)..<(last / channels + 1) * channels]
  }

  /// The first frame at which `part` (interleaved) occurs in `samples`, within `tolerance`.
  public static func find(
    _ part: [Float], in samples: [Float], channels: Int = 2, tolerance: Float = 0
  ) -> Int? {
    guard !part.isEmpty, samples.count >= part.count else { return nil }
    for start in stride(from: 0, through: samples.count - part.count, by: channels)
    where difference(part, samples[start..<start + part.count], limit: tolerance) == nil {
      return start / channels
    }
    return nil
  }

  /// The index of the first sample that differs by more than `limit`; `nil` when none does.
  public static func difference(
    _ one: some Collection<Float>, _ other: some Collection<Float>, limit: Float = 0
  ) -> Int? {
    var index = 0
    for (a, b) in zip(one, other) {
      if !(abs(a - b) <= limit) { return index }
      index += 1
    }
    return one.count == other.count ? nil : index
  }

  /// Half a step of a 16-bit sample: what rounding on the way may change.
  public static let step16: Float = 1 / 32768
}

/// A stereo signal whose every frame tells its own number, exactly representable in 16 bits and in
/// float. No frame is silent.
public enum PositionSignal {
  static let base: Int64 = 30011

  /// The two samples of a frame (0 to 450 million).
  public static func frame(_ position: Int64) -> (left: Float, right: Float) {
    let low = position % base
    let high = position / base
    return (Float(low - 15005 + (low >= 15005 ? 1 : 0)) / 32768, Float(high + 1) / 32768)
  }

  /// The frame's number, or `nil` for a frame that is silent, faded or otherwise not of this signal.
  public static func position(left: Float, right: Float) -> Int64? {
    let high = Double(right) * 32768 - 1
    var low = Double(left) * 32768
    low += low > 0 ? 15004 : 15005
    guard high >= 0, low >= 0, low < Double(base), high == high.rounded(), low == low.rounded()
    else { return nil }
    return Int64(high) * base + Int64(low)
  }

  /// The positions of an interleaved stereo recording.
  public static func positions(_ samples: [Float]) -> [Int64?] {
    stride(from: 0, to: samples.count - 1, by: 2).map {
      position(left: samples[$0], right: samples[$0 + 1])
    }
  }
}
