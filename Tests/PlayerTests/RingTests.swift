import AudioOutput
import AudioSession
import AudioTypes
import CRealtime
import Glibc
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine
@testable import Player

/// What the neighbours ring and beep, on a simulated device: in a stream of its own where there may
/// be one, in the mix otherwise.
@Suite(.serialized) @MainActor struct RingTests {
  final class Ear: SimulationSink {
    private let store = Mutex<[Float]>([])
    var samples: [Float] { store.withLock { $0 } }
    func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {
      store.withLock { $0.append(contentsOf: samples) }
    }
    func finish() throws(OutputError) {}
  }

  struct Backend: OutputBackend {
    let knobs: SimulationKnobs
    let onOpen: @Sendable (StreamRequest, SimulatedStream, Ear) -> Void
    var descriptor: BackendDescriptor { NullBackend().descriptor }

    func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
      -> any OutputInterface.OutputStream
    {
      let ear = Ear()
      let inner = NullBackend(knobs: knobs, pace: .manual, sink: ear) { stream in
        onOpen(request, stream, ear)
      }
      return try inner.open(request, renderer: renderer)
    }

    func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
      try NullBackend(knobs: knobs).openMicrophone(request)
    }

    func eventStreams(device: String?) -> EventStreams { knobs.eventStreams }
    func survey() throws(OutputError) -> ServerSurvey { try NullBackend().survey() }
  }

  /// Never over: nothing here ends by itself.
  @MainActor final class Forever: Countdown {
    func set(after seconds: Double, _ action: @escaping @MainActor () -> Void) {}
    func cancel() {}
  }

  struct OneTrack: Succession {
    let location: TrackLocation
    func track(at index: Int) -> TrackLocation? { index == 0 ? location : nil }
    func index(after index: Int) -> Int? { nil }
  }

  /// A player with neighbours; every stream that was opened, the music's first.
  @MainActor final class Scene {
    let engine: AudioEngine
    let player: Player
    let neighbours: Neighbourhood
    private let opened = Mutex<[(StreamRequest, SimulatedStream, Ear)]>([])
    private(set) var notices: [String] = []
    private(set) var faults: [String] = []
    private let folder: TestFolder

    init(_ knobs: SimulationKnobs) throws {
      let folder = try TestFolder()
      self.folder = folder
      func write(_ name: String, frames: Int, _ value: Int32) throws -> String {
        let samples = [Int32](repeating: value, count: frames * 2)
        return try folder.write(
          SignalFile.wave(
            SignalFile.bytes(samples, .signed24, big: false),
            format: SignalFile.waveFormat(.signed24, channels: 2, rate: 48_000)), name)
      }
      // The music is silence, so that everything else shows.
      let track = TrackLocation(try write("silence.wav", frames: 480_000, 0))
      _ = try write("ringtone.wav", frames: 4800, 1 << 21)
      _ = try write("message.wav", frames: 24_000, 1 << 22)
      _ = try write("call-caller.wav", frames: 96_000, 1 << 20)
      _ = try write("call-callee.wav", frames: 96_000, 1 << 20)
      engine = AudioEngine(succession: OneTrack(location: track), gain: .off) { _ in }
      let route = Route(id: "device", name: "Null output", routeClass: .speaker)
      player = Player(engine: engine, route: route)
      let effects = folder.path + "/effects"
      #expect(symlink(folder.path, effects) == 0)
      neighbours = Neighbourhood(
        player: player, engine: engine, folder: Array(folder.path.utf8), countdown: { Forever() })
      player.onOther = { [unowned self] in neighbours.carryOut($0) }
      neighbours.onNotice = { [unowned self] in notices.append($0) }
      neighbours.onFault = { [unowned self] _, sentence in faults.append(sentence) }
      try engine.start(
        backend: Backend(knobs: knobs) { [weak self] request, stream, ear in
          self?.opened.withLock { $0.append((request, stream, ear)) }
        }, request: StreamRequest(), at: 0)
      engine.events?.patience = 600
      engine.events?.longestDrain = 600
      device(0).waitUntilQueued(4096)
      player.send(.play(.cli))
    }

    var requests: [StreamRequest] { opened.withLock { $0.map(\.0) } }
    func device(_ index: Int) -> SimulatedStream { opened.withLock { $0[index].1 } }
    func heard(_ index: Int) -> [Float] { opened.withLock { $0[index].2 }.samples }

    /// Lets a device hear so many frames, each as soon as it is queued.
    func hear(_ index: Int, _ frames: Int64) {
      var left = frames
      while left > 0, !device(index).isCorked {
        device(index).waitUntilQueued(min(left, 2048))
        let before = device(index).clock().heard
        device(index).advance(frames: min(left, max(device(index).queued, 1)))
        left -= device(index).clock().heard - before
      }
    }

    /// Of all that was heard, or of the last frames.
    func isHeard(_ index: Int, last frames: Int = .max / 2) -> Bool {
      heard(index).suffix(frames * 2).contains { $0 != 0 }
    }

    func isSilent(_ index: Int, last frames: Int = .max / 2) -> Bool {
      !isHeard(index, last: frames)
    }

    func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    func hasBegun(_ count: Int) async {
      await until { requests.count == count && device(count - 1).queued > 0 }
    }
  }

  private func knobs(_ streams: EventStreams) -> SimulationKnobs {
    var knobs = SimulationKnobs()
    knobs.eventStreams = streams
    return knobs
  }

  @Test func `S12: where the server keeps no volume for ringing, keys change the device after all`()
    throws
  {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.player.send(.pause(.key))
    for _ in 0..<2 { scene.player.send(.volumeKey(.down)) }
    #expect(scene.engine.snapshot().deviceVolume?.percent == 100)
    #expect(scene.player.state.hasRingerVolume)
    // One that is kept is what was meant.
    let isKeptSaid = scene.player.ringerAnswered(isThere: true)
    #expect(!isKeptSaid && scene.engine.snapshot().deviceVolume?.percent == 100)
    scene.player.send(.volumeKey(.down))
    let isSaid = scene.player.ringerAnswered(isThere: false)
    #expect(isSaid && !scene.player.state.hasRingerVolume)
    #expect(scene.engine.snapshot().deviceVolume?.percent == 95)
    #expect(scene.player.log.latest(1).first?.remark == .noRingerVolume("Null output"))
    // From now on they go there at once, and what was asked is not asked twice.
    scene.player.send(.volumeKey(.down))
    #expect(scene.engine.snapshot().deviceVolume?.percent == 90)
    let isSaidAgain = scene.player.ringerAnswered(isThere: false)
    #expect(!isSaidAgain && scene.engine.snapshot().deviceVolume?.percent == 90)
    // Another server may keep one.
    scene.player.send(.serverLost)
    scene.player.send(.serverBack(.unchanged))
    #expect(scene.player.state.hasRingerVolume)
  }

  @Test func `S24, S53: a call rings beside the music's stream, and ends when it is declined`()
    async throws
  {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.neighbours.perform(.call)
    await scene.hasBegun(2)
    #expect(scene.requests[1].role == .event)
    #expect(scene.requests[1].trackName == "Incoming call")
    scene.hear(1, 48_000)
    scene.hear(0, 48_000)
    #expect(scene.isHeard(1))
    #expect(scene.isSilent(0))
    #expect(scene.device(0).isCorked)
    scene.neighbours.perform(.decline)
    scene.hear(1, 48_000)
    await scene.until { scene.engine.events!.isIdle }
    #expect(!scene.device(0).isCorked)
    #expect(scene.notices.isEmpty && scene.faults.isEmpty)
  }

  @Test func `Answered, the ringing ends and the voices are of the music's stream`() async throws {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.neighbours.perform(.call)
    await scene.hasBegun(2)
    scene.neighbours.perform(.answer)
    scene.hear(1, 48_000)
    await scene.until { scene.engine.events!.isIdle }
    scene.hear(0, 96_000)
    #expect(scene.isHeard(0))
    #expect(scene.requests.count == 2)
  }

  @Test func `Where one stream is all there is, ringing and tones are in the mix`() async throws {
    let scene = try Scene(knobs(.mixed))
    defer { scene.engine.close() }
    #expect(scene.neighbours.ringer == 80)
    scene.neighbours.perform(.message)
    scene.hear(0, 24_000)
    #expect(scene.isHeard(0))
    scene.hear(0, 96_000)
    scene.neighbours.perform(.call)
    scene.hear(0, 24_000)
    #expect(scene.isHeard(0, last: 9600))
    // A tone does not end what rings.
    scene.neighbours.perform(.message)
    scene.hear(0, 96_000 * 2)
    #expect(scene.isHeard(0, last: 96_000 * 2))
    scene.neighbours.perform(.decline)
    scene.hear(0, 24_000)
    #expect(scene.isSilent(0, last: 9600))
    #expect(scene.requests.count == 1 && scene.notices.isEmpty)
  }

  @Test func `S3: in silent mode nothing rings or beeps; switched while it rings, it ends`()
    async throws
  {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.neighbours.perform(.call)
    await scene.hasBegun(2)
    scene.neighbours.perform(.silent)
    scene.hear(1, 48_000)
    await scene.until { scene.engine.events!.isIdle }
    #expect(scene.neighbours.isCalling)
    scene.neighbours.perform(.decline)
    scene.neighbours.perform(.call)
    scene.neighbours.perform(.message)
    #expect(scene.engine.events!.isIdle)
    scene.neighbours.perform(.decline)
    #expect(scene.requests.count == 2)
  }

  @Test func `S37: while recording no tone is opened a stream for`() async throws {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.player.send(.configure(try! SessionConfiguration(category: .record)))
    scene.neighbours.perform(.message)
    #expect(scene.engine.events!.isIdle)
    #expect(scene.requests.count == 1)
  }

  @Test func `A stream that cannot be opened is told once, and it rings in the mix`() async throws {
    var knobs = knobs(.plain)
    knobs.eventOpenError = OutputError(.busy, "the device is in use by another program")
    let scene = try Scene(knobs)
    defer { scene.engine.close() }
    for _ in 0..<2 {
      scene.neighbours.perform(.call)
      await scene.until { scene.engine.events!.isIdle }
      scene.hear(0, 24_000)
      #expect(scene.isHeard(0, last: 9600))
      scene.neighbours.perform(.decline)
      scene.hear(0, 24_000)
      #expect(scene.isSilent(0, last: 9600))
    }
    #expect(
      scene.notices == [
        "Incoming call: no stream of its own, it sounds in the music's:"
          + " the device is in use by another program"
      ])
    #expect(scene.faults.isEmpty)
  }

  @Test func `S12: with nothing heard a volume key changes what rings, and nothing else`()
    async throws
  {
    let scene = try Scene(knobs(.plain))
    defer { scene.engine.close() }
    scene.player.send(.pause(.key))
    let volume = scene.engine.snapshot().deviceVolume
    for _ in 0..<4 { scene.player.send(.volumeKey(.down)) }
    #expect(scene.neighbours.ringer == 60)
    scene.neighbours.perform(.message)
    await scene.hasBegun(2)
    scene.hear(1, 24_000)
    let quiet = scene.heard(1).map(abs).max()!
    for _ in 0..<9 { scene.player.send(.volumeKey(.up)) }
    #expect(scene.neighbours.ringer == 100)
    scene.neighbours.perform(.message)
    await scene.hasBegun(3)
    scene.hear(2, 24_000)
    let loud = scene.heard(2).map(abs).max()!
    #expect(abs(quiet / loud - 0.216) < 0.001)
    #expect(scene.engine.snapshot().deviceVolume == volume)
  }
}
