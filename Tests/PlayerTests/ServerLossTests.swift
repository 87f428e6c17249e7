import AudioOutput
import AudioSession
import AudioTypes
import Dispatch
import Foundation
import OutputInterface
import TestSupport
import Testing

@testable import AudioEngine
@testable import Player

/// Real servers that crash, hang and come back below the music. SOTTO_ROUNDS says how often.
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct ServerLossTests {
  static let rounds = ProcessInfo.processInfo.environment["SOTTO_ROUNDS"].flatMap { Int($0) } ?? 5

  @MainActor final class Scene {
    let server: PrivateServer
    let engine: AudioEngine
    private(set) var player: Player!
    private(set) var keeper: OutputKeeper!
    /// Where the music stood when the last new stream took its place: later it has gone on.
    private(set) var placeOnReturn = -1.0
    private let folder: TestFolder
    private final class Box { weak var scene: Scene? }

    init(_ kind: PrivateServer.Kind) throws {
      server = try PrivateServer(kind)
      folder = try TestFolder()
      let samples = [Int16](repeating: 1 << 14, count: 48_000 * 600)
      let wave = SignalFile.wave(
        samples.withUnsafeBytes { Array($0) },
        format: SignalFile.waveFormat(.signed16, channels: 1, rate: 48_000))
      let track = TrackLocation(try folder.write(wave, "constant.wav"))
      let box = Box()
      engine = AudioEngine(
        succession: RingTests.OneTrack(location: track), gain: .off,
        onEvent: { event in
          guard let scene = box.scene else { return }
          if case .device = event { scene.placeOnReturn = scene.engine.snapshot().position }
          _ = scene.keeper?.take(event)
        })
      try engine.start(
        backend: PulseBackend(server: server.address), request: StreamRequest(leakGuard: .auto),
        at: 0)
      player = Player(
        engine: engine, route: Route(id: "speakers", routeClass: .speaker),
        wake: RingTests.Forever())
      keeper = OutputKeeper(player: player, engine: engine)
      box.scene = self
      player.send(.play(.cli))
    }

    /// Looks again whenever the main queue has had a turn.
    func until(_ condition: () -> Bool) async {
      while !condition() {
        await withCheckedContinuation { continuation in
          DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
            continuation.resume()
          }
        }
      }
    }

    func plays() async {
      await until { engine.snapshot().state == .playing && player.situation.isAudible }
      let position = engine.snapshot().position
      await until { engine.snapshot().position > position + 0.05 }
    }

    func close() {
      engine.close()
      server.close()
    }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A server that crashes again and again loses no place, and the music goes on by itself`(
    kind: PrivateServer.Kind
  ) async throws {
    let scene = try Scene(kind)
    defer { scene.close() }
    await scene.plays()
    for round in 1...Self.rounds {
      scene.server.kill()
      await scene.until { scene.player.situation.willResume }
      #expect(scene.engine.snapshot().state == .lost, "round \(round)")
      let position = scene.engine.snapshot().position
      try scene.server.revive()
      await scene.until { scene.engine.snapshot().state != .lost }
      // Where it was, within what the device had taken of it.
      let again = scene.placeOnReturn
      #expect(abs(again - position) < 0.1, "round \(round): \(position), then \(again)")
      await scene.plays()
    }
    #expect(scene.player.situation.intent == .playing)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Paused, nothing sounds when a server comes back, and play goes on at the same place`(
    kind: PrivateServer.Kind
  ) async throws {
    let scene = try Scene(kind)
    defer { scene.close() }
    await scene.plays()
    scene.player.send(.pause(.key))
    await scene.until { !(scene.engine.session?.stream.clock().isRunning ?? false) }
    let position = scene.engine.snapshot().position
    scene.server.kill()
    await scene.until { scene.engine.snapshot().state == .lost }
    try scene.server.revive()
    await scene.until { scene.engine.snapshot().state == .held }
    let recorder = try Recorder(scene.server)
    #expect(recorder.wait(frames: 24_000))
    #expect(recorder.samples.allSatisfy { $0 == 0 })
    #expect(abs(scene.engine.snapshot().position - position) < 0.001)
    scene.player.send(.play(.key))
    await scene.plays()
    recorder.stop()
  }

  @Test func `A server that hangs holds the place, and nothing waits for it, not even the end`()
    async throws
  {
    let scene = try Scene(.pulseAudio)
    await scene.plays()
    scene.server.signal(SIGSTOP)
    await scene.until { scene.player.situation.willResume }
    let position = scene.engine.snapshot().position
    // Everything is answered at once, by the clock of nobody but this thread.
    scene.player.send(.pause(.key))
    scene.player.send(.play(.key))
    scene.engine.setLevel(.unity)
    #expect(scene.engine.snapshot().position == position)
    scene.server.signal(SIGCONT)
    await scene.plays()
    scene.server.signal(SIGSTOP)
    var isOver = false
    scene.engine.shutDown { _ in isOver = true }
    await scene.until { isOver }
    scene.server.signal(SIGCONT)
    scene.server.close()
  }

  @Test func `A PipeWire that hangs behind a server that answers is noticed, and comes back`()
    async throws
  {
    let scene = try Scene(.pipeWire)
    defer { scene.close() }
    await scene.plays()
    scene.server.signalPipeWire(SIGSTOP)
    await scene.until { scene.player.situation.willResume }
    #expect(scene.engine.snapshot().state == .lost)
    let position = scene.engine.snapshot().position
    scene.player.send(.pause(.key))
    scene.player.send(.play(.key))
    #expect(scene.engine.snapshot().position == position)
    scene.server.signalPipeWire(SIGCONT)
    await scene.plays()
    #expect(scene.player.situation.intent == .playing)
  }

  @Test func `Another kind of server in the place of the old one is the same to the music`()
    async throws
  {
    let scene = try Scene(.pulseAudio)
    defer { scene.close() }
    await scene.plays()
    scene.server.kill()
    await scene.until { scene.player.situation.willResume }
    let other = try PrivateServer(.pipeWire)
    defer { other.close() }
    // PipeWire's service at the old address.
    let old = String(scene.server.address.dropFirst("unix:".count))
    try? FileManager.default.removeItem(atPath: old)
    try FileManager.default.createSymbolicLink(
      atPath: old, withDestinationPath: String(other.address.dropFirst("unix:".count)))
    await scene.plays()
    #expect(scene.player.situation.intent == .playing)
  }
}
