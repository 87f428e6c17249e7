import Dispatch
import OutputInterface
import Synchronization

/// An output that is being opened while its owner does something else: paints the first frame.
final class OpeningAhead: Sendable {
  let renderer: Renderer
  private let result = Mutex<Result<any OutputStream, OutputError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Begins to open it on a thread of its own.
  init(_ backend: any OutputBackend, _ request: StreamRequest, _ renderer: Renderer) {
    self.renderer = renderer
    DispatchQueue(label: "sotto.opening", qos: .userInteractive).async { [self] in
      do throws(OutputError) {
        let stream = try unsafe backend.open(request, renderer: renderer.face)
        result.withLock { $0 = .success(stream) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
  }

  /// Waits for it. Once.
  func take() throws(OutputError) -> any OutputStream {
    isDone.wait()
    return try result.withLock { $0! }.get()
  }
}
