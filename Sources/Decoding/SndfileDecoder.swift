import AudioTypes

/// FLAC and the rarer uncompressed kinds, through libsndfile. (MP3 and Vorbis have readers of their
/// own in front of the library.)
public final class SndfileDecoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { total }
  public var isSeekable: Bool { handle.isSeekable }

  private var handle: SndfileHandle
  private let file: ByteFile
  private let fileKind: FileKind
  /// Frames lost in a damaged stretch, given as silence so that all that follows keeps its time.
  private var silence: Int64 = 0
  private let total: Int64
  private var position: Int64 = 0
  /// False where the library stands elsewhere than `position` (after the end).
  private var isInPlace = true

  init(_ file: ByteFile, _ fileKind: FileKind, _ tags: FileTags) throws(DecodingError) {
    let (stream, comments, sound) = try Self.stream(file, fileKind)
    let handle = try SndfileHandle(stream)
    self.handle = handle
    self.file = file
    self.fileKind = fileKind
    let kind = SndfileKind(handle.kind)
    guard handle.isSeekable, handle.frames >= 0, handle.frames < 1 << 48 else {
      throw DecodingError(.unsupported, "libsndfile cannot tell how long it is")
    }
    total = handle.frames
    let layout = handle.layout ?? .usual(channels: handle.channels)
    format = AudioFormat(sampleRate: handle.rate, layout: layout)
    var info = TrackInfo(format: format)
    info.container = fileKind == .oggFlac ? "Ogg" : kind.container
    info.codec = kind.codec
    info.bitDepth = kind.bits
    info.frames = total
    info.bitRate = TrackInfo.averageBitRate(
      bytes: sound, seconds: format.seconds(atFrame: total))
    var all = comments
    for (number, name) in SndfileKind.texts where comments.tags.isEmpty {
      if let text = handle.text(number) { all.add(name, text) }
    }
    all.add(missingFrom: tags)
    all.apply(to: &info)
    self.info = info
  }

  /// What the library is to read, and the bytes of it that are sound: of FLAC those behind the
  /// pictures, the tags and the padding.
  private static func stream(
    _ file: ByteFile, _ kind: FileKind
  ) throws(DecodingError) -> (stream: ByteStream, tags: FileTags, sound: Int64) {
    guard kind == .flac || kind == .oggFlac else {
      return (ByteStream(file, pieces: [0..<file.size]), FileTags(), file.size)
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
    var tags = FileTags()
    if let comments = header.comments {
      tags = VorbisComments.read(whole, at: comments.lowerBound, end: comments.upperBound)
    }
    if let picture = header.picture {
      tags.picture = TrackInfo.Picture(type: picture.type, bytes: picture.bytes)
    }
    let pieces = whole.pieces(from: header.soundOffset)
    let stream = ByteStream(
      file, head: header.bytes(withSeekTable: !isOgg, frames: frames), pieces: pieces)
    return (stream, tags, pieces.reduce(0) { $0 + Int64($1.count) })
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    let wanted = Int(min(Int64(buffer.count / format.channels), total - position))
    guard wanted > 0, let base = buffer.baseAddress else { return 0 }
    if !isInPlace { try move(to: position) }
    var count = 0
    if silence == 0 {
      count = unsafe handle.read(base, frames: wanted)
      if count == 0, try stepOver() { return try unsafe read(into: buffer) }
    } else {
      count = Int(min(Int64(wanted), silence))
      silence -= Int64(count)
      for index in 0..<count * format.channels { unsafe base[index] = 0 }
    }
    position += Int64(count)
    if count == 0 {
      // A damaged tail ends the track; the next seek starts afresh.
      let missing = total - position
      position = total
      isInPlace = false
      if let failure = handle.failure { throw failure }
      try checkEnd(missing: missing)
    }
    return count
  }

  /// A FLAC file that ends before its header says is cut short: what there was has been delivered.
  /// The library ends there without a word. The length of other kinds is that of the file itself.
  private func checkEnd(missing: Int64) throws(DecodingError) {
    guard fileKind == .flac || fileKind == .oggFlac, missing > Int64(format.sampleRate) / 20 else {
      return
    }
    let seconds = Int(format.seconds(atFrame: missing).rounded(.up))
    throw DecodingError(.corrupt, "is cut short: the last \(seconds) s are missing")
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    position = min(max(frame, 0), total)
    isInPlace = false
    silence = 0
    if position < total { try move(to: position) }
  }

  /// Goes on behind a damaged stretch of FLAC, which the library does not; false where it is no
  /// FLAC or nothing whole follows.
  private func stepOver() throws(DecodingError) -> Bool {
    guard fileKind == .flac || fileKind == .oggFlac else { return false }
    // An encoder's usual block has 4096 frames; after a failed seek a handle is of no more use.
    var step: Int64 = 4096
    while position + step < total {
      guard let fresh = try? SndfileHandle(Self.stream(file, fileKind).stream),
        fresh.channels == format.channels
      else { return false }
      if fresh.seek(to: position + step), fresh.drop(1), fresh.seek(to: position + step) {
        handle = fresh
        silence = step
        return true
      }
      step *= 2
    }
    return false
  }

  /// Brings the library to a frame. What it plays has no memory, so no frame before it is needed.
  private func move(to frame: Int64) throws(DecodingError) {
    guard handle.seek(to: frame) else {
      throw handle.failure ?? DecodingError(.corrupt, "damaged file: no way to frame \(frame)")
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
