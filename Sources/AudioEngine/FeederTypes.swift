import AudioTypes
import Decoding
import OutputInterface

/// What the control thread asks the decoder's for, and what it is told.
extension Feeder {
  /// What the control thread asks for. The newest jump wins.
  struct Inbox {
    var jump: Jump?
    /// A jump was taken up, and neither wished for nor given up yet.
    var isPreparing = false
    var session: OpenOutput?
    /// The stream is gone: nothing is decoded for it any more.
    var isDetached = false
    /// Whether the user wants the source held: carried by the wish that a jump makes.
    var isHeld = false
    /// Held for long: what was opened for a jump is closed when it has told what it is.
    var isLetGo = false
    var isClosing = false
    /// Ends the waiting for a server while a track is opened.
    var opening: FFmpegAbort?

    /// What is being opened is not wanted any more.
    var isSuperseded: Bool { jump != nil || isClosing }
  }

  struct Jump {
    var index: Int
    var seconds: Double
    /// True for a seek within the heard track.
    var isSeek: Bool
    /// The same sound on another stream: what cannot be sought goes on where its decoder is.
    var resumes = false
    /// When not negative, the frame of the heard source that is at `seconds`: the new one goes on
    /// exactly where that one is when it is taken.
    var follows: Int64 = -1
  }

  /// A track that needs a stream of its own rate, because nothing resamples here.
  struct RateBreak {
    var rate: Int
    var jump: Jump
  }

  /// What it tells the control thread.
  enum Report: Sendable {
    case failed(index: Int, location: TrackLocation, error: DecodingError)
    /// A jump has been wished for, or a join was decoded: places changed.
    case placed
    /// All of the sounding source is decoded: its end is known.
    case complete
    /// Nothing from the asked track on could be opened.
    case nothingPlayable
    /// The seek could not be done.
    case seekFailed(DecodingError)
    /// Without a resampler the stream must have this rate for what follows.
    case needsRate(RateBreak)
  }

  /// What follows a source in its own ring.
  enum Joined: Equatable, Sendable {
    case track(Int)
    case end
  }
}
