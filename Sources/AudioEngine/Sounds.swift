import AudioTypes
import Decoding
import OutputInterface
import Realtime

/// A short sound in memory, in a stream's format.
@safe final class LoadedSound {
  let clip: Clip
  private let samples: UnsafeMutablePointer<Float>

  /// What is longer than this is cut: sounds are short.
  static let longestSeconds = 60

  /// Decodes all of it, on the calling thread.
  init(_ location: TrackLocation, format: AudioFormat) throws(DecodingError) {
    let track = try OpenTrack(index: 0, location: location, loudness: .off)
    let pipeline = try Pipeline(track.decoder, gain: .unity, target: format, at: 0)
    pipeline.finish()
    let limit = format.sampleRate * Self.longestSeconds
    var decoded: [Float] = []
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096 * format.channels)
    defer { unsafe block.deallocate() }
    while !pipeline.isOver, decoded.count < limit * format.channels {
      let frames = try unsafe pipeline.read(into: block)
      unsafe decoded.append(contentsOf: block[..<(frames * format.channels)])
    }
    let frames = min(decoded.count / format.channels, limit)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(frames * format.channels, 1))
    unsafe decoded.withUnsafeBufferPointer {
      guard let first = $0.baseAddress else { return }
      unsafe samples.initialize(from: first, count: frames * format.channels)
    }
    unsafe self.samples = samples
    clip = unsafe Clip(samples: UnsafePointer(samples), frames: Int64(frames))
  }

  deinit { unsafe samples.deallocate() }
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

  /// Begins a sound. Decodes it first where this stream has not had it yet: some milliseconds.
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
    let format = session.stream.format
    let (number, sound): (Int, LoadedSound)
    do throws(DecodingError) {
      (number, sound) = try session.renderer.sound(location, format: format)
    } catch {
      end(soundIn: place)
      throw error
    }
    session.renderer.send { wish in
      wish.layers[place].serial += 1
      wish.layers[place].clip = number
      wish.layers[place].frames = sound.clip.frames
      wish.layers[place].sourceBegin = min(
        format.frame(atSeconds: max(seconds, 0)), sound.clip.frames)
      wish.layers[place].isLooping = isLooping && sound.clip.frames > 0
      wish.layers[place].gain = min(max(gain.linear, 0), 1)
      wish.layers[place].isOn = true
    }
    session.stream.kick()
    return format.seconds(atFrame: sound.clip.frames)
  }

  /// Lets the sound in a place fall to silence.
  public func end(soundIn place: Int) {
    sounds[place] = nil
    guard let session, session.renderer.wish.layers[place].isOn else { return }
    session.renderer.send { $0.layers[place].isOn = false }
    session.stream.kick()
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
