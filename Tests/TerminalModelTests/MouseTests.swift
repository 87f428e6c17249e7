import PlayerState
import Testing

@testable import TerminalModel

@Suite struct MouseTests {
  private func stage(_ view: String? = nil) -> Stage {
    var stage = Stage()
    stage.happen(.choose(track: 2), .play(.key))
    if let view { stage.press(view) }
    return stage
  }

  @Test func `A click on a row plays it, on a device picks it, on a name shows the view`() {
    var stage = stage()
    stage.click("2 Queue")
    #expect(stage.view.view == .queue)
    stage.click("Avril 14th")
    #expect(stage.asked() == ["choose 7"])
    stage.click("5 Devices")
    stage.click("WH-1000XM4")
    stage.click("HDMI")
    #expect(stage.asked() == ["device headphones"])
    stage.click("► playing")
    #expect(stage.asked() == ["toggle"])
  }

  @Test func `A click on the seek bar seeks, on the volume sets it, and both can be dragged`() {
    var stage = stage()
    let bar = (row: 21, first: 8, columns: 64)
    stage.input(.mouse(MouseEvent(.press(.left), row: bar.row, column: bar.first)))
    stage.input(.mouse(MouseEvent(.drag(.left), row: bar.row, column: bar.first + 32)))
    #expect(stage.asked() == ["seek 0%", "seek 50%"])
    let full = stage.place(of: "volume")!
    stage.input(.mouse(MouseEvent(.press(.left), row: full.row, column: full.column + 7)))
    stage.input(.mouse(MouseEvent(.drag(.left), row: full.row, column: full.column + 7 + 18)))
    #expect(stage.asked() == ["volume 0", "volume 100"])
    stage.happen(.pause(.key))
    stage.click("ringer", offset: 7)
    #expect(stage.asked() == ["ringer 0"])
  }

  @Test func `The wheel scrolls lists and turns what it is over`() {
    var stage = stage("2")
    stage.press("g")
    stage.input(.mouse(MouseEvent(.scroll(down: true), row: 5, column: 10)))
    stage.press("enter")
    stage.input(.mouse(MouseEvent(.scroll(down: true), row: 21, column: 30)))
    stage.input(.mouse(MouseEvent(.scroll(down: false), row: 22, column: 12)))
    #expect(stage.asked() == ["choose 4", "seek -5", "volume +5"])
  }

  @Test func `The right button marks a row`() {
    var stage = stage("2")
    stage.click("Aria", .right)
    stage.click("Opening", .right)
    stage.press("D")
    #expect(stage.asked() == ["remove 1,8"])
  }

  @Test func `A file is selected by one click and opened by another`() {
    var stage = Scene.files.stage
    _ = stage.asked()
    stage.click("one.flac")
    #expect(stage.asked() == [])
    stage.click("one.flac")
    #expect(stage.asked() == ["open /srv/Music/one.flac"])
  }

  @Test func `What a call offers can be clicked, and so can the menu`() {
    var stage = Scene.ringing.stage
    stage.click("a answer")
    stage.click("d decline")
    #expect(stage.asked() == ["try answer", "try decline"])
    stage.snapshot.call = nil
    stage.press("!")
    stage.click("a message tone")
    #expect(stage.asked() == ["try message"])
    #expect(!stage.view.isMenuOpen)
  }
}
