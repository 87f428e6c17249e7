import AudioTypes
import Tags

/// From a file's reading to the tracks of the collection: the file itself, or the parts that a CUE
/// sheet or chapters name.
enum TrackParts {
  /// - Parameters:
  ///   - sheet: the tracks of this file that a sheet beside it names.
  static func tracks(_ reading: FileReading, sheet: [ListedTrack]) -> [TrackRecord] {
    let tracks = uncut(reading, sheet: sheet).prefix(PlaylistLimits.sheetTracks)
    // What is said of the file stands in each of its parts again.
    let limits = tracks.count > fewParts ? TextLimits.part : .file
    return tracks.map { track in
      var track = track
      track.cut(to: limits)
      return track
    }
  }

  /// A box of CDs, or a long book.
  private static let fewParts = 200

  private static func uncut(_ reading: FileReading, sheet: [ListedTrack]) -> [TrackRecord] {
    let whole = reading.record
    if let only = sheet.first, sheet.count == 1, only.location.start == 0,
      only.location.end == nil
    {
      return [filled(whole, from: only)]
    }
    if !sheet.isEmpty {
      let parts = parts(sheet, of: whole)
      if !parts.isEmpty { return parts }
    }
    if let text = reading.cueSheet {
      let sheet = CueSheet(parsing: Array(text.utf8))
      if sheet.tracks.count > 1, sheet.files.count == 1 {
        let parts = parts(sheet.listed { $0 }, of: whole)
        if parts.count > 1 { return parts }
      }
    }
    if reading.chapters.count > 1 {
      let parts = chapters(Array(reading.chapters.prefix(TextLimits.chapters)), of: whole)
      if parts.count > 1 { return parts }
    }
    return [whole]
  }

  /// The file's own tags come first; the sheet fills the gaps.
  private static func filled(_ whole: TrackRecord, from listed: ListedTrack) -> TrackRecord {
    var record = whole
    record.title = record.title ?? listed.title
    if record.artists.isEmpty, let artist = listed.artist { record.artists = [artist] }
    record.album = record.album ?? listed.album
    record.track = record.track ?? listed.number
    record.date = record.date ?? listed.date
    if record.genres.isEmpty, let genre = listed.genre { record.genres = [genre] }
    return record
  }

  private static func parts(_ sheet: [ListedTrack], of whole: TrackRecord) -> [TrackRecord] {
    var starts: Set<Double> = []
    return sheet.compactMap { listed in
      let start = listed.location.start
      // A sheet may be one of a longer file.
      if let length = whole.duration, start >= length { return nil }
      guard starts.insert(start).inserted else { return nil }
      var record = part(of: whole, start: start, end: listed.location.end)
      record.title = listed.title
      if let artist = listed.artist { record.artists = [artist] }
      record.album = listed.album ?? whole.album
      record.track = listed.number
      record.date = whole.date ?? listed.date
      if record.genres.isEmpty, let genre = listed.genre { record.genres = [genre] }
      if !listed.loudness.isEmpty { record.loudness = listed.loudness }
      return record
    }
  }

  private static func chapters(
    _ chapters: [TrackInfo.Chapter], of whole: TrackRecord
  ) -> [TrackRecord] {
    chapters.indices.compactMap { index in
      // What stands before the first chapter belongs to it.
      let start = index == 0 ? 0 : chapters[index].start
      if let length = whole.duration, start >= length { return nil }
      let next = index + 1 < chapters.count ? chapters[index + 1].start : nil
      let end = next.flatMap { end in whole.duration.map { end < $0 } ?? true ? end : nil }
      var record = part(of: whole, start: start, end: end)
      record.title = chapters[index].title
      record.album = whole.album ?? whole.title
      record.track = index + 1
      record.trackTotal = chapters.count
      return record
    }
  }

  private static func part(of whole: TrackRecord, start: Double, end: Double?) -> TrackRecord {
    var record = whole
    record.start = start
    record.end = end
    let stop = min(end ?? .infinity, whole.duration ?? .infinity)
    record.duration = stop.isFinite ? max(0, stop - start) : nil
    record.trackTotal = nil
    // They name the file's one recording.
    record.musicBrainz["recording"] = nil
    record.musicBrainz["track"] = nil
    return record
  }
}
