import AudioTypes

/// AIFF and AIFC.
enum AIFFHeader {
  /// What the chunks say.
  private struct Chunks {
    /// The body of COMM.
    var common: Bytes?
    /// Where the samples lie, and how many bytes they are said to be.
    var sound: (offset: Int64, size: Int64)?
    var tags = FileTags()
    /// Where an ID3v2 tag lies.
    var id3: Int64?
  }

  private static func chunks(_ file: ByteFile) throws(DecodingError) -> Chunks {
    var found = Chunks()
    var offset: Int64 = 12
    for _ in 0..<WaveHeader.mostChunks {
      let chunk = try Bytes(file.bytes(at: offset, count: 8), big: true)
      if chunk.count < 8 { break }
      let size = chunk.u32(4)
      let body = offset + 8
      switch chunk.mark(0) {
      case "COMM":
        if found.common == nil {
          found.common = try Bytes(file.bytes(at: body, count: Int(min(size, 64))), big: true)
        }
      case "SSND":
        if found.sound == nil {
          let skip = try Bytes(file.bytes(at: body, count: 4), big: true).u32(0)
          found.sound = (body + 8 + skip, size - 8 - skip)
        }
      case "NAME", "AUTH", "(c) ", "ANNO":
        let text = try headerText(file.bytes(at: body, count: Int(min(size, 64 << 10))))
        if let name = names[chunk.mark(0)] { found.tags.add(name, text) }
      case "ID3 ", "id3 ": found.id3 = found.id3 ?? body
      default: break
      }
      let next = body + size + (size & 1)
      if next >= file.size { break }
      offset = next
    }
    return found
  }

  /// Reads the header; `nil` where the samples are compressed (IMA4, MACE …).
  static func read(_ file: ByteFile) throws(DecodingError) -> PCMSource? {
    let head = try Bytes(file.bytes(at: 0, count: 12), big: true)
    let compact = head.mark(8) == "AIFC"
    let chunks = try chunks(file)
    guard let common = chunks.common, common.count >= 18 else {
      throw DecodingError(.corrupt, "damaged file: no format chunk")
    }
    let bits = common.u16(6)
    let kind = compact && common.count >= 22 ? common.mark(18) : "NONE"
    guard let coding = coding(kind, bits: bits) else { return nil }
    let channels = common.u16(0)
    let rate = rate(common)
    try PCMSource.check(channels: channels, sampleRate: rate)
    let frameBytes = coding.bytes * channels
    let declared = common.u32(2)
    var frames: Int64 = 0
    if let sound = chunks.sound {
      let there = PCMSource.frames(
        declared: nil, offset: sound.offset, size: file.size, frameBytes: frameBytes)
      let chunk = sound.size / Int64(frameBytes)
      // A writer that could not go back leaves 0 or all ones in one of the two numbers.
      let sane = sound.size > 0 && sound.size < 0xFFFF_FFF0
      let counts = [declared > 0 ? declared : nil, sane ? chunk : nil].compactMap { $0 }
      frames = min(counts.min() ?? there, there)
    } else if declared > 0 {
      throw DecodingError(.corrupt, "damaged file: no samples in it")
    }
    return PCMSource(
      container: compact ? "AIFC" : "AIFF", codec: WaveHeader.codecName(coding), coding: coding,
      sampleRate: rate, layout: .usual(channels: channels), frameBytes: frameBytes,
      bitDepth: bits > 0 && bits < coding.bytes * 8 ? bits : coding.bytes * 8,
      dataOffset: chunks.sound?.offset ?? file.size, frames: frames, tags: chunks.tags,
      id3: chunks.id3)
  }

  /// How samples of that AIFC kind are written.
  private static func coding(_ kind: String, bits: Int) -> SampleCoding? {
    let bytes = (bits + 7) / 8
    switch kind {
    case "NONE", "twos", "none": return .signed(bytes: bytes, big: true)
    case "sowt": return .signed(bytes: bytes, big: false)
    case "raw ": return bytes == 1 ? .unsigned8 : nil
    case "in24": return .signed24(big: true)
    case "in32": return .signed32(big: true)
    case "42ni": return .signed24(big: false)
    case "23ni": return .signed32(big: false)
    case "fl32", "FL32": return .float32(big: true)
    case "fl64", "FL64": return .float64(big: true)
    case "ulaw", "ULAW": return .muLaw
    case "alaw", "ALAW": return .aLaw
    default: return nil
    }
  }

  /// The rate, an 80-bit extended float, to the nearest whole number; 0 where it is nonsense.
  private static func rate(_ common: Bytes) -> Int {
    let exponent = common.u16(8)
    let mantissa = common.u64(10)
    let power = exponent - 16383 - 63
    guard exponent & 0x8000 == 0, power > -64, power < -31 else { return 0 }
    let value = mantissa >> UInt64(-power - 1)
    return Int(value / 2 + value % 2)
  }

  private static let names = [
    "NAME": "title", "AUTH": "artist", "(c) ": "copyright", "ANNO": "comment",
  ]
}
