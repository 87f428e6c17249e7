import Dispatch
import Glibc

/// Waits until the terminal is ours. A shell that brings a stopped job to the foreground sends SIGCONT;
/// one that runs already (`sotto &`, `fg`) is told nothing by some (bash). So it is looked at, now and
/// then, while somebody waits for it and at no other time. On the control thread.
@MainActor public final class ForegroundWatch {
  private var timer: (any DispatchSourceTimer)?
  private let onForeground: @MainActor () -> Void

  private static let milliseconds = 1000

  /// - Parameter onForeground: called once for each wait, when it is ours.
  public init(_ onForeground: @escaping @MainActor () -> Void) {
    self.onForeground = onForeground
  }

  /// Begins to wait, or ends it.
  public func wait(_ isWanted: Bool) {
    guard isWanted != (timer != nil) else { return }
    timer?.cancel()
    timer = nil
    guard isWanted else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(
      deadline: .now() + .milliseconds(Self.milliseconds),
      repeating: .milliseconds(Self.milliseconds), leeway: .milliseconds(Self.milliseconds / 4))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.look() } }
    timer.activate()
    self.timer = timer
  }

  private func look() {
    guard timer != nil, Terminal.isForeground else { return }
    wait(false)
    onForeground()
  }
}
