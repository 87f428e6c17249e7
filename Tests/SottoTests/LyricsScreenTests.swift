import AudioTypes
import TestSupport
import Testing

@testable import sotto

/// The words of the heard track.
@Suite struct LyricsReaderTests {
  @Test func `A file beside the track is before its tags, and words with times before others`()
    throws
  {
    let folder = try Folder()
    let path = try folder.write("a.b.wav", [])
    let location = TrackLocation(path)
    #expect(LyricsReader.read(location, []).isEmpty)
    #expect(LyricsReader.read(location, ["plain"]).map(\.text) == ["plain"])
    #expect(LyricsReader.read(location, ["plain", "[00:01]timed"]).map(\.text) == ["timed"])
    try folder.write("a.b.lrc", Array("[00:02]beside".utf8))
    #expect(LyricsReader.read(location, ["[00:01]timed"]).map(\.text) == ["beside"])
    try folder.write("a.b.lrc", [])
    #expect(LyricsReader.read(location, ["plain"]).map(\.text) == ["plain"])
  }

  @Test func `Nothing in them can reach the terminal raw`() throws {
    let lines = LyricsReader.read(
      TrackLocation("http://a.invalid/"), ["[00:01]a\u{1B}[2Jb\u{202E}c\u{7F}"])
    #expect(lines.map(\.text) == ["a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}"])
  }

  @Test func `A part of a file has the words of that part, in its own time`() {
    let location = TrackLocation(path: Array("/nowhere".utf8), start: 10, end: 20)
    let lines = LyricsReader.read(location, ["[00:05]a\n[00:10]b\n[00:15]c\n[00:20]d"])
    #expect(lines.map(\.text) == ["b", "c"])
    #expect(lines.map(\.start) == [0, 5])
  }
}

@Suite(.enabled(if: Tool.isIntegration), .timeLimit(.minutes(15))) struct LyricsScreenTests {
  @Test func `Words come beside the track, the one that is sung in colour`() throws {
    let folder = try Folder()
    try folder.write("a.wav", wav(seconds: 60))
    try folder.write("a.lrc", Array("[00:00.50]first words\n[00:01.50]second words\n".utf8))
    let terminal = try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)/a.wav", columns: 80, rows: 24)
    func style(_ words: String) throws -> String? {
      try terminal.rows(colors: true).first { $0.contains(words) }
        .map { String($0.prefix { $0 != words.first }) }
    }
    // The second is sung when it looks as the first did before.
    #expect(try terminal.wait { try style("second words") != nil })
    #expect(
      try terminal.wait {
        guard let first = try style("first words"), let second = try style("second words") else {
          return false
        }
        return first != second
      })
  }
}
