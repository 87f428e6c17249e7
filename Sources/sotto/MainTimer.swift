import Dispatch

/// Calls something once on the control thread, unless it is set again or cancelled before.
@MainActor final class MainTimer {
  private var timer: (any DispatchSourceTimer)?

  /// - Parameter leeway: how much later it may be, in milliseconds, so that wake-ups fall together.
  func set(after seconds: Double, leeway: Int = 5, _ action: @escaping @MainActor () -> Void) {
    timer?.cancel()
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(leeway))
    timer.setEventHandler { MainActor.assumeIsolated { action() } }
    timer.activate()
    self.timer = timer
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }
}
