import AudioTypes

/// The WAVE family: RIFF and RIFX, RF64 and BW64 (EBU 3306), in any order of chunks that is found
/// in the wild.
enum WaveHeader {
  /// What `fmt ` says.
  struct Format {
    var tag: Int
    var channels: Int
    var sampleRate: Int
    var frameBytes: Int
    var bits: Int
    var mask: UInt32?
    /// Bits that count, 0 where it is not told.
    var valid = 0
  }

  /// More chunks than this before the samples are no file that someone wrote.
  static let mostChunks = 4096

  /// What the chunks say.
  private struct Chunks {
    var format: Format?
    /// Where the samples lie, and how many bytes they are.
    var data: (offset: Int64, size: Int64)?
    var tags = FileTags()
    /// Where an ID3v2 tag lies.
    var id3: Int64?
  }

  /// Reads the header. `nil` where the samples are compressed (ADPCM, MP3 in WAV …): another
  /// decoder's business.
  static func read(_ file: ByteFile) throws(DecodingError) -> PCMSource? {
    let head = try Bytes(file.bytes(at: 0, count: 12))
    let kind = head.mark(0)
    let big = kind == "RIFX"
    let chunks = try chunks(file, kind, riffSize: Bytes(head.bytes, big: big).u32(4))
    guard let format = chunks.format else {
      throw DecodingError(.corrupt, "damaged file: no format chunk")
    }
    guard let data = chunks.data else {
      // A compressed file without sound is told by the decoder that would have to play it.
      if coding(format, big: big) == nil { return nil }
      throw DecodingError(.corrupt, "damaged file: no samples in it")
    }
    guard let coding = coding(format, big: big) else { return nil }
    try PCMSource.check(channels: format.channels, sampleRate: format.sampleRate)
    let frameBytes = coding.bytes * format.channels
    return PCMSource(
      container: kind == "RIFF" ? "WAV" : kind,
      codec: codecName(coding), coding: coding, sampleRate: format.sampleRate,
      layout: format.mask.map { .wave(mask: $0, channels: format.channels) }
        ?? .usual(channels: format.channels),
      frameBytes: frameBytes, bitDepth: bitDepth(format, coding), dataOffset: data.offset,
      frames: data.size / Int64(frameBytes), tags: chunks.tags, id3: chunks.id3)
  }

  /// Goes through the chunks, in whatever order they are. `riffSize`: what the file says of its length.
  private static func chunks(
    _ file: ByteFile, _ kind: String, riffSize: Int64
  ) throws(DecodingError) -> Chunks {
    let big = kind == "RIFX"
    let long = kind == "RF64" || kind == "BW64"
    var found = Chunks()
    var wideSize: Int64?
    var offset: Int64 = 12
    for _ in 0..<mostChunks {
      let chunk = try Bytes(file.bytes(at: offset, count: 8), big: big)
      if chunk.count < 8 { break }
      var size = chunk.u32(4)
      let body = offset + 8
      switch chunk.mark(0) {
      case "ds64":
        let sizes = try Bytes(file.bytes(at: body, count: 24))
        if long, sizes.count >= 16 { wideSize = Int64(clamping: sizes.u64(8)) }
      case "fmt ":
        if found.format == nil {
          let bytes = try Bytes(file.bytes(at: body, count: Int(min(size, 64))), big: big)
          found.format = try read(bytes)
        }
      case "data":
        if found.data == nil {
          let left = file.size - body
          let declared = declaredSize(size, wide: long ? wideSize : nil, left: left)
          // A writer that could not go back leaves 0 in both places; a truly empty file is right
          // about its own size.
          let streamed = size == 0 && !long && riffSize + 8 != file.size
          size = streamed ? left : min(declared ?? left, left)
          found.data = (body, size)
        }
      case "LIST": try info(file, at: body, size: size, big: big, into: &found.tags)
      case "id3 ", "ID3 ": found.id3 = found.id3 ?? body
      default: break
      }
      let next = body + size + (size & 1)
      if next <= offset || next >= file.size { break }
      offset = next
    }
    return found
  }

  /// The size of the samples as the header means it; `nil` where it does not know.
  static func declaredSize(_ size: Int64, wide: Int64?, left: Int64) -> Int64? {
    if size == 0xFFFF_FFFF { return wide.flatMap { $0 > 0 ? $0 : nil } }
    if let wide, wide > 0 { return wide }
    // More than 4 GiB written by a program that counts in 32 bits.
    if left > 0xFFFF_FFFF, left & 0xFFFF_FFFF == size { return nil }
    return size
  }

  /// Reads the body of `fmt `.
  static func read(_ bytes: Bytes) throws(DecodingError) -> Format {
    guard bytes.count >= 14 else {
      throw DecodingError(.corrupt, "damaged file: its format chunk is too short")
    }
    var format = Format(
      tag: bytes.u16(0), channels: bytes.u16(2), sampleRate: Int(bytes.u32(4)),
      frameBytes: bytes.u16(12), bits: bytes.u16(14), mask: nil)
    if format.tag == 0xFFFE, bytes.count >= 40 {
      // The rest of the identifier must be that of the wave tags, or of B-format.
      let rest = bytes.bytes[26..<40]
      let wave: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
      let bigWave: [UInt8] = [0, 0, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
      if rest.elementsEqual(wave) {
        format.tag = bytes.u16(24)
      } else if bytes.big, bytes.bytes[28..<40].elementsEqual(bigWave) {
        format.tag = Int(bytes.u32(24))
      }
      format.mask = UInt32(truncatingIfNeeded: bytes.u32(20))
      // Fewer valid bits than the container has: the samples stand at its top.
      format.valid = bytes.u16(18)
    }
    return format
  }

  /// How samples of that format are written; `nil` for compressed ones.
  static func coding(_ format: Format, big: Bool) -> SampleCoding? {
    let channels = max(format.channels, 1)
    // The block size tells the container; where it is nonsense the number of bits does.
    var bytes = (format.bits + 7) / 8
    if format.frameBytes % channels == 0, format.frameBytes / channels >= bytes,
      format.frameBytes / channels <= 8
    {
      bytes = format.frameBytes / channels
    }
    switch format.tag {
    case 1: return bytes == 1 ? .unsigned8 : .signed(bytes: bytes, big: big)
    case 3:
      return bytes == 4 ? .float32(big: big) : bytes == 8 ? .float64(big: big) : nil
    case 6: return .aLaw
    case 7: return .muLaw
    default: return nil
    }
  }

  static func bitDepth(_ format: Format, _ coding: SampleCoding) -> Int {
    let all = coding.bytes * 8
    if format.valid > 0 && format.valid < all { return format.valid }
    return format.bits > 0 && format.bits < all ? format.bits : all
  }

  /// The codec's name for people and for `info`.
  static func codecName(_ coding: SampleCoding) -> String {
    switch coding {
    case .muLaw: return "G.711 µ-law"
    case .aLaw: return "G.711 A-law"
    case .float32, .float64: return "PCM float"
    default: return "PCM"
    }
  }

  /// Adds the tags of a LIST INFO chunk.
  static func info(
    _ file: ByteFile, at offset: Int64, size: Int64, big: Bool, into tags: inout FileTags
  ) throws(DecodingError) {
    let list = try Bytes(file.bytes(at: offset, count: Int(min(size, 256 << 10))), big: big)
    guard list.mark(0) == "INFO" else { return }
    var at = 4
    while at + 8 <= list.count {
      let length = Int(list.u32(at + 4))
      let end = min(list.count, at + 8 + length)
      if let name = infoNames[list.mark(at)] {
        tags.add(name, headerText(list.bytes[at + 8..<end]))
      }
      at = end + (length & 1)
    }
  }

  private static let infoNames: [String: String] = [
    "INAM": "title", "IART": "artist", "IPRD": "album", "ICRD": "date", "IGNR": "genre",
    "ICMT": "comment", "ITRK": "track", "IPRT": "track", "ICOP": "copyright", "ISFT": "encoder",
    "IMUS": "composer", "ILNG": "language",
  ]
}
