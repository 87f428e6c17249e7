import AudioSession
import Bus

/// The silent switch of a machine that has none: a feedbackd profile, or the desktop's do not
/// disturb where it is told on the bus (S3).
///
/// On the control thread.
@MainActor public final class BusSilentMode {
  private let bus: BusConnection
  private let send: @MainActor (SessionEvent) -> Void
  private var watches: [BusNameWatch] = []
  private var isOn: [String: Bool] = [:]
  private var isSilent = false

  struct Source {
    var name: String
    var path: String
    var property: String
    var meansSilent: @Sendable (BusValue) -> Bool
  }

  static let feedback = Source(
    name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", property: "Profile"
  ) { ["quiet", "silent"].contains($0.text) }
  static let notifications = Source(
    name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
    property: "Inhibited"
  ) { $0.bool == true }

  /// - Parameter send: is given `silent`, at each change.
  public init(_ bus: BusConnection, send: @escaping @MainActor (SessionEvent) -> Void) {
    self.bus = bus
    self.send = send
    for source in Self.sources { follow(source) }
    bus.observe { [weak self] state in
      guard let self, case .ready = state else { return }
      // What was said before the bus was lost holds until it is known to be over.
      for source in Self.sources where isOn[source.name] == true { ask(source) }
    }
  }

  private static let sources = [feedback, notifications]

  private func follow(_ source: Source) {
    // The interface is called as the name.
    let watch = BusNameWatch(source.name, on: bus) { [weak self] owner in
      guard let self else { return }
      if owner != nil { return ask(source) }
      // Where the bus itself is gone, nobody has lifted anything.
      if bus.isReady { set(source, false) }
    }
    watches.append(watch)
    bus.watch(
      BusMatch(
        path: source.path, interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument: source.name)
    ) { [weak self, weak watch] signal in
      guard let self, signal.sender == watch?.owner, signal.arguments.count == 3 else { return }
      if let value = signal.arguments[1][source.property] {
        set(source, source.meansSilent(value))
      } else if signal.arguments[2].elements?.contains(.string(source.property)) == true {
        ask(source)
      }
    }
  }

  private func ask(_ source: Source) {
    bus.property(source.name, source.path, source.name, source.property) { [weak self] result in
      switch result {
      case .success(let value): self?.set(source, source.meansSilent(value))
      // Nobody is there, or, as with most notification servers, there is no such property.
      case .failure(let error): if error.isAbsence { self?.set(source, false) }
      }
    }
  }

  private func set(_ source: Source, _ value: Bool) {
    isOn[source.name] = value
    let now = isOn.values.contains(true)
    guard now != isSilent else { return }
    isSilent = now
    send(.silent(now))
  }
}
