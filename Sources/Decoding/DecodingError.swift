/// Why a track cannot be opened or played: a code for programs, the cause, and a sentence.
public struct DecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of failure it is, for programs; people get the sentence.
  public enum Code: String, Sendable {
    case notFound, noPermission, isFolder, notRegular, empty, notAudio, corrupt, unsupported
    case libraryMissing, notSeekable, network, protocolForbidden, ioError, tooLarge
  }

  public var code: Code
  /// The library's or the system's own number, 0 where there is none.
  public var underlying: Int
  /// What is wrong, without the path: "not an audio file", "needs libsndfile: install libsndfile1".
  public var sentence: String

  public init(_ code: Code, _ sentence: String, underlying: Int = 0) {
    self.code = code
    self.sentence = sentence
    self.underlying = underlying
  }

  public var description: String { sentence }
}
