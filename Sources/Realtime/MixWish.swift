/// What the control side wants to be heard. It is the whole wish, not a step: the newest one wins,
/// and the device's thread makes the timeline follow the difference to the last one it took. So a
/// flood of commands costs no more than its last.
public struct MixWish: BitwiseCopyable, Sendable {
  /// Counts the jumps to another source or place: a change means that `slot` begins at
  /// `sourceFrame`.
  public var jump: Int = 0
  public var slot: Int = 0
  public var sourceFrame: Int64 = 0
  /// When not negative, the source goes on where the old one is: this frame of the old one is its
  /// first. Nobody hears the change.
  public var follows: Int64 = -1
  /// When not negative, `sourceFrame` belongs at this frame of the output, heard or not: the jump
  /// begins as much later in the source as it comes later.
  public var anchor: Int64 = -1
  /// False where the source begins with its own beginning, which needs no fade.
  public var fadesIn = false
  /// True to hold the source at its frame: nothing sounds and nothing is lost.
  public var isHeld = false
  /// sotto's own level, a factor.
  public var level: Float = 1
  /// The frames within which it is reached; -1 is a fade's length.
  public var levelRamp: Int64 = -1
  /// The level of the music under other sound, a factor, and the frames within which it is reached;
  /// -1 is a fade's length.
  public var music: Float = 1
  public var musicRamp: Int64 = -1
  /// The frames over which a hold falls to silence, and a release rises; -1 is a fade's length.
  public var holdFade: Int64 = -1
  public var releaseFade: Int64 = -1
  /// What sounds beside the music.
  public var layers = InlineArray<6, LayerWish>(repeating: LayerWish())
  /// Counts the wishes; the device's thread tells which one it has taken.
  public var serial: Int = 0

  @_noAllocation @_noLocks
  public init() {}
}
