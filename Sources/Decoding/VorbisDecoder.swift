import AudioTypes

/// Ogg Vorbis. libsndfile turns pages into sound; where to begin is found here, because seeks of
/// libsndfile 1.2.0 land wrong now and then (Docs/Decisions/0011-clean-streams.md). For every seek it
/// gets a stream of its own that begins at the right page.
public final class VorbisDecoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { total }
  public var isSeekable: Bool { true }

  private let stream: OggVorbisStream
  private var sound: RestartedSound
  private let total: Int64

  init(_ file: ByteFile, _ tags: FileTags) throws(DecodingError) {
    stream = try OggVorbisStream(file)
    let handle = try SndfileHandle(stream.stream(to: 0))
    guard handle.channels == stream.channels, handle.rate == stream.sampleRate,
      handle.frames >= 0, handle.frames <= stream.end
    else { throw DecodingError(.corrupt, "damaged file: its Vorbis header is broken") }
    total = handle.frames
    sound = RestartedSound(frames: total, channels: handle.channels, handle: handle)
    format = AudioFormat(
      sampleRate: handle.rate, layout: .vorbis(channels: handle.channels))
    var info = TrackInfo(format: format)
    info.container = "Ogg"
    info.codec = "Vorbis"
    info.frames = total
    // A picture among the tags is no sound.
    let texts = stream.comments.reduce(Int64(0)) { $0 + Int64($1.count) }
    info.bitRate = TrackInfo.averageBitRate(
      bytes: file.size - texts, seconds: format.seconds(atFrame: total))
    let comments = ByteStream(file, pieces: stream.comments)
    var all = VorbisComments.read(comments, at: 7, end: comments.length)
    all.add(missingFrom: tags)
    all.apply(to: &info)
    self.info = info
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    try unsafe sound.read(into: buffer, open: open)
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    try sound.seek(to: frame, open: open)
  }

  /// Opens the stream so that `position` is the next frame.
  private func open(at position: Int64) throws(DecodingError) -> SndfileHandle? {
    let target = stream.end - total + position
    var handle = try SndfileHandle(stream.stream(to: target))
    var left = target - (stream.end - handle.frames)
    if left < 0 || handle.channels != format.channels {
      // The pages do not count as they should: the long way is the sure one.
      handle = try SndfileHandle(stream.stream(to: 0))
      left = position
    }
    guard handle.channels == format.channels else {
      throw DecodingError(.corrupt, "damaged file: its format changes on the way")
    }
    handle.drop(left)
    return handle
  }
}
