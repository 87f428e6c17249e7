/// A folded text as a key whose bytes are in the order of people: numbers by their value, "the"
/// before a name aside, and nothing after everything.
enum NaturalKey {
  /// - Parameter isName: of an artist or album: "The Beatles" stand at B.
  static func append(
    _ text: some Collection<UInt8>, isName: Bool = false, to key: inout [UInt8]
  ) {
    if text.isEmpty {
      key.append(0xFF)
      return
    }
    var rest = Array(text)[...]
    if isName, rest.count > the.count, rest.starts(with: the) { rest = rest.dropFirst(the.count) }
    while let byte = rest.first {
      guard (0x30...0x39).contains(byte) else {
        key.append(byte)
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest[digits.endIndex...]
      let number = digits.drop { $0 == 0x30 }
      // As many digits as there are, then they themselves; where digits stand among other signs.
      key.append(0x30)
      key.append(UInt8(clamping: number.count))
      key += number
    }
  }

  static func key(_ text: some Collection<UInt8>, isName: Bool = false) -> [UInt8] {
    var key: [UInt8] = []
    append(text, isName: isName, to: &key)
    return key
  }

  private static let the = Array("the ".utf8)
}
