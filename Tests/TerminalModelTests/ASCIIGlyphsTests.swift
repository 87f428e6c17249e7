import Testing

@testable import TerminalModel

@Suite struct ASCIIGlyphsTests {
  @Test func `Frames, bars and marks have a likeness in ASCII, letters of other scripts a mark`() {
    for (text, likeness) in [
      ("┌─┬┐│╭╯═║┃", "+-++|++=||"), ("▁▂▃▄▅▆▇█", "_.:-=+##"), ("▶→←…•●■░▒▓", ">><.**#.:#"),
      ("é日👍♪", "???~"), ("⣿⠀🬀", ": #"),
    ] {
      #expect(String(text.map(ASCIIGlyphs.replacement)) == likeness)
    }
  }

  @Test func `ASCII is its own likeness, and no control character is let through`() {
    for value in UInt8(0)...127 {
      let character = Character(Unicode.Scalar(value))
      let expected: Character = (0x20..<0x7F).contains(value) ? character : "?"
      #expect(ASCIIGlyphs.replacement(character) == expected)
    }
    #expect(ASCIIGlyphs.replacement("\r\n") == "?")
  }

  @Test func `No character of the screen is without an answer`() {
    for value in UInt32(0x80)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let byte = ASCIIGlyphs.replacement(Character(scalar)).asciiValue ?? 0
      guard (0x20..<0x7F).contains(byte) else {
        Issue.record("U+\(String(value, radix: 16))")
        return
      }
    }
  }
}
