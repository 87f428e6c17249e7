import TerminalModel

extension Capabilities {
  /// What the terminal of this environment can do. Pure: `variable` gives a variable that is set and
  /// not empty, `terminfo` the entry of a name.
  public static func detect(
    variable: (String) -> String?, terminfo: (String) -> TerminfoEntry.Lookup
  ) throws(TerminalRefusal) -> Capabilities {
    guard let name = variable("TERM"), name != "dumb" else { throw .dumb }
    var found: Capabilities
    switch terminfo(name) {
    case .entry(let entry): found = try Capabilities(entry, name: name)
    case .noEntry, .unavailable:
      // Terminals whose entry is not on every machine, as over ssh.
      guard let known = Capabilities(family: name) else { throw .unknown(name) }
      found = known
    }
    found.showsUnicode = isUnicode(variable)
    if variable("NO_COLOR") != nil {
      found.colors = .none
    } else if found.colors > .none, promisesDirectColor(name, variable) {
      found.colors = .direct
    }
    // Between us and the terminal, tmux and screen hand on no pictures.
    found.mayShowPictures =
      found.hasSynchronizedOutput && !name.hasPrefix("tmux") && !name.hasPrefix("screen")
      && variable("TMUX") == nil && variable("STY") == nil
    return found
  }

  /// From the database.
  init(_ entry: TerminfoEntry, name: String) throws(TerminalRefusal) {
    guard !entry.flags.contains("hc"), !entry.flags.contains("gn"),
      entry.texts["cup"] == "\u{1B}[%i%p1%d;%p2%dH", entry.texts["ed"] == "\u{1B}[J",
      entry.texts["el"] == "\u{1B}[K"
    else { throw .foreign(name) }
    self.init()
    switch entry.numbers["colors"] ?? 0 {
    case ..<8: colors = .none
    case 8..<16: colors = .eight
    case 16..<256: colors = .sixteen
    default: colors = .indexed
    }
    // Colours may come in another way than ours only on terminals that nobody has any more.
    if colors > .none, entry.texts["setaf"]?.contains("\u{1B}[") != true { colors = .none }
    if !entry.flags.isDisjoint(with: ["Tc", "RGB"]) || entry.numbers["RGB"] != nil
      || entry.texts["setrgbf"] != nil
    {
      colors = .direct
    }
    let names: [(String, Style.Attributes, String)] = [
      ("bold", .bold, "\u{1B}[1m"), ("dim", .dim, "\u{1B}[2m"), ("sitm", .italic, "\u{1B}[3m"),
      ("smul", .underline, "\u{1B}[4m"), ("rev", .reverse, "\u{1B}[7m"),
      ("smxx", .strikethrough, "\u{1B}[9m"),
    ]
    for (name, attribute, text) in names where entry.texts[name] == text {
      attributes.insert(attribute)
    }
    // ncv: a sum of standout 1, underline 2, reverse 4, blink 8, dim 16, bold 32.
    let without = entry.numbers["ncv"] ?? 0
    for (bit, attribute) in [
      (2, Style.Attributes.underline), (4, .reverse), (16, .dim), (32, .bold),
    ] where without & bit != 0 {
      attributesWithoutColor.insert(attribute)
    }
    hasDefaultColors = entry.flags.contains("AX") || entry.texts["op"] == "\u{1B}[39;49m"
    erasesInColor = entry.flags.contains("bce")
    hasEraseCharacters = entry.texts["ech"] == "\u{1B}[%p1%dX"
    hasColumnAddress = entry.texts["hpa"] == "\u{1B}[%i%p1%dG"
    lastCellScrolls =
      entry.flags.contains("am") && !entry.flags.contains("xenl") && entry.texts["rmam"] == nil
    hasSynchronizedOutput =
      entry.texts["Sync"] != nil || entry.flags.contains("XT") || name.hasPrefix("tmux")
    hasAlternateScreen = entry.texts["smcup"] != nil
    needsFlowControl = entry.flags.contains("xon")
  }

  /// By the name alone; nil for a name that nobody knows.
  init?(family name: String) {
    func isOne(of families: [String]) -> Bool {
      families.contains { name == $0 || name.hasPrefix($0 + "-") || name.hasPrefix($0 + ".") }
    }
    if isOne(of: [
      "xterm", "tmux", "alacritty", "foot", "kitty", "wezterm", "ghostty", "contour", "konsole",
      "gnome", "vte", "iterm2", "mintty", "mlterm", "st", "putty", "rio", "xfce",
    ]) {
      self = .modern
      // More than 256 colours are promised by the environment, not by a name.
      colors = .indexed
      erasesInColor = !name.hasPrefix("tmux")
      if isOne(of: ["tmux"]) || isOne(of: ["putty"]) { hasEraseCharacters = false }
    } else if isOne(of: ["screen", "rxvt", "linux", "vt100", "vt102", "vt220", "ansi"]) {
      self.init()
      attributes = [.bold, .underline, .reverse]
      hasAlternateScreen = isOne(of: ["screen", "rxvt"])
      needsFlowControl = name.hasPrefix("vt")
      if !name.hasPrefix("vt") {
        colors = name.hasSuffix("256color") ? .indexed : .eight
        hasDefaultColors = !isOne(of: ["ansi"])
        hasColumnAddress = hasDefaultColors
        if isOne(of: ["linux"]) { attributesWithoutColor = .underline }
      }
    } else {
      return nil
    }
  }

  /// COLORTERM tells what a name with 256 colours can really do. It is handed on through `screen`,
  /// which cannot, and lost by ssh, which costs shades only.
  private static func promisesDirectColor(_ name: String, _ variable: (String) -> String?) -> Bool {
    if name == "linux" || name.hasPrefix("vt") || name.hasPrefix("screen") { return false }
    return ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "")
  }

  /// The locale names UTF-8. Read from the variables, so that it works where that locale's data is
  /// not installed.
  static func isUnicode(_ variable: (String) -> String?) -> Bool {
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let lowered = locale.lowercased()
    return lowered.contains("utf-8") || lowered.contains("utf8")
  }
}
