import AudioTypes
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// Sheets and lists in the code pages of their countries, encoded by the C library.
@Suite struct CharsetTests {
  static let sheets: [(charset: String, titles: [String])] = [
    (
      "CP932",
      [
        "\u{8352}\u{57CE}\u{306E}\u{6708}", "\u{6D5C}\u{8FBA}\u{306E}\u{6B4C}",
        "\u{3055}\u{304F}\u{3089}\u{3055}\u{304F}\u{3089}", "\u{8D64}\u{3068}\u{3093}\u{307C}",
      ]
    ),
    (
      "CP1251",
      ["Подмосковные вечера", "Катюша", "Очи чёрные", "Калинка, калинка моя"]
    ),
    (
      "GB18030",
      [
        "\u{8309}\u{8389}\u{82B1}", "\u{6885}\u{82B1}\u{4E09}\u{5F04}",
        "\u{4E8C}\u{6CC9}\u{6620}\u{6708}",
        "\u{6C5F}\u{5357}\u{4E1D}\u{7AF9}\u{548C}\u{6E14}\u{821F}\u{5531}\u{665A}",
      ]
    ),
  ]

  private static func encoded(_ text: String, _ charset: String) throws -> [UInt8] {
    let run = try Tool.run("iconv", ["-f", "UTF-8", "-t", charset], input: Array(text.utf8))
    return run
  }

  private static func sheet(_ titles: [String], file: String) -> String {
    var lines = ["PERFORMER \"\(titles[0])\"", "TITLE \"\(titles[1])\"", "FILE \"\(file)\" WAVE"]
    for (index, title) in titles.enumerated() {
      lines += [
        "  TRACK 0\(index + 1) AUDIO", "    TITLE \"\(title)\"", "    INDEX 01 0\(index):00:00",
      ]
    }
    return lines.joined(separator: "\r\n")
  }

  @Test(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"), arguments: 0..<3)
  func `A sheet in the code page of its country has its titles, and finds its file`(index: Int)
    throws
  {
    let (charset, titles) = Self.sheets[index]
    let folder = try TestFolder()
    let name = titles[2] + ".wav"
    _ = try folder.write([1, 2, 3], name)
    let bytes = try Self.encoded(Self.sheet(titles, file: name), charset)
    #expect(!LegacyText.isUTF8(bytes))
    let sheet = CueSheet(parsing: bytes)
    #expect(sheet.performer == titles[0] && sheet.title == titles[1])
    #expect(sheet.tracks.map(\.title) == titles)
    var files = SheetFiles(in: Array(folder.path.utf8), sheet.charset)
    let found = files.path(of: sheet.tracks[0].file)
    #expect(found == Array("\(folder.path)/\(name)".utf8))
  }

  @Test(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"), arguments: 0..<3)
  func `Lists in the code page of their country have their titles, and find their files`(index: Int)
    throws
  {
    let (charset, titles) = Self.sheets[index]
    let folder = try TestFolder()
    let name = titles[2] + ".wav"
    _ = try folder.write([1, 2, 3], name)
    var pls = ["[playlist]", "File1=\(name)"]
    for (index, title) in titles.enumerated() { pls.append("Title\(index + 1)=\(title)") }
    let m3u = [
      "#EXTM3U", "#PLAYLIST:\(titles.joined(separator: " "))", "#EXTINF:1,\(titles[0])", name,
    ]
    let lists = [PLSParser.entries, M3UParser.entries]
    for (lines, entries) in zip([pls, m3u], lists) {
      let bytes = try Self.encoded(lines.joined(separator: "\r\n") + "\r\n", charset)
      #expect(!LegacyText.isUTF8(bytes))
      let entry = try #require(entries(bytes).first)
      #expect(entry.title == titles[0])
      let place = FileNames.place(of: entry, in: Array(folder.path.utf8))
      #expect(place.path == Array("\(folder.path)/\(name)".utf8))
      #expect(place.kind == .file(size: 3))
    }
  }

  @Test func `Western texts, and texts of which nothing is known, are read as Windows has them`() {
    let bytes = [UInt8]("TITLE \"Caf".utf8) + [0xE9] + [UInt8]("\"".utf8)
    #expect(CueSheet(parsing: bytes).title == "Café")
    #expect(Charset(of: Array("Café".utf8)) == .unknown)
    for length in 0..<40 {
      let noise = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 130) }
      #expect(Charset(of: noise).string(noise).isEmpty == (length == 0))
    }
  }
}
