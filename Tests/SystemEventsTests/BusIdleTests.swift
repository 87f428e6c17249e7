import Bus
import Foundation
import TestSupport
import Testing

@testable import SystemEvents

@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
@MainActor struct BusIdleTests {
  @Test func `The idle lock is held while it is wanted, also from a logind that comes later`()
    async throws
  {
    let bus = try await PrivateBus.started()
    let connection = BusConnection(.address(bus.address))
    let idle = BusIdle(connection)
    connection.open()
    idle.hold(true)
    let logind = try bus.python([
      "-m", "dbusmock", "--session", "--template", "logind",
    ])
    func locks(_ wanted: Bool) async -> Bool {
      await holds {
        let list = try? bus.tool(
          "busctl",
          [
            "--address=\(bus.address)", "call", "org.freedesktop.login1",
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "ListInhibitors",
          ])
        return list?.contains("\"idle\" \"sotto\"") == wanted
      }
    }
    #expect(await locks(true))
    idle.hold(false)
    #expect(await locks(false))
    idle.hold(true)
    #expect(await locks(true))
    idle.hold(false)
    _ = logind
  }
}
