import CCharset
import Glibc

/// The encoding of a whole text that does not tell it: guessed once, for its pieces are too short. Old
/// lists and sheets are written in the code page of their country.
struct Charset: Equatable, Sendable {
  /// As the converter knows it; `nil` where nothing better is known than Windows-1252.
  let name: String?

  static let unknown = Charset(name: nil)

  private init(name: String?) { self.name = name }

  /// Guesses from all of a text; of one that is UTF-8 there is nothing to guess.
  init(of text: [UInt8]) {
    guard !LegacyText.isUTF8(text) else {
      self = .unknown
      return
    }
    let size = 64
    name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { name in
      let isKnown = unsafe text.withUnsafeBytes { bytes in
        unsafe sotto_charset_guess(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, name.baseAddress,
          size)
      }
      return isKnown ? unsafe String(cString: name.baseAddress!) : nil
    }
  }

  /// A piece of that text; never fails.
  func string(_ piece: some Collection<UInt8>) -> String {
    if let text = String(validating: piece, as: UTF8.self) { return text }
    return converted(Array(piece)) ?? LegacyText.windows1252(piece)
  }

  private func converted(_ piece: [UInt8]) -> String? {
    guard let name else { return nil }
    var length = 0
    let found = unsafe piece.withUnsafeBytes { bytes in
      unsafe sotto_charset_convert(
        name, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &length)
    }
    guard let found = unsafe found else { return nil }
    defer { unsafe free(found) }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: found, count: length), as: UTF8.self)
  }
}

/// Texts of no told encoding, for `sotto doctor`.
public enum LegacyTexts {
  /// Whether the library that guesses encodings is installed.
  public static var canGuess: Bool { sotto_charset_is_there() }
}
