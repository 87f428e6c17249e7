/// Why playing was paused.
public enum PauseCause: String, Hashable, Sendable, Codable, CaseIterable {
  case user
  /// The device that was heard went away (S16).
  case noisy
  /// Another player took over (S55).
  case primary
  /// An interruption ended with the word not to resume (S61).
  case denied
  case sleep
  /// The time that the user had set is over.
  case timer
  /// No track could be played.
  case error
}

/// What the user wants. What stands in the way of it is kept apart, in the blockers.
public enum Intent: Hashable, Sendable, Codable {
  case stopped, playing
  case paused(PauseCause)

  public var isPaused: Bool { if case .paused = self { true } else { false } }

  public var cause: PauseCause? { if case .paused(let cause) = self { cause } else { nil } }
}

/// What the player looks like.
public enum Display: String, Hashable, Sendable, Codable, CaseIterable {
  case stopped, playing, ducked, interrupted, paused
}

/// MPRIS PlaybackStatus: Playing exactly when something is heard.
public enum PlaybackStatus: String, Hashable, Sendable, Codable, CaseIterable {
  case playing = "Playing"
  case paused = "Paused"
  case stopped = "Stopped"
}
