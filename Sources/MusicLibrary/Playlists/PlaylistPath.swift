/// Paths for those who write playlists.
public enum PlaylistPath {
  /// A path from the root on, without empty pieces and points: `folder` is where a relative one
  /// begins. Two points stay: what they mean depends on links.
  public static func absolute(_ path: [UInt8], in folder: [UInt8]) -> [UInt8] {
    Paths.absolute(path, in: folder)
  }

  /// The folder that a path is in.
  public static func folder(_ path: [UInt8]) -> [UInt8] { Paths.folder(path) }

  /// What a list is called: its file's name without the ending.
  public static func title(_ path: [UInt8]) -> String { LegacyText.string(Paths.stem(path)) }

  /// Whether it is an address (`http://…`) and no path.
  public static func isAddress(_ path: [UInt8]) -> Bool {
    path.first != 0x2F && FileURL.scheme(path) != nil
  }

  /// A path as a `file:` URL, which keeps every byte; an address as it is.
  public static func url(_ path: [UInt8]) -> [UInt8] {
    path.first == 0x2F ? FileURL.url(path) : path
  }
}
