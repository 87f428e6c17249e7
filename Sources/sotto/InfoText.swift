import AudioTypes
import JSONText
import MusicLibrary

/// What `info` says of a track: one JSON object, or aligned lines for people. Pure.
enum InfoText {
  // MARK: Tags under the names that different containers give them

  private static let aliases: [String: [String]] = [
    "title": ["title"], "artist": ["artist", "performer"], "album": ["album"],
    "albumArtist": ["album_artist", "albumartist", "album artist"],
    "track": ["track", "tracknumber"], "trackTotal": ["tracktotal", "totaltracks", "track_total"],
    "disc": ["disc", "discnumber", "disk"], "discTotal": ["disctotal", "totaldiscs", "disc_total"],
    "date": ["date", "year", "originaldate"], "genre": ["genre"], "composer": ["composer"],
    "comment": ["comment", "description"],
    "lyrics": ["lyrics", "unsyncedlyrics", "uslt", "lyrics-xxx"],
  ]

  static func tag(_ name: String, _ info: TrackInfo) -> String? {
    (aliases[name] ?? [name]).lazy.compactMap { info.tag($0) }.first { !$0.isEmpty }
  }

  /// "3/12" or "3" -> 3 and 12.
  static func number(_ name: String, _ info: TrackInfo) -> (Int?, total: Int?) {
    let parts = (tag(name, info) ?? "").split(separator: "/", omittingEmptySubsequences: false)
    func whole(_ text: Substring?) -> Int? {
      text.flatMap { part in Int(part.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }) }
    }
    let total = tag(name + "Total", info).flatMap { whole(Substring($0)) }
    return (whole(parts.first), total ?? (parts.count > 1 ? whole(parts[1]) : nil))
  }

  // MARK: JSON

  static func json(_ track: ListedTrack, _ info: TrackInfo) -> JSON {
    let location = track.location
    let (trackNumber, trackTotal) = number("track", info)
    let (disc, discTotal) = number("disc", info)
    var fields: [(String, JSON)] = [
      ("path", .bytes(location.path)), ("container", .string(info.container)),
      ("codec", .string(info.codec)), ("sampleRate", .int(info.format.sampleRate)),
      ("channels", .int(info.format.channels)),
      ("channelLayout", .string(info.format.layout.name)), ("bitDepth", .int(info.bitDepth)),
      ("bitRate", .int(info.bitRate)), ("frames", .int(info.frames)),
      ("duration", .double(info.duration)),
      (
        "gapless",
        info.gapless.map {
          .object([("delay", .int($0.delay)), ("padding", .int($0.padding))])
        } ?? .null
      ),
      ("title", .string(title(track, info))), ("artist", .string(artist(track, info))),
      ("album", .string(track.album ?? tag("album", info))),
      ("albumArtist", .string(tag("albumArtist", info))),
      ("track", .int(track.number ?? trackNumber)), ("trackTotal", .int(trackTotal)),
      ("disc", .int(disc)), ("discTotal", .int(discTotal)), ("date", .string(tag("date", info))),
      ("genre", .string(tag("genre", info))), ("composer", .string(tag("composer", info))),
      ("comment", .string(tag("comment", info))), ("lyrics", .bool(tag("lyrics", info) != nil)),
      (
        "picture",
        info.picture.map {
          .object([("type", .string($0.type)), ("bytes", .int($0.bytes))])
        } ?? .null
      ),
    ]
    let loudness = self.loudness(track, info)
    fields.append(
      (
        "replayGain",
        .object([
          ("track", .double(loudness.trackGain)), ("album", .double(loudness.albumGain)),
          ("trackPeak", .double(loudness.trackPeak)), ("albumPeak", .double(loudness.albumPeak)),
        ])
      ))
    fields.append(
      (
        "chapters",
        .array(
          info.chapters.map {
            .object([("start", .double($0.start)), ("title", .string($0.title))])
          })
      ))
    fields.append(("tags", .object(tags(info))))
    if location.start > 0 || location.end != nil {
      fields.append(("start", .double(location.start)))
      fields.append(("end", .double(location.end)))
    }
    return .object(fields)
  }

  /// Every tag once; several values of one name stand in one text.
  private static func tags(_ info: TrackInfo) -> [(String, JSON)] {
    var names: [String] = []
    var values: [String: String] = [:]
    for tag in info.tags {
      if let before = values[tag.name] {
        values[tag.name] = before + "; " + tag.value
      } else {
        names.append(tag.name)
        values[tag.name] = tag.value
      }
    }
    return names.map { ($0, .string(values[$0])) }
  }

  /// A part of a file is called what its sheet says; a whole file what its own tags say.
  static func title(_ track: ListedTrack, _ info: TrackInfo) -> String? {
    let own = tag("title", info)
    return isPart(track) ? track.title ?? own : own ?? track.title
  }

  static func artist(_ track: ListedTrack, _ info: TrackInfo) -> String? {
    let own = tag("artist", info)
    return isPart(track) ? track.artist ?? own : own ?? track.artist
  }

  /// What all tracks of its album share, for `QueueEntry.album`; nil when it names none. Where nobody
  /// says whose album it is, albums of one name are told apart by their folders.
  static func albumKey(_ location: TrackLocation, _ info: TrackInfo) -> String? {
    tag("album", info).map { albumKey($0, by: tag("albumArtist", info), location) }
  }

  static func albumKey(_ album: String, by artist: String?, _ location: TrackLocation) -> String {
    let folder = location.path.lastIndex(of: UInt8(ascii: "/")).map { location.path[..<$0] } ?? []
    return "\(album)\n\(artist ?? String(decoding: folder, as: UTF8.self))"
  }

  private static func isPart(_ track: ListedTrack) -> Bool {
    track.location.start > 0 || track.location.end != nil
  }

  private static func loudness(_ track: ListedTrack, _ info: TrackInfo) -> LoudnessTags {
    var tags = info.loudness
    guard isPart(track), !track.loudness.isEmpty else { return tags }
    tags.trackGain = track.loudness.trackGain ?? tags.trackGain
    tags.trackPeak = track.loudness.trackPeak ?? tags.trackPeak
    tags.albumGain = track.loudness.albumGain ?? tags.albumGain
    tags.albumPeak = track.loudness.albumPeak ?? tags.albumPeak
    return tags
  }

  // MARK: Lines

  static func lines(_ track: ListedTrack, _ info: TrackInfo) -> [String] {
    var rows: [(String, String)] = []
    func add(_ label: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      rows.append((label, Text.printable(value)))
    }
    add("container", info.container)
    add("codec", info.codec)
    add("sound", sound(info))
    add("length", length(info))
    let location = track.location
    if location.start > 0 || location.end != nil {
      let end = location.end.map { " to " + StatusLine.clock($0) } ?? " to the end"
      add("part", "from " + StatusLine.clock(location.start) + end)
    }
    add("title", title(track, info))
    add("artist", artist(track, info))
    add("album", track.album ?? tag("album", info))
    add("album artist", tag("albumArtist", info))
    add("track", of(track.number ?? number("track", info).0, number("track", info).total))
    add("disc", of(number("disc", info).0, number("disc", info).total))
    for name in ["date", "genre", "composer", "comment"] { add(name, tag(name, info)) }
    add("lyrics", tag("lyrics", info) == nil ? nil : "yes")
    add("picture", info.picture.map { "\($0.type), \($0.bytes) bytes" })
    let loudness = self.loudness(track, info)
    add("track gain", gain(loudness.trackGain, loudness.trackPeak))
    add("album gain", gain(loudness.albumGain, loudness.albumPeak))
    for (index, chapter) in info.chapters.prefix(1000).enumerated() {
      add(
        index == 0 ? "chapters" : "",
        StatusLine.clock(chapter.start) + " " + (chapter.title ?? "chapter \(index + 1)"))
    }
    return [location.display]
      + rows.map { label, value in
        "  " + label + String(repeating: " ", count: 14 - label.count) + value
      }
  }

  private static func sound(_ info: TrackInfo) -> String {
    var parts = ["\(info.format.sampleRate) Hz", info.format.layout.name]
    if let depth = info.bitDepth { parts.append("\(depth) bit") }
    if let rate = info.bitRate { parts.append("\((rate + 500) / 1000) kbit/s") }
    return parts.joined(separator: ", ")
  }

  private static func length(_ info: TrackInfo) -> String? {
    guard let duration = info.duration, let frames = info.frames else { return nil }
    var text = StatusLine.clock(duration) + " (\(frames) frames"
    if let gapless = info.gapless { text += ", \(gapless.delay) + \(gapless.padding) trimmed" }
    return text + ")"
  }

  private static func of(_ number: Int?, _ total: Int?) -> String? {
    number.map { number in total.map { "\(number) of \($0)" } ?? "\(number)" }
  }

  private static func gain(_ gain: Double?, _ peak: Double?) -> String? {
    gain.map { "\(decibels($0)) dB" + (peak.map { ", peak \(decibels($0))" } ?? "") }
  }

  /// Two digits after the point, without a formatter.
  private static func decibels(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e6 else { return "?" }
    let hundredths = Int((abs(value) * 100).rounded())
    let rest = hundredths % 100
    return (value < 0 ? "-" : "") + "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
