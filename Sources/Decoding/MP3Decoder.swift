import AudioTypes

/// MP3. The frames are found, counted and trimmed here; libsndfile (mpg123) only turns them into
/// sound. It gets a clean stream that begins a little before the wanted frame, so that a seek does
/// not depend on what was played before.
public final class MP3Decoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { sound.total }
  public var isSeekable: Bool { true }

  private let stream: MPEGStream
  private var sound: RestartedSound
  /// Samples of the stream before the music.
  private let skip: Int64

  /// Frames of the stream decoded and dropped after a seek, to begin with. A frame takes bits from
  /// up to 511 bytes of sound before it, which is 9 frames at 32 kbit/s.
  private static let preroll: Int64 = 14
  /// Frames that must be whole before the wanted one: the filters reach back two.
  private static let warmUp: Int64 = 3
  /// The library's filter turns in a ring of 16 that comes round after 8 frames at the latest.
  /// Beginning there gives the last bit of every sample as in a straight decode.
  private static let phase: Int64 = 8

  /// The frame to begin with at or before a frame.
  private static func start(_ frame: Int64) -> Int64 { max(0, frame) / phase * phase }

  init(_ file: ByteFile, _ tags: FileTags) throws(DecodingError) {
    stream = try MPEGStream(file)
    let header = stream.header
    let samples = Int64(header.samples)
    let raw = stream.count * samples
    let tag = stream.tag
    let total: Int64
    if let delay = tag?.delay, let padding = tag?.padding,
      delay + MPEGTag.decoderDelay < raw, delay + padding < raw
    {
      skip = delay + MPEGTag.decoderDelay
      total = min(raw - delay - padding, raw - skip)
    } else {
      skip = 0
      total = raw
    }
    format = AudioFormat(
      sampleRate: header.sampleRate, layout: .usual(channels: header.channels))
    var info = TrackInfo(format: format)
    info.container = "MP3"
    info.codec = "MP3"
    info.frames = total
    if let delay = tag?.delay, let padding = tag?.padding, skip > 0 {
      info.gapless = TrackInfo.Gapless(delay: delay, padding: padding)
    }
    info.bitRate = TrackInfo.averageBitRate(
      bytes: file.size, seconds: format.seconds(atFrame: raw))
    var tags = tags
    tags.add(missingFrom: stream.endTags)
    tags.apply(to: &info)
    self.info = info
    sound = RestartedSound(frames: total, channels: format.channels)
    try sound.seek(to: 0, open: open)
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    try unsafe sound.read(into: buffer, open: open)
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    try sound.seek(to: frame, open: open)
  }

  /// Opens the stream so that `position` is the next frame; `nil` where the tag promised more than
  /// there is.
  private func open(at position: Int64) throws(DecodingError) -> SndfileHandle? {
    let samples = Int64(stream.header.samples)
    let raw = position + skip
    let target = raw / samples
    var back = Self.preroll
    var first = Self.start(target - back)
    var silent: (bytes: [UInt8], frames: Int64) = ([], 0)
    while first > 0 {
      silent = try stream.silenced(from: first)
      if first + silent.frames + Self.warmUp <= target { break }
      // At the lowest rates the store reaches over dozens of frames.
      silent = ([], 0)
      back *= 2
      first = Self.start(target - back)
    }
    let pieces = try stream.pieces(from: first + silent.frames)
    // Without a tag the library reckons how long the stream is, and reads no further than that.
    // What it reckons from a greater length is always enough; the end is where the bytes end.
    let length = pieces.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    if length == 0 { return nil }
    let handle = try SndfileHandle(
      ByteStream(
        stream.file, head: silent.bytes, pieces: pieces, toldLength: (length + 1 << 20) * 64))
    guard handle.channels == format.channels, handle.rate == format.sampleRate else {
      throw DecodingError(.corrupt, "damaged file: its format changes on the way")
    }
    handle.drop(raw - first * samples)
    return handle
  }
}
