import AudioSession
import Bus
import Glibc

/// logind: the machine sleeps and wakes, the session is locked and unlocked. Sleep is delayed until
/// the music is held, and no longer.
///
/// On the control thread.
@MainActor public final class BusLogind {
  private let bus: BusConnection
  private let send: @MainActor (SessionEvent) -> Void
  /// Calls back once nothing is heard any more.
  private let whenSilent: @MainActor (@escaping @MainActor () -> Void) -> Void
  private var watch: BusNameWatch?
  /// Held while it lives.
  private var inhibitor: BusDescriptor?
  private var isAsleep = false
  private var isSuspended = false
  private var isLocked = false
  private var session: String?
  private let limit = BusTimer()

  static let name = "org.freedesktop.login1"
  static let path = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  private static let sessions = "org.freedesktop.login1.Session"
  /// logind waits 5 s at most, where nobody has changed that; a fade needs a tenth of one.
  private static let longestDelay = 4.0

  /// - Parameters:
  ///   - bus: the system's.
  ///   - send: is given what the session must hear: sleep and the lock.
  ///   - whenSilent: calls back once nothing is heard; sleep is delayed until then, and 4 s at
  ///     most.
  public init(
    _ bus: BusConnection, send: @escaping @MainActor (SessionEvent) -> Void,
    whenSilent: @escaping @MainActor (@escaping @MainActor () -> Void) -> Void
  ) {
    self.bus = bus
    self.send = send
    self.whenSilent = whenSilent
    bus.watch(BusMatch(path: Self.path, interface: Self.manager, member: "PrepareForSleep")) {
      [weak self] signal in
      guard let self, signal.sender == watch?.owner, let isBefore = signal.arguments.first?.bool
      else { return }
      prepare(isBefore)
    }
    for (member, isLocked) in [("Lock", true), ("Unlock", false)] {
      bus.watch(BusMatch(interface: Self.sessions, member: member)) { [weak self] signal in
        guard let self, signal.sender == watch?.owner, signal.path == session else { return }
        lock(isLocked)
      }
    }
    bus.watch(
      BusMatch(
        pathNamespace: Self.path + "/session", interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument: Self.sessions)
    ) { [weak self] signal in
      guard let self, signal.sender == watch?.owner, signal.path == session,
        signal.arguments.count > 1, let isLocked = signal.arguments[1]["LockedHint"]?.bool
      else { return }
      lock(isLocked)
    }
    watch = BusNameWatch(Self.name, on: bus) { [weak self] owner in self?.ownerChanged(owner) }
  }

  private func ownerChanged(_ owner: String?) {
    inhibitor = nil
    session = nil
    guard owner != nil else {
      // Awake enough to run, and nobody would tell.
      if isAsleep { prepare(false) }
      return
    }
    inhibit()
    findSession()
  }

  // MARK: Sleep

  /// Lets sleep pass, while the program is stopped.
  public func suspend() {
    isSuspended = true
    inhibitor = nil
  }

  /// The program goes on: sleep is delayed again.
  public func resume() {
    isSuspended = false
    if watch?.owner != nil { inhibit() }
  }

  private func inhibit() {
    guard !isSuspended, !isAsleep else { return }
    bus.call(
      Self.name, Self.path, Self.manager, "Inhibit",
      [
        .string("sleep"), .string("sotto"), .string("holds the music before the machine sleeps"),
        .string("delay"),
      ]
    ) { [weak self] result in
      guard let self, !isAsleep, !isSuspended,
        case .descriptor(let lock)? = (try? result.get())?.first
      else {
        return
      }
      inhibitor = lock
    }
  }

  private func prepare(_ isBefore: Bool) {
    guard isBefore != isAsleep else { return }
    isAsleep = isBefore
    send(.sleep(isBefore))
    guard isBefore else {
      endDelay()
      if watch?.owner != nil { inhibit() }
      return
    }
    limit.set(after: Self.longestDelay) { [weak self] in self?.endDelay() }
    whenSilent { [weak self] in self?.endDelay() }
  }

  private func endDelay() {
    limit.cancel()
    if isAsleep { inhibitor = nil }
  }

  // MARK: Lock

  /// The session of this process; otherwise, as for a terminal that outlives its session, the one
  /// that the user sees.
  private func findSession() {
    bus.call(Self.name, Self.path, Self.manager, "GetSessionByPID", [.uint32(0)]) {
      [weak self] result in
      guard let self else { return }
      if let path = (try? result.get())?.first?.text { return found(session: path) }
      bus.call(Self.name, Self.path, Self.manager, "GetUser", [.uint32(getuid())]) {
        [weak self] result in
        guard let self, let user = (try? result.get())?.first?.text else { return }
        bus.property(Self.name, user, "org.freedesktop.login1.User", "Display") {
          [weak self] result in
          guard let path = (try? result.get())?.elements?.last?.text, path != "/" else { return }
          self?.found(session: path)
        }
      }
    }
  }

  private func found(session path: String) {
    session = path
    bus.property(Self.name, path, Self.sessions, "LockedHint") { [weak self] result in
      if let isLocked = (try? result.get())?.bool { self?.lock(isLocked) }
    }
  }

  private func lock(_ isOn: Bool) {
    guard isOn != isLocked else { return }
    isLocked = isOn
    send(.lock(isOn))
  }
}
