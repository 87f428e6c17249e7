import AudioTypes

/// Sony's Wave64: RIFF with 128-bit names and 64-bit sizes, everything on multiples of 8.
enum Wave64 {
  static let riff: [UInt8] = [
    0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0, 0,
  ]
  /// What follows the four letters in the names of all other chunks.
  private static let rest: [UInt8] = [
    0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A,
  ]

  /// Reads the header; `nil` where the samples are compressed.
  static func read(_ file: ByteFile) throws(DecodingError) -> PCMSource? {
    let head = try file.bytes(at: 24, count: 16)
    guard head.count == 16, head[..<4].elementsEqual("wave".utf8), head[4...].elementsEqual(rest)
    else { throw DecodingError(.notAudio, "not an audio file: a Wave64 shell without sound") }
    var format: WaveHeader.Format?
    var offset: Int64 = 40
    for _ in 0..<WaveHeader.mostChunks {
      let chunk = try Bytes(file.bytes(at: offset, count: 24))
      if chunk.count < 24 { break }
      let size = chunk.u64(16)
      let body = offset + 24
      if chunk.mark(0) == "fmt " && format == nil {
        format = try WaveHeader.read(Bytes(file.bytes(at: body, count: 64)))
      } else if chunk.mark(0) == "data", let format {
        return try source(file, format, offset: body, size: size)
      }
      // Sizes count the chunk's own head.
      guard size >= 24, size < UInt64(file.size) else { break }
      offset += Int64((size + 7) & ~7)
    }
    if let format, WaveHeader.coding(format, big: false) == nil { return nil }
    throw DecodingError(.corrupt, "damaged file: no samples in it")
  }

  private static func source(
    _ file: ByteFile, _ format: WaveHeader.Format, offset: Int64, size: UInt64
  ) throws(DecodingError) -> PCMSource? {
    guard let coding = WaveHeader.coding(format, big: false) else { return nil }
    try PCMSource.check(channels: format.channels, sampleRate: format.sampleRate)
    let frameBytes = coding.bytes * format.channels
    return PCMSource(
      container: "W64", codec: WaveHeader.codecName(coding), coding: coding,
      sampleRate: format.sampleRate,
      layout: format.mask.map { .wave(mask: $0, channels: format.channels) }
        ?? .usual(channels: format.channels),
      frameBytes: frameBytes, bitDepth: WaveHeader.bitDepth(format, coding), dataOffset: offset,
      frames: PCMSource.frames(
        // A writer that could not go back leaves 0 or all ones.
        declared: size > 24 && size < UInt64(Int64.max) ? Int64(size) - 24 : nil, offset: offset,
        size: file.size, frameBytes: frameBytes))
  }
}
