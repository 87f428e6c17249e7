/// The four bytes in front of every frame of MPEG-1, 2 and 2.5 audio.
struct MPEGHeader: Equatable, Sendable {
  enum Version: Int, Sendable {
    case mpeg25 = 0
    case mpeg2 = 2
    case mpeg1 = 3
  }

  let version: Version
  /// 1, 2 or 3.
  let layer: Int
  /// Bits a second.
  let bitRate: Int
  let sampleRate: Int
  let channels: Int
  /// True where two bytes of check sum follow the header.
  let isProtected: Bool
  /// Bytes from this frame to the next.
  let bytes: Int

  /// `nil` where the bytes are no header; free format (rate 0) is not known.
  init?(_ b0: UInt8, _ b1: UInt8, _ b2: UInt8, _ b3: UInt8) {
    guard b0 == 0xFF, b1 & 0xE0 == 0xE0, let version = Version(rawValue: Int(b1 >> 3 & 3)) else {
      return nil
    }
    let layer = 4 - Int(b1 >> 1 & 3)
    let rate = Int(b2 >> 4)
    let frequency = Int(b2 >> 2 & 3)
    guard layer < 4, rate > 0, rate < 15, frequency < 3, b3 & 3 != 2 else { return nil }
    let table = version == .mpeg1 ? layer - 1 : layer == 1 ? 3 : 4
    self.version = version
    self.layer = layer
    bitRate = Self.bitRates[table][rate] * 1000
    sampleRate =
      Self.sampleRates[frequency] >> (version == .mpeg1 ? 0 : version == .mpeg2 ? 1 : 2)
    channels = b3 >> 6 == 3 ? 1 : 2
    isProtected = b1 & 1 == 0
    let padding = Int(b2 >> 1 & 1)
    switch layer {
    case 1: bytes = (12 * bitRate / sampleRate + padding) * 4
    case 2: bytes = 144 * bitRate / sampleRate + padding
    default: bytes = (version == .mpeg1 ? 144 : 72) * bitRate / sampleRate + padding
    }
  }

  init?(_ bytes: [UInt8], at offset: Int) {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    self.init(bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
  }

  /// Frames of sound in one frame of the stream.
  var samples: Int { layer == 1 ? 384 : layer == 3 && version != .mpeg1 ? 576 : 1152 }

  /// Bytes of side information in a frame of layer III.
  var sideBytes: Int {
    version == .mpeg1 ? (channels == 1 ? 17 : 32) : (channels == 1 ? 9 : 17)
  }

  /// True where both can belong to one stream.
  func matches(_ other: MPEGHeader) -> Bool {
    version == other.version && layer == other.layer && sampleRate == other.sampleRate
      && channels == other.channels
  }

  /// True where the bytes begin with a frame that is followed by others of its stream.
  static func startsStream(_ bytes: [UInt8]) -> Bool { startsStream(bytes, at: 0) }

  static func startsStream(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard let first = MPEGHeader(bytes, at: offset) else { return false }
    var at = offset + first.bytes
    // Three in a row: by chance that happens once in many gigabytes. A file may be that short.
    for _ in 0..<2 {
      if at >= bytes.count { return at == bytes.count || bytes.count > 4000 + offset }
      guard let next = MPEGHeader(bytes, at: at), next.matches(first) else { return false }
      at += next.bytes
    }
    return true
  }

  /// Where the first frame lies that is followed by others of its stream.
  static func firstFrame(in bytes: [UInt8]) -> Int? {
    var offset = 0
    while offset + 4 <= bytes.count {
      if bytes[offset] == 0xFF, bytes[offset + 1] & 0xE0 == 0xE0, startsStream(bytes, at: offset) {
        return offset
      }
      offset += 1
    }
    return nil
  }

  private static let sampleRates = [44100, 48000, 32000]
  private static let bitRates = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}
