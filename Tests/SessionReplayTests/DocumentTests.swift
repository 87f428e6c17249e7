import AudioSession
import Foundation
import Testing

@Suite struct `Docs/Session.md` {
  private static let top = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `has every rule in the library's words, and names tests that exist`() throws {
    let text = try String(contentsOf: Self.top.appending(path: "Docs/Session.md"), encoding: .utf8)
    let folder = Self.top.appending(path: "Tests/AudioSessionTests")
    var names: Set<Substring> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
      let code = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in code.matches(of: /func `([^`]+)`/) { names.insert(match.1) }
    }
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| S") || $0.hasPrefix("| X") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(rows.map { $0[0] } == Rule.allCases.map(\.id))
    for (row, rule) in zip(rows, Rule.allCases) {
      #expect(row[1] == rule.sentence)
      // What is no test is a sentence with a full stop.
      if row[2].hasSuffix(".") { continue }
      for name in row[2].components(separatedBy: "; ") {
        #expect(names.contains(name[...]), "\(rule.id): \(name)")
      }
    }
  }
}
