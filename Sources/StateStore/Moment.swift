import AudioTypes

/// How it stands at one moment: what is said in a few words and changes often. Kept beside the
/// database, so that a position which moves costs one small write a second, and read before the
/// first sound, so that nothing begins louder than it ended.
public struct Moment: Equatable, Sendable {
  public enum Intent: String, Sendable, CaseIterable { case stopped, paused, playing }

  /// Of which saved queue it tells: entries have other names in another one.
  public var epoch: Int64 = 0
  /// The heard entry of the queue, and a sign of its track, by which it is known again.
  public var entry: UInt32?
  public var track: UInt64 = 0
  /// Seconds.
  public var position = 0.0
  /// How much of it was heard so far, in seconds, and whether that was counted as a play.
  public var heard = 0.0
  public var isCounted = false
  /// It is one that goes on where it was left.
  public var isLong = false
  public var intent = Intent.stopped

  /// sotto's own level in percent.
  public var level: Int?
  public var isMuted = false
  /// `LoudnessMode` and the view on the screen, by their names.
  public var gain: String?
  public var view: String?
  /// The alarm that is set, as a command takes it, and when it sounds next, in seconds since 1970.
  public var alarm: String?
  public var alarmDue: Int?

  public init() {}

  /// A sign of a track: the same for the same place in the same file.
  public static func sign(of location: TrackLocation) -> UInt64 {
    var sum = Checksum()
    sum.add(HistoryKey.whole(location))
    var start = location.start.bitPattern
    for _ in 0..<8 {
      sum.add([UInt8(truncatingIfNeeded: start)])
      start >>= 8
    }
    return sum.value
  }

  // MARK: As text

  /// Lines of a name and a value, the last of them a checksum.
  func text(sequence: UInt64) -> [UInt8] {
    var lines = "sotto 1\nsequence \(sequence)\nepoch \(epoch)\n"
    if let entry { lines += "entry \(entry)\ntrack \(track)\n" }
    lines += "position \(position)\nheard \(heard)\n"
    if isCounted { lines += "counted\n" }
    if isLong { lines += "long\n" }
    lines += "intent \(intent.rawValue)\n"
    if let level { lines += "level \(level)\n" }
    if isMuted { lines += "muted\n" }
    for (name, value) in [("gain", gain), ("view", view), ("alarm", alarm)] {
      // What has a line's end in it is no name of anything.
      guard let value, !value.utf8.contains(0x0A), value.utf8.count <= Self.longestValue else {
        continue
      }
      lines += "\(name) \(value)\n"
    }
    if alarm != nil, let alarmDue { lines += "due \(alarmDue)\n" }
    var sum = Checksum()
    sum.add(Array(lines.utf8))
    return Array((lines + "sum \(sum.value)\n").utf8)
  }

  private static let longestValue = 500

  /// nil for anything that is not exactly what `text` wrote.
  init?(_ text: some Collection<UInt8>, sequence: inout UInt64) {
    let bytes = Array(text.prefix { $0 != 0 })
    var fields: [String: String] = [:]
    var start = 0
    var isWhole = false
    while !isWhole, let end = bytes[start...].firstIndex(of: 0x0A) {
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      let value = words.count > 1 ? String(words[1]) : ""
      if words[0] == "sum" {
        var sum = Checksum()
        sum.add(bytes[..<start])
        guard UInt64(value) == sum.value else { return nil }
        isWhole = true
      }
      fields[String(words[0])] = value
      start = end + 1
    }
    guard isWhole, fields["sotto"] == "1", let number = fields["sequence"].flatMap(UInt64.init)
    else { return nil }
    sequence = number
    epoch = fields["epoch"].flatMap(Int64.init) ?? 0
    entry = fields["entry"].flatMap(UInt32.init)
    track = fields["track"].flatMap(UInt64.init) ?? 0
    position = Self.seconds(fields["position"])
    heard = Self.seconds(fields["heard"])
    isCounted = fields["counted"] != nil
    isLong = fields["long"] != nil
    intent = fields["intent"].flatMap(Intent.init) ?? .stopped
    level = fields["level"].flatMap(Int.init).map { min(max($0, 0), 100) }
    isMuted = fields["muted"] != nil
    gain = fields["gain"]
    view = fields["view"]
    alarm = fields["alarm"]
    alarmDue = fields["due"].flatMap(Int.init)
  }

  private static func seconds(_ text: String?) -> Double {
    guard let value = text.flatMap(Double.init), value.isFinite, value >= 0 else { return 0 }
    return value
  }
}

/// FNV-1a of 64 bits: against writes that were cut off, not against anybody.
struct Checksum {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
