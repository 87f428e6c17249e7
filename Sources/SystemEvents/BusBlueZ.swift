import AudioSession
import Bus

/// BlueZ: which Bluetooth links stand, and that one is lost. This comes before the sound server's
/// word of it, and tells the cause: a profile switch keeps its link (T9).
///
/// On the control thread.
@MainActor public final class BusBlueZ {
  private let bus: BusConnection
  private let send: @MainActor (SessionEvent) -> Void
  private var watch: BusNameWatch?
  /// Devices by their paths, with whether they are connected.
  private var devices: [String: Device] = [:]
  /// The paths of the adapters that are there.
  public private(set) var adapters: [String] = []
  /// Called when the adapters that are there have changed; with BlueZ all of them go.
  public var onAdapters: (@MainActor () -> Void)?
  /// Who BlueZ is on the bus; nil while it does not run.
  public var owner: String? { watch?.owner }

  private struct Device {
    var address: String
    var isConnected: Bool
  }

  static let name = "org.bluez"
  private static let device = "org.bluez.Device1"
  private static let adapter = "org.bluez.Adapter1"
  private static let objects = "org.freedesktop.DBus.ObjectManager"

  /// - Parameter send: is given what the session must hear: links that are lost.
  public init(_ bus: BusConnection, send: @escaping @MainActor (SessionEvent) -> Void) {
    self.bus = bus
    self.send = send
    bus.watch(
      BusMatch(
        pathNamespace: "/org/bluez", interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument: Self.device)
    ) { [weak self] signal in
      guard let self, signal.sender == watch?.owner, signal.arguments.count > 1,
        let isConnected = signal.arguments[1]["Connected"]?.bool
      else { return }
      connected(signal.path, isConnected)
    }
    bus.watch(BusMatch(interface: Self.objects, member: "InterfacesAdded")) { [weak self] signal in
      guard let self, signal.sender == watch?.owner, signal.arguments.count == 2,
        let path = signal.arguments[0].text
      else { return }
      added(path, signal.arguments[1])
    }
    bus.watch(BusMatch(interface: Self.objects, member: "InterfacesRemoved")) {
      [weak self] signal in
      guard let self, signal.sender == watch?.owner, signal.arguments.count == 2,
        let path = signal.arguments[0].text,
        let names = signal.arguments[1].elements?.compactMap(\.text)
      else { return }
      removed(path, names)
    }
    watch = BusNameWatch(Self.name, on: bus) { [weak self] owner in self?.ownerChanged(owner) }
  }

  /// Whether the link to an address stands; nil where nobody knows.
  public func isConnected(_ address: String) -> Bool? {
    // The device of one address is known to each adapter for itself.
    let known = devices.values.filter { $0.address == address.uppercased() }
    return known.isEmpty ? nil : known.contains { $0.isConnected }
  }

  private func ownerChanged(_ owner: String?) {
    // With the daemon its links are gone. Where the bus itself is gone nothing is known of them, and
    // the music goes on.
    if bus.isReady {
      for (path, device) in devices where device.isConnected { connected(path, false) }
    }
    devices = [:]
    setAdapters([])
    guard let owner else { return }
    bus.call(owner, "/", Self.objects, "GetManagedObjects") { [weak self] result in
      guard let pairs = (try? result.get())?.first?.pairs else { return }
      for pair in pairs { if let path = pair.key.text { self?.added(path, pair.value) } }
    }
  }

  private func added(_ path: String, _ interfaces: BusValue) {
    if let device = interfaces[Self.device], devices[path] == nil {
      let address = device["Address"]?.text ?? Self.address(path)
      guard let address else { return }
      devices[path] = Device(
        address: address.uppercased(), isConnected: device["Connected"]?.bool ?? false)
    }
    if interfaces[Self.adapter] != nil, !adapters.contains(path) { setAdapters(adapters + [path]) }
  }

  private func removed(_ path: String, _ names: [String]) {
    if names.contains(Self.device) {
      connected(path, false)
      devices[path] = nil
    }
    if names.contains(Self.adapter) { setAdapters(adapters.filter { $0 != path }) }
  }

  private func connected(_ path: String, _ isConnected: Bool) {
    guard
      var device = devices[path]
        ?? Self.address(path).map({ Device(address: $0, isConnected: true) })
    else { return }
    let wasConnected = device.isConnected
    device.isConnected = isConnected
    devices[path] = device
    if wasConnected, !isConnected, self.isConnected(device.address) == false {
      send(.linkLost(address: device.address))
    }
  }

  private func setAdapters(_ new: [String]) {
    guard new != adapters else { return }
    adapters = new
    onAdapters?()
  }

  /// "/org/bluez/hci0/dev_00_11_22_33_44_55" as "00:11:22:33:44:55".
  private static func address(_ path: String) -> String? {
    guard let last = path.split(separator: "/").last, last.hasPrefix("dev_"), last.count == 21
    else { return nil }
    return last.dropFirst(4).replacing("_", with: ":").uppercased()
  }
}
