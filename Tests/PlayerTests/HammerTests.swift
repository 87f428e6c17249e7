import AudioOutput
import AudioSession
import AudioTypes
import Foundation
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine
@testable import Player

/// All keys at random for a minute of a clock that the test turns: whatever happens, what the
/// session says is what the engine does and what is heard.
@Suite(.serialized) @MainActor struct HammerTests {
  /// The time, and what becomes due in it.
  @MainActor final class ManualClock {
    private(set) var now = SessionTime.seconds(1000)
    private var due: [(id: ObjectIdentifier, at: SessionTime, action: @MainActor () -> Void)] = []

    func set(
      _ id: ObjectIdentifier, at time: SessionTime, _ action: @escaping @MainActor () -> Void
    ) {
      cancel(id)
      due.append((id, time, action))
    }

    func cancel(_ id: ObjectIdentifier) { due.removeAll { $0.id == id } }

    /// The next moment at which something is due, at most `limit`.
    func next(before limit: SessionTime) -> SessionTime {
      due.map(\.at).filter { $0 < limit }.min().map { max($0, now) } ?? limit
    }

    /// Moves on, and does what is due by then.
    func move(to time: SessionTime) {
      now = time
      while let first = due.filter({ $0.at <= time }).min(by: { $0.at < $1.at }) {
        cancel(first.id)
        first.action()
      }
    }
  }

  final class ManualCountdown: Countdown {
    let clock: ManualClock
    init(_ clock: ManualClock) { self.clock = clock }
    func set(after seconds: Double, _ action: @escaping @MainActor () -> Void) {
      clock.set(ObjectIdentifier(self), at: clock.now + .seconds(seconds), action)
    }
    func cancel() { clock.cancel(ObjectIdentifier(self)) }
  }

  /// Keeps the left sample of the last frame that was heard.
  final class Ear: SimulationSink {
    private let store = Mutex<Float>(0)
    var left: Float { store.withLock { $0 } }
    func hear(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {
      guard samples.count >= 2 else { return }
      let left = samples[samples.count - 2]
      store.withLock { $0 = left }
    }
    func finish() throws(OutputError) {}
  }

  /// Three tracks that follow each other for ever.
  struct Round: Succession {
    let locations: [TrackLocation]
    func track(at index: Int) -> TrackLocation? {
      locations.indices.contains(index) ? locations[index] : nil
    }
    func index(after index: Int) -> Int? { (index + 1) % locations.count }
  }

  /// The music is on the left, everything else on the right.
  @MainActor final class Desk {
    static let rate = 8000
    static let music: Float = 0.25
    static let route = Route(id: "device", name: "Null output", routeClass: .speaker)

    let clock = ManualClock()
    let ear = Ear()
    let engine: AudioEngine
    let player: Player
    let neighbours: Neighbourhood
    let began: SessionTime
    private(set) var events: [(at: SessionTime, event: SessionEvent)] = []
    private(set) var faults: [String] = []
    private var random: Signals.Seeded
    /// What was done, for the message of a failure.
    private(set) var acts: [String] = []
    /// Since when the session has said the same, and what.
    private var steadySince: SessionTime
    private var steady: Situation?
    private var steadyLevel: Float = 1
    private let folder: TestFolder
    private let device = Mutex<SimulatedStream?>(nil)

    init(seed: UInt64) throws {
      let folder = try TestFolder()
      self.folder = folder
      random = Signals.Seeded(seed)
      func write(_ name: String, seconds: Int, left: Int32, right: Int32) throws {
        var samples: [Int32] = []
        for _ in 0..<seconds * Self.rate { samples += [left, right] }
        _ = try folder.write(
          SignalFile.wave(
            SignalFile.bytes(samples, .signed24, big: false),
            format: SignalFile.waveFormat(.signed24, channels: 2, rate: Self.rate)), name)
      }
      for track in 0..<3 { try write("\(track).wav", seconds: 7, left: 1 << 21, right: 0) }
      for name in [
        "ringtone.wav", "message.wav", "call-caller.wav", "call-callee.wav", "navigation.wav",
        "alarm.wav", "04-ode-to-joy.mp3", "05-greensleeves-verse.ogg",
      ] {
        try write(name, seconds: 3, left: 0, right: 1 << 20)
      }
      for name in ["effects", "music"] {
        #expect(symlink(folder.path, folder.path + "/" + name) == 0)
      }
      let clock = clock
      engine = AudioEngine(
        succession: Round(
          locations: (0..<3).map { TrackLocation(folder.path + "/\($0).wav") }), gain: .off,
        onEvent: { Self.current?.take($0) })
      player = Player(
        engine: engine, route: Self.route, wake: ManualCountdown(clock), now: { clock.now })
      began = clock.now
      steadySince = clock.now
      neighbours = Neighbourhood(
        player: player, engine: engine, folder: Array(folder.path.utf8),
        countdown: { ManualCountdown(clock) })
      Self.current = self
      player.onEvent = { [unowned self] in events.append(($0, $1)) }
      player.onOther = { [unowned self] in neighbours.carryOut($0) }
      neighbours.onFault = { [unowned self] path, sentence in
        faults.append(String(decoding: path, as: UTF8.self) + ": " + sentence)
      }
      neighbours.onNotice = { [unowned self] in faults.append($0) }
      var knobs = SimulationKnobs()
      knobs.sampleRate = Self.rate
      try engine.start(
        backend: NullBackend(knobs: knobs, pace: .manual, sink: ear) { [weak self] stream in
          self?.device.withLock { $0 = stream }
        }, request: StreamRequest(), at: 0)
      stream.waitUntilQueued(400)
      player.send(.play(.cli))
    }

    private static weak var current: Desk?

    var stream: SimulatedStream { device.withLock { $0! } }

    /// As `sotto play` does.
    private func take(_ event: EngineEvent) {
      switch event {
      case .track(let index, _): player.send(.trackBegan(index))
      case .ended, .lost, .failed: faults.append("\(event)")
      default: break
      }
    }

    // MARK: Keys

    func actAtRandom() {
      let number = Int.random(in: 0..<Neighbourhood.Act.allCases.count + 12, using: &random)
      if number < Neighbourhood.Act.allCases.count {
        let act = Neighbourhood.Act.allCases[number]
        acts.append(act.rawValue)
        return neighbours.perform(act)
      }
      let event: SessionEvent =
        switch number - Neighbourhood.Act.allCases.count {
        case 0, 1, 2: .toggle(.key)
        case 3: .play(.key)
        case 4: .pause(.mpris)
        case 5: .stop(.key)
        case 6: .force(.key)
        case 7: .seek(.seconds(Double.random(in: -1...9, using: &random)))
        case 8, 9: .choose(track: Int.random(in: 0..<3, using: &random))
        case 10: .volumeKey(.allCases.randomElement(using: &random)!)
        default: .play(.headset)
        }
      acts.append("\(event)")
      player.send(event)
    }

    /// Several at once, or none for seconds.
    func pauseAtRandom() -> SessionTime {
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1, 2: .zero
      case 3, 4, 5: .milliseconds(Int64.random(in: 1..<300, using: &random))
      case 6, 7, 8: .milliseconds(Int64.random(in: 300..<1500, using: &random))
      default: .milliseconds(Int64.random(in: 1500..<6000, using: &random))
      }
    }

    // MARK: Time

    /// Lets time pass, with all that falls due in it, and looks whether what is heard is right.
    /// Returns what is wrong.
    func pass(_ length: SessionTime) async -> String? {
      let end = clock.now + length
      repeat {
        guard await follows() else { return "the engine does not follow: \(player.situation)" }
        note()
        let next = clock.next(before: end)
        let heard = hear(Int64(((next - clock.now).seconds * Double(Self.rate)).rounded()))
        let fault = listen(heard: heard)
        clock.move(to: next)
        if let fault = fault ?? look() { return fault }
      } while clock.now < end
      return nil
    }

    /// The decoder's thread works in a time of its own: a jump's wish is waited for.
    private func follows() async -> Bool {
      let limit = ContinuousClock.now + .seconds(60)
      while engine.session?.renderer.wish.isHeld != engine.isHeld {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
      }
      return true
    }

    /// Returns the frames that were heard.
    private func hear(_ frames: Int64) -> Int64 {
      let begin = stream.clock().heard
      var left = frames
      while left > 0, !stream.isCorked {
        stream.waitUntilQueued(min(left, 1024))
        let before = stream.clock().heard
        stream.advance(frames: min(left, max(stream.queued, 1)))
        left -= stream.clock().heard - before
      }
      return stream.clock().heard - begin
    }

    /// What must be heard when nothing has changed for a while.
    private func listen(heard: Int64) -> String? {
      guard heard > 0, (clock.now - steadySince).seconds > 0.7 else { return nil }
      // A jump: two places of the music meet for the length of a fade.
      if let timeline = engine.session?.renderer.timeline(), timeline.count > 1 { return nil }
      let situation = player.situation
      let left = ear.left
      let wanted =
        situation.isAudible ? Self.music * Gain(decibels: situation.gain).linear * steadyLevel : 0
      return abs(left - wanted) < 1e-4 ? nil : "\(left) is heard where it should be \(wanted)"
    }

    /// What must hold at any moment.
    private func look() -> String? {
      let situation = player.situation
      if situation.isAudible == engine.isHeld {
        return "held: \(engine.isHeld), but the session says \(situation)"
      }
      let live = Set(
        neighbours.neighbours.map(\.id) + neighbours.calls.map(\.id)
          + neighbours.neighbours.map { "mpris:" + Neighbourhood.peer($0) })
      for blocker in player.state.blockers {
        switch blocker.kind {
        case .call, .solo, .duck, .primary:
          // A message tone of our own is no neighbour's.
          if !live.contains(blocker.id) { return "nobody is behind \(blocker)" }
        case .routePending: break
        case .serverCork, .noRoute, .sleep, .stopped, .serverLost: return "unheard of: \(blocker)"
        }
      }
      return nil
    }

    /// Since when nothing has changed. Muting is the device's business, not the session's, and its
    /// steps have tests of their own.
    private func note() {
      let (situation, level) = (player.situation, engine.session?.renderer.wish.level ?? 0)
      if situation != steady || level != steadyLevel {
        (steady, steadyLevel) = (situation, level)
        steadySince = clock.now
      }
    }

    // MARK: The end

    /// Everybody leaves.
    func sendAllAway() async -> String? {
      while neighbours.isCalling { neighbours.perform(.decline) }
      for (kind, act) in [(Neighbour.Kind.music, Neighbourhood.Act.music), (.game, .game)] {
        // One that sotto has paused starts again first.
        for _ in 0..<2 where neighbours.neighbours.contains(where: { $0.kind == kind }) {
          neighbours.perform(act)
        }
      }
      // Prompts and the like end by themselves, one after the other where one waits for another.
      var rounds = 0
      while !neighbours.neighbours.isEmpty, rounds < 50 {
        if let fault = await pass(.seconds(4)) { return fault }
        rounds += 1
      }
      // A Bluetooth device that may come back is waited for no longer.
      if let fault = await pass(.seconds(4)) { return fault }
      let rest = player.state.blockers
      return neighbours.neighbours.isEmpty && rest.isEmpty
        ? nil : "left: \(neighbours.neighbours.map(\.id)) \(rest)"
    }

    /// A machine of its own, given the same events at the same times.
    func replayed() -> SessionState {
      var machine = SessionMachine(route: Self.route, tracks: [SessionTrack(duration: nil)])
      _ = machine.advance(to: began)
      for (time, event) in events {
        while machine.fireNext(by: time) != nil {}
        _ = machine.apply(event)
      }
      _ = machine.advance(to: player.state.now)
      return machine.state
    }
  }

  /// SOTTO_SEED tries one seed alone.
  nonisolated static var seeds: [UInt64] {
    guard let text = ProcessInfo.processInfo.environment["SOTTO_SEED"] else { return Array(1...6) }
    let seed = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    return [seed ?? 1]
  }

  @Test(
    arguments: seeds)
  func `All keys at random for a minute: session, engine, neighbours and sound agree`(
    seed: UInt64
  ) async throws {
    let desk = try Desk(seed: seed)
    defer { desk.engine.close() }
    func isFine(_ fault: String?) -> Bool {
      guard let fault else { return true }
      Issue.record("SOTTO_SEED=\(seed): \(fault), after \(desk.acts.suffix(20))")
      return false
    }
    let end = desk.clock.now + .seconds(60)
    while desk.clock.now < end {
      desk.actAtRandom()
      guard isFine(await desk.pass(desk.pauseAtRandom())) else { return }
    }
    guard isFine(await desk.sendAllAway()) else { return }
    desk.player.send(.play(.key))
    #expect(desk.player.situation.display == .playing, "SOTTO_SEED=\(seed)")
    guard isFine(await desk.pass(.seconds(2))) else { return }
    #expect(!desk.stream.isCorked, "SOTTO_SEED=\(seed)")
    #expect(desk.replayed() == desk.player.state, "SOTTO_SEED=\(seed)")
    #expect(desk.faults.isEmpty, "SOTTO_SEED=\(seed)")
    #expect(desk.events.count > 40, "SOTTO_SEED=\(seed)")
  }
}
