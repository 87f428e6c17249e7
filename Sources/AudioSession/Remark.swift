import AudioTypes

/// What there is to say about a step, as data; its sentences are made when someone reads them.
public enum Remark: Hashable, Sendable, Codable {
  case playing
  case playingQuietly(source: String)
  /// Heard again after that was over.
  case resumed
  case quieter(source: String)
  case backToFullLevel
  case held(Obstacle, willResume: Bool)
  case willStart(Obstacle?)
  case alreadyPlaying
  case stillPaused
  case paused(PauseCause, source: String)
  case deviceGone(Route?)
  /// The server came back on a device that more people hear than this one.
  case cameBackElsewhere(String)
  case otherDeviceNow
  case stopped
  case queueEnded
  case stoppedAfterTrack
  case track(number: Int, of: Int, title: String)
  case soughtTo(SessionTime)
  case loaded(Int)
  case routeChanged(String)
  case noDevice
  case ringerVolume
  case noRingerVolume(String)
  case volumeOnDevice(String)
  case noDeviceVolume
  case effectLeftOut(Obstacle)
  case ignored(String)
  case gaveWay
  case unknownKind
  case refused(SessionError)

  /// What follows from the difference alone.
  static func difference(_ before: Situation, _ after: Situation, _ state: SessionState)
    -> Remark?
  {
    if before.display == after.display, before.intent == after.intent,
      before.willResume == after.willResume
    {
      return nil
    }
    switch after.display {
    case .stopped: return before.display == .stopped ? nil : .stopped
    case .playing:
      switch before.display {
      case .ducked: return .backToFullLevel
      case .interrupted: return .resumed
      case .stopped, .paused, .playing: return .playing
      }
    case .ducked:
      let source = state.blockers.last { $0.kind == .duck }?.source ?? ""
      return before.display == .playing ? .quieter(source: source) : .playingQuietly(source: source)
    case .interrupted:
      guard let obstacle = state.obstacle else { return nil }
      return .held(obstacle, willResume: after.willResume)
    case .paused:
      guard let cause = after.intent.cause, before.intent != after.intent else { return nil }
      let source = cause == .primary ? state.blockers.last { $0.kind == .primary }?.source : nil
      return .paused(cause, source: source ?? "")
    }
  }

  /// For people, without its full stop.
  public var sentence: String { SessionText.sentence(self) }

  /// For a screen reader: whole sentences, no signs.
  public var spoken: String { SessionText.spoken(self) }
}

extension SessionState {
  /// The state in words, for whoever asks: every state has some (S72).
  public var remark: Remark {
    switch situation.display {
    case .stopped: .stopped
    case .playing: .playing
    case .ducked:
      .playingQuietly(source: blockers.last { $0.kind == .duck }?.source ?? "")
    case .interrupted: .held(obstacle ?? .category, willResume: situation.willResume)
    case .paused: .paused(intent.cause ?? .user, source: "")
    }
  }
}
