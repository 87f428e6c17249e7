import Foundation
import TestSupport
import Testing

/// `sotto ctl` and the socket behind it, with real second processes.
@Suite(.serialized) struct CtlTests {
  // MARK: Commands

  @Test func `Without a player it is status 69 and a sentence`() throws {
    let folder = try Folder()
    for arguments in [["pause"], ["status"], ["status", "--json"], ["watch"], ["instances"]] {
      let run = try Run(
        (["ctl"] + arguments).map { Array($0.utf8) }, environment: ["XDG_RUNTIME_DIR": folder.path])
      #expect(run.status == 69 && run.text == "")
      #expect(run.errorLines == ["sotto: no player is running"])
    }
  }

  @Test(arguments: [
    (["ctl"], "COMMAND is missing; see 'sotto ctl --help'"),
    (["ctl", "paus"], "unknown command 'paus', did you mean 'pause'?; see 'sotto ctl --help'"),
    (["ctl", "seek"], "'seek' needs [+|-]TIME|PERCENT%; see 'sotto ctl --help'"),
    (
      ["ctl", "seek", "+10%"], "'seek' takes [+|-]TIME|PERCENT%, not '+10%'; see 'sotto ctl --help'"
    ),
    (["ctl", "level", "loud"], "'level' takes [+|-]PERCENT, not 'loud'; see 'sotto ctl --help'"),
    (["ctl", "level", "200"], "'level' takes 0 to 100 percent, not '200'; see 'sotto ctl --help'"),
    (
      ["ctl", "rate", "9"],
      "'rate' takes 0 to 5 in whole and half stars, not '9'; see 'sotto ctl --help'"
    ),
    (["ctl", "status", "now"], "'status' takes nothing, not 'now' too; see 'sotto ctl --help'"),
    (
      ["ctl", "--instnace", "x", "status"],
      "unknown option '--instnace', did you mean '--instance'?; see 'sotto ctl --help'"
    ),
  ]) func `Wrong usage is told before any player is asked`(_ words: [String], _ sentence: String)
    throws
  {
    let run = try Run(words.map { Array($0.utf8) })
    #expect(run.status == 64)
    #expect(run.errorLines == ["sotto: \(sentence)"])
  }

  @Test func `S70: Each command does what it says, and says what it did`() throws {
    let player = try Playing()
    func expect(_ words: [String], _ said: [String], status: Int32 = 0, _ line: Int = #line) throws
    {
      let run = try Run((["ctl"] + words).map { Array($0.utf8) }, environment: player.place)
      #expect(run.status == status, "line \(line)")
      let lines =
        status == 0
        ? run.text.split(separator: "\n").map(String.init)
        : run.errorLines.map { String($0.dropFirst("sotto: ".count)) }
      #expect(lines == said, "line \(line)")
    }
    try expect(["pause"], ["Paused"])
    #expect(try player.value("display") as? String == "paused")
    try expect(["pause"], ["Paused already"])
    try expect(["toggle"], ["Playing"])
    try expect(["play"], ["Already playing"])
    try expect(["next"], [])
    #expect(try player.wait { try player.value("track") as? Int == 1 })
    try expect(["previous"], [])
    #expect(try player.wait { try player.value("track") as? Int == 0 })
    try expect(["seek", "5:00"], ["At 5:00"])
    try expect(["seek", "-60"], ["At 4:00"])
    try expect(["seek", "9999"], ["Past its end: on to what follows"])
    #expect(try player.wait { try player.value("track") as? Int == 1 })
    #expect(try player.ctl("choose", "1").status == 0)
    #expect(try player.wait { try player.value("track") as? Int == 0 })
    try expect(["level", "40"], [])
    try expect(["level", "-15"], [])
    #expect(try player.value("level") as? Int == 25)
    try expect(["volume", "70"], [])
    #expect(try player.value("volume") as? Int == 70)
    try expect(["volume", "-5"], [])
    #expect(try player.wait { try player.value("volume") as? Int == 65 })
    try expect(["shuffle", "on"], ["Shuffle on"])
    try expect(["repeat", "one"], ["Repeat this track"])
    #expect(try player.value("repeat") as? String == "one")
    try expect(["remove", "3"], ["Removed 1 track"])
    try expect(["undo"], ["Undid: removed 1 track"])
    try expect(["redo"], ["Redid: removed 1 track"])
    try expect(["remove", "9"], ["The queue has no row 9"], status: 1)
    try expect(["choose", "7"], ["The queue has no row 7"], status: 1)
    try expect(["move", "1", "9"], ["The queue has no row 9"], status: 1)
    try expect(["silent", "on"], [])
    #expect(try player.value("silent") as? Bool == true)
    try expect(["theme", "dusk"], ["There is no screen to show it on"], status: 1)
    try expect(["alarm"], ["No alarm is set"])
    try expect(["alarm", "7:00", "weekdays"], ["The alarm is set to 07:00 weekdays"])
    try expect(["alarm", "off"], ["The alarm is off"])
    try expect(["stop"], ["Stopped"])
    try expect(["clear"], ["Cleared 2 tracks"])
    try expect(["play"], ["The queue is empty"], status: 1)
    try expect(["quit"], [])
    #expect(player.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: player.socket))
  }

  @Test func `S7: Any number of files is previewed, one after the other, and a part of one`() throws
  {
    let folder = try Folder()
    let player = try Playing(in: folder)
    for number in 1...40 {
      let path = try folder.write("piece \(number).wav", wav(seconds: 5))
      let run = try player.ctl("preview", path)
      let isHeard = run.status == 0 && run.text.hasSuffix("Preview of \(path)\n")
      #expect(isHeard, "\(run.text)\(run.errorLines)")
    }
    #expect(try player.value("intent") as? String == "playing")
    #expect(try player.value("display") as? String == "interrupted")
    let path = folder.path + "/piece 1.wav"
    #expect(try player.ctl("preview", path, "1", "0:01.5").text == "Preview of \(path)\n")
    // It ends by itself, and the music comes back.
    #expect(try player.wait { try player.value("display") as? String == "playing" })
    #expect(
      try player.ctl("preview", path, "7").errorLines
        == ["sotto: \(path): there is nothing to hear"])
    #expect(try player.value("display") as? String == "playing")
  }

  @Test func `An address has no preview, and nothing is asked of it`() throws {
    let player = try Playing()
    let run = try player.ctl("preview", "http://127.0.0.1:9/radio")
    #expect(run.status == 1)
    #expect(run.errorLines == ["sotto: http://127.0.0.1:9/radio: an address has no preview"])
    let list = try player.folder.write("list.m3u", Array("http://127.0.0.1:9/radio\n".utf8))
    let other = try player.ctl("preview", list)
    #expect(other.errorLines == ["sotto: \(list): an address has no preview"])
    #expect(try player.value("display") as? String == "playing")
  }

  @Test func `Paths are the caller's own, byte for byte, and what cannot be read is told`() throws {
    let player = try Playing(tracks: 1)
    let odd = Array("caf\u{e9} 'q' ".utf8) + [0xFF] + Array(".wav".utf8)
    let file = try player.folder.write(odd, wav(seconds: 1))
    // By a name that is relative to another folder than the player's.
    let here = Array(FileManager.default.currentDirectoryPath.utf8)
    let up = here.filter { $0 == 0x2F }.flatMap { _ in Array("../".utf8) }
    let relative = Array(up.dropLast()) + file
    let run = try Run([Array("ctl".utf8), Array("add".utf8), relative], environment: player.place)
    #expect(run.status == 0 && run.text == "Added 1 track\n")
    #expect(try player.value("tracks") as? Int == 2)
    let fault = try player.ctl("add", "/nonexistent/x.wav")
    #expect(fault.status == 1)
    #expect(fault.errorLines == ["sotto: /nonexistent/x.wav: no such file or folder"])
    #expect(try player.ctl("choose", "2").status == 0)
    #expect(
      try player.wait {
        (try player.value("path") as? String)?.hasSuffix("'q' \u{FFFD}.wav") == true
      })
  }

  @Test func `Without a terminal a pause and its end are lines beside the tracks`() throws {
    let player = try Playing(tracks: 1)
    for word in ["pause", "play", "quit"] { try player.ctl(word) }
    #expect(player.wait() == 0)
    let out = try String(contentsOfFile: player.folder.path + "/out", encoding: .utf8)
    let lines = out.split(separator: "\n").map(String.init)
    #expect(lines.count == 3, "\(lines)")
    #expect(lines.first == "Playing: track 1.wav (10:00)")
    #expect(lines.dropFirst().first?.hasPrefix("Paused (S") == true)
    #expect(lines.last?.hasPrefix("Playing (S") == true)
  }

  @Test func `The screen's own commands need a screen, and wrong ones are told`() throws {
    let player = try Playing(tracks: 1)
    for words in [["view", "queue"], ["search", "title:x", "-y"], ["mark-all"]] {
      let run = try Run((["ctl"] + words).map { Array($0.utf8) }, environment: player.place)
      #expect(run.status == 1, "\(words)")
      #expect(run.errorLines == ["sotto: There is no screen to show it on"])
    }
    let wrong = try player.ctl("view", "queu")
    #expect(wrong.status == 64)
    #expect(wrong.errorLines.first?.contains("did you mean 'queue'?") == true)
    let caller = try Caller(player.socket)
    caller.send("view queu\nremove\n")
    #expect((caller.object()?["error"] as? String)?.contains("did you mean 'queue'?") == true)
    #expect((caller.object()?["error"] as? String) == "There is no screen to show it on")
  }

  @Test func `What is surely no music is told at once`() throws {
    let player = try Playing(tracks: 1)
    let text = try player.folder.write("notes.txt", Array("no music at all\n".utf8))
    let wav = try player.folder.write("a song without an ending")
    let run = try player.ctl("add", text, wav, "https://", "http:///x")
    #expect(run.status == 1 && run.text == "Added 1 track\n")
    #expect(run.errorLines.count == 3 && run.errorLines[0].hasPrefix("sotto: \(text): "))
    #expect(run.errorLines[1] == "sotto: https://: there is no host in this address")
    #expect(try player.value("tracks") as? Int == 2)
  }

  @Test func `What can be added is added, with its count, and what cannot is told`() throws {
    let player = try Playing(tracks: 1)
    let good = try player.folder.write("good.wav")
    let run = try player.ctl("add", "/none/a.wav", good, "/none/b.wav")
    #expect(run.status == 1)
    #expect(run.text == "Added 1 track\n")
    #expect(
      run.errorLines == [
        "sotto: /none/a.wav: no such file or folder", "sotto: /none/b.wav: no such file or folder",
      ])
    let json = try player.ctl("--json", "add", good, good, "/none/a.wav")
    let answer = try #require(
      JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
    #expect(answer["ok"] as? Bool == true && answer["added"] as? Int == 2)
    #expect(answer["errors"] as? [String] == ["/none/a.wav: no such file or folder"])
    #expect(json.status == 1)
    #expect(try player.value("tracks") as? Int == 4)
    // Nothing of it is not done; however many there are, the answer is one line.
    let caller = try Caller(player.socket)
    let many = (0..<3000).map { "/none/\($0)" }.joined(separator: " ")
    caller.send("add \(many)\n")
    let none = try #require(caller.object())
    #expect(none["ok"] as? Bool == false && none["added"] == nil)
    #expect(none["error"] as? String == "/none/0: no such file or folder")
    #expect((none["errors"] as? [String])?.last == "and 2900 more")
  }

  // MARK: Status

  @Test func `What status calls things is what info and session replay call them`() throws {
    let player = try Playing(tracks: 1)
    _ = try player.ctl("pause")
    let status = try #require(
      JSONSerialization.jsonObject(with: Data(player.ctl("status", "--json").output))
        as? [String: Any])
    let replay = try player.folder.write("replay", Array(#"{"at":0,"event":"wait"}"#.utf8))
    let replayed = try #require(
      JSONSerialization.jsonObject(
        with: Data(Run("session", "replay", "--json", replay).output)) as? [String: Any])
    for name in replayed.keys where !["event", "ops", "peerCalls"].contains(name) {
      #expect(status[name] != nil, "\(name)")
    }
    let path = try #require(status["path"] as? String)
    let info = try #require(
      JSONSerialization.jsonObject(with: Data(Run("info", "--json", path).output))
        as? [String: Any])
    for name in ["path", "container", "codec", "sampleRate", "channels", "bitDepth", "duration"] {
      #expect((status[name] as? NSObject) == (info[name] as? NSObject), "\(name)")
    }
    #expect(status["display"] as? String == "paused" && status["cause"] as? String == "user")
    #expect(status["pid"] as? Int == Int(player.process))
  }

  @Test func `Watch tells what changes, and nothing while time passes`() throws {
    let player = try Playing()
    let caller = try Caller(player.socket)
    caller.send("watch\n")
    let first = try #require(caller.object())
    #expect(first["display"] as? String == "playing" && first["tracks"] as? Int == 3)
    // It has played on for a while when the next thing happens.
    #expect(try player.wait { (try player.value("position") as? Double ?? 0) > 1 })
    try player.ctl("level", "30")
    let second = try #require(caller.object())
    #expect(Set(second.keys) == ["at", "position", "level"])
    #expect(second["level"] as? Int == 30)
    try player.ctl("pause")
    var seen: [String: Any] = [:]
    while seen["display"] == nil || seen["isAdvancing"] == nil {
      for (name, value) in try #require(caller.object()) { seen[name] = value }
    }
    #expect(seen["display"] as? String == "paused" && seen["isAdvancing"] as? Bool == false)
    // The same connection still takes commands.
    caller.send("play\n")
    var answer: [String: Any] = [:]
    while answer["ok"] == nil { answer = try #require(caller.object()) }
    #expect(answer["said"] as? [String] == ["Playing"])
    try player.ctl("quit")
    while caller.line() != nil {}
    #expect(player.wait() == 0)
  }

  // MARK: Several players

  @Test func `A second player has a name of its own, and each is driven alone`() throws {
    let first = try Playing()
    let second = try Playing(in: first.folder)
    let name = "sotto.\(second.process)"
    #expect(try first.ctl("instances").text == "sotto\n\(name)\n")
    for wish in [name, "\(second.process)"] {
      #expect(try first.ctl("--instance", wish, "pause").status == 0)
    }
    #expect(try first.value("display") as? String == "playing")
    #expect(try first.ctl("--instance", name, "status").text.hasPrefix("Paused\n"))
    let absent = try first.ctl("--instance", "sotto.1", "pause")
    #expect(absent.status == 69)
    #expect(
      absent.errorLines == ["sotto: no player is called 'sotto.1'; there are sotto, \(name)"])
    // Alone it needs no name.
    try first.ctl("quit")
    #expect(first.wait() == 0)
    #expect(try second.value("pid") as? Int == Int(second.process))
    let out = try String(contentsOfFile: first.folder.path + "/out", encoding: .utf8)
    // Nothing is complained of but what the second one says at its start.
    #expect(
      out.components(separatedBy: "sotto:").count == 2 && out.contains("sotto: another sotto"))
  }

  @Test func `The socket of a killed player stands in nobody's way`() throws {
    let killed = try Playing()
    killed.end()
    #expect(FileManager.default.fileExists(atPath: killed.socket))
    #expect(try killed.ctl("pause").status == 69)
    let other = try Playing(in: killed.folder)
    other.end()
    let third = try Playing(in: killed.folder)
    #expect(try third.ctl("instances").text == "sotto\n")
  }

  @Test func `A stopped player is not taken for a dead one, and is not waited for`() throws {
    let player = try Playing()
    player.kill(SIGSTOP)
    defer { player.kill(SIGCONT) }
    let run = try player.ctl("pause")
    #expect(run.status == 1)
    #expect(run.errorLines.first?.hasPrefix("sotto: the player 'sotto' does not answer") == true)
    #expect(FileManager.default.fileExists(atPath: player.socket))
  }

  // MARK: Strangers

  @Test func `Only the user may come in`() throws {
    let player = try Playing()
    var facts = stat()
    try #require(stat(player.folder.path + "/sotto", &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o700 && facts.st_uid == geteuid())
    try #require(stat(player.socket, &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o600 && facts.st_uid == geteuid())
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
  func `Another user is refused, even where the doors stand open`() throws {
    let player = try Playing()
    for path in [player.folder.path, player.folder.path + "/sotto", player.socket] {
      try #require(chmod(path, 0o777) == 0)
    }
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1])
      try:
        s.sendall(b"pause\\n"); data = s.recv(100)
      except (BrokenPipeError, ConnectionResetError): data = b""
      print(len(data))
      """
    let run = try Tool.run(
      "setpriv",
      [
        "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "PATH=/usr/bin:/bin",
        "python3", "-c", script,
        player.socket,
      ])
    #expect(String(decoding: run, as: UTF8.self) == "0\n")
    for path in [player.folder.path, player.folder.path + "/sotto"] {
      try #require(chmod(path, 0o700) == 0)
    }
    #expect(try player.value("display") as? String == "playing")
  }

  @Test func `A flood of 1,000 connections leaves the player to its user`() throws {
    let player = try Playing()
    var callers: [Caller] = []
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    for _ in 0..<1000 { if let caller = try? Caller(player.socket) { callers.append(caller) } }
    #expect(callers.count == 1000)
    // Those that stay and say nothing make room for one that speaks.
    #expect(try player.wait { try player.ctl("status").status == 0 })
    callers = []
    #expect(try player.ctl("pause").text == "Paused\n")
    #expect(try player.value("display") as? String == "paused")
  }

  @Test func `Who never reads is let go, and nobody waits for him`() throws {
    let player = try Playing()
    let deaf = try Caller(player.socket)
    deaf.send("watch\n")
    // Each asks for a kilobyte; the answers are left where they are.
    let line = Array(String(repeating: "status --json\n", count: 64).utf8)
    var asked = 0
    while deaf.send(line), asked < 1 << 22 { asked += line.count }
    #expect(asked < 1 << 22)
    #expect(try player.ctl("pause").text == "Paused\n")
  }

  // MARK: Lines that are none

  @Test func `Whatever a line holds, it has an answer of one line`() throws {
    let player = try Playing()
    let caller = try Caller(player.socket)
    let lines: [([UInt8], String)] = [
      ([], "a command is missing"),
      (Array("explode".utf8), "unknown command 'explode'"),
      (Array("add 'x".utf8), "a quote is not closed"),
      (Array("status please".utf8), "'status' takes --json or nothing"),
      ([0x00, 0x01, 0x1B, 0x5B, 0x41], "unknown command"),
      ([0xFF, 0xFE, 0x80], "unknown command"),
      (Array("seek 99999999999999999999".utf8), "'seek' takes"),
      (Array("remove 1-999999999".utf8), "'remove' takes"),
      (Array("level +9999".utf8), "'level' takes"),
    ]
    for (line, sentence) in lines {
      caller.send(line + [0x0A])
      let answer = try #require(caller.object())
      #expect(answer["ok"] as? Bool == false)
      #expect((answer["error"] as? String)?.hasPrefix(sentence) == true, "\(answer)")
    }
    // Carriage returns of other systems, several lines in one piece, and a last one without its end.
    caller.send("pause\r\nplay\nlevel 10")
    caller.finish()
    #expect(caller.object()?["said"] as? [String] == ["Paused"])
    #expect(caller.object()?["said"] as? [String] == ["Playing"])
    #expect(caller.object()?["ok"] as? Bool == true)
    #expect(caller.line() == nil)
    #expect(try player.value("level") as? Int == 10)
  }

  @Test func `A line without end is cut off`() throws {
    let player = try Playing()
    let caller = try Caller(player.socket)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 14)
    var sent = 0
    while sent < 1 << 22, caller.send(piece) { sent += piece.count }
    #expect(sent < 1 << 22)
    #expect(try player.ctl("status").status == 0)
  }

  @Test func `Ten thousand lines in one piece are all answered, in their order`() throws {
    let player = try Playing()
    let caller = try Caller(player.socket)
    let count = 10_000
    let text = (0..<count).map { "level \($0 % 2 == 0 ? "5" : "x")\n" }.joined()
    // Written beside: answers are read meanwhile.
    let writer = Thread { _ = caller.send(text) }
    writer.start()
    for index in 0..<count {
      let answer = try #require(caller.object(), "\(index)")
      guard answer["ok"] as? Bool == (index % 2 == 0) else {
        Issue.record("\(index): \(answer)")
        break
      }
    }
    #expect(try player.ctl("status").status == 0)
  }
}
