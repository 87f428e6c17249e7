import AudioTypes
import Bus
import Glibc

/// What of D-Bus there is on this machine, in sentences, for `sotto doctor`.
///
/// On the control thread.
@MainActor public final class BusSurvey {
  public struct Line: Hashable, Sendable {
    public var isGood: Bool
    public var sentence: String
  }

  private let session: BusConnection
  private let system: BusConnection
  private var answers: [[Line]] = Array(repeating: [], count: 5)
  private var missing = 0
  private var done: (@MainActor ([Line]) -> Void)?
  private let limit = BusTimer()

  private let patience: Double

  /// - Parameter patience: how long is waited for all answers together, in seconds.
  public init(
    session: BusConnection.Place = .session, system: BusConnection.Place = .system,
    patience: Double = 3
  ) {
    self.patience = patience
    self.session = BusConnection(session)
    self.system = BusConnection(system)
  }

  /// Looks, and calls back once. Nobody is started or touched for it.
  public func run(_ done: @escaping @MainActor ([Line]) -> Void) {
    self.done = done
    missing = 5
    limit.set(after: patience) { [weak self] in self?.finish() }
    open(session) { [weak self] error in self?.tookSession(error) }
    open(system) { [weak self] error in self?.tookSystem(error) }
  }

  /// Calls back once: with the reason where there is no such bus.
  private func open(_ bus: BusConnection, _ then: @escaping @MainActor (BusError?) -> Void) {
    var isTold = false
    bus.observe { state in
      guard !isTold else { return }
      switch state {
      case .ready:
        isTold = true
        then(nil)
      case .absent(let error):
        isTold = true
        then(error)
      case .closed, .connecting: break
      }
    }
    bus.open()
  }

  private func say(_ place: Int, _ isGood: Bool, _ sentence: String) {
    if answers[place].isEmpty { missing -= 1 }
    answers[place].append(Line(isGood: isGood, sentence: sentence))
    if missing == 0 { finish() }
  }

  private func skip(_ place: Int) {
    missing -= 1
    if missing == 0 { finish() }
  }

  private func finish() {
    guard let done else { return }
    self.done = nil
    limit.cancel()
    if answers[0].isEmpty { answers[0] = [Line(isGood: false, sentence: Self.noSession(nil))] }
    if answers[2].isEmpty { answers[2] = [Line(isGood: false, sentence: Self.noSystem(nil))] }
    session.close()
    system.close()
    done(answers.flatMap(\.self))
  }

  // MARK: The session's bus

  private static func noSession(_ error: BusError?) -> String {
    "No session bus: \(error?.sentence ?? "it does not answer"). Media keys do not reach sotto, other"
      + " players are not paused, do-not-disturb is not known. Log in with a session"
      + " (dbus-user-session), or start sotto with dbus-run-session."
  }

  private func tookSession(_ error: BusError?) {
    if let error {
      say(0, false, Self.noSession(error))
      return skip(1)
    }
    say(0, true, "The session bus answers: media keys and other players are heard (MPRIS).")
    let sources = [BusSilentMode.notifications, BusSilentMode.feedback]
    var left = sources.count
    var isTold = false
    for source in sources {
      session.property(source.name, source.path, source.name, source.property) {
        [weak self] result in
        left -= 1
        if case .success(let value) = result {
          isTold = true
          let what =
            source.name == BusSilentMode.feedback.name
            ? "feedbackd's profile" : "The desktop's do-not-disturb"
          let now = source.meansSilent(value) ? "on" : "off"
          self?.say(1, true, "\(what) is followed as the silent switch; it is \(now) now.")
        }
        if left == 0, !isTold {
          self?.say(
            1, false,
            "Neither feedbackd nor the desktop tells do-not-disturb on the bus: S is the silent"
              + " switch.")
        }
      }
    }
  }

  // MARK: The system's bus

  private static func noSystem(_ error: BusError?) -> String {
    "No system bus: \(error?.sentence ?? "it does not answer"). sotto does not hear of sleep, lock and"
      + " lost Bluetooth links. Start dbus (package dbus)."
  }

  private func tookSystem(_ error: BusError?) {
    if let error {
      say(2, false, Self.noSystem(error))
      skip(3)
      return skip(4)
    }
    say(2, true, "The system bus answers.")
    system.ask("GetNameOwner", [.string(BusLogind.name)]) { [weak self] result in
      if case .success = result {
        self?.say(
          3, true, "logind tells of sleep and lock: sotto pauses before the machine sleeps.")
      } else {
        self?.say(3, false, "logind does not run: sotto does not hear of sleep and lock.")
      }
    }
    system.call(
      BusBlueZ.name, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout: 2
    ) { [weak self] result in
      guard let pairs = (try? result.get())?.first?.pairs else {
        self?.say(
          4, false,
          "BlueZ does not run: a lost Bluetooth headset is told by the sound server alone.")
        return
      }
      let adapters = pairs.filter { $0.value["org.bluez.Adapter1"] != nil }
      let count = adapters.count == 1 ? "1 adapter" : "\(adapters.count) adapters"
      var sentence = "BlueZ runs with \(count): a lost Bluetooth link pauses at once"
      if adapters.contains(where: { $0.value["org.bluez.Media1"] != nil }) {
        sentence += ", and the buttons of Bluetooth headsets reach sotto."
      } else if adapters.isEmpty {
        sentence += "."
      } else {
        sentence += "; it offers no Media1, so headset buttons come as keys, if at all."
      }
      self?.say(4, true, sentence)
    }
  }
}
