import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import OutputInterface
import PlayQueue
import Player
import PlayerState
import TerminalScreen

/// `sotto play`: the queue, the engine and the plain line, on the control thread.
@MainActor final class PlayCommand {
  private(set) var options: PlayOptions
  let queue = SharedQueue()
  var engine: AudioEngine?
  var player: Player?
  var keeper: OutputKeeper?
  var neighbours: Neighbourhood?
  var memo: VoiceMemo?
  /// What the sound server shows, where it is the server that plays.
  var system: PlaySystem?
  /// From the first sound on.
  var bus: PlayBus?
  private(set) lazy var jacks = PlayJacks(self)
  private(set) lazy var lists = PlayLists(self)
  private(set) lazy var library = PlayLibrary(self)
  /// From the first sound on, as remote keys are.
  var headset: PlayHeadset?
  /// `sotto ctl` reaches the player here.
  var control: PlayControl?
  /// Whoever is told what becomes of the command that is being carried out.
  var asked: Asked?
  /// `!` was pressed: the next key is one of its menu.
  var isMenuOpen = false
  var screen: LineScreen?
  /// The full screen, where the terminal can show it; then there is no line.
  var full: PlayScreen?
  /// In the place of both for people who do not see the screen.
  var voice: PlainVoice?
  var configuration = Configuration()
  var watch: FolderWatch?
  var gainMode: LoudnessMode
  /// What was done last, or why not: for the screen.
  var notice: PlayerSnapshot.Notice?
  var devices: [PlayerSnapshot.DeviceChoice] = []
  /// The server's volume for ringing, once it has told.
  var serverRinger: Int?
  /// A piece of a file is heard in the music's place, until this.
  var isPreviewing = false
  let previewEnd = MainTimer()
  let sleepTimer = SleepTimer()
  private(set) lazy var alarm = PlayAlarm(self)
  /// All was played, and only an alarm keeps the program.
  private var isOver = false
  private var hasToldSounds = false
  /// Something has sounded since the player stood at the queue's beginning.
  private var hasSounded = false
  var signals: (any DispatchSourceRead)?
  var redraw: (any DispatchSourceTimer)?
  var state = EngineState.idle
  var level: Int
  var isOwnMuted = false
  var index = 0
  /// Where the last seek goes, until it has taken effect: keys that repeat add up.
  var seekTarget: Double?
  /// True from the order to stop until silence is heard.
  var isStopping = false
  var isEnding = false
  /// What outlives the player; `nil` where nothing is kept.
  private(set) var kept: KeptState?
  /// The user has chosen another track, which is not heard yet.
  var isLeaving = false

  private init(_ options: PlayOptions) {
    self.options = options
    level = options.level
    gainMode = options.gain
    configure()
    kept = KeptState(self)
    takeUpSettings()
  }

  /// What neither the command line nor the configuration says is as it was.
  private func takeUpSettings() {
    guard let moment = kept?.moment else { return }
    func isOpen(_ option: String, _ line: String) -> Bool {
      !options.given.contains(option) && configuration.lines[line] == nil
    }
    if isOpen("volume", "level"), let kept = moment.level {
      options.level = kept
      level = kept
      // Who names what is to be heard hears it.
      isOwnMuted = moment.isMuted && options.paths.isEmpty
    }
    if isOpen("gain", "gain"), let kept = moment.gain.flatMap(LoudnessMode.init) {
      options.gain = kept
      gainMode = kept
    }
  }

  /// What the command line does not say, the configuration may.
  private func configure() {
    configuration = Configuration.read(options.config)
    let settings = configuration.settings
    func isOpen(_ option: String) -> Bool { !options.given.contains(option) }
    if isOpen("output"), !settings.output.isEmpty {
      do throws(UsageError) {
        options.output = try Arguments.output(Array(settings.output.utf8))
      } catch {
        configuration.faults.append("\(configuration.file): output: \(error.sentence)")
      }
    }
    if isOpen("device"), !settings.device.isEmpty { options.device = settings.device }
    if isOpen("gain") { options.gain = settings.gain }
    if isOpen("volume") { options.level = settings.level }
    level = options.level
    gainMode = options.gain
  }

  /// Plays and never returns.
  static func run(_ options: PlayOptions) -> Never {
    let command = PlayCommand(options)
    running = command
    command.begin()
    dispatchMain()
  }

  /// Keeps the command alive while the main queue runs.
  private static var running: PlayCommand?

  // MARK: Start

  /// The first track is found here and the rest by a thread of its own, while it plays already.
  private func begin() {
    if case .file(let out) = options.output,
      options.paths.contains(where: { Descriptor.isSameFile($0, out) })
    {
      Messages.fault(out, "is a file to be played")
      Exit.end(1)
    }
    var expansion = Expansion(options.paths, collection: LibraryPlace.collection)
    let isInteractive = !options.isPlain && Terminal.isInteractive
    if isInteractive { full = PlayScreen(self) }
    if options.paths.isEmpty, full == nil, kept?.moment == nil {
      Messages.tell(Arguments.missingPath.sentence)
      Exit.end(64)
    }
    openAhead()
    // The first frame is there before any decoder or server has answered.
    full?.start()
    for fault in configuration.faults {
      Messages.status = 1
      Messages.tell(fault)
    }
    while let item = expansion.next() {
      if case .fault(let fault) = item {
        Messages.fault(fault.path, fault.sentence)
      } else if case .track(let track) = item {
        queue.append(track)
        break
      }
    }
    if queue.firstKey == nil, !options.paths.isEmpty { Exit.end(Messages.status) }
    // What was kept is read while the server answers.
    kept?.begin()
    open()
    takeSignals()
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
    fill(expansion)
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
        case .track(let track): queue.append(track)
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
    AudioEngine(succession: queue, gain: options.gain) { [weak self] event in self?.take(event) }
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
      self?.headset?.carryOut(action)
      if self?.bus?.carryOut(action) != true { self?.neighbourhood()?.carryOut(action) }
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

  private func openBus() {
    guard bus == nil, let player else { return }
    let bus = PlayBus(self, player: player)
    self.bus = bus
    bus.open()
    headset = PlayHeadset(self, player, configuration.settings.headset)
  }

  /// A word to the user: above the line, or on the screen.
  func say(_ sentence: String, isFault: Bool = false) {
    asked?.hear(sentence, isFault: isFault)
    guard full != nil || voice != nil else {
      screen?.tell(sentence)
      return
    }
    if let player { notice = PlayerSnapshot.Notice(sentence, isFault: isFault, at: player.now()) }
    refresh()
  }

  /// Made when it is first needed; `nil` after a line that says why not.
  func neighbourhood() -> Neighbourhood? {
    if let neighbours { return neighbours }
    guard let engine, let player else { return nil }
    guard let folder = SoundFolder.find() else {
      let sentence =
        "the sounds of calls and prompts are missing: reinstall sotto, or set SOTTO_SOUNDS"
      asked?.hear(sentence, isFault: true)
      if !hasToldSounds {
        hasToldSounds = true
        Messages.status = max(Messages.status, 1)
        Messages.tell(sentence)
      }
      return nil
    }
    let neighbours = Neighbourhood(player: player, engine: engine, folder: folder)
    neighbours.onFault = { path, sentence in Messages.fault(path, sentence) }
    neighbours.onNotice = { sentence in Messages.tell(Text.printable(sentence)) }
    neighbours.onCall = { [weak self] in self?.memo?.interrupt() }
    self.neighbours = neighbours
    return neighbours
  }

  /// What changed, and under which rule, above the line; and into the file for `sotto why`.
  private func tell(_ decision: Decision) {
    asked?.hear(decision)
    if decision.remark == .stopped { kept?.stopped() }
    if player?.situation.intent.cause == .noisy { headset?.forget() }
    if system?.isSettling == true { return refresh() }
    switch decision.remark {
    case .stopped:
      // Stopped already: the next track that is played is not the one that was meant.
      queue.edit { $0.stopsOnce = false }
      engine?.successionChanged()
    case .playing, .track, .soughtTo, .loaded, .queueEnded, .alreadyPlaying: break
    default:
      DecisionFile.append(decision)
      if full != nil || voice != nil { break }
      let rules = decision.rules.all.map(\.id).joined(separator: " ")
      var sentence = decision.sentence
      if decision.remark == .ringerVolume, let neighbours {
        // The server's own is told when it has answered.
        guard let ringer = neighbours.ringer else { return refresh() }
        sentence += ", \(ringer)%"
      }
      screen?.tell("\(sentence) (\(rules))")
    }
    refresh()
  }

  private func tellRinger(_ volume: DeviceVolume?) {
    let sentence = Remark.ringerVolume.sentence
    serverRinger = volume?.percent
    guard let volume else {
      return say("\(sentence), but the sound server keeps no volume for ringing (S12)")
    }
    let muted = volume.isMuted ? ", muted" : ""
    say("\(sentence), \(volume.percent)%\(muted) (S12 S78)")
  }

  // MARK: Events of the engine

  private func take(_ event: EngineEvent) {
    switch event {
    case .track(let index, let info):
      if queue.pass(to: index) { engine?.successionChanged() }
      seekTarget = nil
      self.index = index
      let isTakenUp = kept?.began(index, info, byUser: isLeaving) ?? false
      isLeaving = false
      if !isTakenUp { player?.send(.trackBegan(index)) }
      let entry = queue.entry(at: index)
      engine?.setTrackName(title(entry?.title, entry?.artist, at: index, info))
      let track = listed(index)
      let (title, artist) = (InfoText.title(track, info), InfoText.artist(track, info))
      queue.edit { queue in
        let id = EntryID(UInt32(truncatingIfNeeded: index))
        guard let row = queue.index(of: id) else { return }
        queue.describe(
          at: row, title: title, artist: artist,
          album: InfoText.albumKey(track.location, info), duration: info.duration)
      }
      if screen == nil, full == nil, voice == nil { announce(info) }
      refresh()
    case .failed(_, let location, let error):
      seekTarget = nil
      Messages.fault(location.path, error.sentence)
    case .state(let state):
      self.state = state
      if state == .playing {
        hasSounded = true
        isOver = false
        openBus()
      }
      jacks.streamChanged()
      // Sound comes first, and what is read beside it after; paused, nothing comes before it.
      if state == .playing || state == .held {
        full?.soundHasBegun()
        library.begin()
      }
      refresh()
    case .volume: refresh()
    case .ringer(let volume): tellRinger(volume)
    case .seeked(let position):
      // An earlier seek may be told while a later one is still on its way.
      if let target = seekTarget, abs(target - position) < 1 { seekTarget = nil }
      bus?.seeked(to: position)
      refresh()
    case .ended: ended()
    case .silenceWanted(let isWanted):
      system?.silence(isWanted: isWanted)
      refresh()
    case .device, .stalled:
      _ = keeper?.take(event)
      refresh()
    case .lost(let error):
      if keeper?.take(event) == true { return refresh() }
      screen?.end()
      full?.end()
      Messages.tell(Text.printable(error.sentence))
      Messages.status = 69
      finish()
    }
  }

  /// Nothing follows by itself. On the screen the queue stands at its beginning then, or at what comes
  /// next where the user wanted it to stop before: unless nothing of it can be heard.
  private func ended() {
    // Nothing was there when the output was opened, and something is by now.
    if kept?.isWaiting == true { return refresh() }
    kept?.ended(byUser: false)
    let wasWanted = queue.read(\.stopsOnce)
    // Who wanted it to stop after one track may want the next one later.
    let isOver = !wasWanted || queue.keyAfterSkip == nil
    let next = hasSounded ? queue.end() : nil
    player?.send(wasWanted ? .stoppedAfterTrack : .queueEnded)
    // Without a track from the beginning it waits for some, or for the user to play what was kept.
    let hasBegun = hasSounded || !options.paths.isEmpty
    if full == nil, hasBegun, isOver || next == nil {
      self.isOver = true
      guard alarm.state != nil else { return finish() }
    }
    if hasSounded, let next {
      hasSounded = false
      index = next
      engine?.rest(at: next)
    }
    refresh()
  }

  /// Without a screen the end of the queue is that of the program, once no alarm is waited for.
  func endIfOver() {
    // Whoever took the alarm back has an answer first.
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.isOver, self.state != .playing, self.alarm.state == nil else { return }
        self.finish()
      }
    }
  }

  func finish(signal number: CInt? = nil) {
    if isEnding { return }
    kept?.end()
    isEnding = true
    isStopping = false
    bus?.close()
    control?.server.close()
    screen?.end()
    full?.end()
    voice?.end()
    redraw?.cancel()
    watch?.end()
    library.end()
    system?.end()
    jacks.end()
    let end: @MainActor (OutputError?) -> Void = { failure in
      if let failure, Messages.status == 0 {
        Messages.tell(Text.printable(failure.sentence))
        Messages.status = 1
      }
      self.library.waitForEnd()
      self.kept?.close()
      switch number {
      case nil: Exit.end(Messages.status)
      case SIGINT: Exit.end(130)
      case let number?: Exit.end(bySignal: number)
      }
    }
    // Everybody who waits for a next track is told that none comes.
    queue.complete()
    guard let engine else { return end(nil) }
    // What was recorded is kept first.
    guard let memo else { return engine.shutDown(end) }
    memo.end(isLast: true) { engine.shutDown(end) }
  }
}
