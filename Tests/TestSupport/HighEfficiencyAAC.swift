/// Makes HE-AAC of AAC-LC, since no encoder of the distribution does: to each frame of a plain AAC
/// stream at half the rate an element is added that tells a decoder to rebuild the upper half of the
/// spectrum from the lower (SBR, ISO/IEC 14496-3 4.6.18), and for one channel also how to spread it
/// over two (parametric stereo, 8.6.4). The envelope rises and falls slowly; some frames have the
/// header without which a decoder rebuilds nothing.
public struct HighEfficiencyAAC: Sendable {
  /// Channels that are coded: 1 or 2.
  public let channels: Int
  public let hasParametricStereo: Bool
  /// The raw data block of each frame: 1024 core frames, 2048 at the output.
  public let blocks: [[UInt8]]

  public static let coreRate = 22_050
  public static let rate = 44_100
  public static let blockFrames = 2048

  /// `adts`: what FFmpeg's encoder made at `coreRate`, without its own name in it (-bitexact).
  /// `headerEvery`: frames from one header to the next.
  public init?(adts: [UInt8], parametricStereo: Bool = false, headerEvery: Int = 10) {
    var blocks: [[UInt8]] = []
    var channels = 0
    var start = 0
    while start + 7 <= adts.count {
      let size =
        Int(adts[start + 3] & 3) << 11 | Int(adts[start + 4]) << 3
        | Int(adts[start + 5]) >> 5
      guard adts[start] == 0xFF, adts[start + 1] & 1 == 1, size > 7, start + size <= adts.count,
        adts[start + 2] >> 2 & 15 == 7
      else { return nil }
      channels = Int(adts[start + 2] & 1) << 2 | Int(adts[start + 3]) >> 6
      let block = Array(adts[start + 7..<start + size])
      let extra = Self.replication(
        frame: blocks.count, channels: channels, parametricStereo: parametricStereo,
        hasHeader: blocks.count % headerEvery == 0)
      guard let longer = Self.adding(extra, to: block) else { return nil }
      blocks.append(longer)
      start += size
    }
    guard channels == 1 || channels == 2, !parametricStereo || channels == 1 else { return nil }
    self.channels = channels
    self.blocks = blocks
    hasParametricStereo = parametricStereo
  }

  // MARK: Spectral band replication

  /// The element after a frame's last one, in place of the end mark, which comes after it again.
  private static func adding(_ payload: Bits, to block: [UInt8]) -> [UInt8]? {
    // The end mark is three ones; what follows it up to the byte's end is zero.
    guard let last = block.last, last != 0 else { return nil }
    var bits = Bits()
    for byte in block { bits.put(Int(byte), 8) }
    bits.drop(last.trailingZeroBitCount + 3)
    let bytes = (payload.count + 7) / 8
    bits.put(6, 3)
    bits.put(min(bytes, 15), 4)
    if bytes >= 15 { bits.put(bytes - 14, 8) }
    bits.append(payload)
    bits.put(0, bytes * 8 - payload.count)
    bits.put(7, 3)
    return bits.bytes
  }

  /// The extension payload of one frame.
  private static func replication(
    frame: Int, channels: Int, parametricStereo: Bool, hasHeader: Bool
  ) -> Bits {
    var bits = Bits()
    bits.put(13, 4)  // EXT_SBR_DATA
    bits.put(hasHeader ? 1 : 0, 1)
    if hasHeader {
      bits.put(1, 1)  // amplitudes in steps of 3 dB, but 1.5 dB where a frame has one envelope
      bits.put(14, 4)  // from band 28 of 64: 9.6 kHz
      bits.put(14, 4)  // to band 56, twice that
      bits.put(0, 3 + 2)
      bits.put(1, 1)
      bits.put(0, 1)  // the usual limiter
      bits.put(2, 2)  // ten bands to the octave
      bits.put(1, 1)
      bits.put(0, 2)  // one noise band
    }
    bits.put(0, 1)
    if channels == 2 { bits.put(0, 1) }  // no coupling
    for _ in 0..<channels {
      bits.put(0, 2 + 2)  // one envelope
      bits.put(0, 1)  // of five bands, the coarse division of the ten
    }
    bits.put(0, 2 * channels)  // both kinds of values are told from band to band
    bits.put(0, 2 * channels)  // no inverse filter
    for channel in 0..<channels { bits.append(envelope(frame: frame, channel: channel)) }
    for _ in 0..<channels { bits.put(noise, 5) }
    bits.put(0, channels)  // no added tones
    if parametricStereo {
      let stereo = Self.stereo(frame: frame, hasHeader: hasHeader)
      let bytes = (stereo.count + 2 + 7) / 8
      bits.put(1, 1)
      bits.put(bytes, 4)
      bits.put(2, 2)
      bits.append(stereo)
      bits.put(0, bytes * 8 - stereo.count - 2)
    } else {
      bits.put(0, 1)
    }
    return bits
  }

  /// 2^(6 - 30) of the envelope: two decoders draw different noise, so there is next to none.
  private static let noise = 30

  /// The values of five bands, from band to band by -1, -2, 0 and -1 steps of 1.5 dB.
  private static func envelope(frame: Int, channel: Int) -> Bits {
    var bits = Bits()
    let turn = (frame / 4 + channel * 3) % 12
    bits.put(30 + (turn < 6 ? turn : 12 - turn), 7)
    for change in [-1, -2, 0, -1] {
      switch change {
      case 0: bits.put(0b00, 2)
      case -1: bits.put(0b01, 2)
      default: bits.put(0b101, 3)
      }
    }
    return bits
  }

  // MARK: Parametric stereo

  /// Ten bands of intensity that wander from side to side, fully coherent.
  private static func stereo(frame: Int, hasHeader: Bool) -> Bits {
    var bits = Bits()
    bits.put(hasHeader ? 1 : 0, 1)
    if hasHeader {
      bits.put(1, 1)  // intensity differences,
      bits.put(0, 3)  // in ten bands, coarse
      bits.put(1, 1)  // coherence
      bits.put(0, 3)
      bits.put(0, 1)
    }
    bits.put(0, 1)
    bits.put(1, 2)  // one envelope
    bits.put(0, 1)  // from band to band
    let turn = frame / 6 % 8
    var previous = 0
    for band in 0..<10 {
      let value = (turn < 4 ? turn : 8 - turn) - 2 + (band % 2)
      putIntensity(value - previous, &bits)
      previous = value
    }
    bits.put(0, 1)
    bits.put(0, 10)  // coherence: no change from 0, a bit a band
    return bits
  }

  /// Changes of intensity from band to band.
  private static func putIntensity(_ change: Int, _ bits: inout Bits) {
    switch change {
    case 0: bits.put(0b0, 1)
    case 1: bits.put(0b100, 3)
    case -1: bits.put(0b101, 3)
    case 2: bits.put(0b1100, 4)
    case -2: bits.put(0b1101, 4)
    case 3: bits.put(0b11100, 5)
    default: bits.put(0b11101, 5)
    }
  }

  // MARK: Files

  /// The stream as in broadcasts: the headers know of the core only.
  public var adts: [UInt8] {
    blocks.flatMap { block in
      let size = block.count + 7
      var bits = Bits()
      bits.put(0xFFF1, 16)
      bits.put(1, 2)
      bits.put(7, 4)
      bits.put(0, 1)
      bits.put(channels, 3)
      bits.put(0, 4)
      bits.put(size, 13)
      bits.put(0x7FF, 11)
      bits.put(0, 2)
      return bits.bytes + block
    }
  }

  /// An M4A file that tells of the replication, with `delay` frames before the music and `frames`
  /// of it.
  public func mp4(delay: Int, frames: Int) -> [UInt8] {
    let type = Self.box("ftyp", Array("M4A ".utf8) + Self.long(0) + Array("M4A mp42".utf8))
    let media = Self.box("mdat", blocks.flatMap { $0 })
    return type + media + movie(delay: delay, frames: frames, at: type.count + 8)
  }

  private func movie(delay: Int, frames: Int, at place: Int) -> [UInt8] {
    let length = blocks.count * Self.blockFrames
    let matrix = [65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30].flatMap(Self.long)
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    let header = Self.box(
      "mvhd",
      zeros(12) + Self.long(Self.rate) + Self.long(frames) + Self.long(65536) + [1, 0]
        + zeros(10) + matrix + zeros(24) + Self.long(2))
    let track = Self.box(
      "tkhd",
      Self.long(3) + zeros(8) + Self.long(1) + zeros(4) + Self.long(frames) + zeros(12) + [1, 0]
        + zeros(2) + matrix + zeros(8))
    let edits = Self.box(
      "edts",
      Self.box(
        "elst", zeros(4) + Self.long(1) + Self.long(frames) + Self.long(delay) + Self.long(65536)))
    let media =
      Self.box("mdhd", zeros(12) + Self.long(Self.rate) + Self.long(length) + [0x55, 0xC4, 0, 0])
      + Self.box("hdlr", zeros(8) + Array("soun".utf8) + zeros(13))
      + Self.box(
        "minf",
        Self.box("smhd", zeros(8))
          + Self.box(
            "dinf", Self.box("dref", zeros(4) + Self.long(1) + Self.box("url ", [0, 0, 0, 1])))
          + Self.box("stbl", samples(at: place)))
    return Self.box("moov", header + Self.box("trak", track + edits + Self.box("mdia", media)))
  }

  private func samples(at place: Int) -> [UInt8] {
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    let decoder: [UInt8] = [0x40, 0x15] + zeros(11) + Self.descriptor(5, configuration)
    let stream = Self.descriptor(
      3, [0, 0, 0] + Self.descriptor(4, decoder) + Self.descriptor(6, [2]))
    let entry = Self.box(
      "mp4a",
      zeros(6) + [0, 1] + zeros(8) + [0, hasParametricStereo ? 2 : UInt8(channels), 0, 16]
        + zeros(4) + [UInt8(Self.rate >> 8), UInt8(Self.rate & 255), 0, 0]
        + Self.box("esds", zeros(4) + stream))
    return Self.box("stsd", zeros(4) + Self.long(1) + entry)
      + Self.box(
        "stts", zeros(4) + Self.long(1) + Self.long(blocks.count) + Self.long(Self.blockFrames))
      + Self.box(
        "stsc", zeros(4) + Self.long(1) + Self.long(1) + Self.long(blocks.count) + Self.long(1))
      + Self.box(
        "stsz", zeros(8) + Self.long(blocks.count) + blocks.flatMap { Self.long($0.count) })
      + Self.box("stco", zeros(4) + Self.long(1) + Self.long(place))
  }

  /// AudioSpecificConfig: SBR or parametric stereo to 44.1 kHz, over AAC-LC at the core's rate.
  private var configuration: [UInt8] {
    var bits = Bits()
    bits.put(hasParametricStereo ? 29 : 5, 5)
    bits.put(7, 4)
    bits.put(channels, 4)
    bits.put(4, 4)
    bits.put(2, 5)
    bits.put(0, 3)
    return bits.bytes
  }

  private static func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
    [tag, UInt8(body.count)] + body
  }

  private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
    long(body.count + 8) + Array(name.utf8) + body
  }

  private static func long(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Bits in the order of a stream.
  private struct Bits {
    private var bits: [Bool] = []
    var count: Int { bits.count }

    mutating func put(_ value: Int, _ count: Int) {
      for place in stride(from: count - 1, through: 0, by: -1) {
        bits.append(place < 64 && value >> place & 1 == 1)
      }
    }

    mutating func append(_ other: Bits) { bits += other.bits }
    mutating func drop(_ count: Int) { bits.removeLast(count) }

    /// Filled up with zeros to whole bytes.
    var bytes: [UInt8] {
      stride(from: 0, to: bits.count, by: 8).map { start in
        (0..<8).reduce(UInt8(0)) { byte, place in
          byte << 1 | (start + place < bits.count && bits[start + place] ? 1 : 0)
        }
      }
    }
  }
}
