import AudioTypes
import Decoding
import Foundation
import TestSupport
import Testing

@Suite struct BadFileTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func `what cannot be a track is told in a sentence`() throws {
    #expect(openingError(folder.file("missing.wav"))?.sentence == "no such file")
    #expect(openingError(folder.file("missing.wav"))?.code == .notFound)
    #expect(openingError(try folder.write([], "empty.wav"))?.code == .empty)
    #expect(openingError(folder.path)?.code == .isFolder)
    #expect(openingError("")?.code == .notFound)
    #expect(openingError(Array("a\0b".utf8))?.code == .notFound)
    #expect(openingError(try folder.write([1], "file") + "/below")?.code == .notFound)
    #expect(openingError("/" + String(repeating: "long", count: 5000))?.code == .ioError)
    let loop = folder.file("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(openingError(loop)?.code == .ioError)
  }

  @Test func `pipes and devices are refused at once`() throws {
    let pipe = folder.file("pipe.wav")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero", "/dev/null", "/dev/tty"] {
      #expect(openingError(path)?.sentence == "not a regular file")
    }
  }

  @Test func `a file without permission is told`() async throws {
    let path = try folder.write([1, 2, 3], "secret.wav")
    #expect(chmod(path, 0) == 0 && chmod(folder.path, 0o755) == 0)
    // The superuser may read everything, so a child process becomes somebody else.
    await #expect(processExitsWith: .success) { [path = path as String] in
      if geteuid() == 0 { precondition(setuid(65534) == 0) }
      precondition(openingError(path)?.code == .noPermission)
      precondition(openingError(path)?.sentence == "no permission to read it")
    }
  }

  @Test func `text and pictures are no audio`() throws {
    let texts = [
      "Hello, this is a letter.\n", "#!/bin/sh\necho hi\n", "{\"a\": 1}", "Grüße aus Köln\n",
      String(repeating: "line of text\r\n", count: 5000),
    ]
    for text in texts {
      let error = openingError(try folder.write(Array(text.utf8), "song.mp3"))
      #expect(error?.code == .notAudio)
      #expect(error?.sentence == "not an audio file")
    }
    let latin: [UInt8] = Array("Sch".utf8) + [0xF6] + Array("ne Gr".utf8) + [0xFC, 0xDF, 0x65]
    #expect(openingError(try folder.write(latin, "latin.flac"))?.code == .notAudio)
    let wide = "Some text in UTF-16".utf16.flatMap { SignalFile.number($0, 2, big: false) }
    #expect(openingError(try folder.write([0xFF, 0xFE] + wide, "wide.txt"))?.code == .notAudio)
  }

  @Test func `the name does not matter`() throws {
    let file = SignalFile.wave(
      [0, 64], format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000))
    for name in ["a.mp3", "b", "c.txt", "new\nline.wav", "\u{1B}[31mred.wav"] {
      #expect(try open(folder.write(file, name)).takeAll() == [0.5])
    }
    let odd = Array(folder.path.utf8) + [0x2F, 0xFF, 0xFE, 0x2E]
    let from = try folder.write(file, "plain")
    #expect(rename(from, odd.map { CChar(bitPattern: $0) } + [0]) == 0)
    #expect(try TrackOpener.open(TrackLocation(path: odd)).takeAll() == [0.5])
  }

  static let shapes: [(String, [UInt8])] = {
    let samples = Signals.coded(frames: 64, channels: 2, bits: 16)
    let little = SignalFile.bytes(samples, .signed16, big: false)
    let big = SignalFile.bytes(samples, .signed16, big: true)
    let format = SignalFile.waveFormat(.signed16, channels: 2, rate: 44100)
    let info = SignalFile.chunk(
      "LIST", Array("INFO".utf8) + SignalFile.chunk("INAM", Array("Name".utf8)))
    return [
      ("riff", SignalFile.wave(little, format: format, before: info, after: info)),
      ("rf64", SignalFile.wave(little, format: format, kind: "RF64")),
      (
        "extensible",
        SignalFile.wave(
          little, format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100, mask: 3))
      ),
      ("w64", SignalFile.wave64(little, format: format)),
      (
        "aiff",
        SignalFile.aiff(
          big, channels: 2, rate: 44100, bits: 16, frames: 64,
          before: SignalFile.chunk("NAME", Array("Name".utf8), big: true))
      ),
      (
        "aifc",
        SignalFile.aiff(
          little, channels: 2, rate: 44100, bits: 16, frames: 64, kind: "sowt")
      ),
    ]
  }()

  /// Opens, reads a bounded number of frames, seeks and reads again. Whatever the file says, this
  /// comes back, with sound or with an error.
  private func exercise(_ bytes: [UInt8], _ name: String) throws {
    let path = try folder.write(bytes, name)
    do throws(DecodingError) {
      let decoder = try open(path)
      #expect((1...32).contains(decoder.format.channels))
      #expect(decoder.frames ?? 0 <= Int64(bytes.count))
      _ = try decoder.take(10_000)
      try decoder.seek(to: (decoder.frames ?? 0) / 2)
      _ = try decoder.take(100)
    } catch {
      #expect(!error.sentence.isEmpty)
    }
  }

  @Test func `files cut anywhere give what is left or an error`() throws {
    for (name, bytes) in Self.shapes {
      for length in 1..<bytes.count { try exercise(Array(bytes[..<length]), name) }
    }
  }

  @Test func `files with flipped bits give sound or an error`() throws {
    var random = Signals.Seeded(42)
    for (name, bytes) in Self.shapes {
      for round in 0..<400 {
        var broken = bytes
        // The header is where the harm is; the first rounds flip every one of its bytes.
        let flips = round < 200 ? 1 : Int.random(in: 1...8, using: &random)
        for flip in 0..<flips {
          let place =
            round < 200 && flip == 0
            ? round % bytes.count : Int.random(in: 0..<min(bytes.count, 200), using: &random)
          broken[place] ^= UInt8.random(in: 1...255, using: &random)
        }
        try exercise(broken, name)
      }
    }
  }

  @Test func `a file that shrinks while it plays ends there`() throws {
    let samples = Signals.coded(frames: 100_000, channels: 2, bits: 16)
    let file = SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 2, rate: 44100))
    let path = try folder.write(file, "shrinks")
    let decoder = try open(path)
    _ = try decoder.take(1000)
    #expect(truncate(path, 44 + 4 * 2000) == 0)
    #expect(try decoder.takeAll().count == 2 * 1000)
    #expect(try decoder.takeAll().isEmpty)
  }
}
