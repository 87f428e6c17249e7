import AudioSession
import PlayerState

/// One press can reach us twice: from the button itself, and from a desktop that heard it too. The
/// same act from another side within 150 ms is no second one. Pure.
public struct Echo: Sendable {
  private enum Act: Hashable, Sendable { case transport, stop, next, previous }

  private var last: [Act: (source: CommandSource, at: SessionTime)] = [:]

  /// How long the same act from another side is the same press.
  public static let seconds = 0.15

  public init() {}

  /// False for what was carried out already when it came from elsewhere.
  public mutating func admits(
    _ command: PlayerCommand, from source: CommandSource, at now: SessionTime
  )
    -> Bool
  {
    guard Self.sources.contains(source), let act = Self.act(command) else { return true }
    if let last = last[act], last.source != source, (now - last.at).seconds <= Self.seconds {
      return false
    }
    last[act] = (source, now)
    return true
  }

  /// The sides from which one press can come. The rest is always meant.
  private static let sources: Set<CommandSource> = [.mpris, .avrcp, .headset]

  /// Play, pause and toggle are one button: which of them a desktop makes of it is its own affair.
  private static func act(_ command: PlayerCommand) -> Act? {
    switch command {
    case .play, .pause, .toggle: .transport
    case .stop: .stop
    case .next: .next
    case .previous: .previous
    default: nil
    }
  }
}
