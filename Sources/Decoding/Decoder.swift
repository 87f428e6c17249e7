import AudioTypes

/// One open track. Used by one thread at a time; nothing in it is shared.
///
/// A decoder's frames are what should sound: encoder delay and padding are trimmed, frame 0 is the
/// first frame of music, and the frames after a seek equal those of a straight decode (each decoder
/// does the pre-roll that its codec needs, architecture decision 7).
public protocol Decoder: AnyObject {
  /// Rate and channels of the frames delivered: the file's own.
  var format: AudioFormat { get }
  /// The exact number of frames, or `nil` where only decoding to the end can tell (live streams).
  var frames: Int64? { get }
  /// False for pipes and live streams: `seek` then throws `.notSeekable`.
  var isSeekable: Bool { get }
  /// What the decoder knows of the file: codec, tags, pictures, chapters.
  var info: TrackInfo { get }

  /// Decodes the next frames, interleaved, into `buffer` (whole frames of `format.channels` floats,
  /// full scale ±1). Returns the number of frames, 0 only at the end. A damaged stretch is skipped
  /// where the codec can go on; otherwise throws `.corrupt`, and what came before has been returned.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int

  /// Makes `frame` the next frame to be read. Past the end is the end. May be called again after
  /// the end or after an error.
  func seek(to frame: Int64) throws(DecodingError)
}
