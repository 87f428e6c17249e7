import AudioTypes
import CRealtime
import Glibc
import OutputInterface
import Synchronization

/// A device that exists only in memory, under the same contract as a real one: it hears frames at
/// its own pace, holds a latency that cannot be taken back, and fails where its knobs say.
///
/// The null and the file output are made of it, and tests drive it with a manual clock. Its own
/// thread is the device's thread; with a manual clock that is whichever thread kicks or advances,
/// one at a time (the lock).
@safe public final class SimulatedStream: OutputStream, @unchecked Sendable {
  public let format: AudioFormat
  public let capabilities: StreamCapabilities
  public let deviceName: String
  let knobs: SimulationKnobs
  let pace: SimulationPace
  private let simulation: Mutex<Simulation>
  private let sink: any SimulationSink
  private let kicked = sotto_eventfd()
  private let isClosing = Atomic<Bool>(false)
  private let isKicked = Atomic<Bool>(false)
  private var thread: pthread_t?

  init(
    format: AudioFormat, deviceName: String, knobs: SimulationKnobs, pace: SimulationPace,
    renderer: sotto_renderer, sink: any SimulationSink
  ) {
    self.format = format
    self.deviceName = deviceName
    self.knobs = knobs
    self.pace = pace
    self.sink = sink
    capabilities = StreamCapabilities(
      rewind: pace == .free || !knobs.canRewind
        ? .none : .exact(marginFrames: knobs.latencyFrames),
      hasDeviceVolume: pace != .free)
    simulation = unsafe Mutex(
      Simulation(
        renderer: renderer, channels: format.channels, rate: format.sampleRate, knobs: knobs,
        isFree: pace == .free, sink: sink))
  }

  /// Starts the device's thread, unless the clock is manual.
  func start() throws(OutputError) {
    guard pace != .manual else { return }
    var id = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let status = unsafe pthread_create(&id, nil, simulatedDevice, context)
    if status != 0 {
      unsafe Unmanaged<SimulatedStream>.fromOpaque(context).release()
      throw OutputError(
        .other, "the simulated device cannot start a thread", underlying: Int(status))
    }
    thread = id
  }

  /// The device's thread: sleeps until something is due or somebody kicks.
  fileprivate func run() {
    var piece: [Float] = []
    while !isClosing.load(ordering: .acquiring) {
      let wait = simulation.withLock { simulation in
        simulation.advance(toTime: sotto_monotonic_ns())
        if isKicked.exchange(false, ordering: .acquiringAndReleasing) { simulation.takeTurn() }
        simulation.fill()
        return simulation.waitMilliseconds()
      }
      if pace == .free && hear(&piece) { continue }
      _ = sotto_eventfd_wait(kicked, wait)
    }
  }

  /// Hears one piece; false when there is none. Without the lock, for a sink takes its time: the
  /// reader of a pipe may stand still, and whoever asks for the clock must not stand with it.
  private func hear(_ piece: inout [Float]) -> Bool {
    guard simulation.withLock({ $0.takePiece(into: &piece) }) else { return false }
    var error: OutputError?
    do throws(OutputError) {
      unsafe try piece.withUnsafeBufferPointer { (samples) throws(OutputError) in
        try unsafe sink.hear(samples)
      }
    } catch let failed {
      // What was given up by closing is no failure.
      if isClosing.load(ordering: .acquiring) { return true }
      error = failed
    }
    simulation.withLock { $0.pieceWasHeard(piece, error) }
    return true
  }

  public func kick() {
    if pace == .manual {
      simulation.withLock { simulation in
        simulation.takeTurn()
        simulation.fill()
      }
      sotto_rt_signal(kicked)
      return
    }
    if !isKicked.exchange(true, ordering: .acquiringAndReleasing) { sotto_rt_signal(kicked) }
  }

  /// Lets a device with a manual clock hear so many frames.
  public func advance(frames: Int64) {
    precondition(pace == .manual)
    simulation.withLock { simulation in
      simulation.advance(toFrame: simulation.heard + frames)
      simulation.fill()
    }
  }

  /// Waits until so many frames are queued or the last frame is: the gate at which tests meet the
  /// decoder's thread. With a manual clock only.
  public func waitUntilQueued(_ frames: Int64) {
    precondition(pace == .manual)
    while simulation.withLock({
      $0.written - $0.heard < frames && !$0.isComplete && $0.failure == nil && !$0.isClosed
    }) {
      _ = sotto_eventfd_wait(kicked, -1)
    }
  }

  /// Frames queued and not yet heard.
  public var queued: Int64 { simulation.withLock { $0.written - $0.heard } }
  /// True while it hears nothing.
  public var isCorked: Bool { simulation.withLock { $0.isCorked } }

  public func clock() -> StreamClock {
    simulation.withLock { simulation in
      if pace == .real { simulation.advance(toTime: sotto_monotonic_ns()) }
      return StreamClock(
        heard: simulation.heard, isRunning: !simulation.isCorked,
        underruns: simulation.underruns)
    }
  }

  public func deviceVolume() -> DeviceVolume? {
    simulation.withLock { capabilities.hasDeviceVolume ? $0.volume : nil }
  }

  public func setDeviceVolume(percent: Int) {
    simulation.withLock { $0.setVolume(percent: min(max(percent, 0), 150), isMuted: nil) }
  }

  public func setMuted(_ muted: Bool) {
    simulation.withLock { $0.setVolume(percent: nil, isMuted: muted) }
  }

  /// Nobody keeps a volume for events here.
  public func ringerVolume() -> DeviceVolume? { nil }
  public func stepRinger(percent: Int) {}

  /// There is no mixer that would show it.
  public func setTrackName(_ name: String) {}

  public var failure: OutputError? { simulation.withLock { $0.failure } }

  public func close() {
    if isClosing.exchange(true, ordering: .acquiringAndReleasing) { return }
    sotto_rt_signal(kicked)
    sink.giveUp()
    if let thread { pthread_join(thread, nil) }
    simulation.withLock { $0.finish() }
  }

  // Only here: a late kick from another thread still finds its own descriptor.
  deinit { Glibc.close(kicked) }
}

private func simulatedDevice(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let stream = unsafe Unmanaged<SimulatedStream>.fromOpaque(context!).takeRetainedValue()
  stream.run()
  return nil
}
