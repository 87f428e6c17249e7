import Dispatch
import PlayQueue
import PlayerState

/// Jumps that come faster than anybody can hear become one: the first is made at once, and those
/// that come until it may have been heard are made together. Each is meant for the track that is
/// heard when it comes, and void in any other.
///
/// On the control thread.
@MainActor final class MPRISSeeks {
  /// The track that is heard.
  private let heard: @MainActor () -> EntryID?
  private let perform: @MainActor (PlayerCommand.Seek) -> Void
  private var timer: (any DispatchSourceTimer)?
  /// Where the jumps lead that are not made yet, and in which track.
  private var waiting: (position: Double, entry: EntryID)?

  static let pause = 0.05

  init(
    heard: @escaping @MainActor () -> EntryID?,
    perform: @escaping @MainActor (PlayerCommand.Seek) -> Void
  ) {
    self.heard = heard
    self.perform = perform
  }

  /// The next jump is made at once.
  var isIdle: Bool { timer == nil }

  /// Where the next jump begins, in that track.
  func target(from position: Double, in entry: EntryID) -> Double {
    if let waiting, waiting.entry == entry { return waiting.position }
    return position
  }

  func seek(to position: Double, in entry: EntryID) {
    guard timer == nil else {
      waiting = (position, entry)
      return
    }
    perform(.to(position))
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + Self.pause, leeway: .milliseconds(5))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.due() } }
    timer.activate()
    self.timer = timer
  }

  /// Another track is wanted: what was to be done in the last one is void.
  func forget() { waiting = nil }

  private func due() {
    timer?.cancel()
    timer = nil
    guard let wish = waiting else { return }
    waiting = nil
    if wish.entry == heard() { seek(to: wish.position, in: wish.entry) }
  }
}
