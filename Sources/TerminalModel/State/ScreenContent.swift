import AudioTypes

/// What the screen shows beside the player's state; brought from outside.
public struct ScreenContent: Equatable, Sendable {
  public var files = Listing()
  public var playlists = Listing()
  /// What was brought of the collection last.
  public var library = LibraryPage()
  public var cover: Cover?
  /// Levels of the channels now, in dB of full scale; empty when nothing is measured.
  public var levels: [Float] = []
  /// How strong the frequencies are, low to high, 0 to 1; empty when nothing is measured.
  public var spectrum: [Float] = []
  /// Names that a line can be completed with.
  public var themes: [String] = []
  /// Programs whose sound is seen now, as they call themselves.
  public var programs: [String] = []

  public init() {}
}

/// The rows of a folder, or of the playlists.
public struct Listing: Equatable, Sendable {
  public enum Kind: Equatable, Sendable { case folder, file, playlist }

  public struct Row: Equatable, Sendable {
    public var kind: Kind
    public var path: [UInt8]
    /// For people; made safe where it is drawn.
    public var name: String
    /// "12 tracks", "3:05": at the right.
    public var detail: String
    /// A track of a playlist whose file is not there.
    public var isMissing = false
    /// A playlist whose rows can be shown and edited: an M3U.
    var isList: Bool {
      let name = String(decoding: path.suffix(5), as: UTF8.self).lowercased()
      return kind == .playlist && (name.hasSuffix(".m3u8") || name.hasSuffix(".m3u"))
    }

    public init(_ kind: Kind, path: [UInt8], name: String, detail: String = "") {
      self.kind = kind
      self.path = path
      self.name = name
      self.detail = detail
    }
  }

  /// What was asked for.
  public var path: [UInt8]
  public var rows: [Row]
  /// Why there are no rows.
  public var fault: String?
  /// Another number for other rows.
  public var revision: Int
  /// The rows are the tracks of the playlist at `path`.
  public var isPlaylist = false

  public init(
    path: [UInt8] = [], rows: [Row] = [], fault: String? = nil, revision: Int = 0
  ) {
    self.path = path
    self.rows = rows
    self.fault = fault
    self.revision = revision
  }

  /// The folder above; nil at the top.
  var parent: [UInt8]? {
    var parts = path[...]
    while parts.last == 0x2F, parts.count > 1 { parts.removeLast() }
    guard let slash = parts.lastIndex(of: 0x2F), parts.count > 1 else { return nil }
    return slash == 0 ? [0x2F] : Array(parts[..<slash])
  }
}

/// A cover: the cells that stand for it, and the picture that may lie over them.
public struct Cover: Equatable, Sendable {
  /// Which picture; nil where the terminal shows none.
  public var picture: Int?
  public var rows: Int
  public var columns: Int
  /// Row by row; as many as `rows` times `columns`, or none while they are being made.
  public var cells: [Cell]

  public init(picture: Int? = nil, rows: Int, columns: Int, cells: [Cell] = []) {
    self.picture = picture
    self.rows = rows
    self.columns = columns
    self.cells = cells
  }
}

/// The screen's own settings: what the program makes of its configuration and of the terminal.
public struct ScreenStyle: Sendable {
  public var keys: KeyTable
  public var theme: Theme
  public var glyphs: Glyphs
  public var settings: Settings
  public var width: @Sendable (Character) -> Int

  public init(
    keys: KeyTable = .defaults, theme: Theme = .standard, glyphs: Glyphs = .unicode,
    settings: Settings = Settings(),
    width: @escaping @Sendable (Character) -> Int = { CharacterWidth.columns($0) }
  ) {
    self.keys = keys
    self.theme = theme
    self.glyphs = glyphs
    self.settings = settings
    self.width = width
  }
}

/// Columns and rows of the terminal.
public struct ScreenSize: Hashable, Sendable {
  public var columns: Int
  public var rows: Int
  public init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 2000)
    self.rows = min(max(rows, 1), 1000)
  }
}
