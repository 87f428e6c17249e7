import Glibc
import Synchronization

/// The terminal's mode and screen. What was found is put back on every way out, also from a signal's
/// handler: what that needs is prepared before anything is changed.
public enum Terminal {
  // In memory of its own: the compiler (6.3.1) gives a global of this type 57 bytes, and the library
  // writes 60 of them.
  nonisolated(unsafe) private static let found: UnsafeMutablePointer<termios> = {
    let place = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    unsafe place.initialize(to: termios())
    return unsafe place
  }()
  private static let isRaw = Atomic<Bool>(false)
  /// What leaves the full screen; none of it while there is no full screen.
  nonisolated(unsafe) private static let leaving = UnsafeMutablePointer<UInt8>.allocate(
    capacity: leavingLimit)
  private static let leavingCount = Atomic<Int>(0)
  private static let leavingLimit = 256
  /// Where the full screen is written; -1 before the first.
  private static let output = Atomic<CInt>(-1)

  /// True when the terminal is ours now: a job in the background must neither read nor draw.
  public static var isForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    // No controlling terminal: nobody else can be in the foreground of it.
    return group < 0 ? errno == ENOTTY : group == getpgrp()
  }

  /// Keys come at once and are not echoed; signals and output stay as they were.
  @MainActor public static func enterRaw() {
    enter { $0.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL) }
  }

  /// The same, and what is typed comes as it was typed: enter is no line feed, control-V and
  /// control-S are keys. So are control-C and its like, for in a paste they are text: `FullScreen`
  /// makes signals of them. `leave` is what gives the screen back. False when the terminal is not
  /// ours now.
  @MainActor static func enterFullScreen(_ capabilities: Capabilities, leave: [UInt8]) -> Bool {
    precondition(leave.count <= leavingLimit)
    guard isForeground else { return false }
    if output.load(ordering: .acquiring) < 0 {
      output.store(openOwn() ?? STDOUT_FILENO, ordering: .releasing)
    }
    enter { mode in
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN | ISIG)
      mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP)
      if !capabilities.needsFlowControl { mode.c_iflag &= ~tcflag_t(IXON) }
      mode.c_oflag &= ~tcflag_t(OPOST)
    }
    guard isRaw.load(ordering: .acquiring) else { return false }
    for (index, byte) in leave.enumerated() { unsafe leaving[index] = byte }
    // Before anything is written: a signal in between gives back what was not taken yet.
    leavingCount.store(leave.count, ordering: .releasing)
    return true
  }

  @MainActor private static func enter(_ change: (inout termios) -> Void) {
    guard !isRaw.load(ordering: .acquiring), isForeground,
      unsafe tcgetattr(STDIN_FILENO, found) == 0
    else { return }
    var mode = unsafe found.pointee
    change(&mode)
    unsafe withUnsafeMutableBytes(of: &mode.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    // Marked first: a signal in between restores what has not been changed yet, which is harmless.
    isRaw.store(true, ordering: .releasing)
    unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  /// Puts mode and screen back. May be called from a signal's handler, and twice.
  public static func restore() {
    guard isRaw.exchange(false, ordering: .acquiringAndReleasing), isForeground else { return }
    let count = leavingCount.exchange(0, ordering: .acquiringAndReleasing)
    if count > 0 {
      _ = unsafe write(leaving, count)
      // Answers of the terminal and moves of the mouse that nobody waits for any more: a shell
      // would take them for keys.
      tcflush(STDIN_FILENO, TCIFLUSH)
    }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, found)
  }

  /// Columns of the terminal, 80 where it does not tell.
  public static var columns: Int { size.columns }

  // MARK: Size

  public struct Size: Equatable, Sendable {
    public var columns: Int
    public var rows: Int
    /// A cell in pixels; nil where the terminal does not tell.
    public var cell: Pixels?

    public struct Pixels: Equatable, Sendable {
      public var width: Int
      public var height: Int
      public init(width: Int, height: Int) {
        self.width = width
        self.height = height
      }
    }

    public init(columns: Int, rows: Int, cell: Pixels? = nil) {
      self.columns = columns
      self.rows = rows
      self.cell = cell
    }
  }

  /// More than any screen has; a size beyond it is a mistake, and its grid would fill the memory.
  static let largest = Size(columns: 2000, rows: 1000)

  /// What the terminal says of its size; 80 by 24 where it says nothing.
  public static var size: Size {
    var told = winsize()
    let result = unsafe withUnsafeMutablePointer(to: &told) { pointer in
      unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), UnsafeMutableRawPointer(pointer))
    }
    return size(result == 0 ? told : winsize())
  }

  static func size(_ told: winsize) -> Size {
    let columns = told.ws_col > 0 ? Int(told.ws_col) : 80
    let rows = told.ws_row > 0 ? Int(told.ws_row) : 24
    var size = Size(columns: min(columns, largest.columns), rows: min(rows, largest.rows))
    let cell = Size.Pixels(
      width: Int(told.ws_xpixel) / columns, height: Int(told.ws_ypixel) / rows)
    if cell.width > 0, cell.height > 0 { size.cell = cell }
    return size
  }

  // MARK: Writing

  /// The terminal opened once more. Whether a write waits belongs to the opening, and ours of
  /// standard output is shared with the shell, which must find it as it was. Nil where it cannot be
  /// opened: the terminal may be another user's.
  private static func openOwn() -> CInt? {
    for path in ["/proc/self/fd/1", "/dev/tty"] {
      let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      if descriptor < 0 { continue }
      if isatty(descriptor) == 1, device(descriptor) == device(STDOUT_FILENO) {
        return descriptor
      }
      close(descriptor)
    }
    return nil
  }

  /// The terminal behind a descriptor, also behind /dev/tty.
  private static func device(_ descriptor: CInt) -> CUnsignedInt {
    var device: CUnsignedInt = 0
    // TIOCGDEV
    _ = unsafe ioctl(descriptor, 0x8004_5432, &device)
    return device
  }

  /// Where the full screen is written.
  static var descriptor: CInt { output.load(ordering: .acquiring) }

  /// Writes as much as the terminal takes at once: the count, or -1 where it is gone. Never waits
  /// for long: where the terminal could not be opened anew, small pieces are written while there is
  /// room.
  static func writeSome(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let output = descriptor
    var done = 0
    while done < count {
      var piece = count - done
      if output == STDOUT_FILENO {

        guard hasRoom(within: 0) else { break }
        piece = min(piece, 256)
      }
      let result = unsafe Glibc.write(output, bytes + done, piece)
      if result > 0 {
        done += result
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return -1
      }
    }
    return done
  }

  /// Writes all of it, as long as the terminal takes something within a moment: one that was stopped
  /// must not keep a program from ending. Only what a signal's handler may call.
  private static func write(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var done = 0
    while done < count {
      guard hasRoom(within: 200) else { return false }
      let written = unsafe writeSome(bytes + done, count - done)
      if written < 0 { return false }
      done += written
    }
    return true
  }

  private static func hasRoom(within milliseconds: CInt) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let result = unsafe poll(&wait, 1, milliseconds)
    if result < 0 { return errno == EINTR }
    return result > 0 && wait.revents & Int16(POLLOUT) != 0
  }
}
