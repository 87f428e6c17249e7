import AudioSession
import PlayerState

/// What a remote reaches: the player, as the keys reach it.
@MainActor public protocol RemotePlayer: AnyObject {
  /// The player at this moment; nil before there is one.
  var snapshot: PlayerSnapshot? { get }
  /// Seconds heard of the track at this moment: the snapshot's own, without all the rest.
  var position: Double { get }
  /// The session's time.
  var now: SessionTime { get }
  /// A picture of the heard track as a URL.
  var artURL: String? { get }
  /// The user's playlists, as far as they are known.
  var playlists: [RemotePlaylist] { get }

  func perform(_ command: PlayerCommand, from source: CommandSource)
  /// Puts what is at a path or URL into the queue, before that row (nil: next), and plays it where
  /// that is wanted. What cannot be played is told to the user, stays out of the queue, and is the
  /// answer: a sentence, `nil` when all is well.
  func open(
    _ path: [UInt8], at row: Int?, playsIt: Bool,
    _ answer: @escaping @MainActor (_ fault: String?) -> Void)
  /// Calls back once nothing is heard any more.
  func whenSilent(_ then: @escaping @MainActor () -> Void)
  /// Whether a sender on the bus is WirePlumber, which pauses players whose device went away (T10).
  func isWirePlumber(_ sender: String, _ answer: @escaping @MainActor (Bool) -> Void)
}

/// One of the user's playlists, as remotes show it.
public struct RemotePlaylist: Hashable, Sendable {
  public var path: [UInt8]
  public var name: String

  public init(path: [UInt8], name: String) {
    self.path = path
    self.name = name
  }
}
