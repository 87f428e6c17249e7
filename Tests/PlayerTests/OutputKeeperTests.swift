import AudioOutput
import AudioSession
import AudioTypes
import CRealtime
import Dispatch
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine
@testable import Player

/// What becomes of the music when its output goes: on simulated devices of which the test says what
/// each is, and when it is lost.
@Suite(.serialized, .timeLimit(.minutes(15))) @MainActor struct OutputKeeperTests {
  /// A stream with a place on a server.
  final class Placed: OutputInterface.OutputStream {
    let inner: SimulatedStream
    let place: DevicePlace?
    let reason: OutputError.Code
    init(_ inner: SimulatedStream, _ place: DevicePlace, _ reason: OutputError.Code) {
      self.inner = inner
      self.place = place
      self.reason = reason
    }
    var format: AudioFormat { inner.format }
    var capabilities: StreamCapabilities { inner.capabilities }
    var deviceName: String { place?.id ?? "" }
    func kick() { inner.kick() }
    func clock() -> StreamClock { inner.clock() }
    func deviceVolume() -> DeviceVolume? { inner.deviceVolume() }
    func setDeviceVolume(percent: Int) { inner.setDeviceVolume(percent: percent) }
    func setMuted(_ muted: Bool) { inner.setMuted(muted) }
    func ringerVolume() -> DeviceVolume? { nil }
    func stepRinger(percent: Int) {}
    func setTrackName(_ name: String) {}
    var failure: OutputError? {
      inner.failure.map { OutputError(reason, $0.sentence) }
    }
    func close() { inner.close() }
  }

  /// What the next streams are: a place with a frame at which it is lost and why, or a refusal.
  enum Next {
    case stream(DevicePlace, lostAt: Int64?, by: OutputError.Code = .deviceLost)
    case refusal(OutputError.Code)
  }

  final class Server: OutputBackend {
    let descriptor = BackendDescriptor(name: "test", title: "test", isAutomatic: false)
    private let state: Mutex<(next: [Next], opened: [SimulatedStream], wanted: [String?])>

    init(_ next: [Next]) { state = Mutex((next, [], [])) }

    var opened: [SimulatedStream] { state.withLock { $0.opened } }
    var wanted: [String?] { state.withLock { $0.wanted } }

    func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
      -> any OutputInterface.OutputStream
    {
      let next = state.withLock { state in
        state.wanted.append(request.device)
        return state.next.count > 1 ? state.next.removeFirst() : state.next[0]
      }
      switch next {
      case .refusal(let code): throw OutputError(code, "refused")
      case .stream(let place, let lostAt, let reason):
        var knobs = SimulationKnobs()
        knobs.loseAtFrame = lostAt
        let found = Mutex<SimulatedStream?>(nil)
        _ = try NullBackend(
          knobs: knobs, pace: .manual, onOpen: { stream in found.withLock { $0 = stream } }
        ).open(request, renderer: renderer)
        let stream = found.withLock { $0! }
        state.withLock { $0.opened.append(stream) }
        return Placed(stream, place, reason)
      }
    }

    func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream {
      throw OutputError(.noDevice, "there is no microphone")
    }
    func eventStreams(device: String?) -> EventStreams { .mixed }
    func survey() throws(OutputError) -> ServerSurvey { ServerSurvey(server: "", devices: []) }
  }

  /// Comes when the test says so.
  @MainActor final class Bell: Countdown {
    private(set) var seconds: [Double] = []
    private var action: (@MainActor () -> Void)?
    var isSet: Bool { action != nil }
    func set(after seconds: Double, _ action: @escaping @MainActor () -> Void) {
      self.seconds.append(seconds)
      self.action = action
    }
    func cancel() { action = nil }
    func ring() {
      let action = action
      self.action = nil
      action?()
    }
  }

  @MainActor final class Desk {
    let server: Server
    let bell = Bell()
    let engine: AudioEngine
    private(set) var player: Player!
    private(set) var keeper: OutputKeeper!
    private(set) var isOver = false
    private(set) var losses = 0
    private let folder: TestFolder
    private final class Box { weak var desk: Desk? }

    init(_ next: [Next], isLasting: Bool = true) throws {
      folder = try TestFolder()
      let samples = [Int32](repeating: 1 << 20, count: 48_000 * 8)
      let track = TrackLocation(
        try folder.write(
          SignalFile.wave(
            SignalFile.bytes(samples, .signed24, big: false),
            format: SignalFile.waveFormat(.signed24, channels: 2, rate: 48_000)), "a.wav"))
      server = Server(next)
      let box = Box()
      engine = AudioEngine(
        succession: RingTests.OneTrack(location: track), gain: .off,
        onEvent: { event in
          guard let desk = box.desk, let keeper = desk.keeper else { return }
          if case .lost = event { desk.losses += 1 }
          if !keeper.take(event) { desk.isOver = true }
        })
      try engine.start(backend: server, request: StreamRequest(), at: 0)
      let place = engine.place!
      player = Player(
        engine: engine, route: Route(place, name: place.id, place.routeClass!),
        wake: RingTests.Forever(), now: { .seconds(1000) })
      keeper = OutputKeeper(
        player: player, engine: engine, only: nil, isLasting: isLasting, retry: bell)
      box.desk = self
      player.send(.play(.cli))
    }

    func until(_ condition: () -> Bool) async {
      while !condition() {
        await withCheckedContinuation { continuation in
          DispatchQueue.main.async { continuation.resume() }
        }
      }
    }

    /// Lets the device play until it is lost.
    /// - Parameter meanwhile: what the control thread hears before it hears of the loss.
    func loseIt(_ index: Int = 0, meanwhile: () -> Void = {}) async {
      server.opened[index].waitUntilQueued(48_000)
      server.opened[index].advance(frames: 48_000)
      meanwhile()
      await until { losses == index + 1 }
    }
  }

  private static let speakers = DevicePlace(id: "speakers", routeClass: .speaker)
  private static let headset = DevicePlace(id: "headset", routeClass: .private)
  private static let bluetooth = DevicePlace(
    id: "bluez", routeClass: .private, address: "00:11:22:33:44:55")

  @Test func `S16, S17: a device that vanishes pauses, and the next one stays silent until play`()
    async throws
  {
    let desk = try Desk([
      .stream(Self.headset, lostAt: 9_000), .stream(Self.speakers, lostAt: nil),
    ])
    await desk.loseIt()
    await desk.until { desk.server.opened.count == 2 && desk.engine.heardPlace() != nil }
    #expect(desk.player.situation.intent == .paused(.noisy))
    #expect(desk.player.state.route?.id == "speakers")
    #expect(desk.engine.isHeld && desk.server.opened[1].isCorked)
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    desk.player.send(.play(.key))
    await desk.until { !desk.server.opened[1].isCorked }
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    desk.engine.close()
  }

  @Test func `sleep that nobody told of pauses for its own cause, and plays on only when asked`()
    async throws
  {
    let desk = try Desk([
      .stream(Self.speakers, lostAt: 9_000, by: .suspended), .stream(Self.speakers, lostAt: nil),
    ])
    await desk.loseIt()
    await desk.until { desk.server.opened.count == 2 && desk.engine.heardPlace() != nil }
    #expect(desk.player.situation.intent == .paused(.sleep))
    #expect(desk.player.state.blockers.isEmpty && desk.player.state.route?.id == "speakers")
    #expect(desk.engine.isHeld && desk.server.opened[1].isCorked)
    desk.player.send(.play(.key))
    await desk.until { !desk.server.opened[1].isCorked }
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    desk.engine.close()
  }

  @Test func `D4.7: a Bluetooth device is waited for, and nothing is opened elsewhere meanwhile`()
    async throws
  {
    let desk = try Desk([
      .stream(Self.bluetooth, lostAt: 9_000), .stream(Self.bluetooth, lostAt: nil),
    ])
    await desk.loseIt()
    #expect(desk.player.state.pendingAddress == Self.bluetooth.address)
    for _ in 0..<3 {
      #expect(desk.bell.isSet)
      desk.bell.ring()
    }
    #expect(desk.server.wanted.count == 1 && desk.player.situation.intent == .playing)
    // It is back as another profile.
    let call = Route(
      id: "bluez-call", name: "call", routeClass: .private, deviceAddress: Self.bluetooth.address)
    desk.keeper.deviceOf = { $0.id }
    desk.player.send(.route(RouteChange(to: call, reason: .newDeviceAvailable)))
    desk.bell.ring()
    await desk.until { desk.server.opened.count == 2 && !desk.server.opened[1].isCorked }
    #expect(desk.server.wanted == [nil, "bluez-call"])
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    desk.engine.close()
  }

  @Test(arguments: [false, true], [false, true])
  func `D4.7, S53: a profile switch is one, whoever tells of it first; a lost link is a loss`(
    isSeenFirst: Bool, isLinked: Bool
  ) async throws {
    let desk = try Desk([
      .stream(Self.bluetooth, lostAt: 9_000), .stream(Self.bluetooth, lostAt: nil),
    ])
    desk.keeper.isLinked = { _ in isLinked }
    desk.keeper.deviceOf = { $0.id }
    // The server's picture: its stream goes to the speakers, its card is there still.
    let seen = RouteChange(
      to: Route(id: "speakers", routeClass: .speaker), reason: .oldDeviceUnavailable,
      isLinkKept: true)
    await desk.loseIt { if isSeenFirst { desk.player.send(.route(seen)) } }
    if !isSeenFirst, isLinked { desk.player.send(.route(seen)) }
    guard isLinked else {
      #expect(desk.player.state.pendingAddress == nil)
      #expect(desk.player.situation.intent == .paused(.noisy))
      return desk.engine.close()
    }
    #expect(desk.player.state.pendingAddress == Self.bluetooth.address)
    #expect(desk.player.state.route?.id == "speakers")
    #expect(desk.player.situation.willResume && desk.server.wanted.count == 1)
    let call = Route(
      id: "bluez-call", name: "call", routeClass: .private, deviceAddress: Self.bluetooth.address)
    desk.player.send(.route(RouteChange(to: call, reason: .newDeviceAvailable)))
    desk.bell.ring()
    await desk.until { desk.server.opened.count == 2 && !desk.server.opened[1].isCorked }
    #expect(desk.player.situation.isAudible && desk.player.state.route == call)
    desk.engine.close()
  }

  @Test(arguments: [false, true])
  func
    `A server that ends is waited for with growing pauses, and the music goes on only where it was`(
      isElsewhere: Bool
    ) async throws
  {
    let desk = try Desk([
      .stream(Self.headset, lostAt: 9_000, by: .serverLost), .refusal(.noServer),
      .refusal(.noServer), .refusal(.noServer),
      .stream(isElsewhere ? Self.speakers : Self.headset, lostAt: nil),
    ])
    await desk.loseIt()
    for count in 1...3 {
      await desk.until { desk.server.wanted.count == count + 1 && desk.bell.isSet }
      #expect(desk.player.situation.willResume && !desk.player.situation.isAudible)
      desk.bell.ring()
    }
    #expect(desk.bell.seconds == [0.2, 0.4, 0.8])
    await desk.until { desk.server.opened.count == 2 && desk.engine.heardPlace() != nil }
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    if isElsewhere {
      // What was private must not be shared (S16).
      #expect(desk.player.situation.intent == .paused(.noisy))
      #expect(desk.server.opened[1].isCorked)
    } else {
      await desk.until { !desk.server.opened[1].isCorked }
      #expect(desk.player.situation.isAudible)
    }
    desk.engine.close()
  }

  @Test func `S21: a device that the user chooses ends the waiting for a lost server`() async throws
  {
    let desk = try Desk([
      .stream(Self.headset, lostAt: 9_000, by: .serverLost), .refusal(.noServer),
      .stream(Self.headset, lostAt: nil),
    ])
    await desk.loseIt()
    await desk.until { desk.server.wanted.count == 2 && desk.bell.isSet }
    #expect(desk.player.situation.willResume && !desk.player.situation.isAudible)
    desk.engine.handOver(to: "headset")
    await desk.until { desk.server.opened.count == 2 && !desk.server.opened[1].isCorked }
    #expect(desk.player.situation.isAudible && desk.player.state.blockers.isEmpty)
    // What was still to be tried has nothing to do any more.
    desk.bell.ring()
    #expect(desk.server.wanted.count == 3 && desk.player.situation.isAudible)
    desk.engine.close()
  }

  @Test func `A server that does not answer interrupts, and the music goes on when it does`() throws
  {
    let desk = try Desk([.stream(Self.headset, lostAt: nil)])
    #expect(desk.keeper.take(.stalled(true)))
    #expect(desk.player.situation.willResume && !desk.player.situation.isAudible)
    #expect(desk.engine.isHeld)
    #expect(desk.keeper.take(.stalled(false)))
    #expect(desk.player.situation.isAudible && !desk.engine.isHeld)
    desk.engine.close()
  }

  @Test func `S16: a server's stand-in for a device is none: nothing runs on unheard`() async throws
  {
    let standIn = DevicePlace(id: "auto_null", routeClass: .speaker)
    let desk = try Desk([
      .stream(Self.headset, lostAt: 9_000, by: .serverLost), .stream(standIn, lostAt: nil),
      .stream(Self.headset, lostAt: nil),
    ])
    await desk.loseIt()
    await desk.until { desk.server.opened.count == 2 && desk.bell.isSet }
    #expect(desk.engine.snapshot().state == .lost && desk.server.opened[1].isCorked)
    #expect(desk.player.situation.willResume && desk.player.state.route?.id == "headset")
    desk.bell.ring()
    await desk.until { desk.server.opened.count == 3 && !desk.server.opened[2].isCorked }
    #expect(desk.engine.snapshot().position == 9_000.0 / 48_000)
    desk.engine.close()
  }

  @Test func `A file that cannot be written any more is the end`() async throws {
    let desk = try Desk([.stream(Self.speakers, lostAt: 9_000)], isLasting: false)
    await desk.loseIt()
    #expect(desk.isOver && desk.server.wanted.count == 1)
    desk.engine.close()
  }
}
