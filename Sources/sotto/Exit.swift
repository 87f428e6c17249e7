import Glibc

/// The ways out of the program.
@MainActor enum Exit {
  /// Undoes what must not outlive the program: the terminal's mode. Set while there is something.
  static var beforeEnd: (@MainActor () -> Void)?

  /// Threads of ours are still within libraries: decoding, reading tags, closing a connection. What
  /// `exit` tidies up of those would be taken from under them; nothing that matters waits for it.
  static var leavesThreads = false

  static func end(_ status: CInt) -> Never {
    beforeEnd?()
    Console.flush()
    Complaints.drain()
    guard leavesThreads else { exit(status) }
    // A build that looks for leaks does so in `exit`.
    if let symbol = unsafe dlsym(nil, "__lsan_do_leak_check") {
      unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
    }
    _exit(status)
  }

  /// Ends as the signal itself would have ended us, so that a shell sees the cause.
  static func end(bySignal number: CInt) -> Never {
    beforeEnd?()
    Complaints.drain()
    signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    exit(128 + number)
  }
}
