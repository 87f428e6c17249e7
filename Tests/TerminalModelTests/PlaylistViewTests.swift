import AudioTypes
import PlayQueue
import PlayerState
import Testing

@testable import TerminalModel

/// A playlist that is open on the screen: its rows are edited as those of the queue.
@Suite struct PlaylistViewTests {
  private static let list = Array("/lists/Mine.m3u8".utf8)

  private static func stage() -> Stage {
    var stage = Stage()
    stage.press("4")
    _ = stage.asked()
    show(["One", "Two", "Three", "Four", "Two"], on: &stage, revision: 5)
    return stage
  }

  private static func show(_ names: [String], on stage: inout Stage, revision: Int) {
    var listing = Listing(path: list, revision: revision)
    listing.isPlaylist = true
    listing.rows = names.map {
      .init(.file, path: Array("/m/\($0).flac".utf8), name: $0, detail: "3:05")
    }
    listing.rows[2].isMissing = true
    stage.content.playlists = listing
  }

  @Test func `Enter opens a playlist, backspace and escape close it, enter plays from a row`() {
    var stage = Stage()
    stage.content.playlists = Listing(
      path: Array("/lists".utf8),
      rows: [.init(.playlist, path: Self.list, name: "Mine.m3u8")], revision: 1)
    stage.press("4", "enter")
    #expect(stage.asked() == ["browse playlists:/lists/Mine.m3u8"])
    Self.show(["One", "Two", "Three"], on: &stage, revision: 2)
    stage.press("j", "enter")
    #expect(stage.asked() == ["playlist /lists/Mine.m3u8 play 2"])
    stage.press("backspace")
    #expect(stage.asked() == ["browse playlists:"])
    stage.press("escape")
    #expect(stage.asked() == ["browse playlists:"])
  }

  @Test func `Back from a playlist or a folder one stands at its row`() {
    var stage = Stage()
    func overview(_ revision: Int) -> Listing {
      Listing(
        path: Array("/lists".utf8),
        rows: ["A", "B", "Mine", "Z"].map {
          .init(.playlist, path: Array("/lists/\($0).m3u8".utf8), name: "\($0).m3u8")
        }, revision: revision)
    }
    stage.content.playlists = overview(1)
    stage.press("4", "j", "j", "enter")
    #expect(stage.asked() == ["browse playlists:/lists/Mine.m3u8"])
    Self.show(["One", "Two", "Three"], on: &stage, revision: 2)
    stage.press("j", "escape")
    #expect(stage.asked() == ["browse playlists:"])
    stage.content.playlists = overview(3)
    stage.press("enter")
    #expect(stage.asked() == ["browse playlists:/lists/Mine.m3u8"])
    // The same with folders.
    func folder(_ path: String, _ names: [String], _ revision: Int) -> Listing {
      Listing(
        path: Array(path.utf8),
        rows: names.map { .init(.folder, path: Array("\(path)/\($0)".utf8), name: $0) },
        revision: revision)
    }
    stage.content.files = folder("/m/b", ["x", "y"], 4)
    stage.press("3", "j", "backspace")
    #expect(stage.asked() == ["browse /m"])
    stage.content.files = folder("/m", ["a", "b", "c"], 5)
    stage.press("enter")
    #expect(stage.asked() == ["browse /m/b"])
  }

  @Test func `A missing file is told by its word, on the narrowest screen too`() {
    var stage = Self.stage()
    #expect(stage.lines.contains { $0.contains("Three") && $0.contains("missing") })
    #expect(stage.lines.filter { $0.contains("missing") }.count == 1)
    stage.size = ScreenSize(columns: 30, rows: 20)
    #expect(stage.lines.contains { $0.contains("Three") && $0.contains("missing") })
  }

  @Test func `Rows are removed, cut, copied, moved, queued and pasted by the keys of the queue`() {
    var stage = Self.stage()
    let name = "playlist /lists/Mine.m3u8"
    stage.press("j", "D")
    #expect(stage.asked() == ["\(name) remove 2"])
    stage.press("alt-2", "x")
    #expect(stage.asked() == ["\(name) cut 2-3"])
    stage.press("g", "t", "j", "t", "Y")
    #expect(stage.asked() == ["\(name) copy 1,3"])
    stage.press("g", "J")
    #expect(stage.asked() == ["\(name) move 1 3"])
    #expect(stage.view.position.selected == 1)
    stage.press("G", "K")
    #expect(stage.asked() == ["\(name) move 5 4"])
    stage.press("g", "E", "e")
    #expect(stage.asked() == ["\(name) next 1", "\(name) add 2"])
    stage.press("a")
    #expect(stage.asked() == [])
    stage.snapshot.queue.copy([0])
    stage.press("g", "a", "A", "u", "ctrl-r")
    #expect(
      stage.asked() == ["\(name) paste 2", "\(name) paste 1", "\(name) undo", "\(name) redo"])
    stage.press("2", "u")
    #expect(stage.asked() == ["undo"])
  }

  @Test func `Marks are of rows, go along when these are moved, and end with other rows`() {
    var stage = Self.stage()
    stage.press("j", "t")
    #expect(stage.view.listMarks == [1])
    #expect(stage.lines.contains { $0.contains("1 marked") })
    stage.press("G", "t", "K")
    #expect(stage.asked() == ["playlist /lists/Mine.m3u8 move 2,5 1"])
    #expect(stage.view.listMarks == [0, 1])
    Self.show(["Two", "Two", "Three", "One", "Four"], on: &stage, revision: 6)
    stage.press("J")
    #expect(stage.asked() == ["playlist /lists/Mine.m3u8 move 1-2 4"])
    Self.show(["x", "y", "z"], on: &stage, revision: 9)
    stage.press("j")
    #expect(stage.view.listMarks == [])
  }

  @Test func `What may be asked of a playlist is a line that is read back`() throws {
    let path = Array("/a b/c".utf8) + [0xFF]
    let wishes: [ListWish] = [
      .play(3), .put([0, 1, 5], .end), .put([2], .next), .put([1], .replace), .remove([0, 2]),
      .put(nil, .end), .put(nil, .next), .put(nil, .replace),
      .cut([1]), .copy([4, 5, 6]), .paste(at: 2), .paste(at: .max), .move([1, 2], to: 0),
      .move([0], to: .max), .undo, .redo, .check, .repair,
    ]
    for wish in wishes {
      let command = PlayerCommand.list(path, wish)
      #expect(try PlayerCommand(command.text) == command, "\(command.text)")
    }
    for line in [
      "playlist", "playlist x", "playlist x frob", "playlist x move 1", "playlist x undo 1",
    ] {
      #expect(throws: CommandError.self) { try PlayerCommand(line) }
    }
  }
}
