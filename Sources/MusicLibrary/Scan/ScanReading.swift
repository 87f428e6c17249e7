import Decoding
import Tags

/// A file that a scan has to read.
struct ScanJob: Sendable {
  var folder: [UInt8]
  var name: [UInt8]
  var identity: FileIdentity
  var beside: Int64
  /// Known already; otherwise it is new.
  var isKnown: Bool
  /// What it could not be read for the last time.
  var fault: String?
  /// The tracks of this file that a sheet beside it names.
  var sheet: [ListedTrack]
  var hasCover: Bool
  var hasLyrics: Bool

  /// Means that a file is read again the next time, whatever it looks like: what kept it from
  /// being read is not in the file.
  static let again = Int64.min
}

/// What came of it.
struct ScanReading: Sendable {
  enum Outcome: Sendable {
    case tracks([TrackRecord])
    /// It can never be read as it is.
    case fault(String)
    /// It cannot be read now; what was known of its tracks stays.
    case hindrance(String)
    case gone
  }

  var job: ScanJob
  var outcome: Outcome

  /// Reads the file. Any thread; blocks on the disk.
  init(_ job: ScanJob) {
    self.job = job
    do throws(DecodingError) {
      var reading = try TagReader.read(Paths.join(job.folder, job.name))
      reading.record.hasLyrics = reading.record.hasLyrics || job.hasLyrics
      reading.record.hasPictureBeside = job.hasCover
      outcome = .tracks(TrackParts.tracks(reading, sheet: job.sheet))
    } catch {
      switch error.code {
      case .notFound: outcome = .gone
      case .noPermission, .ioError, .libraryMissing, .isFolder, .notRegular:
        outcome = .hindrance(error.sentence)
      default: outcome = .fault(error.sentence)
      }
    }
  }
}
