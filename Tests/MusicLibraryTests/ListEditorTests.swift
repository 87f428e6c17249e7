import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// Editing lists: what is not concerned stays, and all can be taken back.
@Suite struct ListEditorTests {
  private static let text = """
    #EXTM3U url-tvg="x"
    #PLAYLIST:Mine
    # about one
    #EXTINF:12 logo="a,b",A - One
    one.mp3

    #EXTALB:Second
    two.mp3
    # before three
    three.mp3
    # the end

    """

  private static func editor(_ text: String = text) -> ListEditor {
    ListEditor(path: bytes("/lists/a.m3u8"), bytes: bytes(text))
  }

  private static func names(_ editor: ListEditor) -> [String] {
    editor.list.entries.map { String(decoding: $0.path, as: UTF8.self) }
  }

  @Test func `A list that is read and written is the same, whatever stands in it`() {
    for text in [Self.text, "", "a\n", "\n\n#x\n", "#EXTM3U\r\na\r\n", "\u{FEFF}#EXTM3U\na\n"] {
      #expect(M3UList(bytes(text)).bytes == bytes(text))
    }
  }

  @Test func `Comments and attributes go where their entry goes`() {
    var editor = Self.editor()
    #expect(editor.move([0], to: 3)?.sentence == "moved 1 track")
    #expect(
      String(decoding: editor.bytes, as: UTF8.self) == """
        #EXTM3U url-tvg="x"
        #PLAYLIST:Mine

        #EXTALB:Second
        two.mp3
        # before three
        three.mp3
        # about one
        #EXTINF:12 logo="a,b",A - One
        one.mp3
        # the end

        """)
    #expect(editor.repair([1: bytes("/lists/new/three.mp3")])?.sentence == "found 1 track again")
    #expect(Self.names(editor) == ["two.mp3", "new/three.mp3", "one.mp3"])
    #expect(String(decoding: editor.bytes, as: UTF8.self).contains("# before three\nnew/three.mp3"))
  }

  @Test func `Rows go, come and move as in the queue`() {
    var editor = Self.editor("a\nb\nc\nd\ne\n")
    editor.move([3, 1], to: 0)
    #expect(Self.names(editor) == ["b", "d", "a", "c", "e"])
    editor.move([0, 1], to: 99)
    #expect(Self.names(editor) == ["a", "c", "e", "b", "d"])
    #expect(editor.move([0], to: 1) == nil && editor.move([7], to: 0) == nil)
    #expect(editor.remove([9, -1]) == nil)
    editor.remove([0, 2, 2])
    #expect(Self.names(editor) == ["c", "b", "d"])
    editor.insert([PlaylistEntry(path: bytes("/lists/x"))], at: 1)
    #expect(Self.names(editor) == ["c", "x", "b", "d"])
    #expect(editor.undo()?.sentence == "added 1 track")
    #expect(editor.redo() == ListEdit(kind: .added, count: 1))
    #expect(editor.redo() == nil)
  }

  @Test
  func `Any edits and as many undos give the start, and redos the end, also by way of a file`() {
    for seed in 1...60 {
      var random = SeededGenerator(seed: UInt64(seed))
      var editor = Self.editor(seed % 2 == 0 ? Self.text : "a\nb\nc\n")
      let start = editor.bytes
      var edits = 0
      for step in 0..<Int.random(in: 1...30, using: &random) {
        let rows = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          Int.random(in: -1...max(editor.count, 1), using: &random)
        }
        let row = Int.random(in: 0...editor.count, using: &random)
        let done: ListEdit? =
          switch Int.random(in: 0..<4, using: &random) {
          case 0: editor.remove(rows)
          case 1: editor.move(rows, to: row)
          case 2: editor.repair([row: bytes("/elsewhere/\(step)")])
          default: editor.insert([PlaylistEntry(path: bytes("/lists/new\(step)"))], at: row)
          }
        if done != nil { edits += 1 }
        // The next run knows what this one did.
        if step % 5 == 0 {
          let kept = editor.history.bytes(of: editor.path)
          editor = ListEditor(
            path: editor.path, bytes: editor.bytes,
            history: ListHistory(kept, of: editor.path) ?? ListHistory())
        }
      }
      let end = editor.bytes
      for _ in 0..<edits { #expect(editor.undo() != nil) }
      #expect(editor.undo() == nil && editor.bytes == start)
      for _ in 0..<edits { #expect(editor.redo() != nil) }
      #expect(editor.redo() == nil && editor.bytes == end)
    }
  }

  @Test func `A history of another list, of other bytes or damaged is none`() {
    var editor = Self.editor()
    editor.remove([0])
    editor.remove([0])
    let kept = editor.history.bytes(of: editor.path)
    #expect(ListHistory(kept, of: editor.path) == editor.history)
    #expect(ListHistory(kept, of: bytes("/lists/b.m3u8")) == nil)
    for length in 0..<kept.count {
      #expect(ListHistory(Array(kept[..<length]), of: editor.path) == nil)
    }
    var foreign = ListEditor(
      path: editor.path, bytes: bytes("other\n"), history: editor.history)
    #expect(foreign.undo() == nil && foreign.history.undoable == nil)
    // The list was not written any more: its last edit has not been.
    let before = Self.editor()
    var once = before
    once.remove([0])
    let torn = ListEditor(path: editor.path, bytes: once.bytes, history: editor.history)
    #expect(torn.history.undoable?.kind == .removed && torn.history.redoable?.kind == .removed)
  }

  @Test func `What a history keeps is bounded, and the latest edit always undone`() {
    var editor = Self.editor("")
    for row in 0..<1100 { editor.insert([PlaylistEntry(path: bytes("/x/\(row)"))], at: row) }
    #expect(editor.history.steps.count == ListHistory.mostSteps)
    let large = (0..<100_000).map {
      PlaylistEntry(
        path: bytes(
          "/some/folder/of/music/with/a/name/\($0)/and/more/of/it/so/that/it/is/long/enough/for/this.mp3"
        ))
    }
    editor.insert(large, at: 0)
    #expect(editor.history.steps.count == 1)
    #expect(editor.undo() != nil && editor.count == 1100)
  }

  // MARK: On the disk

  @Test func `Edits are on the disk, and undone by the next run`() throws {
    let folder = try TestFolder()
    let store = ListStore(histories: bytes(folder.file("state")))
    let path = bytes(folder.file("new/a.m3u8"))
    var editor = try store.open(path)
    editor.insert([PlaylistEntry(path: bytes(folder.file("new/x.mp3")), title: "X")], at: 0)
    try store.save(&editor)
    #expect(try folder.read("new/a.m3u8") == bytes("#EXTM3U\n#EXTINF:-1,X\nx.mp3\n"))
    editor.remove([0])
    try store.save(&editor)
    var later = try store.open(path)
    #expect(later.count == 0 && later.undo()?.kind == .removed && later.count == 1)
    try store.save(&later)
    var last = try store.open(path)
    #expect(last.redo()?.kind == .removed && last.undo() != nil && last.undo()?.kind == .added)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("new")) == ["a.m3u8"])
  }

  @Test func `A list that another program has changed is left as that made it`() throws {
    let folder = try TestFolder()
    let store = ListStore(histories: bytes(folder.file("state")))
    let path = bytes(try folder.write(bytes("a\nb\n"), "a.m3u"))
    var editor = try store.open(path)
    _ = try folder.write(bytes("a\nb\nc\n"), "a.m3u")
    editor.remove([0])
    #expect(throws: LibraryFault(path: editor.path, sentence: ListStore.foreign)) {
      try store.save(&editor)
    }
    #expect(try folder.read("a.m3u") == bytes("a\nb\nc\n"))
    // Removed meanwhile is changed too.
    var again = try store.open(path)
    try FileManager.default.removeItem(atPath: folder.file("a.m3u"))
    again.remove([0])
    #expect(throws: LibraryFault.self) { try store.save(&again) }
  }

  @Test func `Links stay links, permissions stay, and other kinds are not edited`() throws {
    let folder = try TestFolder()
    let store = ListStore(histories: nil)
    let real = try folder.write(bytes("a\nb\n"), "real.m3u")
    chmod(real, 0o600)
    symlink("real.m3u", folder.file("link.m3u"))
    var editor = try store.open(bytes(folder.file("link.m3u")))
    editor.remove([0])
    #expect(try store.save(&editor) != nil)
    var facts = stat()
    #expect(lstat(folder.file("link.m3u"), &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(real, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    #expect(try folder.read("real.m3u") == bytes("b\n"))
    for name in ["a.pls", "a.xspf", "a.mp3", "a"] {
      #expect(throws: LibraryFault.self) { try store.open(bytes(folder.file(name))) }
    }
    mkdir(folder.file("dir.m3u"), 0o755)
    #expect(throws: LibraryFault.self) { try store.open(bytes(folder.file("dir.m3u"))) }
    mkfifo(folder.file("pipe.m3u"), 0o644)
    #expect(throws: LibraryFault.self) { try store.open(bytes(folder.file("pipe.m3u"))) }
  }
}
