import AudioTypes
import PlayQueue
import Testing

@testable import PlayerState

@Suite struct CommandTests {
  static let all: [PlayerCommand] = [
    .play, .pause, .toggle, .stop, .next, .previous, .force, .seek(.by(5)), .seek(.by(-60.5)),
    .seek(.to(83)), .seek(.part(0.5)), .choose(11), .volume(.to(40)), .volume(.by(5)),
    .volume(.by(-5)), .ringer(.by(0)), .level(.to(100)), .mute, .silent(.on), .gain(.album),
    .attempt(.call), .attempt(.headphones), .shuffle(.toggle), .repeating(.cycle),
    .repeating(.one), .single(.off),
    .shuffle(.albums), .stopAfter(.toggle), .consume(.on), .sleep(.after(5400)),
    .sleep(.after(59)), .sleep(.track), .sleep(.off), .sleep(.toggle),
    .alarm(.set(AlarmTime("7:30")!)), .alarm(.set(AlarmTime("07:30:15", days: .weekdays)!)),
    .alarm(.off), .alarm(.tell),
    .add([Array("/m/a b.flac".utf8), [0x2F, 0xFF, 0x0A]], .end),
    .add([Array("it's".utf8)], .next), .add([Array("ü".utf8)], .replace), .remove([0, 1, 2, 6]),
    .move([3], to: 0), .move([0, 2], to: .max), .moveNext([4]), .cut([0]), .copy([1]),
    .paste(at: 2), .paste(at: .max), .clear, .undo, .redo, .save("My list"),
    .save("x", replaces: true),
    .save("replace"),
    .list(Array("My list".utf8), .move([0, 1], to: 4)),
    .rate(4), .rate(3.5), .rate(nil),
    .device("alsa_output.pci-0000_00_1f.3.analog-stereo"), .ignore("Some Program"),
    .preview(TrackLocation("/x")), .preview(TrackLocation(path: [0x2F, 0xFF], start: 61.5)),
    .preview(TrackLocation(path: Array("a b".utf8), start: 0, end: 4.25)),
    .browse(Array("~/Music".utf8)), .theme("paper"),
    .set(name: "spectrum", value: "off"), .quit,
  ]

  @Test func `Every command is written as a line that is read back as the same`() throws {
    for command in Self.all {
      #expect(try PlayerCommand(command.text) == command, "\(command.text)")
    }
    let named = Set(Self.all.map { String($0.text.split(separator: " ")[0]) })
    #expect(named == Set(CommandSpec.player.map(\.name)))
  }

  @Test(
    arguments: [
      ("seek +5", .seek(.by(5))), ("seek 1:23", .seek(.to(83))), ("seek -1:00", .seek(.by(-60))),
      ("seek 1:02:03.5", .seek(.to(3723.5))), ("volume 40%", .volume(.to(40))),
      ("  level   -5 ", .level(.by(-5))), ("shuffle", .shuffle(.toggle)),
      ("sleep 1h30m", .sleep(.after(5400))), ("sleep 90s", .sleep(.after(90))),
      ("repeat", .repeating(.cycle)), ("remove 7,1-3,2", .remove([0, 1, 2, 6])),
      ("playlist x play 3", .list(Array("x".utf8), .play(2))),
      ("playlist x play", .list(Array("x".utf8), .put(nil, .replace))),
      ("playlist x open", .list(Array("x".utf8), .put(nil, .replace))),
      ("playlist x add", .list(Array("x".utf8), .put(nil, .end))),
      ("playlist x next", .list(Array("x".utf8), .put(nil, .next))),
      ("remove 1,\(Int.max)", .remove([0, .max - 1])), ("volume -1000", .volume(.by(-1000))),
      ("add \"a b\" c\\ d", .add([Array("a b".utf8), Array("c d".utf8)], .end)),
    ] as [(String, PlayerCommand)])
  func `A line is read as people write it`(_ line: String, _ command: PlayerCommand) throws {
    #expect(try PlayerCommand(line) == command)
  }

  @Test(
    arguments: [
      ("", "a command is missing"),
      ("seke 5", "unknown command 'seke', did you mean 'seek'?"),
      ("preview x soon", "'preview' takes PATH [FROM [TO]], not 'soon'"),
      ("preview x 1:00 0:59", "'preview' takes PATH [FROM [TO]], not '59'"),
      ("shuf", "unknown command 'shuf', did you mean 'shuffle'?"),
      ("xyzzy", "unknown command 'xyzzy'"),
      ("\u{1B}[2J", "unknown command '\u{FFFD}[2J'"),
      ("seek soon", "'seek' takes [+|-]TIME|PERCENT%, not 'soon'"),
      ("seek 1:75", "'seek' takes [+|-]TIME|PERCENT%, not '1:75'"),
      ("seek 1e3", "'seek' takes [+|-]TIME|PERCENT%, not '1e3'"),
      ("seek +0x10", "'seek' takes [+|-]TIME|PERCENT%, not '+0x10'"),
      ("seek 1e1%", "'seek' takes [+|-]TIME|PERCENT%, not '1e1%'"),
      ("rate 1e0", "'rate' takes 0 to 5 in whole and half stars, not '1e0'"),
      ("save My list", "'save' takes NAME [replace], not 'list' too"),
      ("seek 200%", "'seek' takes [+|-]TIME|PERCENT%, not '200%'"),
      ("volume", "'volume' needs [+|-]PERCENT"),
      ("volume 1e3", "'volume' takes [+|-]PERCENT, not '1e3'"),
      ("volume \(Int.min)", "'volume' takes [+|-]PERCENT, not '\(Int.min)'"),
      ("level +\(Int.max)", "'level' takes [+|-]PERCENT, not '+\(Int.max)'"),
      ("play now", "'play' takes nothing, not 'now' too"),
      ("repeat al", "'repeat' takes off, all, one, cycle, not 'al', did you mean 'all'?"),
      ("remove 0", "'remove' takes ROWS, not '0'"),
      ("remove 1-99999999999999999999", "'remove' takes ROWS, not '1-99999999999999999999'"),
      ("remove 1-9000000,2", "'remove' takes ROWS, not '1-9000000,2'"),
      ("remove 1-\(Int.max)", "'remove' takes ROWS, not '1-\(Int.max)'"),
      ("add 'x", "a quote is not closed"),
      ("move 1", "'move' needs ROWS ROW|end"),
      ("sleep 30", "'sleep' takes [TIME|track|off], not '30'"),
      ("sleep 5m1h", "'sleep' takes [TIME|track|off], not '5m1h'"),
      ("sleep 0m", "'sleep' takes [TIME|track|off], not '0m'"),
      (
        "sleep 99999999999999999999m", "'sleep' takes [TIME|track|off], not '99999999999999999999m'"
      ),
      ("alarm 24:00", "'alarm' takes [HH:MM [once|daily|weekdays]|off], not '24:00'"),
      ("alarm 7", "'alarm' takes [HH:MM [once|daily|weekdays]|off], not '7'"),
      ("alarm 7:5", "'alarm' takes [HH:MM [once|daily|weekdays]|off], not '7:5'"),
      (
        "alarm 7:30 dayly",
        "'alarm' takes once, daily, weekdays, not 'dayly', did you mean 'daily'?"
      ),
      ("playlist x remove", "'playlist NAME remove' needs ROWS"),
      ("playlist x play soon", "'playlist NAME play' takes [ROW], not 'soon'"),
      ("playlist x undo 1", "'playlist NAME undo' takes nothing, not '1' too"),
      ("sleep m", "'sleep' takes [TIME|track|off], not 'm'"),
      ("consume togle", "'consume' takes on, off, toggle, not 'togle', did you mean 'toggle'?"),
    ])
  func `A line that is none says why`(_ line: String, _ sentence: String) {
    #expect(throws: CommandError(sentence)) { try PlayerCommand(line) }
  }

  @Test func `The end of a line is completed`() {
    func complete(_ line: String) -> [String] {
      CommandSpec.completions(of: line, among: CommandSpec.player) {
        $0 == .device ? ["usb", "built in"] : []
      }
    }
    #expect(complete("sh") == ["shuffle "])
    #expect(complete("un") == ["undo"])
    #expect(complete("repeat ") == ["repeat off", "repeat all", "repeat one", "repeat cycle"])
    #expect(complete("  repeat   o") == ["repeat off", "repeat one"])
    #expect(complete("device b") == ["device 'built in'"])
    #expect(complete("nothing x") == [])
    #expect(complete("").count == CommandSpec.player.count)
  }

  @Test func `A word is what its quotes and backslashes say, however long it is`() {
    func words(_ line: String) -> [String] {
      CommandWords(line).words.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(words(" a'b c'd\\ e \"\" \\x41'\"' ") == ["ab cd e", "", "A\""])
    #expect(CommandWords("a ''").endsInWord && !CommandWords("'a' ").endsInWord)
    #expect(CommandWords("'a ").openQuote == UInt8(ascii: "'"))
    // Each byte that is quoted or escaped once cost a copy of all before it.
    let long = String(repeating: "\\ ", count: 300_000)
    #expect(words("add \(long) '\(long)'").map(\.utf8.count) == [3, 300_000, 300_000])
  }

  @Test func `Changes stay within their bounds`() {
    #expect(PlayerCommand.Change.by(5).applied(to: 98) == 100)
    #expect(PlayerCommand.Change.by(5).applied(to: 120) == 120)
    #expect(PlayerCommand.Change.by(-5).applied(to: 120) == 115)
    #expect(PlayerCommand.Change.to(-3).applied(to: 50) == 0)
    #expect(PlayerCommand.Change.by(.max).applied(to: .max) == 100_000)
    #expect(PlayerCommand.Switch.toggle.applied(to: true) == false)
    var mode = RepeatMode.off
    let modes = (0..<3).map { _ in
      mode = PlayerCommand.RepeatWish.cycle.applied(to: mode)
      return mode
    }
    #expect(modes == [.all, .one, .off])
  }

  @Test func `No line is too strange to be read`() {
    var seed: UInt64 = 1
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let pieces =
      CommandSpec.player.map(\.name) + [
        " ", "'", "\"", "\\", "\\x", "-", "+", "1", "99999999999999999999", ",", ":", "%", "\u{0}",
        "end", ".", "e9", "日本", "\u{301}", "nan", "inf", "0x1p3", "\(Int.max)", "\(Int.min)",
      ]
    for _ in 0..<2000 {
      let line = (0..<next(6)).map { _ in pieces[next(pieces.count)] + (next(2) == 0 ? " " : "") }
        .joined()
      if let command = try? PlayerCommand(line) {
        #expect((try? PlayerCommand(command.text)) == command, "\(line) -> \(command.text)")
      }
      _ = CommandSpec.completions(of: line, among: CommandSpec.player)
    }
  }
}
