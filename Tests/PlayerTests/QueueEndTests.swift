import AudioOutput
import AudioSession
import AudioTypes
import OutputInterface
import TestSupport
import Testing

@testable import AudioEngine
@testable import Player

/// The end of a queue of which nothing could be played.
@Suite(.serialized) @MainActor struct QueueEndTests {
  @MainActor final class Desk {
    let engine: AudioEngine
    private(set) var player: Player
    private(set) var failures = 0
    private(set) var ends = 0
    private var time = SessionTime.seconds(1000)
    private let folder: TestFolder

    private final class Box { weak var desk: Desk? }

    init() throws {
      folder = try TestFolder()
      let track = TrackLocation(try folder.write([UInt8]("no sound at all".utf8), "text.mp3"))
      let box = Box()
      engine = AudioEngine(
        succession: RingTests.OneTrack(location: track), gain: .off,
        onEvent: { box.desk?.take($0) })
      player = Player(
        engine: engine, route: Route(id: "device", name: "Null output", routeClass: .speaker),
        wake: RingTests.Forever(), now: { box.desk?.time ?? .seconds(1000) })
      box.desk = self
      try engine.start(
        backend: NullBackend(knobs: SimulationKnobs(), pace: .manual), request: StreamRequest(),
        at: 0)
      player.send(.play(.cli))
    }

    private func take(_ event: EngineEvent) {
      switch event {
      case .failed: failures += 1
      case .ended:
        // The session's clock has gone on since it said that it plays.
        time = time + .milliseconds(20)
        ends += 1
        player.send(.queueEnded)
      default: break
      }
    }

    func end(_ count: Int) async { while ends < count { await Task.yield() } }
  }

  @Test func `a file that cannot be played is tried once`() async throws {
    let desk = try Desk()
    await desk.end(1)
    #expect(desk.failures == 1)
    #expect(desk.player.situation.intent == .stopped)
    // Another try would have been ordered within the end itself.
    #expect(desk.engine.snapshot().state == .idle)
    desk.engine.close()
  }

  @Test func `play tries it again, and the session does not say that it plays`() async throws {
    let desk = try Desk()
    await desk.end(1)
    desk.player.send(.toggle(.key))
    #expect(desk.player.situation.intent == .playing)
    await desk.end(2)
    #expect(desk.failures == 2)
    #expect(desk.player.situation.intent == .stopped)
    desk.engine.close()
  }
}
