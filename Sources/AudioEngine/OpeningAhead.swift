import Dispatch
import OutputInterface
import Synchronization

/// An output that is being opened while its owner does something else: paints the first frame.
final class OpeningAhead: Sendable {
  let renderer: Renderer
  private let result = Mutex<Result<any OutputStream, OutputError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)
  private let isGivenUp = Mutex(false)

  /// Begins to open it on a thread of its own.
  init(_ backend: any OutputBackend, _ request: StreamRequest, _ renderer: Renderer) {
    self.renderer = renderer
    DispatchQueue(label: "sotto.opening", qos: .userInteractive).async { [self] in
      do throws(OutputError) {
        let stream = try unsafe backend.open(request, renderer: renderer.face)
        let isWanted = isGivenUp.withLock { isGivenUp in
          if !isGivenUp { result.withLock { $0 = .success(stream) } }
          return !isGivenUp
        }
        if !isWanted { stream.close() }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
  }

  /// Waits for it. Once.
  ///
  /// - Parameter seconds: after so many it is given up, and closed when it comes; `nil` waits for as
  ///   long as the backend's `open` takes.
  func take(within seconds: Double? = nil) throws(OutputError) -> any OutputStream {
    if let seconds {
      _ = isDone.wait(timeout: .now() + seconds)
      let isThere = isGivenUp.withLock { isGivenUp in
        isGivenUp = result.withLock { $0 == nil }
        return !isGivenUp
      }
      if !isThere { throw OutputError(.noAnswer, "the sound server does not answer") }
    } else {
      isDone.wait()
    }
    return try result.withLock { $0! }.get()
  }
}
