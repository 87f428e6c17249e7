/// Sound for which libsndfile gets a stream of its own after every seek: one that begins at the right
/// place, so that frames do not depend on what was played before
/// (Docs/Decisions/0011-clean-streams.md).
struct RestartedSound {
  let total: Int64
  private let channels: Int
  private var handle: SndfileHandle?
  private var position: Int64 = 0

  /// Opens the stream so that a frame is the next one; `nil` where there is no sound. It may not ask
  /// for anything of this value, which is being changed.
  typealias Opener = (Int64) throws(DecodingError) -> SndfileHandle?

  /// `handle`, where there is one already, stands on the first frame.
  init(frames: Int64, channels: Int, handle: SndfileHandle? = nil) {
    total = frames
    self.channels = channels
    self.handle = handle
  }

  mutating func read(
    into buffer: UnsafeMutableBufferPointer<Float>, open: Opener
  ) throws(DecodingError) -> Int {
    let wanted = Int(min(Int64(buffer.count / channels), total - position))
    guard wanted > 0, let base = buffer.baseAddress else { return 0 }
    if handle == nil { handle = try open(position) }
    let count = unsafe handle?.read(base, frames: wanted) ?? 0
    position += Int64(count)
    if count == 0 {
      let failure = handle?.failure
      handle = nil
      position = total
      if let failure { throw failure }
    }
    return count
  }

  mutating func seek(to frame: Int64, open: Opener) throws(DecodingError) {
    position = min(max(frame, 0), total)
    handle = nil
    if position < total { handle = try open(position) }
    if handle == nil { position = total }
  }
}
