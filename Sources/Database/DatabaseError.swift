import CSQLite

/// Why something could not be read from a database or written into it.
public struct DatabaseError: Error, Hashable, Sendable {
  /// What kind of failure it is: what the caller does differs.
  public enum Cause: Hashable, Sendable {
    /// The library is not installed.
    case noLibrary
    /// The disk, or what the user may write, is full.
    case full
    /// The file, its folder or the disk cannot be written.
    case readOnly
    /// The file is no database, or damaged: only a new one helps.
    case corrupt
    /// Another process holds it for longer than was waited.
    case busy
    case cannotOpen
    case ioFailure
    /// A value is not allowed where it was put.
    case constraint
    /// A mistake of ours, as a statement that does not exist.
    case misuse
  }

  public var cause: Cause
  /// SQLite's extended code; 0 without the library.
  public var code: Int32
  /// For people, without a full stop; safe to print, and without the file's name.
  public var sentence: String

  /// It is not the file but where it lies that is in the way: a read-only or full disk.
  public var isOfThePlace: Bool {
    [.full, .readOnly, .cannotOpen, .ioFailure].contains(cause)
  }

  public static let noLibrary = DatabaseError(
    cause: .noLibrary, code: 0, sentence: "libsqlite3.so.0 is missing (package libsqlite3-0)")

  public init(cause: Cause, code: Int32, sentence: String) {
    self.cause = cause
    self.code = code
    self.sentence = sentence
  }

  /// - Parameter message: what the library says of it.
  init(code: Int32, message: String) {
    self.code = code
    switch code & 0xFF {
    case 5, 6: cause = .busy
    case 8: cause = .readOnly
    case 10: cause = .ioFailure
    case 11, 26: cause = .corrupt
    case 13: cause = .full
    case 14: cause = .cannotOpen
    case 19: cause = .constraint
    default: cause = .misuse
    }
    sentence =
      switch cause {
      case .full: "the disk is full"
      case .readOnly: "it cannot be written here"
      case .corrupt: "it is damaged, or no database"
      case .busy: "another program holds it"
      case .cannotOpen: "it cannot be opened"
      case .ioFailure: "reading or writing failed (\(message))"
      case .noLibrary, .constraint, .misuse: message
      }
  }
}
