/// What a thing on the screen is, for its colour. No meaning hangs on a colour alone.
public enum Role: String, CaseIterable, Sendable {
  case text
  /// Less important: times, numbers, what is not selected.
  case faint
  case title
  case artist
  /// What belongs to the current track and view.
  case accent
  /// The part of a bar that was heard, and the rest.
  case bar
  case barRest = "bar-rest"
  case selection
  case marked
  /// What stands in the way of the music.
  case cause
  case warning
  case error
  case frame
  case prompt
  case key
}

/// How each role is drawn.
public struct Theme: Equatable, Sendable {
  public var name: String
  private var styles: [Role: Style]

  public init(name: String, styles: [Role: Style]) {
    self.name = name
    self.styles = styles
  }

  /// What has no ground of its own stands on that of the text.
  public subscript(role: Role) -> Style {
    get {
      var style = styles[role] ?? styles[.text] ?? .plain
      if style.background == .terminal { style.background = styles[.text]?.background ?? .terminal }
      return style
    }
    set { styles[role] = newValue }
  }

  /// The same without colours: attributes stay (NO_COLOR, monochrome terminals). What was told by a
  /// ground of its own is told by reverse.
  public var monochrome: Theme {
    var theme = self
    for (role, style) in styles {
      var attributes = style.attributes
      if style.background != .terminal, role != .text { attributes.insert(.reverse) }
      theme.styles[role] = Style(attributes)
    }
    return theme
  }

  // MARK: Ready-made

  public static let all = [standard, dusk, paper, contrast]

  /// The terminal's own colours: whatever the user chose for it.
  public static let standard = Theme(
    name: "terminal",
    styles: [
      .faint: Style([.dim]), .title: Style([.bold]),
      .accent: Style(.ansi(6), on: .terminal, [.bold]),
      .bar: Style(.ansi(6)), .barRest: Style([.dim]), .selection: Style([.reverse]),
      .marked: Style(.ansi(3)), .cause: Style(.ansi(3), on: .terminal, [.bold]),
      .warning: Style(.ansi(3)), .error: Style(.ansi(1), on: .terminal, [.bold]),
      .frame: Style([.dim]), .prompt: Style([.bold]), .key: Style(.ansi(6)),
    ])

  /// For dark rooms.
  public static let dusk = Theme(
    name: "dusk",
    styles: [
      .text: Style(.rgb(196, 198, 208), on: .rgb(24, 25, 33)), .faint: Style(.rgb(118, 122, 140)),
      .title: Style(.rgb(232, 230, 222), on: .terminal, [.bold]),
      .artist: Style(.rgb(172, 180, 200)),
      .accent: Style(.rgb(226, 176, 110), on: .terminal, [.bold]),
      .bar: Style(.rgb(226, 176, 110)), .barRest: Style(.rgb(72, 76, 92)),
      .selection: Style(.rgb(240, 238, 230), on: .rgb(58, 62, 82)),
      .marked: Style(.rgb(150, 190, 150)),
      .cause: Style(.rgb(226, 150, 120), on: .terminal, [.bold]),
      .warning: Style(.rgb(226, 176, 110)),
      .error: Style(.rgb(232, 110, 110), on: .terminal, [.bold]), .frame: Style(.rgb(92, 96, 116)),
      .prompt: Style(.rgb(232, 230, 222), on: .terminal, [.bold]), .key: Style(.rgb(150, 178, 214)),
    ])

  /// For bright rooms and light terminals.
  public static let paper = Theme(
    name: "paper",
    styles: [
      .text: Style(.rgb(56, 54, 50), on: .rgb(250, 246, 236)), .faint: Style(.rgb(128, 122, 112)),
      .title: Style(.rgb(24, 22, 20), on: .terminal, [.bold]), .artist: Style(.rgb(76, 72, 66)),
      .accent: Style(.rgb(150, 62, 40), on: .terminal, [.bold]), .bar: Style(.rgb(150, 62, 40)),
      .barRest: Style(.rgb(190, 182, 168)),
      .selection: Style(.rgb(24, 22, 20), on: .rgb(224, 214, 194)),
      .marked: Style(.rgb(60, 110, 60)), .cause: Style(.rgb(164, 70, 20), on: .terminal, [.bold]),
      .warning: Style(.rgb(150, 100, 0)), .error: Style(.rgb(180, 20, 20), on: .terminal, [.bold]),
      .frame: Style(.rgb(170, 162, 148)), .prompt: Style(.rgb(24, 22, 20), on: .terminal, [.bold]),
      .key: Style(.rgb(30, 80, 140)),
    ])

  /// The terminal's own two colours, which its user can read: nothing is dim, and what matters is
  /// bold, underlined or reversed.
  public static let contrast = Theme(
    name: "contrast",
    styles: [
      .title: Style([.bold]), .accent: Style([.bold]), .bar: Style([.bold]),
      .selection: Style([.bold, .reverse]), .marked: Style([.bold, .underline]),
      .cause: Style([.bold, .reverse]), .warning: Style([.bold]), .error: Style([.bold, .reverse]),
      .prompt: Style([.bold]), .key: Style([.bold, .underline]),
    ])
}

extension Style {
  /// The terminal's own colours with these attributes.
  init(_ attributes: Attributes) { self.init(.terminal, on: .terminal, attributes) }

  /// This on the ground of a selected row.
  func selected(_ selection: Style) -> Style {
    Style(
      selection.foreground, on: selection.background,
      attributes.subtracting([.dim]).union(selection.attributes))
  }
}
