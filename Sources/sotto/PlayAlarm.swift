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
  /// One that rang is not due again before this, whatever happens to the clock.
  private var notBefore = 0
  private var ringing: AlarmTime?
  private let timer = WallTimer()
  private let end = MainTimer()
  /// Tells of another time zone while an alarm is set: its clocks show another time.
  private var zone: FolderWatch?

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
    notBefore = 0
    followZone()
    return schedule()
  }

  private func schedule() -> Bool {
    due = time?.next(after: max(Self.now, notBefore))
    return timer.set(due)
  }

  /// The link to the time zone's file is in this folder.
  private static let zoneFolder = Array("/etc".utf8)

  private func followZone() {
    if time == nil {
      zone?.end()
      zone = nil
    } else if zone == nil {
      zone = FolderWatch([Self.zoneFolder]) { [weak self] in
        guard let self, let before = due else { return }
        // What is due is not put off.
        guard Self.now < before else { return look() }
        _ = schedule()
        if due != before { command.refresh() }
      }
    }
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
      _ = schedule()
      return command.refresh()
    }
    if time.days == .once {
      set(nil)
    } else {
      notBefore = due + Self.apart
      _ = schedule()
    }
    if now - due > Self.grace {
      command.say("The alarm of \(time.clock) was missed: the machine slept", isFault: true)
    } else {
      ring(time)
    }
    command.refresh()
  }

  private func ring(_ time: AlarmTime) {
    guard let neighbours = command.neighbourhood(), neighbours.beginWake() else {
      return command.say(
        "Alarm, \(time.clock): its sound cannot be played, see 'sotto doctor'", isFault: true)
    }
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
