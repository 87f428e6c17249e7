import Bus

/// logind's idle lock: while it is held the machine neither darkens nor sleeps by itself.
///
/// On the control thread.
@MainActor public final class BusIdle {
  private let bus: BusConnection
  private var watch: BusNameWatch?
  /// Held while it lives.
  private var lock: BusDescriptor?
  private var isWanted = false
  private var isAsking = false

  /// - Parameter bus: the system's. The lock is asked for again whenever logind is new.
  public init(_ bus: BusConnection) {
    self.bus = bus
    watch = BusNameWatch(BusLogind.name, on: bus) { [weak self] _ in
      guard let self else { return }
      // A new logind knows nothing of the old one's locks.
      (lock, isAsking) = (nil, false)
      follow()
    }
  }

  /// Holds the machine awake from now on, or lets it rest.
  public func hold(_ wish: Bool) {
    guard wish != isWanted else { return }
    isWanted = wish
    follow()
  }

  private func follow() {
    guard isWanted else {
      lock = nil
      return
    }
    guard lock == nil, !isAsking, let owner = watch?.owner else { return }
    isAsking = true
    bus.call(
      BusLogind.name, BusLogind.path, BusLogind.manager, "Inhibit",
      [.string("idle"), .string("sotto"), .string("music plays"), .string("block")]
    ) { [weak self] result in
      guard let self, watch?.owner == owner else { return }
      isAsking = false
      guard isWanted, case .descriptor(let lock)? = (try? result.get())?.first else { return }
      self.lock = lock
    }
  }
}
