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
    case (0x17, _): codec = "FLAC"
    case (0x20, 1...5): codec = "FLAC"
    case (_, 0x70...0x73): codec = "ALAC"
    default: codec = Self.codecs[coding]
    }
  }

  private static let containers: [Int: String] = [
    0x01: "WAV", 0x02: "AIFF", 0x03: "AU", 0x05: "PAF", 0x06: "SVX", 0x07: "NIST", 0x08: "VOC",
    0x0A: "IRCAM", 0x0B: "W64", 0x0E: "PVF", 0x12: "AVR", 0x17: "FLAC", 0x18: "CAF", 0x20: "Ogg",
    0x23: "MP3",
  ]
  private static let bits: [Int: Int] = [
    1: 8, 2: 16, 3: 24, 4: 32, 5: 8, 6: 32, 7: 64, 0x10: 8, 0x11: 8, 0x70: 16, 0x71: 20,
    0x72: 24, 0x73: 32,
  ]
  private static let codecs: [Int: String] = [
    1: "PCM", 2: "PCM", 3: "PCM", 4: "PCM", 5: "PCM", 6: "PCM float", 7: "PCM float",
    0x10: "G.711 µ-law", 0x11: "G.711 A-law", 0x12: "IMA ADPCM", 0x13: "Microsoft ADPCM",
    0x20: "GSM 6.10", 0x30: "G.721", 0x31: "G.723", 0x32: "G.723", 0x60: "Vorbis", 0x64: "Opus",
    0x80: "MP1", 0x81: "MP2", 0x82: "MP3",
  ]

  /// The library's texts (SF_STR_…) and our names for them.
  static let texts: [(Int32, String)] = [
    (1, "title"), (4, "artist"), (7, "album"), (9, "track"), (6, "date"), (0x10, "genre"),
    (5, "comment"), (2, "copyright"), (8, "license"), (3, "encoder"),
  ]
}
