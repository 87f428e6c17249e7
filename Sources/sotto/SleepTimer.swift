import AudioSession
import PlayerState

/// Pauses the music after a while that the user sets. On the control thread.
@MainActor final class SleepTimer {
  /// When it pauses; `nil` when it does not.
  private(set) var due: SessionTime?
  private let timer = MainTimer()
  /// Nobody who sleeps minds half a second: wake-ups fall together.
  private static let leeway = 500

  func set(_ seconds: Double, from now: SessionTime, _ action: @escaping @MainActor () -> Void) {
    due = now + .seconds(seconds)
    timer.set(after: seconds, leeway: Self.leeway) { [weak self] in
      self?.due = nil
      action()
    }
  }

  func cancel() {
    due = nil
    timer.cancel()
  }
}

extension PlayCommand {
  /// Both ways are one wish: the later one counts.
  func sleep(_ wish: PlayerCommand.SleepWish) {
    guard let player else { return }
    let wasSet = sleepTimer.due != nil
    switch wish {
    case .toggle: return sleep(wasSet ? .off : .after(PlayerCommand.SleepWish.usual))
    case .after(let seconds):
      sleepTimer.set(Double(seconds), from: player.now()) { [weak self] in
        // The session fades, pauses and tells why, as with any pause.
        self?.player?.send(.pause(.timer))
        self?.refresh()
      }
    case .track, .off: sleepTimer.cancel()
    }
    let wasStopping = queue.edit { queue in
      defer { queue.stopsOnce = wish == .track }
      return queue.stopsOnce
    }
    engine?.successionChanged()
    if let snapshot = snapshot(), snapshot.sleepsAt != nil {
      say(snapshot.description(of: .sleep, at: player.now()))
    } else if wish == .track {
      say("Stops after this track")
    } else {
      say(wasSet || wasStopping ? "The sleep timer is off" : "There is no sleep timer")
    }
  }
}
