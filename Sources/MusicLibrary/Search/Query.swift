/// What a search asks for: `artist:bjork year:1990..1999 rating:>3 codec:flac -live`. Pure.
///
/// A query and its `description` are the same query: printing and parsing agree.
public indirect enum Query: Hashable, Sendable {
  /// Everything: what an empty line asks for.
  case all
  case text(TextTerm)
  case number(NumberTerm)
  case not(Query)
  /// All of them, at least two.
  case and([Query])
  /// One of them, at least two.
  case or([Query])

  /// A word or phrase that is in a text.
  public struct TextTerm: Hashable, Sendable {
    /// Nil is everywhere.
    public var field: TextField?
    /// As typed.
    public var text: String
    /// It is the whole of a value.
    public var isWhole: Bool

    public init(_ text: String, in field: TextField? = nil, isWhole: Bool = false) {
      self.field = field
      self.text = text
      self.isWhole = isWhole
    }
  }

  /// A number that is compared.
  public struct NumberTerm: Hashable, Sendable {
    public var field: NumberField
    public var comparison: Comparison

    public init(_ field: NumberField, _ comparison: Comparison) {
      self.field = field
      self.comparison = comparison
    }
  }

  /// What can be looked for in one text: `artist:…`.
  public enum TextField: String, CaseIterable, Sendable {
    case artist, albumartist, album, title, genre, composer, comment, codec, path, folder, mb
  }

  /// What can be compared: `year:1990..1999`.
  public enum NumberField: String, CaseIterable, Sendable {
    case year, date, track, disc, rate, bits, bitrate, duration, rating, plays, played, added
  }

  /// How it is compared.
  public enum Comparison: Hashable, Sendable {
    case equal(Value)
    case above(Value)
    case atLeast(Value)
    case below(Value)
    case atMost(Value)
    /// Both ends belong to it; nil is open.
    case range(Value?, Value?)
  }

  /// With what it is compared.
  public enum Value: Hashable, Sendable {
    /// In thousandths.
    case number(Int)
    /// A day, a month (day 0) or a year (month and day 0).
    case date(year: Int, month: Int, day: Int)
    /// So long ago; in units of the letter.
    case age(Int, Age)
  }

  /// Hours, days, weeks, months and years.
  public enum Age: String, CaseIterable, Sendable {
    case hours = "h"
    case days = "d"
    case weeks = "w"
    case months = "m"
    case years = "y"

    public var seconds: Int {
      switch self {
      case .hours: 3600
      case .days: 86_400
      case .weeks: 604_800
      case .months: 2_629_746
      case .years: 31_556_952
      }
    }
  }

  /// All names of fields.
  public static let fieldNames =
    TextField.allCases.map(\.rawValue) + NumberField.allCases.map(\.rawValue)

  /// True when plays, ratings or times of playing are asked for.
  public var needsHistory: Bool {
    switch self {
    case .all, .text: false
    case .number(let term): [.rating, .plays, .played].contains(term.field)
    case .not(let query): query.needsHistory
    case .and(let all), .or(let all): all.contains(where: \.needsHistory)
    }
  }
}

// MARK: As text

extension Query: CustomStringConvertible {
  public var description: String {
    switch self {
    case .all: ""
    case .text(let term): term.description
    case .number(let term): "\(term.field.rawValue):\(term.comparison)"
    case .not(let query): "-" + query.inParentheses
    case .and(let all):
      all.map { $0.isOr ? $0.inParentheses : $0.description }.joined(separator: " ")
    case .or(let all):
      all.map { $0.isOr ? $0.inParentheses : $0.description }.joined(separator: " or ")
    }
  }

  private var isOr: Bool { if case .or = self { true } else { false } }

  private var inParentheses: String {
    switch self {
    case .text, .number: description
    default: "(\(description))"
    }
  }
}

extension Query.TextTerm: CustomStringConvertible {
  public var description: String {
    guard let field else { return Self.quoted(text, isWord: true) }
    return "\(field.rawValue):" + (isWhole ? "=" : "") + Self.quoted(text, isWord: false)
  }

  /// Quoted where it would be read as something else.
  private static func quoted(_ text: String, isWord: Bool) -> String {
    let needsQuotes =
      text.unicodeScalars.isEmpty
      || text.unicodeScalars.contains {
        $0.properties.isWhitespace || "()".unicodeScalars.contains($0)
      }
      || (isWord
        ? text.unicodeScalars.first == "-" || text.lowercased() == "or"
          || text.unicodeScalars.contains(":") : text.unicodeScalars.first == "=")
    return needsQuotes ? "\"\(text)\"" : text
  }
}

extension Query.Comparison: CustomStringConvertible {
  public var description: String {
    switch self {
    case .equal(let value): value.description
    case .above(let value): ">\(value)"
    case .atLeast(let value): ">=\(value)"
    case .below(let value): "<\(value)"
    case .atMost(let value): "<=\(value)"
    case .range(let low, let high): (low?.description ?? "") + ".." + (high?.description ?? "")
    }
  }
}

extension Query.Value: CustomStringConvertible {
  public var description: String {
    switch self {
    case .number(let thousandths):
      let rest = thousandths % 1000
      guard rest != 0 else { return "\(thousandths / 1000)" }
      var digits = String(1000 + rest).dropFirst()
      while digits.last == "0" { digits.removeLast() }
      return "\(thousandths / 1000).\(digits)"
    case .date(let year, let month, let day):
      var text = String("\(10_000 + year)".dropFirst())
      for part in [month, day] where part > 0 { text += "-" + "\(100 + part)".dropFirst() }
      return text
    case .age(let count, let unit): return "\(count)\(unit.rawValue)"
    }
  }
}
