import AudioEngine
import AudioTypes
import Dispatch
import Glibc
import OutputInterface
import PlayQueue
import Player
import PlayerState

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
  private(set) lazy var previews = Previews(self)
  let sleepTimer = SleepTimer()
  private(set) lazy var alarm = PlayAlarm(self)
  /// All was played, and only an alarm keeps the program.
  var isOver = false
  private var hasToldSounds = false
  /// A line has told that nothing is heard; that it goes on is told too then.
  var hasToldSilence = false
  /// Something has sounded since the player stood at the queue's beginning.
  var hasSounded = false
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
    Exit.leavesThreads = true
    command.begin()
    dispatchMain()
  }

  /// Keeps the command alive while the main queue runs.
  private static var running: PlayCommand?

  /// A word to the user: above the line, or on the screen.
  func say(_ sentence: String, isFault: Bool = false) {
    asked?.hear(sentence, isFault: isFault)
    guard full != nil || voice != nil else { return tellLine(sentence) }
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
