import AudioTypes
import Decoding
import Glibc

/// What one file says of itself: the whole of it, and the parts that it names.
public struct FileReading: Equatable, Sendable {
  /// The file as one track.
  public var record: TrackRecord
  /// In the order of their beginnings, from 0 on.
  public var chapters: [TrackInfo.Chapter]
  /// The text of an embedded CUE sheet.
  public var cueSheet: String?
}

/// Reads files for the collection: by TagLib where it knows the format, otherwise as `sotto info`
/// does. Any thread; blocks on the disk.
public enum TagReader {
  /// - Parameter path: of a file; a folder or device is refused and never waited for.
  public static func read(_ path: [UInt8]) throws(DecodingError) -> FileReading {
    if let reading = try byTagLib(path) { return reading }
    return reading(try TrackOpener.info(TrackLocation(path: path)))
  }

  private static func byTagLib(_ path: [UInt8]) throws(DecodingError) -> FileReading? {
    guard TagLibrary.isAvailable, !path.isEmpty, !path.contains(0) else { return nil }
    let descriptor = unsafe open(
      path.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    // What is wrong is said by the decoder.
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      let found = TagLibrary.read(descriptor)
    else { return nil }
    var record = TrackRecord()
    let fields = TagFields(found.tags)
    fields.fill(&record)
    record.duration = found.seconds
    record.container = found.container
    record.codec = found.codec
    record.sampleRate = found.sampleRate
    record.channels = found.channels
    record.bitDepth = found.bitDepth
    record.bitRate = found.bitRate
    record.hasPicture = found.hasPicture
    record.hasLyrics = record.hasLyrics || found.hasLyrics
    record.rating = record.rating ?? found.rating.map(TagFields.popularimeter)
    var chapters = found.chapters
    if found.container == "MP4" {
      let exact = MP4Facts.read(descriptor)
      record.duration = exact.duration ?? record.duration
      if exact.hasChapters {
        // FFmpeg reads both of the ways that MP4 has; without it there are none.
        chapters = (try? TrackOpener.info(TrackLocation(path: path)))?.chapters ?? []
      }
    } else if found.container == "Ogg", chapters.isEmpty {
      chapters = OggChapters.read(found.tags)
    }
    if !found.isSure {
      // The frames are counted; a file that has none is none.
      let info = try TrackOpener.info(TrackLocation(path: path))
      record.duration = info.duration ?? record.duration
      record.bitRate = info.bitRate ?? record.bitRate
    }
    return FileReading(
      record: record, chapters: settled(chapters), cueSheet: fields.cueSheet)
  }

  private static func reading(_ info: TrackInfo) -> FileReading {
    var record = TrackRecord()
    let fields = TagFields(info.tags)
    fields.fill(&record)
    record.loudness = info.loudness
    record.duration = info.duration
    record.container = info.container
    record.codec = info.codec
    record.sampleRate = info.format.sampleRate
    record.channels = info.format.channels
    record.bitDepth = info.bitDepth
    record.bitRate = info.bitRate
    record.hasPicture = info.picture != nil
    let chapters = info.chapters.isEmpty ? OggChapters.read(info.tags) : info.chapters
    return FileReading(record: record, chapters: settled(chapters), cueSheet: fields.cueSheet)
  }

  /// In order, each beginning once, and no more of them than any honest file has.
  private static func settled(_ chapters: [TrackInfo.Chapter]) -> [TrackInfo.Chapter] {
    var last = -1.0
    let apart = chapters.filter { $0.start.isFinite && $0.start >= 0 }
      .sorted { $0.start < $1.start }
      .filter { chapter in
        // Two that begin in the same thousandth are one.
        guard chapter.start > last + 0.001 else { return false }
        last = chapter.start
        return true
      }
    return Array(apart.prefix(TextLimits.chapters))
  }
}

/// Chapters in Vorbis comments: CHAPTER001=00:01:02.500, CHAPTER001NAME=title.
enum OggChapters {
  static func read(_ tags: [(name: String, value: String)]) -> [TrackInfo.Chapter] {
    var starts: [Int: Double] = [:]
    var titles: [Int: String] = [:]
    for tag in tags {
      let name = tag.name.lowercased()
      guard name.hasPrefix("chapter") else { continue }
      let rest = name.dropFirst(7)
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), digits.count <= 4 else { continue }
      switch rest.dropFirst(digits.count) {
      case "": starts[number] = seconds(tag.value)
      case "name": titles[number] = tag.value
      default: break
      }
    }
    return starts.sorted { $0.key < $1.key }.map { TrackInfo.Chapter(start: $1, title: titles[$0]) }
  }

  /// "hh:mm:ss.fff".
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]),
      let seconds = Double(parts[2]), (0..<1000).contains(hours), (0..<60).contains(minutes),
      seconds >= 0, seconds < 60
    else { return nil }
    return Double(hours * 3600 + minutes * 60) + seconds
  }
}
