import AudioEngine
import AudioOutput
import AudioTypes
import CRealtime
import Foundation
import TestSupport
import Testing

/// The render path under RealtimeSanitizer: what the compiler proves, watched at run time, with the
/// very functions that each output calls. Scripts/check-realtime links the sanitizer and sets
/// SOTTO_WATCHED; a violation ends the process with a report.
@MainActor
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["SOTTO_WATCHED"] == "1", "run by Scripts/check-realtime"
  )
)
struct WatchedTests {
  @Test func `The sanitizer is there and watches`() {
    #expect(sotto_rt_is_watched())
  }

  @Test func `The twin with a planted allocation is caught`() async {
    await #expect(processExitsWith: .failure) {
      sotto_rt_enter()
      sotto_rt_planted_fault()
      sotto_rt_leave()
    }
  }

  @Test func `The same allocation outside the render path is not`() async {
    await #expect(processExitsWith: .success) {
      sotto_rt_enter()
      sotto_rt_leave()
      sotto_rt_planted_fault()
    }
  }

  /// Every command, several times, while the device's thread renders.
  private func exercise(_ rig: Rig) async throws {
    let engine = rig.engine!
    await rig.until { engine.snapshot().state == .playing }
    for round in 0..<5 {
      engine.setLevel(Gain(linear: Float(round) / 5))
      engine.seek(to: Double(round) * 0.3)
      await rig.until { rig.seekCount == round + 1 }
      engine.hold()
      engine.release()
      engine.move(to: round % 2)
      await rig.until { rig.toldTracks.count >= round + 2 }
    }
    engine.seek(to: 60)
    await rig.until { rig.toldTracks.last == 1 }
    engine.seek(to: 60)
    await rig.until { rig.hasEnded }
  }

  @Test func `Nothing on the simulated device's thread allocates or locks`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 150_000)
    let two = try rig.track("two", frames: 150_000, first: 500_000)
    try rig.start([one.path, two.path], pace: .real)
    try await exercise(rig)
  }

  @Test func `Nor on PulseAudio's and PipeWire's`() async throws {
    for kind in [PrivateServer.Kind.pulseAudio, .pipeWire] {
      let server = try PrivateServer(kind, sinks: [PrivateServer.Sink("speakers")])
      defer { server.close() }
      let rig = try Rig()
      let one = try rig.track("one", frames: 150_000)
      let two = try rig.track("two", frames: 150_000, first: 500_000)
      try rig.start([one.path, two.path], backend: PulseBackend(server: server.address))
      try await exercise(rig)
      rig.close()
    }
  }
}
