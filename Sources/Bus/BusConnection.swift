import Dispatch

/// A bus that comes and goes: what is watched, offered and asked for is so again each time it is
/// back. Without the library or the bus everything can be called, and nothing happens.
///
/// On the control thread.
@MainActor public final class BusConnection {
  public enum Place: Hashable, Sendable {
    /// The user's, of the session.
    case session
    case system
    /// An address as D-Bus writes them: "unix:path=/run/user/1000/bus".
    case address(String)
  }

  /// Whether calls can be made.
  public enum State: Hashable, Sendable {
    case closed, connecting
    case ready(uniqueName: String)
    /// There is none at present, and why.
    case absent(BusError)
  }

  public let place: Place
  public private(set) var state = State.closed
  private var link: BusLink?
  private var observers: [@MainActor (State) -> Void] = []
  private var watches: [(match: BusMatch, handler: @MainActor (BusSignal) -> Void)] = []
  private var objects: [String: BusObject] = [:]
  private let retry = BusTimer()
  private var wait = BusConnection.firstWait

  static let firstWait = 0.2
  /// A bus that is not there is looked for twice a minute: a wake-up more costs, and nobody waits.
  static let longestWait = 30.0
  /// How long an answer is waited for, in seconds, where the caller does not say.
  public static let patience = 5.0

  public init(_ place: Place) { self.place = place }

  isolated deinit { link?.close() }

  /// Begins to connect; returns at once.
  public func open() {
    guard link == nil, !retry.isSet else { return }
    connect()
  }

  /// Gives the connection up, and with it all names.
  public func close() {
    retry.cancel()
    link?.close()
    link = nil
    set(.closed)
  }

  public var isReady: Bool { link?.isReady ?? false }

  /// Called at each change from now on.
  public func observe(_ handler: @escaping @MainActor (State) -> Void) { observers.append(handler) }

  private func set(_ new: State) {
    guard state != new else { return }
    state = new
    for observer in observers { observer(new) }
  }

  private func connect() {
    set(.connecting)
    do throws(BusError) {
      let link = try BusLink(place)
      self.link = link
      link.onReady = { [weak self] name in self?.isThere(name) }
      link.onLost = { [weak self] error in self?.isGone(error) }
      link.onCall = { [weak self] call in self?.take(call) }
    } catch {
      isGone(error)
    }
  }

  private func isThere(_ name: String) {
    wait = Self.firstWait
    for watch in watches { link?.watch(watch.match.rule, watch.handler) }
    set(.ready(uniqueName: name))
  }

  private func isGone(_ error: BusError) {
    link = nil
    set(.absent(error))
    // A library does not come by waiting.
    guard error != .noLibrary, state != .closed, !retry.isSet else { return }
    retry.set(after: wait, leeway: 100) { [weak self] in self?.connect() }
    wait = min(wait * 2, Self.longestWait)
  }

  // MARK: Asking

  /// Calls a method of another program; the answer comes later, always, and never before this
  /// returns.
  ///
  /// - Parameter mayStart: a program that does not run may be started for it.
  public func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue] = [], mayStart: Bool = false, timeout: Double = BusConnection.patience,
    reply: @escaping @MainActor (Result<[BusValue], BusError>) -> Void
  ) {
    guard let link, link.isReady else {
      DispatchQueue.main.async { MainActor.assumeIsolated { reply(.failure(.disconnected)) } }
      return
    }
    link.call(
      destination, path, interface, member, arguments, mayStart: mayStart, timeout: timeout, reply)
  }

  /// A method of the bus itself.
  public func ask(
    _ member: String, _ arguments: [BusValue] = [],
    reply: @escaping @MainActor (Result<[BusValue], BusError>) -> Void
  ) {
    call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments,
      reply: reply)
  }

  /// A property of an object of another program.
  public func property(
    _ destination: String, _ path: String, _ interface: String, _ name: String,
    reply: @escaping @MainActor (Result<BusValue, BusError>) -> Void
  ) {
    call(
      destination, path, BusInterface.properties, "Get", [.string(interface), .string(name)]
    ) { result in
      reply(
        result.flatMap { values in
          values.first.map { .success($0.plain) } ?? .failure(.invalidArguments("no value"))
        })
    }
  }

  /// Calls the handler for each signal that the match describes, for as long as the connection
  /// lives. A match with a sender's name is also met by others who send the same: who must know
  /// compares with a `BusNameWatch`.
  public func watch(_ match: BusMatch, _ handler: @escaping @MainActor (BusSignal) -> Void) {
    watches.append((match, handler))
    if isReady { link?.watch(match.rule, handler) }
  }

  // MARK: Offering

  /// Offers an object at its path.
  public func export(_ object: BusObject) {
    objects[object.path] = object
    object.connection = self
  }

  /// - Parameter destination: who alone is told; `nil` tells everybody who listens.
  public func emit(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    to destination: String? = nil
  ) {
    guard isReady else { return }
    link?.emit(path, interface, member, arguments, to: destination)
  }

  /// What the bus says to the wish for a name.
  public enum NameAnswer: Hashable, Sendable {
    case owned, taken
    case failed(BusError)
  }

  /// Asks for a name, without waiting in line for it.
  public func request(_ name: String, _ answer: @escaping @MainActor (NameAnswer) -> Void) {
    // 4: do not queue.
    ask("RequestName", [.string(name), .uint32(4)]) { result in
      switch result {
      // 1: the owner now; 4: it was already.
      case .success(let values):
        let number = values.first?.integer
        answer(number == 1 || number == 4 ? .owned : .taken)
      case .failure(let error): answer(.failed(error))
      }
    }
  }

  /// Gives a name back; the bus's answer is nobody's business.
  public func release(_ name: String) { ask("ReleaseName", [.string(name)]) { _ in } }

  private func take(_ call: BusCall) {
    if let object = objects[call.path] { return object.take(call) }
    // Folders on the way to an object can be looked into.
    let folder = call.path == "/" ? "/" : call.path + "/"
    let children = Set(
      objects.keys.filter { $0.hasPrefix(folder) }.compactMap {
        $0.dropFirst(folder.count).split(separator: "/").first.map(String.init)
      }
    ).sorted()
    if !children.isEmpty, call.member == "Introspect",
      [BusInterface.introspectable, ""].contains(call.interface)
    {
      return call.answer(.success([.string(BusInterface.description([], children: children))]))
    }
    call.answer(
      .failure(.standard("UnknownObject", "there is no object at \(BusCoding.clean(call.path))")))
  }
}
