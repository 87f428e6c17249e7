import AudioTypes
import Decoding
import OutputInterface
import Realtime

/// A short sound in memory, in a stream's format. Any thread; nothing changes in it.
@safe public final class LoadedSound: @unchecked Sendable {
  public let location: TrackLocation
  public let format: AudioFormat
  /// It is heard once, and not kept for another time.
  let isOnce: Bool
  let longest: Double
  let clip: Clip
  private let samples: UnsafeMutablePointer<Float>

  /// What is longer than this is cut: sounds are short.
  public static let longestSeconds = 60.0

  /// Decodes all of it, on the calling thread: for as long as the file takes.
  convenience init(_ location: TrackLocation, format: AudioFormat) throws(DecodingError) {
    try self.init(
      location, format: format, longest: Self.longestSeconds, isOnce: false, isWanted: { true })
  }

  /// Decodes a piece of a file that is to be heard once, on the calling thread.
  ///
  /// - Parameters:
  ///   - format: that of the stream on which it will be heard (`AudioEngine.soundFormat`).
  ///   - longest: seconds of it that are decoded.
  ///   - isWanted: asked now and then; once it says no, the rest is left out.
  public convenience init(
    pieceOf location: TrackLocation, format: AudioFormat, longest: Double,
    isWanted: () -> Bool = { true }
  ) throws(DecodingError) {
    try self.init(location, format: format, longest: longest, isOnce: true, isWanted: isWanted)
  }

  private init(
    _ location: TrackLocation, format: AudioFormat, longest: Double, isOnce: Bool,
    isWanted: () -> Bool
  ) throws(DecodingError) {
    let track = try OpenTrack(index: 0, location: location, loudness: .off)
    let pipeline = try Pipeline(track.decoder, gain: .unity, target: format, at: 0)
    pipeline.finish()
    let limit = Int(format.frame(atSeconds: longest))
    var decoded: [Float] = []
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096 * format.channels)
    defer { unsafe block.deallocate() }
    while !pipeline.isOver, decoded.count < limit * format.channels, isWanted() {
      let frames = try unsafe pipeline.read(into: block)
      unsafe decoded.append(contentsOf: block[..<(frames * format.channels)])
    }
    let frames = min(decoded.count / format.channels, limit)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(frames * format.channels, 1))
    unsafe decoded.withUnsafeBufferPointer {
      guard let first = $0.baseAddress else { return }
      unsafe samples.initialize(from: first, count: frames * format.channels)
    }
    self.location = location
    self.format = format
    self.isOnce = isOnce
    self.longest = longest
    unsafe self.samples = samples
    clip = unsafe Clip(samples: UnsafePointer(samples), frames: Int64(frames))
  }

  deinit { unsafe samples.deallocate() }

  /// Its length in seconds.
  public var seconds: Double { format.seconds(atFrame: clip.frames) }

  var bytes: Int { Int(clip.frames) * format.channels * MemoryLayout<Float>.size }
}

/// What sounds beside the music: prompts, voices, other players. Each has a place; a new sound in a
/// place takes the old one's.
extension AudioEngine {
  /// The number of places.
  public static let places = 6

  /// Decodes a sound before it is needed, so that it begins at once: for what must keep to a time.
  public func prepare(sound location: TrackLocation) throws(DecodingError) {
    guard let session else { return }
    _ = try session.renderer.sound(location, format: session.stream.format)
  }

  /// Begins a sound. Decodes it first where this stream does not have it: some milliseconds, which
  /// only sounds of the program's own are sure to keep to. See `begin(_:place:gain:from:)`.
  ///
  /// - Parameters:
  ///   - place: 0 up to `places`.
  ///   - gain: at most 1; sounds that meet add up.
  ///   - seconds: where in the sound it begins.
  /// - Returns: its whole length in seconds; `nil` when no stream is open.
  /// - Throws: why it cannot be read; nothing sounds in the place then.
  @discardableResult
  public func begin(
    sound location: TrackLocation, place: Int, gain: Gain = .unity, isLooping: Bool = false,
    from seconds: Double = 0
  ) throws(DecodingError) -> Double? {
    precondition((0..<Self.places).contains(place))
    sounds[place] = PlacedSound(
      location: location, gain: gain, isLooping: isLooping, seconds: seconds, began: .now())
    guard let session else { return nil }
    do throws(DecodingError) {
      let (number, sound) = try session.renderer.sound(location, format: session.stream.format)
      put(sound, number, session, in: place)
      return sound.seconds
    } catch {
      end(soundIn: place)
      throw error
    }
  }

  /// The format in which a sound must be decoded to be heard here; `nil` when no stream is open.
  public var soundFormat: AudioFormat? { session?.stream.format }

  /// Begins a sound that was decoded beside the control thread. It goes on on another stream, also
  /// where that has another format.
  ///
  /// - Parameters:
  ///   - place: 0 up to `places`.
  ///   - seconds: where in the sound it begins.
  /// - Returns: false when no stream of its format is open; nothing has changed then.
  /// - Throws: when too many sounds are in use.
  public func begin(
    _ sound: LoadedSound, place: Int, gain: Gain = .unity, from seconds: Double = 0
  ) throws(DecodingError) -> Bool {
    precondition((0..<Self.places).contains(place))
    guard let session, session.stream.format == sound.format else { return false }
    let number = try session.renderer.number(of: sound)
    sounds[place] = PlacedSound(
      location: sound.location, loaded: sound, gain: gain, isLooping: false, seconds: seconds,
      began: .now())
    put(sound, number, session, in: place)
    return true
  }

  /// Lets the device know of what was placed.
  private func put(_ sound: LoadedSound, _ number: Int, _ session: OpenOutput, in place: Int) {
    guard let placed = sounds[place] else { return }
    let first = session.stream.format.frame(atSeconds: max(placed.seconds, 0))
    session.renderer.send(place: place) { layer in
      layer.serial += 1
      layer.clip = number
      layer.frames = sound.clip.frames
      layer.sourceBegin = min(first, sound.clip.frames)
      layer.isLooping = placed.isLooping && sound.clip.frames > 0
      layer.gain = min(max(placed.gain.linear, 0), 1)
      layer.isOn = true
    }
    session.stream.kick()
  }

  /// Lets the sound in a place fall to silence.
  public func end(soundIn place: Int) {
    sounds[place] = nil
    guard let session, session.renderer.wish.layers[place].isOn else { return }
    session.renderer.send(place: place) { $0.isOn = false }
    session.stream.kick()
    soundAlarm.set(after: Self.freeingSeconds) { [weak self] in self?.freeSounds() }
  }

  /// When a sound that has ended has been heard, also where the device tells nothing.
  private static let freeingSeconds = 3.0

  func freeSounds() {
    if session?.renderer.freeSounds() ?? true { soundAlarm.cancel() }
  }

  /// The level of the music alone, under other sound, reached within a time from whatever it is.
  public func setMusicLevel(decibels: Double, within seconds: Double) {
    musicLevel = Gain(decibels: decibels)
    guard let session else { return }
    let frames = session.stream.format.frame(atSeconds: seconds)
    let level = musicLevel.linear
    session.renderer.send { wish in
      wish.music = level
      wish.musicRamp = frames
    }
    session.stream.kick()
  }
}
