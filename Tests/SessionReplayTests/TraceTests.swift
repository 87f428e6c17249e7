import Foundation
import SessionReplay
import Testing

/// Golden traces: what was reported of other players, and the hard cases, each a file of events and
/// the table that `sotto session replay` prints for it.
@Suite struct `Golden traces` {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Traces")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return files.filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()
  }()

  @Test func `are all there`() { #expect(Self.names.count >= 23) }

  @Test(arguments: names)
  func `say what they said`(name: String) throws {
    let events = try String(
      contentsOf: Self.folder.appending(path: "\(name).jsonl"), encoding: .utf8)
    let wanted = try String(
      contentsOf: Self.folder.appending(path: "\(name).txt"), encoding: .utf8)
    let run = replayed(events)
    #expect(run.fault == nil)
    let table = ([Replay.Step.head] + run.steps.map(\.row)).joined(separator: "\n") + "\n"
    #expect(table == wanted)
    // The same file gives the same lines (P23).
    #expect(replayed(events).lines == run.lines)
  }
}
