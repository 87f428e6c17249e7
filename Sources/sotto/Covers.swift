import AudioTypes
import Decoding
import Dispatch
import MusicLibrary
import Synchronization
import TerminalModel
import TerminalScreen

/// The cover of the heard track as cells: from the file itself or from its folder, kept for that
/// track and size. On the control thread; pictures are taken apart on a queue of its own.
@MainActor final class Covers {
  /// For what a cover is made.
  struct Wish: Equatable, Sendable {
    var path: [UInt8]
    /// The file says that there is a picture in it.
    var isEmbedded: Bool
    var rows: Int
    var columns: Int
    /// A cell in pixels, where the terminal tells.
    var cell: Terminal.Size.Pixels?
    var capabilities: Capabilities
    /// As characters too, not as a picture of the terminal's alone.
    var hasSymbols = true
  }

  /// What there is to show; the last track's until the new one's is made.
  private(set) var cover: Cover?
  private(set) var image: PixelImage?
  private let onChange: @MainActor () -> Void
  private var wish: Wish?
  private let queue = DispatchQueue(label: "sotto.cover")
  /// What is not wanted any more need not be begun.
  private let newest = Newest()

  private final class Newest: Sendable {
    let number = Atomic<Int>(0)
  }

  /// The longer side in pixels: enough for a picture of thirty rows.
  nonisolated private static let largest = 640

  init(onChange: @escaping @MainActor () -> Void) { self.onChange = onChange }

  /// What is wanted now; nil where none is seen. Nothing happens while that is the same.
  func follow(_ wish: Wish?) {
    // Where none is seen, the last one is kept for the way back.
    guard let wish, wish != self.wish else { return }
    let known = self.wish?.path == wish.path && self.wish?.isEmbedded == wish.isEmbedded
    self.wish = wish
    let number = newest.number.add(1, ordering: .relaxed).newValue
    let newest = newest
    let image = known ? image : nil
    queue.async { [weak self] in
      guard newest.number.load(ordering: .relaxed) == number else { return }
      let image = image ?? Self.read(wish)
      let cover = image.flatMap { Self.cover($0, wish) }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, newest.number.load(ordering: .relaxed) == number else { return }
          self.image = image
          self.cover = cover
          self.onChange()
        }
      }
    }
  }

  /// No track any more.
  func clear() {
    newest.number.add(1, ordering: .relaxed)
    wish = nil
    image = nil
    cover = nil
  }

  nonisolated private static func read(_ wish: Wish) -> PixelImage? {
    var picture: DecodedPicture?
    if wish.isEmbedded, let bytes = Pictures.attached(to: wish.path) {
      picture = Pictures.decode(bytes, largest: largest)
    }
    if picture == nil, let bytes = SideFiles.cover(beside: wish.path) {
      picture = Pictures.decode(bytes, largest: largest)
    }
    return picture.flatMap {
      PixelImage(width: $0.width, height: $0.height, pixels: $0.pixels)
    }
  }

  /// Without libchafa there are no cells, and only a terminal that shows pictures shows it.
  nonisolated private static func cover(_ image: PixelImage, _ wish: Wish) -> Cover? {
    if wish.hasSymbols,
      let drawn = PictureSymbols.cells(
        image, columns: wish.columns, rows: wish.rows, cell: wish.cell, wish.capabilities)
    {
      return Cover(rows: drawn.rows, columns: drawn.columns, cells: drawn.cells)
    }
    let (columns, rows) = PictureSymbols.fit(
      image, columns: wish.columns, rows: wish.rows, cell: wish.cell)
    return Cover(rows: rows, columns: columns)
  }
}
