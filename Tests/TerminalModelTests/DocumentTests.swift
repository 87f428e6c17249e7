import Foundation
import PlayerState
import Testing

@testable import TerminalModel

/// The tables in Docs/Screen.md are those of the program: `SOTTO_FRAMES=write` writes them anew.
@Suite struct DocumentTests {
  static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Docs/Screen.md")

  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  private static func frame(_ scene: Scene, _ columns: Int, _ rows: Int) -> String {
    var stage = scene.stage
    stage.size = ScreenSize(columns: columns, rows: rows)
    return "```\n\(stage.frame().text)\n```\n"
  }

  static let tables: [(name: String, text: String)] = [
    ("frame", frame(.interrupted, 100, 26)),
    ("tiny", frame(.interrupted, 20, 4)),
    (
      "keys",
      HelpText.rows(.defaults).map { row in
        row.isHeading
          ? "| **\(row.text)** | |\n"
          : row.text.isEmpty
            ? ""
            : "| \(row.keys.split(separator: " ").map { "`\(cell(String($0)))`" }.joined(separator: " ")) | \(cell(row.text)) |\n"
      }.reduce("| key | does |\n|---|---|\n", +)
    ),
    (
      "commands",
      ScreenCommand.specs.map { "| `\(cell($0.synopsis))` | \($0.summary) |\n" }
        .reduce("| command | does |\n|---|---|\n", +)
    ),
    (
      "settings",
      Settings.items.map { item in
        let value = item.write(Settings())
        return
          "| `\(item.name)` | \(item.values) | \(value.isEmpty ? "" : "`\(value)`") | \(item.summary) |\n"
      }.reduce("| name | values | default | what it is |\n|---|---|---|---|\n", +)
    ),
    ("roles", Role.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + ".\n"),
  ]

  @Test func `The tables of the document are those of the program`() throws {
    let kept = try String(contentsOf: Self.file, encoding: .utf8)
    var text = kept
    for (name, table) in Self.tables {
      let begin = "<!-- \(name) -->\n"
      let end = "<!-- /\(name) -->"
      guard let first = text.range(of: begin), let last = text.range(of: end) else {
        Issue.record("Docs/Screen.md has no place for \(name)")
        continue
      }
      text.replaceSubrange(first.upperBound..<last.lowerBound, with: table)
    }
    if ProcessInfo.processInfo.environment["SOTTO_FRAMES"] == "write" {
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      let isSame = text == kept
      #expect(isSame, "Docs/Screen.md is not in step: SOTTO_FRAMES=write writes its tables")
    }
  }
}
