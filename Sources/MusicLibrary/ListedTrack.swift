import AudioTypes

/// A track that an argument, folder or playlist led to. Nothing of it has been opened; what is
/// known comes from the playlist or CUE sheet and is `nil` otherwise.
public struct ListedTrack: Equatable, Sendable {
  public var location: TrackLocation
  public var title: String?
  public var artist: String?
  public var album: String?
  /// The number within its CUE sheet.
  public var number: Int?
  /// Seconds, as the playlist says.
  public var duration: Double?
  public var loudness = LoudnessTags()
  /// As its CUE sheet says.
  public var date: String?
  public var genre: String?

  public init(
    _ location: TrackLocation, title: String? = nil, artist: String? = nil, album: String? = nil,
    number: Int? = nil, duration: Double? = nil
  ) {
    self.location = location
    self.title = title
    self.artist = artist
    self.album = album
    self.number = number
    self.duration = duration
  }
}

extension CueSheet {
  /// The tracks of the sheet as places in real files. `path` turns a name of the sheet into the
  /// path of a file; tracks whose file has none are left out.
  public func listed(path: ([UInt8]) -> [UInt8]?) -> [ListedTrack] {
    var known: [[UInt8]: [UInt8]?] = [:]
    return tracks.compactMap { track in
      let real = known[track.file] ?? path(track.file)
      known[track.file] = real
      guard let real else { return nil }
      let location = TrackLocation(
        path: real, start: CueSheet.seconds(track.start), end: track.end.map(CueSheet.seconds))
      var listed = ListedTrack(
        location, title: track.title, artist: track.performer, album: title,
        number: track.number)
      listed.duration = track.end.map { CueSheet.seconds($0 - track.start) }
      listed.loudness = track.loudness
      listed.date = date
      listed.genre = genre
      return listed
    }
  }
}
