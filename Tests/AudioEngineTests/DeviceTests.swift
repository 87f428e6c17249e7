import AudioOutput
import AudioTypes
import CRealtime
import Dispatch
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine

/// An output of which each stream has a device of its own, with a name, knobs and an ear.
final class Devices: OutputBackend {
  let descriptor = BackendDescriptor(name: "null", title: "devices", isAutomatic: false)

  struct Opened {
    var request: StreamRequest
    var stream: SimulatedStream
    var ear: Ear
  }

  private let state: Mutex<(knobs: [SimulationKnobs], opened: [Opened])>

  /// - Parameter knobs: of the first stream, the second, and so on; the last ones are all alike.
  init(_ knobs: [SimulationKnobs]) { state = Mutex((knobs, [])) }

  var opened: [Opened] { state.withLock { $0.opened } }

  func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  {
    let knobs = state.withLock { $0.knobs.count > 1 ? $0.knobs.removeFirst() : $0.knobs[0] }
    let ear = Ear()
    return unsafe try NullBackend(
      knobs: knobs, pace: .manual, sink: ear,
      onOpen: { [unowned self] stream in
        state.withLock {
          $0.opened.append(Opened(request: request, stream: stream, ear: ear))
        }
      }
    ).open(request, renderer: renderer)
  }

  func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
    throw OutputError(.noDevice, "there is no microphone")
  }

  func eventStreams(device: String?) -> EventStreams { .mixed }

  func survey() throws(OutputError) -> ServerSurvey { ServerSurvey(server: "", devices: []) }
}

/// Streams that come and go below the music.
@MainActor @Suite(.serialized, .timeLimit(.minutes(15))) struct DeviceTests {
  /// Lets the main queue take its next turn.
  private func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  private func until(_ condition: () -> Bool) async {
    while !condition() { await turn() }
  }

  private func hear(_ opened: Devices.Opened, _ frames: Int) {
    var left = Int64(frames)
    while left > 0 {
      let piece = min(left, 2048)
      opened.stream.waitUntilQueued(piece)
      let before = opened.stream.clock().heard
      opened.stream.advance(frames: min(piece, max(opened.stream.queued, 1)))
      left -= opened.stream.clock().heard - before
      if opened.stream.isCorked { return }
    }
  }

  private func losing(at frame: Int64) -> SimulationKnobs {
    var knobs = SimulationKnobs()
    knobs.loseAtFrame = frame
    return knobs
  }

  @Test(arguments: [false, true])
  func `S16: a lost output is opened again at the frame where it was lost`(isHeld: Bool)
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([losing(at: 9_000), SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 4)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 10_000)
    await until { rig.engine.snapshot().state == .lost }
    #expect(rig.engine.snapshot().position == 9_000.0 / 48_000)
    if isHeld { rig.engine.hold() }
    var failure: OutputError?
    rig.engine.recover(to: "other") { failure = $0 }
    await until { devices.opened.count == 2 && rig.engine.snapshot().state != .lost }
    #expect(failure == nil)
    let other = devices.opened[1]
    #expect(other.request.device == "other")
    if isHeld {
      await until { rig.engine.heardPlace() != nil }
      #expect(other.stream.isCorked && rig.engine.snapshot().state == .held)
      #expect(rig.engine.snapshot().position == 9_000.0 / 48_000)
      rig.engine.release()
    }
    await until { !other.stream.isCorked }
    hear(other, 20_000)
    // After the fade it is the track, from the frame that was not heard any more.
    let heard = Array(other.ear.samples.dropFirst(480 * 2).prefix(10_000 * 2))
    let wanted = Array(track.samples[(9_480 * 2)..<(19_480 * 2)])
    #expect(heard == wanted)
  }

  @Test func `What is asked for while the output is lost holds when it is back`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([losing(at: 9_000), SimulationKnobs()])
    let first = try rig.track("a.wav", frames: Rig.rate * 4)
    let second = try rig.track("b.wav", frames: Rig.rate * 4, first: 500_000)
    try rig.start([first.path, second.path], backend: devices)
    hear(devices.opened[0], 10_000)
    await until { rig.engine.snapshot().state == .lost }
    rig.engine.move(to: 1)
    rig.engine.seek(to: 1)
    #expect(rig.engine.snapshot().index == 1 && rig.engine.snapshot().position == 1)
    rig.engine.recover(to: nil) { _ in }
    await until { devices.opened.count == 2 && !devices.opened[1].stream.isCorked }
    hear(devices.opened[1], 10_000)
    let heard = Array(devices.opened[1].ear.samples.dropFirst(480 * 2).prefix(9_000 * 2))
    #expect(heard == Array(second.samples[(48_480 * 2)..<(57_480 * 2)]))
  }

  @Test func `An output that cannot be opened again is told, and tried as often as asked`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    var refused = SimulationKnobs()
    refused.openError = OutputError(.noServer, "no server answers")
    let devices = Devices([losing(at: 9_000), refused, refused, SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 4)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 10_000)
    await until { rig.engine.snapshot().state == .lost }
    for _ in 0..<2 {
      var failure: OutputError?
      rig.engine.recover(to: nil) { failure = $0 }
      await until { failure != nil }
      #expect(failure?.code == .noServer && rig.engine.snapshot().state == .lost)
    }
    var isBack = false
    rig.engine.recover(to: nil) { isBack = $0 == nil }
    await until { isBack }
    #expect(rig.engine.snapshot().position == 9_000.0 / 48_000)
  }

  @Test func `S15, S21: a hand-over goes on at the same frame, one falling while one rises`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([SimulationKnobs(), SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    try rig.start([track.path], backend: devices)
    let old = devices.opened[0]
    hear(old, 20_000)
    await until { rig.engine.snapshot().state == .playing }
    rig.engine.handOver(to: "headset")
    await until { devices.opened.count == 2 && !devices.opened[1].stream.isCorked }
    let new = devices.opened[1]
    // Some sound passes on both while their clocks are learned.
    for _ in 0..<5 {
      hear(old, 480)
      hear(new, 480)
    }
    await until { rig.engine.handOver?.isFalling == true }
    let (oldAt, newAt) = (Int(old.stream.clock().heard), Int(new.stream.clock().heard))
    for _ in 0..<20 {
      hear(old, 480)
      hear(new, 480)
    }
    // Until then nothing of the new one, afterwards nothing of the old.
    #expect(new.ear.samples.prefix(newAt * 2).allSatisfy { $0 == 0 })
    #expect(old.ear.samples.dropFirst((oldAt + 6_000) * 2).allSatisfy { $0 == 0 })
    // At every moment both together are the track, the frame that the old one would have played.
    for frame in 0..<(20 * 480) {
      for channel in 0..<2 {
        let was = old.ear.samples[(oldAt + frame) * 2 + channel]
        let now = new.ear.samples[(newAt + frame) * 2 + channel]
        let wanted = track.samples[(oldAt + frame) * 2 + channel]
        guard abs(was + now - wanted) < 0.01 else {
          Issue.record("frame \(frame): \(was) and \(now) are not \(wanted)")
          return
        }
      }
    }
    await until { rig.engine.handOver == nil }
    // Nobody has jumped, so nobody is told of a jump.
    #expect(!rig.hasSought && rig.toldTracks == [0])
    #expect(rig.engine.snapshot().index == 0)
    let isStill = rig.events.allSatisfy { if case .state(.held) = $0 { false } else { true } }
    #expect(isStill)
  }

  @Test func `Paused, a hand-over waits at the same frame`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([SimulationKnobs(), SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 20_000)
    rig.engine.hold()
    hear(devices.opened[0], 5_000)
    let position = rig.engine.snapshot().position
    var isDone = false
    rig.engine.handOver(to: "headset") { isDone = $0 == nil }
    await until { isDone && rig.engine.heardPlace() != nil }
    #expect(rig.engine.snapshot().position == position)
    #expect(devices.opened[1].stream.isCorked)
    rig.engine.release()
    await until { !devices.opened[1].stream.isCorked }
    hear(devices.opened[1], 5_000)
    let from = Int((position * 48_000).rounded()) + 480
    let heard = Array(devices.opened[1].ear.samples.dropFirst(480 * 2).prefix(4_000 * 2))
    #expect(heard == Array(track.samples[(from * 2)..<((from + 4_000) * 2)]))
  }

  @Test func `A command during a hand-over is heard on the new device alone`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([SimulationKnobs(), SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 20_000)
    await until { rig.engine.snapshot().state == .playing }
    rig.engine.handOver(to: "headset")
    await until { devices.opened.count == 2 && !devices.opened[1].stream.isCorked }
    rig.engine.hold()
    hear(devices.opened[0], 2_000)
    hear(devices.opened[1], 5_000)
    #expect(devices.opened[1].stream.isCorked)
    #expect(rig.engine.snapshot().state == .held)
    #expect(devices.opened[0].ear.samples.suffix(400).allSatisfy { $0 == 0 })
  }

  @Test func `S21: a second hand-over within the first leaves the oldest device at once`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let devices = Devices([SimulationKnobs()])
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 20_000)
    await until { rig.engine.snapshot().state == .playing }
    rig.engine.handOver(to: "headset")
    await until { devices.opened.count == 2 && !devices.opened[1].stream.isCorked }
    #expect(!devices.opened[0].ear.isFinished)
    var isDone = false
    rig.engine.handOver(to: "speakers") { isDone = $0 == nil }
    await until { isDone }
    #expect(devices.opened[0].ear.isFinished)
    hear(devices.opened[1], 2_000)
    await until { !devices.opened[2].stream.isCorked }
    rig.engine.hold()
    hear(devices.opened[1], 2_000)
    hear(devices.opened[2], 5_000)
    #expect(devices.opened[2].stream.isCorked)
    #expect(rig.engine.snapshot().state == .held)
  }

  @Test func `Who waits for an output is told, also when another one is chosen meanwhile`()
    async throws
  {
    let rig = try Rig()
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    let server = SlowServer(Devices([SimulationKnobs()]))
    let engine = AudioEngine(
      succession: Tracks(locations: [TrackLocation(track.path)]), gain: .off, onEvent: { _ in })
    defer { engine.close() }
    server.gate.signal()
    try engine.start(backend: server, request: StreamRequest(), at: 0)
    var answers: [String] = []
    engine.handOver(to: "a") { answers.append("a \($0?.code.rawValue ?? "done")") }
    engine.handOver(to: "b") { answers.append("b \($0?.code.rawValue ?? "done")") }
    #expect(engine.isOpening)
    server.gate.signal()
    server.gate.signal()
    await until { answers.count == 2 }
    #expect(answers == ["a superseded", "b done"])
    #expect(!engine.isOpening)
    #expect(server.devices.opened.map(\.request.device) == [nil, "a", "b"])
    // Of what nobody wanted any more nothing is left.
    #expect(server.devices.opened[1].ear.isFinished)
  }

  /// An output whose server answers when the test says so.
  private final class SlowServer: OutputBackend {
    let devices: Devices
    let gate = DispatchSemaphore(value: 0)
    var descriptor: BackendDescriptor { devices.descriptor }
    init(_ devices: Devices) { self.devices = devices }
    func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
      -> any OutputStream
    {
      gate.wait()
      return try unsafe devices.open(request, renderer: renderer)
    }
    func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
      try devices.openMicrophone(request)
    }
    func eventStreams(device: String?) -> EventStreams { .mixed }
    func survey() throws(OutputError) -> ServerSurvey { try devices.survey() }
  }

  @Test func `A server that does not answer at the start is waited for beside, and held`()
    async throws
  {
    let rig = try Rig()
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    let server = SlowServer(Devices([SimulationKnobs()]))
    let engine = AudioEngine(
      succession: Tracks(locations: [TrackLocation(track.path)]), gain: .off, onEvent: { _ in })
    defer { engine.close() }
    engine.openAhead(backend: server, request: StreamRequest())
    try engine.start(backend: server, request: StreamRequest(), at: 0, patience: 0.01)
    #expect(engine.snapshot().state == .lost && engine.isHeld)
    #expect(engine.snapshot().index == 0)
    var isBack = false
    engine.recover(to: nil) { isBack = $0 == nil }
    // Both that wait there are answered; the first is nobody's any more.
    server.gate.signal()
    server.gate.signal()
    await until { isBack && server.devices.opened.count == 2 }
    #expect(engine.snapshot().state == .held)
    #expect(server.devices.opened.allSatisfy { $0.stream.isCorked })
    engine.release()
    await until { server.devices.opened.contains { !$0.stream.isCorked } }
    let heard = try #require(server.devices.opened.first { !$0.stream.isCorked })
    hear(heard, 20_000)
    #expect(Array(heard.ear.samples.prefix(20_000 * 2)) == Array(track.samples.prefix(20_000 * 2)))
  }

  @Test func `A device that cannot be opened leaves everything as it was`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    var refused = SimulationKnobs()
    refused.openError = OutputError(.noDevice, "no such device")
    let devices = Devices([SimulationKnobs(), refused])
    let track = try rig.track("a.wav", frames: Rig.rate * 6)
    try rig.start([track.path], backend: devices)
    hear(devices.opened[0], 20_000)
    var failure: OutputError?
    rig.engine.handOver(to: "nowhere") { failure = $0 }
    await until { failure != nil }
    hear(devices.opened[0], 20_000)
    let isSame = devices.opened[0].ear.samples == Array(track.samples.prefix(40_000 * 2))
    #expect(isSame)
    await until { rig.engine.snapshot().state == .playing }
  }
}
