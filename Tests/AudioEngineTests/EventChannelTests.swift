import AudioOutput
import AudioTypes
import CRealtime
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine

/// Opens simulated streams that hear apart, and keeps what each was opened with.
final class EventRig: Sendable {
  private let opened = Mutex<[(request: StreamRequest, stream: SimulatedStream, ear: Ear)]>([])

  /// - Parameter knobs: with `eventStreams` set.
  func backend(_ knobs: SimulationKnobs) -> any OutputBackend { Backend(rig: self, knobs: knobs) }

  var requests: [StreamRequest] { opened.withLock { $0.map(\.request) } }
  func device(_ index: Int) -> SimulatedStream { opened.withLock { $0[index].stream } }
  func heard(_ index: Int) -> [Float] { opened.withLock { $0[index].ear }.samples }

  private struct Backend: OutputBackend {
    let rig: EventRig
    let knobs: SimulationKnobs
    var descriptor: BackendDescriptor { NullBackend().descriptor }

    func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
      -> any OutputStream
    {
      let ear = Ear()
      let inner = NullBackend(knobs: knobs, pace: .manual, sink: ear) { stream in
        self.rig.opened.withLock { $0.append((request, stream, ear)) }
      }
      return try inner.open(request, renderer: renderer)
    }

    func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
      try NullBackend(knobs: knobs).openMicrophone(request)
    }

    func eventStreams(device: String?) -> EventStreams { knobs.eventStreams }
    func survey() throws(OutputError) -> ServerSurvey { try NullBackend().survey() }
  }
}

@Suite(.serialized) @MainActor struct EventChannelTests {
  private let folder: TestFolder
  private let rig = EventRig()
  private var knobs = SimulationKnobs()

  init() throws {
    folder = try TestFolder()
    knobs.eventStreams = .plain
  }

  /// A sound of one constant.
  private func sound(frames: Int, _ value: Int32 = 1 << 21) throws -> TrackLocation {
    let bytes = SignalFile.wave(
      SignalFile.bytes([Int32](repeating: value, count: frames * 2), .signed24, big: false),
      format: SignalFile.waveFormat(.signed24, channels: 2, rate: Rig.rate))
    return TrackLocation(try folder.write(bytes, "sound-\(value)-\(frames).wav"))
  }

  /// Lets the main queue run until something holds.
  private func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  /// A channel whose device is never taken for dead, however busy the machine is.
  private func channel(_ knobs: SimulationKnobs, device: String? = nil) -> EventChannel {
    let channel = EventChannel(backend: rig.backend(knobs), device: device)
    channel.patience = 600
    channel.longestDrain = 600
    return channel
  }

  private func begun(_ channel: EventChannel, _ count: Int = 1) async {
    await until { rig.requests.count == count && rig.device(count - 1).queued > 0 }
  }

  @Test func `S24: an event sounds in a stream of its own, which is closed when it was heard`()
    async throws
  {
    let channel = self.channel(knobs, device: "phones")
    #expect(channel.isIdle && rig.requests.isEmpty)
    channel.begin(try sound(frames: 4800), name: "Message", gain: Gain(linear: 0.5)) {
      Issue.record("\($0)")
    }
    await begun(channel)
    #expect(rig.requests[0].role == .event)
    #expect(rig.requests[0].trackName == "Message")
    #expect(rig.requests[0].device == "phones")
    rig.device(0).advance(frames: 4799)
    #expect(!channel.isIdle)
    rig.device(0).advance(frames: 48_000)
    await until { channel.isIdle }
    #expect(rig.heard(0) == [Float](repeating: 0.125, count: 9600))
  }

  @Test func `One that loops goes on until it is ended, and falls to silence before the close`()
    async throws
  {
    let channel = self.channel(knobs)
    let id = channel.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    await begun(channel)
    rig.device(0).advance(frames: 48_000)
    channel.end(id)
    channel.end(id)
    rig.device(0).advance(frames: 48_000)
    await until { channel.isIdle }
    let heard = rig.heard(0)
    #expect(heard.prefix(96_000).allSatisfy { $0 == 0.25 })
    let tail = heard.suffix(960).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    #expect(zip(tail, tail.dropFirst()).allSatisfy { $0 >= $1 } && tail.last! < 0.001)
    // Two seconds were queued: what was queued of the ring is never heard.
    #expect(heard.count < (48_000 + 2000) * 2)
  }

  @Test func `Two events do not touch each other`() async throws {
    let channel = self.channel(knobs)
    let ring = channel.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    await begun(channel)
    channel.begin(try sound(frames: 480, 1 << 22), name: "Message") { Issue.record("\($0)") }
    await begun(channel, 2)
    rig.device(1).advance(frames: 4800)
    rig.device(0).advance(frames: 4800)
    #expect(rig.heard(1) == [Float](repeating: 0.5, count: 960))
    #expect(rig.heard(0) == [Float](repeating: 0.25, count: 9600))
    channel.end(ring)
    rig.device(0).advance(frames: 4800)
    await until { channel.isIdle }
  }

  @Test func `Ended while its stream is being opened, it is never heard`() async throws {
    let channel = self.channel(knobs)
    let id = channel.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    channel.end(id)
    await until { channel.isIdle }
    #expect(rig.requests.count == 1)
    #expect(rig.device(0).queued == 0)
  }

  @Test func `What cannot be opened or read is told once, and nothing stays`() async throws {
    var failures: [EventFailure] = []
    var broken = knobs
    broken.eventOpenError = OutputError(.busy, "the device is in use by another program")
    let busy = self.channel(broken)
    busy.begin(try sound(frames: 100), name: "Message") { failures.append($0) }
    await until { busy.isIdle }
    #expect(failures == [.output(broken.eventOpenError!)])

    failures = []
    let channel = self.channel(knobs)
    channel.begin(TrackLocation("/nowhere/ring.wav"), name: "Message") { failures.append($0) }
    await until { channel.isIdle }
    guard case .sound? = failures.first else {
      Issue.record("\(failures)")
      return
    }
    #expect(failures.count == 1)
  }

  @Test func `A stream that is closed renders nothing any more, whoever still moves it`()
    async throws
  {
    let channel = self.channel(knobs)
    channel.begin(try sound(frames: 48_000), name: "Message") { Issue.record("\($0)") }
    await begun(channel)
    channel.closeAll()
    #expect(channel.isIdle)
    rig.device(0).kick()
    rig.device(0).advance(frames: 4800)
    rig.device(0).waitUntilQueued(.max)
    #expect(rig.heard(0).isEmpty)
  }

  @Test func `A device that is lost while it rings is told, and the stream is closed`() async throws
  {
    var failures: [EventFailure] = []
    var knobs = knobs
    knobs.loseAtFrame = 1000
    let channel = self.channel(knobs)
    channel.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      failures.append($0)
    }
    await begun(channel)
    rig.device(0).advance(frames: 2000)
    await until { channel.isIdle }
    #expect(failures == [.output(OutputError(.deviceLost, "the device is gone"))])
  }

  @Test func `A device that never says that the end was heard keeps no stream`() async throws {
    let channel = self.channel(knobs)
    channel.patience = 0.001
    let id = channel.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    await begun(channel)
    var isDone = false
    // Its clock stands still.
    channel.end(id)
    channel.endAll { isDone = true }
    #expect(!isDone)
    await until { channel.isIdle }
    #expect(isDone)
  }

  @Test func `It rings while the music is held, and the music's stream stays as it was`()
    async throws
  {
    let music = try Rig()
    let samples = Signals.coded(frames: 96_000, channels: 2, bits: 24)
    let track = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, .signed24, big: false),
        format: SignalFile.waveFormat(.signed24, channels: 2, rate: Rig.rate)), "track.wav")
    try music.start([track], backend: rig.backend(knobs))
    defer { music.close() }
    let device = rig.device(0)
    device.waitUntilQueued(9600)
    device.advance(frames: 4800)
    music.engine.hold()
    device.advance(frames: 48_000)
    #expect(device.isCorked)
    let held = rig.heard(0).count
    let events = try #require(music.engine.events)
    events.patience = 600
    let id = events.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    await begun(events, 2)
    rig.device(1).advance(frames: 9600)
    #expect(rig.heard(1) == [Float](repeating: 0.25, count: 19_200))
    #expect(device.isCorked && rig.heard(0).count == held)
    events.end(id)
    rig.device(1).advance(frames: 9600)
    await until { events.isIdle }
    music.engine.release(fade: 0)
    device.advance(frames: 480)
    #expect(rig.heard(0).count == held + 960)
    #expect(
      Array(rig.heard(0)[held...])
        == Array(SignalFile.floats(samples, bits: 24)[held...].prefix(960)))
  }

  @Test func `Shutting down waits until what rings has fallen to silence`() async throws {
    let music = try Rig()
    let (path, _) = try music.track("a.wav", frames: 96_000)
    try music.start([path], backend: rig.backend(knobs))
    let device = rig.device(0)
    device.waitUntilQueued(9600)
    device.advance(frames: 4800)
    music.engine.hold()
    device.advance(frames: 48_000)
    let events = try #require(music.engine.events)
    events.patience = 600
    events.begin(try sound(frames: 100), name: "Incoming call", isLooping: true) {
      Issue.record("\($0)")
    }
    await begun(events, 2)
    rig.device(1).advance(frames: 480)
    var isDown = false
    music.engine.shutDown { _ in isDown = true }
    #expect(!isDown && !events.isIdle)
    rig.device(1).advance(frames: 48_000)
    await until { isDown }
    #expect(events.isIdle)
    #expect(rig.heard(1).last! < 0.001)
  }
}
