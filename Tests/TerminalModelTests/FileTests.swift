import PlayerState
import Testing

@testable import TerminalModel

@Suite struct FileTests {
  @Test func `Keys are bound, bound elsewhere and taken away`() {
    let (keys, errors) = KeysFile.read(
      """
      # what I am used to
      x = stop          # as in xmms
      ctrl-right = seek +30
      queue.d = remove
      = = volume +2
      hash = quit
      space = none
      f5 = 'device "built in"'
      """)
    #expect(errors.isEmpty)
    #expect(keys.command(for: Key(.character("x")), in: .everywhere) == .player(.stop))
    #expect(keys.command(for: Key(.right, .control), in: .everywhere) == .player(.seek(.by(30))))
    #expect(keys.command(for: Key(.character("d")), in: .queue) == .view(.removeRows))
    #expect(keys.command(for: Key(.character("=")), in: .everywhere) == .player(.volume(.by(2))))
    #expect(keys.command(for: Key(.character("#")), in: .everywhere) == .player(.quit))
    #expect(keys.command(for: Key(.character(" ")), in: .everywhere) == nil)
    #expect(keys.command(for: Key(.function(5)), in: .everywhere) == .player(.device("built in")))
    #expect(KeysFile.read(KeysFile.text(keys), over: KeyTable()).keys.bindings == keys.bindings)
  }

  @Test(
    arguments: [
      ("\n\nctrl-x", 3, "'ctrl-x' is no 'name = value'"),
      ("spcae = toggle", 1, "no key is called 'spcae', did you mean 'space'?"),
      ("queu.x = stop", 1, "no place is called 'queu', did you mean 'queue'?"),
      ("x = tooggle", 1, "unknown command 'tooggle', did you mean 'toggle'?"),
      ("x =", 1, "a command is missing"),
      ("x = 'stop", 1, "a quote is not closed"),
    ])
  func `A fault in the keys is told with its line and the nearest name`(
    _ text: String, _ line: Int, _ sentence: String
  ) {
    let (keys, errors) = KeysFile.read(text)
    #expect(errors == [ConfigError(line: line, sentence)])
    #expect(keys == .defaults)
  }

  @Test func `Settings are read, and each says where it is from`() {
    let (settings, lines, errors) = Settings.read(
      "spectrum = off\n# no\n\ntheme = paper\nview = queue\nlevel = 80\nmusic-folder = '/m # x'\n")
    #expect(errors.isEmpty)
    #expect(!settings.spectrum && settings.theme == "paper" && settings.view == .queue)
    #expect(settings.level == 80 && settings.musicFolder == "/m # x")
    let effective = settings.effective(file: "config", lines: lines)
    func origin(_ name: String) -> String? { effective.first { $0.name == name }?.origin }
    #expect(origin("theme") == "config:4")
    #expect(origin("level") == "config:6")
    #expect(origin("mouse") == "default")
    #expect(effective.map(\.name) == Settings.names)
    #expect(effective.first { $0.name == "spectrum" }?.value == "off")
  }

  @Test(
    arguments: [
      ("spectrun = off", 1, "no setting is called 'spectrun', did you mean 'spectrum'?"),
      ("mouse = on\nmouse = maybe", 2, "'mouse' is on, off, not 'maybe'"),
      ("level = 101", 1, "'level' is 0 to 100, not '101'"),
      ("pictures = sixel", 1, "'pictures' is auto, none, symbols, kitty, not 'sixel'"),
      ("color = 17", 1, "'color' is auto, none, 8, 16, 256, true, not '17'"),
      ("= x", 1, "'= x' is no 'name = value'"),
    ])
  func `A fault in the settings is told with its line`(
    _ text: String, _ line: Int, _ sentence: String
  ) {
    let errors = Settings.read(text).errors
    #expect(errors == [ConfigError(line: line, sentence)])
    #expect(errors.first?.message(in: "config") == "config:\(line): \(sentence)")
  }

  @Test func `The example names every setting, and is no fault when it is uncommented`() {
    let text = Settings.example.split(separator: "\n").map { line in
      line.contains(" = ") && !line.contains("(") ? String(line.dropFirst(2)) : String(line)
    }.joined(separator: "\n")
    let (settings, lines, errors) = Settings.read(text)
    #expect(errors.isEmpty)
    #expect(settings == Settings())
    #expect(Set(lines.keys) == Set(Settings.names))
  }

  @Test func `A theme is read over another, and its faults are told`() {
    let (theme, errors) = ThemeFile.read(
      """
      accent = bright-cyan bold
      selection = black on #ffd700
      bar = 208
      bar-rest = terminal dim
      titel = red
      error = redd
      key = red on
      """, name: "mine")
    #expect(theme.name == "mine")
    #expect(theme[.accent] == Style(.ansi(14), on: .terminal, .bold))
    #expect(theme[.selection] == Style(.ansi(0), on: .rgb(255, 215, 0)))
    #expect(theme[.bar].foreground == .indexed(208))
    #expect(theme[.barRest] == Style(.terminal, on: .terminal, .dim))
    #expect(
      errors == [
        ConfigError(line: 5, "a theme has no 'titel', did you mean 'title'?"),
        ConfigError(line: 6, "no colour is called 'redd', did you mean 'red'?"),
        ConfigError(line: 7, "a colour is missing after 'on'"),
      ])
  }

  @Test func `Without colours nothing of a theme is coloured, and a ground is reversed`() {
    for theme in Theme.all {
      for role in Role.allCases {
        let style = theme.monochrome[role]
        #expect(style.foreground == .terminal && style.background == .terminal)
        if theme[role].background != theme[.text].background {
          #expect(style.attributes.contains(.reverse))
        }
      }
      // A theme with colours of its own brings its ground, so that it is read on any terminal.
      let inks = Role.allCases.map { theme[$0].foreground }
      let isOwn = inks.contains { if case .rgb = $0 { true } else { false } }
      #expect(isOwn == (theme[.text].background != .terminal))
      // What matters is seen without colours too.
      #expect(theme.monochrome[.selection] != theme.monochrome[.text])
    }
    for role in Role.allCases { #expect(!Theme.contrast[role].attributes.contains(.dim)) }
  }

  @Test func `No file is too strange to be read`() {
    var seed: UInt64 = 3
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let pieces =
      Settings.names + Role.allCases.map(\.rawValue)
      + [
        "=", " ", "\n", "#", "'", "\"", "\\", "queue.", ".", "ctrl-", "\u{1B}", "日本", "\r\n", "on",
        "#fff", "\u{0}",
      ]
    for _ in 0..<1000 {
      let text = (0..<next(30)).map { _ in pieces[next(pieces.count)] }.joined()
      for error in KeysFile.read(text).errors + Settings.read(text).errors
        + ThemeFile.read(text, name: "x").errors
      {
        #expect(error.line >= 1 && !error.sentence.contains("\u{1B}"))
      }
    }
  }
}
