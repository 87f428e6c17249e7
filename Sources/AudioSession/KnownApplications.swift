/// What is known of programs that the sound server's tags do not tell (T1, T2). A text file that
/// users can extend.
public struct KnownApplications: Hashable, Sendable {
  /// What is known of a program, as the file spells it.
  public enum Trait: String, Hashable, Sendable, CaseIterable {
    /// Calls without tagging its streams.
    case call
    /// Tags its streams as a call whenever it runs.
    case alwaysPhone = "always-phone"
    /// Speaks for a screen reader without tagging its streams.
    case speech
    /// On MPRIS, but stands for other players or for another machine's.
    case notAPlayer = "not-a-player"
  }

  /// A line that could not be read.
  public struct ParseError: Error, Hashable, Sendable {
    public var line: Int
    public var sentence: String
  }

  private struct Pattern: Hashable, Sendable {
    var trait: Trait
    /// In ASCII lower case, without the `*`.
    var text: [UInt8]
    var isPrefix: Bool
  }

  private var patterns: [Pattern] = []

  /// Knows nothing.
  public init() {}

  /// The list that comes with the library.
  public static let builtIn: KnownApplications = {
    do throws(ParseError) {
      return try KnownApplications(
        parsing: String(decoding: PackageResources.applications_conf, as: UTF8.self))
    } catch {
      preconditionFailure("applications.conf, line \(error.line): \(error.sentence)")
    }
  }()

  /// - Parameter text: lines of a trait and a name; `#` begins a comment. CRLF is accepted.
  /// - Throws: the first line that is neither.
  public init(parsing text: String) throws(ParseError) {
    var number = 0
    for raw in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let line = Self.trimmed(raw)
      if line.isEmpty || line.first == "#" { continue }
      let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard let trait = Trait(rawValue: String(words[0])) else {
        let known = Trait.allCases.map(\.rawValue).joined(separator: ", ")
        throw ParseError(line: number, sentence: "the first word must be one of \(known)")
      }
      // More than one blank may stand before it.
      let word = words.count == 2 ? words[1].drop(while: \.isWhitespace) : ""
      guard !word.isEmpty, word != "*" else {
        throw ParseError(line: number, sentence: "a program's name is missing")
      }
      let isPrefix = word.last == "*"
      let name = isPrefix ? word.dropLast() : word
      patterns.append(
        Pattern(trait: trait, text: name.utf8.map(Self.lower), isPrefix: isPrefix))
    }
  }

  /// Both lists together.
  public func merging(_ other: KnownApplications) -> KnownApplications {
    var both = self
    both.patterns += other.patterns
    return both
  }

  /// Whether one of the names has the trait. An empty name has none.
  public func has(_ trait: Trait, _ names: String...) -> Bool {
    patterns.contains { pattern in
      pattern.trait == trait && names.contains { Self.matches(pattern, $0) }
    }
  }

  private static func matches(_ pattern: Pattern, _ name: String) -> Bool {
    // Bytes are compared as they stand: no copy in lower case is made.
    var rest = pattern.text.makeIterator()
    for byte in name.utf8 {
      guard let wanted = rest.next() else { return pattern.isPrefix }
      if lower(byte) != wanted { return false }
    }
    return rest.next() == nil && !name.isEmpty
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
  }

  private static func trimmed(_ line: Substring) -> Substring {
    var line = line.drop(while: \.isWhitespace)
    while line.last?.isWhitespace == true { line = line.dropLast() }
    return line
  }
}
