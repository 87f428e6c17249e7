import AudioSession
import AudioTypes
import PlayQueue
import PlayerState
import Testing

@testable import TerminalModel

@Suite struct ScreenTests {
  private func text(_ stage: Stage) -> String { stage.frame().text }

  @Test func `The bar is the device's volume; with nothing heard it is the ringer's`() {
    var stage = Stage()
    #expect(text(stage).contains("ringer ━━━━━━━━━━━━━━━────  80 %  Built-in Audio 60 %"))
    stage.happen(.play(.key))
    stage.snapshot.deviceVolume = 37
    #expect(text(stage).contains("volume ━━━━━━━────────────  37 %  Built-in Audio"))
    stage.snapshot.isDeviceMuted = true
    #expect(text(stage).contains("37 % muted"))
    // Where the device has none, its name stands there and no bar (S23).
    stage.snapshot.deviceVolume = nil
    stage.snapshot.deviceName = "HDMI Receiver"
    #expect(text(stage).contains("volume is set on HDMI Receiver"))
    #expect(!text(stage).contains("37 %"))
  }

  @Test func `Each cause has its kind, its age and what follows`() {
    var stage = Stage()
    stage.happen(.play(.key))
    stage.happen(.begin(id: "c", kind: .call, source: "Firefox"))
    stage.happen(.begin(id: "d", kind: .duck, source: "Maps"))
    let grid = stage.frame(after: 132)
    #expect(grid.text.contains("Firefox, call, 02:13 — resumes after"))
    #expect(grid.text.contains("Maps, prompt, 02:12 — quiet when it resumes"))
    #expect(grid.text.contains("Interrupted by a call in Firefox; goes on afterwards"))
  }

  @Test func `Time passes between snapshots without a new one`() {
    var stage = Stage()
    stage.happen(.play(.key))
    #expect(stage.frame(after: 10).text.contains("0:10"))
    stage.happen(.pause(.key))
    #expect(stage.frame(after: 10).text.contains("0:01"))
  }

  @Test func `Between two changes that time brings the picture stands still`() {
    for scene in Scene.allCases {
      let stage = scene.stage
      var now = stage.snapshot.at + .milliseconds(130)
      for _ in 0..<10 {
        let frame = stage.view.render(
          stage.snapshot, stage.content, stage.size, stage.style, now: now)
        let next = stage.view.nextChange(stage.snapshot, stage.size, after: now)
        let rest = next.map { ($0 - now).seconds } ?? 100_000
        #expect(rest > 0)
        for part in [0.5, 0.999] {
          let later = now + .seconds(rest * part - 1e-5)
          guard later > now else { continue }
          let same =
            stage.view.render(stage.snapshot, stage.content, stage.size, stage.style, now: later)
            == frame
          #expect(same, "\(scene) \(rest * part) s later")
        }
        guard let next else { break }
        now = next
      }
    }
  }

  @Test func `Paused with nothing in the way, time changes nothing`() {
    var stage = Scene.pausedByUser.stage
    #expect(stage.view.nextChange(stage.snapshot, stage.size, after: stage.snapshot.at) == nil)
    stage = Scene.playing.stage
    let wait = stage.view.nextChange(stage.snapshot, stage.size, after: stage.snapshot.at)!
    #expect((wait - stage.snapshot.at).seconds <= 1.001)
    // The end has come: nothing moves until the next snapshot.
    let late = stage.snapshot.at + .seconds(1000)
    #expect(stage.view.nextChange(stage.snapshot, stage.size, after: late) == nil)
  }

  @Test func `A notice is shown for a while, a fault longer`() {
    var stage = Stage()
    stage.snapshot.notice = .init("Undid: removed 3 tracks", at: stage.snapshot.at)
    #expect(text(stage).hasSuffix(" Undid: removed 3 tracks"))
    #expect(!stage.frame(after: 6).text.contains("Undid"))
    stage.snapshot.notice?.isFault = true
    #expect(stage.frame(after: 6).text.contains("Undid"))
  }

  @Test func `A picture lies where its cells are, and only there`() {
    var stage = Stage()
    stage.happen(.play(.key))
    let size = stage.view.coverSize(stage.snapshot, stage.size)!
    stage.content.cover = Cover(picture: 4, rows: size.rows, columns: size.columns)
    #expect(
      stage.frame().pictures == [PicturePlace(id: 4, row: 2, column: 1, rows: 15, columns: 30)])
    stage.press("2")
    #expect(stage.frame().pictures.isEmpty)
    #expect(stage.view.coverSize(stage.snapshot, stage.size) == nil)
    #expect(!stage.view.showsLevels(stage.size))
  }

  @Test func `A box lies over everything, and a picture beneath it is not drawn over it`() {
    var stage = Scene.ringing.stage
    stage.content.cover = Cover(picture: 4, rows: 15, columns: 30)
    #expect(stage.frame().pictures.isEmpty)
    #expect(text(stage).contains("A call comes in"))
  }

  @Test func `The cursor stands in the line that is typed, and on the row where that is wanted`() {
    var stage = Stage()
    stage.press("2")
    #expect(stage.frame().cursor == nil)
    stage.style.settings.showCursor = true
    stage.press("j")
    #expect(stage.frame().cursor == Grid.Position(row: 3, column: 1))
    stage.press(":")
    stage.type("日本")
    #expect(stage.frame().cursor == Grid.Position(row: 23, column: 6))
    stage.press("left")
    #expect(stage.frame().cursor == Grid.Position(row: 23, column: 4))
    stage.type(String(repeating: "x", count: 300))
    #expect(stage.frame().cursor?.column == 78)
  }

  @Test func `Help names every key that does something`() {
    let rows = HelpText.rows(.defaults)
    let keys = Set(rows.flatMap { $0.keys.split(separator: " ").map(String.init) })
    for binding in KeyTable.defaults.bindings {
      #expect(keys.contains(binding.key.text == "equals" ? "=" : binding.key.text))
    }
    #expect(rows.allSatisfy { $0.isHeading || $0.keys.isEmpty == $0.text.isEmpty })
  }

  @Test func `No state is told by colour alone`() {
    // With all styles taken away two different states still differ.
    var stages: [String: String] = [:]
    for scene in Scene.allCases {
      let text = scene.stage.frame().text
      if let other = stages[text] { Issue.record("\(scene) looks like \(other)") }
      stages[text] = scene.rawValue
    }
    var stage = Stage()
    stage.press("2", "j")
    let before = text(stage)
    stage.press("t", "k")
    let marked = text(stage)
    #expect(before != marked)
    stage.press("j")
    #expect(text(stage) != marked)
  }

  @Test func `At the smallest size a line each of transport, title and state is left`() {
    var stage = Stage()
    stage.size = ScreenSize(columns: 20, rows: 4)
    stage.happen(.choose(track: 2), .play(.key))
    #expect(
      stage.lines == [
        "► playing  0:00/3:05", "Gymnopédie No. 1…", "volume 60 %", "track 3 of 12",
      ])
    stage.happen(.begin(id: "c", kind: .call, source: "Firefox"))
    #expect(stage.lines[2] == "Firefox, call, 00:00")
  }
}
