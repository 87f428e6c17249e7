import AudioTypes
import Database
import Glibc

/// What the index knows of tracks that others name by their paths, so that their files need not be
/// opened. Used by one thread at a time; blocks.
public final class KnownTracks {
  /// A track as it is called.
  public struct Track: Equatable, Sendable {
    public var title: String?
    public var artist: String?
    public var album: String?
    /// The first one.
    public var albumArtist: String?
    /// Seconds.
    public var duration: Double?
  }

  private let path: [UInt8]?
  private let folder: [UInt8]
  private var database: Database?
  private var identity: FileProbe.Identity?
  private var folders: [[UInt8]: Int64?] = [:]

  /// - Parameters:
  ///   - index: the path of the index, which need not be there.
  ///   - folder: where relative paths begin.
  public init(index: [UInt8]?, in folder: [UInt8]) {
    path = index
    self.folder = folder
  }

  /// Looks whether the index has come, or another one has taken its place. Before each of many.
  public func refresh() {
    folders = [:]
    guard let path, Database.isAvailable else { return }
    let now = FileProbe.look(path).identity
    if let database, now == identity, !database.isOutdated { return }
    (database, identity) = (nil, nil)
    guard now != nil, let opened = try? Database(path, .readOnly),
      (try? opened.integer("PRAGMA user_version")) == IndexSchema.version
    else { return }
    (database, identity) = (opened, now)
  }

  /// A track of a file that is as it was when it was read; `nil` of any other, and where the index
  /// cannot be read.
  public func track(at location: TrackLocation) -> Track? {
    guard let database, !location.isURL else { return nil }
    do throws(DatabaseError) {
      let path = Paths.absolute(location.path, in: folder)
      guard let number = try number(of: Paths.folder(path), database) else { return nil }
      var found: (track: Track, size: Int64, modified: Int64)?
      try database.rows(
        """
        SELECT size, modified, title, artist, album, album_artist, duration
        FROM file JOIN track ON track.file = file.id
        WHERE folder = ? AND name = ? AND start = ? AND end IS ? AND fault IS NULL
        """,
        [
          .integer(number), .bytes(Paths.name(path)), .real(location.start),
          location.end.map { .real($0) },
        ]
      ) { row in
        let artists = FoundRows.many(row.textOrNil(3))
        found = (
          Track(
            title: row.textOrNil(2),
            artist: artists.isEmpty ? nil : artists.joined(separator: ", "),
            album: row.textOrNil(4), albumArtist: FoundRows.many(row.textOrNil(5)).first,
            duration: row.realOrNil(6)), row.integer(0), row.integer(1)
        )
      }
      guard let found, let there = FileIdentity.at(path), there.size == found.size,
        there.modified == found.modified
      else { return nil }
      return found.track
    } catch {
      // It may be made anew.
      self.database = nil
      return nil
    }
  }

  private func number(
    of folder: [UInt8], _ database: Database
  ) throws(DatabaseError) -> Int64? {
    if let number = folders[folder] { return number }
    let number = try database.integer("SELECT id FROM folder WHERE path = ?", .bytes(folder))
    folders[folder] = .some(number)
    return number
  }
}
