import AudioTypes

/// Plays uncompressed samples without any library. Reads by position through one fixed buffer:
/// memory does not depend on the length of the file, and reading allocates nothing.
@safe public final class PCMDecoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { source.frames }
  public var isSeekable: Bool { true }

  private let file: ByteFile
  private let source: PCMSource
  private let buffer: UnsafeMutableRawBufferPointer
  private var position: Int64 = 0

  init(file: ByteFile, source: PCMSource, tags: FileTags) throws(DecodingError) {
    self.file = file
    self.source = source
    format = AudioFormat(sampleRate: source.sampleRate, layout: source.layout)
    unsafe buffer = .allocate(
      byteCount: max(32 << 10, source.frameBytes), alignment: MemoryLayout<Double>.alignment)
    var info = TrackInfo(format: format)
    info.container = source.container
    info.codec = source.codec
    info.bitDepth = source.bitDepth
    info.bitRate = source.frameBytes * 8 * source.sampleRate
    info.frames = source.frames
    var all = source.tags
    all.add(tags)
    all.apply(to: &info)
    self.info = info
  }

  deinit { unsafe buffer.deallocate() }

  public func read(into out: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    let channels = format.channels
    let wanted = Int(min(Int64(out.count / channels), source.frames - position))
    guard wanted > 0, let base = out.baseAddress else { return 0 }
    let atOnce = unsafe buffer.count / source.frameBytes
    var done = 0
    while done < wanted {
      let bytes = min(atOnce, wanted - done) * source.frameBytes
      let (got, reason) = unsafe file.readSome(
        at: source.dataOffset + position * Int64(source.frameBytes),
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes]))
      let frames = got / source.frameBytes
      unsafe source.coding.convert(
        UnsafeRawBufferPointer(buffer), to: base + done * channels, count: frames * channels)
      done += frames
      position += Int64(frames)
      if let reason {
        // What was read is played; the next call meets the fault again.
        if done == 0 { throw ByteFile.error(reason) }
        break
      }
      if got < bytes {
        // The file has shrunk under us: its end is where it is now.
        if done == 0 { position = source.frames }
        break
      }
    }
    return done
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    position = min(max(frame, 0), source.frames)
  }
}
