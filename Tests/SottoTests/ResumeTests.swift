import Foundation
import TestSupport
import Testing

/// State is kept where the library is installed.
let hasState: Bool = {
  guard let library = dlopen("libsqlite3.so.0", RTLD_LAZY) else { return false }
  dlclose(library)
  return true
}()

/// What is there when sotto is started again (X3), however it ended.
@Suite(.enabled(if: hasState, "libsqlite3 is not installed"))
struct ResumeTests {
  private static func state(_ folder: Folder) -> [String: String] {
    ["XDG_STATE_HOME": folder.path + "/state"]
  }

  private func play(_ folder: Folder, _ paths: [String] = [], _ options: String...) throws
    -> Playing
  {
    let player = try Playing(
      ["play", "--output", "null", "--plain"] + options + paths, in: folder,
      environment: Self.state(folder))
    try player.waitUntilItAnswers()
    return player
  }

  private func tracks(_ folder: Folder, _ count: Int = 4, seconds: Double = 600) throws -> [String]
  {
    try (1...count).map { try folder.write("track \($0).wav", wav(seconds: seconds)) }
  }

  private func rows(_ player: Playing) throws -> Int { try player.value("tracks") as? Int ?? -1 }
  private func position(_ player: Playing) throws -> Double {
    try player.value("position") as? Double ?? -1
  }
  private func path(_ player: Playing) throws -> String {
    (try player.value("path") as? String) ?? ""
  }

  @Test func `X3: killed while it plays, it comes back paused where it was, and is not heard`()
    throws
  {
    let folder = try Folder()
    let paths = try tracks(folder)
    var place = 0.0
    do {
      let player = try play(folder, paths)
      try player.ctl("choose", "3")
      try player.ctl("seek", "2:00")
      #expect(try player.wait { try position(player) > 121 })
      place = try position(player)
      player.kill(SIGKILL)
      player.wait()
    }
    let player = try play(folder)
    #expect(try player.wait { try player.value("intent") as? String == "paused" })
    #expect(try player.wait { try path(player) == paths[2] })
    #expect(try rows(player) == 4)
    let found = try position(player)
    #expect(found >= place - 1 && found < place + 60, "\(found), was \(place)")
    // The user asks, and it goes on there.
    try player.ctl("play")
    #expect(try player.wait { try position(player) > found + 0.2 })
    #expect(try path(player) == paths[2])
  }

  @Test func `Edits are undone after a restart`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, paths)
      #expect(try player.wait { try rows(player) == 4 })
      try player.ctl("remove", "2")
      try player.ctl("move", "1", "end")
      try player.ctl("level", "40")
      try player.ctl("repeat", "all")
      try player.ctl("quit")
      player.wait()
    }
    let player = try play(folder)
    #expect(try player.wait { try rows(player) == 3 })
    #expect(try player.value("level") as? Int == 40)
    #expect(try player.value("repeat") as? String == "all")
    #expect(try player.ctl("undo").text.contains("moved 1 track"))
    #expect(try player.ctl("undo").text.contains("removed 1 track"))
    #expect(try rows(player) == 4)
    #expect(try player.ctl("redo").text.contains("removed 1 track"))
  }

  @Test func `A long file goes on where it was left, also when it is named again`() throws {
    let folder = try Folder()
    let path = try folder.write("book.wav", wav(seconds: 1500))
    for _ in 0..<2 {
      let player = try play(folder, [path])
      #expect(try player.wait { try player.value("display") as? String == "playing" })
      if try position(player) < 600 { try player.ctl("seek", "700") }
      #expect(try player.wait { try position(player) >= 700 })
      try player.ctl("quit")
      player.wait()
    }
    // Named once more, and left at once.
    let player = try play(folder, [path])
    #expect(try player.wait { try position(player) >= 700 })
    #expect(try position(player) < 760)
  }

  @Test func `A long file goes on where it was left after a stop, then and after a restart`() throws
  {
    let folder = try Folder()
    let path = try folder.write("book.wav", wav(seconds: 1500))
    do {
      let player = try play(folder, [path])
      #expect(try player.wait { try player.value("display") as? String == "playing" })
      try player.ctl("seek", "700")
      #expect(try player.wait { try position(player) >= 701 })
      try player.ctl("stop")
      #expect(try player.wait { try position(player) == 0 })
      try player.ctl("play")
      #expect(try player.wait { try position(player) >= 701 })
      try player.ctl("stop")
      try player.ctl("quit")
      player.wait()
    }
    let player = try play(folder)
    #expect(try player.wait { try self.path(player) == path })
    #expect(try player.value("intent") as? String == "stopped")
    try player.ctl("play")
    #expect(try player.wait { try position(player) >= 701 })
  }

  @Test func `After a stop what is opened is what is played`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    let player = try play(folder, [paths[0]])
    for round in 0..<6 {
      #expect(try player.wait { try player.value("display") as? String == "playing" })
      try player.ctl("stop")
      if round % 2 == 0 { #expect(try player.wait { try position(player) == 0 }) }
      let wanted = paths[1 + round % 3]
      try player.ctl("open", wanted)
      #expect(try player.wait { try path(player) == wanted && position(player) > 0.1 })
      #expect(try player.value("track") as? Int == 0)
    }
    // The track may have left the queue, too.
    try player.ctl("stop")
    try player.ctl("clear")
    try player.ctl("add", paths[3])
    try player.ctl("play")
    #expect(try player.wait { try path(player) == paths[3] && position(player) > 0.1 })
  }

  @Test func `A long file that was moved while no sotto ran goes on where it was left`() throws {
    let folder = try Folder()
    var path = try folder.write("book.wav", wav(seconds: 1500))
    do {
      let player = try play(folder, [path])
      #expect(try player.wait { try player.value("display") as? String == "playing" })
      try player.ctl("seek", "700")
      #expect(try player.wait { try position(player) >= 700 })
      try player.ctl("quit")
      player.wait()
    }
    for name in ["moved.wav", "again.wav"] {
      let new = folder.path + "/" + name
      try FileManager.default.moveItem(atPath: path, toPath: new)
      path = new
      // No scan has seen it, and nothing but the file itself tells what it is.
      let player = try play(folder, [path])
      #expect(try player.wait { try position(player) >= 700 })
      try player.ctl("quit")
      player.wait()
    }
  }

  @Test func `A long file goes on where it was left, however its path is spelled`() throws {
    let folder = try Folder()
    let files = FileManager.default
    try files.createDirectory(
      atPath: folder.path + "/books", withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: folder.path + "/linked", withDestinationPath: folder.path + "/books")
    try folder.write("books/book.wav", wav(seconds: 1500))
    var least = 0.0
    for spelling in ["/linked/book.wav", "/books/book.wav", "/linked/../books/./book.wav"] {
      let path = folder.path + spelling
      let player = try play(folder, [path])
      #expect(try player.wait { try player.value("display") as? String == "playing" })
      if least == 0 { try player.ctl("seek", "700") }
      #expect(try player.wait { try position(player) >= max(least, 700) })
      // What the user sees stays as it was called.
      #expect(try self.path(player) == path)
      try player.ctl("seek", "+60")
      least += least == 0 ? 760 : 60
      #expect(try player.wait { try position(player) >= least })
      try player.ctl("quit")
      player.wait()
    }
  }

  @Test func `S6: an alarm is still set after a restart, unless it was missed`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, paths)
      try player.ctl("alarm", "07:30", "weekdays")
      // What is noted at every change is kept within the second.
      #expect(player.wait { kept(folder).contains("alarm 07:30 weekdays") })
      player.kill(SIGKILL)
      player.wait()
    }
    let player = try play(folder)
    #expect(
      try player.wait {
        (try player.value("alarm") as? [String: Any])?["time"] as? String == "07:30"
      })
  }

  /// What the file beside the database says.
  private func kept(_ folder: Folder) -> String {
    let file = URL(filePath: folder.path + "/state/sotto/moment")
    return (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  @Test func `With paths the kept queue is under them, and an undo brings it back where it was`()
    throws
  {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, Array(paths[..<3]))
      #expect(try player.wait { try rows(player) == 3 })
      try player.ctl("choose", "2")
      try player.ctl("seek", "2:00")
      #expect(try player.wait { try position(player) >= 120 })
      try player.ctl("quit")
      player.wait()
    }
    let player = try play(folder, [paths[3]])
    #expect(try rows(player) == 1)
    #expect(try player.wait { try path(player) == paths[3] })
    #expect(try player.wait { try player.ctl("undo").text.contains("replaced the queue") })
    #expect(try rows(player) == 3)
    // What is heard has its row there, and goes on where that was left.
    #expect(try player.wait { try path(player) == paths[1] && position(player) >= 120 })
    #expect(try player.value("track") as? Int == 1 && position(player) < 300)
    #expect(try player.value("intent") as? String == "playing")
    try player.ctl("redo")
    #expect(try rows(player) == 1)
    #expect(try player.wait { try path(player) == paths[3] })
    #expect(try player.value("track") as? Int == 0)
  }

  @Test func `The undo of a replaced queue goes back to its track, and paused stays paused`() throws
  {
    let folder = try Folder()
    let paths = try tracks(folder)
    let player = try play(folder, Array(paths[..<3]))
    #expect(try player.wait { try rows(player) == 3 })
    try player.ctl("choose", "3")
    try player.ctl("seek", "1:30")
    #expect(try player.wait { try position(player) >= 90 })
    #expect(try player.ctl("open", paths[3]).status == 0)
    #expect(try player.wait { try path(player) == paths[3] && rows(player) == 1 })
    try player.ctl("pause")
    #expect(try player.ctl("undo").text.contains("replaced the queue"))
    #expect(try player.wait { try path(player) == paths[2] && position(player) >= 90 })
    #expect(try rows(player) == 3 && player.value("track") as? Int == 2)
    #expect(try player.value("intent") as? String == "paused")
    // Another edit than that leaves alone what is heard.
    try player.ctl("remove", "3")
    #expect(try path(player) == paths[2])
    #expect(try player.ctl("undo").text.contains("removed 1 track"))
    #expect(try path(player) == paths[2])
    // Its beginning is where it begins the next time.
    try player.ctl("choose", "1")
    #expect(try player.wait { try path(player) == paths[0] })
    try player.ctl("choose", "3")
    #expect(try player.wait { try path(player) == paths[2] })
    #expect(try position(player) < 60)
  }

  @Test func `A seek while stopped is refused, and moves nothing`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    let player = try play(folder, paths)
    #expect(try player.wait { try player.value("display") as? String == "playing" })
    try player.ctl("stop")
    #expect(try player.wait { try player.value("intent") as? String == "stopped" })
    for wish in ["1:00", "+30", "50%"] {
      let run = try player.ctl("seek", wish)
      #expect(run.status == 1)
      #expect(run.errorLines == ["sotto: Stopped: there is nothing to seek in"])
    }
    #expect(try position(player) == 0)
    try player.ctl("play")
    #expect(try player.wait { try player.value("display") as? String == "playing" })
    #expect(try position(player) < 25)
    #expect(try player.ctl("seek", "1:00").status == 0)
    #expect(try player.wait { try position(player) >= 60 })
  }

  @Test func `Nobody else may read what is kept`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    func mode(_ name: String) -> mode_t? {
      var facts = stat()
      return stat(folder.path + "/state/sotto" + name, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }
    for _ in 0..<2 {
      let player = try play(folder, paths)
      #expect(try player.wait { try rows(player) == 4 })
      #expect(player.wait { mode("/state.db-wal") != nil && mode("/moment") != nil })
      #expect(mode("") == 0o700)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state/sotto")
      #expect(names.contains("state.db-shm") && names.contains("lock"))
      for name in names where mode("/" + name).map({ $0 & 0o111 == 0 }) == true {
        #expect(mode("/" + name) == 0o600, "\(name)")
      }
      try player.ctl("quit")
      player.wait()
      // As an earlier sotto has made it.
      #expect(chmod(folder.path + "/state/sotto/state.db", 0o644) == 0)
    }
  }

  @Test func `--no-resume neither takes up nor keeps anything`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, Array(paths[..<3]))
      #expect(try player.wait { try rows(player) == 3 })
      try player.ctl("quit")
      player.wait()
    }
    do {
      let player = try play(folder, [paths[3]], "--no-resume")
      #expect(try player.ctl("undo").text.contains("nothing to undo"))
      try player.ctl("level", "10")
      try player.ctl("quit")
      player.wait()
    }
    let player = try play(folder)
    #expect(try player.wait { try rows(player) == 3 })
    #expect(try player.value("level") as? Int == 100)
  }

  @Test(.enabled(if: Tool.isIntegration))
  func `With resume off nothing is taken up, and an undo brings what was kept`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, Array(paths[..<3]))
      #expect(try player.wait { try rows(player) == 3 })
      try player.ctl("choose", "2")
      try player.ctl("level", "40")
      #expect(try player.wait { try path(player) == paths[1] })
      try player.ctl("quit")
      player.wait()
    }
    try FileManager.default.createDirectory(
      atPath: folder.path + "/config/sotto", withIntermediateDirectories: true)
    try folder.write("config/sotto/config", Array("resume = off\n".utf8))
    let configuration = ["XDG_CONFIG_HOME": folder.path + "/config"]
    // Where there is nothing to play and no screen to choose something, that is said.
    let run = try Run(
      ["play", "--output", "null", "--plain"].map { Array($0.utf8) },
      environment: Self.state(folder).merging(configuration) { $1 })
    #expect(run.status == 64)
    let pane = try Pane(
      before: "XDG_CONFIG_HOME=\(folder.path)/config", files: 0, folder: folder, paths: "")
    try pane.shows("stopped", "nothing to play")
    try pane.type("2")
    try pane.shows("Nothing to play yet", "undo: began with an empty queue", "level 40 %")
    try pane.type(":undo\r")
    // It stands there again, and the user asks.
    try pane.shows("track 2.wav", "3 tracks", "stopped")
    try pane.type(" ")
    try pane.shows("► playing", "►  2  track 2.wav")
    try pane.type("q")
    try pane.shows("status 0")
  }

  @Test func `A second one says so, and leaves what is kept alone`() throws {
    let folder = try Folder()
    let paths = try tracks(folder)
    let first = try play(folder, Array(paths[..<3]))
    #expect(try first.wait { try rows(first) == 3 })
    let second = try Playing(
      ["play", "--output", "null", "--plain", paths[3]], in: folder,
      environment: Self.state(folder))
    try second.waitUntilItAnswers()
    // Nor has one anything to play that is given nothing.
    let third = try Run(
      "play", "--output", "null", "--plain",
      environment: Self.state(folder).merging(first.place) { $1 })
    #expect(third.status == 64)
    #expect(third.errorLines.count == 1)
    #expect(third.errorLines.first?.hasPrefix("sotto: another sotto runs") == true)
    let names = try first.ctl("instances").text.split(separator: "\n")
    #expect(names == ["sotto", "sotto.\(second.process)"])
    try first.ctl("--instance", "\(second.process)", "clear")
    let said = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    #expect(said.contains("sotto: another sotto runs"))
    try first.ctl("--instance", "\(second.process)", "quit")
    second.wait()
    #expect(try rows(first) == 3)
    try first.ctl("quit")
    first.wait()
    let next = try play(folder)
    #expect(try next.wait { try rows(next) == 3 })
  }

  @Test func `A file that is gone stays in the queue, and is said when it is its turn`() throws {
    let folder = try Folder()
    let paths = try tracks(folder, 2)
    do {
      let player = try play(folder, paths)
      #expect(try player.wait { try rows(player) == 2 })
      try player.ctl("quit")
      player.wait()
    }
    try FileManager.default.removeItem(atPath: paths[0])
    let player = try play(folder)
    #expect(try player.wait { try rows(player) == 2 })
    try player.ctl("play")
    #expect(try player.wait { try path(player) == paths[1] })
    #expect(try rows(player) == 2)
    let said = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    #expect(said.contains(paths[0]))
  }

  @Test func `A database that is held by another program hinders nobody, and the queue comes late`()
    throws
  {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, paths)
      #expect(try player.wait { try rows(player) == 4 })
      try player.ctl("quit")
      player.wait()
    }
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: BuiltProgram.path("StateTrial"))
    holder.arguments = ["hold", folder.path + "/state/sotto/state.db"]
    let (input, output) = (Pipe(), Pipe())
    (holder.standardInput, holder.standardOutput) = (input, output)
    try holder.run()
    #expect(output.fileHandleForReading.availableData.first != nil)
    let player = try play(folder)
    #expect(try rows(player) == 0)
    #expect(
      try player.wait {
        try String(contentsOfFile: folder.path + "/out", encoding: .utf8).contains("holds it")
      })
    try input.fileHandleForWriting.write(contentsOf: Data([0x0A]))
    holder.waitUntilExit()
    #expect(try player.wait { try rows(player) == 4 })
  }

  @Test(.enabled(if: UnwritableFolder.isPossible))
  func `Of a read-only disk what is kept is taken up, and what is done is kept once it can be`()
    throws
  {
    let folder = try Folder()
    let paths = try tracks(folder)
    do {
      let player = try play(folder, Array(paths[..<3]))
      #expect(try player.wait { try rows(player) == 3 })
      try player.ctl("choose", "2")
      try player.ctl("seek", "2:00")
      #expect(try player.wait { try position(player) >= 120 })
      try player.ctl("quit")
      player.wait()
    }
    let lock = try UnwritableFolder(folder.path + "/state/sotto")
    func said(_ words: String) throws -> Int {
      try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
        .components(separatedBy: words).count - 1
    }
    do {
      let player = try play(folder)
      #expect(try player.wait { try rows(player) == 3 })
      #expect(try player.wait { try path(player) == paths[1] })
      #expect(try position(player) >= 120)
      #expect(try player.wait { try said("what you do is not kept") == 1 })
      try player.ctl("add", paths[3])
      #expect(try player.wait { try rows(player) == 4 })
      try lock.makeWritable()
      #expect(try player.wait { try said("what you do is kept again") == 1 })
      #expect(try said("not kept") == 1)
      try player.ctl("quit")
      player.wait()
    }
    lock.open()
    let player = try play(folder)
    #expect(try player.wait { try rows(player) == 4 })
  }

  @Test func `Where nothing can be kept that is said once, and the music plays`() throws {
    let folder = try Folder()
    let path = try folder.write("a.wav")
    let run = try Run(
      "play", "--output", "null", path, environment: ["XDG_STATE_HOME": "/dev/null/x"])
    #expect(run.status == 0)
    #expect(run.errorLines.filter { $0.contains("not kept") }.count == 1)
  }

  @Test(.enabled(if: Tool.isIntegration), arguments: 0..<20)
  func `Killed at any moment, no more than the last second is lost`(seed: Int) throws {
    let folder = try Folder()
    let paths = try tracks(folder, 6)
    var edits = 0
    var place = 0.0
    do {
      let player = try play(folder, paths)
      #expect(try player.wait { try rows(player) == 6 })
      try player.ctl("seek", "\(10 + seed * 20)")
      for number in 0...seed % 4 {
        try player.ctl("remove", "\(6 - number)")
        edits += 1
      }
      place = try position(player)
      // As long as edits take to be kept, and some more of it.
      usleep(UInt32(1_000_000 + seed * 37_000))
      player.kill(SIGKILL)
      player.wait()
    }
    let player = try play(folder)
    #expect(try player.wait { try rows(player) == 6 - edits })
    let found = try position(player)
    #expect(found >= place, "\(found), was \(place)")
    #expect(try player.value("intent") as? String == "paused")
    for _ in 0..<edits { #expect(try player.ctl("undo").text.contains("removed 1 track")) }
    #expect(try rows(player) == 6)
  }
}
