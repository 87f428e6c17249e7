import Dispatch

/// Calls something once, unless it is set again or cancelled before: what the bus, and those who
/// watch it or are reached over it, wait for.
///
/// On the control thread.
@MainActor public final class BusTimer {
  private var timer: (any DispatchSourceTimer)?

  /// Waits for nothing yet.
  public init() {}

  /// Whether it is waited for.
  public var isSet: Bool { timer != nil }

  /// - Parameters:
  ///   - seconds: from now on, by the machine's clock.
  ///   - leeway: how much later it may be, in milliseconds, so that wake-ups fall together.
  public func set(after seconds: Double, leeway: Int = 5, _ action: @escaping @MainActor () -> Void)
  {
    timer?.cancel()
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(leeway))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.cancel()
        action()
      }
    }
    timer.activate()
    self.timer = timer
  }

  /// Nothing is called any more.
  public func cancel() {
    timer?.cancel()
    timer = nil
  }
}
