/// Where a track is: a file or URL, and which part of it (a CUE sheet's or chapter's track).
public struct TrackLocation: Equatable, Hashable, Sendable {
  /// A path as the user or a playlist gave it, byte for byte (a file name need not be UTF-8), or
  /// an http(s) URL.
  public var path: [UInt8]
  /// Where the track begins in the file, in seconds.
  public var start: Double
  /// Where it ends, in seconds; `nil` is the end of the file.
  public var end: Double?

  public init(path: [UInt8], start: Double = 0, end: Double? = nil) {
    self.path = path
    self.start = start
    self.end = end
  }

  public init(_ path: String) { self.init(path: Array(path.utf8)) }

  /// True for an http or https URL.
  public var isURL: Bool {
    let head = path.prefix(8).map { $0 | 0x20 }
    return head.starts(with: Array("http://".utf8)) || head.starts(with: Array("https://".utf8))
  }

  /// The path for people: control and escape characters and bytes that are not UTF-8 replaced.
  public var display: String { Text.printable(path) }
}
