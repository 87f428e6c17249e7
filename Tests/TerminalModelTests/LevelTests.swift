import PlayerState
import Testing

@testable import TerminalModel

/// Meter and spectrum, which move while all else stands still.
@Suite struct LevelTests {
  @Test(arguments: Scene.sizes)
  func `Drawing them alone gives the frame that drawing all of it gives`(_ size: ScreenSize) throws
  {
    for hasCover in [true, false] {
      for theme in [Theme.standard, Theme.standard.monochrome] {
        var stage = Scene.everything.stage
        stage.size = size
        stage.style.theme = theme
        if !hasCover { stage.content.cover = nil }
        let before = stage.frame()
        let old = stage.content
        for shift in 1...5 {
          stage.content.levels = [-3 * Float(shift), -59 + Float(shift)]
          stage.content.spectrum = (0..<24).map { Float(($0 * shift) % 9) / 8 }
          let drawn = stage.view.renderLevels(
            onto: before, stage.snapshot, stage.content, size, stage.style)
          guard stage.view.showsLevels(size, stage.style) else {
            #expect(drawn == nil)
            continue
          }
          #expect(drawn == stage.frame())
        }
        // And back again.
        let again = stage.view.renderLevels(
          onto: stage.frame(), stage.snapshot, old, size, stage.style)
        if let again { #expect(again == before) }
      }
    }
    #expect(Scene.sizes.contains { ViewState().showsLevels($0) })
  }

  @Test func `They are left alone where they are not seen, or something lies over them`() {
    var stage = Scene.everything.stage
    stage.size = ScreenSize(columns: 120, rows: 35)
    let grid = stage.frame()
    func drawn(_ size: ScreenSize) -> Grid? {
      stage.view.renderLevels(onto: grid, stage.snapshot, stage.content, size, stage.style)
    }
    #expect(drawn(stage.size) != nil)
    #expect(drawn(ScreenSize(columns: 121, rows: 35)) == nil)
    stage.press("2")
    #expect(drawn(stage.size) == nil)
    stage = Scene.ringing.stage
    stage.content.levels = [0, 0]
    stage.size = ScreenSize(columns: 120, rows: 35)
    #expect(drawn(stage.size) == nil)
  }
}
