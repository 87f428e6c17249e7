import AudioTypes
import Decoding
import Dispatch
import Glibc
import Synchronization

/// The waveform of the heard track: from the cache, or computed on a thread of its own, and shown
/// as it grows. On the control thread.
@MainActor final class Waveforms {
  private(set) var peaks: [UInt8] = []
  private let onChange: @MainActor () -> Void
  private let cache = WaveformCache.standard
  private var location: TrackLocation?
  private var job: Job?

  /// One track's work; it ends soon after another track is followed.
  private final class Job: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  init(onChange: @escaping @MainActor () -> Void) { self.onChange = onChange }

  /// Which track it is about; nothing happens while that is the same.
  func follow(_ location: TrackLocation?) {
    guard location != self.location else { return }
    self.location = location
    job?.isOver.store(true, ordering: .relaxed)
    job = nil
    peaks = []
    guard let location, !location.isURL else { return }
    let job = Job()
    self.job = job
    let cache = cache
    Background.run { [weak self] in
      Self.compute(location, cache, job) { peaks in
        DispatchQueue.main.async {
          MainActor.assumeIsolated {
            guard let self, self.job === job else { return }
            self.peaks = peaks
            self.onChange()
          }
        }
      }
    }
  }

  /// Tracks that are skipped quickly are not opened.
  nonisolated private static let patience: UInt32 = 200_000
  nonisolated private static let stepNanoseconds: UInt64 = 300_000_000

  nonisolated private static func compute(
    _ location: TrackLocation, _ cache: WaveformCache?, _ job: Job, _ show: ([UInt8]) -> Void
  ) {
    let key = WaveformCache.key(location)
    if let key, let known = cache?.read(key) { return show(known) }
    usleep(patience)
    guard !job.isOver.load(ordering: .relaxed) else { return }
    var shown = DispatchTime.now().uptimeNanoseconds
    var newest: [UInt8] = []
    do throws(DecodingError) {
      let all = try Waveform.peaks(of: location) { peaks in
        let now = DispatchTime.now().uptimeNanoseconds
        if now - shown >= stepNanoseconds {
          shown = now
          show(peaks)
        }
        newest = peaks
        return !job.isOver.load(ordering: .relaxed)
      }
      guard let all else { return }
      show(all)
      // Where the file has changed meanwhile, these are of neither.
      if let key, key == WaveformCache.key(location) { cache?.write(key, all) }
    } catch {
      // A damaged file has the waveform of what can be heard of it, and none that is kept.
      if !newest.isEmpty { show(newest) }
    }
  }
}
