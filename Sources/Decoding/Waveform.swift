import AudioTypes

/// How loud each stretch of a track is, for pictures of it.
public enum Waveform {
  /// Equal parts of a track.
  public static let parts = 600
  private static let blockFrames = 16_384

  /// Decodes a track and finds the peak of each part, full scale 255. Any thread; as long as decoding
  /// takes.
  ///
  /// - Parameter goesOn: called after each block with the peaks so far, those to come 0; false ends
  ///   it.
  /// - Returns: the peaks; nil where the length is not known, or when it was ended.
  public static func peaks(
    of location: TrackLocation, goesOn: ([UInt8]) -> Bool
  ) throws(DecodingError) -> [UInt8]? {
    let decoder = try TrackOpener.open(location)
    guard let frames = decoder.frames, frames > 0, frames < 1 << 50 else { return nil }
    let channels = decoder.format.channels
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockFrames * channels)
    defer { unsafe buffer.deallocate() }
    var peaks = [UInt8](repeating: 0, count: parts)
    var at: Int64 = 0
    while true {
      let count = try unsafe decoder.read(into: buffer)
      if count <= 0 { return peaks }
      var done = 0
      while done < count {
        // A part ends where the next one begins; what is longer than it said is of the last one.
        let part = min(Int(at * Int64(parts) / frames), parts - 1)
        let next =
          part == parts - 1
          ? Int64.max : (Int64(part + 1) * frames + Int64(parts) - 1) / Int64(parts)
        let run = Int(min(Int64(count - done), max(next - at, 1)))
        let samples = unsafe UnsafeMutableBufferPointer(
          rebasing: buffer[(done * channels)..<((done + run) * channels)])
        unsafe peaks[part] = max(peaks[part], peak(samples))
        done += run
        at += Int64(run)
      }
      guard goesOn(peaks) else { return nil }
    }
  }

  private static func peak(_ samples: UnsafeMutableBufferPointer<Float>) -> UInt8 {
    var highest: Float = 0
    for index in 0..<samples.count {
      let value = unsafe abs(samples[index])
      // False for what is no number.
      if value > highest { highest = value }
    }
    return UInt8((min(highest, 1) * 255).rounded())
  }
}
