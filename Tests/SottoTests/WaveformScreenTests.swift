import Foundation
import TestSupport
import Testing

/// The waveform in the place of the seek bar.
@Suite(.enabled(if: Tool.isIntegration), .timeLimit(.minutes(15))) struct WaveformScreenTests {
  private static let heights = Set("▁▂▃▄▅▆▇█")

  /// Loud in its second half.
  private static func music() -> [UInt8] {
    var bytes = wav(seconds: 40)
    let middle = 44 + (bytes.count - 44) / 2
    for index in middle..<bytes.count { bytes[index] = index % 2 == 0 ? 0 : 0x60 }
    return bytes
  }

  private static func open(_ folder: Folder, cache: String) throws -> PrivateTmux {
    try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)/a.wav", columns: 80, rows: 24,
      environment: ["XDG_CACHE_HOME": cache])
  }

  /// The signs of the seek bar, without the times at both ends.
  private static func bar(_ terminal: PrivateTmux) throws -> [Character] {
    let row = try terminal.rows().first { $0.contains("0:0") && $0.contains(" -0:") } ?? ""
    return row.filter { heights.contains($0) }
  }

  @Test func `The seek bar is the track's waveform, and comes from the cache the next time`() throws
  {
    let folder = try Folder()
    try folder.write("a.wav", Self.music())
    let kept = "\(folder.path)/cache/sotto/waveforms"
    for _ in 0..<2 {
      let terminal = try Self.open(folder, cache: "\(folder.path)/cache")
      #expect(
        try terminal.wait {
          let bar = try Self.bar(terminal)
          return bar.count > 40 && bar.first == "▁" && bar.last != "▁"
        })
      #expect(terminal.wait { Self.files(kept) == 1 })
      terminal.close()
    }
  }

  @Test func `Where nothing can be kept it is shown all the same`() throws {
    let folder = try Folder()
    try folder.write("a.wav", Self.music())
    let terminal = try Self.open(folder, cache: "/dev/null")
    #expect(try terminal.wait { try Self.bar(terminal).last.map { $0 != "▁" } ?? false })
  }

  private static func files(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
  }
}
