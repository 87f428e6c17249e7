/// What stands for a character where the terminal shows ASCII alone. The columns stay the same, so
/// that nothing else on the screen moves.
public enum ASCIIGlyphs {
  /// One character of ASCII; `?` for what has no likeness. A character of two columns is followed by
  /// a blank.
  public static func replacement(_ character: Character) -> Character {
    if let byte = character.asciiValue, byte >= 0x20, byte < 0x7F { return character }
    if let found = table[character] { return found }
    let scalars = character.unicodeScalars
    guard let scalar = scalars.first, scalars.count == 1 else { return "?" }
    switch scalar.value {
    // What is left of the frames: thick, double and broken lines are told by their direction.
    case 0x2500...0x257F: return "+"
    case 0x2800: return " "
    case 0x2801...0x28FF: return ":"
    case 0x1FB00...0x1FB3B, 0x2596...0x259F: return "#"
    default: return "?"
    }
  }

  private static let table: [Character: Character] = {
    var table: [Character: Character] = [:]
    let rows: [(String, Character)] = [
      ("─━┄┅┈┉╌╍╴╶╸╺╼╾‐‑‒–—―−", "-"), ("│┃┆┇┊┋╎╏╵╷╹╻╽╿║▌▐▍▎▏⏸❙❚‖¦", "|"), ("═", "="),
      ("←◀◁◂◃‹«⏪⏮◄", "<"), ("→▶▷▸▹›»⏩⏭►⏵", ">"), ("↑▲△▴▵", "^"), ("↓▼▽▾▿✓✔", "v"),
      ("●•◆◉★☆✱∗⏺", "*"), ("○◇◯◦°", "o"), ("■□▪▫⏹▓█▉▊▋", "#"),
      ("·…∙⋯▂░", "."), ("▁", "_"), ("▃▒⋮", ":"), ("▄▀", "-"), ("▅", "="), ("▆", "+"), ("▇", "#"),
      ("♪♫♩♬∿≈～", "~"), ("×✗✘✕", "x"), ("‘’′‚", "'"), ("“”″„", "\""), ("\u{A0}\u{3000}", " "),
      ("⇄⇆⤨🔀", "s"), ("↻↺⟳⟲🔁", "r"), ("🔂", "1"), ("÷⁄∕", "/"), ("±", "+"),
    ]
    for (characters, replacement) in rows {
      for character in characters { table[character] = replacement }
    }
    return table
  }()
}
