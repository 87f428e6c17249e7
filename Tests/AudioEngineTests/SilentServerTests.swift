import AudioTypes
import TestSupport
import Testing

@testable import AudioEngine

/// Servers that accept and then say nothing.
@MainActor @Suite(.serialized, .timeLimit(.minutes(15))) struct SilentServerTests {
  @Test(.enabled(if: Tool.isIntegration))
  func `A jump does not wait for a stream that is still being opened, which is no fault then`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let server = try HTTPServer { _ in .silence }
    defer { server.stop() }
    let track = try rig.track("a.wav", frames: 100_000)
    try rig.start([track.path, server.url + "/radio"])
    await rig.until { rig.toldTracks == [0] }
    rig.engine.play(index: 1)
    // The decoder's thread is at it.
    #expect(await holds { rig.engine.feeder.isOpening })
    rig.engine.play(index: 0)
    #expect(await holds { !rig.engine.feeder.isOpening && !rig.engine.feeder.isJumping })
    await rig.until { rig.toldTracks == [0, 0] }
    #expect(rig.failures.isEmpty)
  }
}
