/// An interface of an object of ours: what others may call, read, set and hear.
@MainActor public struct BusInterface {
  public var name: String
  public var methods: [BusMethod]
  public var properties: [BusProperty]
  /// Signals with their arguments' names and types.
  public var signals: [(name: String, arguments: [BusArgument])]

  public init(
    _ name: String, methods: [BusMethod] = [], properties: [BusProperty] = [],
    signals: [(name: String, arguments: [BusArgument])] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  nonisolated static let properties = "org.freedesktop.DBus.Properties"
  nonisolated static let introspectable = "org.freedesktop.DBus.Introspectable"
  nonisolated static let peer = "org.freedesktop.DBus.Peer"
}

/// An argument's name and type.
public struct BusArgument: Sendable {
  public var name: String
  public var type: String

  public init(_ name: String, _ type: String) {
    self.name = name
    self.type = type
  }
}

/// A method of an interface: its types, and what answers.
@MainActor public struct BusMethod {
  public var name: String
  public var takes: [BusArgument]
  public var gives: [BusArgument]
  /// Is given calls whose arguments are of these types. It answers, at once or later.
  public var body: @MainActor (BusCall) -> Void

  public init(
    _ name: String, _ takes: [BusArgument] = [], gives: [BusArgument] = [],
    body: @escaping @MainActor (BusCall) -> Void
  ) {
    self.name = name
    self.takes = takes
    self.gives = gives
    self.body = body
  }
}

/// A property of an interface: how it is read, set and told.
@MainActor public struct BusProperty {
  /// What is told of a change.
  public enum Change: String, Sendable {
    case value = "true"
    /// Only that it changed.
    case invalidates
    /// Nothing.
    case silent = "false"
  }

  public var name: String
  public var type: String
  public var change: Change
  public var get: @MainActor () -> BusValue
  /// `nil` where it can only be read. Throws what the caller is told.
  public var set: (@MainActor (BusValue) throws(BusError) -> Void)?

  public init(
    _ name: String, _ type: String, change: Change = .value,
    get: @escaping @MainActor () -> BusValue,
    set: (@MainActor (BusValue) throws(BusError) -> Void)? = nil
  ) {
    self.name = name
    self.type = type
    self.change = change
    self.get = get
    self.set = set
  }
}

/// An object that others see, with properties and a description of itself as D-Bus wants them.
@MainActor public final class BusObject {
  public let path: String
  public let interfaces: [BusInterface]
  weak var connection: BusConnection?
  /// Whether a caller, by its unique name, may reach the object; `nil` lets everybody.
  public var admits: (@MainActor (_ sender: String) -> Bool)?

  public init(_ path: String, _ interfaces: [BusInterface]) {
    self.path = path
    self.interfaces = interfaces
  }

  /// - Parameter destination: who alone is told; `nil` tells everybody who listens.
  public func emit(
    _ interface: String, _ member: String, _ arguments: [BusValue], to destination: String? = nil
  ) {
    connection?.emit(path, interface, member, arguments, to: destination)
  }

  /// Tells in one signal what has changed of an interface.
  public func changed(
    _ interface: String, _ values: [(String, BusValue)], invalidated: [String] = [],
    to destination: String? = nil
  ) {
    guard !values.isEmpty || !invalidated.isEmpty else { return }
    emit(
      BusInterface.properties, "PropertiesChanged",
      [.string(interface), .properties(values), .strings(invalidated)], to: destination)
  }

  func take(_ call: BusCall) {
    guard admits?(call.sender) != false else {
      return call.answer(.failure(.standard("AccessDenied", "this is not for everybody")))
    }
    switch call.interface {
    case BusInterface.properties: return access(call)
    case BusInterface.introspectable: return describe(call)
    case BusInterface.peer where call.member == "Ping": return call.answer(.success([]))
    case "":
      // Without an interface the first that has such a method is meant.
      if call.member == "Introspect" { return describe(call) }
      guard let method = interfaces.lazy.flatMap(\.methods).first(where: { $0.name == call.member })
      else { return unknown(call) }
      return run(method, call)
    default:
      guard let interface = interfaces.first(where: { $0.name == call.interface }) else {
        return call.answer(
          .failure(
            .standard(
              "UnknownInterface", "there is no interface \(BusCoding.clean(call.interface))")
          ))
      }
      guard let method = interface.methods.first(where: { $0.name == call.member }) else {
        return unknown(call)
      }
      run(method, call)
    }
  }

  private func unknown(_ call: BusCall) {
    call.answer(
      .failure(.standard("UnknownMethod", "there is no method \(BusCoding.clean(call.member))")))
  }

  private func run(_ method: BusMethod, _ call: BusCall) {
    let wanted = method.takes.map(\.type).joined()
    guard call.signature == wanted else {
      return call.answer(
        .failure(
          .invalidArguments("\(method.name) takes (\(wanted)), and was given (\(call.signature))")))
    }
    method.body(call)
  }

  // MARK: Properties

  private func access(_ call: BusCall) {
    do throws(BusError) {
      let texts = call.arguments.map { $0.text ?? "" }
      switch (call.member, call.signature) {
      case ("Get", "ss"):
        call.answer(.success([.variant(try property(texts[0], texts[1]).get())]))
      case ("GetAll", "s"):
        var found = interfaces.filter { $0.name == texts[0] }
        if texts[0].isEmpty { found = interfaces }
        let isOther = [BusInterface.properties, BusInterface.introspectable, BusInterface.peer]
          .contains(texts[0])
        guard !found.isEmpty || isOther else { throw noInterface(texts[0]) }
        let values = found.flatMap(\.properties).map { ($0.name, $0.get()) }
        call.answer(.success([.properties(values)]))
      case ("Set", "ssv"):
        let property = try property(texts[0], texts[1])
        guard let set = property.set else {
          throw .standard("PropertyReadOnly", "\(property.name) can only be read")
        }
        let value = call.arguments[2].plain
        guard value.type == property.type else {
          throw .invalidArguments("\(property.name) is of type \(property.type)")
        }
        try set(value)
        call.answer(.success([]))
      case ("Get", _), ("GetAll", _), ("Set", _):
        throw .invalidArguments("\(call.member) was given (\(call.signature))")
      default: unknown(call)
      }
    } catch {
      call.answer(.failure(error))
    }
  }

  private func property(_ interface: String, _ name: String) throws(BusError) -> BusProperty {
    // An empty interface means any.
    let found = interfaces.filter { $0.name == interface || interface.isEmpty }
    guard !found.isEmpty else { throw noInterface(interface) }
    guard let property = found.lazy.flatMap(\.properties).first(where: { $0.name == name }) else {
      throw .standard("UnknownProperty", "there is no property \(BusCoding.clean(name))")
    }
    return property
  }

  private func noInterface(_ name: String) -> BusError {
    .standard("UnknownInterface", "there is no interface \(BusCoding.clean(name))")
  }

  // MARK: Description

  private func describe(_ call: BusCall) {
    guard call.member == "Introspect" else { return unknown(call) }
    guard call.signature.isEmpty else {
      return call.answer(.failure(.invalidArguments("Introspect takes nothing")))
    }
    call.answer(.success([.string(BusInterface.description(interfaces))]))
  }
}

extension BusInterface {
  /// The XML of a node, in one line: texts on the bus have no line breaks.
  static func description(_ interfaces: [BusInterface], children: [String] = []) -> String {
    func arguments(_ list: [BusArgument], _ direction: String) -> String {
      list.map { "<arg name=\"\($0.name)\" type=\"\($0.type)\"\(direction)/>" }.joined()
    }
    var xml = "<node>"
    if !interfaces.isEmpty { xml += standard }
    for interface in interfaces {
      xml += "<interface name=\"\(interface.name)\">"
      for method in interface.methods {
        xml += "<method name=\"\(method.name)\">"
        xml += arguments(method.takes, " direction=\"in\"")
        xml += arguments(method.gives, " direction=\"out\"") + "</method>"
      }
      for property in interface.properties {
        let access = property.set == nil ? "read" : "readwrite"
        xml += "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\">"
        xml += "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
        xml += " value=\"\(property.change.rawValue)\"/></property>"
      }
      for signal in interface.signals {
        xml += "<signal name=\"\(signal.name)\">" + arguments(signal.arguments, "") + "</signal>"
      }
      xml += "</interface>"
    }
    for child in children { xml += "<node name=\"\(child)\"/>" }
    return xml + "</node>"
  }

  private static let standard =
    "<interface name=\"\(properties)\">"
    + "<method name=\"Get\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
    + "<arg name=\"property\" type=\"s\" direction=\"in\"/>"
    + "<arg name=\"value\" type=\"v\" direction=\"out\"/></method>"
    + "<method name=\"GetAll\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
    + "<arg name=\"properties\" type=\"a{sv}\" direction=\"out\"/></method>"
    + "<method name=\"Set\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
    + "<arg name=\"property\" type=\"s\" direction=\"in\"/>"
    + "<arg name=\"value\" type=\"v\" direction=\"in\"/></method>"
    + "<signal name=\"PropertiesChanged\"><arg name=\"interface\" type=\"s\"/>"
    + "<arg name=\"changed\" type=\"a{sv}\"/><arg name=\"invalidated\" type=\"as\"/></signal>"
    + "</interface><interface name=\"\(introspectable)\">"
    + "<method name=\"Introspect\"><arg name=\"xml\" type=\"s\" direction=\"out\"/></method>"
    + "</interface><interface name=\"\(peer)\"><method name=\"Ping\"/></interface>"
}
