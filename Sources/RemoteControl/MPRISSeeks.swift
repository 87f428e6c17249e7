import Bus
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
  private let timer = BusTimer()
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
  var isIdle: Bool { !timer.isSet }

  /// Where the next jump begins, in that track.
  func target(from position: Double, in entry: EntryID) -> Double {
    if let waiting, waiting.entry == entry { return waiting.position }
    return position
  }

  func seek(to position: Double, in entry: EntryID) {
    guard isIdle else {
      waiting = (position, entry)
      return
    }
    perform(.to(position))
    timer.set(after: Self.pause) { [weak self] in self?.due() }
  }

  /// Another track is wanted: what was to be done in the last one is void.
  func forget() { waiting = nil }

  private func due() {
    guard let wish = waiting else { return }
    waiting = nil
    if wish.entry == heard() { seek(to: wish.position, in: wish.entry) }
  }
}
