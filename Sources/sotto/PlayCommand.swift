import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import OutputInterface
import Player

/// `sotto play`: the queue, the engine and the plain line, on the control thread.
@MainActor final class PlayCommand {
  private let options: PlayOptions
  private let queue = SharedQueue()
  private var engine: AudioEngine?
  private var player: Player?
  private var neighbours: Neighbourhood?
  /// `!` was pressed: the next key is one of its menu.
  private var isMenuOpen = false
  private var screen: LineScreen?
  private var signals: (any DispatchSourceRead)?
  private var redraw: (any DispatchSourceTimer)?
  private var state = EngineState.idle
  private var level: Int
  private var isOwnMuted = false
  private var index = 0
  /// Where the last seek goes, until it has taken effect: keys that repeat add up.
  private var seekTarget: Double?
  /// True from the order to stop until silence is heard.
  private var isStopping = false
  private var isEnding = false

  private init(_ options: PlayOptions) {
    self.options = options
    level = options.level
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
    var expansion = Expansion(options.paths)
    while true {
      guard let item = expansion.next() else { Exit.end(Messages.status) }
      if case .fault(let fault) = item {
        Messages.fault(fault.path, fault.sentence)
      } else if case .track(let track) = item {
        queue.append(track)
        break
      }
    }
    open()
    takeSignals()
    if !options.isPlain, Terminal.isInteractive {
      let screen = LineScreen { [weak self] key in self?.press(key) }
      self.screen = screen
      screen.start()
      refresh()
    }
    fill(expansion)
  }

  /// The rest of the arguments; faults come to the control thread.
  private func fill(_ rest: Expansion) {
    let queue = queue
    DispatchQueue(label: "sotto.expansion").async {
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
      DispatchQueue.main.async { queue.complete() }
    }
  }

  /// Opens the first output that works, or ends with 69 and says what to do.
  private func open() {
    var failures: [String] = []
    for backend in Outputs.backends(options.output) {
      let engine = AudioEngine(succession: queue, gain: options.gain) { [weak self] event in
        self?.take(event)
      }
      let name = title(queue.entry(at: 0)?.title, queue.entry(at: 0)?.artist, at: 0)
      engine.setLevel(Level.gain(percent: level))
      do {
        try engine.start(
          backend: backend,
          request: StreamRequest(device: options.device, trackName: name), at: 0, seconds: 0)
        self.engine = engine
        beginSession(engine)
        return
      } catch {
        engine.close()
        failures.append("\(backend.descriptor.title): \(error.sentence)")
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
  private func beginSession(_ engine: AudioEngine) {
    let device = engine.snapshot().device ?? "the output"
    let player = Player(
      engine: engine, route: Route(id: "device", name: device, routeClass: .speaker))
    self.player = player
    player.onDecision = { [weak self] decision in self?.tell(decision) }
    player.onOther = { [weak self] action in self?.neighbourhood()?.carryOut(action) }
    player.send(.play(.cli))
  }

  /// Made when it is first needed; `nil` after a line that says why not.
  private func neighbourhood() -> Neighbourhood? {
    if let neighbours { return neighbours }
    guard let engine, let player else { return nil }
    guard let folder = SoundFolder.find() else {
      Messages.tell(
        "the sounds of calls and prompts are missing: reinstall sotto, or set SOTTO_SOUNDS")
      return nil
    }
    let neighbours = Neighbourhood(player: player, engine: engine, folder: folder)
    neighbours.onFault = { path, sentence in Messages.fault(path, sentence) }
    self.neighbours = neighbours
    return neighbours
  }

  /// What changed, and under which rule, above the line; and into the file for `sotto why`.
  private func tell(_ decision: Decision) {
    switch decision.remark {
    case .playing, .track, .soughtTo, .loaded, .queueEnded, .stopped, .alreadyPlaying: break
    default:
      DecisionFile.append(decision)
      let rules = decision.rules.all.map(\.id).joined(separator: " ")
      var sentence = decision.sentence
      if decision.remark == .ringerVolume, let neighbours { sentence += ", \(neighbours.ringer)%" }
      screen?.tell("\(sentence) (\(rules))")
    }
    refresh()
  }

  // MARK: Events of the engine

  private func take(_ event: EngineEvent) {
    switch event {
    case .track(let index, let info):
      queue.select(index)
      seekTarget = nil
      self.index = index
      player?.send(.trackBegan(index))
      let entry = queue.entry(at: index)
      engine?.setTrackName(title(entry?.title, entry?.artist, at: index, info))
      if screen == nil { announce(info) }
      refresh()
    case .failed(_, let location, let error):
      seekTarget = nil
      Messages.fault(location.path, error.sentence)
    case .state(let state):
      self.state = state
      refresh()
    case .volume: refresh()
    case .seeked(let position):
      // An earlier seek may be told while a later one is still on its way.
      if let target = seekTarget, abs(target - position) < 1 { seekTarget = nil }
      refresh()
    case .ended:
      player?.send(.queueEnded)
      finish()
    case .lost(let error):
      screen?.end()
      Messages.tell(Text.printable(error.sentence))
      Messages.status = 69
      finish()
    }
  }

  /// One line a track, for pipes and `--plain`.
  private func announce(_ info: TrackInfo) {
    let entry = queue.entry(at: index)
    let time = info.duration.map { " (\(StatusLine.clock($0)))" } ?? ""
    Console.print("Playing: " + title(entry?.title, entry?.artist, at: index, info) + time)
    Console.flush()
  }

  /// Title and artist as people read them: of the sheet for a part of a file, otherwise of the
  /// tags, then of the playlist, then the file's name.
  private func title(
    _ listedTitle: String?, _ listedArtist: String?, at index: Int, _ info: TrackInfo? = nil
  ) -> String {
    guard let location = queue.track(at: index) else { return "sotto" }
    var track = ListedTrack(location, title: listedTitle, artist: listedArtist)
    track.location = location
    let title: String?
    let artist: String?
    if let info {
      title = InfoText.title(track, info)
      artist = InfoText.artist(track, info)
    } else {
      title = listedTitle
      artist = listedArtist
    }
    let name = location.path.lastIndex(of: 0x2F).map { Array(location.path[($0 + 1)...]) }
    let shown = title ?? Text.printable(location.isURL ? location.path : name ?? location.path)
    return Text.printable(artist.map { "\(shown) - \($0)" } ?? shown)
  }

  private func finish(signal number: CInt? = nil) {
    if isEnding { return }
    isEnding = true
    isStopping = false
    screen?.end()
    redraw?.cancel()
    let end: @MainActor (OutputError?) -> Void = { failure in
      if let failure, Messages.status == 0 {
        Messages.tell(Text.printable(failure.sentence))
        Messages.status = 1
      }
      switch number {
      case nil: Exit.end(Messages.status)
      case SIGINT: Exit.end(130)
      case let number?: Exit.end(bySignal: number)
      }
    }
    // Everybody who waits for a next track is told that none comes.
    queue.complete()
    guard let engine else { return end(nil) }
    engine.shutDown(end)
  }

  // MARK: Signals

  private func takeSignals() {
    let descriptor = Signals.queue()
    guard descriptor >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        for number in Signals.take(from: descriptor) { self?.take(signal: number) }
      }
    }
    source.activate()
    signals = source
  }

  private func take(signal number: CInt) {
    switch number {
    case SIGTSTP: stop()
    case SIGCONT: proceed()
    case SIGWINCH where !isStopping: screen?.draw()
    case SIGWINCH: break
    default: finish(signal: number)
    }
  }

  /// Holds the sound, gives the terminal back, and stops as the terminal asked, once silence is
  /// heard.
  private func stop() {
    if isStopping || isEnding { return }
    player?.send(.suspended(true))
    // What sounds beside the music is over: seconds of it would be heard after the stop.
    for place in 0..<AudioEngine.places { engine?.end(soundIn: place) }
    isStopping = true
    screen?.leaveTerminal()
    let stop: @MainActor () -> Void = { [weak self] in
      // Who was told to go on in the meantime would not be told again.
      guard self?.isStopping == true else { return }
      self?.isStopping = false
      raise(SIGSTOP)
    }
    if let engine { engine.hold(then: stop) } else { stop() }
  }

  private func proceed() {
    isStopping = false
    screen?.takeTerminal()
    player?.send(.suspended(false))
    refresh()
  }
}

// MARK: - Keys and the line

extension PlayCommand {
  private func press(_ key: Key) {
    guard let engine, let player else { return }
    if isMenuOpen {
      isMenuOpen = false
      if case .character(let letter) = key, let entry = Self.menu.first(where: { $0.key == letter })
      {
        neighbourhood()?.perform(entry.act)
      }
      return refresh()
    }
    switch key {
    case .character(" "), .character("c"): player.send(.toggle(.key))
    case .character("v"): player.send(.stop(.key))
    case .character("C"): neighbourhood()?.perform(.call)
    case .character("a") where neighbours?.isCalling == true: neighbours?.perform(.answer)
    case .character("d") where neighbours?.isCalling == true: neighbours?.perform(.decline)
    case .character("S"): neighbourhood()?.perform(.silent)
    case .character("F"): player.send(.force(.key))
    case .character("!"):
      isMenuOpen = true
      screen?.tell(Self.menu.map { "\($0.key) \($0.name)" }.joined(separator: "  "))
    case .character("y"): why()
    case .character("?"): help()
    case .left: seek(by: -5)
    case .right: seek(by: 5)
    case .character(","): seek(by: -60)
    case .character("."): seek(by: 60)
    case .up: changeVolume(by: 5)
    case .down: changeVolume(by: -5)
    case .character("("): changeLevel(by: -5)
    case .character(")"): changeLevel(by: 5)
    case .character("m"): mute()
    case .character("n"):
      guard let next = queue.index(after: index) else {
        if !queue.mayFollow(index) { finish() }
        return
      }
      jump(to: next)
    case .character("p"):
      if let previous = queue.previous(position: engine.snapshot().position) { jump(to: previous) }
    case .character("q"): finish()
    default: return
    }
    refresh()
  }

  /// What `!` offers.
  private static let menu: [(key: Unicode.Scalar, name: String, act: Neighbourhood.Act)] = [
    ("p", "prompt", .prompt), ("m", "message", .message), ("a", "alarm", .alarm),
    ("s", "assistant", .assistant), ("o", "other music", .music), ("g", "game", .game),
    ("h", "headphones", .headphones), ("b", "Bluetooth", .bluetooth),
    ("k", "Bluetooth profile", .profile), ("l", "lock", .lock), ("z", "sleep", .sleep),
  ]

  /// The latest decisions, newest last.
  private func why() {
    guard let player else { return }
    let latest = player.log.latest(8)
    for decision in latest {
      let rules = decision.rules.all.map(\.id).joined(separator: " ")
      screen?.tell("\(decision.sentence) (\(rules), \(decision.trigger.name))")
    }
    if latest.isEmpty { screen?.tell("nothing was decided yet") }
  }

  private func help() {
    for line in Self.help { screen?.tell(line) }
  }

  static let help = [
    "space, c  pause or play              v        stop",
    "n p       next, previous             arrows   seek 5 s, device volume",
    ", .       back or on 1 min           ( ) m    sotto's own level, mute",
    "C         a call comes in            a d      answer; decline or hang up",
    "!         other sounds to try        S        silent mode",
    "F         play over a call           y        why: the latest decisions",
    "q         quit",
  ]

  private func jump(to index: Int) {
    self.index = index
    seekTarget = nil
    player?.send(.choose(track: index))
  }

  private func seek(by seconds: Double) {
    guard let engine else { return }
    let snapshot = engine.snapshot()
    let target = max(0, (seekTarget ?? snapshot.position) + seconds)
    seekTarget = min(target, snapshot.duration ?? target)
    player?.send(.seek(.seconds(target)))
  }

  /// The device's volume; sotto's own level where the device has none.
  private func changeVolume(by points: Int) {
    guard engine?.snapshot().deviceVolume != nil else { return changeLevel(by: points) }
    player?.send(.volumeKey(points > 0 ? .up : .down))
  }

  private func changeLevel(by points: Int) {
    level = min(max(level + points, 0), 100)
    isOwnMuted = false
    engine?.setLevel(Level.gain(percent: level))
  }

  private func mute() {
    if engine?.snapshot().deviceVolume != nil {
      player?.send(.volumeKey(.mute))
    } else {
      isOwnMuted.toggle()
      engine?.setLevel(isOwnMuted ? .silence : Level.gain(percent: level))
    }
  }

  /// Draws the line, and again at the next full second while something plays.
  private func refresh() {
    guard let screen, let engine, !isEnding, !isStopping else { return }
    redraw?.cancel()
    redraw = nil
    let snapshot = engine.snapshot()
    var line = StatusLine()
    switch state {
    case .playing: line.state = .playing
    case .held: line.state = .paused
    default: line.state = .starting
    }
    // What is heard, not what was asked for: title and times are of the same track at any moment.
    let heard = snapshot.index ?? index
    let entry = queue.entry(at: heard)
    line.title = title(entry?.title, entry?.artist, at: heard, snapshot.info)
    line.position = heard == index ? seekTarget ?? snapshot.position : snapshot.position
    line.duration = snapshot.duration ?? entry?.duration
    line.level = level
    line.isOwnMuted = isOwnMuted
    if let volume = snapshot.deviceVolume {
      line.device = StatusLine.DeviceLevel(percent: volume.percent, isMuted: volume.isMuted)
    } else {
      line.deviceWithoutVolume = snapshot.device.map { Text.printable($0) }
    }
    screen.show(line)
    guard state == .playing else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let rest = 1 - (snapshot.position - snapshot.position.rounded(.down))
    timer.schedule(deadline: .now() + rest + 0.01, leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.seekTarget = nil
        self?.refresh()
      }
    }
    timer.activate()
    redraw = timer
  }
}
