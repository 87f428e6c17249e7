import AudioTypes

extension TrackInfo {
  /// Bits a second of a file's bytes; nil where that is no rate.
  static func averageBitRate(bytes: Int64, seconds: Double) -> Int? {
    let rate = Double(bytes) * 8 / seconds
    // A hole of terabytes may be in a file of one frame.
    return rate.isFinite && rate >= 0 && rate < 1e12 ? Int(rate.rounded()) : nil
  }
}
