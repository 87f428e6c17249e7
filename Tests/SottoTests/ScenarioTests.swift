import Foundation
import TestSupport
import Testing

/// Situations that play themselves through on the built program, and its own verdict from the samples
/// that it handed to the output (`Scripts/mutate --heard` proves that the verdict can be bad).
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct ScenarioTests {
  private static let sounds: String = {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sounds").path()
  }()

  private func heard(_ name: String, _ output: String, server: PrivateServer? = nil) async throws {
    var environment = ["SOTTO_SOUNDS": Self.sounds]
    if let server { environment["PULSE_SERVER"] = server.address }
    let run = try await Run.apart(
      "scenario", name, "--output", output, environment: environment)
    let wrong = run.text.split(separator: "\n").filter { $0.contains("WRONG") }
    #expect(wrong.isEmpty)
    #expect(run.errorLines.isEmpty)
    #expect(run.status == 0)
    #expect(run.text.contains("heard:"))
  }

  @Test(arguments: ["language", "call", "game", "navigation", "interface", "unplug"])
  func `S41 to S45, S16, S53: what is heard of each scenario is right`(name: String) async throws {
    try await heard(name, "null")
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S11, S16, S53: and so it is on a server, where ringing has a stream of its own`(
    kind: PrivateServer.Kind
  ) async throws {
    let server = try PrivateServer(kind, sinks: [PrivateServer.Sink("speakers")])
    try await heard("call", "pulse", server: server)
    try await heard("interface", "pulse", server: server)
    try await heard("unplug", "pulse", server: server)
  }

  @Test func `Into a file a scenario takes its time, and the file holds what was heard`()
    async throws
  {
    let folder = try Folder()
    try await heard("unplug", "file:\(folder.path)/heard.wav")
    let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/heard.wav"))
    // Two channels of float samples; what is held takes no room in it.
    let seconds = Double(bytes.count) / (44_100 * 8)
    #expect(seconds > 6 && seconds < 12)
  }

  @Test func `Without the sounds it says so and ends with 1`() async throws {
    let run = try await Run.apart(
      "scenario", "call", "--output", "null", environment: ["SOTTO_SOUNDS": "/nonexistent"])
    #expect(run.status == 1)
    #expect(
      run.errorLines.first == "sotto: /nonexistent/effects/call-callee.wav: no such file")
  }
}
