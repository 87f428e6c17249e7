import Glibc
import Synchronization
import TerminalScreen

/// Signals. Until the control thread runs they end the program from the handler; afterwards they
/// arrive as bytes on a pipe, and end it only where the control thread does not answer.
enum Signals {
  /// What a handler does.
  private enum Mode {
    /// Ends the program at once.
    static let direct = 0
    /// Sets a flag that a loop reads; a second one ends the program.
    static let flag = 1
    /// Writes to the pipe; an impatient user, or a first one that is unanswered for long, ends the
    /// program.
    static let queued = 2
  }

  /// Who ends a session, or closes a terminal, sends several at once: that is no impatience. Seconds.
  private static let longestAnswer = 5

  private static let mode = Atomic<Int>(Mode.direct)
  /// Of interrupts, which somebody types.
  private static let unanswered = Atomic<Int>(0)
  /// When the first ending signal came that was not answered yet, in seconds of the machine's uptime.
  private static let unansweredSince = Atomic<Int>(0)
  private static let pipe = Atomic<CInt>(-1)
  private static let flagged = Atomic<CInt>(0)

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// From the start of a command: an interrupt ends it with 130. SIGPIPE is an error of a write.
  @MainActor static func install() {
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error of a write too.
    signal(SIGXFSZ, SIG_IGN)
    // Values are made before a handler can need them.
    _ = mode.load(ordering: .relaxed) + unanswered.load(ordering: .relaxed)
    _ = unansweredSince.load(ordering: .relaxed)
    _ = pipe.load(ordering: .relaxed) + flagged.load(ordering: .relaxed)
    for number in ending { handle(number, unlessIgnored: true) }
  }

  /// A loop will ask for the `interruption`.
  @MainActor static func setFlagMode() { mode.store(Mode.flag, ordering: .releasing) }

  /// The ending signal that came in flag mode; `nil` while none has.
  static var interruption: CInt? {
    let number = flagged.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// From now on signals come as bytes from the descriptor that is returned; also stop, continue
  /// and resize. -1 when there is no pipe: then they keep ending the program.
  @MainActor static func queue() -> CInt {
    guard let ends = Descriptor.pipe() else { return -1 }
    for end in [ends.read, ends.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    pipe.store(ends.write, ordering: .releasing)
    mode.store(Mode.queued, ordering: .releasing)
    for number in [SIGTSTP, SIGCONT, SIGWINCH] { handle(number, unlessIgnored: number == SIGTSTP) }
    // In the background, putting the mode back must not stop us, and reading fails instead.
    signal(SIGTTOU, SIG_IGN)
    signal(SIGTTIN, SIG_IGN)
    return ends.read
  }

  /// The signals that came, oldest first.
  @MainActor static func take(from descriptor: CInt) -> [CInt] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, 64) }
    unanswered.store(0, ordering: .releasing)
    unansweredSince.store(0, ordering: .releasing)
    return bytes.prefix(max(0, count)).map(CInt.init)
  }

  /// While the terminal is raw, a crash puts its mode back before it takes its course.
  @MainActor static func installCrashHandlers() {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = crashed
      action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | CInt(SA_NODEFER)
      unsafe sigaction(number, &action, nil)
    }
  }

  private static func handle(_ number: CInt, unlessIgnored: Bool) {
    var action = sigaction()
    // nohup and shells without job control ignore signals for us; that stays so.
    if unlessIgnored, unsafe sigaction(number, nil, &action) == 0, isIgnored(action) {
      return
    }
    action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = arrived
    action.sa_flags = CInt(SA_RESTART)
    unsafe sigaction(number, &action, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// In the handler: an ending signal that finds the control thread not answering.
  private static func isImpatient(_ number: CInt) -> Bool {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let now = max(time.tv_sec, 1)
    let (isFirst, since) = unansweredSince.compareExchange(
      expected: 0, desired: now, ordering: .relaxed)
    let isTyped = number == SIGINT || number == SIGQUIT
    if isTyped, unanswered.add(1, ordering: .relaxed).oldValue > 0 { return true }
    return !isFirst && now - since >= longestAnswer
  }

  /// In the handler: only what is safe there.
  fileprivate static func arrive(_ number: CInt) {
    // One by one: the generic code of a collection allocates when it first runs, and the signal may
    // have come within malloc.
    let isEnding =
      number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT
    let mode = mode.load(ordering: .acquiring)
    if mode == Mode.queued {
      var byte = UInt8(number)
      _ = unsafe write(pipe.load(ordering: .acquiring), &byte, 1)
      if !isEnding || !isImpatient(number) { return }
    } else if mode == Mode.flag, flagged.exchange(number, ordering: .acquiringAndReleasing) == 0 {
      return
    }
    guard isEnding else { return }
    Terminal.restore()
    if number == SIGINT { _exit(130) }
    signal(number, SIG_DFL)
    raise(number)  // delivered when this handler returns
  }
}

private func arrived(_ number: CInt) {
  let cause = errno
  Signals.arrive(number)
  errno = cause
}

private func crashed(_ number: CInt) {
  Terminal.restore()
  Complaints.repeatLast()
  raise(number)
}
