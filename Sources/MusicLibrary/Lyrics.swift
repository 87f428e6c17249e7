/// Words to music: lines of an LRC file or of a tag, with or without times. Pure.
public enum Lyrics {
  /// One line of the words.
  public struct Line: Equatable, Sendable {
    /// Seconds into the file; nil where the words have no times.
    public var start: Double?
    /// One line; control characters are left to whoever shows it.
    public var text: String
    public init(start: Double?, text: String) {
      self.start = start
      self.text = text
    }
  }

  /// A song has some hundred.
  static let mostLines = 5000
  static let longestText = 1 << 20

  /// A file's bytes, in UTF-8, in UTF-16 with its mark, or in the code page of old files.
  public static func parse(_ bytes: [UInt8]) -> [Line] {
    parse(LegacyText.string(LegacyText.unmarked(Array(bytes.prefix(longestText)))))
  }

  /// A tag's text. Where any line has a time, those that have none are not sung.
  public static func parse(_ text: String) -> [Line] {
    let bytes = Array(text.utf8.prefix(longestText))
    var timed: [Line] = []
    var plain: [Line] = []
    var offset = 0.0
    for raw in LegacyText.lines(bytes) {
      var rest = LegacyText.trimmed(raw)
      var starts: [Double] = []
      var isHeader = false
      while let (inside, after) = bracketed(rest) {
        if let start = time(inside) {
          starts.append(start)
        } else {
          isHeader = starts.isEmpty && isTag(inside) && LegacyText.trimmed(after).isEmpty
          if isHeader, let value = tag("offset", inside) {
            let told = Double(value) ?? 0
            offset = told.isFinite ? min(max(told, -1e7), 1e7) / 1000 : 0
          }
          break
        }
        rest = LegacyText.trimmed(after)
      }
      if isHeader { continue }
      let words = sung(rest)
      for start in starts where timed.count < mostLines {
        timed.append(Line(start: start, text: words))
      }
      if starts.isEmpty, plain.count < mostLines { plain.append(Line(start: nil, text: words)) }
    }
    guard !timed.isEmpty else { return trimmed(plain) }
    // A positive offset lets the words come sooner. Lines of one time stay in their order.
    for index in timed.indices { timed[index].start = max((timed[index].start ?? 0) - offset, 0) }
    return timed.enumerated()
      .sorted { ($0.element.start ?? 0, $0.offset) < ($1.element.start ?? 0, $1.offset) }
      .map(\.element)
  }

  /// Without empty lines at both ends.
  private static func trimmed(_ lines: [Line]) -> [Line] {
    guard let first = lines.firstIndex(where: { !$0.text.isEmpty }),
      let last = lines.lastIndex(where: { !$0.text.isEmpty })
    else { return [] }
    return Array(lines[first...last])
  }

  /// What stands in the brackets that a line begins with, and what follows them.
  private static func bracketed(
    _ line: ArraySlice<UInt8>
  ) -> (inside: ArraySlice<UInt8>, after: ArraySlice<UInt8>)? {
    guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) else {
      return nil
    }
    return (line[(line.startIndex + 1)..<end], line[(end + 1)...])
  }

  /// Minutes and seconds: "1:02", "01:02.34", "01:02:34", "1:02:03.4" with hours.
  static func time(_ text: ArraySlice<UInt8>) -> Double? {
    let parts = LegacyText.trimmed(text).split(
      separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    var numbers: [Double] = []
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let pieces = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard pieces.count == 1 || isLast && pieces.count == 2, let whole = digits(pieces[0]) else {
        return nil
      }
      var number = Double(whole)
      if pieces.count == 2 {
        guard let fraction = digits(pieces[1]) else { return nil }
        number += Double(fraction) * power(pieces[1].count)
      }
      numbers.append(number)
    }
    if numbers.count == 2 { return numbers[0] * 60 + numbers[1] }
    // A third part of two digits behind minutes is hundredths, unless it has a fraction itself.
    if !parts[2].contains(UInt8(ascii: ".")), numbers[1] < 60 {
      return numbers[0] * 60 + numbers[1] + numbers[2] * power(parts[2].count)
    }
    return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
  }

  private static func power(_ digits: Int) -> Double {
    (0..<digits).reduce(1.0) { value, _ in value / 10 }
  }

  private static func digits(_ text: ArraySlice<UInt8>) -> Int? {
    guard (1...6).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// "ar:Somebody": about the words, none of them.
  private static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
      return false
    }
    return text[..<colon].allSatisfy {
      (0x61...0x7A).contains(LegacyText.lower($0)) || $0 == UInt8(ascii: "#")
    }
  }

  private static func tag(_ name: StaticString, _ text: ArraySlice<UInt8>) -> String? {
    guard LegacyText.begins(text, with: name), let colon = text.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    let value = LegacyText.trimmed(text[(colon + 1)...])
    return String(
      decoding: value.first == UInt8(ascii: "+") ? value.dropFirst() : value, as: UTF8.self)
  }

  /// The words without the times that stand between them.
  private static func sung(_ line: ArraySlice<UInt8>) -> String {
    var words: [UInt8] = []
    var at = line.startIndex
    while at < line.endIndex {
      let byte = line[at]
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "["),
        let end = line[at...].prefix(16).firstIndex(
          of: byte == UInt8(ascii: "<") ? UInt8(ascii: ">") : UInt8(ascii: "]")),
        time(line[(at + 1)..<end]) != nil
      {
        at = end + 1
      } else {
        words.append(byte == 0x09 ? 0x20 : byte)
        at += 1
      }
    }
    // Times between words leave two spaces where there was one.
    var single: [UInt8] = []
    for byte in words where byte != 0x20 || single.last != 0x20 { single.append(byte) }
    return String(decoding: LegacyText.trimmed(single[...]).prefix(2000), as: UTF8.self)
  }
}
