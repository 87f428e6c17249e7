import AudioEngine
import AudioSession
import AudioTypes
import Player
import SessionReplay

/// From a file of session events to what is asked of the music, for `sotto render --replay`.
@MainActor struct ReplaySchedule {
  private(set) var changes: [(at: Double, change: ScheduledRender.Change)] = []
  /// The time of the last line.
  private(set) var end = 0.0

  /// Reads the file against a track of that length. `nil` after a line that says what is wrong.
  init?(_ path: [UInt8], duration: Double?) {
    let tracks = [SessionTrack(duration: duration.map { .seconds($0) })]
    var replay = Replay(tracks: tracks)
    var changes: [(at: Double, change: ScheduledRender.Change)] = []
    let fault = TextFile.eachLine(path) { line, _ in
      do throws(ReplayError) {
        try replay.take(line) { step in
          for change in Self.changes(step.transition) {
            changes.append((step.transition.at.seconds, change))
          }
        }
        return nil
      } catch {
        return error.sentence
      }
    }
    if let fault {
      Messages.fault(fault.place, fault.sentence)
      return nil
    }
    self.changes = changes
    end = replay.time
  }

  private static func changes(_ transition: Transition) -> [ScheduledRender.Change] {
    var changes: [ScheduledRender.Change] = transition.actions.compactMap { action in
      switch action {
      case .cork(let fade): .hold(fade: fade.seconds)
      case .uncork: .release(fade: Player.releaseSeconds(transition))
      case .setGain(let decibels, let ramp): .music(decibels: decibels, within: ramp.seconds)
      case .go(_, let position): .go(seconds: position.seconds, isJoin: false)
      default: nil
      }
    }
    // Every track of the replay is the one file; the engine joins them without being told.
    if case .timer(.trackEnd) = transition.trigger, transition.after.isAudible {
      changes.append(.go(seconds: 0, isJoin: true))
    }
    return changes
  }
}
