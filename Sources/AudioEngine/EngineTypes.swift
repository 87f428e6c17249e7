import AudioTypes
import Decoding
import OutputInterface

/// What the engine asks for tracks: position in the list -> track. Called on the decoder's thread.
public protocol Succession: Sendable {
  /// The track at an index, `nil` past the end of the list.
  func track(at index: Int) -> TrackLocation?
  /// The index after this one, `nil` when nothing follows (asked early, to join without a gap).
  func index(after index: Int) -> Int?
  /// Whether more tracks may come behind the last one, as while folders are still looked through. Who
  /// makes it so tells the engine when there are (`successionGrew`).
  var isGrowing: Bool { get }
  /// Where a track begins that nobody asks to begin elsewhere, in seconds: a long one goes on where it
  /// was left.
  func beginning(of index: Int) -> Double
}

extension Succession {
  public var isGrowing: Bool { false }
  public func beginning(of index: Int) -> Double { 0 }
}

/// What the engine is doing, for screens and remotes.
public enum EngineState: Sendable, Equatable {
  /// Nothing is loaded, or the last track has ended.
  case idle
  /// A track was asked for and its first frame is on its way.
  case starting
  case playing
  /// Held at its frame: nothing sounds, nothing is lost.
  case held
  /// The output is gone; the position stands where it was last heard. `recover` opens another.
  case lost
}

/// A picture of the engine at one moment.
public struct EngineSnapshot: Sendable {
  public var state: EngineState
  /// The track that is heard, an index of the succession.
  public var index: Int?
  /// Seconds heard of that track, and its length where it is known.
  public var position: Double
  public var duration: Double?
  public var info: TrackInfo?
  /// What its loudness tags make of it; 1 without any, or when they are not applied.
  public var loudnessGain = Gain.unity
  /// sotto's own level (not the device's volume).
  public var level: Gain
  public var device: String?
  /// The card that it plays on, where no server is between.
  public var hardware: HardwarePlace?
  public var deviceVolume: DeviceVolume?
  public var underruns: Int
  /// Frames a second of the output.
  public var outputRate: Int?
}

/// What the engine tells its owner, on the main queue.
public enum EngineEvent: Sendable {
  /// The heard track changed (also at the first).
  case track(index: Int, info: TrackInfo)
  /// A seek took effect: the position in the heard track is now this, in seconds.
  case seeked(position: Double)
  /// A track could not be opened or ended in damage; the engine goes on with the next.
  case failed(index: Int, location: TrackLocation, error: DecodingError)
  /// The state changed.
  case state(EngineState)
  /// Everything has been heard.
  case ended
  /// The device's volume or mute changed, here or elsewhere.
  case volume(DeviceVolume?)
  /// The volume that the server keeps for events, after it was asked to change; `nil` when it keeps
  /// none.
  case ringer(DeviceVolume?)
  /// The output is gone. Commands are remembered until `recover`.
  case lost(OutputError)
  /// The stream came to another device or port, or a new stream took its place.
  case device
  /// The sound server wants the music's stream to be silent, or no longer.
  case silenceWanted(Bool)
  /// The sound server does not answer although sound was to run, or answers again.
  case stalled(Bool)
}
