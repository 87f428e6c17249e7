import Glibc

/// What one thread hands to others, in order. Waits where it is full or empty.
final class WorkQueue<Element: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var elements: [Element] = []
  private var first = 0
  private var isClosed = false
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(change, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(change)
    mutex.deallocate()
    change.deallocate()
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  private var count: Int { elements.count - first }

  /// False where it is full, or closed.
  func offer(_ element: Element) -> Bool {
    locked {
      guard !isClosed, count < limit else { return false }
      elements.append(element)
      pthread_cond_signal(change)
      return true
    }
  }

  /// The next one; waits for it. `nil` when it is closed and empty.
  func take() -> Element? {
    locked {
      while count == 0 {
        if isClosed { return nil }
        pthread_cond_wait(change, mutex)
      }
      return removeFirst()
    }
  }

  /// The next one, where there is one already.
  func takeIfThere() -> Element? { locked { count == 0 ? nil : removeFirst() } }

  private func removeFirst() -> Element {
    let element = elements[first]
    first += 1
    if first == elements.count {
      elements.removeAll(keepingCapacity: true)
      first = 0
    } else if first >= 1024 {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }

  /// Nothing more comes; with `dropping`, what waits is dropped too.
  func close(dropping: Bool = false) {
    locked {
      isClosed = true
      if dropping {
        elements.removeAll()
        first = 0
      }
      pthread_cond_broadcast(change)
    }
  }
}

/// Threads that a scan starts and waits for.
final class Crew {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private var threads: [pthread_t] = []

  /// How many run at once.
  static let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// One more thread. False where the system gives none.
  func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Work(body)).toOpaque()
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { context in
        Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, context)
    guard result == 0 else {
      Unmanaged<Work>.fromOpaque(context).release()
      return false
    }
    threads.append(id)
    return true
  }

  /// Waits until all have ended.
  func join() {
    for id in threads { pthread_join(id, nil) }
    threads = []
  }
}
