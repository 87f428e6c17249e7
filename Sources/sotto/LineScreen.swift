import AudioTypes
import Dispatch
import Glibc
import TerminalScreen

import enum TerminalModel.CharacterWidth

/// The plain line on a terminal: draws it, reads the keys, and steps aside for messages. On the
/// control thread.
@MainActor final class LineScreen {
  private let onKey: @MainActor (Key) -> Void
  private var keys: (any DispatchSourceRead)?
  private var isReading = false
  private var decoder = KeyDecoder()
  private var escapeTimer: (any DispatchSourceTimer)?
  private var line = StatusLine()
  private lazy var foreground = ForegroundWatch { [weak self] in self?.takeTerminal() }
  private var isShown = false
  private var isOver = false

  /// A sequence of bytes of one key comes within this.
  private static let escapeMilliseconds = 40

  init(onKey: @escaping @MainActor (Key) -> Void) { self.onKey = onKey }

  /// Takes the terminal: keys come at once.
  func start() {
    Signals.installCrashHandlers()
    Exit.beforeEnd = { [weak self] in
      self?.clear()
      Terminal.restore()
    }
    Messages.aside = { [weak self] write in
      self?.clear()
      write()
      self?.draw()
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    keys = source
    takeTerminal()
  }

  /// Takes the terminal again after a stop, when it is ours; a job in the background leaves it.
  func takeTerminal() {
    let isForeground = Terminal.isForeground
    if isForeground { Terminal.enterRaw() }
    if isForeground != isReading, let keys {
      if isForeground { keys.resume() } else { keys.suspend() }
      isReading = isForeground
    }
    foreground.wait(!isForeground && keys != nil && !isOver)
    draw()
  }

  /// Leaves the terminal as it was found, before a stop.
  func leaveTerminal() {
    foreground.wait(false)
    clear()
    Terminal.restore()
  }

  func show(_ line: StatusLine) {
    self.line = line
    draw()
  }

  /// A line of text above it.
  func tell(_ text: String) {
    guard !isOver else { return }
    clear()
    Console.print(Text.printable(text))
    Console.flush()
    draw()
  }

  /// The line is not drawn any more; what it shows stays until a message or the end clears it.
  func end() {
    isOver = true
    foreground.wait(false)
  }

  /// Draws the line over itself. One column stays free, so that no terminal wraps.
  func draw() {
    guard !isOver, Terminal.isForeground else { return }
    let columns = Terminal.columns - 1
    var shown = line
    shown.title = Environment.shown(line.title)
    shown.deviceWithoutVolume = line.deviceWithoutVolume.map(Environment.shown)
    let text = shown.text(columns: max(columns, 1), width: CharacterWidth.columns)
    Console.write("\r" + text + "\u{1B}[K")
    Console.flush()
    isShown = true
  }

  private func clear() {
    guard isShown, Terminal.isForeground else { return }
    isShown = false
    Console.write("\r\u{1B}[K")
    Console.flush()
  }

  private func read() {
    guard Terminal.isForeground else { return takeTerminal() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    if count <= 0 {
      if count < 0, errno == EINTR || errno == EAGAIN || errno == EIO { return }
      // The terminal is gone or at its end: no keys any more, the music goes on.
      keys?.cancel()
      keys = nil
      return
    }
    escapeTimer?.cancel()
    escapeTimer = nil
    for key in decoder.feed(bytes.prefix(count)) { onKey(key) }
    if decoder.isWaiting { waitForRest() }
  }

  private func waitForRest() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + .milliseconds(Self.escapeMilliseconds))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        for key in self.decoder.timeout() { self.onKey(key) }
      }
    }
    timer.activate()
    escapeTimer = timer
  }
}
