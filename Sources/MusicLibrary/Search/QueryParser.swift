import AudioTypes

/// What is wrong with a query, and where.
public struct QueryError: Error, Hashable, Sendable {
  /// Of the first wrong character, from 1 on.
  public var column: Int
  /// Without a full stop; safe to print.
  public var problem: String

  public var sentence: String { "column \(column): \(problem)" }
}

extension Query {
  /// Reads a whole query.
  public init(_ text: String) throws(QueryError) {
    var parser = QueryParser(text)
    self = parser.parse()
    if let fault = parser.fault { throw fault }
  }

  /// Reads what has been typed so far: what is unfinished or wrong is left out or taken as a word,
  /// and told beside.
  public static func typed(_ text: String) -> (query: Query, fault: QueryError?) {
    var parser = QueryParser(text)
    return (parser.parse(), parser.fault)
  }
}

/// Reads one text from the left to the right; it never fails, and keeps the first fault.
struct QueryParser {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var depth = 0
  private(set) var fault: QueryError?

  /// No query of a person is longer, and no parentheses go deeper.
  private static let longest = 10_000
  private static let deepest = 50

  init(_ text: String) {
    let scalars = text.unicodeScalars
    self.text = Array(scalars.prefix(Self.longest))
    if scalars.count > Self.longest {
      complain(Self.longest, "more than \(Self.longest) characters")
    }
  }

  private mutating func complain(_ index: Int, _ problem: String) {
    guard fault == nil else { return }
    fault = QueryError(column: text(0, index).count + 1, problem: problem)
  }

  private func text(_ start: Int, _ end: Int) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text[start..<end])
    return String(view)
  }

  mutating func parse() -> Query {
    var all: [Query] = []
    while true {
      all.append(alternatives())
      guard let next = peek, next == ")" else { break }
      complain(place, "')' closes nothing")
      place += 1
    }
    return Self.all(all)
  }

  private var peek: Unicode.Scalar? { text.indices.contains(place) ? text[place] : nil }

  private mutating func skipBlanks() {
    while let next = peek, next.properties.isWhitespace { place += 1 }
  }

  // MARK: Structure

  private static func all(_ queries: [Query]) -> Query {
    var flat: [Query] = []
    for query in queries {
      switch query {
      case .all: break
      case .and(let inner): flat += inner
      default: flat.append(query)
      }
    }
    return flat.isEmpty ? .all : flat.count == 1 ? flat[0] : .and(flat)
  }

  private mutating func alternatives() -> Query {
    var found: [Query] = []
    var lastOr: Int?
    while true {
      let next = sequence()
      if next != .all {
        if case .or(let inner) = next { found += inner } else { found.append(next) }
      } else if let lastOr {
        complain(lastOr, "'or' needs something after it")
      } else if isOr {
        complain(place, "'or' needs something before it")
      }
      guard isOr else { break }
      lastOr = place
      place += 2
    }
    return found.isEmpty ? .all : found.count == 1 ? found[0] : .or(found)
  }

  private var isOr: Bool {
    guard place + 1 < text.count, ["o", "O"].contains(text[place]),
      ["r", "R"].contains(text[place + 1])
    else { return false }
    let end = place + 2
    return end == text.count || text[end].properties.isWhitespace || text[end] == "("
      || text[end] == ")"
  }

  /// Terms until `or`, `)` or the end: all of them are wanted.
  private mutating func sequence() -> Query {
    var all: [Query] = []
    while true {
      skipBlanks()
      guard let next = peek, next != ")", !isOr else { break }
      all.append(term())
    }
    return Self.all(all)
  }

  private mutating func term() -> Query {
    let start = place
    if text[place] == "-" {
      place += 1
      guard let next = peek, !next.properties.isWhitespace, next != ")" else {
        complain(start, "'-' needs what is not wanted right after it")
        return .all
      }
      depth += 1
      defer { depth -= 1 }
      guard depth < Self.deepest else { return tooDeep(start) }
      switch term() {
      case .all: return .all
      case .not(let inner): return inner
      case let inner: return .not(inner)
      }
    }
    if text[place] == "(" {
      place += 1
      depth += 1
      defer { depth -= 1 }
      guard depth < Self.deepest else { return tooDeep(start) }
      let inner = alternatives()
      if peek == ")" {
        place += 1
        if inner == .all { complain(start, "there is nothing between the parentheses") }
      } else {
        complain(start, "'(' is not closed")
      }
      return inner
    }
    if text[place] == "\"" {
      let phrase = quoted()
      return phrase.isEmpty ? .all : .text(Query.TextTerm(phrase))
    }
    return word()
  }

  private mutating func tooDeep(_ start: Int) -> Query {
    complain(start, "too many parentheses within parentheses")
    place = text.count
    return .all
  }

  /// From a quote to the next one, or to the end while it is typed.
  private mutating func quoted() -> String {
    let start = place
    place += 1
    let first = place
    while let next = peek, next != "\"" { place += 1 }
    let phrase = text(first, place)
    if peek == nil { complain(start, "the quote is not closed") } else { place += 1 }
    return phrase
  }

  /// Up to a blank, a parenthesis or a quote.
  private mutating func bare() -> String {
    let first = place
    while let next = peek, !next.properties.isWhitespace, next != "(", next != ")", next != "\"" {
      place += 1
    }
    return text(first, place)
  }

  // MARK: Terms

  private mutating func word() -> Query {
    let start = place
    while let next = peek, next.isASCII, next.properties.isAlphabetic { place += 1 }
    let name = text(start, place)
    guard peek == ":", !name.isEmpty else {
      place = start
      return .text(Query.TextTerm(bare()))
    }
    let colon = place
    place += 1
    let lower = name.lowercased()
    if let field = Query.TextField(rawValue: lower) { return value(of: field, start) }
    if let field = Query.NumberField(rawValue: lower) { return number(field, start) }
    let hasValue = peek.map { !$0.properties.isWhitespace && $0 != "(" && $0 != ")" } ?? false
    // "Mission: impossible" and addresses are words.
    if hasValue, peek != "/" {
      let nearest = Nearest.word(to: lower, among: Query.fieldNames)
      let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
      complain(start, "'\(name)' is no field\(hint)")
    }
    place = colon
    return .text(Query.TextTerm(name + bare()))
  }

  private mutating func value(of field: Query.TextField, _ start: Int) -> Query {
    var isWhole = false
    if peek == "=" {
      isWhole = true
      place += 1
    }
    let value = peek == "\"" ? quoted() : bare()
    guard !value.isEmpty else {
      complain(start, "'\(field.rawValue):' needs a text after it")
      return .all
    }
    return .text(Query.TextTerm(value, in: field, isWhole: isWhole))
  }

  private mutating func number(_ field: Query.NumberField, _ start: Int) -> Query {
    let first = place
    let isQuoted = peek == "\""
    let value = isQuoted ? quoted() : bare()
    guard !value.isEmpty else {
      complain(start, "'\(field.rawValue):' needs \(field.example) after it")
      return .all
    }
    guard let comparison = field.comparison(value) else {
      complain(first, "'\(QueryNames.shown(value))' is not \(field.example)")
      return .all
    }
    return .number(Query.NumberTerm(field, comparison))
  }
}
