import AudioTypes

/// Everything that the other two decoders do not play, through FFmpeg's libraries.
public final class FFmpegDecoder: Decoder {
  public let format: AudioFormat
  public let info: TrackInfo
  public var frames: Int64? { info.frames }
  public var isSeekable: Bool { false }

  public init(path: [UInt8], isURL: Bool) throws(DecodingError) {
    throw DecodingError(
      .libraryMissing, "needs FFmpeg: install libavformat59 and libavcodec59")
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    0
  }

  public func seek(to frame: Int64) throws(DecodingError) {}
}
