import Foundation
import TestSupport
import Testing

/// Playlists on the full screen, in a pane of tmux.
@Suite(.enabled(if: Tool.isIntegration), .serialized, .timeLimit(.minutes(15)))
struct PlaylistScreenTests {
  private static func pane(_ list: String) throws -> (pane: Pane, file: String) {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/sotto/Playlists", withIntermediateDirectories: true)
    let file = try folder.write("data/sotto/Playlists/Mine.m3u8", Array(list.utf8))
    let pane = try Pane(
      before: "XDG_DATA_HOME=\(folder.path)/data XDG_STATE_HOME=\(folder.path)/state"
        + " XDG_RUNTIME_DIR=\(folder.path)",
      folder: folder)
    try pane.shows("► playing")
    return (pane, file)
  }

  /// The list on the disk, once it is so.
  private static func holds(
    _ pane: Pane, _ file: String, _ text: String, without left: String = ""
  ) throws -> Bool {
    try pane.tmux.wait {
      // A question to tmux takes its time, and gives the player some.
      _ = try pane.rows
      let found = try? String(contentsOfFile: file, encoding: .utf8)
      return found?.replacingOccurrences(of: left, with: "") == text
    }
  }

  @Test func `A list is opened, edited, undone and played, and what is missing is told`() throws {
    let text = "#EXTM3U\n# mine\n/none/gone.wav\nhttp://example.org/x\n"
    let (pane, file) = try Self.pane(text)
    try pane.type("4")
    try pane.shows("Mine.m3u8")
    try pane.type("\r")
    try pane.shows("gone.wav", "missing", "http://example.org/x")
    try pane.type("D")
    try pane.shows("Removed 1 track")
    #expect(try Self.holds(pane, file, "#EXTM3U\nhttp://example.org/x\n"))
    try pane.type("u")
    try pane.shows("Undid: removed 1 track", "gone.wav")
    #expect(try Self.holds(pane, file, text))
    // From the queue into the list.
    try pane.type("2gY")
    try pane.shows("Copied 1 track")
    try pane.type("4ga")
    try pane.shows("Pasted 1 track", "song 1.wav")
    let song = "\(pane.folder.path)/music/song 1.wav"
    // Its length may be known by now.
    #expect(
      try Self.holds(
        pane, file, "#EXTM3U\n# mine\n/none/gone.wav\n\(song)\nhttp://example.org/x\n",
        without: "#EXTINF:60,\n"))
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `Keys that come faster than the list is written are carried out one after the other`()
    throws
  {
    let rows = (1...8).map { "http://example.org/\($0)\n" }
    let (pane, file) = try Self.pane("#EXTM3U\n" + rows.joined())
    try pane.type("4")
    try pane.shows("Mine.m3u8")
    try pane.type("\r")
    try pane.shows("http://example.org/8")
    // Cut two, paste them lower, remove one, take that back, and close the list.
    try pane.type("xxjADu")
    try pane.type("\u{1B}")
    try pane.shows("Mine.m3u8")
    let left = [rows[2], rows[1]] + rows[3...]
    #expect(try Self.holds(pane, file, "#EXTM3U\n" + left.joined()))
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `The screen is driven from outside, and says what it cannot show`() throws {
    let (pane, _) = try Self.pane("/none/gone.wav\n")
    func ctl(_ words: String...) throws -> Run {
      try Run(
        (["ctl"] + words).map { Array($0.utf8) },
        environment: ["XDG_RUNTIME_DIR": pane.folder.path])
    }
    #expect(try ctl("view", "lists").status == 64)
    #expect(try ctl("view", "playlists").status == 0)
    try pane.shows("Mine.m3u8")
    let none = try ctl("browse", "/none/at/all")
    #expect(none.status == 1)
    #expect(none.errorLines == ["sotto: /none/at/all: cannot be read: No such file or directory"])
    // Saving shows the playlists anew; whoever asked has one answer all the same.
    let caller = try Caller(pane.folder.path + "/sotto/sotto")
    caller.send("save New\nsave New\nbrowse playlists:\n")
    #expect((caller.object()?["said"] as? [String])?.first?.hasPrefix("Saved 3 tracks") == true)
    #expect((caller.object()?["error"] as? String)?.hasPrefix("New: is there already") == true)
    #expect(caller.object()?["ok"] as? Bool == true)
    try pane.shows("New.m3u8")
    #expect(try ctl("search", "björk").status == 0)
    try pane.shows("The collection is empty")
    try pane.type("\u{1B}")
    #expect(try ctl("quit").status == 0)
    try pane.shows("status 0", "same")
  }

  @Test func `A list that another program writes is shown anew`() throws {
    let (pane, file) = try Self.pane("a.wav\nb.wav\n")
    try pane.type("4")
    try pane.shows("Mine.m3u8")
    try pane.type("\r")
    try pane.shows("a.wav", "b.wav")
    try "other.wav\n".write(toFile: file, atomically: true, encoding: .utf8)
    try pane.shows("other.wav", "Mine.m3u8 was changed")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }
}
