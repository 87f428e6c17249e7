import Realtime

/// A stretch of what is heard, for meters.
public struct HeardSound: Sendable {
  /// Interleaved, as loud as it is heard.
  public var samples: [Float] = []
  public var channels = 2
  public var sampleRate = 44_100
  public init() {}
}

extension AudioEngine {
  /// Copies the music that is heard at this moment: half of the frames before it, half after it.
  /// What queued sound is kept for, it is read from: the sources' rings still hold the frames that
  /// the device is playing, so nothing is captured and the render path does nothing for it.
  ///
  /// - Returns: false while nothing is heard, or less than that many frames are there.
  public func copyHeard(frames: Int, into sound: inout HeardSound) -> Bool {
    guard let session, frames > 0 else { return false }
    let clock = session.stream.clock()
    let timeline = session.renderer.timeline()
    let (slot, centre) = timeline.heard(at: clock.heard)
    guard clock.isRunning, slot >= 0 else { return false }
    let ring = session.renderer.ring(slot)
    let count = Int64(frames)
    // At a track's ends the stretch lies a little beside the moment.
    let start = min(max(centre - count / 2, ring.floor), ring.written - count)
    guard start >= ring.floor, start >= 0 else { return false }
    let gain = timeline.level.value(at: clock.heard) * timeline.music.value(at: clock.heard)
    sound.channels = ring.channels
    sound.sampleRate = session.stream.format.sampleRate
    let total = frames * ring.channels
    if sound.samples.count != total { sound.samples = [Float](repeating: 0, count: total) }
    var at = start
    while at < start + count {
      let run = unsafe ring.run(at: at)
      let length = unsafe min(run.frames, start + count - at)
      let base = Int(at - start) * ring.channels
      for index in 0..<Int(length) * ring.channels {
        unsafe sound.samples[base + index] = run.samples[index] * gain
      }
      at += length
    }
    // The decoder may have written over what was heard meanwhile: then it is no stretch of sound.
    return ring.floor <= start
  }
}
