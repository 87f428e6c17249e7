import Dispatch
import Glibc
import TerminalModel

/// The terminal as a screen: grids go to it, keys come from it. On the control thread.
///
/// Signals stay with the program: it calls `suspend` before it stops, `resume` after it goes on, and
/// `resized` when the size has changed. `Terminal.restore` gives the terminal back on every other
/// way out, also from a signal's handler.
@MainActor public final class FullScreen {
  /// Keys, mouse, pastes, focus.
  public var onInput: @MainActor (TerminalInput) -> Void = { _ in }
  /// The terminal has said that it shows pictures over cells: `define` gives them.
  public var onPictures: @MainActor () -> Void = {}
  /// The terminal has become ours without a signal: what is shown is to be painted.
  public var onTaken: @MainActor () -> Void = {}
  /// The terminal is gone: no key will come any more.
  public var onEnd: @MainActor () -> Void = {}

  private var capabilities: Capabilities
  private var isMouseUsed: Bool
  private var frames: FrameQueue
  private var decoder = InputDecoder()
  private var reading: (any DispatchSourceRead)?
  private var isReading = false
  private var writing: (any DispatchSourceWrite)?
  private var isWriting = false
  private var patience: (any DispatchSourceTimer)?
  private var isTaken = false
  private lazy var foreground = ForegroundWatch { [weak self] in
    self?.resume()
    self?.onTaken()
  }

  public init(_ capabilities: Capabilities, mouse: Bool = true) {
    self.capabilities = capabilities
    isMouseUsed = mouse
    frames = FrameQueue(capabilities)
  }

  public var size: Terminal.Size { Terminal.size }

  /// Takes the terminal. In the background it stays whose it is, until `resume`.
  public func start() {
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    reading = source
    resume()
  }

  /// Gives the terminal back, before a stop.
  public func suspend() {
    isTaken = false
    foreground.wait(false)
    Terminal.restore()
    patience?.cancel()
    decoder = InputDecoder()
    setWriting(false)
  }

  /// Takes the terminal after a stop, when it is ours again.
  public func resume() {
    let isOurs = Terminal.isForeground
    if isOurs, !isTaken {
      isTaken = Terminal.enterFullScreen(
        capabilities, leave: ScreenModes.leave(capabilities))
      if isTaken {
        frames.restart(with: ScreenModes.enter(capabilities, mouse: isMouseUsed))
        write()
      }
    }
    setReading(isTaken)
    foreground.wait(!isTaken && reading != nil)
  }

  /// Gives the terminal back for good.
  public func end() {
    suspend()
    setReading(false)
    // A source that is suspended must not be let go.
    reading?.cancel()
    if !isReading { reading?.resume() }
    reading = nil
    writing?.cancel()
    if !isWriting { writing?.resume() }
    writing = nil
  }

  /// Nobody knows what is shown: the size has changed, or somebody else wrote. The next grid is
  /// painted anew.
  public func resized() {
    if isTaken { frames.forget() }
  }

  /// The mouse is told, or is the terminal's own: for selecting text.
  public func setMouse(_ isUsed: Bool) {
    guard isUsed != isMouseUsed else { return }
    isMouseUsed = isUsed
    guard isTaken else { return }
    frames.send(Array((isUsed ? ScreenModes.mouseOn : ScreenModes.mouseOff).utf8))
    write()
  }

  /// Other colours than before: the next grid is painted anew.
  public func use(_ capabilities: Capabilities) {
    self.capabilities = capabilities
    frames.use(capabilities)
  }

  /// Shows a grid, as soon as the terminal takes it. One that is overtaken by the next is never
  /// painted.
  public func show(_ grid: Grid) {
    frames.show(grid)
    write()
  }

  /// True once the terminal has said that it shows pictures over cells.
  public var showsPictures: Bool { frames.showsPictures }

  /// The pixels for the grids' places of that number; nil takes them away. A cover of 400 by 400
  /// takes 640 kB on the way to the terminal, once.
  public func define(picture id: Int, _ image: PixelImage?) {
    frames.define(picture: id, image)
    write()
  }

  // MARK: Writing

  private func write() {
    guard isTaken else { return }
    while true {
      let pending = frames.next()
      if pending.isEmpty { break }
      let written = unsafe pending.withUnsafeBufferPointer { bytes in
        unsafe bytes.baseAddress.map { unsafe Terminal.writeSome($0, bytes.count) } ?? 0
      }
      if written <= 0 {
        // Full: we are told when it takes more. Gone: reading will tell.
        setWriting(written == 0)
        return
      }
      frames.wrote(written)
    }
    setWriting(false)
  }

  private func setWriting(_ isWanted: Bool) {
    guard isWanted != isWriting else { return }
    isWriting = isWanted
    if isWanted {
      if writing == nil {
        let source = DispatchSource.makeWriteSource(
          fileDescriptor: Terminal.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.write() } }
        writing = source
      }
      writing?.resume()
    } else {
      writing?.suspend()
    }
  }

  // MARK: Reading

  private func setReading(_ isWanted: Bool) {
    guard isWanted != isReading, let reading else { return }
    isReading = isWanted
    if isWanted { reading.resume() } else { reading.suspend() }
  }

  private func read() {
    // A job in the background must not read.
    guard Terminal.isForeground else { return leave() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    if count <= 0 {
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      // Reading fails in the background, too.
      if count < 0, errno == EIO, !Terminal.isForeground { return leave() }
      reading?.cancel()
      reading = nil
      isReading = false
      onEnd()
      return
    }
    patience?.cancel()
    patience = nil
    deliver(decoder.feed(bytes.prefix(count)))
    for report in decoder.takeReports() { take(report) }
    if let milliseconds = decoder.patience { wait(milliseconds) }
  }

  /// The terminal is somebody else's now, who has made of it what they need.
  private func leave() {
    isTaken = false
    Terminal.restore()
    setReading(false)
    foreground.wait(true)
  }

  private func take(_ report: TerminalReport) {
    guard report == .graphics(id: KittyPictures.questionID, "OK"), !frames.showsPictures else {
      return
    }
    frames.showsPictures = true
    onPictures()
  }

  private func deliver(_ inputs: [TerminalInput]) {
    for input in inputs where isTaken {
      if let number = Self.signal(input) {
        // To the whole job, as the terminal itself would.
        kill(0, number)
      } else {
        onInput(input)
      }
    }
  }

  /// What the terminal makes of a key while it does so; in a paste it is none.
  private static func signal(_ input: TerminalInput) -> CInt? {
    switch input {
    case .key(Key(.character("c"), .control)): SIGINT
    case .key(Key(.character("z"), .control)): SIGTSTP
    case .key(Key(.character("\\"), .control)): SIGQUIT
    default: nil
    }
  }

  private func wait(_ milliseconds: Int) {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + .milliseconds(milliseconds))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.patience != nil else { return }
        self.patience = nil
        self.deliver(self.decoder.timeOut())
      }
    }
    timer.activate()
    patience = timer
  }
}
