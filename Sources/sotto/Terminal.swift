import Glibc
import Synchronization

/// The terminal's mode. What was found is put back on every way out, also from a signal's handler.
enum Terminal {
  // In memory of its own: the compiler (6.3.1) gives a global of this type 57 bytes, and the library
  // writes 60 of them.
  nonisolated(unsafe) private static let found: UnsafeMutablePointer<termios> = {
    let place = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    unsafe place.initialize(to: termios())
    return unsafe place
  }()
  private static let isRaw = Atomic<Bool>(false)

  /// True when a line can be redrawn and keys can be read.
  static var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !Environment.isDumbTerminal
  }

  /// True when the terminal is ours now: a job in the background must neither read nor draw.
  static var isForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    // No controlling terminal: nobody else can be in the foreground of it.
    return group < 0 ? errno == ENOTTY : group == getpgrp()
  }

  /// Keys come at once and are not echoed; signals and output stay as they were.
  @MainActor static func enterRaw() {
    guard !isRaw.load(ordering: .acquiring), isForeground,
      unsafe tcgetattr(STDIN_FILENO, found) == 0
    else { return }
    var mode = unsafe found.pointee
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL)
    unsafe withUnsafeMutableBytes(of: &mode.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    // Marked first: a signal in between restores what has not been changed yet, which is harmless.
    isRaw.store(true, ordering: .releasing)
    unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  /// Puts the mode back. May be called from a signal's handler, and twice.
  static func restore() {
    guard isRaw.exchange(false, ordering: .acquiringAndReleasing), isForeground else { return }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, found)
  }

  /// Columns of the terminal, 80 where it does not tell.
  static var columns: Int {
    var size = winsize()
    let result = unsafe withUnsafeMutablePointer(to: &size) { pointer in
      unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), UnsafeMutableRawPointer(pointer))
    }
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
