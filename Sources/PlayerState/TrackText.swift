import AudioTypes
import PlayQueue

/// How tracks and times are written. What comes from files is made safe to print here.
public enum TrackText {
  /// Of the sheet or playlist for a part of a file, otherwise of the tags, then of the playlist,
  /// then the file's name.
  public static func title(_ entry: QueueEntry?, _ info: TrackInfo? = nil) -> String? {
    let isPart = entry.map { $0.location.start > 0 || $0.location.end != nil } ?? false
    let tagged = isPart ? nil : text(info?.tag("title"))
    return tagged ?? text(entry?.title) ?? text(isPart ? info?.tag("title") : nil)
      ?? entry.map { fileName($0.location) }
  }

  public static func artist(_ entry: QueueEntry?, _ info: TrackInfo? = nil) -> String? {
    text(info?.tag("artist")) ?? text(entry?.artist) ?? text(info?.tag("album_artist"))
  }

  /// "Album, 1997", as far as it is known.
  public static func album(_ info: TrackInfo?) -> String? {
    guard let album = text(info?.tag("album")) else { return nil }
    guard let year = text(info?.tag("date"))?.prefix(4), year.count == 4,
      year.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return album }
    return "\(album), \(year)"
  }

  /// "FLAC", "44.1 kHz", "16 bit": what is known of how it was recorded.
  public static func format(_ info: TrackInfo?) -> [String] {
    guard let info else { return [] }
    var parts: [String] = []
    if let codec = text(info.codec) { parts.append(codec) }
    if info.format.sampleRate > 0 { parts.append(rate(info.format.sampleRate)) }
    if let bits = info.bitDepth {
      parts.append("\(bits) bit")
    } else if let rate = info.bitRate, rate > 0 {
      parts.append("\((rate + 500) / 1000) kbit/s")
    }
    if info.format.channels != 2, info.format.channels > 0 { parts.append(info.format.layout.name) }
    return parts
  }

  public static func rate(_ rate: Int) -> String { "\(Number.text(Double(rate) / 1000)) kHz" }

  /// The last part of a path, or a URL as it is.
  public static func fileName(_ location: TrackLocation) -> String {
    let path = location.path
    if location.isURL { return Text.printable(path) }
    let name = path.lastIndex(of: 0x2F).map { path[($0 + 1)...] } ?? path[...]
    return Text.printable(name.isEmpty ? path[...] : name)
  }

  /// Nothing but blanks is nothing.
  private static func text(_ raw: String?) -> String? {
    guard let raw, raw.contains(where: { !$0.isWhitespace }) else { return nil }
    return Text.printable(raw)
  }

  /// Seconds as "0:07", "12:34", "1:02:03".
  public static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds > 0, seconds < 1e9 else { return "0:00" }
    let whole = Int(seconds)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let hours = whole / 3600
    return hours > 0
      ? "\(hours):\(two(whole / 60 % 60)):\(two(whole % 60))"
      : "\(whole / 60):\(two(whole % 60))"
  }

  /// "48 minutes", "2 hours 5 minutes", "1 day 3 hours": for sums.
  public static func roughly(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "0 minutes" }
    let minutes = Int64((seconds / 60).rounded())
    func of(_ number: Int64, _ one: String) -> String {
      "\(number) \(one)" + (number == 1 ? "" : "s")
    }
    if minutes < 60 { return seconds < 60 ? of(Int64(seconds), "second") : of(minutes, "minute") }
    if minutes < 48 * 60 {
      return of(minutes / 60, "hour") + (minutes % 60 == 0 ? "" : " " + of(minutes % 60, "minute"))
    }
    return of(minutes / 1440, "day")
      + (minutes / 60 % 24 == 0 ? "" : " " + of(minutes / 60 % 24, "hour"))
  }

  /// "1 minute 23 seconds": a time read aloud.
  public static func spoken(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 1, seconds < 1e9 else { return "0 seconds" }
    let whole = Int(seconds)
    let parts = [(whole / 3600, "hour"), (whole / 60 % 60, "minute"), (whole % 60, "second")]
    return parts.filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" + ($0.0 == 1 ? "" : "s") }.joined(separator: " ")
  }

  public static func count(_ tracks: Int) -> String { tracks == 1 ? "1 track" : "\(tracks) tracks" }

  /// "minus 3.2 decibels", read aloud; "-3.2 dB", written.
  public static func decibels(_ value: Double, isSpoken: Bool = false) -> String {
    let tenths = (value * 10).rounded() / 10
    guard isSpoken else { return (tenths > 0 ? "+" : "") + Number.text(tenths) + " dB" }
    return (tenths < 0 ? "minus " : "") + Number.text(abs(tenths)) + " decibels"
  }
}
