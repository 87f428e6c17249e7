/// What a stream of another program means, from what the server shows of it.
public struct Classifier: Sendable {
  public var applications: KnownApplications

  public init(applications: KnownApplications = .builtIn) {
    self.applications = applications
  }

  /// What a stream stands for by itself; `nil` when it is none of our business. First match wins.
  /// A capture says nothing alone: it may be a memo or a wake word.
  public func kind(of stream: StreamObservation) -> BlockerKind? {
    if Self.isLeftOut(stream) || stream.isCorked || stream.isMuted { return nil }
    let role = Role(stream.role)
    if role == .phone {
      // Some are tagged as a call for as long as they run: those must be seen to play and record.
      return applications.has(.alwaysPhone, stream.application, stream.binary) ? nil : .call
    }
    guard stream.direction == .playback, stream.isAudible else { return nil }
    switch role {
    case .alert, .assistant: return .solo
    case .speech, .event, .navigation: return .duck
    case .main: return .primary
    case .phone, .other: return nil
    case .none:
      return applications.has(.speech, stream.application, stream.binary) ? .duck : nil
    }
  }

  /// Whether a stream can be one half of a call: a microphone, or what is heard of the others. Not
  /// corked is enough, a call may be silent. What is tagged as a call already counts by itself.
  public func isHalfOfCall(_ stream: StreamObservation) -> Bool {
    !Self.isLeftOut(stream) && !stream.isCorked
      && (Role(stream.role) != .phone
        || applications.has(.alwaysPhone, stream.application, stream.binary))
  }

  /// Whether a player on MPRIS is one: not a stand-in for others, nor another machine's.
  public func isPlayer(_ peer: PeerObservation) -> Bool {
    !applications.has(.notAPlayer, PeerName.application(peer.name))
  }

  /// Our own, meters and screen recorders (T16), and what only passes sound on.
  static func isLeftOut(_ stream: StreamObservation) -> Bool {
    stream.isOwn || stream.isMonitor || Role.passesOn(stream.role)
  }

  /// Media roles, of PulseAudio and of PipeWire.
  enum Role: Hashable {
    case none, phone, alert, assistant, speech, event, navigation, main, other

    init(_ name: String) {
      self =
        switch name.lowercased() {
        case "": .none
        case "phone", "communication": .phone
        case "alert", "emergency", "alarm": .alert
        case "a11y", "accessibility": .speech
        case "event", "notification": .event
        case "navigation", "gps": .navigation
        case "assistant": .assistant
        case "music", "video", "movie": .main
        default: .other
        }
    }

    static func passesOn(_ name: String) -> Bool {
      switch name.lowercased() {
      case "filter", "abstract", "production", "test", "dsp", "loopback": true
      default: false
      }
    }
  }
}
