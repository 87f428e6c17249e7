import Foundation
import TestSupport
import Testing

/// The built program: statuses, what stands on which output, and bad input.
@Suite(.timeLimit(.minutes(15))) struct CommandTests {
  @Test func `Help and version stand on standard output with status 0`() throws {
    for arguments in [[], ["--help"], ["play", "--help"], ["help"], ["help", "doctor"], ["-h"]] {
      let run = try Run(arguments.map { Array($0.utf8) })
      #expect(run.status == 0 && run.errors.isEmpty)
      #expect(run.text.hasPrefix("OVERVIEW: "))
    }
    #expect(try Run("--version").text == "sotto 0.1.0\n")
  }

  @Test func `Wrong usage is status 64 with one line on standard error`() throws {
    for arguments in [
      ["plya", "a.wav"], ["play"], ["play", "--volum", "3", "a"], ["render", "a.wav"],
      ["render", "a.wav", "-o", "b.wav", "--replay", ""], ["devices", "x"], ["--frob"],
      ["scan", "--frob"], ["session"], ["help", "scna"],
    ] {
      let run = try Run(arguments.map { Array($0.utf8) })
      #expect(run.status == 64 && run.output.isEmpty, "\(arguments)")
      #expect(run.errorLines.count == 1 && run.errorLines[0].hasPrefix("sotto: "))
    }
    #expect(
      try Run("plya", "a").errorLines == [
        "sotto: unknown command 'plya', did you mean 'play'?; see 'sotto --help'"
      ])
  }

  @Test func `Without an output play ends with 69 and says what to do`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav")
    let run = try Run("play", file)
    #expect(run.status == 69 && run.output.isEmpty)
    #expect(run.errorLines.last?.contains("--output null") == true)
    #expect(run.errorLines.allSatisfy { $0.hasPrefix("sotto: ") })
    #expect(try Run("devices").status == 69)
    #expect(try Run("doctor").status == 1)
  }

  @Test func `Play prints one line a track and ends with 0`() throws {
    let folder = try Folder()
    try folder.write("1.wav")
    try folder.write("2.wav")
    let run = try Run("play", "--output", "null", folder.path)
    #expect(run.status == 0)
    #expect(run.text == "Playing: 1.wav (0:00)\nPlaying: 2.wav (0:00)\n")
    #expect(run.errors.isEmpty)
    #expect(try Run("--output", "null", folder.path + "/1.wav").text == "Playing: 1.wav (0:00)\n")
  }

  @Test func `Standard input is not read`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav")
    let input = open(try folder.write("input", Array("q q q".utf8)), O_RDONLY)
    defer { close(input) }
    let run = try Run(
      ["play", "--output", "null", file].map { Array($0.utf8) }, input: input)
    #expect(run.status == 0)
    #expect(lseek(input, 0, SEEK_CUR) == 0)
  }

  @Test func `Every kind of bad input is one line, the rest plays, status 1`() throws {
    let folder = try Folder()
    func path(_ name: String) -> [UInt8] { Array((folder.path + "/" + name).utf8) }
    var bad: [[UInt8]] = [path("missing.wav"), Array("/dev/zero".utf8)]
    bad.append(Array(try folder.write("empty.wav", []).utf8))
    bad.append(Array(try folder.write("text.mp3", Array("just some words\n".utf8)).utf8))
    bad.append(try folder.write(Array("a\nb\u{1B}[31m".utf8) + [0xFF], Array("nothing".utf8)))
    bad.append(Array(try folder.write("header.wav", Array(wav(seconds: 1).prefix(20))).utf8))
    mkdir(folder.path + "/void", 0o755)
    bad.append(path("void"))
    mkfifo(folder.path + "/pipe", 0o644)
    bad.append(path("pipe"))
    bad.append(Array("ftp://example.org/a.mp3".utf8))
    bad.append(Array(try folder.write("self.m3u", Array("good.wav\nself.m3u\n".utf8)).utf8))
    if geteuid() != 0 {
      let file = try folder.write("locked.wav")
      chmod(file, 0)
      bad.append(Array(file.utf8))
    }
    try folder.write("good.wav")
    let words = ["play", "--output", "null"].map { Array($0.utf8) }
    for item in bad {
      let run = try Run(words + [item, path("good.wav")])
      let name = String(decoding: item, as: UTF8.self)
      #expect(run.status == 1 && !run.isSignalled, "\(name)")
      #expect(run.errorLines.count == 1, "\(name): \(run.errorLines)")
      #expect(run.errorLines.first?.hasPrefix("sotto: ") == true)
      #expect(!run.errors.contains { $0 < 0x20 && $0 != 0x0A }, "\(name)")
      #expect(run.text.contains("Playing: good.wav (0:00)\n"), "\(name)")
    }
    let all = try Run(words + bad)
    #expect(all.status == 1 && all.errorLines.count == bad.count)
    let json = try Run(["info", "--json"].map { Array($0.utf8) } + [bad[0], path("good.wav")])
    let lines = json.text.split(separator: "\n")
    #expect(json.status == 1 && lines.count == 2)
    let first = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String]
    #expect(first?["error"] == "no such file or folder")
  }

  @Test func `A wrong extension changes nothing`() throws {
    let folder = try Folder()
    let file = try folder.write("really-wav.mp3")
    let run = try Run("info", "--json", file)
    #expect(run.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any]
    #expect(object?["frames"] as? Int == 800)
    #expect(object?["sampleRate"] as? Int == 8000)
    #expect(object?["title"] is NSNull)
  }

  @Test func `Render gives the file's own samples, whole or in part`() throws {
    let folder = try Folder()
    let samples = Array(wav(seconds: 1).dropFirst(44))
    let file = try folder.write("a.wav", wav(seconds: 1))
    let raw = try Run("render", file, "-o", "-", "--format", "s16")
    #expect(raw.status == 0 && raw.output == samples)
    let part = try Run(
      "render", file, "-o", "-", "--format=s16", "--from", "0.25", "--to", "0:00.75")
    #expect(part.output == Array(samples[(2000 * 4)..<(6000 * 4)]))
    let out = folder.path + "/out.wav"
    let run = try Run("render", file, "--out", out)
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
    let again = try Run("render", out, "-o", "-", "--format", "s16")
    #expect(again.output == samples)
    #expect(try Run("render", file, "-o", file).status == 1)
    #expect(try Run("render", file, "-o", "/nowhere/a.wav").status == 1)
    #expect(try Run("render", file, "-o", "/dev/full").errorLines.count == 1)
    #expect(try Run("render", folder.path, "-o", out).status == 1)
    #expect(try Run("info", file).status == 0)
  }

  @Test(.enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
  func `Raw samples have the order of channels that a file has`() throws {
    let folder = try Folder()
    let file = folder.path + "/surround.ogg"
    let tones = (1...6).map { "sin(\($0 * 300)*t)*0.1*\($0)" }.joined(separator: "|")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(tones):s=48000:d=0.2:c=5.1", "-c:a"]
        + ["libvorbis", file])
    let out = folder.path + "/out.wav"
    #expect(try Run("render", file, "-o", out, "--format", "s16").status == 0)
    let raw = try Run("render", file, "-o", "-", "--format", "s16")
    #expect(raw.output.count == 9600 * 12)
    #expect(try Data(contentsOf: URL(fileURLWithPath: out)).suffix(9600 * 12) == Data(raw.output))
    // The sixth tone, the loudest, is the last channel of a WAV file, the fourth is the bass.
    let samples = Tool.floats16(raw.output)
    let peaks = (0..<6).map { channel in
      stride(from: channel, to: samples.count, by: 6).map { abs(samples[$0]) }.max() ?? 0
    }
    #expect(peaks[5] > 0.5 && peaks[0] < 0.2)
  }

  @Test func `A sheet's tracks are parts of its file`() throws {
    let folder = try Folder()
    try folder.write("album.wav", wav(seconds: 2))
    let sheet = """
      FILE "album.wav" WAVE
      TRACK 01 AUDIO
      TITLE "One"
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      TITLE "Two"
      INDEX 01 00:01:15
      """
    let cue = try folder.write("album.cue", Array(sheet.utf8))
    let run = try Run("info", "--json", cue)
    let objects = try run.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["title"] as? String } == ["One", "Two"])
    #expect(objects.map { $0["frames"] as? Int } == [9600, 6400])
    let played = try Run("play", "--output", "null", cue)
    #expect(played.text == "Playing: One (0:01)\nPlaying: Two (0:00)\n")
  }

  @Test func `A C locale gets ASCII only and JSON the same values`() throws {
    let folder = try Folder()
    let file = try folder.write("caf\u{E9}.wav")
    let locale = ["LANG": "C"]
    let run = try Run("info", "--json", file, environment: locale)
    #expect(run.output.allSatisfy { $0 < 0x80 })
    let object = try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any]
    #expect((object?["path"] as? String)?.hasSuffix("caf\u{E9}.wav") == true)
    let missing = try Run("info", file + "x", environment: locale)
    #expect(missing.errors.allSatisfy { $0 < 0x80 } && missing.errorLines.count == 1)
  }

  @Test func `A reader that goes away ends a listing, a full disk is told`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav")
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    let gone = try Run(["info", file].map { Array($0.utf8) }, output: ends[1])
    close(ends[1])
    #expect(gone.isSignalled && gone.status == SIGPIPE && gone.errors.isEmpty)
    let full = open("/dev/full", O_WRONLY)
    let told = try Run(["info", file].map { Array($0.utf8) }, output: full)
    close(full)
    #expect(told.status == 1)
    #expect(told.errorLines == ["sotto: standard output: No space left on device"])
  }

  @Test func `What is read is never written over`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav")
    #expect(try Run("play", "--output", "file:\(file)", file).status == 1)
    #expect(
      try Run("render", file, "-o", file).errorLines == [
        "sotto: \(file): is the file to be read"
      ])
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(wav(seconds: 0.1)))
    let out = folder.path + "/out.wav"
    #expect(try Run("play", "--output", "file:\(out)", file).status == 0)
    let played = try Run("info", "--json", out)
    let object = try JSONSerialization.jsonObject(with: Data(played.output)) as? [String: Any]
    #expect(object?["channels"] as? Int == 2)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `An interrupted render ends with its signal's status`(_ number: Int32) throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 60))
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    let child = try spawn(
      ["render", file, "-o", "-"].map { Array($0.utf8) }, Run.environment(), &actions)
    close(ends[1])
    // The pipe is smaller than the samples: the child waits for us in the middle of its loop.
    var first: UInt8 = 0
    try #require(read(ends[0], &first, 1) == 1)
    kill(child, number)
    let rest = Run.readAll(ends[0])
    #expect(rest.count < 60 * 8000 * 8 - 1)
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    let (status, isSignalled) = Run.ending(raw)
    #expect(status == (number == SIGINT ? 130 : number))
    #expect(isSignalled == (number != SIGINT))
  }

  @Test func `An empty path has a name in messages`() throws {
    for words in [["info", ""], ["play", "--output", "null", ""], ["render", "", "-o", "-"]] {
      let run = try Run(words.map { Array($0.utf8) })
      #expect(run.status == 1, "\(words)")
      #expect(run.errorLines == ["sotto: (empty path): no such file or folder"])
    }
  }

  @Test func `A render that would begin beyond the end is refused and writes nothing`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav", wav(seconds: 1))
    let out = try folder.write("out.wav", Array("precious".utf8))
    for (from, shown) in [("9", "9"), ("0:01.5", "1.5"), ("10:00", "600")] {
      let run = try Run("render", file, "-o", out, "--from", from)
      #expect(run.status == 1)
      #expect(run.errorLines == ["sotto: \(file): ends before \(shown) s"])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: out)) == Data("precious".utf8))
    let raw = try Run("render", file, "-o", "-", "--from", "9", "--to", "10")
    #expect(raw.status == 1 && raw.output.isEmpty && raw.errorLines.count == 1)
  }

  @Test func `A log that cannot be written is told`() throws {
    let folder = try Folder()
    let file = try folder.write("a.wav")
    let run = try Run("info", "--log", "/nowhere/log", file)
    #expect(run.status == 1 && run.errorLines.count == 1)
    #expect(try Run("info", "--log", folder.path + "/log", file).status == 0)
  }
}
