import Foundation
import TestSupport
import Testing

/// `sotto playlist`, as people run it.
@Suite(.timeLimit(.minutes(15))) struct PlaylistCommandTests {
  /// A home with two tracks of one second in its music folder.
  private static func home() throws -> (folder: TestFolder, environment: [String: String]) {
    let folder = try TestFolder()
    mkdir(folder.file("Music"), 0o755)
    for name in ["one", "two"] { _ = try folder.write(wav(seconds: 1), "Music/\(name).wav") }
    return (folder, ["HOME": folder.path])
  }

  private static func list(_ folder: TestFolder, _ name: String) throws -> String {
    String(decoding: try folder.read(".local/share/sotto/Playlists/\(name)"), as: UTF8.self)
  }

  @Test func `A list is made, changed, shown and undone by the next runs`() throws {
    let (folder, environment) = try Self.home()
    let music = folder.file("Music")
    func run(_ words: String...) throws -> Run {
      try Run((["playlist"] + words).map { Array($0.utf8) }, environment: environment)
    }
    #expect(
      try run().text.hasPrefix(
        "There are no playlists in \(folder.path)/.local/share/sotto/Playlists;")
    )
    #expect(try run("list", "--json").text == "" && run("list").status == 0)
    let added = try run("add", "Mine", music)
    #expect(added.text.hasPrefix("Added 2 tracks to ") && added.status == 0, "\(added.errorLines)")
    let text = "#EXTM3U\n#EXTINF:1,\n\(music)/one.wav\n#EXTINF:1,\n\(music)/two.wav\n"
    #expect(try Self.list(folder, "Mine.m3u8") == text)
    #expect(try run("show", "Mine").text == "1  one.wav (0:01)\n2  two.wav (0:01)\n")
    #expect(try run("move", "Mine", "2", "1").text == "Moved 1 track\n")
    #expect(try run("show", "Mine.m3u8").text == "1  two.wav (0:01)\n2  one.wav (0:01)\n")
    #expect(try run("remove", "Mine", "1-2").text == "Removed 2 tracks\n")
    #expect(try run("undo", "Mine").text == "Undid: removed 2 tracks\n")
    #expect(try run("undo", "Mine").text == "Undid: moved 1 track\n")
    #expect(try Self.list(folder, "Mine.m3u8") == text)
    #expect(try run("redo", "Mine").text == "Redid: moved 1 track\n")
    #expect(try run("list").text == "Mine.m3u8  2 tracks\n")
    #expect(try run("list", "--json").text.contains("\"tracks\":2,\"missing\":0,\"query\":null}"))
  }

  @Test func `A search is saved, listed with the playlists, and not overwritten by mistake`() throws
  {
    let (folder, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run(words.map { Array($0.utf8) }, environment: environment)
    }
    let place = folder.file(".local/share/sotto/Playlists")
    let saved = try run(
      "search", "--save", "New ones", "--sort", "-added", "--limit", "100", "added:<90d", "-live")
    #expect(saved.status == 0 && saved.errors.isEmpty, "\(saved.errorLines)")
    #expect(saved.text == "Saved as \(place)/New ones.search\n")
    #expect(
      try Self.list(folder, "New ones.search") == "added:<90d -live\nsort=-added\nlimit=100\n")
    let again = try run("search", "--save", "New ones.search", "title:x")
    #expect(again.status == 1)
    #expect(
      again.errorLines == [
        "sotto: \(place)/New ones.search: is there already: --replace takes its place"
      ])
    #expect(try run("playlist").text == "New ones.search  added:<90d -live\n")
    #expect(try run("search", "--save", "New ones", "--replace", "title:x").status == 0)
    #expect(try run("playlist").text == "New ones.search  title:x\n")
    #expect(
      try run("playlist", "list", "--json").text.contains(
        "\"tracks\":null,\"missing\":null,\"query\":\"title:x\"}"))
    // Where it is wrong is said, and nothing is written.
    let wrong = try run("search", "--save", "Wrong", "a yaer:1990")
    #expect(wrong.status == 64 && wrong.errorLines.first?.contains("column 3: 'yaer'") == true)
    #expect(try run("search", "--save", "", "a").status == 64)
    #expect(try run("search", "--replace", "a").status == 64)
    #expect(try run("search", "--save", ".hidden", "a").status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["New ones.search"])
    // One that another program has written wrong is said, and the others are listed.
    _ = try folder.write(
      Array("title:x\nsort=nothing\n".utf8), ".local/share/sotto/Playlists/bad.search")
    let list = try run("playlist")
    #expect(list.status == 1 && list.text == "New ones.search  title:x\n")
    #expect(list.errorLines.count == 1 && list.errorLines[0].contains("bad.search: line 2"))
  }

  @Test(.enabled(if: hasState, "libsqlite3 is not installed"))
  func `A saved search tells how many it finds, and is played`() throws {
    let (folder, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run(words.map { Array($0.utf8) }, environment: environment)
    }
    #expect(try run("scan", folder.file("Music")).status == 0)
    let path = folder.file("Music/one or two.search")
    #expect(
      try run("search", "--save", path, "one or two").text == "Saved as \(path): 2 tracks now\n")
    #expect(try run("search", "--save", "One", "one").text.hasSuffix("One.search: 1 track now\n"))
    #expect(try run("playlist").text == "One.search  1 track now: one\n")
    #expect(try run("play", "--output", "file:/dev/null", path).status == 0)
  }

  @Test(.enabled(if: hasState, "libsqlite3 is not installed"))
  func `A saved search is read by its name as a list is, and says how it is changed`() throws {
    let (folder, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run(words.map { Array($0.utf8) }, environment: environment)
    }
    #expect(try run("scan", folder.file("Music")).status == 0)
    #expect(try run("search", "--save", "Both", "one or two").status == 0)
    let shown = try run("playlist", "show", "Both")
    #expect(shown.text == "1  one.wav (0:01)\n2  two.wav (0:01)\n", "\(shown.errorLines)")
    #expect(try run("playlist", "show", "Both.search").text == shown.text)
    let file = folder.file("out.m3u8")
    #expect(try run("playlist", "export", "Both", file).status == 0)
    #expect(String(decoding: try folder.read("out.m3u8"), as: UTF8.self).contains("Music/two.wav"))
    #expect(try run("play", "--output", "file:/dev/null", "playlist:Both").status == 0)
    #expect(try run("playlist", "add", "Mine", "playlist:Both").text.hasPrefix("Added 2 tracks"))
    #expect(
      try run("info", "playlist:None").errorLines == ["sotto: None: no such playlist"])
    // A list comes before a search of its name.
    #expect(try run("search", "--save", "Mine", "one").status == 0)
    #expect(try run("playlist", "show", "Mine").text == shown.text)
    let place = folder.file(".local/share/sotto/Playlists/Both.search")
    let before = try folder.read(".local/share/sotto/Playlists/Both.search")
    for words in [
      ["add", "Both", file], ["remove", "Both", "1"], ["undo", "Both"], ["import", file, "Both"],
    ] {
      let wrong = try Run((["playlist"] + words).map { Array($0.utf8) }, environment: environment)
      #expect(wrong.status == 1)
      #expect(wrong.errorLines.first?.hasPrefix("sotto: \(place): is a saved search") == true)
    }
    #expect(try folder.read(".local/share/sotto/Playlists/Both.search") == before)
  }

  @Test(.enabled(if: hasState, "libsqlite3 is not installed"))
  func `A running player plays a saved search and a whole list by their names`() throws {
    let player = try Playing(tracks: 2)
    let environment = ["HOME": player.folder.path]
    func says(_ words: String...) throws -> String {
      let run = try Run(
        words.map { Array($0.utf8) }, environment: player.place.merging(environment) { $1 })
      return run.text + run.errorLines.joined()
    }
    #expect(try says("scan", player.folder.path).contains("2 new"))
    #expect(try says("search", "--save", "All", "track").contains("2 tracks"))
    #expect(try says("ctl", "playlist", "All", "play", "2") == "Playing 2 tracks\n")
    #expect(try player.wait { try player.value("track") as? Int == 1 })
    #expect(try says("ctl", "playlist", "All", "add") == "Added 2 tracks\n")
    #expect(try says("ctl", "playlist", "All", "next", "1") == "Added 1 track\n")
    #expect(try says("ctl", "playlist", "All", "open", "3") == "sotto: The search finds no row 3")
    #expect(try says("ctl", "add", "playlist:All") == "Added 2 tracks\n")
    #expect(try player.value("tracks") as? Int == 7)
    #expect(try says("ctl", "playlist", "All", "remove", "1").contains("is a saved search"))
    #expect(try says("ctl", "save", "All").contains("is a saved search"))
    #expect(try says("ctl", "save", "List") != "")
    #expect(try says("ctl", "playlist", "List", "open") == "Playing 7 tracks\n")
    #expect(try says("ctl", "playlist", "List", "add") == "Added 7 tracks\n")
    #expect(try says("ctl", "playlist", "List", "play") == "Playing 7 tracks\n")
    #expect(
      try says("ctl", "playlist", "List", "remove").contains("'playlist NAME remove' needs ROWS"))
  }

  @Test func `Lists go through the other formats and back with relative paths`() throws {
    let (folder, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run((["playlist"] + words).map { Array($0.utf8) }, environment: environment)
    }
    _ = try run("add", "Mine", folder.file("Music/one.wav"), "http://example.org/a?b=1&c=2")
    for ending in ["pls", "xspf", "m3u"] {
      let file = folder.file("Music/out.\(ending)")
      let exported = try run("export", "Mine", file)
      #expect(exported.status == 0 && exported.errors.isEmpty)
      let text = String(decoding: try folder.read("Music/out.\(ending)"), as: UTF8.self)
      #expect(text.contains("one.wav") && !text.contains("Music"))
      #expect(try run("import", file, "back-\(ending)").text.hasPrefix("Imported 2 tracks into "))
      let shown = try run("show", "back-\(ending)", "--json").text
      #expect(shown.contains("\"path\":\"\(folder.file("Music/one.wav"))\""))
      #expect(shown.contains("\"path\":\"http://example.org/a?b=1&c=2\""))
      #expect(try run("import", file, "back-\(ending)").status == 1)
    }
    #expect(try run("export", "Mine", folder.file("x.txt")).status == 1)
    #expect(try run("export", "None", folder.file("x.pls")).status == 1)
  }

  @Test func `What is broken or empty is not imported`() throws {
    let (folder, environment) = try Self.home()
    for (name, text, sentence) in [
      ("cut.xspf", "<playlist>\n<trackList><track>", "line 2: the file ends within <track>"),
      ("none.xspf", "<playlist><trackList/></playlist>", "nothing is listed in it"),
      ("none.pls", "[playlist]\n", "nothing is listed in it"),
    ] {
      let file = try folder.write(Array(text.utf8), name)
      let run = try Run("playlist", "import", file, environment: environment)
      #expect(run.status == 1 && run.text == "")
      #expect(run.errorLines == ["sotto: \(file): \(sentence)"])
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file(".local/share/sotto/Playlists")))
  }

  @Test func `What was moved is found, and taken when that is wished`() throws {
    let (folder, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run((["playlist"] + words).map { Array($0.utf8) }, environment: environment)
    }
    _ = try run("add", "Mine", folder.file("Music"))
    #expect(try run("check", "Mine").text == "2 tracks, all there\n")
    mkdir(folder.file("Music/deep"), 0o755)
    try FileManager.default.moveItem(
      atPath: folder.file("Music/two.wav"), toPath: folder.file("Music/deep/Two.WAV"))
    try FileManager.default.removeItem(atPath: folder.file("Music/one.wav"))
    #expect(try run("show", "Mine").text.contains("two.wav (0:01), missing"))
    let checked = try run("check", "Mine")
    #expect(checked.status == 1)
    #expect(
      checked.text == """
        row 1: \(folder.file("Music/one.wav")): missing
        row 2: \(folder.file("Music/two.wav")): missing
          found: \(folder.file("Music/deep/Two.WAV"))
        2 tracks, 2 missing, 1 found elsewhere: '--repair' takes what was found

        """)
    #expect(try run("check", "Mine", "--repair").status == 1)
    #expect(try Self.list(folder, "Mine.m3u8").contains("Music/deep/Two.WAV\n"))
    #expect(try run("undo", "Mine").text == "Undid: found 1 track again\n")
  }

  @Test func `Edits of one list that a player is asked for at once are all made`() throws {
    let folder = try Folder()
    let lists = folder.path + "/data/sotto/Playlists"
    try FileManager.default.createDirectory(atPath: lists, withIntermediateDirectories: true)
    let track = try folder.write("track.wav", wav(seconds: 600))
    let player = try Playing(
      ["play", "--output", "null", track], in: folder,
      environment: ["XDG_DATA_HOME": folder.path + "/data"])
    try player.waitUntilItAnswers()
    let all = (1...8).map { "/none/\($0).wav" }
    for round in 1...3 {
      let file = "\(lists)/L\(round).m3u8"
      try (all.joined(separator: "\n") + "\n").write(
        toFile: file, atomically: true, encoding: .utf8)
      let words = ["ctl", "playlist", file, "remove", "1"].map { Array($0.utf8) }
      let place = player.place
      DispatchQueue.concurrentPerform(iterations: 5) { _ in
        _ = try? Run(words, environment: place)
      }
      let left = try String(contentsOfFile: file, encoding: .utf8)
      #expect(left.split(separator: "\n").map(String.init) == Array(all.dropFirst(5)))
    }
  }

  @Test(.enabled(if: !Tool.isThreadSanitized, "the sanitizer's own files need room"))
  func `A full disk leaves the list as it was, and says so`() throws {
    let (folder, environment) = try Self.home()
    _ = try Run("playlist", "add", "Mine", folder.file("Music/one.wav"), environment: environment)
    let before = try Self.list(folder, "Mine.m3u8")
    // A file may be 1 block long here, and the signal for that is not wanted.
    let paths = (0..<200).map { "http://example.org/\($0)" }.joined(separator: " ")
    let line = "trap '' XFSZ; ulimit -f 1; exec '\(Run.program)' playlist add Mine \(paths)"
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", line]
    shell.environment = Run.environment(environment)
    let errors = Pipe()
    shell.standardError = errors
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 1 && said.contains("cannot be written: File too large"))
    #expect(try Self.list(folder, "Mine.m3u8") == before)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.file(".local/share/sotto/Playlists"))
    #expect(names == ["Mine.m3u8"])
  }

  @Test func `A running player saves, changes and plays lists, and each wish is answered once`()
    throws
  {
    let player = try Playing(tracks: 2)
    let folder = "\(player.folder.path)/.local/share/sotto/Playlists"
    func says(_ words: String...) throws -> String {
      let run = try Run((["ctl"] + words).map { Array($0.utf8) }, environment: player.place)
      return run.text + run.errorLines.joined()
    }
    func list() throws -> String { try String(contentsOfFile: folder + "/L.m3u8", encoding: .utf8) }
    #expect(try says("pause") == "Paused\n")
    #expect(try says("save", "L") == "Saved 2 tracks in \(folder)/L.m3u8\n")
    #expect(try says("playlist", "L", "remove", "1") == "Removed 1 track\n")
    #expect(try !list().contains("track 1.wav") && list().contains("track 2.wav"))
    #expect(try says("playlist", "L", "undo") == "Undid: removed 1 track\n")
    // The list that was made is an edit too.
    #expect(try says("playlist", "L", "undo") == "Undid: replaced all by 2 tracks\n")
    #expect(try says("playlist", "L", "redo") == "Redid: replaced all by 2 tracks\n")
    #expect(try says("playlist", "L", "copy", "2") == "Copied 1 track\n")
    #expect(try says("playlist", "L", "paste", "end") == "Pasted 1 track\n")
    #expect(try says("playlist", "L", "remove", "9") == "sotto: The playlist has no row 9")
    #expect(try says("playlist", "none", "undo") == "sotto: \(folder)/none.m3u8: no such playlist")
    #expect(try says("playlist", "L", "add", "3") == "Added 1 track\n")
    #expect(try says("playlist", "L", "play", "3") == "Playing 3 tracks\n")
    #expect(try player.wait { try player.value("track") as? Int == 2 })
    #expect(
      try says("playlist", "L", "check") == "Looking for what is missing\nNothing is missing\n")
    let music = player.folder.path
    mkdir(music + "/Music", 0o755)
    try FileManager.default.moveItem(
      atPath: music + "/track 2.wav", toPath: music + "/Music/track 2.wav")
    let repaired = try says("playlist", "L", "repair")
    #expect(repaired.hasSuffix("\n2 tracks missing, 2 found elsewhere: found 2 tracks again\n"))
    #expect(try list().contains("\(music)/Music/track 2.wav\n"))
    // Saving over a list is asked for, and an edit of it.
    let before = try list()
    #expect(
      try says("save", "L")
        == "sotto: L: is there already: 'save L replace' takes its place")
    #expect(try list() == before)
    #expect(try says("save", "L", "replace") == "Saved 3 tracks in \(folder)/L.m3u8\n")
    #expect(try says("playlist", "L", "undo") == "Undid: replaced all by 3 tracks\n")
    #expect(try list() == before)
    #expect(try says("save", "\(folder)/q.pls").hasPrefix("Saved 3 tracks in "))
    #expect(try says("save", "\(folder)/q.pls").contains("is there already"))
    #expect(try says("save", "x/y").hasPrefix("sotto: A playlist's name ends in "))
  }

  @Test func `Wrong words are told with what is meant`() throws {
    let (_, environment) = try Self.home()
    func run(_ words: String...) throws -> Run {
      try Run((["playlist"] + words).map { Array($0.utf8) }, environment: environment)
    }
    for (words, sentence) in [
      (["shwo"], "unknown command 'playlist shwo', did you mean 'show'?"),
      (["show"], "'playlist show' takes NAME"),
      (["move", "a", "1"], "'playlist move' takes NAME ROWS ROW|end"),
      (["remove", "a", "x"], "'remove' takes ROWS, not 'x'"),
      (["Evening", "play"], "'sotto play playlist:Evening' plays it here"),
      (["next", "My list"], "'sotto ctl playlist 'My list' next' in the player that runs"),
    ] {
      let wrong = try Run(
        (["playlist"] + words).map { Array($0.utf8) }, environment: environment)
      #expect(wrong.status == 64 && wrong.errorLines.count == 1)
      #expect(wrong.errorLines.first?.contains(sentence) == true, "\(wrong.errorLines)")
    }
    for words in [
      ["show", "none"], ["undo", "none"], ["remove", ".x", "1"], ["show", "/dev/zero"],
    ] {
      let wrong = try Run(
        (["playlist"] + words).map { Array($0.utf8) }, environment: environment)
      #expect(wrong.status == 1 && wrong.errorLines.count == 1, "\(words)")
    }
    #expect(
      try run("show", "/etc/passwd").errorLines == [
        "sotto: /etc/passwd: is no playlist that sotto knows"
      ])
  }
}
