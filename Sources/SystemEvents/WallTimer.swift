import CClock
import Dispatch
import Glibc

/// Calls at a time of the wall clock, also after the machine has slept through it, and whenever that
/// clock was set: who waits for half past seven must look again then. On the control thread.
@MainActor public final class WallTimer {
  private let descriptor: CInt
  private let source: (any DispatchSourceRead)?
  /// The time has come, or the clock was set.
  public var onLook: (@MainActor () -> Void)?

  /// Waits for nothing yet, and tells when the clock is set.
  public init() {
    descriptor = sotto_clock_open()
    guard descriptor >= 0 else {
      source = nil
      return
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    self.source = source
    let reading = descriptor
    source.setEventHandler { [weak self] in
      sotto_clock_drain(reading)
      MainActor.assumeIsolated { self?.onLook?() }
    }
    source.setCancelHandler { close(reading) }
    source.activate()
  }

  /// Looks no more.
  public func end() { source?.cancel() }

  /// - Parameter seconds: since 1970; `nil` waits for nothing.
  /// - Returns: false where the system has no such timer.
  @discardableResult public func set(_ seconds: Int?) -> Bool {
    descriptor >= 0 && sotto_clock_set(descriptor, Int64(seconds ?? 0)) == 0
  }
}
