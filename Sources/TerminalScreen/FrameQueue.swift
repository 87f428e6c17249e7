import TerminalModel

/// The way of grids to a terminal that may be slow: one burst is on its way, the latest grid waits,
/// and those between are never painted. Pure.
public struct FrameQueue: Sendable {
  private var capabilities: Capabilities
  /// What the terminal shows when the burst on its way has arrived; nil when nobody knows.
  private var shown: Frame?
  private var wanted: Grid?
  private var pending: ArraySlice<UInt8> = []
  /// What follows that on its way, before the next grid.
  private var orders: [UInt8] = []
  private var pictures = KittyPictures()
  /// The terminal shows pictures over cells.
  public var showsPictures = false

  public init(_ capabilities: Capabilities) { self.capabilities = capabilities }

  /// This is to be shown next.
  public mutating func show(_ grid: Grid) { wanted = grid }

  /// What is to be written now; empty where there is nothing to do.
  public mutating func next() -> ArraySlice<UInt8> {
    if pending.isEmpty, !orders.isEmpty {
      pending = orders[...]
      orders = []
    }
    if pending.isEmpty, let grid = wanted {
      wanted = nil
      let frame = Frame(grid, after: shown, capabilities)
      var bytes = Painter.paint(from: shown, to: frame, capabilities)
      if showsPictures {
        let isErased = shown == nil || Painter.erases(bytes)
        bytes += pictures.change(from: isErased ? nil : shown?.grid.pictures, to: grid)
      }
      pending = bytes[...]
      shown = frame
    }
    return pending
  }

  /// The pixels for the places of that number; nil where there are none any more.
  public mutating func define(picture id: Int, _ image: PixelImage?) {
    pictures.define(id, image)
    // What is shown already gets it, too.
    if showsPictures, wanted == nil { wanted = shown?.grid }
  }

  /// Orders to the terminal that change nothing of what it shows.
  mutating func send(_ bytes: [UInt8]) { orders += bytes }

  /// What the terminal can do is another thing from now on: all is painted anew.
  public mutating func use(_ capabilities: Capabilities) {
    guard capabilities != self.capabilities else { return }
    self.capabilities = capabilities
    forget()
  }

  /// The terminal took so many bytes.
  public mutating func wrote(_ count: Int) { pending = pending.dropFirst(count) }

  /// Nobody knows what the terminal shows: the latest grid will be painted anew, after what is on
  /// its way.
  public mutating func forget() {
    if wanted == nil { wanted = shown?.grid }
    shown = nil
  }

  /// The same, after these bytes and without the rest of what was on its way.
  public mutating func restart(with bytes: [UInt8]) {
    forget()
    pictures.forget()
    orders = []
    pending = bytes[...]
  }
}
