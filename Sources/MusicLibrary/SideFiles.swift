/// Files that belong to a file of music and lie beside it.
public enum SideFiles {
  private static let largestPicture = 32 << 20
  private static let pictureNames = ["cover", "folder", "front", "albumart", "album"]
  private static let pictureKinds = ["jpg", "jpeg", "png", "webp", "gif", "bmp"]

  /// The bytes of the picture that the folder of a file has for its music.
  public static func cover(beside path: [UInt8]) -> [UInt8]? {
    let folder = folder(of: path)
    guard let entries = try? FileProbe.list(folder) else { return nil }
    func rank(_ name: [UInt8]) -> Int? {
      guard pictureKinds.contains(Paths.suffix(name)) else { return nil }
      let stem = String(decoding: LegacyText.lower(Paths.stem(name)), as: UTF8.self)
      return pictureNames.firstIndex(of: stem)
    }
    let found = entries.filter { $0.kind == .file }
      .compactMap { entry in rank(entry.name).map { (rank: $0, name: entry.name) } }
      .min { $0.rank < $1.rank }
    guard let found else { return nil }
    let picture = Paths.join(folder, found.name)
    guard case .file(let size) = FileProbe.kind(picture), size > 0, size <= Int64(largestPicture)
    else { return nil }
    return FileProbe.bytes(picture, from: 0, atMost: largestPicture)
  }

  /// True for the name of a folder's cover.
  static func isCover(_ name: [UInt8]) -> Bool {
    guard let point = name.lastIndex(of: 0x2E), point > 0, point <= 8,
      pictureKinds.contains(Paths.suffix(name))
    else { return false }
    return pictureNames.contains(
      String(decoding: LegacyText.lower(name[..<point]), as: UTF8.self))
  }

  /// The bytes of the LRC file of the same name.
  public static func lyrics(beside path: [UInt8]) -> [UInt8]? {
    let base = Paths.join(Paths.folder(path), Paths.stem(path))
    for suffix in [".lrc", ".LRC"] {
      let file = base + Array(suffix.utf8)
      guard case .file = FileProbe.kind(file) else { continue }
      return FileProbe.bytes(file, from: 0, atMost: Lyrics.longestText)
    }
    return nil
  }

  private static func folder(of path: [UInt8]) -> [UInt8] {
    let folder = Paths.folder(path)
    return folder.isEmpty ? [UInt8(ascii: ".")] : folder
  }
}
