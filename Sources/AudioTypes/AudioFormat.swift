/// What a run of interleaved float samples means: rate, channels and where each channel sounds.
public struct AudioFormat: Equatable, Hashable, Sendable {
  /// Frames a second.
  public var sampleRate: Int
  public var layout: ChannelLayout

  public init(sampleRate: Int, layout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.layout = layout
  }

  public var channels: Int { layout.channels.count }

  /// The nearest frame to a time in seconds; never negative.
  public func frame(atSeconds seconds: Double) -> Int64 {
    guard seconds.isFinite, seconds > 0 else { return 0 }
    let frame = (seconds * Double(sampleRate)).rounded()
    return frame < 9e18 ? Int64(frame) : Int64.max
  }

  /// The time in seconds of a frame.
  public func seconds(atFrame frame: Int64) -> Double {
    sampleRate > 0 ? Double(frame) / Double(sampleRate) : 0
  }
}
