import CSystemd

/// A signal that came.
public struct BusSignal: Sendable {
  /// The unique name of who sent it.
  public var sender: String
  public var path: String
  public var interface: String
  public var member: String
  public var arguments: [BusValue]
}

/// A call that came to an object of ours. It is answered once: later too, from the main actor. One
/// that nobody answers is answered with an error when the last holder lets go of it.
@safe @MainActor public final class BusCall {
  /// The unique name of who calls.
  public let sender: String
  public let path: String
  /// Empty where the caller did not say.
  public let interface: String
  public let member: String
  /// What the arguments' types are, as messages spell them.
  public let signature: String
  public let arguments: [BusValue]

  private let message: OpaquePointer
  private let library: UnsafePointer<sotto_systemd>
  private weak var link: BusLink?
  private var isAnswered: Bool

  init(
    _ message: OpaquePointer, arguments: [BusValue], signature: String,
    library: UnsafePointer<sotto_systemd>, link: BusLink
  ) {
    unsafe self.message = library.pointee.message_ref(message)!
    unsafe self.library = unsafe library
    self.link = link
    self.arguments = arguments
    self.signature = signature
    sender = unsafe BusLink.text(library.pointee.message_get_sender(message))
    path = unsafe BusLink.text(library.pointee.message_get_path(message))
    interface = unsafe BusLink.text(library.pointee.message_get_interface(message))
    member = unsafe BusLink.text(library.pointee.message_get_member(message))
    isAnswered = unsafe library.pointee.message_get_expect_reply(message) <= 0
  }

  isolated deinit {
    answer(.failure(.failed("no answer")))
    unsafe _ = library.pointee.message_unref(message)
  }

  /// Answers; only the first time.
  public func answer(_ result: Result<[BusValue], BusError>) {
    guard !isAnswered else { return }
    isAnswered = true
    unsafe link?.answer(message, result)
  }
}
