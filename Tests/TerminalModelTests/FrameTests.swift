import Foundation
import PlayerState
import Testing

@testable import TerminalModel

/// Whole frames, compared with those that were looked at: `SOTTO_FRAMES=write swift test --filter
/// FrameTests` writes them anew, and the difference is what a reviewer reads.
@Suite struct FrameTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Frames")

  @Test(arguments: Scene.allCases) func `The frames of a state are as they were`(_ scene: Scene)
    throws
  {
    let file = Self.folder.appending(path: "\(scene.rawValue).txt")
    let text = scene.text
    if ProcessInfo.processInfo.environment["SOTTO_FRAMES"] == "write" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: file, encoding: .utf8)
    if text != kept {
      let new = text.split(separator: "\n", omittingEmptySubsequences: false)
      let old = kept.split(separator: "\n", omittingEmptySubsequences: false)
      let line = zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      let row = line ?? min(new.count, old.count)
      Issue.record(
        "\(scene.rawValue).txt:\(row + 1): \(row < new.count ? new[row] : "") was \(row < old.count ? old[row] : "")"
      )
    }
  }
}
