import OutputInterface

/// An open stream, and what renders for it. However it is let go of, the stream is closed first: its
/// device's thread has ended when what it renders from is freed.
final class OpenOutput: Sendable {
  let renderer: Renderer
  let stream: any OutputStream

  init(renderer: Renderer, stream: any OutputStream) {
    self.renderer = renderer
    self.stream = stream
  }

  deinit { stream.close() }
}
