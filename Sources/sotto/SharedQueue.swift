import AudioEngine
import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import PlayQueue

/// The queue as threads share it: the control thread and the decoder read it, a thread of its own
/// fills it from the arguments, so that music does not wait for a large folder.
@safe final class SharedQueue: Succession, @unchecked Sendable {
  // Both only under the lock.
  private var queue = PlayQueue()
  private var isComplete = false

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let grown = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Marks the main queue, whatever thread runs it.
  private static let control = DispatchSpecificKey<Bool>()

  init() {
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(grown, nil)
    DispatchQueue.main.setSpecific(key: Self.control, value: true)
  }

  deinit {
    unsafe pthread_cond_destroy(grown)
    unsafe pthread_mutex_destroy(lock)
    unsafe grown.deallocate()
    unsafe lock.deallocate()
  }

  private func locked<Result>(_ body: (inout PlayQueue) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body(&queue)
  }

  // MARK: Succession

  func track(at index: Int) -> TrackLocation? { entry(at: index)?.location }

  /// On the decoder's thread it waits until the next track is known; the control thread never
  /// waits and takes what is there.
  func index(after index: Int) -> Int? {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    let mayWait = DispatchQueue.getSpecific(key: Self.control) == nil
    while mayWait, !isComplete, queue.index(after: index) == nil {
      unsafe pthread_cond_wait(grown, lock)
    }
    return queue.index(after: index)
  }

  // MARK: The control thread's side

  func entry(at index: Int) -> QueueEntry? {
    locked { $0.entries.indices.contains(index) ? $0.entries[index] : nil }
  }

  /// True when a track follows, or may still be found.
  func mayFollow(_ index: Int) -> Bool {
    locked { $0.index(after: index) != nil || !isComplete }
  }

  func select(_ index: Int) { locked { $0.select(index) } }

  func previous(position: Double) -> Int? { locked { $0.previous(position: position) } }

  // MARK: Filling

  func append(_ track: ListedTrack) {
    locked {
      $0.append([
        QueueEntry(
          track.location, title: track.title, artist: track.artist, duration: track.duration)
      ])
    }
    unsafe pthread_cond_broadcast(grown)
  }

  /// Nothing more will come: who waits for a next track learns that there is none.
  func complete() {
    unsafe pthread_mutex_lock(lock)
    isComplete = true
    unsafe pthread_mutex_unlock(lock)
    unsafe pthread_cond_broadcast(grown)
  }
}
