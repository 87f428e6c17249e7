import AudioTypes
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import SystemEvents

/// A watch on a server of the test's own, and what it showed.
@MainActor final class Lookout {
  private var watch: ServerWatch?
  private(set) var latest = ServerSnapshot(state: .absent)
  private(set) var levels: [UInt32: StreamLevel] = [:]
  private(set) var pictures = 0
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ address: String) throws {
    watch = ServerWatch(server: address) { [weak self] in self?.take($0, $1) }
    _ = try #require(watch)
  }

  private func take(_ snapshot: ServerSnapshot, _ levels: [UInt32: StreamLevel]) {
    latest = snapshot
    self.levels = levels
    pictures += 1
    waiting?.resume()
    waiting = nil
  }

  func measure(_ streams: [UInt32]) { watch?.measure(streams) }

  func refresh() { watch?.refresh() }

  func close() {
    watch?.close()
    watch = nil
  }

  /// Waits until what was shown satisfies the condition, at most for 30 seconds.
  func shows(_ condition: (Lookout) -> Bool) async -> Bool {
    let limit = DispatchTime.now() + 120
    DispatchQueue.main.asyncAfter(deadline: limit) { [weak self] in
      MainActor.assumeIsolated {
        self?.waiting?.resume()
        self?.waiting = nil
      }
    }
    while !condition(self) {
      if DispatchTime.now() >= limit { return false }
      await withCheckedContinuation { waiting = $0 }
    }
    return true
  }
}

@MainActor @Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct ServerWatchTests {
  @Test func `Without a server the watch says so and ends at once`() async throws {
    let lookout = try Lookout("unix:/nonexistent/socket")
    #expect(await lookout.shows { $0.pictures > 0 })
    #expect(lookout.latest.state == .absent)
    lookout.close()
    #expect(ServerSnapshot.once(server: "unix:/nonexistent/socket") == nil)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Devices are shown with their properties, and who they are`(
    _ kind: PrivateServer.Kind
  ) async throws {
    let server = try PrivateServer(
      kind,
      sinks: [
        .init("speakers"),
        .init("phones", properties: ["device.form_factor": "headphone"]),
        .init(
          "headset",
          properties: [
            "device.form_factor": "headset", "device.bus": "bluetooth",
            "api.bluez5.address": "00:11:22:33:44:55",
          ]),
        .init("hdmi-tv", properties: ["device.form_factor": "tv"]),
      ])
    defer { server.close() }
    let lookout = try Lookout(server.address)
    defer { lookout.close() }
    #expect(await lookout.shows { $0.latest.sinks.filter { !$0.isDummy }.count == 4 })
    let seen = lookout.latest
    #expect(seen.kind == (kind == .pipeWire ? .pipeWire : .pulseAudio))
    #expect(seen.state == .ready)
    #expect(seen.sink(named: seen.defaultSink) != nil)
    #expect(seen.server.contains(kind == .pipeWire ? "PipeWire" : "PulseAudio"))
    #expect(seen.sink(named: "speakers")?.routeClass == .speaker)
    #expect(seen.sink(named: "phones")?.routeClass == .private)
    #expect(seen.sink(named: "headset")?.routeClass == .private)
    #expect(seen.sink(named: "headset")?.address == "00:11:22:33:44:55")
    #expect(seen.sink(named: "hdmi-tv")?.routeClass == .external)
    #expect(seen.sources.contains { $0.name == "speakers.monitor" && $0.isMonitor })
    for name in ["speakers", "phones"] {
      try server.tool("pactl", ["set-default-sink", name])
      #expect(await lookout.shows { $0.latest.defaultSink == name })
    }
    try server.remove(module: server.module(of: "headset"))
    #expect(await lookout.shows { $0.latest.sink(named: "headset") == nil })
    #expect(ServerSnapshot.once(server: server.address)?.state == .ready)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `Streams are shown with what they say of themselves`(
    _ kind: PrivateServer.Kind
  ) async throws {
    let server = try PrivateServer(kind)
    defer { server.close() }
    try server.addMicrophone()
    let lookout = try Lookout(server.address)
    defer { lookout.close() }
    let long = String(repeating: "ü", count: 30_000)
    let plays = try server.guest(
      "pacat",
      [
        "--raw", "--property=media.role=phone", "--property=application.name=\(long)",
        "/dev/zero",
      ], variables: ["LC_ALL": "C.UTF-8"])
    let records = try server.guest("parec", ["--raw", "-d", "mic"])
    #expect(
      await lookout.shows {
        $0.latest.playbacks.contains { $0.role == "phone" } && !$0.latest.captures.isEmpty
      })
    let call = try #require(lookout.latest.playbacks.first { $0.role == "phone" })
    #expect(call.pid == Int(plays.pid))
    #expect(call.binary == "pacat")
    #expect(await lookout.shows { $0.latest.playbacks.contains { !$0.isCorked } })
    // Cut, and not in the middle of a letter.
    #expect(call.application == String(repeating: "ü", count: 128))
    #expect(lookout.latest.captures.contains { $0.pid == Int(records.pid) && !$0.isMeter })
    let mic = lookout.latest.sources.first { $0.name == "mic" }
    #expect(mic?.isMonitor == false)
    plays.end()
    records.end()
    #expect(
      await lookout.shows { $0.latest.captures.isEmpty && $0.latest.playbacks.isEmpty })
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `T3: what sounds is told from what is only open`(_ kind: PrivateServer.Kind) async throws {
    let server = try PrivateServer(kind)
    defer { server.close() }
    let lookout = try Lookout(server.address)
    defer { lookout.close() }
    _ = try server.guest(
      "pacat", ["--raw", "--property=application.name=silent", "/dev/zero"])
    _ = try server.guest(
      "pacat", ["--raw", "--property=application.name=noisy", "/dev/urandom"])
    #expect(await lookout.shows { $0.latest.playbacks.count == 2 })
    func index(_ name: String) -> UInt32? {
      lookout.latest.playbacks.first { $0.application == name }?.index
    }
    let silent = try #require(index("silent"))
    let noisy = try #require(index("noisy"))
    lookout.measure([silent, noisy])
    #expect(
      await lookout.shows { $0.levels[silent] == .silent && $0.levels[noisy] == .sounding })
    // A meter is a stream of its own, and known for what it is.
    #expect(await lookout.shows { $0.latest.captures.count == 2 })
    #expect(lookout.latest.captures.allSatisfy { $0.isMeter })
    lookout.measure([])
    #expect(await lookout.shows { $0.latest.captures.isEmpty })
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A server that ends is missed at once`(_ kind: PrivateServer.Kind) async throws {
    let server = try PrivateServer(kind)
    defer { server.close() }
    let lookout = try Lookout(server.address)
    defer { lookout.close() }
    #expect(await lookout.shows { $0.latest.state == .ready })
    server.signal(SIGKILL)
    #expect(await lookout.shows { $0.latest.state == .absent })
    #expect(lookout.latest.sinks.isEmpty)
    guard kind == .pulseAudio else { return }
    // Another one at the same address is found by itself.
    try server.launch(
      "pulseaudio",
      [
        "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
        "-L", "module-native-protocol-unix", "-L", "module-null-sink sink_name=other",
      ])
    #expect(await lookout.shows { $0.latest.sink(named: "other") != nil })
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A server that hangs is said to, holds nobody up, and goes on`(
    _ kind: PrivateServer.Kind
  ) async throws {
    let server = try PrivateServer(kind)
    defer { server.close() }
    let lookout = try Lookout(server.address)
    #expect(await lookout.shows { $0.latest.state == .ready })
    server.signal(SIGSTOP)
    lookout.refresh()
    #expect(await lookout.shows { $0.latest.state == .silent })
    // A second watch that never gets an answer ends all the same.
    let other = try Lookout(server.address)
    #expect(await other.shows { $0.latest.state == .silent })
    other.close()
    server.signal(SIGCONT)
    #expect(await lookout.shows { $0.latest.state == .ready })
    server.signal(SIGSTOP)
    lookout.close()
    server.signal(SIGCONT)
  }

  @Test func `A thousand short streams leave a picture as it was`() async throws {
    let server = try PrivateServer(.pulseAudio)
    defer { server.close() }
    let lookout = try Lookout(server.address)
    defer { lookout.close() }
    #expect(await lookout.shows { $0.latest.state == .ready })
    var tracker = StreamTracker(own: Int(getpid()))
    let processes = MachineProcesses()
    let script = """
      import ctypes
      pulse = ctypes.CDLL("libpulse-simple.so.0")
      class Spec(ctypes.Structure):
        _fields_ = [("f", ctypes.c_int), ("r", ctypes.c_uint32), ("c", ctypes.c_uint8)]
      pulse.pa_simple_new.restype = ctypes.c_void_p
      for i in range(1000):
        s = pulse.pa_simple_new(None, b"many", 1, None, b"s", ctypes.byref(Spec(3, 48000, 2)), None, None, None)
        assert s
        pulse.pa_simple_free(ctypes.c_void_p(s))
      """
    let many = try server.guest("python3", ["-c", script])
    #expect(await lookout.shows { $0.latest.playbacks.contains { $0.application == "many" } })
    _ = tracker.see(lookout.latest, processes: processes)
    let ended = Task.detached { many.wait() }
    #expect(await ended.value == 0)
    #expect(
      await lookout.shows { !$0.latest.clients.contains { $0.application == "many" } })
    _ = tracker.see(lookout.latest, processes: processes)
    #expect(tracker.observations.isEmpty)
    // Bursts are asked for together: far fewer pictures than events.
    #expect(lookout.pictures < 2000)
  }
}
