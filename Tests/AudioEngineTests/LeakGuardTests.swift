import AudioOutput
import AudioTypes
import Dispatch
import Foundation
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine

/// What real servers let out when a device goes: every sink's monitor is recorded, and each test
/// begins as a user would, with music, then the device, then its end.
@MainActor
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct LeakGuardTests {
  private static let headset = PrivateServer.Sink(
    "headset", properties: ["device.form_factor": "headset", "device.bus": "usb"])

  /// What most of them tell of themselves: nothing but the plug.
  private static let nameless = PrivateServer.Sink("nameless", properties: ["device.bus": "usb"])

  @MainActor final class Scene {
    let server: PrivateServer
    let rig: Rig
    let speakers: Recorder
    static let level: Float = 0.5

    init(_ kind: PrivateServer.Kind, leakGuard: LeakGuard = .auto, sinks: [PrivateServer.Sink])
      throws
    {
      server = try PrivateServer(kind, sinks: sinks)
      rig = try Rig()
      // Else recorders go with the default: it is the monitor of the default sink.
      try server.tool("pactl", ["set-default-source", "speakers.monitor"])
      speakers = try Recorder(server)
      let samples = [Int16](repeating: 1 << 14, count: 48_000 * 600)
      let wave = SignalFile.wave(
        samples.withUnsafeBytes { Array($0) },
        format: SignalFile.waveFormat(.signed16, channels: 1, rate: 48_000))
      try rig.start(
        [rig.folder.write(wave, "constant")], backend: PulseBackend(server: server.address),
        leakGuard: leakGuard)
    }

    /// Lets the main queue go on until the condition holds: another thread looks and waits.
    func until(_ condition: () -> Bool) async {
      while !condition() {
        await withCheckedContinuation { continuation in
          DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
            continuation.resume()
          }
        }
      }
    }

    static func sounds(_ samples: [Float]) -> Bool {
      samples.count == 9_600 && samples.allSatisfy { $0 == level }
    }

    static func isSilent(_ samples: [Float]) -> Bool {
      samples.count == 9_600 && samples.allSatisfy { $0 == 0 }
    }

    func close() {
      rig.close()
      server.close()
    }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S16: not one sample reaches the speakers when a headset vanishes`(
    kind: PrivateServer.Kind
  ) async throws {
    // The headset is the default: what is left are the speakers.
    let scene = try Scene(kind, sinks: [PrivateServer.Sink("speakers")])
    defer { scene.close() }
    #expect(scene.speakers.wait(last: 4_800) { Scene.sounds($0) })
    // A user plugs it in while music plays; the desktop makes it the default.
    let module = try scene.server.add(Self.headset)
    let headset = try Recorder(scene.server, sink: "headset")
    try scene.server.tool("pactl", ["set-default-sink", "headset"])
    #expect(headset.wait(last: 4_800) { Scene.sounds($0) })
    // The server brought the stream there: it is guarded only when a new one takes its place.
    await scene.until { scene.rig.engine.place?.id == "headset" }
    scene.rig.engine.handOver(to: "headset")
    await scene.until { scene.rig.engine.guardState.isGuarded && scene.rig.engine.handOver == nil }
    #expect(scene.speakers.wait(last: 4_800) { Scene.isSilent($0) })
    let before = scene.speakers.samples.count
    try scene.server.remove(module: module)
    await scene.until { scene.rig.engine.snapshot().state == .lost }
    // What would come, comes within two seconds.
    #expect(scene.speakers.wait(frames: 96_000))
    let leaked = scene.speakers.stop().dropFirst(before).count { $0 != 0 }
    #expect(leaked == 0)
    // Without a gap: from the first sample on the headset until it went nothing was silent.
    let heard = headset.stop()
    let first = heard.firstIndex { $0 != 0 } ?? 0
    let last = heard.lastIndex { $0 != 0 } ?? 0
    let silent = heard[first...last].count { $0 == 0 }
    #expect(silent == 0)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A stream opened on a headset is guarded at once, on the speakers never`(
    kind: PrivateServer.Kind
  ) async throws {
    let speaker = PrivateServer.Sink(
      "desk", properties: ["device.bus": "usb", "device.form_factor": "speaker"])
    let cases: [(sink: PrivateServer.Sink, isGuarded: Bool, route: RouteClass)] = [
      (Self.headset, true, .private), (PrivateServer.Sink("speakers"), false, .speaker),
      // It may be a headset; known loudspeakers are none.
      (Self.nameless, true, .speaker), (speaker, false, .speaker),
    ]
    for (sink, isGuarded, route) in cases {
      let server = try PrivateServer(kind, sinks: [sink])
      let rig = try Rig()
      let track = try rig.track("a.wav", frames: 48_000)
      try rig.start(
        [track.path], backend: PulseBackend(server: server.address), leakGuard: .auto)
      #expect(rig.engine.guardState == GuardState(isGuarded: isGuarded, isWanted: false))
      #expect(rig.engine.place?.id == sink.name)
      #expect(rig.engine.place?.routeClass == route)
      rig.close()
      server.close()
    }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A server that stops answering is told, and that it answers again`(
    kind: PrivateServer.Kind
  ) async throws {
    let scene = try Scene(kind, sinks: [PrivateServer.Sink("speakers")])
    defer { scene.close() }
    #expect(scene.speakers.wait(last: 4_800) { Scene.sounds($0) })
    scene.server.signal(SIGSTOP)
    func isTold(_ stalled: Bool) -> Bool {
      scene.rig.events.contains { if case .stalled(stalled) = $0 { true } else { false } }
    }
    await scene.until { isTold(true) }
    let position = scene.rig.engine.snapshot().position
    #expect(scene.rig.engine.snapshot().position == position)
    scene.server.signal(SIGCONT)
    await scene.until { isTold(false) }
    #expect(scene.speakers.wait(last: 4_800) { Scene.sounds($0) })
  }
}
