import Dispatch

/// Calls something on the main queue after a while, unless it is set again or cancelled before.
@MainActor final class Alarm {
  private var timer: (any DispatchSourceTimer)?

  func set(after seconds: Double, _ action: @escaping @MainActor () -> Void) {
    timer?.cancel()
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(5))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.cancel()
        action()
      }
    }
    timer.activate()
    self.timer = timer
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }
}
