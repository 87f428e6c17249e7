import AudioTypes
import Testing

import enum TerminalModel.CharacterWidth

@testable import sotto

@Suite struct KeyTests {
  private static func keys(_ pieces: [UInt8]...) -> [Key] {
    var decoder = KeyDecoder()
    return pieces.flatMap { decoder.feed($0) } + decoder.timeout()
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `Letters, arrows of both modes and wide characters are keys`() {
    #expect(
      Self.keys(Self.bytes("q \u{1B}[A\u{1B}OB\u{1B}[C\u{1B}[Dé音"))
        == [
          .character("q"), .character(" "), .up, .down, .right, .left, .character("é"),
          .character("音"),
        ])
  }

  @Test func `A sequence that comes in pieces is one key`() {
    for cut in 1...2 {
      let whole = Self.bytes("\u{1B}[A")
      #expect(Self.keys(Array(whole[..<cut]), Array(whole[cut...])) == [.up])
    }
    #expect(Self.keys([0xC3], [0xA9]) == [.character("é")])
  }

  @Test func `Escape alone is a key only after the timeout`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.timeout() == [.other])
    #expect(!decoder.isWaiting)
    #expect(decoder.feed(Self.bytes("q")) == [.character("q")])
  }

  @Test func `Letters of unknown sequences and of pastes are never keys`() {
    #expect(Self.keys(Self.bytes("\u{1B}[1;5q")) == [.other])
    #expect(Self.keys(Self.bytes("\u{1B}[15~\u{1B}[<0;10;20M")) == [.other, .other])
    #expect(Self.keys(Self.bytes("\u{1B}q")) == [.other])
    #expect(
      Self.keys(Self.bytes("\u{1B}[200~quit q\u{1B}[2"), Self.bytes("01~n")) == [.character("n")])
    #expect(Self.keys(Self.bytes("\u{1B}[200~") + [UInt8](repeating: 0x71, count: 5000)) == [])
    #expect(Self.keys(Self.bytes("\u{1B}[\u{1B}[A")) == [.other, .up])
    #expect(Self.keys([0xFF, 0xC3, 0x71]) == [.other, .other, .character("q")])
  }

  @Test func `Any bytes leave the decoder with little waiting`() {
    var random = SeededNumbers(state: 11)
    var decoder = KeyDecoder()
    for _ in 0..<3000 {
      let piece = (0..<Int.random(in: 1...9, using: &random)).map { _ in
        [0x1B, 0x5B, 0x4F, 0x32, 0x7E, 0x71, UInt8.random(in: 0...255, using: &random)]
          .randomElement(
            using: &random)!
      }
      #expect(decoder.feed(piece).count <= 80)
    }
    _ = decoder.feed(Self.bytes("\u{1B}[201~"))
    _ = decoder.timeout()
    #expect(decoder.feed(Self.bytes("q")) == [.character("q")])
  }
}

@Suite struct StatusLineTests {
  private static func line() -> StatusLine {
    var line = StatusLine()
    line.state = .playing
    line.title = "Jóga - Björk"
    line.position = 12.9
    line.duration = 305
    line.device = StatusLine.DeviceLevel(percent: 60, isMuted: false)
    return line
  }

  private static func text(_ line: StatusLine, _ columns: Int) -> String {
    line.text(columns: columns, width: CharacterWidth.columns)
  }

  @Test func `A wide line shows everything, a narrow one what matters most`() {
    let line = Self.line()
    #expect(
      Self.text(line, 120)
        == "> 0:12 / 5:05  Jóga - Björk  volume 60%  space pause  arrows seek, volume  n p next, previous  m mute  q quit"
    )
    #expect(Self.text(line, 60) == "> 0:12 / 5:05  Jóga - Björk  volume 60%")
    #expect(Self.text(line, 27) == "> 0:12 / 5:05  Jóga - Björk")
    #expect(Self.text(line, 22) == "> 0:12 / 5:05  Jóga...")
    #expect(Self.text(line, 13) == "> 0:12 / 5:05")
    #expect(Self.text(line, 8) == "> 0:1...")
    #expect(Self.text(line, 1) == ">")
    #expect(Self.text(line, 0) == "")
  }

  @Test func `No line is ever wider than the terminal`() {
    var line = Self.line()
    line.title = "音楽の時間 👩‍🎤 e\u{301}e\u{301}e\u{301} 한국어"
    line.deviceWithoutVolume = "日本"
    for device in [line.device, nil] {
      line.device = device
      for columns in 0...150 {
        let wide = Self.text(line, columns).unicodeScalars.reduce(0) {
          $0 + CharacterWidth.columns($1)
        }
        #expect(wide <= columns)
      }
    }
  }

  @Test func `The volume says whose it is`() {
    var line = Self.line()
    line.title = ""
    line.device?.isMuted = true
    #expect(Self.text(line, 60) == "> 0:12 / 5:05  muted (volume 60%)")
    line.level = 70
    line.device?.isMuted = false
    #expect(Self.text(line, 60) == "> 0:12 / 5:05  volume 60%, own level 70%")
    line.device = nil
    line.deviceWithoutVolume = "DAC"
    line.state = .paused
    #expect(Self.text(line, 60) == "|| 0:12 / 5:05  own level 70%, volume is set on DAC")
  }

  @Test func `A volume that is not known yet is not shown`() {
    var line = Self.line()
    line.device = nil
    line.state = .starting
    #expect(Self.text(line, 60) == "... 0:12 / 5:05  Jóga - Björk")
  }

  @Test func `The level is a cube and 100 changes no sample`() {
    #expect(Level.gain(percent: 100) == .unity)
    #expect(Level.gain(percent: 0) == .silence)
    #expect(Level.gain(percent: 50).linear == 0.125)
  }

  @Test func `Times of every length are readable`() {
    #expect(StatusLine.clock(0) == "0:00")
    #expect(StatusLine.clock(59.99) == "0:59")
    #expect(StatusLine.clock(3723) == "1:02:03")
    #expect(StatusLine.clock(.nan) == "0:00")
    #expect(StatusLine.clock(-3) == "0:00")
  }
}

/// Numbers that are the same in every run.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 33
  }
}
