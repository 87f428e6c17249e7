import Dispatch
import PlayerState

/// Jumps that come faster than anybody can hear become one: the first is made at once, and those
/// that come until it may have been heard are made together.
@MainActor final class MPRISSeeks {
  private let perform: @MainActor (PlayerCommand.Seek) -> Void
  private var timer: (any DispatchSourceTimer)?
  /// Where the jumps lead that are not made yet.
  private var waiting: Double?

  static let pause = 0.05

  init(_ perform: @escaping @MainActor (PlayerCommand.Seek) -> Void) { self.perform = perform }

  /// Where the next jump begins.
  func target(from position: Double) -> Double { waiting ?? position }

  func seek(to position: Double) {
    guard timer == nil else {
      waiting = position
      return
    }
    perform(.to(position))
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + Self.pause, leeway: .milliseconds(5))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.due() } }
    timer.activate()
    self.timer = timer
  }

  /// Another track: what was to be done in the last one is void.
  func forget() { waiting = nil }

  private func due() {
    timer?.cancel()
    timer = nil
    guard let position = waiting else { return }
    waiting = nil
    seek(to: position)
  }
}
