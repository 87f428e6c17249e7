import AudioEngine
import AudioOutput
import AudioTypes
import CRealtime
import OutputInterface
import Synchronization
import TestSupport
import Testing

/// The engine on real servers: what the device's monitor recorded, sample by sample, against the
/// track's own samples.
@MainActor
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct MonitorTests {
  /// A server with one device, an engine on it, and a recorder of what it plays.
  @MainActor final class Scene {
    let server: PrivateServer
    let rig: Rig
    private let recorder: Recorder
    private var places: [Pair: Int] = [:]
    private let streams = Mutex<[DeviceStream]>([])
    private(set) var late = 0

    struct Pair: Hashable {
      var left: Float
      var right: Float
    }

    init(_ kind: PrivateServer.Kind) throws {
      server = try PrivateServer(kind, sinks: [PrivateServer.Sink("speakers")])
      rig = try Rig()
      recorder = try Recorder(server)
    }

    var engine: AudioEngine { rig.engine }

    /// A track whose frames are recognised wherever they are recorded.
    func track(_ name: String, frames: Int, first: Int = 0) throws -> String {
      let (path, samples) = try rig.track(name, frames: frames, first: first)
      for frame in 0..<frames {
        places[Pair(left: samples[frame * 2], right: samples[frame * 2 + 1])] = first + frame
      }
      return path
    }

    func start(_ paths: [String]) throws {
      try rig.start(
        paths,
        backend: WatchedBackend(inner: PulseBackend(server: server.address)) { stream in
          self.streams.withLock { $0.append(stream) }
        })
    }

    /// Rewinds that came too late on a busy machine and were repeated: each may be heard as a fade
    /// that began twice.
    var lateRewinds: Int { streams.withLock { $0.reduce(0) { $0 + $1.rewinds.late } } }

    func record(frames: Int) { #expect(recorder.wait(frames: frames)) }

    func recordSilence() {
      #expect(recorder.wait(last: 9600) { $0.count == 19200 && $0.allSatisfy { $0 == 0 } })
    }

    /// Ends everything and gives, for each recorded frame, which frame of the tracks it is; `nil`
    /// for silence and for frames whose level is not the track's own.
    func finish() -> (places: [Int?], samples: [Float]) {
      late = lateRewinds
      rig.close()
      let samples = recorder.stop()
      server.close()
      let found = (0..<samples.count / 2).map {
        places[Pair(left: samples[$0 * 2], right: samples[$0 * 2 + 1])]
      }
      return (found, samples)
    }
  }

  /// Opens Pulse streams and shows them to the test.
  struct WatchedBackend: OutputBackend {
    let inner: PulseBackend
    let onOpen: @Sendable (DeviceStream) -> Void
    var descriptor: BackendDescriptor { inner.descriptor }

    func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
      -> any OutputStream
    {
      let stream = try inner.openDeviceStream(request, renderer: renderer)
      onOpen(stream)
      return stream
    }

    func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
      try inner.openMicrophone(request)
    }

    func eventStreams(device: String?) -> EventStreams { inner.eventStreams(device: device) }
    func survey() throws(OutputError) -> ServerSurvey { try inner.survey() }
  }

  /// Runs of recorded frames that are frames of the track in their order.
  private func runs(_ places: [Int?]) -> [(recorded: Int, place: Int, count: Int)] {
    var runs: [(recorded: Int, place: Int, count: Int)] = []
    for (index, place) in places.enumerated() {
      guard let place else { continue }
      if let last = runs.last, index == last.recorded + last.count,
        place == last.place + last.count
      {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((index, place, 1))
      }
    }
    return runs.filter { $0.count > 8 }  // single hits within a fade are chance
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A gapless pair is one run of samples on the monitor`(kind: PrivateServer.Kind) async throws
  {
    let scene = try Scene(kind)
    let one = try scene.track("one", frames: 100_003)
    let two = try scene.track("two", frames: 50_000, first: 100_003)
    try scene.start([one, two])
    await scene.rig.until { scene.rig.hasEnded }
    scene.recordSilence()
    let found = runs(scene.finish().places)

    #expect(found.count == 1)
    #expect(found.first?.place == 0)
    #expect(found.first?.count == 150_003)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Pause and resume, twice, lose and repeat no sample`(kind: PrivateServer.Kind) async throws {
    let scene = try Scene(kind)
    let track = try scene.track("track", frames: 480_000)
    try scene.start([track])
    for _ in 0..<2 {
      scene.record(frames: 60_000)
      let before = scene.engine.snapshot().position
      await scene.rig.holdUntilSilent()
      let held = scene.engine.snapshot().position
      scene.recordSilence()
      // It stood still when silence was told.
      #expect(scene.engine.snapshot().position == held)
      // Two seconds are queued; what was taken back shows in where it stands.
      #expect(held - before < 0.25)
      scene.engine.release()
    }
    scene.record(frames: 20_000)
    let (places, samples) = scene.finish()
    let found = runs(places)
    #expect(found.count >= 3 && found.count <= 3 + scene.late)
    #expect(found.first?.place == 0)
    if scene.late > 0 { return }
    for (run, next) in zip(found, found.dropFirst()) {
      // The frames between were heard within the two fades, each once.
      #expect(next.place - (run.place + run.count) == 960)
      let between = samples[((run.recorded + run.count) * 2)..<(next.recorded * 2)]
      let faded = between.count { $0 != 0 }
      #expect(faded > 1_800 && faded <= 1_920)
    }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A seek is heard where it should be, without a gap`(kind: PrivateServer.Kind) async throws {
    let scene = try Scene(kind)
    let track = try scene.track("track", frames: 480_000)
    try scene.start([track])
    await scene.rig.until { scene.rig.toldTracks == [0] }
    scene.record(frames: 30_000)
    scene.engine.seek(to: 5)
    await scene.rig.until { scene.rig.hasSought }
    scene.record(frames: 40_000)
    let (places, _) = scene.finish()
    let found = runs(places)

    #expect(found.count >= 2 && found.count <= 2 + scene.late)
    let (before, after) = try (#require(found.first), #require(found.last))
    #expect(before.place == 0)
    #expect(after.place >= 240_480 && after.count > 20_000)
    if scene.late > 0 { return }
    #expect(after.place == 240_480)
    #expect(after.recorded - (before.recorded + before.count) == 480)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Next takes over within a fade, at its first sample`(kind: PrivateServer.Kind) async throws {
    let scene = try Scene(kind)
    let one = try scene.track("one", frames: 300_000)
    let two = try scene.track("two", frames: 300_000, first: 400_000)
    try scene.start([one, two])
    await scene.rig.until { scene.rig.toldTracks == [0] }
    scene.record(frames: 30_000)
    scene.engine.move(to: 1)
    await scene.rig.until { scene.rig.toldTracks == [0, 1] }
    scene.record(frames: 30_000)
    let (places, _) = scene.finish()
    let found = runs(places)

    #expect(found.count >= 2 && found.count <= 2 + scene.late)
    let (before, after) = try (#require(found.first), #require(found.last))
    #expect(after.place >= 400_480 && after.count > 10_000)
    if scene.late > 0 { return }
    #expect(after.place == 400_480)
    #expect(after.recorded - (before.recorded + before.count) == 480)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A step of the level ramps over a fade and then is exact`(kind: PrivateServer.Kind)
    async throws
  {
    let scene = try Scene(kind)
    let track = try scene.track("track", frames: 480_000)
    try scene.start([track])
    scene.record(frames: 30_000)
    scene.engine.setLevel(Gain(linear: 0.5))
    scene.record(frames: 30_000)
    let (places, samples) = scene.finish()
    let found = runs(places)

    #expect(found.count >= 1 && found.count <= 1 + scene.late)
    // After the ramp every sample is half of the track's.
    let signal = SignalFile.floats(
      Signals.coded(frames: 480_000, channels: 2, bits: 24), bits: 24)
    let offset = found[0].place - found[0].recorded
    let ramp = found[0].recorded + found[0].count
    // A late rewind may have begun the ramp twice.
    let settled = ramp + 480 + scene.late * 4_800
    let isHalf = (settled * 2..<(settled + 5_000) * 2).allSatisfy {
      samples[$0] == signal[$0 + offset * 2] * 0.5
    }
    #expect(isHalf)
  }
}
