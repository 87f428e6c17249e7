import AudioEngine
import AudioOutput
import OutputInterface
import Synchronization
import TestSupport
import Testing

/// The mute as the device's monitor recorded it: of a track that is one constant, every step of the
/// recording is a step of a fade, or a click.
@MainActor
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct MuteMonitorTests {
  @MainActor final class Scene {
    let server: PrivateServer
    let rig: Rig
    let recorder: Recorder
    private let streams = Mutex<[DeviceStream]>([])
    static let level: Float = 0.5

    init(_ kind: PrivateServer.Kind) async throws {
      server = try PrivateServer(kind, sinks: [PrivateServer.Sink("speakers")])
      rig = try Rig()
      recorder = try Recorder(server)
      // Ten minutes: the test goes on when others leave it the main actor, and the track must not
      // have ended by then.
      let samples = [Int16](repeating: 1 << 14, count: 48_000 * 600)
      let wave = SignalFile.wave(
        samples.withUnsafeBytes { Array($0) },
        format: SignalFile.waveFormat(.signed16, channels: 1, rate: 48_000))
      let backend = MonitorTests.WatchedBackend(inner: PulseBackend(server: server.address)) {
        stream in
        self.streams.withLock { $0.append(stream) }
      }
      try rig.start([rig.folder.write(wave, "constant")], backend: backend)
      await rig.until { !rig.toldVolumes.isEmpty }
      hearsSound()
    }

    func hearsSound() {
      #expect(
        recorder.wait(last: 4_800) { $0.count == 9_600 && $0.allSatisfy { $0 == Self.level } })
    }

    func hearsSilence() {
      #expect(recorder.wait(last: 4_800) { $0.count == 9_600 && $0.allSatisfy { $0 == 0 } })
    }

    /// Waits until the device has told that it is muted, or is not.
    func tells(muted: Bool) async { await rig.until { rig.toldVolumes.last?.isMuted == muted } }

    /// Another program.
    func pactl(muted: Bool) throws {
      try server.tool("pactl", ["set-sink-mute", "speakers", muted ? "1" : "0"])
    }

    func end() -> (steps: ArraySlice<Float>, late: Int) {
      let late = streams.withLock { $0.reduce(0) { $0 + $1.rewinds.late } }
      // Before the sound ends at once.
      let samples = recorder.stop()
      rig.close()
      server.close()
      let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
      let steps = zip(left, left.dropFirst()).map { abs($1 - $0) }
      // A track's beginning needs no fade.
      let first = (steps.firstIndex { $0 > 0 } ?? 0) + 1
      return (steps[first...], late)
    }
  }

  /// A step of a fade over 10 ms, and what rounding adds.
  private static let fadeStep: Float = Scene.level / 480 + 0x1p-20

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Mute and unmute are fades, and another program's unmute brings the sound back`(
    kind: PrivateServer.Kind
  ) async throws {
    let scene = try await Scene(kind)
    let before = scene.rig.engine.snapshot().position
    for isUnmutedByUs in [true, false] {
      scene.rig.engine.setMuted(true)
      await scene.tells(muted: true)
      #expect(try scene.server.tool("pactl", ["get-sink-mute", "speakers"]).contains("yes"))
      scene.hearsSilence()
      if isUnmutedByUs {
        scene.rig.engine.setMuted(false)
      } else {
        try scene.pactl(muted: false)
      }
      await scene.tells(muted: false)
      scene.hearsSound()
    }
    // It is a mute, not a pause.
    #expect(scene.rig.engine.snapshot().position - before > 0.2)
    #expect(scene.rig.engine.snapshot().state == .playing)
    let (steps, late) = scene.end()
    if late > 0 { return }  // a fade that began twice, on a busy machine
    // Two falls and two rises, and nothing else.
    #expect(steps.filter { $0 > 0 }.count >= 4 * 470)
    #expect(steps.allSatisfy { $0 <= Self.fadeStep })
  }

  @Test func `What another program muted fades in when it is unmuted here`() async throws {
    let scene = try await Scene(.pulseAudio)
    try scene.pactl(muted: true)
    await scene.tells(muted: true)
    scene.hearsSilence()
    let muted = scene.recorder.frameCount
    scene.rig.engine.toggleMuted()
    await scene.tells(muted: false)
    scene.hearsSound()
    let (steps, late) = scene.end()
    if late > 0 { return }
    let rise = steps[max(steps.startIndex, muted)...]
    #expect(rise.filter { $0 > 0 }.count >= 470)
    #expect(rise.allSatisfy { $0 <= Self.fadeStep })
  }
}
