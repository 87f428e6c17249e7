/// The signs of the screen. Each means one thing (X1), and none stands without a word.
public struct Glyphs: Equatable, Sendable {
  public var playing: String
  public var paused: String
  public var stopped: String
  /// Silent for now, and back by itself.
  public var interrupted: String
  public var pointer: Character
  public var mark: Character
  public var inUse: Character
  public var notInUse: Character
  public var barFull: Character
  public var barEmpty: Character
  /// Where the track is heard.
  public var head: Character
  public var chapter: Character
  /// From nearly nothing to all of a cell's height; empty where there are none.
  public var heights: [Character]
  public var rule: Character
  public var thickRule: Character
  public var dot: String
  public var dash: String
  public var ellipsis: Character
  public var folder: String
  /// The order of a column: from the smallest, from the largest.
  public var rising: String
  public var falling: String
  /// Corners from the upper left on, clockwise; then the upright line.
  public var frame: [Character]

  public static let unicode = Glyphs(
    playing: "►", paused: "▮▮", stopped: "■", interrupted: "◔", pointer: "›", mark: "•",
    inUse: "●", notInUse: "○", barFull: "━", barEmpty: "─", head: "┃", chapter: "┊",
    heights: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], rule: "─", thickRule: "━", dot: "·",
    dash: "—", ellipsis: "…", folder: "/", rising: "▴", falling: "▾",
    frame: ["╭", "╮", "╯", "╰", "│"])

  /// For terminals that show no more than ASCII.
  public static let ascii = Glyphs(
    playing: ">", paused: "||", stopped: "[]", interrupted: "..", pointer: ">", mark: "*",
    inUse: "*", notInUse: " ", barFull: "=", barEmpty: "-", head: "|", chapter: ":", heights: [],
    rule: "-", thickRule: "=", dot: "-", dash: "-", ellipsis: "~", folder: "/", rising: "^",
    falling: "v", frame: ["+", "+", "+", "+", "|"])
}
