import TerminalModel

/// A style as a terminal can show it.
struct Pen: Equatable {
  var foreground = Color.terminal
  var background = Color.terminal
  var attributes: Style.Attributes = []

  static let plain = Pen()

  /// Attributes that are seen on a blank.
  static let onBlanks: Style.Attributes = [.underline, .reverse, .strikethrough]

  init() {}

  /// The nearest to a style.
  init(_ style: Style, _ capabilities: Capabilities) {
    attributes = style.attributes.intersection(capabilities.attributes)
    guard capabilities.colors > .none else { return }
    foreground = Palette.nearest(style.foreground, capabilities.colors)
    background = Palette.nearest(style.background, capabilities.colors)
    if capabilities.colors == .eight {
      brighten(style, capabilities)
      if case .ansi(let number) = background { background = .ansi(number & 7) }
    }
    if foreground == background, foreground != .terminal, style.foreground != style.background {
      // Two colours that became one: the text must stay readable.
      foreground = Palette.contrast(to: background)
    }
    if foreground != .terminal || background != .terminal {
      attributes.subtract(capabilities.attributesWithoutColor)
    }
  }

  /// With eight colours, bright ones are bold. Bright black is what people use for what matters
  /// less: bold black can be invisible, so it becomes dim.
  private mutating func brighten(_ style: Style, _ capabilities: Capabilities) {
    guard case .ansi(let number) = foreground, number > 7 else { return }
    if number == 8 {
      foreground = .terminal
      if capabilities.attributes.contains(.dim) { attributes.insert(.dim) }
    } else {
      foreground = .ansi(number & 7)
      if capabilities.attributes.contains(.bold) { attributes.insert(.bold) }
    }
  }

  /// What is seen of it on a blank.
  var onBlank: Pen {
    guard attributes.isDisjoint(with: Pen.onBlanks) else { return self }
    var ground = Pen()
    ground.background = background
    return ground
  }

  /// A blank looks the same with both.
  func showsBlankAs(_ other: Pen) -> Bool { onBlank == other.onBlank }

  // MARK: As a number

  /// The bits of a packed pen; zero is the plain one.
  static let mask: UInt64 = (1 << 60) - 1

  var packed: UInt64 {
    Self.pack(foreground) | Self.pack(background) << 26 | UInt64(attributes.rawValue) << 52
  }

  init(packed: UInt64) {
    foreground = Self.unpack(packed & 0x3FF_FFFF)
    background = Self.unpack(packed >> 26 & 0x3FF_FFFF)
    attributes = Style.Attributes(rawValue: UInt8(truncatingIfNeeded: packed >> 52 & 0xFF))
  }

  /// Two bits for the kind, twenty-four for the number.
  private static func pack(_ color: Color) -> UInt64 {
    switch color {
    case .terminal: 0
    case .ansi(let number): 1 << 24 | UInt64(number)
    case .indexed(let number): 2 << 24 | UInt64(number)
    case .rgb(let red, let green, let blue):
      3 << 24 | UInt64(red) << 16 | UInt64(green) << 8 | UInt64(blue)
    }
  }

  private static func unpack(_ packed: UInt64) -> Color {
    switch packed >> 24 {
    case 1: .ansi(UInt8(packed & 0xFF))
    case 2: .indexed(UInt8(packed & 0xFF))
    case 3: .rgb(UInt8(packed >> 16 & 0xFF), UInt8(packed >> 8 & 0xFF), UInt8(packed & 0xFF))
    default: .terminal
    }
  }

  /// The shortest sequence that leads from one pen to another.
  static func change(from old: Pen, to new: Pen, _ capabilities: Capabilities) -> [UInt8] {
    if old == new { return [] }
    if new == .plain { return Array("\u{1B}[m".utf8) }
    var fresh: [UInt8] = [0x30]
    new.append(all: true, besides: .plain, to: &fresh)
    let losesColor =
      (new.foreground == .terminal && old.foreground != .terminal)
      || (new.background == .terminal && old.background != .terminal)
    var shortest = fresh
    if new.attributes.isSuperset(of: old.attributes),
      !losesColor || capabilities.hasDefaultColors
    {
      var change: [UInt8] = []
      new.append(all: false, besides: old, to: &change)
      if change.count < fresh.count { shortest = change }
    }
    return [0x1B, 0x5B] + shortest + [0x6D]
  }

  /// The parameters in which this pen differs from another, which has no attribute beyond it.
  private func append(all: Bool, besides old: Pen, to bytes: inout [UInt8]) {
    func add(_ text: String) {
      if !bytes.isEmpty { bytes.append(0x3B) }
      bytes += text.utf8
    }
    let added = attributes.subtracting(old.attributes)
    for (attribute, number) in [
      (Style.Attributes.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"),
      (.reverse, "7"), (.strikethrough, "9"),
    ] where added.contains(attribute) {
      add(number)
    }
    if foreground != old.foreground { add(Self.parameter(foreground, 30)) }
    if background != old.background { add(Self.parameter(background, 40)) }
  }

  private static func parameter(_ color: Color, _ base: Int) -> String {
    switch color {
    case .terminal: return "\(base + 9)"
    case .ansi(let number): return "\(number < 8 ? base + Int(number) : base + 52 + Int(number))"
    case .indexed(let number): return "\(base + 8);5;\(number)"
    case .rgb(let red, let green, let blue): return "\(base + 8);2;\(red);\(green);\(blue)"
    }
  }
}
