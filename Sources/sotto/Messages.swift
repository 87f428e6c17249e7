import AudioTypes
import Dispatch
import Glibc

/// Standard error, which belongs to sotto alone: libraries that write on descriptor 2 reach the
/// log or nothing (architecture decision 12).
@MainActor enum Messages {
  /// The exit status so far: 0, or 1 once something could not be done.
  static var status: CInt = 0
  /// Takes messages in the terminal's place while a screen covers it. They are printed when it is
  /// gone.
  static var instead: (@MainActor (_ sentence: String) -> Void)?
  private static var kept: [String] = []
  /// More than these are not printed late.
  private static let mostKept = 50
  /// Called around a message, so that a line on the same terminal can step aside.
  static var aside: (@MainActor (_ write: () -> Void) -> Void)?

  /// `sotto: what is wrong`.
  static func tell(_ sentence: String) {
    if let instead {
      if kept.count < mostKept { kept.append(sentence) }
      return instead(sentence)
    }
    let line = Array(Environment.shown("sotto: \(sentence)").utf8) + [0x0A]
    let write = { _ = unsafe Descriptor.write(line, to: Complaints.messages) }
    if let aside { aside(write) } else { write() }
  }

  /// The screen is gone: what was told while it was there is printed.
  static func printKept() {
    instead = nil
    let sentences = kept
    kept = []
    for sentence in sentences { tell(sentence) }
  }

  /// `sotto: PATH: what is wrong`; the command ends with status 1.
  static func fault(_ path: [UInt8], _ sentence: String) {
    status = max(status, 1)
    let name = path.isEmpty ? "(empty path)" : Text.printable(path)
    tell("\(name): \(Text.printable(sentence))")
  }
}

/// Descriptor 2 kept aside and replaced by a pipe. A thread of its own reads the pipe into the log,
/// or drops it; the last of it is kept for a crash report.
enum Complaints {
  /// Where messages go: a copy of the descriptor 2 that sotto was started with.
  nonisolated(unsafe) private(set) static var messages: CInt = STDERR_FILENO
  nonisolated(unsafe) private static var reading: CInt = -1
  nonisolated(unsafe) private static var log: CInt = -1
  nonisolated(unsafe) private static var thread: pthread_t = 0
  nonisolated(unsafe) private static var logged = 0
  /// The newest piece that was read: what a crash has said of itself.
  nonisolated(unsafe) private static var last: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var lastCount = 0

  private static let ended = DispatchSemaphore(value: 0)

  /// A log does not grow beyond this.
  private static let logLimit = 16 << 20
  private static let pieceBytes = 4096

  /// Takes descriptor 2. Returns what is wrong with the log, if anything.
  @MainActor static func take(log path: [UInt8]?) -> String? {
    if let path {
      let name = path.map { CChar(bitPattern: $0) } + [0]
      unsafe log = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      guard unsafe log >= 0 else { return "cannot be written: \(Descriptor.sentence(errno))" }
    }
    let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard let ends = Descriptor.pipe() else { return nil }
    unsafe messages = copy
    unsafe last = .allocate(capacity: pieceBytes)
    unsafe reading = ends.read
    dup2(ends.write, STDERR_FILENO)
    close(ends.write)
    // A library never waits for us: what does not fit is lost.
    _ = fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK)
    // Without the thread the pipe fills up and the rest is lost, which hurts nobody.
    if unsafe pthread_create(&thread, nil, complaintsThread, nil) != 0 { unsafe thread = 0 }
    return nil
  }

  /// Gives descriptor 2 back and waits until what was written to it has reached the log; not
  /// longer than a second, since a library may hold the pipe open.
  @MainActor static func drain() {
    guard unsafe thread != 0 else { return }
    unsafe dup2(messages, STDERR_FILENO)
    if ended.wait(timeout: .now() + .seconds(1)) == .success {
      unsafe pthread_join(thread, nil)
    } else {
      unsafe pthread_detach(thread)
    }
    unsafe thread = 0
  }

  /// The thread's own loop; ends when nothing holds the writing end.
  fileprivate static func read() {
    defer { ended.signal() }
    guard let piece = unsafe last else { return }
    while true {
      let count = unsafe Glibc.read(reading, piece, pieceBytes)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      unsafe lastCount = count
      if unsafe log >= 0, unsafe logged < logLimit {
        unsafe logged += count
        _ = unsafe Glibc.write(log, piece, count)
      }
    }
  }

  /// Repeats the last complaint as a message. Only for a handler of a crash: it may do nothing but
  /// write.
  static func repeatLast() {
    guard unsafe lastCount > 0, let piece = unsafe last else { return }
    _ = unsafe Glibc.write(messages, piece, lastCount)
  }
}

/// On the thread that reads descriptor 2.
private func complaintsThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Complaints.read()
  return nil
}
