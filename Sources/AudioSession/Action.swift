import AudioTypes

/// What the shell is to do. In the order in which it stands: to be silent comes first.
public enum Action: Hashable, Sendable, Codable {
  /// Hold the music; the position stands still. The fade ends in silence.
  case cork(fade: SessionTime)
  /// Let the music go on from where it was held.
  case uncork
  /// Ramp the level of the music, in decibels, within that time.
  case setGain(decibels: Double, ramp: SessionTime)
  /// Go to that place: a track's index, and where in it.
  case go(track: Int, position: SessionTime)
  /// Lift the mute that the server put on our own stream, once, for the user asked for it (T4).
  case unmuteStream
  /// MPRIS Pause, and MPRIS Play, to another player.
  case pausePeer(id: String)
  case playPeer(id: String)
  /// Lower these while we speak, where the server has a policy for it; and the end of that (S33).
  case lowerOthers(ids: [String])
  case restoreOthers(ids: [String])
  case changeDeviceVolume(VolumeDirection)
  /// The volume of event sounds: the ringer (S12).
  case changeEventVolume(VolumeDirection)
  case playEffect
  case acceptRemote
  case releaseRemote
  case publish(PlaybackStatus)
  /// Keep the machine from sleeping, or no longer (S40).
  case keepAwake(Bool)
}
