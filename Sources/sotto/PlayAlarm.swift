import Glibc
import Player
import PlayerState
import SystemEvents

/// The alarm that the user has set: heard in silent mode too (S6), an interlude for the music (S54),
/// and ended by any key. As long as the player runs. On the control thread.
@MainActor final class PlayAlarm {
  private unowned let command: PlayCommand
  /// What is set; a later start of the program may be given it again (`set`).
  private(set) var time: AlarmTime?
  private(set) var due: Int?
  private var ringing: AlarmTime?
  private let timer = WallTimer()
  private let end = MainTimer()

  /// Who is not there need not hear it for ever, in seconds.
  private static let longest = 600.0
  /// A machine that slept through it rings late, but not hours late.
  private static let grace = 600
  /// No second one on a day that has an hour twice.
  private static let apart = 6 * 3600

  init(_ command: PlayCommand) {
    self.command = command
    timer.onLook = { [weak self] in self?.look() }
  }

  var isRinging: Bool { ringing != nil }

  var state: AlarmState? {
    (ringing ?? time).map { AlarmState(time: $0, due: due, isRinging: isRinging) }
  }

  private static var now: Int { Int(Glibc.time(nil)) }

  /// - Returns: false where the system cannot wait for a time.
  @discardableResult func set(_ time: AlarmTime?) -> Bool {
    self.time = time
    due = time?.next(after: Self.now)
    return timer.set(due)
  }

  /// Sets what was set when the last sotto ended. One that was to sound once, and whose time came
  /// while no sotto ran, has been missed: that is said.
  func restore(_ text: String?, due old: Int?) {
    guard time == nil, let text, let kept = AlarmTime(kept: text) else { return }
    if kept.days == .once, let old, old <= Self.now {
      return command.say("The alarm of \(kept.clock) was missed: sotto did not run", isFault: true)
    }
    set(kept)
  }

  /// The time may have come, or the clock was set.
  private func look() {
    guard let time, let due else { return }
    let now = Self.now
    guard now >= due else {
      set(time)
      return command.refresh()
    }
    if time.days == .once {
      set(nil)
    } else {
      self.due = time.next(after: max(now, due + Self.apart))
      timer.set(self.due)
    }
    if now - due > Self.grace {
      command.say("The alarm of \(time.clock) was missed: the machine slept", isFault: true)
    } else {
      ring(time)
    }
    command.refresh()
  }

  private func ring(_ time: AlarmTime) {
    guard let neighbours = command.neighbourhood(), neighbours.beginWake() else { return }
    ringing = time
    end.set(after: Self.longest, leeway: 1000) { [weak self] in
      self?.dismiss()
      self?.command.say("The alarm of \(time.clock) was not heard")
    }
    command.say("Alarm, \(time.clock): any key ends it (S6)")
  }

  /// Ends what rings.
  func dismiss() {
    guard ringing != nil else { return }
    ringing = nil
    end.cancel()
    command.neighbours?.endWake()
    command.refresh()
    command.endIfOver()
  }

  // MARK: Commands

  func perform(_ wish: PlayerCommand.AlarmWish) {
    switch wish {
    case .set(let time):
      guard set(time) else { return command.say("This system has no alarms", isFault: true) }
    case .off:
      dismiss()
      let wasSet = time != nil
      set(nil)
      command.say(wasSet ? "The alarm is off" : "No alarm is set")
      return command.endIfOver()
    case .tell: break
    }
    guard let snapshot = command.snapshot() else { return }
    command.say(snapshot.description(of: .alarm, at: snapshot.at))
  }

  /// A wish of the user's while it rings ends it. Whoever wanted quiet has it then: the music goes on
  /// as it was.
  ///
  /// - Returns: whether that was all that the command meant.
  func takes(_ wish: PlayerCommand) -> Bool {
    guard isRinging else { return false }
    switch wish {
    case .pause, .toggle, .stop:
      dismiss()
      return true
    case .play, .force, .choose, .next, .previous, .preview: dismiss()
    default: break
    }
    return false
  }
}
