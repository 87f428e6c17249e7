import AudioTypes

/// A request that the rules refuse.
public struct SessionError: Error, Hashable, Sendable, Codable {
  /// Which rule refuses, for programs; people get the sentence.
  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    /// No category was set: nothing may play before the program has said what its sound is (S1).
    case noCategory
    /// An option that means nothing in the category (S32).
    case optionsNotAllowed
    /// The category may not change while sound is heard, except between record and playback (S35).
    case categoryInUse
    /// The category plays no sound of its own.
    case categoryDoesNotPlay
    case nothingToPlay
    case noRoute
    /// An effect longer than five seconds, or of no length (S25).
    case effectTooLong
  }

  public var code: Code
  /// What the code is about: a category's name, a length. Empty where the code says all.
  public var cause: String

  public init(_ code: Code, cause: String = "") {
    self.code = code
    self.cause = cause
  }

  /// A sentence that a user understands, without its full stop.
  public var sentence: String {
    let cause = Text.printable(cause)
    return switch code {
    case .noCategory: "no category is set: say first what the sound is for"
    case .optionsNotAllowed:
      "the category \(cause) takes no options; playback and playAndRecord take mixWithOthers and duckOthers"
    case .categoryInUse: "the category cannot change to \(cause) while sound is heard"
    case .categoryDoesNotPlay where self.cause == Category.record.rawValue:
      "nothing plays while sound is recorded: end the recording first"
    case .categoryDoesNotPlay: "the category \(cause) plays nothing"
    case .nothingToPlay: "there is nothing to play"
    case .noRoute: "there is no device to play on"
    case .effectTooLong: "a sound of \(cause) s is no effect: effects last up to 5 s"
    }
  }
}
