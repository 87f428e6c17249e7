import AudioTypes
import Decoding

/// Turns decoders, one after the other, into one run of frames of a single format: loudness gain,
/// channel matrix and resampling happen here, before the history (architecture decision 4), on the
/// decoder's thread.
///
/// Tracks of one rate that follow each other pass through the same resampler, so that a join is as
/// gapless as the music is.
@safe final class Pipeline {
  /// The format delivered.
  let target: AudioFormat
  /// Frames delivered so far.
  private(set) var delivered: Int64 = 0
  /// Frames that came from the decoders so far, at their own rates.
  private(set) var decodedFrames: Int64 = 0

  private var decoder: any Decoder
  private var gain: Float
  private var mixer: ChannelMixer?
  private var resampler: Resampler?
  /// Frames to drop: the resampler's warm-up after a seek.
  private var drop = 0
  private var isDecoderDone = false
  private var isDrained = false
  private var following: (decoder: any Decoder, gain: Float)?

  /// Where the present resampler run began in delivered frames, and what went into it.
  private var runBase: Int64 = 0
  private var runInput: Int64 = 0

  /// Decoded frames of the file's own layout, and mixed frames that wait for the resampler.
  private let decoded: UnsafeMutableBufferPointer<Float>
  private let mixed: UnsafeMutableBufferPointer<Float>
  private var mixedRange = 0..<0  // frames of `mixed` that wait

  private static let blockFrames = 4096

  /// False where libsoxr is missing: a stream must then have its tracks' rate.
  static let canResample = (try? Resampler(from: 44_100, to: 48_000, channels: 1)) != nil

  /// - Parameters:
  ///   - frame: the frame of the track, counted at the target's rate, that comes first.
  ///   - isFresh: true where nothing has been read from the decoder yet.
  init(
    _ decoder: any Decoder, gain: Gain, target: AudioFormat, at frame: Int64, isFresh: Bool = true
  ) throws(DecodingError) {
    self.target = target
    self.decoder = decoder
    self.gain = gain.linear
    unsafe decoded = .allocate(capacity: Pipeline.blockFrames * max(decoder.format.channels, 64))
    unsafe mixed = .allocate(capacity: Pipeline.blockFrames * target.channels)
    try connect()
    if let resampler {
      let plan = Resampler.seekPlan(
        outputFrame: frame, from: resampler.from, to: resampler.to)
      if frame > 0 || !isFresh { try decoder.seek(to: frame > 0 ? plan.inputFrame : 0) }
      drop = frame > 0 ? plan.dropOutputFrames : 0
      runBase = -Int64(drop)
    } else if frame > 0 || !isFresh {
      try decoder.seek(to: frame)
    }
  }

  deinit {
    unsafe decoded.deallocate()
    unsafe mixed.deallocate()
  }

  /// Sets up mixer and resampler for the present decoder.
  private func connect() throws(DecodingError) {
    let source = decoder.format
    mixer =
      source.layout == target.layout
      ? nil : ChannelMixer(from: source.layout, to: target.layout)
    if source.sampleRate == target.sampleRate {
      resampler = nil
    } else if resampler?.from != source.sampleRate || isDrained {
      resampler = try Resampler(
        from: source.sampleRate, to: target.sampleRate, channels: target.channels)
    }
  }

  /// True once the present decoder has given its last frame and nothing follows it yet: the owner
  /// appends the next track, or calls `finish`.
  var wantsNext: Bool { isDecoderDone && following == nil && !isDrained && !isFinishing }
  private var isFinishing = false
  /// The join to a track that was appended, once it is known: the delivered frame at which it
  /// begins. Taken once.
  private var joint: Int64?
  func takeJoint() -> Int64? {
    defer { joint = nil }
    return joint
  }

  /// Lets a track follow without a gap. Throws where it cannot be resampled.
  func append(_ next: any Decoder, gain: Gain) throws(DecodingError) {
    if next.format.sampleRate == decoder.format.sampleRate {
      if let resampler {
        joint = runBase + resampler.outputFrames(runInput)
      } else {
        joint = delivered
      }
      try take(next, gain: gain)
    } else if resampler == nil {
      joint = delivered
      try take(next, gain: gain)
      beginRun()
    } else {
      // What is still in the resampler comes first.
      following = (next, gain.linear)
    }
  }

  private func take(_ next: any Decoder, gain: Gain) throws(DecodingError) {
    decoder = next
    self.gain = gain.linear
    isDecoderDone = false
    try connect()
  }

  private func beginRun() {
    runBase = delivered
    runInput = 0
    isDrained = false
  }

  /// Takes the present decoder as ended: it broke off.
  func abandonDecoder() {
    isDecoderDone = true
    // Nor is what the resampler has refused offered to it again.
    mixedRange = 0..<0
  }

  /// Tells that no track follows.
  func finish() { isFinishing = true }

  /// True when every frame has been delivered.
  var isOver: Bool { isFinishing && isDecoderDone && (resampler == nil || isDrained) }

  /// Delivers the next frames, interleaved; 0 when `wantsNext` or `isOver`, or when the decoder
  /// must be read again.
  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    let frames: Int
    if resampler != nil {
      frames = try unsafe readResampled(into: buffer)
    } else {
      frames = try unsafe readDirect(into: buffer)
    }
    delivered += Int64(frames)
    return frames
  }

  // MARK: Without resampling

  private func readDirect(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError)
    -> Int
  {
    if isDecoderDone { return 0 }
    let frames: Int
    if let mixer {
      let room = min(buffer.count / target.channels, sourceBlock)
      frames = try unsafe readSource(into: decoded, frames: room)
      unsafe mixer.mix(
        UnsafeBufferPointer(rebasing: decoded[..<(frames * decoder.format.channels)]),
        into: buffer)
    } else {
      frames = try unsafe readSource(into: buffer, frames: buffer.count / target.channels)
    }
    unsafe applyGain(to: buffer, frames: frames)
    return frames
  }

  private func readSource(into buffer: UnsafeMutableBufferPointer<Float>, frames: Int)
    throws(DecodingError) -> Int
  {
    let count = frames * decoder.format.channels
    let got = try unsafe decoder.read(
      into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
    if got == 0 { isDecoderDone = true }
    decodedFrames += Int64(got)
    return got
  }

  /// Frames of the file's own layout that fit into `decoded`.
  private var sourceBlock: Int {
    unsafe min(decoded.count / max(decoder.format.channels, 1), Pipeline.blockFrames)
  }

  private func applyGain(to buffer: UnsafeMutableBufferPointer<Float>, frames: Int) {
    if gain == 1 { return }
    for index in 0..<(frames * target.channels) { unsafe buffer[index] *= gain }
  }

  // MARK: With resampling

  private func readResampled(into buffer: UnsafeMutableBufferPointer<Float>)
    throws(DecodingError) -> Int
  {
    guard let resampler else { return 0 }
    while true {
      if mixedRange.isEmpty && !isDecoderDone { try fillMixed() }
      var output = 0
      if !mixedRange.isEmpty {
        let input = unsafe UnsafeBufferPointer(
          rebasing: mixed[
            (mixedRange.lowerBound * target.channels)..<(mixedRange.upperBound * target.channels)])
        let step = try unsafe resampler.process(input, into: buffer)
        mixedRange = (mixedRange.lowerBound + step.consumed)..<mixedRange.upperBound
        output = step.produced
      } else if isDecoderDone && (isFinishing || following != nil) && !isDrained {
        output = try unsafe resampler.drain(into: buffer)
        if output == 0 {
          isDrained = true
          try startFollowing()
          return 0
        }
      } else {
        return 0
      }
      output = unsafe dropWarmUp(buffer, frames: output)
      if output > 0 { return output }
    }
  }

  private func fillMixed() throws(DecodingError) {
    let frames: Int
    if let mixer {
      frames = try unsafe readSource(into: decoded, frames: sourceBlock)
      unsafe mixer.mix(
        UnsafeBufferPointer(rebasing: decoded[..<(frames * decoder.format.channels)]),
        into: mixed)
    } else {
      frames = try unsafe readSource(into: mixed, frames: Pipeline.blockFrames)
    }
    unsafe applyGain(to: mixed, frames: frames)
    runInput += Int64(frames)
    mixedRange = 0..<frames
  }

  private func dropWarmUp(_ buffer: UnsafeMutableBufferPointer<Float>, frames: Int) -> Int {
    let dropped = min(drop, frames)
    if dropped == 0 { return frames }
    drop -= dropped
    let channels = target.channels
    for index in 0..<((frames - dropped) * channels) {
      unsafe buffer[index] = buffer[index + dropped * channels]
    }
    return frames - dropped
  }

  /// After the drain: the track that follows at another rate begins.
  private func startFollowing() throws(DecodingError) {
    guard let next = following else { return }
    following = nil
    joint = delivered
    try take(next.decoder, gain: Gain(linear: next.gain))
    beginRun()
  }
}
