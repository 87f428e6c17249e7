import Bus

/// Who sent a command: WirePlumber pauses players whose device goes away, and that is no wish of the
/// user's (T10).
///
/// On the control thread.
@MainActor public final class BusSender {
  private let bus: BusConnection
  /// By unique name; such a name is never given twice on one bus.
  private var known: [String: Bool] = [:]

  private static let wirePlumber = "wireplumber"

  /// - Parameter bus: the one that the commands come over.
  public init(_ bus: BusConnection) {
    self.bus = bus
    bus.observe { [weak self] state in
      // Another bus gives the same names to others.
      if case .ready = state { self?.known = [:] }
    }
  }

  /// Says whether that is WirePlumber, at once where it is known already.
  public func isWirePlumber(_ sender: String, _ answer: @escaping @MainActor (Bool) -> Void) {
    if let isIt = known[sender] { return answer(isIt) }
    bus.ask("GetConnectionUnixProcessID", [.string(sender)]) { [weak self] result in
      let process = (try? result.get())?.first?.integer
      let name = process.flatMap(BusProgram.name)
      // A question that failed says nothing of the sender: it is asked again.
      if let self, let name {
        if known.count > 1000 { known = [:] }
        known[sender] = name == Self.wirePlumber
      }
      answer(name == Self.wirePlumber)
    }
  }
}
