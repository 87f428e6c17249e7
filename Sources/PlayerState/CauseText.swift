import AudioSession
import AudioTypes

/// What stands in the way, in words: one line of the session strip.
public struct CauseText: Equatable, Sendable {
  /// Who it is; what kind it is where that is not known.
  public var name: String
  /// "call", "prompt"; empty when the name says it already.
  public var kind: String
  public var age: Double
  /// "resumes after", "plays on quietly": what it means for the music.
  public var consequence: String

  public init(_ blocker: Blocker, in snapshot: PlayerSnapshot, at now: SessionTime) {
    let source = Text.printable(String(blocker.source.prefix(80)))
    let isWake = blocker.kind == .solo && snapshot.alarm?.isRinging == true
    let word = isWake ? "alarm" : Self.word(blocker.kind)
    name = source.isEmpty ? word.prefix(1).uppercased() + word.dropFirst() : source
    kind = source.isEmpty || word == source.lowercased() ? "" : word
    age = max(0, (now - blocker.began).seconds)
    consequence = isWake ? "any key ends it" : Self.consequence(blocker, snapshot.situation)
  }

  static func word(_ kind: BlockerKind) -> String {
    switch kind {
    case .call: "call"
    case .solo: "alarm or assistant"
    case .duck: "prompt"
    case .primary: "other player"
    case .serverCork: "sound server"
    case .routePending: "reconnecting"
    case .noRoute: "no device"
    case .sleep: "sleep"
    case .stopped: "terminal stopped"
    case .serverLost: "sound server lost"
    }
  }

  private static func consequence(_ blocker: Blocker, _ situation: Situation) -> String {
    if blocker.isOverridden { return "set aside" }
    switch situation.intent {
    case .stopped: return "stopped"
    case .paused(.primary) where blocker.kind == .primary: return "paused, press play to go on"
    case .paused: return "stays paused"
    case .playing: break
    }
    switch blocker.kind {
    case .duck: return situation.isAudible ? "plays on quietly" : "quiet when it resumes"
    case .primary: return situation.isAudible ? "plays beside it" : "press play to go on"
    case .noRoute: return "waits for a device"
    case .routePending: return "resumes when it is back"
    default: return situation.isAudible ? "plays beside it" : "resumes after"
    }
  }

  /// The same for less and less room: without what it means, then without who it is.
  public func lines(dash: String = "—") -> [String] {
    let age = Self.age(age)
    let short = kind.isEmpty ? [name, age] : [name, kind, age]
    return [
      line(dash: dash), short.joined(separator: ", "), "\(kind.isEmpty ? name : kind), \(age)",
    ]
  }

  /// "Firefox, call, 02:13 — resumes after".
  public func line(dash: String = "—") -> String {
    ([name] + (kind.isEmpty ? [] : [kind]) + [Self.age(age)]).joined(separator: ", ")
      + " \(dash) \(consequence)"
  }

  /// "02:13", "1:02:13": an age has two digits of minutes, so that the line stays in place.
  public static func age(_ seconds: Double) -> String {
    let clock = TrackText.clock(seconds)
    return clock.count < 5 ? "0" + clock : clock
  }

  public var spoken: String {
    let who = kind.isEmpty ? name : "\(name), \(kind)"
    return "\(who), for \(TrackText.spoken(age)), \(consequence)"
  }
}
