import TerminalModel
import Testing

@testable import TerminalScreen

@Suite struct KittyPictureTests {
  private static func image(_ value: UInt8, alpha: UInt8 = 255, side: Int = 2) throws -> PixelImage
  {
    var pixels: [UInt8] = []
    for _ in 0..<side * side { pixels += [value, 1, 2, alpha] }
    return try #require(PixelImage(width: side, height: side, pixels: pixels))
  }

  private static func grid(_ places: PicturePlace...) -> Grid {
    var grid = Grid(columns: 20, rows: 10)
    grid.pictures = places
    return grid
  }

  private static let place = PicturePlace(id: 4, row: 1, column: 2, rows: 3, columns: 6)

  private static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self).replacing("\u{1B}\\", with: "!")
      .replacing("\u{1B}_G", with: "@").replacing("\u{1B}[", with: "^")
  }

  private static func queue() throws -> FrameQueue {
    var frames = FrameQueue(.modern)
    frames.showsPictures = true
    frames.define(picture: 4, try image(9))
    return frames
  }

  private static func next(_ frames: inout FrameQueue) -> String {
    let bytes = frames.next()
    frames.wrote(bytes.count)
    return text(bytes)
  }

  @Test func `A picture is sent once and placed where the grid has it`() throws {
    var frames = try Self.queue()
    frames.show(Self.grid(Self.place))
    let sent = "@a=t,t=d,f=24,s=2,v=2,i=5,q=2,m=0;CQECCQECCQECCQEC!"
    let placed = "@a=p,i=5,p=1,c=6,r=3,C=1,q=2!"
    #expect(Self.next(&frames) == "^?25l^m^H^2J" + sent + "^2;3H" + placed)
    frames.show(Self.grid(Self.place))
    #expect(Self.next(&frames).isEmpty)
    var moved = Self.place
    moved.row = 5
    frames.show(Self.grid(moved))
    #expect(Self.next(&frames) == "@a=d,d=i,i=5,q=2!^6;3H" + placed)
    frames.show(Self.grid())
    #expect(Self.next(&frames) == "@a=d,d=i,i=5,q=2!")
    frames.show(Self.grid(Self.place))
    #expect(Self.next(&frames) == "^2;3H" + placed)
  }

  @Test func `What erases the screen erases pictures, and they are placed again`() throws {
    var frames = try Self.queue()
    frames.show(Self.grid(Self.place))
    _ = Self.next(&frames)
    frames.forget()
    let again = Self.next(&frames)
    #expect(again.hasPrefix("^?25l^m^H^2J") && again.contains("@a=p,i=5") && !again.contains("a=t"))
    // After the screen was left the terminal has nothing of it any more.
    frames.restart(with: [])
    #expect(Self.next(&frames).contains("@a=t"))
  }

  @Test func `Another picture of the same number takes the place of the old one`() throws {
    var frames = try Self.queue()
    frames.show(Self.grid(Self.place))
    _ = Self.next(&frames)
    frames.define(picture: 4, try Self.image(200, alpha: 128))
    let text = Self.next(&frames)
    #expect(text.hasPrefix("@a=d,d=I,i=5,q=2!@a=t,t=d,f=32,"))
    #expect(text.contains("@a=p,i=5"))
    frames.define(picture: 4, nil)
    #expect(Self.next(&frames) == "@a=d,d=I,i=5,q=2!")
  }

  @Test func `The cursor ends where the grid has it`() throws {
    var frames = try Self.queue()
    var grid = Self.grid(Self.place)
    grid.cursor = Grid.Position(row: 7, column: 3)
    frames.show(grid)
    #expect(Self.next(&frames).hasSuffix("q=2!^8;4H"))
  }

  @Test func `A place beyond the screen is cut or left out, and one without a picture is nothing`()
    throws
  {
    var frames = try Self.queue()
    frames.show(
      Self.grid(
        PicturePlace(id: 4, row: 8, column: 18, rows: 30, columns: 30),
        PicturePlace(id: 4, row: 80, column: 0, rows: 1, columns: 1),
        PicturePlace(id: 77, row: 0, column: 0, rows: 1, columns: 1)))
    let text = Self.next(&frames)
    #expect(text.contains("c=2,r=2,") && text.components(of: "@a=p") == 1)
  }

  @Test func `A terminal that shows no pictures gets none`() throws {
    var frames = try Self.queue()
    frames.showsPictures = false
    frames.show(Self.grid(Self.place))
    #expect(!Self.next(&frames).contains("@"))
  }

  @Test func `A large picture is sent in pieces of which each is a whole sequence`() throws {
    var pictures = KittyPictures()
    pictures.define(4, try Self.image(7, side: 100))
    let text = Self.text(pictures.change(from: nil, to: Self.grid(Self.place)))
    let pieces = text.split(separator: "@").filter { $0.contains("m=") }
    // 100 by 100 by 3 bytes in base64.
    #expect(pieces.count == (40_000 + 4095) / 4096)
    for (index, piece) in pieces.enumerated() {
      #expect(piece.contains(index + 1 < pieces.count ? "m=1;" : "m=0;"))
      #expect(piece.utf8.count < 4096 + 80)
    }
  }

  @Test func `Base64 is what everybody reads`() {
    for (bytes, text) in [
      ("", ""), ("M", "TQ=="), ("Ma", "TWE="), ("Man", "TWFu"), ("Many", "TWFueQ=="),
    ] {
      #expect(String(decoding: Base64.encode(Array(bytes.utf8)), as: UTF8.self) == text)
    }
    #expect(Base64.encode([0xFF, 0xFE, 0xFB]) == Array("//77".utf8))
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
