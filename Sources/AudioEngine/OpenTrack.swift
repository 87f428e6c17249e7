import AudioTypes
import Decoding
import Realtime

/// A track with its decoder. The decoder's thread only, but for the constants.
@safe final class OpenTrack: @unchecked Sendable {
  let index: Int
  let location: TrackLocation
  let decoder: any Decoder
  /// Which loudness tags were asked for, and what they make of it.
  let loudness: LoudnessMode
  let gain: Gain
  let info: TrackInfo
  /// True until a frame has been asked for.
  var isFresh = true
  /// Where it begins, in seconds, when it is joined to another one.
  var begins = 0.0

  /// Opens it. Blocks on the disk, or on the network until `abort` is raised.
  init(
    index: Int, location: TrackLocation, loudness: LoudnessMode, abort: FFmpegAbort? = nil
  ) throws(DecodingError) {
    self.index = index
    self.location = location
    decoder = try TrackOpener.open(location, abort: abort)
    info = decoder.info
    self.loudness = loudness
    gain = info.loudness.gain(loudness) ?? .unity
  }
}

/// Where a track begins in the frames of a ring.
struct Place: Sendable {
  /// Grows with every place.
  var id: Int
  /// True where a seek went on with the track that was heard.
  var isSeek: Bool
  /// True where the same sound goes on on another stream: nobody has jumped.
  var isResumed: Bool
  var frame: Int64
  var index: Int
  var info: TrackInfo
  /// By its loudness tags.
  var gain: Gain
  /// The track's own time at that frame, in seconds, and its length.
  var offset: Double
  var duration: Double?

  init(
    id: Int, frame: Int64, track: OpenTrack, offset: Double, isSeek: Bool = false,
    isResumed: Bool = false
  ) {
    self.id = id
    self.isSeek = isSeek
    self.isResumed = isResumed
    self.frame = frame
    index = track.index
    info = track.info
    gain = track.gain
    self.offset = offset
    duration = track.decoder.frames.map { track.decoder.format.seconds(atFrame: $0) }
  }
}

/// The source that is being decoded. The decoder's thread only.
@safe final class Feed {
  /// Frames decoded between two looks at the inbox.
  static let blockFrames = 4096

  let slot: Int
  let ring: SourceRing
  let pipeline: Pipeline
  /// The track whose frames come now.
  private(set) var track: OpenTrack
  /// It is decoded from its first frame on.
  private var isWhole: Bool
  /// What the pipeline had decoded when it began.
  private var decodedBefore: Int64 = 0
  private var hasEnded = false
  /// Tracks in which there was no frame, since the last one in which there was: a queue that repeats
  /// would go round them for ever.
  private(set) var barren: Set<Int> = []

  init(slot: Int, ring: SourceRing, pipeline: Pipeline, track: OpenTrack, isWhole: Bool) {
    self.isWhole = isWhole
    self.slot = slot
    self.ring = ring
    self.pipeline = pipeline
    self.track = track
  }

  /// Another track was joined: its frames come now.
  func join(_ track: OpenTrack, isWhole: Bool) {
    self.track = track
    self.isWhole = isWhole
    hasEnded = false
  }

  /// The present track has given its last frame: keeps in mind whether there was any.
  func endTrack() {
    if hasEnded { return }
    hasEnded = true
    if pipeline.decodedFrames > decodedBefore {
      barren = []
    } else if isWhole {
      barren.insert(track.index)
    }
    decodedBefore = pipeline.decodedFrames
  }
}
