import Foundation
import TestSupport
import Testing

/// The sounds that one can try by a key, on the built program: what it says, and where it goes on.
/// They are resampled, so libsoxr must be there.
@Suite(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1")) struct NeighbourTests {
  private static let sounds: String = {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sounds").path()
  }()

  private func play(_ folder: Folder, sounds: String = NeighbourTests.sounds) throws -> Screen {
    try folder.write("1.wav", wav(seconds: 60))
    return try Screen(
      ["play", "--output", "null", folder.path],
      environment: ["SOTTO_SOUNDS": sounds, "XDG_STATE_HOME": folder.path + "/state"],
      columns: 120)
  }

  @Test func `S53: a call that is declined gives the music back; sotto why tells it later`() throws
  {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00 / 1:00  1.wav"))
    screen.type("C")
    #expect(screen.waits(for: "Interrupted by a call in Phone; goes on afterwards (S28 S53 S79)"))
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("d")
    #expect(screen.waits(for: "Playing again (S51 S53 S60 S61)"))
    #expect(screen.waits(for: "> 0:0"))
    screen.type("q")
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)

    let state = ["XDG_STATE_HOME": folder.path + "/state"]
    let why = try Run("why", environment: state)
    #expect(why.status == 0 && why.errors.isEmpty)
    let lines = why.text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("Interrupted by a call in Phone; goes on afterwards") == true)
    #expect(lines.last?.hasSuffix("Playing again  (S51 S53 S60 S61, end)") == true)
    let json = try Run("why", "--json", "-n", "1", environment: state)
    let object = try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any]
    #expect(object?["said"] as? String == "Playing again")
    #expect(object?["before"] as? String == "interrupted")
    #expect(object?["after"] as? String == "playing")
    #expect(object?["rules"] as? [String] == ["S51", "S53", "S60", "S61"])
  }

  @Test func `S53: paused before the call, it stays paused after it`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type(" ")
    #expect(screen.waits(for: "|| 0:0"))
    screen.type("C")
    screen.type("a")
    screen.type("d")
    screen.type("y")
    #expect(screen.waits(for: "Paused (S2 S70, toggle)"))
    #expect(!screen.transcript.contains("Playing again"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `S16, S54, S55: a prompt, lost headphones and another player, by the menu`() throws {
    let folder = try Folder()
    let screen = try play(folder)
    #expect(screen.waits(for: "> 0:00"))
    screen.type("!p")
    #expect(screen.waits(for: "Quieter for a prompt of Navigation (S50 S54)"))
    #expect(screen.waits(for: "Back to full level (S54)"))
    screen.type("!h")
    #expect(screen.waits(for: "Sound goes to Headphones (S13 S15)"))
    screen.type("!h")
    #expect(screen.waits(for: "Paused: headphones were unplugged (S13 S16)"))
    screen.type(" ")
    #expect(screen.waits(for: "> 0:0"))
    screen.type("!o")
    #expect(screen.waits(for: "Paused: Other music started to play (S55 S79)"))
    screen.type(" ")
    #expect(screen.waits(for: "> 0:0"))
    screen.type("q")
    #expect(screen.ends() == 0)
  }

  @Test func `A game that is still on does not keep sotto beyond the last track`() throws {
    let folder = try Folder()
    try folder.write("short.wav", wav(seconds: 2))
    let screen = try Screen(
      ["play", "--output", "null", folder.path + "/short.wav"],
      environment: ["SOTTO_SOUNDS": Self.sounds, "XDG_STATE_HOME": folder.path + "/state"])
    screen.type("!g")
    #expect(screen.waits(for: "0:01"))
    #expect(screen.ends() == 0)
    #expect(screen.isAsFound)
  }

  @Test func `Without the sounds there is one line, and the music goes on`() throws {
    let folder = try Folder()
    let screen = try play(folder, sounds: folder.path + "/nowhere")
    #expect(screen.waits(for: "> 0:00"))
    screen.type("C")
    #expect(screen.waits(for: "ringtone.wav: "))
    screen.type("d")
    #expect(screen.waits(for: "Playing again"))
    screen.type("q")
    #expect(screen.ends() == 1)
    #expect(screen.isAsFound)
  }

  @Test func `Nothing was decided yet: why says so and ends with 0`() throws {
    let folder = try Folder()
    let why = try Run("why", environment: ["XDG_STATE_HOME": folder.path])
    #expect(why.status == 0 && why.text == "Nothing was decided yet.\n" && why.errors.isEmpty)
  }
}
