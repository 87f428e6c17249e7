import AudioTypes
import Dispatch
import Glibc
import PlayerState
import TerminalModel
import TerminalScreen

/// `sotto play --plain` on a terminal: the keys of the screen, and a line of whole words for each change,
/// for people who do not see the screen (S72 to S75). Nothing is drawn twice. On the control thread.
@MainActor final class PlainVoice {
  private unowned let command: PlayCommand
  private let style: ScreenStyle
  private var view = ViewState()
  private var decoder = InputDecoder()
  private var reading: (any DispatchSourceRead)?
  private var isReading = false
  private let patience = MainTimer()
  private lazy var foreground = ForegroundWatch { [weak self] in self?.resume() }
  private var told: PlayerSnapshot?
  private var isDue = false
  private var isOver = false

  init(_ command: PlayCommand) {
    self.command = command
    style = ScreenStyle(
      keys: command.configuration.keys, settings: command.configuration.settings)
  }

  func start() {
    Signals.installCrashHandlers()
    Exit.beforeEnd = { [weak self] in self?.end() }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    reading = source
    say("Press enter to hear how it stands, ? for the keys, q to quit.")
    resume()
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    patience.cancel()
    foreground.wait(false)
    Terminal.restore()
  }

  func suspend() {
    foreground.wait(false)
    decoder = InputDecoder()
    Terminal.restore()
  }

  /// Keys come to us while the terminal is ours.
  func resume() {
    let isOurs = Terminal.isForeground
    if isOurs { Terminal.enterRaw() }
    foreground.wait(!isOurs && reading != nil && !isOver)
    guard isOurs != isReading else { return }
    isReading = isOurs
    if isOurs { reading?.resume() } else { reading?.suspend() }
  }

  /// Something has changed: what, is told once for all that changes in this turn.
  func changed() {
    guard !isDue, !isOver else { return }
    isDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated { self?.tell() }
    }
  }

  private func tell() {
    isDue = false
    guard !isOver, let now = command.snapshot() else { return }
    let before = told ?? PlayerSnapshot(at: now.at, situation: now.situation)
    told = now
    for line in now.changes(since: before) { say(line) }
  }

  private func say(_ line: String) {
    Console.print(Text.printable(line))
    Console.flush()
  }

  // MARK: Keys

  private func read() {
    guard Terminal.isForeground else { return resume() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    if count <= 0 {
      if count < 0, errno == EINTR || errno == EAGAIN || errno == EIO { return }
      // The terminal is gone or at its end: no keys any more, the music goes on.
      reading?.cancel()
      reading = nil
      return
    }
    patience.cancel()
    take(decoder.feed(bytes.prefix(count)))
    _ = decoder.takeReports()
    guard let milliseconds = decoder.patience else { return }
    patience.set(after: Double(milliseconds) / 1000) { [weak self] in
      guard let self else { return }
      take(decoder.timeOut())
    }
  }

  private func take(_ inputs: [TerminalInput]) {
    for input in inputs {
      guard let snapshot = command.snapshot() else { continue }
      if case .key = input, command.alarm.isRinging {
        command.alarm.dismiss()
        continue
      }
      if input == .key(TerminalModel.Key(.enter)), !view.isMenuOpen {
        status(snapshot)
        continue
      }
      let size = ScreenSize(columns: 80, rows: 24)
      var commands: [PlayerCommand]
      let wasMenuOpen = view.isMenuOpen
      (view, commands) = view.reduce(input, snapshot, ScreenContent(), size, style)
      if view.isMenuOpen, !wasMenuOpen {
        for line in KeyTable.Place.menu.lines(style.keys) { say(line) }
      }
      switch view.view {
      case .help:
        for line in KeyTable.Place.everywhere.lines(style.keys) { say(line) }
      case .why:
        let decisions = snapshot.decisions.suffix(Self.decisionsTold)
        if decisions.isEmpty { say("Nothing was decided yet.") }
        for decision in decisions { say(decision.spoken) }
      default: break
      }
      // There is one view: what plays.
      if view.view != .playing { view = ViewState() }
      for wish in commands { command.perform(wish) }
    }
  }

  private static let decisionsTold = 8

  /// How it stands, control by control.
  private func status(_ snapshot: PlayerSnapshot) {
    let controls: [Control] = [
      .transport, .session, .track, .progress, .volume, .silent, .queue,
    ]
    for control in controls { say(snapshot.description(of: control, at: snapshot.at) + ".") }
  }
}
