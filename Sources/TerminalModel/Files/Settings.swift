import AudioTypes
import PlayerState

/// The settings of the configuration, with their defaults. None is needed (X2).
public struct Settings: Equatable, Sendable {
  public var theme = "terminal"
  public var color = ColorChoice.auto
  public var glyphs = GlyphChoice.auto
  public var pictures = PictureChoice.auto
  public var view = ScreenView.playing
  public var mouse = true
  public var cover = true
  public var lyrics = true
  public var waveform = true
  public var meter = true
  public var spectrum = true
  public var showCursor = false
  /// What digits mean: views, or how often the next key is meant.
  public var digits = DigitChoice.views
  public var musicFolder = ""
  public var playlistFolder = ""
  public var libraryFolders = ""
  public var libraryWatch = true
  public var output = ""
  public var device = ""
  public var gain = LoudnessMode.off
  public var leakGuard = GuardChoice.auto
  public var resume = true
  public var level = 100
  public var headset = HeadsetChoice.auto
  public var notify = false
  public var keepAwake = AwakeChoice.off

  public enum ColorChoice: String, CaseIterable, Sendable {
    case auto, none
    case eight = "8"
    case sixteen = "16"
    case indexed = "256"
    case direct = "true"
  }
  public enum GlyphChoice: String, CaseIterable, Sendable { case auto, unicode, ascii }
  public enum PictureChoice: String, CaseIterable, Sendable {
    case auto, none, symbols, kitty
  }
  public enum DigitChoice: String, CaseIterable, Sendable { case views, counts }
  public enum GuardChoice: String, CaseIterable, Sendable { case auto, on, off }
  public enum AwakeChoice: String, CaseIterable, Sendable { case playing, off }
  public enum HeadsetChoice: String, CaseIterable, Sendable { case auto, on, off }

  public init() {}

  /// Covers are drawn in some way.
  var showsCover: Bool { cover && pictures != .none }

  /// What counts at the start alone, however it is changed later.
  public static let atStart: Set = [
    "output", "device", "gain", "leak-guard", "resume", "level", "view",
  ]

  /// The names of those whose values differ.
  public func changes(from old: Settings) -> [String] {
    Self.items.filter { $0.write(self) != $0.write(old) }.map(\.name)
  }

  /// One setting: its name, what it may be, what it is for, how it is read and written.
  struct Item: Sendable {
    var name: String
    var values: String
    var summary: String
    var read: @Sendable (inout Settings, String) -> Bool
    var write: @Sendable (Settings) -> String
  }

  private static func choice<Value>(
    _ name: String, _ summary: String, _ path: WritableKeyPath<Settings, Value> & Sendable
  ) -> Item where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    Item(
      name: name, values: Value.allCases.map(\.rawValue).joined(separator: ", "), summary: summary,
      read: { settings, text in
        guard let value = Value(rawValue: text) else { return false }
        settings[keyPath: path] = value
        return true
      }, write: { $0[keyPath: path].rawValue })
  }

  private static func flag(
    _ name: String, _ summary: String, _ path: WritableKeyPath<Settings, Bool> & Sendable
  ) -> Item {
    Item(
      name: name, values: "on, off", summary: summary,
      read: { settings, text in
        guard text == "on" || text == "off" else { return false }
        settings[keyPath: path] = text == "on"
        return true
      }, write: { $0[keyPath: path] ? "on" : "off" })
  }

  private static func text(
    _ name: String, _ values: String, _ summary: String,
    _ path: WritableKeyPath<Settings, String> & Sendable
  ) -> Item {
    Item(
      name: name, values: values, summary: summary,
      read: { settings, text in
        settings[keyPath: path] = text
        return true
      }, write: { $0[keyPath: path] })
  }

  static let items: [Item] = [
    text(
      "theme", "a name", "the theme: terminal, dusk, paper, contrast, or a file in themes", \.theme),
    choice("color", "how many colours; auto: as many as the terminal has", \.color),
    choice("glyphs", "signs of Unicode, or ASCII alone", \.glyphs),
    choice(
      "pictures",
      "how covers are drawn: as characters, or by a terminal that shows pictures as kitty does",
      \.pictures),
    Item(
      name: "view", values: ScreenView.allCases.map(\.word).joined(separator: ", "),
      summary: "the view at the start",
      read: { settings, text in
        guard let view = ScreenView.allCases.first(where: { $0.word == text }) else { return false }
        settings.view = view
        return true
      }, write: { $0.view.word }),
    flag("mouse", "the mouse is listened to", \.mouse),
    flag("cover", "covers are shown", \.cover),
    flag("lyrics", "lyrics are shown", \.lyrics),
    flag("waveform", "the seek bar shows how loud the track is", \.waveform),
    flag("meter", "the level meter is shown", \.meter),
    flag("spectrum", "the spectrum is shown", \.spectrum),
    flag("show-cursor", "the cursor stands on the selected row, for screen readers", \.showCursor),
    choice("digits", "digits choose views, or say how often the next key is meant", \.digits),
    text("music-folder", "a path", "where the files begin", \.musicFolder),
    text("playlist-folder", "a path", "where playlists are", \.playlistFolder),
    text(
      "library-folders", "paths with colons between", "folders of the collection, for sotto scan",
      \.libraryFolders),
    flag(
      "library-watch", "what changes in the collection's folders is noticed while sotto plays",
      \.libraryWatch),
    text("output", "pulse, alsa, null or file:PATH", "the output", \.output),
    text("device", "a name", "the device", \.device),
    choice("gain", "loudness by the tags of the track or album", \.gain),
    choice("leak-guard", "no sound reaches the speakers when headphones vanish", \.leakGuard),
    flag(
      "resume",
      "the queue and the place in it are those of the last time; off: an undo brings them",
      \.resume),
    Item(
      name: "level", values: "0 to 100", summary: "sotto's own level at the start",
      read: { settings, text in
        guard let level = Int(text), (0...100).contains(level) else { return false }
        settings.level = level
        return true
      }, write: { "\($0.level)" }),
    choice("headset", "buttons of headsets are read; auto: where no desktop does it", \.headset),
    flag("notify", "the desktop shows a notice of each track", \.notify),
    choice("keep-awake", "the machine does not sleep by itself while music plays", \.keepAwake),
  ]

  public static let names = items.map(\.name)

  /// Sets one by its name; throws a sentence.
  public mutating func set(_ name: String, to value: String) throws(CommandError) {
    guard let item = Self.items.first(where: { $0.name == name }) else {
      throw CommandError(
        "no setting is called '\(Text.printable(name))'\(Nearest.hint(to: name, among: Self.names))"
      )
    }
    guard item.read(&self, value) else {
      throw CommandError("'\(name)' is \(item.values), not '\(Text.printable(value))'")
    }
  }

  /// `config`: `name = value`. A line with a fault changes nothing.
  public static func read(_ text: String, over base: Settings = Settings()) -> (
    settings: Settings, lines: [String: Int], errors: [ConfigError]
  ) {
    var settings = base
    var lines: [String: Int] = [:]
    let (entries, faults) = ConfigLines.read(text)
    var errors = faults
    for entry in entries {
      do throws(CommandError) {
        try settings.set(entry.name, to: entry.value)
        lines[entry.name] = entry.line
      } catch {
        errors.append(ConfigError(line: entry.line, error.sentence))
      }
    }
    return (settings, lines, errors.sorted { $0.line < $1.line })
  }

  /// A setting as it is, and where that comes from.
  public struct Effective: Equatable, Sendable {
    public var name: String
    public var value: String
    /// "default" or "FILE:LINE".
    public var origin: String
    public var summary: String
  }

  /// All settings for `sotto config`.
  /// - Parameter lines: where the file says so.
  public func effective(file: String, lines: [String: Int]) -> [Effective] {
    Self.items.map { item in
      let origin = lines[item.name].map { "\(file):\($0)" } ?? "default"
      return Effective(
        name: item.name, value: item.write(self), origin: origin, summary: item.summary)
    }
  }

  /// An example with every default, for people to begin with.
  public static var example: String {
    items.map { item in
      let value = item.write(Settings())
      return "# \(item.summary) (\(item.values))\n# \(item.name) = \(value)\n"
    }.joined(separator: "\n")
  }
}
