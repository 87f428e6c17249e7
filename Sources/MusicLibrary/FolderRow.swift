import Glibc

/// What stands in a folder, for people who look through it: folders first, then playlists and what may
/// be audio, each in natural order. Hidden names are left out.
public struct FolderRow: Equatable, Sendable {
  /// What a name in a folder stands for; other things are left out.
  public enum Kind: Equatable, Sendable { case folder, playlist, audio }

  public var kind: Kind
  /// The name's bytes.
  public var name: [UInt8]

  public init(_ kind: Kind, name: [UInt8]) {
    self.kind = kind
    self.name = name
  }

  /// Reads a folder, by the names alone: a file without a known ending is left out. Blocks; throws
  /// the cause, an errno.
  public static func read(_ folder: [UInt8]) throws(FolderFault) -> [FolderRow] {
    let entries: [FolderEntry]
    do {
      entries = try FileProbe.list(folder)
    } catch {
      throw FolderFault(cause: error.cause)
    }
    let folders = entries.filter { $0.kind == .folder }.map { FolderRow(.folder, name: $0.name) }
    let files = entries.compactMap { entry -> FolderRow? in
      guard entry.kind == .file else { return nil }
      let suffix = Paths.suffix(entry.name)
      if Recognition.playlist(suffix: suffix) != nil || suffix == SavedSearch.suffix {
        return FolderRow(.playlist, name: entry.name)
      }
      return Recognition.audioSuffixes.contains(suffix) ? FolderRow(.audio, name: entry.name) : nil
    }
    return folders + files
  }
}

/// Why a folder cannot be read.
public struct FolderFault: Error, Equatable, Sendable {
  /// An errno.
  public var cause: Int32

  /// There is no such folder.
  public var isMissing: Bool { cause == ENOENT || cause == ENOTDIR }
}
