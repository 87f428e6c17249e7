import AudioEngine
import AudioOutput
import AudioTypes
import Bus
import Decoding
import Glibc
import MusicLibrary
import OutputInterface

/// `sotto render`: the samples that playing would give, into a file or a pipe.
@MainActor enum RenderCommand {
  /// Why a render ended early, to tell one from the other.
  private enum Stop: Error {
    case interrupted(CInt)
    case closedPipe
  }

  /// From this many seconds on a render keeps the machine awake.
  private static let longRender = 2.0

  static func run(_ options: RenderOptions) throws(UsageError) {
    let isRaw = options.out == [UInt8(ascii: "-")]
    if isRaw, isatty(STDOUT_FILENO) == 1 {
      throw UsageError(sentence: "samples are not written on a terminal; use a pipe or a file name")
    }
    guard let track = track(options.path) else { return }
    if !isRaw, Descriptor.isSameFile(track.location.path, options.out) {
      return Messages.fault(options.out, "is the file to be read")
    }
    // Begun with the first samples: where there are none, a file that was there stays.
    var begun: Sink?
    do {
      guard let work = try Work(track.location, options) else { return }
      Signals.setFlagMode()
      // A long one is not slept through (S40).
      let began = ScanLine.seconds()
      var inhibitor: SleepInhibitor?
      defer { inhibitor?.end() }
      do {
        try unsafe work.run { samples in
          if let number = Signals.interruption { throw Stop.interrupted(number) }
          if inhibitor == nil, ScanLine.seconds() - began > longRender {
            inhibitor = SleepInhibitor(why: "rendering music")
          }
          let sink = try begun ?? Sink(options, isRaw: isRaw, format: work.format)
          begun = sink
          try unsafe sink.write(samples)
        }
        if begun == nil, let from = options.from, from > 0 {
          let ending = options.replay == nil ? "ends" : "the replay ends"
          return Messages.fault(track.location.path, "\(ending) before \(seconds(from)) s")
        }
        try (begun ?? Sink(options, isRaw: isRaw, format: work.format)).finish()
      } catch let error as DecodingError {
        // What came before the damage has been written and stays.
        try begun?.finish()
        Messages.fault(track.location.path, error.sentence)
      }
    } catch let error as DecodingError {
      Messages.fault(track.location.path, error.sentence)
    } catch let error as OutputError {
      // As below: it would need the room, too, that the disk has not.
      if !isRaw, begun != nil { WAVWriter.remove(options.out) }
      Messages.fault(options.out, error.sentence)
    } catch Stop.interrupted(let number) {
      // Half a file must not pass for a whole one.
      if !isRaw, begun != nil { WAVWriter.remove(options.out) }
      if number == SIGINT { Exit.end(130) }
      Exit.end(bySignal: number)
    } catch Stop.closedPipe {
      Exit.end(bySignal: SIGPIPE)
    } catch {
      Messages.fault(track.location.path, "\(error)")
    }
  }

  /// "9" or "9.5", as people write it.
  private static func seconds(_ value: Double) -> String {
    value == value.rounded() && value < 1e15 ? "\(Int(value))" : "\(value)"
  }

  /// The one track that the argument means.
  private static func track(_ path: [UInt8]) -> ListedTrack? {
    var expansion = Expansion([path], collection: LibraryPlace.collection(for: [path]))
    var found: ListedTrack?
    while let item = expansion.next() {
      switch item {
      case .fault(let fault): Messages.fault(fault.path, fault.sentence)
      case .track(let track):
        guard found == nil else {
          Messages.fault(path, "holds more than one track, and render takes one")
          return nil
        }
        found = track
      }
    }
    return found
  }

  /// What is rendered: the track as it is, or under the events of a replay.
  @MainActor private enum Work {
    case track(OfflineRender)
    case replay(ScheduledRender, ReplaySchedule, from: Double, to: Double)

    /// `nil` after a line that says what is wrong with the replay.
    init?(_ location: TrackLocation, _ options: RenderOptions) throws {
      guard let replay = options.replay else {
        self = .track(
          try OfflineRender(
            location: location, rate: options.rate, from: options.from, to: options.to,
            gain: options.gain))
        return
      }
      let render = try ScheduledRender(
        location: location, rate: options.rate, gain: options.gain)
      guard let schedule = ReplaySchedule(replay, duration: render.duration) else { return nil }
      self = .replay(
        render, schedule, from: options.from ?? 0, to: min(options.to ?? .infinity, schedule.end))
    }

    var format: AudioFormat {
      switch self {
      case .track(let render): render.format
      case .replay(let render, _, _, _): render.format
      }
    }

    func run(_ sink: (UnsafeBufferPointer<Float>) throws -> Void) throws {
      switch self {
      case .track(let render): try unsafe render.run(sink)
      case .replay(let render, let schedule, let from, let to):
        try unsafe render.run(schedule.changes, from: from, to: to, sink)
      }
    }
  }

  /// Where samples go.
  private final class Sink {
    private let writer: WAVWriter?
    private let format: SampleFormat
    private let channels: Int
    /// Raw samples come in the order of a WAV file too, whatever order the codec has.
    private let order: [Int]
    private var bytes: [UInt8] = []

    init(_ options: RenderOptions, isRaw: Bool, format: AudioFormat) throws {
      self.format = options.format
      channels = format.channels
      order = WAVWriter.waveOrder(format.layout).order
      let sample = WAVWriter.Sample(rawValue: options.format.rawValue) ?? .f32
      writer = isRaw ? nil : try WAVWriter(path: options.out, format: format, sample: sample)
    }

    func write(_ samples: UnsafeBufferPointer<Float>) throws {
      if let writer { return try unsafe writer.write(samples) }
      bytes.removeAll(keepingCapacity: true)
      let sample = WAVWriter.Sample(rawValue: format.rawValue) ?? .f32
      for frame in 0..<samples.count / max(channels, 1) {
        for source in order {
          WAVWriter.append(unsafe samples[frame * channels + source], as: sample, to: &bytes)
        }
      }
      let cause = Descriptor.write(bytes, to: STDOUT_FILENO)
      if cause == EPIPE { throw Stop.closedPipe }
      if cause != 0 {
        throw OutputError(
          .fileError, "cannot be written: \(Descriptor.sentence(cause))", underlying: Int(cause))
      }
    }

    func finish() throws { try writer?.finish() }
  }
}
