import Glibc
import TerminalModel
import Testing

@testable import TerminalScreen

@Suite struct FrameQueueTests {
  private static func grid(_ text: String) -> Grid {
    var grid = Grid(columns: 20, rows: 2)
    for (column, character) in text.enumerated() {
      grid.put(character, width: 1, style: .plain, row: 0, column: column)
    }
    return grid
  }

  @Test func `A slow terminal gets the latest grid and none of those between`() {
    var frames = FrameQueue(.modern)
    var terminal = TerminalEmulator(columns: 20, rows: 2, filledWith: "#")
    /// The terminal takes some bytes of what is on its way.
    func take(_ count: Int) -> Int {
      let bytes = Array(frames.next().prefix(count))
      taken += bytes
      frames.wrote(bytes.count)
      return bytes.count
    }
    var taken: [UInt8] = []
    frames.show(Self.grid("first"))
    #expect(take(5) == 5)
    for number in 0..<1000 { frames.show(Self.grid("number \(number)")) }
    while take(3) > 0 {}
    let last = Self.grid("number 999")
    let text = String(decoding: taken, as: UTF8.self)
    #expect(text.contains("first") && !text.contains("998"))
    terminal.feed(taken)
    #expect(terminal.difference(from: last, .modern) == nil)
    #expect(frames.next().isEmpty)
  }

  @Test func `Where nobody knows what is shown, everything is painted anew`() {
    var frames = FrameQueue(.modern)
    frames.show(Self.grid("shown"))
    frames.wrote(frames.next().count)
    frames.show(Self.grid("shown"))
    #expect(frames.next().isEmpty)
    frames.forget()
    #expect(String(decoding: frames.next(), as: UTF8.self).contains("\u{1B}[2J"))
    // What was on its way for another screen is not written any more.
    frames.restart(with: Array("enter".utf8))
    #expect(Array(frames.next()) == Array("enter".utf8))
    frames.wrote(5)
    #expect(String(decoding: frames.next(), as: UTF8.self).contains("shown"))
  }

  @Test func `The size is what the terminal tells, and never beyond all measure`() {
    func size(_ columns: UInt16, _ rows: UInt16, _ width: UInt16 = 0, _ height: UInt16 = 0)
      -> Terminal.Size
    {
      Terminal.size(winsize(ws_row: rows, ws_col: columns, ws_xpixel: width, ws_ypixel: height))
    }
    #expect(size(120, 35) == Terminal.Size(columns: 120, rows: 35))
    #expect(size(0, 0) == Terminal.Size(columns: 80, rows: 24))
    #expect(size(65535, 65535).columns * size(65535, 65535).rows <= 2_000_000)
    #expect(size(100, 50, 1000, 1000).cell == Terminal.Size.Pixels(width: 10, height: 20))
    #expect(size(100, 50, 99, 49).cell == nil)
  }

  @Test func `What leaves the screen undoes what entered it, and fits in the handler's memory`() {
    var modern = Capabilities.modern
    modern.mayShowPictures = true
    let leave = String(decoding: ScreenModes.leave(modern), as: UTF8.self)
    for mouse in [true, false] {
      let enter = String(decoding: ScreenModes.enter(modern, mouse: mouse), as: UTF8.self)
      for mode in ["?1049", "?2004", "?1004"] + (mouse ? ["?1002", "?1006"] : []) {
        #expect(enter.contains("\(mode)h") && leave.contains("\(mode)l"))
      }
      #expect(enter.contains("?1002h") == mouse)
      // It may have been turned on since.
      #expect(leave.contains("?1002l") && leave.contains("?1006l"))
      for mode in ["?7", "?25"] {
        #expect(enter.contains("\(mode)l") && leave.contains("\(mode)h"))
      }
      #expect(leave.utf8.count <= 256)
    }
  }

  @Test func `An order waits for what is on its way, and comes before the next grid`() {
    var frames = FrameQueue(.modern)
    frames.show(Self.grid("a"))
    let first = frames.next()
    frames.wrote(1)
    frames.send(Array("order".utf8))
    frames.show(Self.grid("b"))
    #expect(Array(frames.next()) == Array(first.dropFirst()))
    frames.wrote(first.count - 1)
    #expect(String(decoding: frames.next(), as: UTF8.self) == "order")
    frames.wrote(5)
    #expect(String(decoding: frames.next(), as: UTF8.self).contains("b"))
  }

  @Test func `As many colours are painted as are wanted, and none where there are none`() {
    let red = Style(.rgb(250, 10, 10))
    var grid = Grid(columns: 4, rows: 1)
    grid.put("a", width: 1, style: red, row: 0, column: 0)
    var frames = FrameQueue(.modern)
    frames.show(grid)
    func painted() -> String {
      let text = String(decoding: frames.next(), as: UTF8.self)
      frames.wrote(text.utf8.count)
      return text
    }
    #expect(painted().contains("38;2;250;10;10"))
    for (choice, color) in [
      (Settings.ColorChoice.indexed, "38;5;"), (.sixteen, "91"), (.eight, "31"),
    ] {
      frames.use(Capabilities.modern.colored(choice))
      let text = painted()
      #expect(text.contains(color) && text.contains("a"), "\(choice)")
    }
    frames.use(Capabilities.modern.colored(.none))
    let text = painted()
    #expect(text.contains("a") && !text.contains("[3") && !text.contains(";3"))
    #expect(Capabilities.modern.colored(.auto) == .modern)
    var plain = Capabilities.modern
    plain.colors = .none
    for choice in Settings.ColorChoice.allCases { #expect(plain.colored(choice) == plain) }
  }
}
