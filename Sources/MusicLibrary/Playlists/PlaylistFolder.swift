/// The folder of the user's playlists and saved searches, and how these are called.
public struct PlaylistFolder: Sendable {
  /// From the root on.
  public var path: [UInt8]

  public init(_ path: [UInt8]) { self.path = path }

  /// Before a name among paths: `playlist:NAME`.
  static let prefix = Array("playlist:".utf8)

  /// The file that a name means, with its ending or without: a list before a search of that name.
  /// Blocks for a few looks into the folder.
  ///
  /// - Returns: the path; that of an M3U8 to be made where there is nothing of that name.
  public func file(_ name: [UInt8]) throws(LibraryFault) -> [UInt8] {
    guard let first = name.first, first != UInt8(ascii: "."), !name.contains(0) else {
      throw LibraryFault(
        path: name, sentence: "a playlist's name is not empty and does not begin with a point")
    }
    let whole = Paths.join(path, name)
    if PlaylistFormat(of: name) != nil || SavedSearch.isOne(name) { return whole }
    for ending in PlaylistFormat.allCases.map(\.rawValue) + [SavedSearch.suffix] {
      let file = whole + Array(".\(ending)".utf8)
      if FileProbe.kind(file) != .missing { return file }
    }
    return whole + Array(".m3u8".utf8)
  }

  /// What `playlist:NAME` means; a name with a slash is a path.
  func file(ofWord word: [UInt8]) throws(LibraryFault) -> [UInt8] {
    let name = Array(word.dropFirst(Self.prefix.count))
    let file = name.contains(0x2F) ? name : try self.file(name)
    guard FileProbe.kind(file) != .missing else {
      throw LibraryFault(path: name, sentence: "no such playlist")
    }
    return file
  }
}
