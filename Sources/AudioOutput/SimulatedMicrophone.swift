import AudioTypes
import CRealtime
import Glibc
import OutputInterface
import Synchronization

/// What a simulated microphone hears.
public enum SimulatedSound: Sendable {
  /// A quiet tone of 440 Hz.
  case tone
  /// These samples of one channel, again and again.
  case samples([Float])

  /// -20 dB.
  static let toneLevel = 0.1

  func sample(at frame: Int64, rate: Int) -> Float {
    switch self {
    case .tone:
      // Of whole periods, so that the angle stays small.
      let angle = Double(frame % Int64(rate)) * 440 / Double(rate)
      return Float(Self.toneLevel * sin(2 * .pi * angle))
    case .samples(let samples):
      return samples.isEmpty ? 0 : samples[Int(frame % Int64(samples.count))]
    }
  }
}

/// A microphone that exists only in memory: mono, by the machine's clock or by a test's.
public final class SimulatedMicrophone: CaptureStream {
  public let format: AudioFormat
  public let deviceName = "Simulated microphone"
  private let sound: SimulatedSound
  private let knobs: SimulationKnobs
  private let clock: MicrophoneClock?
  private let began = sotto_monotonic_ns()
  private var given: Int64 = 0

  init(sound: SimulatedSound, knobs: SimulationKnobs, clock: MicrophoneClock?) {
    format = AudioFormat(sampleRate: knobs.sampleRate, layout: .mono)
    self.sound = sound
    self.knobs = knobs
    self.clock = clock
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(OutputError) -> Int {
    var limit = available
    if limit == given {
      if let clock { clock.wait() } else { usleep(20_000) }
      limit = available
    }
    if let lost = knobs.loseMicrophoneAtFrame {
      if given >= lost { throw OutputError(.deviceLost, "the microphone is gone") }
      limit = min(limit, lost)
    }
    let frames = min(Int(limit - given), buffer.count)
    for index in 0..<frames {
      unsafe buffer[index] = sound.sample(at: given + Int64(index), rate: format.sampleRate)
    }
    given += Int64(frames)
    return frames
  }

  /// Frames recorded by now.
  private var available: Int64 {
    if let clock { return clock.frames }
    let seconds = Double(sotto_monotonic_ns() - began) * 1e-9
    return Int64(seconds * Double(format.sampleRate))
  }

  public func close() {}
}

/// The time of a simulated microphone, which a test moves.
public final class MicrophoneClock: Sendable {
  private let count = Atomic<Int64>(0)
  private let moved = sotto_eventfd()

  public init() {}

  deinit { Glibc.close(moved) }

  public func advance(frames: Int64) {
    count.add(frames, ordering: .acquiringAndReleasing)
    sotto_rt_signal(moved)
  }

  var frames: Int64 { count.load(ordering: .acquiring) }

  /// At most 50 ms.
  func wait() { _ = sotto_eventfd_wait(moved, 50) }
}
