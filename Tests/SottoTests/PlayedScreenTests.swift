import Foundation
import TestSupport
import Testing

/// The full screen of the built program, on a real terminal.
@Suite(.enabled(if: Tool.isIntegration), .serialized, .timeLimit(.minutes(15)))
struct PlayedScreenTests {
  // MARK: Sizes

  @Test(arguments: [(20, 4), (40, 12), (80, 24), (120, 35), (200, 60)])
  func `At every size state, title and times are seen, and nothing leaves its place`(
    _ columns: Int, _ rows: Int
  ) throws {
    let pane = try Pane(columns: columns, rows: rows)
    try pane.shows("song 1", "playing", "0:0")
    try pane.type(" ")
    try pane.shows("song 1", "paused", "0:0")
    if rows > 4 { try pane.shows("-1:00", "track 1 of 3", "Null output", "? help") }
    #expect(try pane.rows.count == rows)
    #expect(try pane.tmux.value("history_size") == "0")
    #expect(try pane.tmux.value("alternate_on") == "1")
    // What was painted piece by piece is what is painted anew.
    try pane.type("2j")
    try pane.shows("›", "song 2")
    try pane.type("1")
    try pane.shows("paused", absent: ["›"])
    // What is read in the background is there.
    if rows > 4 { try pane.shows("▁") }
    if columns >= 80 { try pane.shows("3 tracks, 3 minutes") }
    let painted = try pane.picture
    try pane.tmux.tell("resize-window", "-x", "\(columns + 1)", "-y", "\(rows + 1)")
    #expect(try pane.tmux.wait { try pane.rows.count == rows + 1 })
    try pane.tmux.tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    var last = painted
    let isSame = try pane.tmux.wait {
      last = try pane.picture
      return last == painted
    }
    #expect(isSame, "\(painted.joined(separator: "\n"))\n\(last.joined(separator: "\n"))")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `A storm of sizes ends in the right picture, and the music never stops`() throws {
    let server = try PrivateServer(.pulseAudio)
    defer { server.close() }
    let recorder = try Recorder(server)
    let pane = try Pane("play --output pulse", server: server)
    try pane.shows("playing", "0:0")
    #expect(recorder.wait { $0.contains { $0 != 0 } })
    let first = recorder.frameCount
    for step in 0..<30 {
      let size = (20 + step * 37 % 181, 4 + step * 23 % 57)
      try pane.tmux.tell("resize-window", "-x", "\(size.0)", "-y", "\(size.1)")
    }
    try pane.tmux.tell("resize-window", "-x", "80", "-y", "24")
    try pane.shows("1 Playing  2 Queue", "► playing", "track 1 of 3", "? help")
    #expect(try pane.rows.count == 24)
    #expect(recorder.wait(frames: 4800))
    let samples = Array(recorder.stop()[(first * 2)...])
    var silent = 0
    var longest = 0
    for frame in stride(from: 0, to: samples.count - 1, by: 2) {
      silent = samples[frame] == 0 && samples[frame + 1] == 0 ? silent + 1 : 0
      longest = max(longest, silent)
    }
    // The saw crosses zero; a hole is longer.
    #expect(longest < 240, "\(longest) frames of silence")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  // MARK: Terminals

  @Test(arguments: ["xterm-256color", "tmux-256color", "screen", "linux", "vt100"])
  func `Each of these terminals is painted on`(_ term: String) throws {
    let pane = try Pane(before: "TERM=\(term)")
    try pane.shows("► playing", "track 1 of 3", "0:0", "-0:5", "? help")
    #expect(try pane.rows[0].hasPrefix(" 1 Playing  2 Queue"))
    #expect(try pane.rows[23].hasPrefix(" ? help"))
    try pane.type("2jj")
    try pane.shows("›    3  song 3.wav")
    // Where there is one screen only, clearing it goes into tmux's history.
    let hasOneScreen = ["linux", "vt100"].contains(term)
    #expect(try hasOneScreen || pane.tmux.value("history_size") == "0")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `A terminal that nobody knows gets one line that says so, and the plain line`() throws
  {
    let pane = try Pane(before: "TERM=teletype-9000", columns: 120)
    try pane.shows("'teletype-9000'", "> 0:0", "song 1.wav")
    #expect(try pane.rows.filter { $0.hasPrefix("sotto:") }.count == 1)
    #expect(try pane.tmux.value("alternate_on") == "0")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test(arguments: ["dumb", ""])
  func `A dumb terminal gets a line a track and nothing else`(_ term: String) throws {
    let folder = try Folder()
    let file = try folder.write("song.wav", wav(seconds: 0.2))
    let screen = try Screen(["play", "--output", "null", file], environment: ["TERM": term])
    #expect(screen.waits(for: "Playing: song.wav"))
    #expect(screen.ends() == 0)
    screen.takeRest()
    #expect(!screen.transcript.contains("\u{1B}"))
    #expect(screen.isAsFound)
  }

  /// Through all views, and to the end.
  private static func tour(_ environment: [String: String], _ paths: [[UInt8]], rows: UInt16 = 24)
    throws -> Screen
  {
    let screen = try Screen(
      ["play", "--output", "null"], paths: paths,
      environment: ["TERM": "xterm-256color"].merging(environment) { $1 }, rows: rows)
    #expect(screen.waits(for: "playing"))
    for (key, sign) in [
      ("7", "Help"), ("2", "Queue"), ("5", "Devices"), ("6", "Why"), ("!", "alarm"),
    ] {
      screen.type(key)
      #expect(screen.waits(for: sign), "\(key): \(sign)")
    }
    screen.type("q")
    screen.type("q")
    #expect(screen.ends() == 0)
    screen.takeRest()
    return screen
  }

  @Test func `Without UTF-8 the screen is ASCII alone`() throws {
    let folder = try Folder()
    let file = try folder.write(Array("Jóga 音楽.wav".utf8), wav(seconds: 60))
    let screen = try Self.tour(["LANG": "C"], [file])
    #expect(screen.bytes.allSatisfy { $0 < 0x80 })
    #expect(screen.transcript.contains("J?ga"))
  }

  @Test func `With NO_COLOR there is no colour, and without it there is`() throws {
    let folder = try Folder()
    let file = try folder.write(Array("song.wav".utf8), wav(seconds: 60))
    func colors(_ screen: Screen) -> [Substring] {
      screen.transcript.matches(of: /\u{1B}\[([0-9;:]*)m/).map(\.1).filter { parameters in
        parameters.split(whereSeparator: { $0 == ";" || $0 == ":" }).contains { number in
          Int(number).map { (30...49).contains($0) || (90...107).contains($0) } ?? false
        }
      }
    }
    #expect(try colors(Self.tour(["NO_COLOR": "1"], [file])) == [])
    #expect(try !colors(Self.tour([:], [file])).isEmpty)
  }

  // MARK: Hostile names

  @Test func `Whatever stands in names and tags, the terminal is never told it`() throws {
    let folder = try Folder()
    let names: [[UInt8]] = [
      Array("1 \u{1B}]0;PWNED\u{7}title".utf8), Array("2 \u{1B}[2J\u{1B}[31mPWNED".utf8),
      Array("3 new\nline\r\tPWNED".utf8), Array("4 \u{202E}PWNED\u{2066}\u{200F}".utf8),
      Array("5 \u{9B}2JPWNED\u{90}q\u{9C}".utf8),
      Array("6 ".utf8) + [0xFF, 0xFE, 0xC0, 0xAF, 0x9B],
      Array(("7 " + String(repeating: "音", count: 80)).utf8),
      Array(("8 " + String(repeating: "x", count: 240)).utf8),
      Array(("9 e" + String(repeating: "\u{301}", count: 100)).utf8),
    ]
    var paths = try names.map { try folder.write($0 + Array(".wav".utf8), wav(seconds: 60)) }
    // As tags and in a playlist.
    let nasty = "\u{1B}]0;TAGGED\u{7}\u{202E}\u{9B}2J"
    paths.append(
      try folder.write(Array("tagged.wav".utf8), tagged(wav(seconds: 60), title: nasty)))
    paths.append(
      try folder.write(
        Array("list.m3u8".utf8),
        Array("#EXTM3U\n#EXTINF:60,\(nasty)LISTED\n\(folder.path)/tagged.wav\n".utf8)))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/music", withIntermediateDirectories: true)
    // All that the program writes on the terminal, as it is.
    let pane = try Pane(
      before: "TERM=xterm-256color", files: 0, folder: folder, paths: " \(folder.path)/*.*")
    try pane.shows("playing")
    try pane.tmux.tell("pipe-pane", "-O", "cat > \(folder.path)/raw")
    try pane.type("2")
    try pane.shows("LISTED", "PWNED")
    // Each of them as the current one.
    for row in paths.indices {
      try pane.type(":choose \(row + 1)\r1")
      try pane.shows("track \(row + 1) of \(paths.count)", "playing")
    }
    try pane.tmux.tell("resize-window", "-x", "70", "-y", "22")
    try pane.shows("TAGGED")
    try pane.type("q")
    try pane.shows("status 0", "same")
    var bytes: [UInt8] = []
    #expect(
      try pane.tmux.wait {
        bytes = try Array(Data(contentsOf: URL(filePath: folder.path + "/raw")))
        return String(decoding: bytes, as: UTF8.self).contains("status 0")
      })
    let text = try #require(String(validating: bytes, as: UTF8.self), "invalid UTF-8")
    #expect(text.contains("PWNED") && text.contains("TAGGED"))
    #expect(!text.contains("\u{1B}]"))
    for scalar in Set(text.unicodeScalars) {
      let isControl = scalar.properties.generalCategory == .control
      let isOurs = scalar == "\u{1B}" || scalar == "\r" || scalar == "\n" || scalar == "\u{8}"
      let turns =
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      #expect((!isControl || isOurs) && !turns, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test func `Hostile names move neither the right edge nor the window's title`() throws {
    let folder = try Folder()
    let titles = [
      "a \u{1B}]0;PWNED\u{7}", "b new\tline", "c \u{202E}gpj",
      "d " + String(repeating: "音", count: 80),
      "e 👩‍🎤🇫🇷 e\u{301}\u{302}", "f \u{9B}2J", "g \u{200B}\u{FEFF}zero",
    ]
    try folder.write("song.wav", wav(seconds: 60))
    let list = titles.map { "#EXTINF:60,\($0)\n\(folder.path)/song.wav\n" }.joined()
    try folder.write("list.m3u8", Array("#EXTM3U\n\(list)".utf8))
    let pane = try Pane(files: 0, folder: folder, paths: " \(folder.path)/list.m3u8")
    let title = try pane.tmux.value("pane_title")
    try pane.shows("► playing", "track 1 of 7")
    try pane.type(" 2")
    try pane.shows("paused", "7 tracks", "›", "zero")
    for row in 2..<9 {
      let line = try pane.rows[row]
      #expect(line.hasSuffix(" 1:00"), "\(line)")
    }
    #expect(try pane.tmux.value("pane_title") == title)
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  // MARK: Mouse and keys

  @Test func `The mouse seeks, plays and scrolls`() throws {
    let pane = try Pane()
    try pane.shows("► playing", "0:0")
    #expect(try pane.tmux.value("mouse_button_flag") == "1")
    try pane.type(" ")
    try pane.shows("paused")
    // The middle of the bar, between both times.
    let bar = try pane.place("0:0")
    try pane.click(row: bar.row, column: 8 + 32)
    try pane.shows("0:30", "-0:30", "paused")
    try pane.type("2")
    try pane.shows("›")
    let third = try pane.place("song 3.wav")
    try pane.click(row: third.row, column: third.column)
    try pane.shows("►  3  song 3.wav", "► playing          song 3.wav")
    try pane.click(64, row: 6, column: 20)
    try pane.shows("›    1  song 1.wav")
    try pane.click(65, row: 6, column: 20)
    try pane.shows("› ►  3  song 3.wav")
    // The name of a view shows it.
    let help = try pane.place("7 Help")
    try pane.click(row: help.row, column: help.column)
    try pane.shows("play or pause")
  }

  @Test func `What is pasted presses no keys, and a path that is pasted is queued`() throws {
    let pane = try Pane()
    let other = try pane.folder.write("a new one.wav", wav(seconds: 60))
    try pane.shows("► playing")
    try pane.type("2")
    try pane.shows("3 tracks", "›")
    try pane.type("\u{1B}[200~q\u{3}xD\rn\u{1B}[201~")
    // A key after it is one: had the others been, the queue would be shorter or gone.
    try pane.type("j")
    try pane.shows("›    2  song 2.wav", "3 tracks", "► playing          song 1.wav")
    try pane.type("\u{1B}[200~\(other)\u{1B}[201~")
    try pane.shows("4 tracks", "4  a new one.wav", "Added 1 track")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `The queue is edited by keys, and every edit is taken back and made again`() throws {
    let pane = try Pane()
    try pane.shows("► playing")
    try pane.type("2G")
    try pane.shows("›    3  song 3.wav")
    try pane.type("x")
    try pane.shows("2 tracks", "Cut 1 track", absent: ["song 3.wav"])
    try pane.type("ga")
    try pane.shows("3 tracks", "2  song 3.wav")
    try pane.type("uu")
    try pane.shows("3 tracks", "Undid: cut 1 track", "3  song 3.wav")
    try pane.type("\u{12}")
    try pane.shows("2 tracks", "Redid: cut 1 track", absent: ["song 3.wav"])
    // What is playing was never touched.
    try pane.shows("► playing          song 1.wav")
  }

  @Test func `A command is typed with completion, and carried out`() throws {
    let pane = try Pane()
    try pane.shows("► playing", "100 %")
    try pane.type(":vol\t")
    try pane.shows(":volume")
    try pane.type(" 40\r")
    try pane.shows("40 %", absent: [":volume"])
    try pane.type(":seek 0:3\u{7F}\u{7F}\u{7F}30\r")
    try pane.shows("0:3")
    try pane.type(":volumee\r")
    try pane.shows("volumee")
    // The line before it comes back.
    try pane.type(":\u{1B}[A\u{1B}[A")
    try pane.shows(":seek 30")
    try pane.type("\u{1B}")
    try pane.shows("? help", absent: [":seek 30"])
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  // MARK: Ways out

  @Test func `Stopped and continued, the terminal is given back and taken again`() throws {
    let folder = try Folder()
    for number in 1...2 { try folder.write("song \(number).wav", wav(seconds: 60)) }
    let tmux = try PrivateTmux(
      // The shell waits at each gate: what is typed to it may be thrown away with the terminal's mode.
      "cd $HOME; mkfifo gate1 gate2; stty -g > before;"
        + " sh -mc 'echo shell; \(Run.program) play --output null \(folder.path); cat gate1;"
        + " stty -g > after; cmp before after && echo same; cat gate2; fg; exec cat'",
      columns: 80, rows: 24,
      environment: [
        "PULSE_SERVER": "unix:/nonexistent/pulse", "XDG_RUNTIME_DIR": "/nonexistent",
        "ALSA_CONFIG_PATH": "/dev/null",
      ])
    func shows(_ text: String) throws -> Bool {
      try tmux.wait { try tmux.rows().contains { $0.contains(text) } }
    }
    #expect(try shows("► playing"))
    try tmux.type("\u{1A}")
    #expect(try tmux.wait { try tmux.rows().first == "shell" })
    #expect(try tmux.value("alternate_on") == "0")
    #expect(try tmux.value("cursor_flag") == "1")
    #expect(try tmux.value("mouse_button_flag") == "0")
    try tmux.tell("run-shell", "-b", "echo > $HOME/gate1")
    #expect(try shows("same"))
    try tmux.tell("run-shell", "-b", "echo > $HOME/gate2")
    #expect(try shows("► playing"))
    #expect(try tmux.value("alternate_on") == "1")
    #expect(try tmux.value("mouse_button_flag") == "1")
    try tmux.type("2")
    #expect(try shows("2 tracks"))
  }

  @Test(arguments: [
    ("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131), ("SEGV", 139), ("ABRT", 134),
  ])
  func `However it ends, the terminal is as before`(_ signal: String, _ status: Int) throws {
    let pane = try Pane()
    try pane.shows("► playing")
    #expect(try pane.tmux.value("alternate_on") == "1")
    let id = try pane.program
    try pane.tmux.tell("run-shell", "kill -\(signal) \(id)")
    try pane.shows("status \(status)", "same")
    #expect(try pane.rows.first == "shell")
    for (format, value) in [
      ("alternate_on", "0"), ("cursor_flag", "1"), ("wrap_flag", "1"), ("mouse_button_flag", "0"),
      ("mouse_sgr_flag", "0"),
    ] {
      #expect(try pane.tmux.value(format) == value, "\(format)")
    }
  }

  @Test func `After the interrupt key the terminal is as before`() throws {
    let pane = try Pane()
    try pane.shows("► playing")
    try pane.type("\u{3}")
    try pane.shows("status 130", "same")
    #expect(try pane.tmux.value("alternate_on") == "0")
  }

  @Test func `After kill -9, reset mends what is left`() throws {
    let pane = try Pane()
    try pane.shows("► playing")
    let id = try pane.program
    try pane.tmux.tell("run-shell", "kill -KILL \(id)")
    #expect(try pane.tmux.wait { try pane.tmux.value("pane_current_command") == "cat" })
    // On the terminal itself, as if typed there.
    let tty = try pane.tmux.value("pane_tty")
    try pane.tmux.tell("run-shell", "TERM=tmux-256color reset < \(tty) > \(tty) 2> \(tty)")
    for (format, value) in [
      ("cursor_flag", "1"), ("wrap_flag", "1"), ("mouse_button_flag", "0"), ("mouse_sgr_flag", "0"),
    ] {
      #expect(try pane.tmux.wait { try pane.tmux.value(format) == value }, "\(format)")
    }
    try pane.tmux.tell("run-shell", "stty -a < \(tty) > \(pane.folder.path)/mode")
    let mode = try String(contentsOfFile: pane.folder.path + "/mode", encoding: .utf8)
    for word in [" icanon", " echo ", " isig", " icrnl", " opost"] {
      #expect(mode.replacing("\n", with: " ").contains(word), "\(word): \(mode)")
    }
  }

  // MARK: The queue's end, and nothing to play

  @Test func `At the end of the queue the screen stays, and play starts again`() throws {
    let pane = try Pane(files: 1)
    try pane.shows("► playing", "0:0")
    try pane.type(":seek 58\r")
    try pane.shows("stopped")
    #expect(try pane.tmux.value("alternate_on") == "1")
    try pane.type(" ")
    try pane.shows("► playing", "0:0", "track 1 of 1")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }

  @Test func `Mouse and colours follow the setting at once, by a line and by the saved file`()
    throws
  {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    let pane = try Pane(before: "XDG_CONFIG_HOME=\(folder.path)", folder: folder)
    try pane.shows("► playing")
    func listens(_ isOn: Bool) throws -> Bool {
      let value = isOn ? "1" : "0"
      return try pane.tmux.wait {
        try ["mouse_button_flag", "mouse_sgr_flag"].allSatisfy { try pane.tmux.value($0) == value }
      }
    }
    #expect(try listens(true))
    try pane.type(":set mouse off\r")
    #expect(try listens(false))
    try folder.write("sotto/config", Array("mouse = on\ntheme = dusk\n".utf8))
    #expect(try listens(true))
    func paints(_ isSo: (String) -> Bool) throws -> Bool {
      try pane.tmux.wait { isSo(try pane.picture.joined()) }
    }
    // Shades of its own, and then the eight that every terminal has.
    #expect(try paints { $0.contains("[ink[") })
    try pane.type(":set color 8\r")
    #expect(try paints { !$0.contains("[ink[") && $0.contains("[ink") })
    try folder.write("sotto/config", Array("theme = dusk\ncolor = none\nview = queue\n".utf8))
    #expect(try paints { !$0.contains("[ink") })
    try pane.shows("from the next start on: view")
    try pane.type(":set resume off\r")
    try pane.shows("'resume' counts at the start")
  }

  @Test func `Files and playlists are those of the folders that are set by now`() throws {
    let pane = try Pane()
    let folder = pane.folder
    for name in ["other", "lists"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    try folder.write("other/inner.wav", wav(seconds: 1))
    try folder.write("lists/first.m3u", Array("../other/inner.wav\n".utf8))
    try pane.shows("► playing")
    try pane.type("3")
    try pane.type(":set music-folder \(folder.path)/other\r")
    try pane.shows("inner.wav")
    try pane.type("4")
    try pane.shows("No playlists yet")
    try pane.type(":set playlist-folder \(folder.path)/lists\r")
    try pane.shows("first")
    // Another program writes one there.
    try folder.write("lists/second.m3u", Array("../other/inner.wav\n".utf8))
    try pane.shows("first", "second")
  }

  @Test func `Alone on a terminal it opens the player and plays nothing`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    try folder.write("sotto/config", Array("output = null\n".utf8))
    let pane = try Pane(
      "", before: "XDG_CONFIG_HOME=\(folder.path)", files: 1, folder: folder, paths: "")
    try pane.shows("stopped", "nothing to play")
    // Then a folder is given, and played.
    try pane.type(":open \(folder.path)/music\r")
    try pane.shows("► playing", "track 1 of 1")
    try pane.type("q")
    try pane.shows("status 0", "same")
  }
}

/// A wave file with a title and an artist of its own.
func tagged(_ wave: [UInt8], title: String) -> [UInt8] {
  func little(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  var list = Array("INFO".utf8)
  for name in ["INAM", "IART", "IPRD"] {
    var text = Array(title.utf8) + [0]
    if text.count % 2 == 1 { text.append(0) }
    list += Array(name.utf8) + little(text.count) + text
  }
  var bytes = wave + Array("LIST".utf8) + little(list.count) + list
  bytes.replaceSubrange(4..<8, with: little(bytes.count - 8))
  return bytes
}
