import Bus
import RemoteControl
import TestSupport
import Testing

/// Notices of tracks, against a desktop of the test's own on a private bus.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct TrackNoticeTests {
  /// What a desktop does with notices: numbers them and keeps what it shows.
  @MainActor final class Desktop {
    let connection: BusConnection
    private(set) var calls: [[BusValue]] = []
    private(set) var closed: [UInt32] = []
    /// Answers to Notify wait until `answerAll`.
    var isSlow = false
    private var waiting: [() -> Void] = []
    private var object: BusObject?
    private var last: UInt32 = 40

    init(_ bus: PrivateBus, capabilities: [String]) async throws {
      connection = BusConnection(.address(bus.address))
      let takes = [
        ("app_name", "s"), ("replaces_id", "u"), ("app_icon", "s"), ("summary", "s"),
        ("body", "s"), ("actions", "as"), ("hints", "a{sv}"), ("expire_timeout", "i"),
      ].map { BusArgument($0.0, $0.1) }
      let object = BusObject(
        "/org/freedesktop/Notifications",
        [
          BusInterface(
            "org.freedesktop.Notifications",
            methods: [
              BusMethod("GetCapabilities", gives: [BusArgument("capabilities", "as")]) {
                $0.answer(.success([.strings(capabilities)]))
              },
              BusMethod("Notify", takes, gives: [BusArgument("id", "u")]) { [weak self] call in
                guard let self else { return }
                calls.append(call.arguments)
                var id = call.arguments[1]
                if id == .uint32(0) {
                  last += 1
                  id = .uint32(last)
                }
                if isSlow {
                  waiting.append { call.answer(.success([id])) }
                } else {
                  call.answer(.success([id]))
                }
              },
              BusMethod("CloseNotification", [BusArgument("id", "u")]) { [weak self] call in
                if case .uint32(let id)? = call.arguments.first { self?.closed.append(id) }
                call.answer(.success([]))
              },
            ])
        ])
      self.object = object
      connection.export(object)
      connection.open()
      let isReady = await holds { [connection] in connection.isReady }
      try #require(isReady)
      let isOwned = await withCheckedContinuation { done in
        connection.request("org.freedesktop.Notifications") {
          done.resume(returning: $0 == .owned)
        }
      }
      try #require(isOwned)
    }

    func answerAll() {
      isSlow = false
      for answer in waiting { answer() }
      waiting = []
    }
  }

  private func stage(_ capabilities: [String]) async throws -> (
    PrivateBus, Desktop, BusConnection, TrackNotice
  ) {
    let bus = try await PrivateBus.started()
    let desktop = try await Desktop(bus, capabilities: capabilities)
    let connection = BusConnection(.address(bus.address))
    let notice = TrackNotice(connection)
    connection.open()
    let isReady = await holds { connection.isReady }
    try #require(isReady)
    return (bus, desktop, connection, notice)
  }

  @Test func `A notice replaces the one before, and is taken away in the end`() async throws {
    let (bus, desktop, connection, notice) = try await stage(["body"])
    notice.show(TrackNotice.Track(title: "One", artist: "A", album: "B"))
    #expect(await holds { desktop.calls.count == 1 })
    notice.show(TrackNotice.Track(title: "Two"))
    #expect(await holds { desktop.calls.count == 2 })
    #expect(desktop.calls.map { $0[1] } == [.uint32(0), .uint32(41)])
    #expect(desktop.calls.map { $0[3] } == [.string("One"), .string("Two")])
    #expect(desktop.calls.map { $0[4] } == [.string("A — B"), .string("")])
    notice.withdraw()
    #expect(await holds { desktop.closed == [41] })
    connection.close()
    desktop.connection.close()
    bus.close()
  }

  @Test(arguments: [false, true])
  func `What is withdrawn before the desktop has answered is taken away once it has`(
    isDropped: Bool
  ) async throws {
    let (bus, desktop, connection, _) = try await stage(["body"])
    var notice: TrackNotice? = TrackNotice(connection)
    desktop.isSlow = true
    notice?.show(TrackNotice.Track(title: "One"))
    #expect(await holds { desktop.calls.count == 1 })
    notice?.withdraw()
    if isDropped { notice = nil }
    desktop.answerAll()
    #expect(await holds { desktop.closed == [41] })
    // The next one is a new one; wanted again before the answer, none is taken away.
    if let notice {
      desktop.isSlow = true
      notice.show(TrackNotice.Track(title: "Two"))
      #expect(await holds { desktop.calls.count == 2 })
      #expect(desktop.calls[1][1] == .uint32(0))
      notice.withdraw()
      notice.show(TrackNotice.Track(title: "Three"))
      desktop.answerAll()
      #expect(await holds { desktop.calls.count == 3 })
      #expect(desktop.calls[2][1] == .uint32(42) && desktop.closed == [41])
    }
    connection.close()
    desktop.connection.close()
    bus.close()
  }

  @Test func `Of many that come at once the last is shown`() async throws {
    let (bus, desktop, connection, notice) = try await stage([])
    for number in 1...50 { notice.show(TrackNotice.Track(title: "\(number)")) }
    #expect(await holds { desktop.calls.last?[3] == .string("50") })
    #expect(desktop.calls.count <= 2)
    connection.close()
    desktop.connection.close()
    bus.close()
  }

  @Test func `Tags are text, where the desktop takes markup and where it does not`() async throws {
    for (capabilities, body) in [
      (["body", "body-markup"], "&lt;b&gt;R&amp;B&lt;/b&gt;"), (["body"], "<b>R&B</b>"),
    ] {
      let (bus, desktop, connection, notice) = try await stage(capabilities)
      notice.show(TrackNotice.Track(title: "A <i> & \u{1B}[31m", artist: "<b>R&B</b>"))
      #expect(await holds { desktop.calls.count == 1 })
      let call = try #require(desktop.calls.first)
      #expect(call[4] == .string(body))
      #expect(call[3].text?.contains("\u{1B}") == false)
      #expect(call[3].text?.hasPrefix("A <i> & ") == true)
      // No tone beside the music.
      guard case .dictionary(_, _, let hints) = call[6] else {
        Issue.record("no hints")
        return
      }
      #expect(
        hints.contains { $0.key == .string("suppress-sound") && $0.value.bool == true })
      connection.close()
      desktop.connection.close()
      bus.close()
    }
  }

  @Test func `Without a desktop nothing happens, and one that comes later is told`() async throws {
    let bus = try await PrivateBus.started()
    let connection = BusConnection(.address(bus.address))
    let notice = TrackNotice(connection)
    notice.show(TrackNotice.Track(title: "Nobody"))
    connection.open()
    let isReady = await holds { connection.isReady }
    try #require(isReady)
    notice.show(TrackNotice.Track(title: "Nobody"))
    let desktop = try await Desktop(bus, capabilities: [])
    // The first answer may still be on its way.
    #expect(
      await holds {
        notice.show(TrackNotice.Track(title: "Somebody"))
        return desktop.calls.last?[3] == .string("Somebody")
      })
    connection.close()
    desktop.connection.close()
    bus.close()
  }
}
