import AudioTypes

/// A part of a file as a track of its own: a CUE sheet's or a chapter's. The bounds are rounded to
/// the nearest frame, so that the end of one part and the beginning of the next are one frame.
public final class RangeDecoder: Decoder {
  public let format: AudioFormat
  public let frames: Int64?
  public let info: TrackInfo
  public var isSeekable: Bool { whole.isSeekable }

  private let whole: any Decoder
  private let first: Int64
  private var position: Int64 = 0

  /// The part from `start` to `end` (seconds; `nil` is the end of the file) of `whole`, whose next
  /// frame must be its first where it cannot seek.
  public init(_ whole: any Decoder, start: Double, end: Double?) throws(DecodingError) {
    self.whole = whole
    format = whole.format
    let all = whole.frames
    let first = min(whole.format.frame(atSeconds: start), all ?? .max)
    self.first = first
    let last = end.map { min(whole.format.frame(atSeconds: $0), all ?? .max) } ?? all
    frames = last.map { max(0, $0 - first) }
    var info = whole.info
    info.frames = frames
    self.info = info
    if first > 0 { try whole.seek(to: first) }
  }

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    var wanted = buffer.count / format.channels
    if let frames { wanted = Int(min(Int64(wanted), frames - position)) }
    guard wanted > 0 else { return 0 }
    let part = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<(wanted * format.channels)])
    let count = try unsafe whole.read(into: part)
    position += Int64(count)
    return count
  }

  public func seek(to frame: Int64) throws(DecodingError) {
    let target = min(max(frame, 0), frames ?? .max - first)
    try whole.seek(to: first + target)
    position = target
  }
}
