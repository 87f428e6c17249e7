import CTerminfo

/// An entry of terminfo, as far as we ask.
public struct TerminfoEntry: Equatable, Sendable {
  public var flags: Set<String> = []
  public var numbers: [String: Int] = [:]
  public var texts: [String: String] = [:]

  public init() {}

  private static let flagNames = ["am", "xenl", "bce", "xon", "AX", "XT", "Tc", "RGB", "hc", "gn"]
  private static let numberNames = ["colors", "ncv", "RGB"]
  private static let textNames = [
    "cup", "hpa", "ech", "el", "ed", "rmam", "smcup", "bold", "dim", "sitm", "smul", "rev", "smxx",
    "op", "setaf", "setrgbf", "Sync",
  ]

  public enum Lookup: Equatable, Sendable {
    case entry(TerminfoEntry)
    case noEntry
    /// No library, or no database.
    case unavailable
  }

  /// Reads the entry of a terminal. Control thread.
  @MainActor public static func read(_ name: String) -> Lookup {
    switch unsafe sotto_terminfo_open(name) {
    case sotto_terminfo_opened: break
    case sotto_terminfo_no_entry: return .noEntry
    default: return .unavailable
    }
    defer { sotto_terminfo_close() }
    var entry = TerminfoEntry()
    for name in flagNames where unsafe sotto_terminfo_flag(name) { entry.flags.insert(name) }
    for name in numberNames {
      let number = Int(unsafe sotto_terminfo_number(name))
      if number >= 0 { entry.numbers[name] = number }
    }
    for name in textNames {
      guard let text = unsafe sotto_terminfo_text(name) else { continue }
      entry.texts[name] = withoutPadding(unsafe String(cString: text))
    }
    return .entry(entry)
  }

  /// The version of the library; empty where it is not installed.
  public static var libraryVersion: String { unsafe String(cString: sotto_terminfo_version()) }

  /// `$<5>` asks for time; the line's flow control gives it.
  static func withoutPadding(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let mark = rest.firstRange(of: "$<"),
      let end = rest[mark.upperBound...].firstIndex(of: ">")
    {
      result += rest[..<mark.lowerBound]
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
