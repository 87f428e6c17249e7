import AudioSession
import Bus
import Foundation
import TestSupport
import Testing

@testable import SystemEvents

/// logind, BlueZ and do-not-disturb as python-dbusmock plays them, with what its templates lack.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct BusSystemTests {
  private let bus: PrivateBus
  private let connection: BusConnection

  init() async throws {
    bus = try await PrivateBus.started()
    connection = BusConnection(.address(bus.address))
  }

  private func mock(_ template: String, name: String) async throws -> pid_t {
    let id = try bus.python(["-m", "dbusmock", "--session", "--template", template])
    try await present(name)
    return id
  }

  private func present(_ name: String) async throws {
    let limit = ContinuousClock.now + .seconds(180)
    while try await !call(
      "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", "s", name
    ).contains("true") {
      try #require(ContinuousClock.now < limit, "\(name): \(bus.log.suffix(2000))")
    }
  }

  @discardableResult
  private func call(_ words: String...) async throws -> String {
    let (bus, words) = (bus, words)
    return try await withCheckedThrowingContinuation { answer in
      DispatchQueue.global().async {
        answer.resume(
          with: Result { try bus.tool("busctl", ["--address=\(bus.address)", "call"] + words) })
      }
    }
  }

  private func logindIsThere() async throws -> pid_t {
    let id = try await mock("logind", name: "org.freedesktop.login1")
    try await call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "AddSession", "ssusb", "c1", "seat0", "1000", "user", "true")
    try await call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "AddMethod", "sssss", "org.freedesktop.login1.Manager", "GetSessionByPID", "u", "o",
      "ret = '/org/freedesktop/login1/session/c1'")
    return id
  }

  private func sleep(_ isBefore: Bool) async throws {
    try await call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "EmitSignal", "sssav", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", "1", "b",
      "\(isBefore)")
  }

  private func inhibitors() async throws -> String {
    try await call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
      "ListInhibitors")
  }

  private func until(_ wanted: Bool, _ text: String) async throws -> Bool {
    let limit = ContinuousClock.now + .seconds(180)
    while try await inhibitors().contains(text) != wanted {
      if ContinuousClock.now > limit { return false }
    }
    return true
  }

  @Test func `S2: sleep waits until silence is heard, and for nothing after it`() async throws {
    _ = try await logindIsThere()
    var events: [SessionEvent] = []
    var silent: (@MainActor () -> Void)?
    let logind = BusLogind(connection, send: { events.append($0) }, whenSilent: { silent = $0 })
    connection.open()
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    #expect(try await inhibitors().contains("\"delay\""))
    try await sleep(true)
    #expect(await holds { silent != nil })
    #expect(events == [.sleep(true)])
    // Not before the music is held.
    #expect(try await inhibitors().contains("sotto"))
    silent?()
    #expect(try await until(false, "sotto"))
    try await sleep(false)
    #expect(await holds { events == [.sleep(true), .sleep(false)] })
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    // Told twice it is one (T19).
    try await sleep(false)
    try await sleep(true)
    #expect(await holds { events.count == 3 })
    #expect(events.last == .sleep(true))
    withExtendedLifetime(logind) {}
  }

  @Test func `S2: an engine that never tells of silence does not keep the machine awake`()
    async throws
  {
    _ = try await logindIsThere()
    let logind = BusLogind(connection, send: { _ in }, whenSilent: { _ in })
    connection.open()
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    try await sleep(true)
    #expect(try await until(false, "sotto"))
    withExtendedLifetime(logind) {}
  }

  @Test func `S38: the session's lock is followed, and nobody else's`() async throws {
    let id = try await logindIsThere()
    var events: [SessionEvent] = []
    let logind = BusLogind(connection, send: { events.append($0) }, whenSilent: { $0() })
    connection.open()
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    func tell(_ path: String, _ member: String) async throws {
      try await call(
        "org.freedesktop.login1", path, "org.freedesktop.DBus.Mock", "EmitSignal", "sssav",
        "org.freedesktop.login1.Session", member, "", "0")
    }
    let own = "/org/freedesktop/login1/session/c1"
    // Until the session is found, nothing counts.
    while events.isEmpty { try await tell(own, "Lock") }
    #expect(events == [.lock(true)])
    try await tell(own, "Unlock")
    #expect(await holds { events.count == 2 })
    #expect(events.last == .lock(false))
    try await call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
      "AddSession", "ssusb", "c2", "seat1", "1001", "other", "true")
    try await tell("/org/freedesktop/login1/session/c2", "Lock")
    try await call(
      "org.freedesktop.login1", own, "org.freedesktop.DBus.Mock", "EmitSignal", "sssav",
      "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", "3", "s",
      "org.freedesktop.login1.Session", "a{sv}", "1", "LockedHint", "b", "true", "as", "0")
    #expect(await holds { events.count == 3 })
    #expect(events.last == .lock(true))

    // logind goes away and comes back: it is followed again.
    bus.end(id)
    _ = try await logindIsThere()
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    withExtendedLifetime(logind) {}
  }

  @Test func `S2: what others send in logind's name moves nothing`() async throws {
    _ = try await logindIsThere()
    var events: [SessionEvent] = []
    let logind = BusLogind(connection, send: { events.append($0) }, whenSilent: { $0() })
    connection.open()
    #expect(try await until(true, "\"sleep\" \"sotto\""))
    try await bus.ask(
      "busctl", "--address=\(bus.address)", "emit", "/org/freedesktop/login1",
      "org.freedesktop.login1.Manager", "PrepareForSleep", "b", "true")
    // Whatever came before the real one is known by then.
    try await sleep(true)
    try await sleep(false)
    #expect(await holds { events.last == .sleep(false) })
    #expect(events == [.sleep(true), .sleep(false)])
    withExtendedLifetime(logind) {}
  }

  private func bluez(_ member: String, _ arguments: String...) async throws {
    let words =
      ["org.bluez", "/org/bluez", "org.bluez.Mock", member] + arguments
    let bus = bus
    _ = try await withCheckedThrowingContinuation { answer in
      DispatchQueue.global().async {
        answer.resume(
          with: Result { try bus.tool("busctl", ["--address=\(bus.address)", "call"] + words) })
      }
    }
  }

  @Test func `S16: a Bluetooth link that is lost is told with its address`() async throws {
    var events: [SessionEvent] = []
    let watch = BusBlueZ(connection) { events.append($0) }
    connection.open()
    try #require(await holds { connection.isReady })
    #expect(watch.adapters.isEmpty)
    // BlueZ starts after us.
    let id = try await mock("bluez5", name: "org.bluez")
    try await bluez("AddAdapter", "ss", "hci0", "desk")
    #expect(await holds { watch.adapters == ["/org/bluez/hci0"] })
    try await bluez("AddDevice", "sss", "hci0", "00:11:22:33:44:AA", "headset")
    try await bluez("ConnectDevice", "ss", "hci0", "00:11:22:33:44:AA")
    #expect(await holds { watch.isConnected("00:11:22:33:44:aa") == true })
    #expect(events.isEmpty)
    try await bluez("DisconnectDevice", "ss", "hci0", "00:11:22:33:44:AA")
    #expect(await holds { !events.isEmpty })
    #expect(events == [.linkLost(address: "00:11:22:33:44:AA")])
    #expect(watch.isConnected("00:11:22:33:44:AA") == false)
    // Once is enough.
    try await bluez("DisconnectDevice", "ss", "hci0", "00:11:22:33:44:AA")
    try await bluez("ConnectDevice", "ss", "hci0", "00:11:22:33:44:AA")
    #expect(await holds { watch.isConnected("00:11:22:33:44:AA") == true })
    #expect(events.count == 1)
    // The daemon ends, and the link with it.
    bus.end(id)
    #expect(await holds { events.count == 2 && watch.adapters.isEmpty })
    #expect(watch.isConnected("00:11:22:33:44:AA") == nil)
    // Another one has other adapters.
    _ = try await mock("bluez5", name: "org.bluez")
    try await bluez("AddAdapter", "ss", "hci1", "desk")
    #expect(await holds { watch.adapters == ["/org/bluez/hci1"] })
  }

  @Test
  func `S16: a bus that is lost says nothing of links, and one of two adapters not everything`()
    async throws
  {
    var events: [SessionEvent] = []
    let watch = BusBlueZ(connection) { events.append($0) }
    connection.open()
    _ = try await mock("bluez5", name: "org.bluez")
    let address = "00:11:22:33:44:AA"
    for adapter in ["hci0", "hci1"] {
      try await bluez("AddAdapter", "ss", adapter, "desk")
      try await bluez("AddDevice", "sss", adapter, address, "headset")
    }
    #expect(await holds { watch.isConnected(address) == false })
    try await bluez("ConnectDevice", "ss", "hci1", address)
    #expect(await holds { watch.isConnected(address) == true })
    try await bluez("ConnectDevice", "ss", "hci0", address)
    try await bluez("DisconnectDevice", "ss", "hci1", address)
    // What is known by now includes that.
    try await bluez("AddAdapter", "ss", "hci2", "desk")
    #expect(await holds { watch.adapters.count == 3 })
    #expect(watch.isConnected(address) == true && events.isEmpty)
    #expect(watch.owner != nil)
    // The daemon of the bus ends: the link stands all the same.
    bus.stop()
    #expect(await holds { watch.adapters.isEmpty && watch.owner == nil })
    #expect(watch.isConnected(address) == nil)
    #expect(events.isEmpty)
  }

  /// A program with one property, for BusSilentMode.
  private func start(
    _ name: String, _ path: String, _ property: String, _ type: String, _ value: String
  ) async throws -> pid_t {
    let id = try bus.python(["-m", "dbusmock", "--session", name, path, name])
    try await present(name)
    try await call(
      name, path, "org.freedesktop.DBus.Mock", "AddProperty", "ssv", name, property, type, value)
    return id
  }

  private func set(
    _ name: String, _ path: String, _ property: String, _ type: String, _ value: String
  ) async throws {
    try await call(
      name, path, "org.freedesktop.DBus.Properties", "Set", "ssv", name, property, type, value)
  }

  @Test func `S3: a bus that is lost lifts no silent mode; one where nobody wants it does`()
    async throws
  {
    var events: [SessionEvent] = []
    let silent = BusSilentMode(connection) { events.append($0) }
    connection.open()
    let (feedback, place) = ("org.sigxcpu.Feedback", "/org/sigxcpu/Feedback")
    _ = try await start(feedback, place, "Profile", "s", "full")
    try await set(feedback, place, "Profile", "s", "silent")
    #expect(await holds { events == [.silent(true)] })
    bus.stop()
    #expect(await holds { !connection.isReady })
    #expect(events == [.silent(true)])
    // Without anyone who wants silence on the new bus it is over.
    try bus.start()
    #expect(await holds { events == [.silent(true), .silent(false)] })
    withExtendedLifetime(silent) {}
  }

  @Test func `S3: feedbackd's profile and the desktop's do-not-disturb are the silent switch`()
    async throws
  {
    var events: [SessionEvent] = []
    let silent = BusSilentMode(connection) { events.append($0) }
    connection.open()
    let (feedback, place) = ("org.sigxcpu.Feedback", "/org/sigxcpu/Feedback")
    let id = try await start(feedback, place, "Profile", "s", "full")
    try await set(feedback, place, "Profile", "s", "silent")
    #expect(await holds { events == [.silent(true)] })
    let (desktop, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
    _ = try await start(desktop, path, "Inhibited", "b", "false")
    try await set(desktop, path, "Inhibited", "b", "true")
    // Both say so; one of them is not enough to lift it.
    try await set(feedback, place, "Profile", "s", "full")
    try await set(feedback, place, "Profile", "s", "quiet")
    bus.end(id)
    try await set(desktop, path, "Inhibited", "b", "false")
    #expect(await holds { events.last == .silent(false) })
    #expect(events == [.silent(true), .silent(false)])
    withExtendedLifetime(silent) {}
  }

  @Test func `T10: WirePlumber is known by its process, also after a question that failed`()
    async throws
  {
    connection.open()
    try #require(await holds { connection.isReady })
    let name = "org.example.Manager"
    try bus.python([
      "-c",
      """
      import dbus, signal
      open('/proc/self/comm', 'w').write('wireplumber')
      bus = dbus.SessionBus()
      bus.request_name('\(name)')
      # Until the test ends it.
      signal.pause()
      """,
    ])
    let watch = BusNameWatch(name, on: connection) { _ in }
    try #require(await holds { watch.owner != nil })
    let owner = try #require(watch.owner)
    let sender = BusSender(connection)
    func isWirePlumber(_ name: String) async -> Bool {
      await withCheckedContinuation { done in
        sender.isWirePlumber(name) { done.resume(returning: $0) }
      }
    }
    // A bus that stands still answers nothing within our patience.
    bus.signal(SIGSTOP)
    #expect(await !isWirePlumber(owner))
    bus.signal(SIGCONT)
    #expect(await isWirePlumber(owner))
    guard case .ready(let own) = connection.state else { throw BusError.failed("no bus") }
    #expect(await !isWirePlumber(own))
  }

  @Test func `The survey says what there is, and why the rest is not`() async throws {
    func survey(_ place: BusConnection.Place, patience: Double = 60) async -> [BusSurvey.Line] {
      let survey = BusSurvey(session: place, system: place, patience: patience)
      return await withCheckedContinuation { done in
        survey.run {
          withExtendedLifetime(survey) {}
          done.resume(returning: $0)
        }
      }
    }
    let none = await survey(.address("unix:path=/nonexistent/bus"))
    #expect(none.count == 2 && none.allSatisfy { !$0.isGood })
    #expect(none[0].sentence.hasPrefix("No session bus: it does not run."))
    let bare = await survey(.address(bus.address))
    #expect(bare.map(\.isGood) == [true, false, true, false, false])
    _ = try await logindIsThere()
    _ = try await mock("bluez5", name: "org.bluez")
    try await bluez("AddAdapter", "ss", "hci0", "desk")
    let full = await survey(.address(bus.address))
    #expect(full.map(\.isGood) == [true, false, true, true, true])
    #expect(full.last?.sentence.contains("1 adapter:") == true)
    #expect(full.last?.sentence.contains("buttons") == true)
    // A bus that hangs is said to, and nobody waits for it.
    bus.signal(SIGSTOP)
    let hung = await survey(.address(bus.address), patience: 0.5)
    bus.signal(SIGCONT)
    #expect(hung.count == 2 && hung.allSatisfy { !$0.isGood })
  }
}
