import TerminalModel

/// One library that the screen binds at need: whether it is there, what it gives, and what its
/// absence costs.
public struct TerminalLibrary: Equatable, Sendable {
  public var name: String
  public var isAvailable: Bool
  /// Empty when it is not available or does not tell.
  public var version: String
  /// What it does: "draws covers".
  public var purpose: String
  /// What does not work without it.
  public var loss: String
  /// What to install, as a sentence without a full stop.
  public var remedy: String
}

/// The libraries that the screen can use.
public enum TerminalLibraries {
  /// Binds every library that is there. Any thread.
  public static func survey() -> [TerminalLibrary] {
    let terminfo = TerminfoEntry.libraryVersion
    let widths = CharacterWidth.libraryVersion
    return [
      TerminalLibrary(
        name: "terminfo", isAvailable: !terminfo.isEmpty, version: terminfo,
        purpose: "knows what the terminal can do",
        loss: "only common terminals are known, by their names", remedy: "Install libtinfo6"),
      TerminalLibrary(
        name: "libutf8proc", isAvailable: !widths.isEmpty, version: widths,
        purpose: "knows how wide characters are",
        loss: "characters of new scripts may stand askew", remedy: "Install libutf8proc2"),
      TerminalLibrary(
        name: "libchafa", isAvailable: PictureSymbols.isAvailable, version: "",
        purpose: "draws covers as characters", loss: "covers are not drawn",
        remedy: "Install libchafa0"),
    ]
  }
}
