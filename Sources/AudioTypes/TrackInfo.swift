/// What is known of a file or a track without playing it. Unknown is `nil`; texts are as tagged,
/// not yet made safe for a terminal (Text.printable does that where they are shown).
public struct TrackInfo: Equatable, Sendable {
  /// What an encoder added to the music. It is not played, and `frames` does not count it.
  public struct Gapless: Equatable, Sendable {
    /// Frames before the music, at the track's own rate.
    public var delay: Int64
    /// Frames after it.
    public var padding: Int64
    /// A delay and a padding in frames, neither below 0.
    public init(delay: Int64, padding: Int64) {
      self.delay = delay
      self.padding = padding
    }
  }

  /// A picture in the file, without its bytes.
  public struct Picture: Equatable, Sendable {
    /// MIME type, as "image/jpeg".
    public var type: String
    public var bytes: Int
    public init(type: String, bytes: Int) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// Where a part begins, and what it is called.
  public struct Chapter: Equatable, Sendable {
    /// Seconds from the beginning of the file.
    public var start: Double
    public var title: String?
    public init(start: Double, title: String?) {
      self.start = start
      self.title = title
    }
  }

  public var container: String?
  public var codec: String?
  public var format: AudioFormat
  /// Bits of one sample for codecs that have it (PCM and lossless).
  public var bitDepth: Int?
  /// Bits a second.
  public var bitRate: Int?
  /// Frames that sound, after delay and padding are taken off.
  public var frames: Int64?
  public var gapless: Gapless?
  public var loudness = LoudnessTags()
  public var picture: Picture?
  public var chapters: [Chapter] = []
  /// Tags with lower-case names ("title", "album_artist", "track" …) in the file's order.
  public var tags: [(name: String, value: String)] = []
  /// The text of an embedded CUE sheet.
  public var cueSheet: String? { tag("cuesheet") }

  public init(format: AudioFormat) { self.format = format }

  /// Seconds, from the number of frames.
  public var duration: Double? { frames.map { format.seconds(atFrame: $0) } }

  /// The first tag of that name (lower case).
  public func tag(_ name: String) -> String? { tags.first { $0.name == name }?.value }

  public static func == (left: TrackInfo, right: TrackInfo) -> Bool {
    left.container == right.container && left.codec == right.codec && left.format == right.format
      && left.bitDepth == right.bitDepth && left.bitRate == right.bitRate
      && left.frames == right.frames && left.gapless == right.gapless
      && left.loudness == right.loudness && left.picture == right.picture
      && left.chapters == right.chapters
      && left.tags.elementsEqual(right.tags) { $0 == $1 }
  }
}
