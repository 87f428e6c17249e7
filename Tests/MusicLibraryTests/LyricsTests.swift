import Testing

@testable import MusicLibrary

/// Words beside the music.
@Suite struct LyricsTests {
  private static func lines(_ text: String) -> [String] {
    Lyrics.parse(text).map { line in
      (line.start.map { "\(($0 * 1000).rounded() / 1000) " } ?? "") + line.text
    }
  }

  @Test func `Lines have the times in front of them, however these are written`() {
    let text = "[00:12.50]one\n[1:02] two \r\n[00:03.123]three\r[02:03:45]four\n[1:00:00.5]five"
    #expect(
      Self.lines(text) == ["3.123 three", "12.5 one", "62.0 two", "123.45 four", "3600.5 five"])
  }

  @Test func `A line that is sung more than once stands more than once`() {
    #expect(
      Self.lines("[00:30.00][00:10.00]refrain\n[00:20.00]verse")
        == ["10.0 refrain", "20.0 verse", "30.0 refrain"])
  }

  @Test(arguments: [
    ("500", 9.5), ("+500", 9.5), ("-500", 10.5), (" 20000", 0), ("x", 10), ("nan", 10),
    ("-inf", 10),
  ])
  func `The offset moves all words, sooner where it is positive`(_ offset: String, _ start: Double)
  {
    #expect(
      Lyrics.parse("[00:10.00]a\n[offset:\(offset)]") == [Lyrics.Line(start: start, text: "a")])
  }

  @Test func `What is about the words is not sung, and times of words are left out`() {
    let text = """
      [ar:Somebody]
      [ti: Something]
      [length: 03:12]
      [00:01.00]<00:01.00>One <00:01.50> two [00:02.00]three
      no time: not sung
      [00:05.00]
      """
    #expect(Self.lines(text) == ["1.0 One two three", "5.0 "])
  }

  @Test func `Plain words stay as they are, their empty lines between them too`() {
    #expect(
      Self.lines("\n\n[Chorus]\nLa <3 la\n\n la [00]\n\n") == [
        "[Chorus]", "La <3 la", "", "la [00]",
      ])
    #expect(Self.lines("").isEmpty)
    #expect(Self.lines("[ar:nobody]\n").isEmpty)
  }

  @Test func `Files of any encoding are read`() {
    let expected = [Lyrics.Line(start: 1, text: "Für")]
    let utf8 = Array("[00:01]Für".utf8)
    #expect(Lyrics.parse(utf8) == expected)
    #expect(Lyrics.parse([0xEF, 0xBB, 0xBF] + utf8) == expected)
    #expect(Lyrics.parse(Array("[00:01]F".utf8) + [0xFC] + Array("r".utf8)) == expected)
    let wide = "[00:01]Für".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(Lyrics.parse([0xFF, 0xFE] + wide) == expected)
  }

  @Test func `Times that are none are words`() {
    for text in ["[:]a", "[1]a", "[1:2:3:4]a", "[00:1234567]a", "[-1:00]a", "[00:01a", "[]"] {
      #expect(Lyrics.parse(text).first?.start == nil)
    }
  }

  @Test func `Nothing is too long, too many or too strange`() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "[", "]", "<", ">", ":", ".", "00", "99", "[00:01.0]", "[offset:", "\n", "\r", "a", " ",
      "\u{1B}", "\u{0}", "é", "[99999:99.9]", "-", "+", "e308",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...40, using: &generator))
        .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
      let lines = Lyrics.parse(text)
      #expect(lines.allSatisfy { ($0.start ?? 0) >= 0 && ($0.start ?? 0).isFinite })
      var bytes = Array(text.utf8)
      if !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255)
      }
      _ = Lyrics.parse(bytes)
    }
    let many = String(repeating: "[00:01][00:02]x\n", count: 100_000)
    #expect(Lyrics.parse(many).count == Lyrics.mostLines)
    #expect(Lyrics.parse("[00:01]" + String(repeating: "x", count: 90_000))[0].text.count == 2000)
  }
}
