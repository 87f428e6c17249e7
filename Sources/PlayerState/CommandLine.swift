import AudioTypes

/// Why a line is no command: a sentence for people, without its full stop.
public struct CommandError: Error, Equatable, Sendable {
  public var sentence: String
  public init(_ sentence: String) { self.sentence = sentence }
}

/// A line as words. Quotes keep blanks together; a backslash takes the next character as it is, and
/// `\xHH` is a byte, for file names that are no text.
public struct CommandWords: Equatable, Sendable {
  public var words: [[UInt8]] = []
  /// The quote that was not closed.
  public var openQuote: UInt8?
  /// The line ends within a word.
  public var endsInWord = false

  public init(_ line: String) {
    var word: [UInt8] = []
    // A word may be empty, in quotes.
    var isInWord = false
    func take(_ byte: UInt8) {
      word.append(byte)
      isInWord = true
    }
    var bytes = Array(line.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let next = bytes.popFirst() else { break }
        if next == UInt8(ascii: "x"), let value = Self.hex(bytes.prefix(2)) {
          bytes = bytes.dropFirst(2)
          take(value)
        } else {
          take(next)
        }
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        if let quote = openQuote {
          if quote == byte { openQuote = nil } else { take(byte) }
        } else {
          openQuote = byte
          isInWord = true
        }
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if openQuote != nil {
          take(byte)
        } else if isInWord {
          words.append(word)
          word = []
          isInWord = false
        }
      default: take(byte)
      }
    }
    endsInWord = isInWord
    if isInWord { words.append(word) }
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// A word as it is written so that it is read back: byte for byte.
  public static func quoted(_ word: [UInt8]) -> String {
    let plain = !word.isEmpty && word.allSatisfy { isPlain($0) }
    if plain { return String(decoding: word, as: UTF8.self) }
    let text = String(decoding: word, as: UTF8.self)
    let isText = Array(text.utf8) == word && Text.printable(text) == text
    guard isText, !word.contains(UInt8(ascii: "'")), !word.contains(UInt8(ascii: "\\")) else {
      return word.map { byte in
        isPlain(byte) && byte < 0x80
          ? String(decoding: [byte], as: UTF8.self) : "\\x" + hexDigits(byte)
      }.joined()
    }
    return "'\(text)'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._-+,:=@%~".utf8.contains(byte)
    }
  }

  private static func hexDigits(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }
}
