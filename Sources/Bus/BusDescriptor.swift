import Glibc

/// A file descriptor that came with a message; closed when nobody holds it any more.
public final class BusDescriptor: Hashable, Sendable {
  public let number: CInt

  /// Takes the descriptor over.
  public init(taking number: CInt) { self.number = number }

  deinit { close(number) }

  public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
