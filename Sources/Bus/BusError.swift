import Glibc

/// Why a call failed, or why there is no bus: the name of D-Bus, and a sentence.
public struct BusError: Error, Hashable, Sendable {
  /// "org.freedesktop.DBus.Error.UnknownMethod".
  public var name: String
  /// For people, without a full stop; safe to print.
  public var sentence: String

  public init(_ name: String, _ sentence: String) {
    self.name = name
    self.sentence = sentence
  }

  /// One of D-Bus's own errors.
  static func standard(_ name: String, _ sentence: String) -> BusError {
    BusError("org.freedesktop.DBus.Error." + name, sentence)
  }

  /// The caller gave what the method does not take.
  public static func invalidArguments(_ sentence: String) -> BusError {
    standard("InvalidArgs", sentence)
  }

  /// The method is known, and cannot be carried out here.
  public static func notSupported(_ sentence: String) -> BusError {
    standard("NotSupported", sentence)
  }

  /// It was tried, and the sentence says what went wrong.
  public static func failed(_ sentence: String) -> BusError { standard("Failed", sentence) }

  static let tooLarge = standard("LimitsExceeded", "the message is larger than sotto reads")
  static let disconnected = standard("Disconnected", "there is no connection to the bus")

  /// libsystemd is not installed, or its version is too old.
  public static let noLibrary = BusError(
    "sotto.NoLibrary", "libsystemd.so.0 is missing (package libsystemd0)")

  /// The other end does not exist: no such program, object or method. An ordinary thing.
  public var isAbsence: Bool {
    [
      "ServiceUnknown", "NameHasNoOwner", "UnknownObject", "UnknownInterface", "UnknownMethod",
      "UnknownProperty", "Spawn.ServiceNotFound",
    ].contains { name == "org.freedesktop.DBus.Error." + $0 }
  }

  /// From a negative errno of the library.
  static func system(_ result: CInt) -> BusError {
    let number = abs(result)
    let reason =
      switch number {
      case ENOMEDIUM: "no address of it is known"
      case ENOENT, ECONNREFUSED: "it does not run"
      case ETIMEDOUT: "it does not answer"
      case ECONNRESET, ENOTCONN, EPIPE, ESTALE: "it has closed the connection"
      case EACCES, EPERM: "it refuses this user"
      default: unsafe String(cString: strerror(number))
      }
    return BusError("System.Error.\(number)", reason)
  }
}
