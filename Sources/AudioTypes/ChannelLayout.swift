/// Where one channel sounds. The raw value is the bit that WAVE_EXTENSIBLE (and FFmpeg) give it.
public enum Channel: Int, Sendable, Hashable, CaseIterable {
  case frontLeft = 0
  case frontRight = 1
  case frontCenter = 2
  case lowFrequency = 3
  case backLeft = 4
  case backRight = 5
  case frontLeftOfCenter = 6
  case frontRightOfCenter = 7
  case backCenter = 8
  case sideLeft = 9
  case sideRight = 10
  case topCenter = 11
  case topFrontLeft = 12
  case topFrontCenter = 13
  case topFrontRight = 14
  case topBackLeft = 15
  case topBackCenter = 16
  case topBackRight = 17
  /// A channel whose place is not told.
  case unknown = 63
}

/// The channels of a stream in the order in which they are interleaved.
public struct ChannelLayout: Equatable, Hashable, Sendable {
  public var channels: [Channel]

  public init(_ channels: [Channel]) { self.channels = channels }

  public static let mono = ChannelLayout([.frontCenter])
  public static let stereo = ChannelLayout([.frontLeft, .frontRight])

  /// The layout that a plain file of so many channels means (the order of WAVE and FLAC).
  public static func usual(channels: Int) -> ChannelLayout {
    switch channels {
    case 1: return .mono
    case 2: return .stereo
    case 3: return ChannelLayout([.frontLeft, .frontRight, .frontCenter])
    case 4: return ChannelLayout([.frontLeft, .frontRight, .backLeft, .backRight])
    case 5: return ChannelLayout([.frontLeft, .frontRight, .frontCenter, .backLeft, .backRight])
    case 6:
      return ChannelLayout(
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight])
    case 7:
      return ChannelLayout(
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backCenter, .sideLeft, .sideRight])
    case 8:
      return ChannelLayout(
        [
          .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .sideLeft,
          .sideRight,
        ])
    default: return ChannelLayout(Array(repeating: .unknown, count: max(channels, 0)))
    }
  }

  /// The layout of a WAVE_EXTENSIBLE channel mask, where its bits match the number of channels;
  /// otherwise the usual layout of that number.
  public static func wave(mask: UInt32, channels: Int) -> ChannelLayout {
    let named = Channel.allCases.filter { $0 != .unknown && mask & (1 << UInt32($0.rawValue)) != 0 }
    return named.count == channels ? ChannelLayout(named) : .usual(channels: channels)
  }

  /// The name people know: "mono", "stereo", "5.1", "7.1", or the number of channels.
  public var name: String {
    let low = channels.contains(.lowFrequency) ? 1 : 0
    switch (channels.count, low) {
    case (1, 0): return "mono"
    case (2, 0): return "stereo"
    case (4, 0): return "quad"
    case (let count, 1) where count > 2: return "\(count - 1).1"
    case (let count, 0) where count == 3 || count == 5 || count == 7: return "\(count).0"
    default: return "\(channels.count) channels"
    }
  }
}
