/// A JSON value.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  /// Not a number and infinities are written as null.
  case double(Double)
  case string(String)
  case array([JSON])
  /// Fields in the order in which they are written.
  case object([(String, JSON)])

  /// Unknown is null, here and below.
  public static func int(_ value: Int?) -> JSON { value.map { .int(Int64($0)) } ?? .null }
  public static func int(_ value: Int64?) -> JSON { value.map { JSON.int($0) } ?? .null }
  public static func double(_ value: Double?) -> JSON { value.map { JSON.double($0) } ?? .null }
  public static func string(_ value: String?) -> JSON { value.map { JSON.string($0) } ?? .null }
  /// Bytes that are not UTF-8 become U+FFFD.
  public static func bytes(_ value: [UInt8]) -> JSON {
    .string(String(decoding: value, as: UTF8.self))
  }

  /// One line. `isASCII` writes every other character as an escape, for terminals of the C locale.
  public func text(isASCII: Bool = false) -> String {
    var text = ""
    write(to: &text, isASCII)
    return text
  }

  private func write(to text: inout String, _ isASCII: Bool) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .double(let value): text += value.isFinite ? Self.number(value) : "null"
    case .string(let value): Self.quote(value, to: &text, isASCII)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text, isASCII)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.quote(field.0, to: &text, isASCII)
        text += ":"
        field.1.write(to: &text, isASCII)
      }
      text += "}"
    }
  }

  /// Whole numbers without a fraction; others with all the digits that they need.
  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }

  private static func quote(_ value: String, to text: inout String, _ isASCII: Bool) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        // DEL, C1 and invisible formatting are allowed raw by JSON, but a terminal may obey them.
        if isASCII && !scalar.isASCII || !scalar.isASCII && isInvisible(scalar)
          || scalar.value < 0x20 || scalar.value == 0x7F
        {
          for unit in String(scalar).utf16 {
            let hex = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
          }
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}
