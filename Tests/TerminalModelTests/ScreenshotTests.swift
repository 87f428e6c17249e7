import Foundation
import PlayerState
import Testing

@testable import TerminalModel

/// The pictures of README.md and Docs/Screen.md are what the program draws: `Scripts/screenshot`
/// writes them anew.
@Suite struct ScreenshotTests {
  static let folder = DocumentTests.file.deletingLastPathComponent().appending(path: "Pictures")

  private static func grid(_ scene: Scene, columns: Int = 104, rows: Int = 30) -> Grid {
    var stage = scene.stage
    stage.size = ScreenSize(columns: columns, rows: rows)
    stage.style.theme = .dusk
    cover(&stage)
    stage.view.settle(stage.snapshot, stage.content, stage.size, stage.style)
    return stage.frame()
  }

  /// A cover as the terminal has it, in half blocks: a low sun over water.
  private static func cover(_ stage: inout Stage) {
    let area = Layout(
      stage.size, view: stage.view.view, causes: Renderer.stripCauses(stage.snapshot)
    ).coverArea
    guard !area.isEmpty else { return }
    func color(_ line: Int, _ column: Int) -> Color {
      let (x, y) = (2 * column - area.columns + 1, 2 * line - 2 * area.rows + 1)
      let isSun = x * x + (y + area.rows / 2) * (y + area.rows / 2) < area.rows * area.rows / 2
      let part = line * 100 / (2 * area.rows)
      if y > area.rows / 3 {
        let isGlint = line % 3 == 0 && abs(x) < 4 + line * 7 % 9
        return isGlint ? .rgb(226, 176, 110) : .rgb(30, 44, UInt8(74 - part / 4))
      }
      if isSun { return .rgb(238, UInt8(150 + part), 110) }
      return .rgb(UInt8(60 + part * 3 / 2), UInt8(44 + part / 2), UInt8(84 + part / 4))
    }
    stage.content.cover = Cover(
      rows: area.rows, columns: area.columns,
      cells: (0..<area.rows * area.columns).map { place in
        let (row, column) = place.quotientAndRemainder(dividingBy: area.columns)
        return Cell(
          "▀", style: Style(color(2 * row, column), on: color(2 * row + 1, column)))
      })
  }

  static let pictures: [(name: String, picture: SVGPicture)] = [
    (
      "player",
      SVGPicture(grid: grid(.playing), title: "sotto plays: cover, title, seek bar, volume")
    ),
    (
      "call",
      SVGPicture(
        grid: grid(.talking), title: "A call in progress: the music waits and says for what")
    ),
    (
      "devices",
      SVGPicture(grid: grid(.devices), title: "The output devices, the current one marked")
    ),
  ]

  @Test func `The pictures are what the program draws`() throws {
    for (name, picture) in Self.pictures {
      let file = Self.folder.appending(path: "\(name).svg")
      if ProcessInfo.processInfo.environment["SOTTO_FRAMES"] == "write" {
        try FileManager.default.createDirectory(
          at: Self.folder, withIntermediateDirectories: true)
        try picture.text.write(to: file, atomically: true, encoding: .utf8)
      } else {
        let isSame = (try? String(contentsOf: file, encoding: .utf8)) == picture.text
        #expect(isSame, "Docs/Pictures/\(name).svg is not in step: Scripts/screenshot writes it")
      }
    }
  }

  @Test func `A picture has every word of its grid`() {
    for (name, picture) in Self.pictures {
      let words = picture.text.split(separator: "<").map { $0.split(separator: ">").dropFirst() }
        .joined().joined(separator: " ")
      for word in picture.grid.text.split(whereSeparator: { $0.isWhitespace })
      where word.allSatisfy({ $0.isLetter }) {
        #expect(words.contains(word), "\(name): \(word)")
      }
    }
  }

  @Test func `What a tag brings is text in the picture and no element`() {
    var grid = Grid(columns: 8, rows: 1)
    for (column, character) in "<b>&\"x".enumerated() {
      grid.put(character, width: 1, style: .plain, row: 0, column: column)
    }
    #expect(
      SVGPicture(grid: grid, title: "a < b").text.contains(">&lt;b&gt;&amp;\"x</text>"))
    #expect(SVGPicture(grid: grid, title: "a < b").text.contains("<title>a &lt; b</title>"))
  }
}
