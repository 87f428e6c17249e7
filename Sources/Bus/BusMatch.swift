/// Which signals are meant. What is nil may be anything.
public struct BusMatch: Hashable, Sendable {
  public var sender: String?
  public var path: String?
  public var pathNamespace: String?
  public var interface: String?
  public var member: String?
  /// The first argument, a text; or the beginning of a name.
  public var argument: String?
  public var argumentNamespace: String?

  public init(
    sender: String? = nil, path: String? = nil, pathNamespace: String? = nil,
    interface: String? = nil, member: String? = nil, argument: String? = nil,
    argumentNamespace: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.argument = argument
    self.argumentNamespace = argumentNamespace
  }

  /// As the bus wants to have it.
  var rule: String {
    let parts = [
      ("sender", sender), ("path", path), ("path_namespace", pathNamespace),
      ("interface", interface), ("member", member), ("arg0", argument),
      ("arg0namespace", argumentNamespace),
    ]
    return "type='signal'"
      + parts.compactMap { name, value in
        value.map { ",\(name)='\($0.replacing("'", with: ""))'" }
      }.joined()
  }
}

/// Who owns a name on the bus, at any time.
///
/// On the control thread.
@MainActor public final class BusNameWatch {
  public let name: String
  /// The unique name of the owner; nil while there is none.
  public private(set) var owner: String?
  private let onChange: @MainActor (_ owner: String?) -> Void

  /// - Parameter onChange: called at each change of `owner`, the first one included: so not while
  ///   nobody has owned it yet. With the bus the owner is lost, which `BusConnection.isReady` tells
  ///   from the end of the program.
  public init(
    _ name: String, on bus: BusConnection, onChange: @escaping @MainActor (_ owner: String?) -> Void
  ) {
    self.name = name
    self.onChange = onChange
    bus.watch(
      BusMatch(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged", argument: name)
    ) { [weak self] signal in
      guard signal.sender == "org.freedesktop.DBus", signal.arguments.count == 3 else { return }
      self?.set(signal.arguments[2].text)
    }
    bus.observe { [weak self, weak bus] state in
      switch state {
      case .ready: if let bus { self?.ask(bus) }
      case .absent, .closed: self?.set(nil)
      case .connecting: break
      }
    }
    if bus.isReady { ask(bus) }
  }

  private func ask(_ bus: BusConnection) {
    bus.ask("GetNameOwner", [.string(name)]) { [weak self] result in
      if case .success(let values) = result { self?.set(values.first?.text) }
    }
  }

  private func set(_ new: String?) {
    let new = new?.isEmpty == true ? nil : new
    guard new != owner else { return }
    owner = new
    onChange(new)
  }
}
