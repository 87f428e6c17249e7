import AudioTypes

/// What the collection keeps of one track: what its file says of itself, or its part of the file
/// (a CUE sheet's or chapter's track). Unknown is nil, or empty; texts are as tagged, not yet made
/// safe for a terminal.
public struct TrackRecord: Equatable, Sendable {
  /// Where it begins and ends in the file, in seconds; the whole file is 0 and nil.
  public var start = 0.0
  public var end: Double?

  public var title: String?
  public var artists: [String] = []
  public var albumArtists: [String] = []
  public var album: String?
  public var track: Int?
  public var trackTotal: Int?
  public var disc: Int?
  public var discTotal: Int?
  /// As tagged: "1997", "1997-05-21".
  public var date: String?
  public var originalDate: String?
  public var genres: [String] = []
  public var composers: [String] = []
  public var comment: String?
  /// Tagged as one of an album of various artists.
  public var isCompilation = false
  /// 0 to 1, as tagged.
  public var rating: Double?

  /// Seconds.
  public var duration: Double?
  public var container: String?
  public var codec: String?
  /// Frames a second.
  public var sampleRate: Int?
  public var channels: Int?
  /// Of one sample; nil for lossy codecs.
  public var bitDepth: Int?
  /// Bits a second.
  public var bitRate: Int?
  public var loudness = LoudnessTags()
  public var hasLyrics = false
  /// A picture is in the file.
  public var hasPicture = false
  /// A cover lies beside it.
  public var hasPictureBeside = false
  /// MusicBrainz' names, with settled keys: "recording", "release", "releasegroup", "artist",
  /// "albumartist", "track", "work".
  public var musicBrainz: [String: String] = [:]

  public init() {}

  /// The year of the original release where it is tagged, otherwise of this one.
  public var year: Int? {
    [originalDate, date].lazy.compactMap { text -> Int? in
      guard let text else { return nil }
      let digits = text.drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isASCII && $0.isNumber }
      guard digits.count == 4 || digits.count == 8 else { return nil }
      return Int(digits.prefix(4))
    }.first
  }
}
