import AudioEngine
import AudioOutput
import AudioSession
import AudioTypes
import Decoding
import Dispatch
import Glibc
import MusicLibrary
import OutputInterface
import Player
import Synchronization

/// `sotto scenario`: situations that play themselves through, and a verdict from the samples.
@MainActor final class ScenarioCommand {
  private let options: ScenarioOptions
  private let folder: [UInt8]
  private var waiting: [Scenario.Name]
  private var run: ScenarioRun?
  private var signals: (any DispatchSourceRead)?
  private var verdict = ScenarioVerdict()

  private init(_ options: ScenarioOptions, folder: [UInt8]) {
    self.options = options
    self.folder = folder
    waiting = options.names
  }

  /// Runs them and never returns.
  static func run(_ options: ScenarioOptions) -> Never {
    guard let folder = SoundFolder.find() else {
      Messages.tell(
        "the sounds of calls and prompts are missing: reinstall sotto, or set SOTTO_SOUNDS")
      Exit.end(1)
    }
    let command = ScenarioCommand(options, folder: folder)
    running = command
    command.takeSignals()
    command.next()
    dispatchMain()
  }

  private static var running: ScenarioCommand?

  private func next() {
    guard !waiting.isEmpty else { return end() }
    let scenario = Scenario.named(waiting.removeFirst())
    let run = ScenarioRun(scenario, folder: folder) { [weak self] faults, lateness, lateChanges in
      guard let self else { return }
      verdict.add(faults: faults, lateness: lateness, lateChanges: lateChanges)
      // From outside of the one that ends.
      DispatchQueue.main.async { MainActor.assumeIsolated { self.next() } }
    }
    self.run = run
    run.begin(options)
  }

  private func end() {
    if let sentence = verdict.sentence { Messages.tell(sentence) }
    Exit.end(Messages.status == 0 ? verdict.status : Messages.status)
  }

  private func takeSignals() {
    let descriptor = Signals.queue()
    guard descriptor >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler {
      MainActor.assumeIsolated {
        for number in Signals.take(from: descriptor) {
          switch number {
          case SIGWINCH, SIGCONT: break
          case SIGTSTP: raise(SIGSTOP)
          case SIGINT: Exit.end(130)
          default: Exit.end(bySignal: number)
          }
        }
      }
    }
    source.activate()
    signals = source
  }
}

/// One scenario on one output.
@MainActor final class ScenarioRun {
  private let scenario: Scenario
  private let listener: ScenarioListener
  private let folder: [UInt8]
  private let done: @MainActor (_ faults: Int, _ lateness: Double, _ lateChanges: Int) -> Void
  private let queue = SharedQueue()
  private var engine: AudioEngine?
  private var player: Player?
  private var neighbours: Neighbourhood?
  private var timer: (any DispatchSourceTimer)?
  private var faults = 0
  /// How late the latest step came, in seconds.
  private var lateness = 0.0

  init(
    _ scenario: Scenario, folder: [UInt8],
    done: @escaping @MainActor (_ faults: Int, _ lateness: Double, _ lateChanges: Int) -> Void
  ) {
    self.scenario = scenario
    self.folder = folder
    self.done = done
    listener = ScenarioListener(scenario, folder: folder)
  }

  /// Opens the output, or ends the program with 69.
  func begin(_ options: ScenarioOptions) {
    queue.append(
      scenario.tracks.map { ListedTrack(TrackLocation(path: folder + Array("/\($0)".utf8))) })
    queue.complete()
    Console.print("\(scenario.name.rawValue): \(scenario.title)")
    Console.flush()
    var failures: [String] = []
    for backend in Outputs.backends(options.output, isPaced: true) {
      let engine = AudioEngine(succession: queue, gain: .off) { [weak self] in self?.take($0) }
      let relay = RecordingRelay()
      do {
        try engine.start(
          backend: RecordingBackend(backend, seconds: scenario.seconds + 4) { relay.add($0) },
          request: StreamRequest(device: options.device, trackName: scenario.title),
          at: queue.firstKey ?? -1,
          isHeld: true)
        listener.relay = relay
        listener.eventStreams = engine.events?.streams ?? .mixed
        return start(engine)
      } catch {
        engine.close()
        failures.append("\(backend.descriptor.title): \(error.sentence)")
      }
    }
    for failure in failures { Messages.tell(Text.printable(failure)) }
    Messages.tell("nothing to play on; see 'sotto doctor', or listen to nothing with --output null")
    Exit.end(69)
  }

  private func start(_ engine: AudioEngine) {
    self.engine = engine
    let player = Player(
      engine: engine, configuration: scenario.configuration,
      route: Route(id: "device", name: "the output", routeClass: .speaker))
    self.player = player
    let neighbours = Neighbourhood(player: player, engine: engine, folder: folder)
    neighbours.onFault = { path, sentence in Messages.fault(path, sentence) }
    self.neighbours = neighbours
    player.onDecision = { [weak self] in self?.tell($0) }
    player.onOther = { [weak neighbours] in neighbours?.carryOut($0) }
    prepareSounds(engine)
    schedule()
  }

  /// Sounds are decoded before, so that each begins when its step says.
  private func prepareSounds(_ engine: AudioEngine) {
    let sounds = Set(scenario.sounds.map(\.sound)).union([.ringtone])
    for file in sounds.compactMap(\.files).joined().sorted() {
      let path = folder + Array("/\(file)".utf8)
      do throws(DecodingError) {
        try engine.prepare(sound: TrackLocation(path: path))
      } catch {
        fault(path, error.sentence)
      }
    }
  }

  /// What happens when: of what is due at the same time, listening comes before acting.
  private func schedule() {
    var plan: [(at: Double, action: @MainActor () -> Void)] = []
    for time in listener.times { plan.append((time, { [listener] in listener.mark(time) })) }
    for step in scenario.steps { plan.append((step.at, { [weak self] in self?.take(step) })) }
    for check in scenario.checks {
      plan.append((listener.due(check), { [weak self] in self?.examine(check) }))
    }
    for (index, presence) in scenario.sounds.enumerated() {
      let due = max(presence.to, presence.probe) + 0.3
      plan.append((due, { [weak self] in self?.examinePlace(index) }))
    }
    plan.append((scenario.seconds + 0.3, { [weak self] in self?.end() }))
    // A stable sort: what was put in first comes first.
    let order = plan.indices.sorted { (plan[$0].at, $0) < (plan[$1].at, $1) }
    var groups: [(at: Double, actions: [@MainActor () -> Void])] = []
    for index in order {
      if groups.last?.at == plan[index].at {
        groups[groups.count - 1].actions.append(plan[index].action)
      } else {
        groups.append((plan[index].at, [plan[index].action]))
      }
    }
    proceed(with: groups[...], after: Self.warmUp)
  }

  /// Waits for the first group, does it, and goes on with the next. A step that comes late on a busy
  /// machine makes those after it as late: between two of them there is at least the time that
  /// the scenario gives.
  private func proceed(
    with groups: ArraySlice<(at: Double, actions: [@MainActor () -> Void])>, after seconds: Double
  ) {
    guard let group = groups.first else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let due = DispatchTime.now() + seconds
    timer.schedule(deadline: due, leeway: .milliseconds(1))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        let late = Int64(DispatchTime.now().uptimeNanoseconds) - Int64(due.uptimeNanoseconds)
        self.lateness = max(self.lateness, Double(late) / 1e9)
        for action in group.actions { action() }
        let rest = groups.dropFirst()
        if let next = rest.first { self.proceed(with: rest, after: next.at - group.at) }
      }
    }
    timer.activate()
    self.timer = timer
  }

  /// Before the first step the output and the first track are ready, in seconds.
  private static let warmUp = 0.2

  private func take(_ event: EngineEvent) {
    switch event {
    case .track(let index, _):
      queue.pass(to: index)
      player?.send(.trackBegan(index))
    case .ended: player?.send(.queueEnded)
    case .failed(_, let location, let error): fault(location.path, error.sentence)
    case .lost(let error):
      Messages.tell(Text.printable(error.sentence))
      Exit.end(69)
    default: break
    }
  }

  private func fault(_ path: [UInt8], _ sentence: String) {
    Messages.fault(path, sentence)
    faults += 1
  }

  private func take(_ step: Scenario.Step) {
    say("\(Self.clock(step.at))  \(step.text)")
    for act in step.acts {
      switch act {
      case .neighbour(let act): neighbours?.perform(act)
      case .event(let event): player?.send(event)
      }
    }
  }

  private func tell(_ decision: Decision) {
    guard !decision.sentence.isEmpty else { return }
    let rules = decision.rules.all.map(\.id).joined(separator: " ")
    say("         session: \(decision.sentence)\(rules.isEmpty ? "" : " (\(rules))")")
  }

  private func examine(_ check: Scenario.Check) {
    listen { listener in
      let finding = listener.examine(check)
      return { run in
        let span = "\(ScenarioListener.text(check.from)) to \(ScenarioListener.text(check.to)) s"
        run.verdict(finding, "\(finding.sentence), \(span)")
        for rule in check.rules { run.say("         rule:    \(rule.id): \(rule.sentence)") }
      }
    }
  }

  private func examinePlace(_ index: Int) {
    listen { listener in
      let place = listener.place(ofPresence: index)
      let silence = listener.silence(ofPresence: index)
      return { run in
        if let place { run.verdict(place, place.sentence) }
        guard let silence else { return }
        let milliseconds = Int((silence * 1000).rounded())
        run.say("         heard:   music silent \(milliseconds) ms after the step")
      }
    }
  }

  /// Listens on the listener's queue, and tells here what it found.
  private func listen(
    _ work: @escaping @Sendable (ScenarioListener) -> @MainActor @Sendable (ScenarioRun) -> Void
  ) {
    listener.queue.async { [listener, self] in
      let tell = work(listener)
      DispatchQueue.main.async { MainActor.assumeIsolated { tell(self) } }
    }
  }

  fileprivate func verdict(_ finding: ScenarioListener.Finding, _ sentence: String) {
    if !finding.isRight { faults += 1 }
    say("         \(finding.isRight ? "heard:  " : "WRONG:  ") \(sentence)")
  }

  fileprivate func say(_ line: String) {
    Console.print(Text.printable(line))
    Console.flush()
  }

  private static func clock(_ seconds: Double) -> String {
    let text = ScenarioListener.text(seconds)
    return String(repeating: " ", count: max(0, 5 - text.count)) + text + " s"
  }

  private func end() {
    timer?.cancel()
    timer = nil
    // After all that is still listened to.
    listen { listener in
      let lateChanges = listener.lateChanges
      return { $0.close(lateChanges) }
    }
  }

  private func close(_ lateChanges: Int) {
    guard let engine else { return done(faults, lateness, lateChanges) }
    engine.shutDown { [self] failure in
      if let failure {
        Messages.tell(Text.printable(failure.sentence))
        faults += 1
      }
      self.engine = nil
      done(faults, lateness, lateChanges)
    }
  }
}

/// Recordings from the threads that open streams.
final class RecordingRelay: Sendable {
  private let all = Mutex<[Recording]>([])
  var recordings: [Recording] { all.withLock { $0 } }
  func add(_ recording: Recording) { all.withLock { $0.append(recording) } }
}
