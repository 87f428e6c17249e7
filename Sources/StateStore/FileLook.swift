import Dispatch
import Synchronization

/// Asks disks about files on threads of its own, and waits for an answer no longer than is good: a
/// share that does not answer keeps nobody. Any thread.
final class FileLook: Sendable {
  let places = FilePlaces()
  /// What is being asked for longer than anybody waits.
  private let silent = Mutex<Set<[UInt8]>>([])

  /// So long an answer is waited for, in seconds.
  let patience: Double
  private let question: @Sendable (_ path: [UInt8], FilePlaces) -> FileFacts

  init(
    patience: Double = 2,
    question: @escaping @Sendable (_ path: [UInt8], FilePlaces) -> FileFacts = {
      FileFacts(lookingAt: $0, $1)
    }
  ) {
    self.patience = patience
    self.question = question
  }

  private struct Asking {
    var found: [[UInt8]: FileFacts] = [:]
    var current: [UInt8]?
    var isOver = false
  }

  private final class Answers: Sendable {
    let asking = Mutex(Asking())
  }

  /// What is known of the paths, as far as the answers come in time. What was asked before and has no
  /// answer yet is not asked again.
  ///
  /// - Parameter isLast: the program ends, and waits less.
  func ask(_ paths: [[UInt8]], isLast: Bool = false) -> [[UInt8]: FileFacts] {
    let open = silent.withLock { silent in paths.filter { !silent.contains($0) } }
    guard !open.isEmpty else { return [:] }
    let answers = Answers()
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "sotto.state.files", qos: .utility).async { [self] in
      for path in open {
        let isOver = answers.asking.withLock { asking in
          if !asking.isOver { asking.current = path }
          return asking.isOver
        }
        if isOver { break }
        let facts = question(path, places)
        answers.asking.withLock { $0.found[path] = facts }
        _ = silent.withLock { $0.remove(path) }
      }
      done.signal()
    }
    let isDone = done.wait(timeout: .now() + (isLast ? patience / 4 : patience)) == .success
    return answers.asking.withLock { asking in
      asking.isOver = true
      if !isDone, let current = asking.current, asking.found[current] == nil {
        silent.withLock { _ = $0.insert(current) }
      }
      return asking.found
    }
  }
}
