import AudioSession

/// What presses of a headset's one button mean. One toggles, two are next, three are previous, each
/// within 350 ms of the one before; while a call rings one answers and a long one declines, and while
/// one talks one ends it. A key that repeats by itself is one press. Pure; the clock is the caller's.
public struct Presses: Hashable, Sendable {
  /// What the button is for at this moment.
  public enum Meaning: Hashable, Sendable { case transport, ringing, talking }

  /// What the button did.
  public enum Input: Hashable, Sendable {
    case press, release
    /// Time has passed: what was due by now is done.
    case wait
  }

  /// What the user means by it.
  public enum Act: Hashable, Sendable { case toggle, next, previous, answer, decline, hangUp }

  private enum State: Hashable, Sendable {
    case idle
    /// Pressed that often, the last time then.
    case counting(Int, SessionTime)
    /// Down while a call rings, since then.
    case held(SessionTime)
    /// The call heard a press: what follows until then is the same finger.
    case spent(SessionTime)
  }

  private var state = State.idle
  /// Where releases are not told, or not when they happen, no press is long.
  public let reportsReleases: Bool

  /// A press that comes later is no part of the same act.
  public static let pause = SessionTime.milliseconds(350)
  /// Held that long while a call rings, a press declines.
  public static let long = SessionTime.milliseconds(600)

  /// - Parameter reportsReleases: whether the device tells when the button is let go.
  public init(reportsReleases: Bool = true) { self.reportsReleases = reportsReleases }

  /// When `wait` has something to do; `nil` when it has not.
  public var deadline: SessionTime? {
    switch state {
    case .counting(_, let last): last + Self.pause
    case .held(let since): since + Self.long
    case .idle, .spent: nil
    }
  }

  /// The button is gone, or what was pressed is not what the user meant: the plug was pulled.
  public mutating func forget() { state = .idle }

  /// The first press of what may become several, where there is one.
  public var firstPress: SessionTime? {
    if case .counting(1, let at) = state { at } else { nil }
  }

  /// Takes a press, a release, or that time has passed, and says what the user means by now: often
  /// nothing yet, until `deadline`.
  public mutating func take(_ input: Input, at now: SessionTime, during meaning: Meaning) -> [Act] {
    var acts: [Act] = []
    if let deadline, deadline <= now, let act = due(meaning, deadline) { acts.append(act) }
    if case .spent(let until) = state, until <= now { state = .idle }
    // A call came or went between a press and what would have followed from it.
    switch (state, meaning) {
    case (.counting, .ringing), (.counting, .talking), (.held, .transport), (.held, .talking):
      state = .idle
    default: break
    }
    switch input {
    case .wait: break
    case .press: if let act = press(now, meaning) { acts.append(act) }
    case .release:
      if case .held = state {
        state = .spent(now + Self.pause)
        acts.append(.answer)
      }
    }
    return acts
  }

  private mutating func due(_ meaning: Meaning, _ deadline: SessionTime) -> Act? {
    defer { state = .idle }
    switch (state, meaning) {
    case (.counting(let count, _), .transport): return count == 1 ? .toggle : .next
    case (.held, .ringing): return .decline
    default: return nil
    }
  }

  private mutating func press(_ now: SessionTime, _ meaning: Meaning) -> Act? {
    switch (state, meaning) {
    // Down already.
    case (.held, _), (.spent, _): return nil
    case (.counting(2, _), .transport):
      state = .idle
      return .previous
    case (.counting(let count, _), .transport):
      state = .counting(count + 1, now)
      return nil
    case (_, .transport):
      state = .counting(1, now)
      return nil
    case (_, .ringing):
      state = reportsReleases ? .held(now) : .spent(now + Self.pause)
      return reportsReleases ? nil : .answer
    case (_, .talking):
      state = .spent(now + Self.pause)
      return .hangUp
    }
  }
}
