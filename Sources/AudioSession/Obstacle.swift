/// What keeps the music from being heard, for people.
public enum Obstacle: Hashable, Sendable, Codable {
  /// Something stands in the way; who it is, where that is known.
  case blocker(BlockerKind, source: String)
  /// The pause after a prompt over spoken content.
  case prompt
  /// The category plays nothing while it holds: the user records.
  case category
  case silentMode, lock, background

  /// Short: `a call in Firefox`.
  public var phrase: String {
    switch self {
    case .blocker(let kind, let source): Self.phrase(kind, SessionText.name(source))
    case .prompt: "a prompt"
    case .category: "recording"
    case .silentMode: "silent mode"
    case .lock: "the locked screen"
    case .background: "being in the background"
    }
  }

  private static func phrase(_ kind: BlockerKind, _ name: String) -> String {
    let isNamed = !name.isEmpty
    return switch kind {
    case .call: isNamed ? "a call in \(name)" : "a call"
    case .solo: isNamed ? "a sound of \(name)" : "an alarm or a prompt"
    case .duck: isNamed ? "a prompt of \(name)" : "a prompt"
    case .primary: isNamed ? "\(name), which is playing" : "another player"
    case .serverCork: "a request of the sound server"
    case .routePending: isNamed ? "\(name), which is reconnecting" : "a device that is reconnecting"
    case .noRoute: "the lack of a device to play on"
    case .sleep: "the sleep of the computer"
    case .stopped: "the terminal, which stopped the program"
    case .serverLost: "the loss of the sound server"
    }
  }
}

extension SessionState {
  /// The first thing that keeps the music from being heard: a call before all others.
  public var obstacle: Obstacle? {
    let live = blockers.filter { suppresses($0) }
    if let first = live.first(where: { $0.kind == .call }) ?? live.first {
      return .blocker(first.kind, source: first.source)
    }
    if soloHoldUntil != nil { return .prompt }
    return switch silencer {
    case .category: .category
    case .silentMode: .silentMode
    case .lock: .lock
    case .background: .background
    case nil: route == nil ? .blocker(.noRoute, source: "") : nil
    }
  }
}
