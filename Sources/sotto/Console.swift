import AudioTypes
import Glibc

/// Standard output: results only. Texts are gathered and written in large pieces.
@MainActor enum Console {
  private static var pending: [UInt8] = []
  /// Set when the reader of a pipe went away.
  private(set) static var isBroken = false

  static func print(_ text: String) {
    pending += Array(Environment.shown(text).utf8)
    pending.append(0x0A)
    if pending.count > 1 << 15 { flush() }
  }

  /// Bytes as they are, for the line of the terminal and for texts that are ASCII already.
  static func write(_ text: String) {
    pending += Array(text.utf8)
  }

  static func write(_ bytes: [UInt8]) {
    pending += bytes
    if pending.count > 1 << 15 { flush() }
  }

  /// Writes what waits. A reader that went away is no fault of ours: the rest is dropped. Any other
  /// failure is told once.
  static func flush() {
    defer { pending.removeAll(keepingCapacity: true) }
    guard !isBroken, !pending.isEmpty else { return }
    let cause = Descriptor.write(pending, to: STDOUT_FILENO)
    guard cause != 0 else { return }
    isBroken = true
    if cause != EPIPE {
      Messages.tell("standard output: \(Descriptor.sentence(cause))")
      Messages.status = 1
    }
  }

  /// True when a pipe's reader is gone: commands that only print then end as if SIGPIPE had ended
  /// them.
  static func endIfBroken() {
    flush()
    if isBroken, Messages.status == 0 { Exit.end(bySignal: SIGPIPE) }
  }
}

/// Whole writes to a descriptor.
enum Descriptor {
  /// 0, or the errno. Waits where a non-blocking terminal is full.
  static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    var done = 0
    while done < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
      }
      if result > 0 {
        done += result
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&wait, 1, 1000) > 0 else { return EAGAIN }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// A pipe that no child inherits.
  static func pipe() -> (read: CInt, write: CInt)? {
    var ends: (CInt, CInt) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &ends) { pair in
      unsafe pair.withMemoryRebound(to: CInt.self, capacity: 2) { unsafe Glibc.pipe($0) }
    }
    guard made == 0 else { return nil }
    for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends.0, ends.1)
  }

  /// True when two paths are one file: what is read must not be written over.
  static func isSameFile(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    var facts = (stat(), stat())
    guard unsafe stat(left.map { CChar(bitPattern: $0) } + [0], &facts.0) == 0,
      unsafe stat(right.map { CChar(bitPattern: $0) } + [0], &facts.1) == 0
    else { return false }
    return facts.0.st_dev == facts.1.st_dev && facts.0.st_ino == facts.1.st_ino
  }

  static func sentence(_ cause: CInt) -> String { unsafe String(cString: strerror(cause)) }
}
