import MusicLibrary
import TestSupport
import Testing

@testable import sotto

/// The list that is open on the screen, edited without reading all of it again.
@Suite struct OpenListTests {
  private static func entry(_ number: Int) -> PlaylistEntry {
    PlaylistEntry(path: Array("http://h/\(number)".utf8), title: "Title \(number)", duration: 60)
  }

  @Test func `After any edits its rows are those of the list read anew`() {
    var random = Signals.Seeded(11)
    for text in [
      "", "#EXTM3U\n#EXTINF:3,Caf\u{e9} - x\n/a\nb\n/a\n", "a\r\nb\r\n#EXTINF:9,T\r\nc\r\n",
    ] {
      var list = OpenList(ListEditor(path: Array("/none/l.m3u8".utf8), bytes: Array(text.utf8)))
      for step in 0..<300 {
        let count = list.entries.count
        let rows = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          Int.random(in: 0...max(count - 1, 0), using: &random)
        }
        let to = Int.random(in: 0...count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = list.edit { $0.remove(rows) }
        case 1: _ = list.edit { $0.move(rows, to: to) }
        case 2: _ = list.edit { $0.undo() }
        case 3: _ = list.edit { $0.redo() }
        default: _ = list.edit { $0.insert([Self.entry(step), Self.entry(step / 2)], at: to) }
        }
        #expect(list.entries == list.editor.list.entries)
        let names = list.listing(1).rows.map(\.name)
        let anew = list.entries.map { entry in
          let name =
            entry.title ?? String(decoding: entry.path.split(separator: 0x2F).last!, as: UTF8.self)
          return [entry.artist, name].compactMap(\.self).joined(separator: " - ")
        }
        #expect(names == anew)
      }
    }
  }
}
