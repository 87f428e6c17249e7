/// One line of a playlist: a path or URL as written there, and what the playlist says of it.
public struct PlaylistEntry: Equatable, Sendable {
  /// Byte for byte as written (percent escapes of a file URL undone), relative or absolute.
  public var path: [UInt8]
  public var title: String?
  public var artist: String?
  /// Seconds; `nil` where the playlist does not know.
  public var duration: Double?
  /// The part of the file that is meant, in seconds; the whole of it where nothing is said.
  public var start = 0.0
  public var end: Double?
  /// The encoding of the playlist.
  var charset = Charset.unknown

  public init(
    path: [UInt8], title: String? = nil, artist: String? = nil, duration: Double? = nil
  ) {
    self.path = path
    self.title = title
    self.artist = artist
    self.duration = duration
  }

  /// Takes a part where it is one: what is no time, or ends before it begins, says nothing.
  mutating func take(start: Double?, end: Double?) {
    if let start, start.isFinite, start > 0 { self.start = start }
    if let end, end.isFinite, end > self.start { self.end = end }
  }

  /// Whether only a part of the file is meant.
  public var isPart: Bool { start > 0 || end != nil }
}

/// The kinds of playlist that are read.
public enum PlaylistKind: Sendable, Equatable {
  case m3u, pls, xspf, cue
}

/// How much of a playlist is read: a hostile one costs no more than this.
public enum PlaylistLimits {
  /// Bytes of a file: a larger one is refused, to be read and to be written.
  public static let bytes = 64 << 20
  /// Entries of a list: of a longer one the first ones are played, and it is not edited.
  public static let entries = 250_000
  /// Lines of an M3U, comments and directives too.
  static let lines = 2_000_000
  /// Bytes of a path or an address: a longer one leads nowhere.
  static let path = 4096
  static let address = 8192
  /// Bytes of a line that says something: a path with every byte escaped is shorter.
  static let line = 32 << 10

  /// Whether a path or an address is short enough to lead anywhere.
  static func mayLead(_ place: [UInt8]) -> Bool {
    place.count <= path || (place.count <= address && FileURL.scheme(place) != nil)
  }

  /// Tracks of one CUE sheet; a CD has 99.
  public static let sheetTracks = 1000
  /// Playlists within playlists.
  public static let depth = 16
}

/// What is wrong with an argument or an entry, in a sentence without the path.
public struct LibraryFault: Error, Equatable, Sendable {
  public var path: [UInt8]
  public var sentence: String

  public init(path: [UInt8], sentence: String) {
    self.path = path
    self.sentence = sentence
  }
}
