/// Why an output cannot be used: a code for programs, the cause, and a sentence for people.
public struct OutputError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of failure it is: what the caller does differs.
  public enum Code: String, Sendable {
    case noServer, noAnswer, noDevice, busy, formatRefused, deviceLost, serverLost, fileError, other
    /// The machine slept while it played, and nobody had told before.
    case suspended
    /// Something else was wanted before it was done.
    case superseded
  }

  public var code: Code
  /// The library's or the system's own number, 0 where there is none.
  public var underlying: Int
  public var sentence: String

  public init(_ code: Code, _ sentence: String, underlying: Int = 0) {
    self.code = code
    self.sentence = sentence
    self.underlying = underlying
  }

  public var description: String { sentence }
}
