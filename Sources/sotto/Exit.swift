import Glibc

/// The ways out of the program.
@MainActor enum Exit {
  /// Undoes what must not outlive the program: the terminal's mode. Set while there is something.
  static var beforeEnd: (@MainActor () -> Void)?

  static func end(_ status: CInt) -> Never {
    beforeEnd?()
    Console.flush()
    Complaints.drain()
    exit(status)
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
