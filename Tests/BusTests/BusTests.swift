import Foundation
import TestSupport
import Testing

@testable import Bus

/// A connection on a bus of the test's own, with the real tools at the other end.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct BusTests {
  private func connected(_ bus: PrivateBus) async throws -> BusConnection {
    let connection = BusConnection(.address(bus.address))
    connection.open()
    try #require(await holds { connection.isReady })
    return connection
  }

  private func answer(
    _ connection: BusConnection, _ destination: String, _ path: String, _ interface: String,
    _ member: String, _ arguments: [BusValue] = [], timeout: Double = 180
  ) async -> Result<[BusValue], BusError> {
    await withCheckedContinuation { done in
      connection.call(destination, path, interface, member, arguments, timeout: timeout) {
        done.resume(returning: $0)
      }
    }
  }

  /// An object with one method of each kind.
  @MainActor private final class Station {
    var volume = 0.5
    var calls = 0
    /// Calls that wait for their answers.
    var kept: [BusCall] = []
    lazy var object = BusObject(
      "/a/b",
      [
        BusInterface(
          "org.example.Station",
          methods: [
            BusMethod("Echo", [BusArgument("value", "v")], gives: [BusArgument("value", "v")]) {
              [unowned self] call in
              calls += 1
              call.answer(.success(call.arguments))
            },
            BusMethod("Fail") { $0.answer(.failure(.failed("not today\u{1B}[2J"))) },
            BusMethod("Forget") { _ in },
            BusMethod("Keep") { [unowned self] call in kept.append(call) },
          ],
          properties: [
            BusProperty("Name", "s", change: .silent) { .string("a\u{07}b") },
            BusProperty("Volume", "d") { [unowned self] in
              .double(volume)
            } set: { [unowned self] (value) throws(BusError) in
              guard case .double(let number) = value, number >= 0 else {
                throw .invalidArguments("a volume is not negative")
              }
              volume = number
            },
          ],
          signals: [("Tick", [BusArgument("count", "u")])])
      ])
  }

  @Test func `Values of every type come back from the bus as they went`() async throws {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    let station = Station()
    connection.export(station.object)
    guard case .ready(let own) = connection.state else { throw Wrong("not ready") }
    let values: [BusValue] = [
      .byte(200), .boolean(true), .int16(-3), .uint16(65535), .int32(-70000), .uint32(.max),
      .int64(.min), .uint64(.max), .double(-0.25), .string("ohm Ω 🎧"), .path("/org/sotto"),
      .signature("a{sv}"), .strings(["a", "", "c"]), .paths([]),
      .array(of: "ax", [.array(of: "x", [.int64(1)]), .array(of: "x", [])]),
      .properties([("one", .uint32(1)), ("two", .strings(["x"]))]),
      .structure([.boolean(false), .structure([.path("/"), .string("n"), .string("")])]),
      .variant(.variant(.int32(5))),
    ]
    for value in values {
      let back = await answer(
        connection, own, "/a/b", "org.example.Station", "Echo", [.variant(value)])
      #expect(back == .success([.variant(value)]))
    }
    #expect(station.calls == values.count)
  }

  @Test func `A descriptor that comes with a message can be read after it`() async throws {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    let station = Station()
    connection.export(station.object)
    guard case .ready(let own) = connection.state else { throw Wrong("not ready") }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    #expect(write(ends[1], "x", 1) == 1)
    close(ends[1])
    let sent = BusDescriptor(taking: ends[0])
    let back = await answer(
      connection, own, "/a/b", "org.example.Station", "Echo", [.variant(.descriptor(sent))])
    guard case .success(let values) = back, case .descriptor(let came)? = values.first?.plain else {
      throw Wrong("\(back)")
    }
    var byte: UInt8 = 0
    #expect(read(came.number, &byte, 1) == 1 && byte == UInt8(ascii: "x"))
  }

  @Test func `busctl sees the object, reads and sets, and is told what is wrong`() async throws {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    let station = Station()
    connection.export(station.object)
    let name = "org.example.Test"
    let got = await withCheckedContinuation { done in
      connection.request(name) { done.resume(returning: $0) }
    }
    #expect(got == .owned)
    let at = "--address=\(bus.address)"
    #expect(try await bus.ask("busctl", at, "tree", "--list", name).contains("/a/b"))
    let seen = try await bus.ask("busctl", at, "introspect", name, "/a/b")
    for part in ["org.example.Station", ".Echo", ".Volume", "writable", ".Tick", "emits-change"] {
      #expect(seen.contains(part))
    }
    let get = try await bus.ask(
      "busctl", at, "get-property", name, "/a/b", "org.example.Station", "Volume", "Name")
    // A control character does not travel.
    #expect(get == #"d 0.5\#ns "a\357\277\275b"\#n"#)
    try await bus.ask(
      "busctl", at, "set-property", name, "/a/b", "org.example.Station", "Volume", "d", "0.25")
    #expect(station.volume == 0.25)

    let standard = "org.freedesktop.DBus.Error."
    let wrong: [(String, [String])] = [
      ("UnknownObject", ["-o", "/nowhere", "-m", "org.example.Station.Fail"]),
      ("UnknownInterface", ["-o", "/a/b", "-m", "org.example.Other.Fail"]),
      ("UnknownMethod", ["-o", "/a/b", "-m", "org.example.Station.Other"]),
      ("InvalidArgs", ["-o", "/a/b", "-m", "org.example.Station.Fail", "5"]),
      ("Failed", ["-o", "/a/b", "-m", "org.example.Station.Fail"]),
      ("Failed", ["-o", "/a/b", "-m", "org.example.Station.Forget"]),
    ]
    for (expected, arguments) in wrong {
      let said = try await failure(bus, ["call", "-a", bus.address, "-d", name] + arguments)
      #expect(said.contains(standard + expected), "\(expected): \(said)")
      #expect(!said.contains("\u{1B}"))
    }
    let properties = "org.freedesktop.DBus.Properties."
    let refused: [(String, [String])] = [
      ("UnknownProperty", ["Get", "org.example.Station", "Other"]),
      ("UnknownInterface", ["Get", "org.example.Other", "Volume"]),
      ("UnknownInterface", ["GetAll", "org.example.Other"]),
      ("PropertyReadOnly", ["Set", "org.example.Station", "Name", "<'x'>"]),
      ("InvalidArgs", ["Set", "org.example.Station", "Volume", "<'x'>"]),
      ("InvalidArgs", ["Set", "org.example.Station", "Volume", "<-1.0>"]),
    ]
    for (expected, arguments) in refused {
      let said = try await failure(
        bus,
        ["call", "-a", bus.address, "-d", name, "-o", "/a/b", "-m", properties + arguments[0]]
          + arguments.dropFirst())
      #expect(said.contains(standard + expected), "\(arguments): \(said)")
    }
    #expect(station.volume == 0.25)
  }

  /// What gdbus says where it fails.
  private func failure(_ bus: PrivateBus, _ arguments: [String]) async throws -> String {
    await withCheckedContinuation { answer in
      DispatchQueue.global().async {
        do {
          answer.resume(returning: "answered: " + (try bus.tool("gdbus", arguments)))
        } catch {
          answer.resume(returning: "\(error)")
        }
      }
    }
  }

  @Test func `A signal is told for as long as it is watched, also after the bus was gone`()
    async throws
  {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    var heard: [BusSignal] = []
    connection.watch(BusMatch(interface: "org.example.Radio", member: "Said")) { heard.append($0) }
    var owners: [String?] = []
    let watch = BusNameWatch("org.example.Radio", on: connection) { owners.append($0) }
    try await bus.ask(
      "busctl", "--address=\(bus.address)", "emit", "/radio", "org.example.Radio", "Said", "su",
      "hello", "5")
    #expect(await holds { heard.count == 1 })
    #expect(heard.first?.arguments == [.string("hello"), .uint32(5)])

    var states: [BusConnection.State] = []
    connection.observe { states.append($0) }
    bus.stop()
    #expect(await holds { states.contains { if case .absent = $0 { true } else { false } } })
    let failed = await answer(connection, "org.example", "/", "org.example", "Any")
    #expect(failed == .failure(.disconnected))
    try bus.start()
    #expect(await holds { connection.isReady })
    try await bus.ask(
      "busctl", "--address=\(bus.address)", "emit", "/radio", "org.example.Radio", "Said", "s",
      "again")
    #expect(await holds { heard.count == 2 })

    // Names are followed on the new bus too.
    let other = try await connected(bus)
    other.request("org.example.Radio") { _ in }
    #expect(await holds { watch.owner != nil })
    other.close()
    #expect(await holds { watch.owner == nil })
    #expect(owners.count == 2)
  }

  @Test func `A name that somebody has is told to be taken`() async throws {
    let bus = try await PrivateBus.started()
    let (first, second) = (try await connected(bus), try await connected(bus))
    func request(_ connection: BusConnection) async -> BusConnection.NameAnswer {
      await withCheckedContinuation { done in
        connection.request("org.example.One") { done.resume(returning: $0) }
      }
    }
    #expect(await request(first) == .owned)
    #expect(await request(second) == .taken)
    first.release("org.example.One")
    let watch = BusNameWatch("org.example.One", on: second) { _ in }
    #expect(await holds { watch.owner == nil })
    #expect(await request(second) == .owned)
  }

  @Test func `Where there is no bus, that is a value with a reason, and calls fail`() async throws {
    let connection = BusConnection(.address("unix:path=/nonexistent/bus"))
    connection.open()
    #expect(
      await holds { if case .absent = connection.state { true } else { false } })
    guard case .absent(let error) = connection.state else { return }
    #expect(error.sentence == "it does not run")
    #expect(await answer(connection, "a.b", "/", "a.b", "C") == .failure(.disconnected))
    let odd = BusConnection(.address("nonsense"))
    odd.open()
    #expect(await holds { if case .absent = odd.state { true } else { false } })
    odd.close()
    #expect(odd.state == .closed)
  }

  @Test func `A program that does not answer costs its call alone`() async throws {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    let silent = try await connected(bus)
    let station = Station()
    silent.export(station.object)
    guard case .ready(let name) = silent.state else { throw Wrong("not ready") }
    let unanswered = await answer(
      connection, name, "/a/b", "org.example.Station", "Keep", timeout: 0.3)
    guard case .failure = unanswered else { throw Wrong("\(unanswered)") }
    #expect(await holds { station.kept.count == 1 })
    // Other calls of the same program are answered, and the late answer is taken for none of them.
    station.kept[0].answer(.success([]))
    let value = BusValue.variant(.int32(7))
    let echo = await answer(connection, name, "/a/b", "org.example.Station", "Echo", [value])
    #expect(echo == .success([value]))
    // The whole bus stands still: nothing here waits for it.
    bus.signal(SIGSTOP)
    let result = await answer(
      connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", timeout: 0.3)
    guard case .failure = result else { throw Wrong("\(result)") }
    bus.signal(SIGCONT)
    #expect(connection.isReady)
  }

  @Test func `Hostile messages: too many elements, too deep, too long, and a flood`() async throws {
    let bus = try await PrivateBus.started()
    let connection = try await connected(bus)
    let caller = try await connected(bus)
    let station = Station()
    connection.export(station.object)
    guard case .ready(let name) = connection.state else { return }
    func send(_ value: BusValue) async -> Result<[BusValue], BusError> {
      await answer(caller, name, "/a/b", "org.example.Station", "Echo", [.variant(value)])
    }
    let many = await send(.array(of: "y", Array(repeating: .byte(1), count: 70_000)))
    #expect(
      many
        == .failure(
          BusError(
            "org.freedesktop.DBus.Error.LimitsExceeded", "the message is larger than sotto reads")))
    var deep = BusValue.int32(1)
    for _ in 0..<60 { deep = .variant(deep) }
    // The bus or we refuse it; nobody falls over.
    _ = await send(deep)
    // A text is cut where it is too long, at a whole character.
    let long = await send(.string(String(repeating: "é", count: 80_000)))
    guard case .success(let values) = long, let text = values.first?.text else {
      throw Wrong("\(long)")
    }
    #expect(text.utf8.count == BusCoding.longestText && !text.contains("\u{FFFD}"))
    // An object path that is none cannot be sent.
    let odd = await send(.path("no path"))
    guard case .failure = odd else { throw Wrong("\(odd)") }
    var answered = 0
    var failures: Set<BusError> = []
    for number in 0..<5000 {
      caller.call(
        name, "/a/b", "org.example.Station", "Echo", [.variant(.int32(Int32(number)))], timeout: 180
      ) { result in
        if case .failure(let error) = result { failures.insert(error) } else { answered += 1 }
      }
    }
    #expect(await holds { answered == 5000 || !failures.isEmpty })
    #expect(failures.isEmpty)
  }
}

private struct Wrong: Error {
  var what: String
  init(_ what: String) { self.what = what }
}
