import AudioTypes

/// FLAC, Ogg Vorbis and the rarer uncompressed kinds, through libsndfile. (MP3 has its own reader
/// in front of the library: MP3Decoder.)
public final class SndfileDecoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { total }
  public var isSeekable: Bool { handle.isSeekable }

  private let handle: SndfileHandle
  private let total: Int64
  /// Frames decoded and dropped after a seek, because the codec's state reaches that far back: for
  /// Vorbis the longest block it may have.
  private let preroll: Int64
  private var position: Int64 = 0
  /// False where the library stands elsewhere than `position` (after the end).
  private var isInPlace = true

  /// The last frame to which the library may be sent.
  private let lastSafe: Int64

  init(_ file: ByteFile, _ fileKind: FileKind) throws(DecodingError) {
    let handle = try SndfileHandle(Self.stream(file, fileKind))
    self.handle = handle
    let kind = SndfileKind(handle.kind)
    guard handle.isSeekable, handle.frames >= 0, handle.frames < 1 << 48 else {
      throw DecodingError(.unsupported, "libsndfile cannot tell how long it is")
    }
    total = handle.frames
    if kind.isVorbis {
      guard let (page, before) = try OggPage.last(file) else {
        throw DecodingError(.unsupported, "several Vorbis streams in one file")
      }
      preroll = 8192
      // The last page ends before its last packet does, and libsndfile, which counts backwards
      // from the end of a page, lands too early in it (by as much as was cut off).
      lastSafe = max(0, min(total, total - (page.granule - before)) - preroll)
    } else {
      preroll = 8192
      lastSafe = total
    }
    let layout =
      kind.isVorbis
      ? .vorbis(channels: handle.channels)
      : handle.layout ?? .usual(channels: handle.channels)
    format = AudioFormat(sampleRate: handle.rate, layout: layout)
    var info = TrackInfo(format: format)
    info.container = fileKind == .oggFlac ? "Ogg" : kind.container
    info.codec = kind.codec
    info.bitDepth = kind.bits
    info.frames = total
    if total > 0 { info.bitRate = Int(Double(file.size) * 8 * Double(handle.rate) / Double(total)) }
    for (number, name) in SndfileKind.texts {
      if let text = handle.text(number) { info.tags.append((name, text)) }
    }
    self.info = info
  }

  /// What the library is to read.
  private static func stream(_ file: ByteFile, _ kind: FileKind) throws(DecodingError) -> ByteStream
  {
    guard kind == .flac || kind == .oggFlac else {
      return ByteStream(file, pieces: [0..<file.size])
    }
    // libsndfile 1.2.0 opens no FLAC in Ogg at all; it gets the plain stream that lies inside.
    let isOgg = kind == .oggFlac
    let whole = try ByteStream(
      file, pieces: isOgg ? OggPage.pieces(file, dropping: 9) : [0..<file.size])
    guard let header = FLACHeader(whole) else {
      if let failure = whole.failure { throw failure }
      throw DecodingError(.corrupt, "damaged file: its FLAC header is broken")
    }
    let frames = isOgg ? try OggPage.last(file)?.page.granule ?? 0 : 0
    return ByteStream(
      file, head: header.bytes(withSeekTable: !isOgg, frames: frames),
      pieces: whole.pieces(from: header.soundOffset))
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    let wanted = Int(min(Int64(buffer.count / format.channels), total - position))
    guard wanted > 0, let base = buffer.baseAddress else { return 0 }
    if !isInPlace { try move(to: position) }
    let count = unsafe handle.read(base, frames: wanted)
    position += Int64(count)
    if count == 0 {
      // A damaged tail ends the track; the next seek starts afresh.
      position = total
      isInPlace = false
      if let failure = handle.failure { throw failure }
    }
    return count
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    position = min(max(frame, 0), total)
    isInPlace = false
    if position < total { try move(to: position) }
  }

  /// Brings the library to a frame, the codec's state warmed up.
  private func move(to frame: Int64) throws(DecodingError) {
    let start = min(max(0, frame - preroll), lastSafe)
    guard handle.seek(to: start) else {
      throw handle.failure ?? DecodingError(.corrupt, "damaged file: no way to \(frame)")
    }
    var left = Int(frame - start)
    let channels = format.channels
    try unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 1024 * channels) {
      (scratch) throws(DecodingError) in
      while left > 0 {
        let count = unsafe handle.read(scratch.baseAddress!, frames: min(left, 1024))
        if count == 0 {
          throw handle.failure ?? DecodingError(.corrupt, "damaged file: no way to \(frame)")
        }
        left -= count
      }
    }
    isInPlace = true
  }
}

extension ChannelLayout {
  /// The order in which Vorbis (and Opus) interleaves.
  static func vorbis(channels: Int) -> ChannelLayout {
    switch channels {
    case 3: return ChannelLayout([.frontLeft, .frontCenter, .frontRight])
    case 5: return ChannelLayout([.frontLeft, .frontCenter, .frontRight, .backLeft, .backRight])
    case 6:
      return ChannelLayout(
        [.frontLeft, .frontCenter, .frontRight, .backLeft, .backRight, .lowFrequency])
    case 7:
      return ChannelLayout(
        [
          .frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .backCenter,
          .lowFrequency,
        ])
    case 8:
      return ChannelLayout(
        [
          .frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .backLeft, .backRight,
          .lowFrequency,
        ])
    default: return .usual(channels: channels)
    }
  }
}
