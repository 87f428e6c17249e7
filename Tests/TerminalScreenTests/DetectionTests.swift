import TerminalModel
import Testing

@testable import TerminalScreen

@Suite struct DetectionTests {
  @MainActor private static func detect(_ environment: [String: String]) throws(TerminalRefusal)
    -> Capabilities
  {
    try Capabilities.detect(variable: { environment[$0] }, terminfo: TerminfoEntry.read)
  }

  /// As where terminfo is not installed.
  private static func detectByName(_ environment: [String: String]) throws(TerminalRefusal)
    -> Capabilities
  {
    try Capabilities.detect(variable: { environment[$0] }, terminfo: { _ in .unavailable })
  }

  @Test func `Without TERM, and with a dumb one, there is no full screen`() {
    #expect(throws: TerminalRefusal.dumb) { try Self.detectByName([:]) }
    #expect(throws: TerminalRefusal.dumb) { try Self.detectByName(["TERM": "dumb"]) }
  }

  @Test func `A terminal that nobody knows is refused by its name`() {
    let refusal = TerminalRefusal.unknown("teletype-9000")
    #expect(throws: refusal) { try Self.detectByName(["TERM": "teletype-9000"]) }
    #expect(refusal.sentence.contains("'teletype-9000'"))
    #expect(throws: TerminalRefusal.unknown("xtermite")) {
      try Self.detectByName(["TERM": "xtermite"])
    }
  }

  @Test(arguments: ["xterm-kitty", "alacritty", "tmux-256color", "screen.xterm-256color", "foot"])
  func `A terminal without an entry is known by its family`(_ name: String) throws {
    let found = try Self.detectByName(["TERM": name])
    #expect(found.colors >= .eight && found.hasDefaultColors && found.hasAlternateScreen)
  }

  @Test func `A terminal that places its cursor in a way of its own is refused`() {
    var entry = TerminfoEntry()
    entry.texts = ["cup": "\u{1B}=%p1%' '%+%c%p2%' '%+%c", "ed": "\u{1B}Y", "el": "\u{1B}T"]
    #expect(throws: TerminalRefusal.foreign("adm3a")) { try Capabilities(entry, name: "adm3a") }
    entry.texts = ["cup": "\u{1B}[%i%p1%d;%p2%dH", "ed": "\u{1B}[J", "el": "\u{1B}[K"]
    #expect(throws: Never.self) { try Capabilities(entry, name: "some") }
    entry.flags = ["gn"]
    #expect(throws: TerminalRefusal.foreign("some")) { try Capabilities(entry, name: "some") }
  }

  @Test func `Padding is no part of a sequence`() {
    #expect(TerminfoEntry.withoutPadding("\u{1B}[J$<50>") == "\u{1B}[J")
    #expect(TerminfoEntry.withoutPadding("a$<2*/>b$<3>") == "ab")
    #expect(TerminfoEntry.withoutPadding("$5 $<") == "$5 $<")
  }

  @Test func `Colours are as many as terminfo, COLORTERM and NO_COLOR say`() throws {
    func colors(_ environment: [String: String], _ number: Int?) throws -> Capabilities.Colors {
      var entry = TerminfoEntry()
      entry.texts = [
        "cup": "\u{1B}[%i%p1%d;%p2%dH", "ed": "\u{1B}[J", "el": "\u{1B}[K",
        "setaf": "\u{1B}[3%p1%dm",
      ]
      entry.numbers["colors"] = number
      return try Capabilities.detect(
        variable: { environment[$0] }, terminfo: { _ in .entry(entry) }
      )
      .colors
    }
    #expect(try colors(["TERM": "t"], nil) == .none)
    #expect(try colors(["TERM": "t"], 8) == .eight)
    #expect(try colors(["TERM": "t"], 16) == .sixteen)
    #expect(try colors(["TERM": "t"], 256) == .indexed)
    #expect(try colors(["TERM": "t", "COLORTERM": "truecolor"], 256) == .direct)
    #expect(try colors(["TERM": "t", "COLORTERM": "1"], 256) == .indexed)
    #expect(try colors(["TERM": "screen-256color", "COLORTERM": "truecolor"], 256) == .indexed)
    #expect(try colors(["TERM": "t", "COLORTERM": "24bit", "NO_COLOR": "1"], 256) == .none)
    #expect(try colors(["TERM": "t", "COLORTERM": "24bit"], nil) == .none)
  }

  @Test func `Characters beyond ASCII are shown where the locale names UTF-8`() throws {
    for (environment, isUnicode) in [
      (["LANG": "en_GB.UTF-8"], true), (["LANG": "C"], false), ([:], false),
      (["LANG": "de_DE.utf8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "C.UTF-8"], true),
    ] as [([String: String], Bool)] {
      let found = try Self.detectByName(environment.merging(["TERM": "xterm"]) { $1 })
      #expect(found.showsUnicode == isUnicode, "\(environment)")
    }
  }

  // The database of ncurses-base, which every Debian has.
  @Test(.enabled(if: TerminfoEntry.libraryVersion != ""))
  @MainActor func `The database's terminals are what they are`() throws {
    let xterm = try Self.detect(["TERM": "xterm-256color", "LANG": "C.UTF-8"])
    var expected = Capabilities.modern
    expected.colors = .indexed
    expected.mayShowPictures = true
    #expect(xterm == expected)
    #expect(try !Self.detect(["TERM": "xterm-256color", "TMUX": "/tmp/x,1,0"]).mayShowPictures)

    let linux = try Self.detect(["TERM": "linux", "COLORTERM": "truecolor"])
    #expect(linux.colors == .eight && linux.erasesInColor && !linux.hasAlternateScreen)
    #expect(linux.attributesWithoutColor == [.underline, .dim] && linux.needsFlowControl)
    #expect(!linux.hasSynchronizedOutput)

    let old = try Self.detect(["TERM": "vt100"])
    #expect(old.colors == .none && old.attributes == [.bold, .underline, .reverse])
    #expect(!old.hasColumnAddress && !old.hasEraseCharacters && !old.lastCellScrolls)

    let screen = try Self.detect(["TERM": "screen"])
    // Its sequence of italics is reverse video.
    #expect(!screen.attributes.contains(.italic) && !screen.erasesInColor)
    #expect(screen.colors == .eight && screen.hasAlternateScreen)

    let tmux = try Self.detect(["TERM": "tmux-256color", "COLORTERM": "truecolor"])
    #expect(tmux.colors == .direct && tmux.hasSynchronizedOutput && !tmux.erasesInColor)

    #expect(throws: TerminalRefusal.unknown("teletype-9000")) {
      try Self.detect(["TERM": "teletype-9000"])
    }
    #expect(throws: TerminalRefusal.self) { try Self.detect(["TERM": "adm3a"]) }
    #expect(TerminfoEntry.libraryVersion.hasPrefix("ncurses"))
  }
}

@Suite struct PenTests {
  private static func capabilities(_ colors: Capabilities.Colors) -> Capabilities {
    var found = Capabilities.modern
    found.colors = colors
    return found
  }

  @Test func `A colour that is not there is the nearest that is`() {
    let orange = Style(.rgb(255, 135, 0), on: .rgb(8, 8, 8))
    #expect(Pen(orange, Self.capabilities(.direct)).foreground == .rgb(255, 135, 0))
    #expect(Pen(orange, Self.capabilities(.indexed)).foreground == .indexed(208))
    #expect(Pen(orange, Self.capabilities(.indexed)).background == .indexed(232))
    #expect(Pen(orange, Self.capabilities(.sixteen)).background == .ansi(0))
    #expect(Pen(orange, Self.capabilities(.none)) == .plain)
    #expect(Palette.nearest(.rgb(250, 5, 5), .sixteen) == .ansi(9))
    #expect(Palette.nearest(.indexed(250), .sixteen) == .ansi(7))
    #expect(Palette.nearest(.indexed(3), .indexed) == .ansi(3))
    #expect(Palette.nearest(.ansi(200), .indexed) == .ansi(8))
  }

  @Test func `Every colour of the cube and of the greys is its own nearest`() {
    for number in UInt8(16)...255 {
      let rgb = Palette.indexed(number)
      let nearest = Palette.nearest(
        .rgb(UInt8(rgb.red), UInt8(rgb.green), UInt8(rgb.blue)), .indexed)
      guard case .indexed(let found) = nearest else {
        Issue.record("\(number)")
        continue
      }
      #expect(Palette.indexed(found) == rgb, "\(number)")
    }
  }

  @Test func `Of eight colours the bright ones are bold, and bright black is dim`() {
    let eight = Self.capabilities(.eight)
    let bright = Pen(Style(.ansi(9), on: .ansi(12)), eight)
    #expect(bright.foreground == .ansi(1) && bright.background == .ansi(4))
    #expect(bright.attributes == .bold)
    let grey = Pen(Style(.ansi(8)), eight)
    #expect(grey.foreground == .terminal && grey.attributes == .dim)
  }

  @Test func `Text never becomes the colour of its ground`() {
    let style = Style(.rgb(20, 20, 20), on: .rgb(2, 2, 2))
    for colors in [Capabilities.Colors.eight, .sixteen] {
      let pen = Pen(style, Self.capabilities(colors))
      #expect(pen.foreground != pen.background)
    }
  }

  @Test func `What the terminal cannot show with a colour gives way to the colour`() {
    var linux = Self.capabilities(.eight)
    linux.attributesWithoutColor = [.underline]
    #expect(Pen(Style(.ansi(1), .underline), linux).attributes.isEmpty)
    #expect(Pen(Style(.terminal, .underline), linux).attributes == .underline)
  }

  @Test func `A pen is the same as a number`() {
    let colors: [Color] = [
      .terminal, .ansi(0), .ansi(15), .indexed(0), .indexed(255), .rgb(0, 0, 0),
      .rgb(255, 254, 253),
    ]
    var numbers: Set<UInt64> = []
    for foreground in colors {
      for background in colors {
        for attributes in [Style.Attributes(), .bold, [.dim, .strikethrough]] {
          var pen = Pen()
          (pen.foreground, pen.background, pen.attributes) = (foreground, background, attributes)
          #expect(Pen(packed: pen.packed) == pen)
          #expect(pen.packed & Pen.mask == pen.packed)
          numbers.insert(pen.packed)
        }
      }
    }
    #expect(numbers.count == colors.count * colors.count * 3)
    #expect(Pen.plain.packed == 0)
  }

  @Test(arguments: [
    (Style.plain, Style(.ansi(1)), "31"), (Style(.ansi(1)), Style(.ansi(1), .bold), "1"),
    (Style(.ansi(1), .bold), Style(.ansi(1)), "0;31"), (Style(.ansi(1), .bold), .plain, ""),
    (Style(.ansi(1), on: .ansi(2)), Style(.ansi(1)), "49"), (.plain, Style(.ansi(12)), "94"),
    (.plain, Style(.terminal, on: .ansi(15)), "107"),
    (.plain, Style(.indexed(200), on: .rgb(1, 2, 3)), "38;5;200;48;2;1;2;3"),
    (Style(.rgb(1, 2, 3), [.bold, .dim]), Style(.ansi(2), [.bold, .dim]), "32"),
    (Style(.ansi(3), [.bold, .reverse]), Style(.ansi(3), .reverse), "0;7;33"),
  ])
  func `A pen changes by the shortest way`(_ old: Style, _ new: Style, _ parameters: String) {
    let modern = Capabilities.modern
    let bytes = Pen.change(from: Pen(old, modern), to: Pen(new, modern), modern)
    #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[\(parameters)m")
  }

  @Test func `Without a way back to its own colours the terminal is reset`() {
    var old = Capabilities.modern
    old.hasDefaultColors = false
    let bytes = Pen.change(
      from: Pen(Style(.ansi(1), on: .ansi(2)), old), to: Pen(Style(.ansi(1)), old), old)
    #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[0;31m")
  }
}
