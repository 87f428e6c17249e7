import Glibc

/// Work that may take its time: a thread of its own that leaves the processor to everybody else.
enum Background {
  fileprivate final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the body on a new thread. Where there is none to be had, it is not run: nothing that is
  /// done here is missed by the music.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let context = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
    var id = pthread_t()
    guard unsafe pthread_create(&id, nil, backgroundThread, context) == 0 else {
      return unsafe Unmanaged<Work>.fromOpaque(context).release()
    }
    pthread_detach(id)
  }
}

private func backgroundThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // On Linux this is the calling thread's alone.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
  if let context = unsafe context {
    unsafe Unmanaged<Background.Work>.fromOpaque(context).takeRetainedValue().body()
  }
  return nil
}
