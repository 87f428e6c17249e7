import JSONText

/// A fault of a replay's line, in a sentence without its full stop.
public struct ReplayError: Error, Hashable, Sendable {
  public var sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// The fields of one object, each taken once; what is left over is a fault.
struct Fields {
  private(set) var rest: [(String, JSON)]
  /// What the fields are of, for messages.
  let owner: String

  init(_ value: JSON, owner: String) throws(ReplayError) {
    guard case .object(let fields) = value else {
      throw ReplayError("\(owner) must be an object")
    }
    rest = fields
    self.owner = owner
  }

  init(_ fields: [(String, JSON)], owner: String) {
    rest = fields
    self.owner = owner
  }

  /// A null counts as not given.
  private mutating func take(_ name: String) -> JSON? {
    guard let index = rest.firstIndex(where: { $0.0 == name }) else { return nil }
    let value = rest.remove(at: index).1
    if case .null = value { return nil }
    return value
  }

  func missing(_ name: String) -> ReplayError { ReplayError("\(owner) needs '\(name)'") }

  private func wrong(_ name: String, _ wanted: String) -> ReplayError {
    ReplayError("'\(name)' must be \(wanted)")
  }

  /// Text, or a whole number taken as its digits: servers count their streams.
  mutating func text(_ name: String) throws(ReplayError) -> String? {
    switch take(name) {
    case nil: return nil
    case .string(let value): return value
    case .int(let value): return String(value)
    default: throw wrong(name, "text")
    }
  }

  mutating func needText(_ name: String) throws(ReplayError) -> String {
    guard let value = try text(name) else { throw missing(name) }
    return value
  }

  mutating func number(_ name: String) throws(ReplayError) -> Double? {
    switch take(name) {
    case nil: return nil
    case .int(let value): return Double(value)
    case .double(let value): return value
    default: throw wrong(name, "a number")
    }
  }

  mutating func needNumber(_ name: String) throws(ReplayError) -> Double {
    guard let value = try number(name) else { throw missing(name) }
    return value
  }

  mutating func flag(_ name: String) throws(ReplayError) -> Bool? {
    switch take(name) {
    case nil: return nil
    case .bool(let value): return value
    default: throw wrong(name, "true or false")
    }
  }

  mutating func needFlag(_ name: String) throws(ReplayError) -> Bool {
    guard let value = try flag(name) else { throw missing(name) }
    return value
  }

  mutating func list(_ name: String) throws(ReplayError) -> [JSON]? {
    switch take(name) {
    case nil: return nil
    case .array(let values): return values
    default: throw wrong(name, "a list")
    }
  }

  mutating func object(_ name: String) throws(ReplayError) -> Fields? {
    guard let value = take(name) else { return nil }
    return try Fields(value, owner: "'\(name)'")
  }

  /// One of some words; another is a fault that names them.
  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(ReplayError) -> Word? where Word.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(name, "one of \(known)")
    }
    return word
  }

  /// What nobody took is a field that does not exist.
  func end() throws(ReplayError) {
    guard let (name, _) = rest.first else { return }
    throw ReplayError("\(owner) has no field '\(name)'")
  }
}
