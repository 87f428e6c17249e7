import Testing

@testable import TerminalModel

@Suite struct CharacterWidthTests {
  @Test(
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("─", 1), ("▁", 1), ("🬀", 1), ("⣿", 1),
      ("日", 2), ("あ", 2), ("ｱ", 1), ("ア", 2), ("カ\u{3099}", 2), ("한", 2),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2), ("。", 2), ("𠀋", 2),
      ("👍", 2), ("👍🏽", 2), ("👩‍🎤", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2),
      ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("♪", 1), ("⏸", 1), ("⏸️", 2), ("▶", 1), ("▶️", 2),
      ("א", 1), ("ب", 1), ("שׁ", 1), ("ก", 1), ("กิ", 1), ("क", 1), ("कि", 2),
      ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}", 1),
      ("\u{200B}", 0), ("\u{200D}", 0), ("\u{FEFF}", 0), ("\u{301}", 0), ("\t", 0), ("\n", 0),
      ("\r\n", 0), ("\u{1B}", 0), ("\u{7F}", 0), ("\u{85}", 0), ("\u{202E}", 0),
    ] as [(Character, Int)])
  func `A character takes the columns that it is drawn on`(_ character: Character, _ columns: Int) {
    #expect(CharacterWidth.columns(character) == columns)
    // The table that stands in for a missing library says the same.
    #expect(CharacterWidth.columns(character, of: CharacterWidth.tableColumns) == columns)
  }

  @Test func `A text is as wide as its characters`() {
    #expect(CharacterWidth.columns("Björk 音楽 👩‍🎤") == 6 + 5 + 2)
    #expect(CharacterWidth.columns("") == 0)
  }

  @Test func `No code point has more than two columns or less than none`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      guard (0...2).contains(CharacterWidth.columns(scalar)),
        (0...2).contains(CharacterWidth.tableColumns(scalar))
      else {
        Issue.record("U+\(String(value, radix: 16))")
        return
      }
    }
  }

  @Test func `Terminals agree on letters, frames and ideographs, and dispute emoji`() {
    for character in "aéЖΩ─│█▁⣿🬀日あア한Ａ…→" as String {
      #expect(CharacterWidth.isCertain(character), "\(character)")
    }
    for character in "👍❤️⏸▶♪1️⃣🇩🇪กิकि" as String {
      #expect(!CharacterWidth.isCertain(character), "\(character)")
    }
    #expect(!CharacterWidth.isCertain("e\u{301}"))
    #expect(CharacterWidth.widest("👨‍👩‍👧‍👦") == 11)
  }

  @Test func `Where terminals agree, the library and the table do`() {
    for value in UInt32(0x20)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value), CharacterWidth.isCertain(Character(scalar))
      else { continue }
      #expect(
        CharacterWidth.columns(scalar) == CharacterWidth.tableColumns(scalar),
        "U+\(String(value, radix: 16))")
    }
  }
}
