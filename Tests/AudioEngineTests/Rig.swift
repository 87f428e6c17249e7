import AudioOutput
import AudioTypes
import Dispatch
import OutputInterface
import Synchronization
import TestSupport

@testable import AudioEngine

/// Tracks in a fixed order.
struct Tracks: Succession {
  var locations: [TrackLocation]

  func track(at index: Int) -> TrackLocation? {
    locations.indices.contains(index) ? locations[index] : nil
  }

  func index(after index: Int) -> Int? { index + 1 < locations.count ? index + 1 : nil }
}

/// Tracks whose order the test changes.
final class LooseTracks: Succession {
  private let followers: Mutex<[Int: Int]>
  let locations: [TrackLocation]

  init(_ paths: [String], _ followers: [Int: Int]) {
    locations = paths.map { TrackLocation($0) }
    self.followers = Mutex(followers)
  }

  /// Where tracks go on, in seconds.
  private let places = Mutex<[Int: Double]>([:])
  func beginning(of index: Int) -> Double { places.withLock { $0[index] ?? 0 } }
  func leave(_ index: Int, at seconds: Double) { places.withLock { $0[index] = seconds } }

  /// What follows a track that nothing follows yet is still looked for.
  private let growing = Mutex(false)
  var isGrowing: Bool { growing.withLock { $0 } }

  func grow(_ isGrowing: Bool) { growing.withLock { $0 = isGrowing } }

  func follow(_ index: Int, by next: Int?) { followers.withLock { $0[index] = next } }

  func track(at index: Int) -> TrackLocation? {
    locations.indices.contains(index) ? locations[index] : nil
  }

  func index(after index: Int) -> Int? { followers.withLock { $0[index] } }
}

/// Keeps what a simulated device hears.
final class Ear: SimulationSink {
  private let store = Mutex<[Float]>([])
  private let closed = Mutex(false)

  /// The device was closed.
  var isFinished: Bool { closed.withLock { $0 } }

  var samples: [Float] { store.withLock { $0 } }

  func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {
    store.withLock { $0.append(contentsOf: samples) }
  }

  func finish() throws(OutputError) { closed.withLock { $0 = true } }
}

/// An engine on a simulated device whose clock the test moves.
@MainActor final class Rig {
  let folder: TestFolder
  let ear = Ear()
  private(set) var engine: AudioEngine!
  private(set) var events: [EngineEvent] = []
  private var waiting: CheckedContinuation<Void, Never>?
  let streams = Mutex<[SimulatedStream]>([])
  static let rate = 48_000

  /// The stream that is open now.
  var device: SimulatedStream { streams.withLock { $0.last! } }

  init() throws { folder = try TestFolder() }

  /// A 24-bit stereo WAV file of which no two frames are alike; returns its path and samples.
  func track(_ name: String, frames: Int, first: Int = 0, rate: Int = Rig.rate) throws
    -> (path: String, samples: [Float])
  {
    let samples = Signals.coded(frames: frames, channels: 2, bits: 24, from: first)
    let bytes = SignalFile.wave(
      SignalFile.bytes(samples, .signed24, big: false),
      format: SignalFile.waveFormat(.signed24, channels: 2, rate: rate))
    let path = try folder.write(bytes, name)
    return (path, SignalFile.floats(samples, bits: 24))
  }

  func start(
    _ paths: [String], knobs: SimulationKnobs = SimulationKnobs(), pace: SimulationPace = .manual,
    canResample: Bool? = nil, level: Gain = .unity
  ) throws {
    try start(
      paths, canResample: canResample, level: level,
      // The engine keeps the backend: a strong reference here would keep the rig for ever.
      backend: NullBackend(knobs: knobs, pace: pace, sink: ear) { [unowned self] stream in
        streams.withLock { $0.append(stream) }
      })
  }

  func start(
    _ paths: [String], canResample: Bool? = nil, level: Gain = .unity, backend: any OutputBackend,
    leakGuard: LeakGuard = .off
  ) throws {
    try start(
      Tracks(locations: paths.map { TrackLocation($0) }), canResample: canResample, level: level,
      backend: backend, leakGuard: leakGuard)
  }

  /// A succession of the test's own, on a simulated device.
  func start(_ succession: any Succession) throws {
    try start(
      succession, canResample: nil, level: .unity,
      backend: NullBackend(pace: .manual, sink: ear) { [unowned self] stream in
        streams.withLock { $0.append(stream) }
      })
  }

  private func start(
    _ succession: any Succession, canResample: Bool?, level: Gain, backend: any OutputBackend,
    leakGuard: LeakGuard = .off
  ) throws {
    engine = AudioEngine(
      succession: succession, gain: .off,
      canResample: canResample
    ) { [unowned self] event in
      events.append(event)
      waiting?.resume()
      waiting = nil
    }
    engine.setLevel(level)
    try engine.start(backend: backend, request: StreamRequest(leakGuard: leakGuard), at: 0)
  }

  /// Waits for events until the condition holds.
  func until(_ condition: () -> Bool) async {
    while !condition() {
      await withCheckedContinuation { waiting = $0 }
    }
  }

  /// Lets the device hear so many frames, each as soon as it is queued.
  func hear(_ frames: Int) {
    var left = Int64(frames)
    while left > 0 {
      device.waitUntilQueued(min(left, 2048))
      let before = device.clock().heard
      device.advance(frames: min(left, max(device.queued, 1)))
      left -= device.clock().heard - before
      if device.isCorked { return }
    }
  }

  /// What was heard, as frames of two samples.
  var heard: [Float] { ear.samples }

  var hasEnded: Bool {
    events.contains { if case .ended = $0 { true } else { false } }
  }

  /// Holds and waits until silence is heard, however long that takes.
  func holdUntilSilent() async {
    engine.patience = 60
    await withCheckedContinuation { done in engine.hold { done.resume() } }
  }

  var seekCount: Int { events.count { if case .seeked = $0 { true } else { false } } }
  var lastSought: Double? {
    events.compactMap { if case .seeked(let position) = $0 { position } else { nil } }.last
  }
  var hasSought: Bool { seekCount > 0 }

  var toldVolumes: [DeviceVolume] {
    events.compactMap { if case .volume(let volume) = $0 { volume } else { nil } }
  }

  var toldRingers: [DeviceVolume?] {
    events.compactMap { if case .ringer(let volume) = $0 { .some(volume) } else { nil } }
  }

  var toldTracks: [Int] {
    events.compactMap { if case .track(let index, _) = $0 { index } else { nil } }
  }

  /// The tracks that were told not to be playable.
  var failures: [Int] {
    events.compactMap { if case .failed(let index, _, _) = $0 { index } else { nil } }
  }

  func close() { engine.close() }
}
