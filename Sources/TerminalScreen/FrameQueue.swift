import TerminalModel

/// The way of grids to a terminal that may be slow: one burst is on its way, the latest grid waits,
/// and those between are never painted. Pure.
struct FrameQueue {
  private let capabilities: Capabilities
  /// What the terminal shows when the burst on its way has arrived; nil when nobody knows.
  private var shown: Grid?
  private var wanted: Grid?
  private var pending: ArraySlice<UInt8> = []

  init(_ capabilities: Capabilities) { self.capabilities = capabilities }

  /// This is to be shown next.
  mutating func show(_ grid: Grid) { wanted = grid }

  /// What is to be written now; empty where there is nothing to do.
  mutating func next() -> ArraySlice<UInt8> {
    if pending.isEmpty, let grid = wanted {
      wanted = nil
      pending = Painter.paint(from: shown, to: grid, capabilities)[...]
      shown = grid
    }
    return pending
  }

  /// The terminal took so many bytes.
  mutating func wrote(_ count: Int) { pending = pending.dropFirst(count) }

  /// Nobody knows what the terminal shows: the latest grid will be painted anew, after what is on
  /// its way.
  mutating func forget() {
    if wanted == nil { wanted = shown }
    shown = nil
  }

  /// The same, after these bytes and without the rest of what was on its way.
  mutating func restart(with bytes: [UInt8]) {
    forget()
    pending = bytes[...]
  }
}
