import AudioTypes

/// Turns frames of one layout into mono or stereo, by the matrix of ITU-R BS.775: the centre and
/// the surrounds at -3 dB, the low-frequency channel left out. The whole matrix is then lowered so
/// far that no input of full scale can exceed full scale. Pure; no state; any thread.
public struct ChannelMixer: Equatable, Sendable {
  /// Which channels go in, in the order in which they are interleaved.
  public let input: ChannelLayout
  /// Which come out, likewise.
  public let output: ChannelLayout
  /// Factors, one row of inputs for each output channel.
  public let matrix: [Float]

  /// True where the frames stay as they are, bit for bit.
  public var isIdentity: Bool { kind == .identity }

  private enum Kind: Equatable { case identity, monoToAll, stereoToMono, matrix }
  private let kind: Kind

  /// A mixer from any layout to mono or stereo. Other outputs are filled by channel name.
  public init(from input: ChannelLayout, to output: ChannelLayout) {
    self.input = input
    self.output = output
    let inputs = input.channels.count
    let outputs = output.channels.count
    if input == output
      || (inputs == outputs && input.channels.allSatisfy { $0 == .unknown } && inputs <= 2)
    {
      kind = .identity
      matrix = (0..<outputs * inputs).map { $0 / inputs == $0 % inputs ? 1 : 0 }
      return
    }
    if inputs == 1 {
      kind = .monoToAll
      matrix = Array(repeating: 1, count: outputs)
      return
    }
    var rows: [[Double]]
    if outputs == 1 {
      let both = Self.stereoRows(input)
      rows = [zip(both[0], both[1]).map { ($0 + $1) / 2 }]
    } else if outputs == 2 {
      rows = Self.stereoRows(input)
    } else {
      rows = output.channels.map { wanted in input.channels.map { $0 == wanted ? 1 : 0 } }
    }
    // One factor for all rows keeps the balance between left and right.
    let loudest = rows.map { $0.reduce(0, +) }.max() ?? 0
    // A millionth less leaves room for the rounding of the sum itself.
    if loudest > 1 { rows = rows.map { $0.map { $0 / (loudest * 1.000001) } } }
    matrix = rows.flatMap { $0.map { Self.roundedDown($0) } }
    kind = matrix == [0.5, 0.5] && outputs == 1 ? .stereoToMono : .matrix
  }

  /// Mixes whole frames of `input` into `output`, which must not overlap; as many frames as both
  /// have room for. Returns that number. Allocates nothing.
  @discardableResult
  public func mix(
    _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
  ) -> Int {
    let inputs = self.input.channels.count
    let outputs = self.output.channels.count
    guard inputs > 0, outputs > 0, let from = input.baseAddress, let to = output.baseAddress else {
      return 0
    }
    let frames = min(input.count / inputs, output.count / outputs)
    switch kind {
    case .identity: unsafe to.update(from: from, count: frames * outputs)
    case .monoToAll:
      for frame in 0..<frames {
        let sample = unsafe from[frame]
        for channel in 0..<outputs { unsafe to[frame &* outputs &+ channel] = sample }
      }
    case .stereoToMono:
      for frame in 0..<frames {
        unsafe to[frame] = (from[frame &* 2] + from[frame &* 2 &+ 1]) * 0.5
      }
    case .matrix:
      unsafe matrix.withUnsafeBufferPointer { factors in
        for frame in 0..<frames {
          for channel in 0..<outputs {
            var sum: Float = 0
            for index in 0..<inputs {
              unsafe sum += from[frame &* inputs &+ index] * factors[channel &* inputs &+ index]
            }
            unsafe to[frame &* outputs &+ channel] = sum
          }
        }
      }
    }
    return frames
  }

  /// The part of each input channel in left and right.
  private static func stereoRows(_ input: ChannelLayout) -> [[Double]] {
    let soft = 0.5.squareRoot()
    var left: [Double] = []
    var right: [Double] = []
    let unknown = input.channels.contains(.unknown)
    for (index, channel) in input.channels.enumerated() {
      let pair: (Double, Double)
      switch channel {
      case .frontLeft, .frontLeftOfCenter, .topFrontLeft: pair = (1, 0)
      case .frontRight, .frontRightOfCenter, .topFrontRight: pair = (0, 1)
      case .frontCenter, .topFrontCenter, .topCenter: pair = (soft, soft)
      case .sideLeft, .backLeft, .topBackLeft: pair = (soft, 0)
      case .sideRight, .backRight, .topBackRight: pair = (0, soft)
      // One channel behind is shared by both sides, 3 dB lower still (BS.775, 3/1).
      case .backCenter, .topBackCenter: pair = (0.5, 0.5)
      case .lowFrequency: pair = (0, 0)
      // Nobody knows what it is: even channels left, odd ones right, a lone last one in both.
      case .unknown: pair = index % 2 == 0 ? (1, 0) : (0, 1)
      }
      let isLone =
        unknown && channel == .unknown && input.channels.count % 2 == 1
        && index == input.channels.count - 1
      left.append(isLone ? soft : pair.0)
      right.append(isLone ? soft : pair.1)
    }
    // A file of nothing but low frequencies is still to be heard.
    if !left.contains(where: { $0 > 0 }) && !right.contains(where: { $0 > 0 }) {
      return [left.map { _ in 1 }, right.map { _ in 1 }]
    }
    return [left, right]
  }

  /// The nearest float that is not greater, so that a row's sum cannot exceed 1.
  private static func roundedDown(_ value: Double) -> Float {
    let near = Float(value)
    return Double(near) > value ? near.nextDown : near
  }
}
