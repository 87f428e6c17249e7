import CSoxr

/// Turns a stream of interleaved floats from one rate into another (soxr, at least 20 bits, linear
/// phase). Output frame 0 stands at the time of input frame 0. One thread at a time.
///
/// From N input frames come exactly `outputFrames(N)` frames, those whose time lies before the end
/// of the input. The frames after a seek made by `seekPlan` equal those of a straight run within
/// 1e-6 of full scale.
@safe public final class Resampler {
  /// Frames a second that go in.
  public let from: Int
  /// Frames a second that come out.
  public let to: Int
  /// Floats in a frame, before and after; their order stays.
  public let channels: Int

  private let soxr: OpaquePointer
  private var consumedFrames: Int64 = 0
  private var producedFrames: Int64 = 0

  /// Rates in frames a second. Throws `.libraryMissing` without libsoxr, `.unsupported` for rates
  /// or channels that it refuses. Takes about a millisecond.
  public init(from: Int, to: Int, channels: Int) throws(DecodingError) {
    guard from > 0, to > 0, (1...PCMSource.mostChannels).contains(channels) else {
      throw DecodingError(
        .unsupported, "no resampling of \(channels) channels, \(from) to \(to) Hz")
    }
    var reason: UnsafePointer<CChar>?
    guard
      let soxr = unsafe sotto_soxr_create(
        Double(from), Double(to), UInt32(channels), Self.recipe(from, to), &reason)
    else {
      if let reason = unsafe reason {
        let text = unsafe String(cString: reason)
        throw DecodingError(.unsupported, "no resampling from \(from) to \(to) Hz: \(text)")
      }
      throw DecodingError(.libraryMissing, "needs libsoxr: install libsoxr0")
    }
    unsafe self.soxr = unsafe soxr
    self.from = from
    self.to = to
    self.channels = channels
  }

  deinit { unsafe sotto_soxr_delete(soxr) }

  /// soxr's SOXR_HQ: 20 bits, errors 120 dB down, a fifth cheaper than SOXR_VHQ. Its single-precision
  /// transforms would miss the promise for seeks at the low rates, which are cheap anyway.
  private static func recipe(_ from: Int, _ to: Int) -> UInt { min(from, to) < 32000 ? 6 : 4 }

  /// Takes frames of `input` and puts frames into `output`, whole frames of `channels` floats.
  /// Returns how many of each; takes fewer than given only when `output` is full.
  public func process(
    _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
  ) throws(DecodingError) -> (consumed: Int, produced: Int) {
    guard let from = input.baseAddress, let to = output.baseAddress else { return (0, 0) }
    var consumed = 0
    var produced = 0
    let reason = unsafe sotto_soxr_process(
      soxr, from, input.count / channels, &consumed, to, output.count / channels, &produced)
    try unsafe Self.check(reason)
    consumedFrames += Int64(consumed)
    producedFrames += Int64(produced)
    return (consumed, produced)
  }

  /// Puts what is left after the last input into `output`; call until it returns 0. After that
  /// only `reset` makes the resampler usable again.
  public func drain(
    into output: UnsafeMutableBufferPointer<Float>
  ) throws(DecodingError) -> Int {
    let left = outputFrames(consumedFrames) - producedFrames
    let wanted = Int(min(Int64(output.count / channels), max(0, left)))
    guard wanted > 0, let to = output.baseAddress else { return 0 }
    var consumed = 0
    var produced = 0
    let reason = unsafe sotto_soxr_process(soxr, nil, 0, &consumed, to, wanted, &produced)
    try unsafe Self.check(reason)
    if produced == 0 {
      // soxr rounds its own end; the frame that our rule asks for beyond it is silence.
      for index in 0..<wanted * channels { unsafe to[index] = 0 }
      produced = wanted
    }
    producedFrames += Int64(produced)
    return produced
  }

  /// Forgets the signal: the next input is the first of a new one.
  public func reset() throws(DecodingError) {
    try unsafe Self.check(sotto_soxr_clear(soxr))
    consumedFrames = 0
    producedFrames = 0
  }

  /// Output frames from so many input frames: input · to / from, rounded up.
  public func outputFrames(_ inputFrames: Int64) -> Int64 {
    Self.outputFrames(inputFrames, from: from, to: to)
  }

  /// The same for rates (frames a second, above 0) of no resampler in particular. Pure; any thread.
  public static func outputFrames(_ inputFrames: Int64, from: Int, to: Int) -> Int64 {
    let ratio = Ratio(from, to)
    let whole = inputFrames / ratio.from
    let rest = inputFrames % ratio.from
    return whole * ratio.to + (rest * ratio.to + ratio.from - 1) / ratio.from
  }

  /// How to begin in the middle: give a fresh (or reset) resampler the input from `inputFrame` on
  /// and drop the first `dropOutputFrames` frames that come out. The next one is `outputFrame` of
  /// the straight run. The input begins where the two rates meet on a whole frame, and early
  /// enough for the filter.
  ///
  /// - Parameter reach: input frames before a frame that have a part in it, at equal rates (found by
  ///   trial with margin; the test of seeks holds it).
  public static func seekPlan(
    outputFrame: Int64, from: Int, to: Int, reach filterReach: Int64 = 2048
  ) -> (inputFrame: Int64, dropOutputFrames: Int) {
    let ratio = Ratio(from, to)
    // The filter reaches over a fixed number of frames of the lower of both rates.
    let reach = filterReach * max(1, (ratio.from + ratio.to - 1) / ratio.to)
    let wanted = max(0, outputFrame / ratio.to * ratio.from - reach)
    let meetings = wanted / ratio.from
    return (meetings * ratio.from, Int(outputFrame - meetings * ratio.to))
  }

  private struct Ratio {
    let from: Int64
    let to: Int64
    init(_ from: Int, _ to: Int) {
      var (a, b) = (from, to)
      while b != 0 { (a, b) = (b, a % b) }
      self.from = Int64(from / max(a, 1))
      self.to = Int64(to / max(a, 1))
    }
  }

  private static func check(_ reason: UnsafePointer<CChar>?) throws(DecodingError) {
    if let reason = unsafe reason {
      throw DecodingError(.unsupported, "resampling failed: \(unsafe String(cString: reason))")
    }
  }
}
