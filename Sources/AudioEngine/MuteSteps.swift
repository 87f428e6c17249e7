/// The order of a mute that does not click: the sound falls to silence, then the device is muted;
/// the device is unmuted, then the sound rises. Others mute and unmute the device too: whenever it
/// says that it is not muted and nothing is on its way, there is sound.
///
/// A value without a clock; whoever owns it does what it answers and tells it what came of it.
struct MuteSteps: Equatable {
  enum State: Equatable {
    /// sotto is as loud as its level says. The device may have been muted by others.
    case open
    /// The sound falls to silence; then the device is told.
    case falling(muted: Bool)
    /// Silent. The device was told and has not answered.
    case told(muted: Bool)
    /// Silent, and the device is muted.
    case muted
  }

  enum Action: Equatable {
    case none
    /// Let the sound fall to silence and say when it is heard.
    case fall
    /// Tell the device, and say what it answers.
    case tell(muted: Bool)
    /// Let the sound rise to sotto's level.
    case rise
  }

  private(set) var state = State.open

  /// True while sotto's own level is held at silence.
  var isSilenced: Bool { state != .open }

  var isFalling: Bool { if case .falling = state { true } else { false } }

  /// What the user has last asked for, where the device has not said so yet.
  var wanted: Bool? {
    switch state {
    case .falling(let muted), .told(let muted): muted
    case .open, .muted: nil
    }
  }

  /// The user's wish.
  mutating func wish(_ muted: Bool, deviceIsMuted: Bool) -> Action {
    switch state {
    case .open:
      if muted == deviceIsMuted { return .none }
      // Muted by others, what is queued is still loud: it would be heard before the rise begins.
      state = .falling(muted: muted)
      return .fall
    case .falling(let towards):
      if muted == towards { return .none }
      state = muted ? .muted : .open
      return muted ? .none : .rise
    case .told(let last) where last == muted: return .none
    case .told, .muted:
      if state == .muted && muted { return .none }
      state = .told(muted: muted)
      return .tell(muted: muted)
    }
  }

  /// The end of the fall has been heard, or the device is too long about it.
  mutating func silenceHeard() -> Action {
    guard case .falling(let muted) = state else { return .none }
    state = .told(muted: muted)
    return .tell(muted: muted)
  }

  /// The device says whether it is muted, whoever did that.
  mutating func deviceReported(_ isMuted: Bool) -> Action {
    switch state {
    case .told(muted: true) where isMuted: state = .muted
    case .told(muted: false) where !isMuted, .falling(muted: false) where !isMuted,
      .muted where !isMuted:
      state = .open
      return .rise
    // What it says against what it was told is from before.
    case .open, .falling, .told, .muted: break
    }
    return .none
  }

  /// The device has not answered for so long that what it is counts.
  mutating func deviceUnanswered(_ isMuted: Bool) -> Action {
    guard case .told = state else { return .none }
    state = isMuted ? .muted : .open
    return isMuted ? .none : .rise
  }
}
