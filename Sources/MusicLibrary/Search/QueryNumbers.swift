import AudioTypes

/// How numbers, times and dates are written in a query.
extension Query.NumberField {
  /// What may stand after it, for people.
  var example: String {
    switch self {
    case .year: "a year, as 1997, 1990..1999 or >1995"
    case .date: "a date, as 1997, 1997-05 or >1997-05-21"
    case .track, .disc: "a number, as 3 or 1..5"
    case .rate: "frames a second, as 44100, 48k or >48k"
    case .bits: "bits, as 16 or >16"
    case .bitrate: "kilobits a second, as 320 or <128"
    case .duration: "a time, as 3:30, 90s or >10m"
    case .rating: "stars, as 4, >3 or 0..2.5"
    case .plays: "a count, as 0 or >10"
    case .played, .added: "a date or an age, as >2026-01-01 or <30d"
    }
  }

  /// `1997`, `1990..1999`, `>3`, `<=2:00`; nil for what is none.
  func comparison(_ text: String) -> Query.Comparison? {
    for (sign, make) in Self.signs where text.hasPrefix(sign) {
      return value(text.dropFirst(sign.count)).map(make)
    }
    guard let dots = Self.dots(text) else { return value(text[...]).map { .equal($0) } }
    let (lowText, highText) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let (low, high) = (value(lowText), value(highText))
    guard low != nil || lowText.isEmpty, high != nil || highText.isEmpty, low != nil || high != nil
    else { return nil }
    return .range(low, high)
  }

  /// The longer ones first.
  private static let signs: [(String, @Sendable (Query.Value) -> Query.Comparison)] = [
    (">=", { .atLeast($0) }), ("<=", { .atMost($0) }), (">", { .above($0) }), ("<", { .below($0) }),
    ("=", { .equal($0) }),
  ]

  private static func dots(_ text: String) -> Range<String.Index>? {
    var index = text.startIndex
    while let dot = text[index...].firstIndex(of: ".") {
      let next = text.index(after: dot)
      guard next < text.endIndex else { return nil }
      if text[next] == "." { return dot..<text.index(after: next) }
      index = next
    }
    return nil
  }

  /// No larger number is written or compared.
  private static let largest = 999_999_999_999

  private func value(_ text: Substring) -> Query.Value? {
    guard let value = anyValue(text) else { return nil }
    if case .number(let number) = value, number > Self.largest { return nil }
    return value
  }

  private func anyValue(_ text: Substring) -> Query.Value? {
    switch self {
    case .year, .track, .disc, .bits, .plays:
      return Self.whole(text).map { .number($0 * 1000) }
    case .rating: return Self.thousandths(text).map { .number($0) }
    case .bitrate:
      return Self.thousandths(text.last == "k" ? text.dropLast() : text).map { .number($0) }
    case .rate:
      // 44.1 is what people write for 44100.
      guard let number = Self.thousandths(text.last == "k" ? text.dropLast() : text) else {
        return nil
      }
      if text.last == "k", number < 1000 { return nil }
      return .number(number < 1_000_000 || text.last == "k" ? number * 1000 : number)
    case .duration: return Self.time(text).map { .number($0) }
    case .date: return Self.date(text)
    case .played, .added: return Self.date(text) ?? Self.age(text)
    }
  }

  private static func whole(_ text: Substring) -> Int? {
    guard (1...9).contains(text.count), text.utf8.count == text.count,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      return nil
    }
    return Int(text)
  }

  /// Up to three digits after a point.
  private static func thousandths(_ text: Substring) -> Int? {
    guard let point = text.firstIndex(of: ".") else { return whole(text).map { $0 * 1000 } }
    let rest = text[text.index(after: point)...]
    guard rest.count <= 3, let fraction = whole(rest), let whole = whole(text[..<point]) else {
      return nil
    }
    return whole * 1000 + fraction * [100, 10, 1][rest.count - 1]
  }

  /// Seconds as `90`, `90s`, `3:30`, `1:02:03`, `10m`, `2h`.
  private static func time(_ text: Substring) -> Int? {
    if let unit = text.last, let factor = ["s": 1, "m": 60, "h": 3600][unit] {
      return thousandths(text.dropLast()).map { $0 * factor }
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3 else { return nil }
    var total = 0
    for (index, part) in parts.enumerated() {
      let number = index == parts.count - 1 ? thousandths(part) : whole(part).map { $0 * 1000 }
      guard let number, index == 0 || number < 60_000 else { return nil }
      total = total * 60 + number
    }
    return total
  }

  /// `1997`, `1997-05`, `1997-05-21`.
  private static func date(_ text: Substring) -> Query.Value? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), parts[0].count == 4, let year = whole(parts[0]),
      parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    let rest = parts.dropFirst().map { whole($0) }
    guard let month = rest.isEmpty ? 0 : rest[0], let day = rest.count < 2 ? 0 : rest[1],
      rest.isEmpty || (1...12).contains(month), rest.count < 2 || (1...31).contains(day)
    else { return nil }
    return .date(year: year, month: month, day: day)
  }

  private static func age(_ text: Substring) -> Query.Value? {
    guard let unit = text.last, let age = Query.Age(rawValue: unit.lowercased()),
      let count = whole(text.dropLast()), count <= 1_000_000
    else { return nil }
    return .age(count, age)
  }
}

/// Names in faults.
enum QueryNames {
  /// Not longer than a line, and safe to print.
  static func shown(_ text: String) -> String {
    Text.printable(text.count > 40 ? text.prefix(39) + "…" : text)
  }
}
