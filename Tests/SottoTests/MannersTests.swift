import Foundation
import TestSupport
import Testing

/// What a player answers to those who ask it: plainly, soon, and never yes to what it did not do.
@Suite(.serialized) struct MannersTests {
  private static let sounds = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sounds").path()

  private func player() throws -> Playing {
    let folder = try Folder()
    let paths = try (1...2).map { try folder.write("track \($0).wav", wav(seconds: 600)) }
    let player = try Playing(
      ["play", "--output", "null"] + paths, in: folder, environment: ["SOTTO_SOUNDS": Self.sounds])
    try player.waitUntilItAnswers()
    return player
  }

  @Test func `S36: the status tells of a memo and of the lock, and what a memo forbids is plain`()
    throws
  {
    let player = try player()
    #expect(try player.ctl("try", "memo").status == 0)
    #expect(try player.wait { try player.value("display") as? String == "interrupted" })
    #expect(try player.value("memo") as? Bool == true)
    #expect(try player.ctl("status").text.contains("A voice memo is recorded\n"))
    let play = try player.ctl("play")
    #expect(play.status == 1)
    #expect(
      play.errorLines == [
        "sotto: Not done: nothing plays while sound is recorded: end the recording first"
      ])
    #expect(try player.ctl("try", "memo").status == 0)
    #expect(try player.wait { try player.value("memo") as? Bool == false })
    #expect(try player.ctl("try", "lock").status == 0)
    #expect(try player.ctl("silent", "on").status == 0)
    let text = try player.ctl("status").text
    #expect(text.contains("The screen is locked\n") && text.contains("Silent mode on\n"))
    #expect(try player.value("lock") as? Bool == true)
    #expect(try player.value("silent") as? Bool == true)
  }

  @Test func `S56: other music that sotto's play has paused starts again at one press`() throws {
    let player = try player()
    func shows(_ display: String) throws -> Bool {
      try player.wait { try player.value("display") as? String == display }
    }
    #expect(try shows("playing"))
    for _ in 0..<2 {
      try player.ctl("try", "music")
      #expect(try shows("paused"))
      try player.ctl("play")
      #expect(try shows("playing"))
    }
  }

  @Test func `A program without its sounds plays music without a word, and ends well`() throws {
    let folder = try Folder()
    // Installed alone: nothing of the sounds lies beside it.
    let program = URL(filePath: folder.path + "/alone")
    try FileManager.default.copyItem(at: URL(filePath: Run.program), to: program)
    let player = Process()
    player.executableURL = program
    player.arguments = [
      "play", "--output", "null", try folder.write("short.wav", wav(seconds: 1)),
    ]
    player.environment = Run.environment(["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
    let errors = Pipe()
    player.standardError = errors
    player.standardInput = FileHandle.nullDevice
    player.standardOutput = FileHandle.nullDevice
    try player.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    player.waitUntilExit()
    #expect(said == "" && player.terminationStatus == 0)
  }

  @Test func `A player that is stopped is told before the patience for an answer is over`() throws {
    let player = try player()
    player.kill(SIGSTOP)
    defer { player.kill(SIGCONT) }
    let run = try player.ctl("status")
    #expect(run.status == 1)
    #expect(
      run.errorLines == [
        "sotto: the player 'sotto' does not answer: it was stopped, and goes on with fg or"
          + " kill -CONT"
      ])
    player.kill(SIGCONT)
    #expect(try player.ctl("status").status == 0)
  }

  @Test func `Told to end twice in one breath, it ends as it should, not in the middle`() throws {
    let player = try player()
    // As a session's end does it: both are there before either is looked at.
    player.kill(SIGSTOP)
    player.kill(SIGTERM)
    player.kill(SIGHUP)
    player.kill(SIGCONT)
    #expect([128 + SIGTERM, 128 + SIGHUP].contains(player.wait()))
    // What it leaves behind it has taken away itself.
    #expect(!FileManager.default.fileExists(atPath: player.socket))
  }

  @Test func `The standard descriptors may be closed: nothing else gets their numbers`() throws {
    let folder = try Folder()
    let track = try folder.write("a.wav", wav(seconds: 0.2))
    let log = folder.path + "/log"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    let words = ["play", "--output", "null", "--log", log, track, folder.path + "/missing"]
    let child = try spawn(words.map { Array($0.utf8) }, Run.environment(), &actions)
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    // The sentence about what is missing went nowhere.
    #expect(Run.ending(raw) == (1, false))
    #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0)
  }

  @Test func `An output file that cannot be written is named`() throws {
    let folder = try Folder()
    let track = try folder.write("a.wav", wav(seconds: 1))
    let out = folder.path + "/none/out.wav"
    let run = try Run("play", "--output", "file:\(out)", track)
    #expect(run.status == 69)
    #expect(run.errorLines == ["sotto: \(out): cannot be created: No such file or directory"])
    let full = try Run("play", "--output", "file:/dev/full", track)
    #expect(full.errorLines.first == "sotto: /dev/full: cannot be written: No space left on device")
  }

  @Test(.enabled(if: !Tool.isThreadSanitized, "the sanitizer's own files need room"))
  func `A render that finds no room leaves nothing behind`() throws {
    let folder = try Folder()
    let track = try folder.write("a.wav", wav(seconds: 20))
    for blocks in [0, 64] {
      // The shell's limit on the size of files stands for the end of a disk.
      let out = folder.path + "/out \(blocks).wav"
      let shell = Process()
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.arguments = [
        "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" render \"$1\" -o \"$2\" 2>/dev/null",
        Run.program, track, out,
      ]
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationStatus == 1)
      #expect(!FileManager.default.fileExists(atPath: out))
    }
  }

  @Test(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
  func `What is set must be there, and what is set takes effect`() throws {
    let folder = try Folder()
    let home = folder.path
    let pane = try Pane(before: "XDG_RUNTIME_DIR=\(home)", folder: folder)
    defer { withExtendedLifetime(pane) {} }
    func set(_ words: String...) throws -> Run {
      try Run(
        (["ctl", "set"] + words).map { Array($0.utf8) }, environment: ["XDG_RUNTIME_DIR": home])
    }
    let limit = Date().addingTimeInterval(120)
    while try set("theme", "dusk").status != 0 { try #require(Date() < limit) }
    #expect(
      try set("theme", "dsk").errorLines == [
        "sotto: No theme is called 'dsk', did you mean 'dusk'?; there are terminal, dusk, paper,"
          + " contrast"
      ])
    #expect(
      try set("output", "puls").errorLines == [
        "sotto: 'output' is pulse, alsa, null or file:PATH, not 'puls', did you mean 'pulse'?"
      ])
    #expect(
      try set("output", "alsa").errorLines == [
        "sotto: The output is chosen at the start, by --output or the configuration"
      ])
    #expect(try set("device", "nosuch").status == 1)
    #expect(try set("level", "40").status == 0)
    let status = try Run("ctl", "status", "--json", environment: ["XDG_RUNTIME_DIR": home])
    #expect(status.text.contains("\"level\":40"))
  }
}
