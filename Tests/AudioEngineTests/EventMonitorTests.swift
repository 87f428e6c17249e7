import AudioOutput
import AudioTypes
import Foundation
import OutputInterface
import TestSupport
import Testing

@testable import AudioEngine

/// Events on real servers: what the server lists, and what the device's monitor recorded. After the
/// tests of the music, not beside them: they share the main queue.
extension MonitorTests {
  @MainActor @Suite(.serialized) struct EventMonitorTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// A sound of one constant.
    private func sound(frames: Int, _ value: Int32) throws -> TrackLocation {
      let bytes = SignalFile.wave(
        SignalFile.bytes([Int32](repeating: value, count: frames * 2), .signed24, big: false),
        format: SignalFile.waveFormat(.signed24, channels: 2, rate: Rig.rate))
      return TrackLocation(try folder.write(bytes, "sound-\(value)-\(frames).wav"))
    }

    private static let quarter: Int32 = 1 << 21
    private static let half: Int32 = 1 << 22

    private struct Stream: Equatable {
      var role: String
      var name: String
      var isCorked: Bool
    }

    /// Waits on another thread, so that the main queue runs meanwhile.
    private func aside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result)
      async throws
      -> Result
    {
      try await withCheckedThrowingContinuation { done in
        DispatchQueue.global().async { done.resume(with: .init(catching: body)) }
      }
    }

    /// A server with a recorder of its speakers.
    private func scene(_ kind: PrivateServer.Kind) async throws -> (PrivateServer, Recorder) {
      try await aside {
        let server = try PrivateServer(kind)
        return (server, try Recorder(server))
      }
    }

    /// The streams that play on a server, as it lists them itself.
    private func streams(_ server: PrivateServer) async throws -> [Stream] {
      let text = try await aside {
        try server.tool("pactl", ["--format=json", "list", "sink-inputs"])
      }
      let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
      return list.map { entry in
        let properties = entry["properties"] as? [String: String] ?? [:]
        return Stream(
          role: properties["media.role"] ?? "", name: properties["media.name"] ?? "",
          isCorked: entry["corked"] as? Bool ?? false)
      }
    }

    private func until(_ condition: () -> Bool) async {
      while !condition() { await Task.yield() }
    }

    private func records(
      _ recorder: Recorder, _ condition: @escaping @Sendable ([Float]) -> Bool
    ) async throws -> Bool {
      try await aside { recorder.wait(until: condition) }
    }

    @Test(arguments: PrivateServer.Kind.allCases)
    func
      `S24: it rings in a second stream of role event while the music is corked, and that is gone after`(
        kind: PrivateServer.Kind
      ) async throws
    {
      let (server, recorder) = try await scene(kind)
      defer { server.close() }
      let rig = try Rig()
      let (track, _) = try rig.track("track", frames: 480_000)
      try rig.start([track], backend: PulseBackend(server: server.address))
      defer { rig.close() }
      #expect(try await records(recorder) { $0.contains { $0 != 0 } })
      await rig.holdUntilSilent()
      #expect(try await records(recorder) { $0.count == 19_200 && $0.allSatisfy { $0 == 0 } })
      let before = rig.engine.snapshot().position

      let events = try #require(rig.engine.events)
      #expect(events.streams == .withVolume)
      let id = events.begin(
        try sound(frames: 480, Self.quarter), name: "Incoming call", isLooping: true
      ) { Issue.record("\($0)") }
      // The ring's own samples, and nothing else.
      #expect(try await records(recorder) { $0.count == 19_200 && $0.allSatisfy { $0 == 0.25 } })
      let ringing = try await streams(server)
      #expect(ringing.count == 2)
      #expect(ringing.contains(Stream(role: "event", name: "Incoming call", isCorked: false)))
      #expect(ringing.contains { $0.role == "music" && $0.isCorked })

      events.end(id)
      await until { events.isIdle }
      #expect(try await records(recorder) { $0.count == 19_200 && $0.allSatisfy { $0 == 0 } })
      #expect(try await streams(server).map(\.role) == ["music"])
      #expect(rig.engine.snapshot().position == before)
    }

    @Test(arguments: PrivateServer.Kind.allCases)
    func `A tone is heard from its first to its last sample, without any music stream`(
      kind: PrivateServer.Kind
    ) async throws {
      let (server, recorder) = try await scene(kind)
      defer { server.close() }
      let channel = EventChannel(backend: PulseBackend(server: server.address), device: nil)
      channel.begin(try sound(frames: 24_000, Self.quarter), name: "Message") {
        Issue.record("\($0)")
      }
      await until { channel.isIdle }
      #expect(try await streams(server).isEmpty)
      #expect(try await records(recorder) { $0.count == 19_200 && $0.allSatisfy { $0 == 0 } })
      let tone = recorder.stop().filter { $0 != 0 }
      #expect(tone == [Float](repeating: 0.25, count: 48_000))
    }

    @Test(arguments: PrivateServer.Kind.allCases)
    func `S11, S12: the volume of events changes what rings and not the music`(
      kind: PrivateServer.Kind
    ) async throws {
      let (server, recorder) = try await scene(kind)
      defer { server.close() }
      if kind == .pulseAudio { try server.tool("pactl", ["load-module", "module-stream-restore"]) }
      let rig = try Rig()
      let music = try sound(frames: 960_000, Self.half)
      try rig.start(
        [String(decoding: music.path, as: UTF8.self)],
        backend: PulseBackend(server: server.address))
      defer { rig.close() }
      #expect(try await records(recorder) { $0.last == 0.5 })
      let events = try #require(rig.engine.events)
      func ring() throws -> Int {
        events.begin(
          try sound(frames: 480, Self.quarter), name: "Incoming call", isLooping: true
        ) { Issue.record("\($0)") }
      }
      // PipeWire's session manager gives the volume to streams that come, not to those that are there.
      let isLive = kind == .pulseAudio
      var id = try ring()
      #expect(try await records(recorder) { $0.last == 0.75 })
      if !isLive {
        events.end(id)
        await until { events.isIdle }
      }
      // Ten keys at once: none is lost.
      for _ in 0..<10 { rig.engine.stepRinger(percent: -5) }
      await rig.until { rig.toldRingers.last == DeviceVolume(percent: 50, isMuted: false) }
      if !isLive { id = try ring() }
      // Half on the server's scale is an eighth of the amplitude.
      let quiet: @Sendable ([Float]) -> Bool = {
        $0.suffix(4800).allSatisfy { abs($0 - 0.53125) < 1e-4 }
      }
      #expect(try await records(recorder, quiet))
      // It is kept for the next one too.
      events.end(id)
      await until { events.isIdle }
      #expect(try await records(recorder) { $0.suffix(4800).allSatisfy { $0 == 0.5 } })
      id = try ring()
      #expect(try await records(recorder, quiet))
      if !isLive {
        events.end(id)
        await until { events.isIdle }
      }
      rig.engine.stepRinger(percent: 0)
      await rig.until { rig.toldRingers.last == DeviceVolume(percent: 50, isMuted: true) }
      if !isLive { id = try ring() }
      while try await streams(server).count < 2 { await Task.yield() }
      #expect(try await aside { recorder.wait(frames: 14_400) })
      #expect(try await records(recorder) { $0.suffix(4800).allSatisfy { $0 == 0.5 } })
      events.end(id)
      await until { events.isIdle }
    }

    @Test func `A server that keeps no volume for events says so`() async throws {
      let server = try PrivateServer(.pulseAudio)
      defer { server.close() }
      let rig = try Rig()
      let (track, _) = try rig.track("track", frames: 480_000)
      try rig.start([track], backend: PulseBackend(server: server.address))
      defer { rig.close() }
      rig.engine.stepRinger(percent: -5)
      await rig.until { !rig.toldRingers.isEmpty }
      #expect(rig.toldRingers == [nil])
    }
  }
}
