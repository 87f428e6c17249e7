/// A value of D-Bus, of any of its types.
public indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(String)
  case signature(String)
  case descriptor(BusDescriptor)
  /// Its elements' signature, for an empty array has a type too.
  case array(of: String, [BusValue])
  case dictionary(key: String, value: String, [Pair])
  case structure([BusValue])
  case variant(BusValue)

  /// A key of a dictionary and what it means.
  public struct Pair: Hashable, Sendable {
    public var key: BusValue
    public var value: BusValue

    public init(_ key: BusValue, _ value: BusValue) {
      self.key = key
      self.value = value
    }
  }

  /// The type, as messages spell it.
  public var type: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let fields): "(" + fields.map(\.type).joined() + ")"
    case .variant: "v"
    }
  }
}

// MARK: Convenience, both ways

extension BusValue {
  /// `a{sv}`, the commonest of all.
  public static func properties(_ pairs: [(String, BusValue)]) -> BusValue {
    .dictionary(
      key: "s", value: "v", pairs.map { Pair(.string($0.0), .variant($0.1)) })
  }

  /// `as`: strings.
  public static func strings(_ texts: [String]) -> BusValue {
    .array(of: "s", texts.map { .string($0) })
  }

  /// `ao`: paths of objects.
  public static func paths(_ paths: [String]) -> BusValue {
    .array(of: "o", paths.map { .path($0) })
  }

  /// What is inside of variants.
  public var plain: BusValue {
    if case .variant(let inner) = self { return inner.plain }
    return self
  }

  /// A text, a path or a signature.
  public var text: String? {
    switch plain {
    case .string(let text), .path(let text), .signature(let text): text
    default: nil
    }
  }

  public var bool: Bool? {
    if case .boolean(let value) = plain { return value }
    return nil
  }

  /// Any integer; nil where it does not fit.
  public var integer: Int64? {
    switch plain {
    case .byte(let value): Int64(value)
    case .int16(let value): Int64(value)
    case .uint16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .uint32(let value): Int64(value)
    case .int64(let value): value
    case .uint64(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The elements of an array or the fields of a structure.
  public var elements: [BusValue]? {
    switch plain {
    case .array(_, let elements), .structure(let elements): elements
    default: nil
    }
  }

  /// The pairs of a dictionary.
  public var pairs: [Pair]? {
    if case .dictionary(_, _, let pairs) = plain { return pairs }
    return nil
  }

  /// What a dictionary has under a text.
  public subscript(name: String) -> BusValue? {
    pairs?.last { $0.key.text == name }?.value.plain
  }
}
