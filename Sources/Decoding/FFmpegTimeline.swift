import CFFmpeg

/// Which frame a packet begins with. Frames here are raw: those of a straight decode from the first
/// packet, with encoder delay and padding still in.
struct Timeline {
  enum Kind {
    /// The container's times are exact to the frame.
    case exact
    /// The times are too coarse or not true: packets were counted, and landmarks remembered.
    case indexed
    /// Times as good as they are: what a network offers without reading it all,
    /// or for a film too large to be read through.
    case rough
    /// Packets do not tell their length: a seek decodes from the beginning.
    case counted
    /// A stream that goes on: no seeks.
    case live
  }

  /// A packet that can be recognised when met again.
  struct Landmark {
    var frame: Int64
    var time: Int64
    var position: Int64
    var size: Int32
  }

  /// What the door gives where a container tells no time.
  static let noTime = Int64.min

  var kind: Kind = .live
  /// Frames a second of what is decoded.
  var rate: Int64
  /// Frames a second of the packets' own counts, which is half of `rate` for hidden HE-AAC.
  var packetRate: Int64
  var tickNum: Int64
  var tickDen: Int64
  /// Frames of the longest packet met.
  var largestPacket: Int64 = 0
  var first = Landmark(frame: 0, time: 0, position: 0, size: 0)
  var marks: [Landmark] = []
  /// Raw frames before the music, of the music, and after it.
  var delay: Int64 = 0
  var frames: Int64?
  /// About how many frames, where only decoding to the end tells: for people, not for joins.
  var estimate: Int64?
  var padding: Int64 = 0

  /// Every how many packets a landmark is kept: two hours of AAC take half a megabyte.
  static let stride = 16

  /// Containers whose times are exact to the frame where their tick divides a frame.
  private static let exactContainers: Set<String> = [
    "mov,mp4,m4a,3gp,3g2,mj2", "ogg", "wv", "tta", "ape", "tak", "wav", "w64", "aiff", "caf", "au",
    "dsf", "iff", "flac", "shn",
  ]

  init(_ reader: FFmpegReader, rate: Int) {
    let facts = unsafe reader.facts
    self.rate = Int64(rate)
    packetRate = Int64(max(unsafe facts.rate, 1))
    tickNum = max(unsafe facts.tick_num, 1)
    tickDen = max(unsafe facts.tick_den, 1)
  }

  /// Whether the reader's times name frames exactly.
  static func isExact(_ reader: FFmpegReader, rate: Int) -> Bool {
    let facts = unsafe reader.facts
    guard exactContainers.contains(reader.container) else { return false }
    // Ogg counts Vorbis and Speex from what overlaps, which is only true of whole pages.
    if reader.container == "ogg", reader.codec != "opus", reader.codec != "flac" { return false }
    let (product, overflow) = unsafe Int64(rate).multipliedReportingOverflow(by: facts.tick_num)
    return unsafe !overflow && facts.tick_den > 0 && product % facts.tick_den == 0
  }

  /// No packet holds more, at any rate.
  private static let mostFrames: Int64 = 1 << 24

  /// Frames of a packet, as far as the packet tells; 0 where it does not, or tells more than a
  /// packet can hold.
  func frames(of packet: sotto_ff_packet) -> Int64 {
    let frames =
      packetRate == rate ? packet.frames : Self.scaled(packet.frames, rate, packetRate)
    return (0...Self.mostFrames).contains(frames) ? frames : 0
  }

  /// The raw frame of a time, and back.
  func frame(at time: Int64) -> Int64 {
    let (ticks, overflow) = time.subtractingReportingOverflow(first.time)
    return overflow ? 0 : Self.scaled(ticks, rate * tickNum, tickDen)
  }

  /// The raw frame that a packet begins with, by its time. Coarse times still tell which packet it
  /// is where all are of one length.
  func start(of packet: sotto_ff_packet) -> Int64 {
    let frame = frame(at: packet.time)
    guard kind == .rough, largestPacket > 0 else { return frame }
    return Self.scaled(frame, 1, largestPacket) * largestPacket
  }

  func time(at frame: Int64) -> Int64 {
    first.time &+ Self.scaled(frame, tickDen, rate * tickNum, down: true)
  }

  /// value · multiplier / divisor to the nearest, or down; saturating.
  static func scaled(_ value: Int64, _ multiplier: Int64, _ divisor: Int64, down: Bool = false)
    -> Int64
  {
    guard divisor > 0 else { return 0 }
    let wide = value.magnitude.multipliedFullWidth(by: multiplier.magnitude)
    guard wide.high < divisor.magnitude else { return value < 0 ? .min / 4 : .max / 4 }
    let (quotient, remainder) = divisor.magnitude.dividingFullWidth(wide)
    var result = Int64(min(quotient, UInt64(Int64.max / 4)))
    if down {
      if value < 0, remainder > 0 { result += 1 }
    } else if remainder >= divisor.magnitude - remainder {
      result += 1
    }
    return value < 0 ? -result : result
  }

  /// The last landmark at or before a raw frame.
  func mark(before frame: Int64) -> Int? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

extension Timeline {
  /// Reads every packet once, from the first one on, without decoding.
  /// `start` is the first one, where it is already read.
  mutating func scan(
    _ reader: FFmpegReader, from start: sotto_ff_packet?, traits: CodecTraits
  ) throws(DecodingError) {
    kind = .indexed
    marks = []
    var total: Int64 = 0
    var count = 0
    var discarded: Int64 = 0
    var previous: Int64 = 0
    var last: Int64 = 0
    var sinceMark = Self.stride
    var position: Int64 = -1
    let isOgg = reader.container == "ogg"
    var following = start
    while true {
      if following == nil { following = try reader.next() }
      guard let packet = following else { break }
      following = nil
      var length = frames(of: packet)
      if count == 0 {
        delay = max(delay, Int64(packet.skip))
        if traits.startsShort { length = firstLength(length, reader) }
      }
      // Only what is dropped at the very end is padding.
      // Ogg's last packet is as long as what sounds of it.
      discarded = packet.discard > 0 && !isOgg ? discarded + Int64(packet.discard) : 0
      let (sum, isTooLong) = total.addingReportingOverflow(length)
      if isTooLong || (length <= 0 && count > 0 && !traits.startsShort) {
        kind = .counted
        frames = nil
        marks = []
        return
      }
      sinceMark += 1
      // Several packets may share a place (a page, a cluster): the first one stands for it.
      let isFirst = packet.position >= 0 && packet.position != position
      position = packet.position
      if sinceMark >= Self.stride, isFirst, marks.count < 1_000_000 {
        sinceMark = 0
        marks.append(
          Landmark(
            frame: total, time: packet.decode_time, position: packet.position, size: packet.size))
      }
      largestPacket = max(largestPacket, length)
      total = sum
      count += 1
      (previous, last) = (last, length)
    }
    padding = min(discarded, total)
    frames = max(0, total - delay - padding)
    settle(reader, decoded: total - last + max(previous, last))
  }

  /// Codecs whose delay is not in the packets.
  private mutating func settle(_ reader: FFmpegReader, decoded: Int64) {
    let counted = (frames ?? 0) + delay + padding
    switch reader.codec {
    case "speex":
      // Ogg's first time is before zero by one part of the delay, the decoder's lookahead is the
      // other one: 5 ms.
      let before = max(0, min(-first.time, rate))
      delay = before + rate / 200
      frames = max(0, min(counted - before, decoded - delay))
      padding = max(0, decoded - delay - (frames ?? 0))
    case "wmav1", "wmav2":
      // At the end the decoder gives one part more. Its own habit is to drop two at the beginning,
      // as Microsoft's encoder wants; FFmpeg's encoder puts only one there.
      let unit = unsafe Int64(reader.facts.packet_unit)
      let byFFmpeg = reader.tags().contains { $0.name == "encoder" && $0.value.hasPrefix("Lavf") }
      delay = byFFmpeg ? unit : 2 * unit
      frames = max(0, counted + unit - delay)
    default: break
    }
  }

  /// What a codec gives for its first packet when that only fills its overlap.
  private func firstLength(_ length: Int64, _ reader: FFmpegReader) -> Int64 {
    if reader.codec == "vorbis" { return 0 }
    let unit = unsafe reader.facts.first_is_short ? reader.facts.packet_unit : 0
    return max(0, length - Int64(unit))
  }
}
