import AudioTypes

/// What can stand in the way of playing.
public enum BlockerKind: String, Hashable, Sendable, Codable, CaseIterable {
  case call
  /// An alarm, an assistant; a prompt over spoken content.
  case solo
  /// A prompt, a message tone: music steps under it.
  case duck
  /// Another player.
  case primary
  /// The sound server asked us to be silent.
  case serverCork
  /// A Bluetooth device is changing its profile and may come back.
  case routePending
  case noRoute
  case sleep
  /// The program itself was stopped from the terminal.
  case stopped
  case serverLost

  /// Whether play by the user sets it aside. A call it does not: that takes `force` (S28).
  public var isOverridable: Bool {
    switch self {
    case .solo, .primary, .serverCork, .stopped: true
    case .call, .duck, .routePending, .noRoute, .sleep, .serverLost: false
    }
  }

  /// What an end without a hint means; `nil` when this kind's end carries no hint at all.
  public var defaultHint: Bool? {
    switch self {
    case .call, .solo, .serverCork, .stopped: true
    case .duck, .primary, .routePending, .noRoute, .sleep, .serverLost: nil
    }
  }
}

/// One thing that stands in the way of playing.
public struct Blocker: Hashable, Sendable, Codable {
  /// Stable for each cause: `sinkinput:7`, `call:firefox`, `mpris::1.42`, `bt:00:11:…`, `logind`.
  public internal(set) var id: String
  public internal(set) var kind: BlockerKind
  /// Who it is, for people; empty when that is not known. As it came: not safe to print raw.
  public internal(set) var source: String
  /// The program behind it, where that is known; groups what one program does.
  public internal(set) var client: String?
  public internal(set) var began: SessionTime
  /// The user has set it aside; it can no longer suppress.
  public internal(set) var isOverridden = false
  /// The user has asked to play since it began: its end needs no hint.
  public internal(set) var userPlayedSince = false
  /// A prompt over spoken content: its end is kept a moment, as that of a duck is.
  var isHeldAtEnd = false
  /// The route when it began. After `stopped` it must be the same to resume, after `serverLost` it
  /// must not be more public.
  var routeAtBegin: Route?
}
