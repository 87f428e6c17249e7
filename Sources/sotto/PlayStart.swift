import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import MusicLibrary
import OutputInterface
import Player
import TerminalScreen

/// How `sotto play` begins: the first frame before anything has answered, the output, the session. On
/// the control thread.
extension PlayCommand {
  /// The first track is found here and the rest by a thread of its own, while it plays already.
  func begin() {
    if case .file(let out) = options.output,
      options.paths.contains(where: { Descriptor.isSameFile($0, out) })
    {
      Messages.fault(out, "is a file to be played")
      Exit.end(1)
    }
    let expansion = Expansion(options.paths, collection: collection)
    if isInteractive { full = PlayScreen(self) }
    let takesUp = kept?.takesUp == true && kept?.store.isFilled == true
    if options.paths.isEmpty, full == nil, !takesUp {
      Messages.tell(kept?.whyNothing ?? Arguments.missingPath.sentence)
      Exit.end(64)
    }
    openAhead()
    // The first frame is there before any decoder or server has answered.
    full?.start()
    configuration.tellFaults()
    takeSignals()
    guard let first = options.paths.first, LibraryPlace.isSearch(first) else {
      return begin(with: Self.first(of: expansion))
    }
    // Of a large collection that takes a while: the screen is there already.
    DispatchQueue(label: "sotto.expansion").async { [self] in
      let found = Self.first(of: expansion)
      DispatchQueue.main.async {
        MainActor.assumeIsolated { if !self.isEnding { self.begin(with: found) } }
      }
    }
  }

  private var isInteractive: Bool { !options.isPlain && Terminal.isInteractive }

  /// The first track of the arguments, what is wrong before it, and what is still to be looked through.
  private struct Found {
    var track: ListedTrack?
    var faults: [LibraryFault] = []
    var rest: Expansion
  }

  nonisolated private static func first(of expansion: Expansion) -> Found {
    var found = Found(rest: expansion)
    while found.track == nil, let item = found.rest.next() {
      switch item {
      case .track(let track): found.track = track
      case .fault(let fault): found.faults.append(fault)
      }
    }
    return found
  }

  private func begin(with found: Found) {
    for fault in found.faults { Messages.fault(fault.path, fault.sentence) }
    if let track = found.track { queue.append([track]) }
    if queue.firstKey == nil, !options.paths.isEmpty { Exit.end(Messages.status) }
    // What was kept is read while the server answers.
    kept?.begin()
    open()
    if isInteractive, full == nil {
      let screen = LineScreen { [weak self] key in self?.press(key) }
      self.screen = screen
      screen.start()
    }
    if options.isPlain, Terminal.isInteractive {
      let voice = PlainVoice(self)
      self.voice = voice
      voice.start()
    }
    let control = PlayControl(self)
    self.control = control
    control.open()
    refresh()
    fill(found.rest)
    full?.ready()
    watchConfiguration()
    kept?.tellStanding()
    // With something to play the first sound comes before it; what was kept stands still.
    if options.paths.isEmpty { library.begin() }
  }

  /// The rest of the arguments; faults come to the control thread.
  private func fill(_ rest: Expansion) {
    let queue = queue
    DispatchQueue(label: "sotto.expansion").async { [weak self] in
      var expansion = rest
      while let item = expansion.next() {
        switch item {
        case .track(let track): queue.append([track] + expansion.takeFound())
        case .fault(let fault):
          DispatchQueue.main.async {
            MainActor.assumeIsolated { Messages.fault(fault.path, fault.sentence) }
          }
        }
      }
      // After the faults: what ends the command must find its status set.
      DispatchQueue.main.async { [weak self] in
        queue.complete()
        MainActor.assumeIsolated {
          self?.kept?.filled()
          self?.refresh()
        }
      }
    }
  }

  private func newEngine() -> AudioEngine {
    let engine = AudioEngine(succession: queue, gain: options.gain) { [weak self] event in
      self?.take(event)
    }
    queue.wakes(engine.successionGrew)
    return engine
  }

  private func request(_ trackName: String = "sotto") -> StreamRequest {
    StreamRequest(
      device: options.device, trackName: trackName,
      leakGuard: LeakGuard(rawValue: configuration.settings.leakGuard.rawValue) ?? .auto)
  }

  /// The server answers while the first frame is painted and the first track is looked for. Not so a
  /// file, which must not be written before something is to be played.
  private func openAhead() {
    let backends = Outputs.backends(options.output)
    guard let first = backends.first, first.descriptor.name == "pulse" else { return }
    let engine = newEngine()
    engine.openAhead(backend: first, request: request())
    self.engine = engine
  }

  /// On a terminal a server that takes longer to answer, in seconds, is waited for beside.
  private static let openingPatience = 1.0

  /// Opens the first output that works, or ends with 69 and says what to do.
  private func open() {
    var failures: [String] = []
    var prepared = engine
    engine = nil
    for backend in Outputs.backends(options.output) {
      let engine = prepared ?? newEngine()
      prepared = nil
      let first = queue.firstKey ?? -1
      let entry = queue.entry(at: first)
      let name = title(entry?.title, entry?.artist, at: first)
      engine.setLevel(isOwnMuted ? .silence : Level.gain(percent: level))
      do {
        try engine.start(
          backend: backend,
          request: request(name), at: first,
          isHeld: queue.firstKey == nil,
          patience: Terminal.isInteractive ? Self.openingPatience : nil)
        self.engine = engine
        beginSession(engine, backend)
        if engine.snapshot().state == .lost {
          take(.lost(OutputError(.noAnswer, "the sound server does not answer")))
        }
        return
      } catch {
        engine.close()
        // A file's error names the file.
        let place = error.code == .fileError ? "" : "\(backend.descriptor.title): "
        failures.append("\(place)\(error.sentence)")
        // There is a server: around it, by ALSA, nothing would be guarded and no call noticed.
        if error.code == .noAnswer { break }
      }
    }
    for failure in failures { Messages.tell(Text.printable(failure)) }
    if [.automatic, .pulse, .alsa].contains(options.output) {
      Messages.tell(
        "nothing to play on; start PulseAudio or PipeWire, see 'sotto doctor', or play in silence"
          + " with --output null")
    }
    Exit.end(69)
  }

  /// From here on the session decides when the music is heard. The user has asked for it: on the
  /// command line.
  private func beginSession(_ engine: AudioEngine, _ backend: any OutputBackend) {
    let device = engine.snapshot().device ?? "the output"
    let route = engine.place.flatMap { place in
      place.routeClass.map { Route(place, name: device, $0) }
    }
    let player = Player(
      engine: engine,
      route: jacks.begin(engine) ?? route
        ?? Route(id: "device", name: device, routeClass: .speaker))
    self.player = player
    let name = backend.descriptor.name
    let keeper = OutputKeeper(
      player: player, engine: engine, only: name == "alsa" ? options.device : nil,
      isLasting: name != "file")
    self.keeper = keeper
    // Known before anything is told.
    for name in IgnoredPrograms.read() { player.send(.ignore(name)) }
    player.onDecision = { [weak self] decision in self?.tell(decision) }
    player.onOther = { [weak self] action in
      guard let self else { return }
      headset?.carryOut(action)
      if bus?.carryOut(action) == true { return }
      switch action {
      // What is heard needs the sounds, which may be missing; all else is for neighbours that are.
      case .playEffect, .changeEventVolume: neighbourhood()?.carryOut(action)
      default: neighbours?.carryOut(action)
      }
    }
    let memo = VoiceMemo(
      player: player, engine: engine, backend: backend, folder: VoiceMemo.folder)
    memo.say = { [weak self] sentence in
      guard let self else { return }
      // Above the line; after the line's end it is the last word.
      if isEnding { Messages.tell(sentence) } else { say(sentence) }
    }
    memo.onFault = { path, sentence in
      if path.isEmpty { Messages.tell(sentence) } else { Messages.fault(path, sentence) }
    }
    self.memo = memo
    // Nothing begins by itself: without tracks nobody has asked for sound (S2).
    if queue.firstKey != nil { player.send(afterSurvey: .play(.cli)) }
    guard backend.descriptor.name == "pulse" else { return player.surveyed() }
    let system = PlaySystem(self, player)
    self.system = system
    system.begin()
  }

  func openBus() {
    guard bus == nil, let player else { return }
    let bus = PlayBus(self, player: player)
    self.bus = bus
    bus.open()
    headset = PlayHeadset(self, player, configuration.settings.headset)
  }
}
