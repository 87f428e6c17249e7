/// What libsndfile's number for a format means (SF_FORMAT_…, stable since 1.0).
struct SndfileKind {
  let container: String?
  let codec: String?
  /// Bits of a sample, where the codec has them.
  let bits: Int?

  init(_ number: Int32) {
    let coding = Int(number & 0xFFFF)
    let major = Int(number >> 16 & 0xFFF)
    container = Self.containers[major]
    let bits = Self.bits[coding]
    self.bits = bits
    switch (major, coding) {
    case (0x17, _): codec = "flac"
    case (0x20, 1...5): codec = "flac"
    case (_, 0x70...0x73): codec = "alac"
    default: codec = Self.codecs[coding]
    }
  }

  private static let containers: [Int: String] = [
    0x01: "wav", 0x02: "aiff", 0x03: "au", 0x05: "paf", 0x06: "svx", 0x07: "nist", 0x08: "voc",
    0x0A: "ircam", 0x0B: "w64", 0x0E: "pvf", 0x12: "avr", 0x17: "flac", 0x18: "caf", 0x20: "ogg",
    0x23: "mp3",
  ]
  private static let bits: [Int: Int] = [
    1: 8, 2: 16, 3: 24, 4: 32, 5: 8, 6: 32, 7: 64, 0x10: 8, 0x11: 8, 0x70: 16, 0x71: 20,
    0x72: 24, 0x73: 32,
  ]
  private static let codecs: [Int: String] = [
    1: "pcm_s8", 2: "pcm_s16", 3: "pcm_s24", 4: "pcm_s32", 5: "pcm_u8", 6: "pcm_f32",
    7: "pcm_f64", 0x10: "pcm_mulaw", 0x11: "pcm_alaw", 0x12: "adpcm_ima", 0x13: "adpcm_ms",
    0x20: "gsm", 0x30: "g721", 0x31: "g723", 0x32: "g723", 0x60: "vorbis", 0x64: "opus",
    0x80: "mp1", 0x81: "mp2", 0x82: "mp3",
  ]

  /// The library's texts (SF_STR_…) and our names for them.
  static let texts: [(Int32, String)] = [
    (1, "title"), (4, "artist"), (7, "album"), (9, "track"), (6, "date"), (0x10, "genre"),
    (5, "comment"), (2, "copyright"), (8, "license"), (3, "encoder"),
  ]
}
