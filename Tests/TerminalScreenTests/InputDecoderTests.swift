import TerminalModel
import Testing

@testable import TerminalScreen

@Suite struct InputDecoderTests {
  private static func inputs(_ bytes: [UInt8]) -> [TerminalInput] {
    var decoder = InputDecoder()
    return decoder.feed(bytes)
  }

  private static func inputs(_ text: String) -> [TerminalInput] { inputs(Array(text.utf8)) }

  private static func keys(_ text: String) -> [Key] {
    inputs(text).map { input in
      guard case .key(let key) = input else { return Key(.unknown) }
      return key
    }
  }

  // MARK: Characters

  @Test func `Characters are keys as they were typed`() {
    #expect(
      Self.keys("aZ 7ä日👍")
        == ["a", "Z", " ", "7", "ä", "日", "👍"].map { Key(.character($0)) })
  }

  @Test func `Control characters are keys with control, but for those that have a key`() {
    #expect(
      Self.keys("\u{12}\u{01}\u{1F}") == ["r", "a", "_"].map { Key(.character($0), .control) })
    #expect(Self.inputs([0]) == [.key(Key(.character(" "), .control))])
    #expect(
      Self.keys("\t\r\n\u{7F}\u{8}").map(\.name) == [.tab, .enter, .enter, .backspace, .backspace])
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xE2, 0x82, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xC3, 0xC3, 0xA4], [0xC2, 0x80], [0x80],
    ] as [[UInt8]])
  func `A broken character is no character`(_ bytes: [UInt8]) {
    let inputs = Self.inputs(bytes)
    #expect(inputs.first == .key(Key(.unknown)))
    // What follows and is whole stays.
    let rest = inputs.filter { $0 != .key(Key(.unknown)) }
    let expected: [TerminalInput] =
      bytes.last == 0x41
      ? [.key(Key(.character("A")))] : bytes.last == 0xA4 ? [.key(Key(.character("ä")))] : []
    #expect(rest == expected)
  }

  // MARK: Escape and alt

  @Test func `Escape alone is a key when nothing follows in time`() {
    var decoder = InputDecoder()
    #expect(decoder.feed([0x1B]).isEmpty)
    let patience = decoder.patience ?? 0
    #expect((40...100).contains(patience))
    #expect(decoder.timeOut() == [.key(Key(.escape))])
    #expect(decoder.patience == nil)
    #expect(decoder.timeOut().isEmpty)
  }

  @Test func `The rest of a sequence whose escape timed out is no key`() {
    for rest in ["[A", "OA", "[1;5C", "[<0;10;10M"] {
      var decoder = InputDecoder()
      _ = decoder.feed([0x1B])
      _ = decoder.timeOut()
      #expect(decoder.feed(Array((rest + "x").utf8)) == [.key(Key(.character("x")))], "\(rest)")
    }
    // A bracket that is typed later is one.
    var decoder = InputDecoder()
    _ = decoder.feed([0x1B])
    _ = decoder.timeOut()
    #expect(decoder.feed([0x5B]) == [.key(Key(.character("[")))])
    #expect(decoder.feed([0x41]) == [.key(Key(.character("A")))])
  }

  @Test func `Escape before a key is alt`() {
    #expect(Self.keys("\u{1B}x") == [Key(.character("x"), .alt)])
    #expect(Self.keys("\u{1B}ä") == [Key(.character("ä"), .alt)])
    #expect(Self.keys("\u{1B}\r\u{1B}\u{7F}") == [Key(.enter, .alt), Key(.backspace, .alt)])
    #expect(Self.keys("\u{1B}\u{12}") == [Key(.character("r"), [.alt, .control])])
    #expect(Self.keys("\u{1B}\u{1B}[A") == [Key(.up, .alt)])
    #expect(Self.keys("\u{1B}\u{1B}OP") == [Key(.function(1), .alt)])
  }

  @Test func `Escape pressed often is escape as often`() {
    var decoder = InputDecoder()
    var inputs = decoder.feed([0x1B, 0x1B, 0x1B, 0x1B])
    inputs += decoder.timeOut()
    #expect(inputs == Array(repeating: .key(Key(.escape)), count: 4))
  }

  @Test func `Alt and a key that begins an answer is that key`() {
    for letter in "]P_" {
      var decoder = InputDecoder()
      #expect(decoder.feed(Array("\u{1B}\(letter)".utf8)).isEmpty)
      #expect(decoder.patience == 75)
      #expect(decoder.timeOut() == [.key(Key(.character(letter), .alt))])
      #expect(
        Self.keys("\u{1B}\(letter)q") == [Key(.character(letter), .alt), Key(.character("q"))])
    }
    #expect(
      Self.keys("\u{1B}X\u{1B}^") == [Key(.character("X"), .alt), Key(.character("^"), .alt)])
  }

  // MARK: Sequences

  @Test(arguments: [
    ("\u{1B}[A", Key(.up)), ("\u{1B}OB", Key(.down)), ("\u{1B}[1;5C", Key(.right, .control)),
    ("\u{1B}[1;2D", Key(.left, .shift)), ("\u{1B}[1;8H", Key(.home, [.shift, .alt, .control])),
    ("\u{1B}[F", Key(.end)), ("\u{1B}OH", Key(.home)), ("\u{1B}[1~", Key(.home)),
    ("\u{1B}[4~", Key(.end)), ("\u{1B}[7~", Key(.home)), ("\u{1B}[8~", Key(.end)),
    ("\u{1B}[2~", Key(.insert)), ("\u{1B}[3~", Key(.delete)),
    ("\u{1B}[3;5~", Key(.delete, .control)),
    ("\u{1B}[5~", Key(.pageUp)), ("\u{1B}[6~", Key(.pageDown)),
    ("\u{1B}[6;3~", Key(.pageDown, .alt)),
    ("\u{1B}OP", Key(.function(1))), ("\u{1B}OS", Key(.function(4))),
    ("\u{1B}[1;2R", Key(.function(3), .shift)), ("\u{1B}[R", Key(.function(3))),
    ("\u{1B}[15~", Key(.function(5))), ("\u{1B}[17~", Key(.function(6))),
    ("\u{1B}[21~", Key(.function(10))), ("\u{1B}[24;2~", Key(.function(12), .shift)),
    ("\u{1B}[25~", Key(.function(13))), ("\u{1B}[34~", Key(.function(20))),
    ("\u{1B}[Z", Key(.tab, .shift)), ("\u{1B}OM", Key(.enter)), ("\u{1B}Oq", Key(.character("1"))),
    ("\u{1B}Ok", Key(.character("+"))), ("\u{1B}O5A", Key(.up, .control)),
    // The Linux console.
    ("\u{1B}[[A", Key(.function(1))), ("\u{1B}[[E", Key(.function(5))),
    // rxvt.
    ("\u{1B}[a", Key(.up, .shift)), ("\u{1B}Od", Key(.left, .control)),
    ("\u{1B}[7$", Key(.home, .shift)), ("\u{1B}[6^", Key(.pageDown, .control)),
    ("\u{1B}[5@", Key(.pageUp, [.shift, .control])), ("\u{1B}[11~", Key(.function(1))),
    ("\u{1B}\u{1B}[5~", Key(.pageUp, .alt)),
    // kitty, and xterm's modifyOtherKeys.
    ("\u{1B}[27u", Key(.escape)), ("\u{1B}[114;5u", Key(.character("r"), .control)),
    ("\u{1B}[97;2u", Key(.character("A"))), ("\u{1B}[49:33;2u", Key(.character("!"))),
    ("\u{1B}[13;3u", Key(.enter, .alt)), ("\u{1B}[57419;5u", Key(.up, .control)),
    ("\u{1B}[57376u", Key(.function(13))), ("\u{1B}[57404u", Key(.character("5"))),
    ("\u{1B}[97;9u", Key(.unknown)), ("\u{1B}[97;129u", Key(.character("a"))),
    ("\u{1B}[27;5;114~", Key(.character("r"), .control)),
    ("\u{1B}[27;6;82~", Key(.character("r"), .control)),
    // Nobody's.
    ("\u{1B}[99~", Key(.unknown)), ("\u{1B}[1;2;3;4z", Key(.unknown)),
    ("\u{1B}[55555555555555555555u", Key(.unknown)), ("\u{1B}Oz", Key(.unknown)),
    ("\u{1B}[[z", Key(.unknown)),
  ])
  func `A sequence is the key it stands for`(_ sequence: String, _ key: Key) {
    #expect(Self.inputs(sequence + "x") == [.key(key), .key(Key(.character("x")))])
  }

  @Test func `Keys let go and modifiers alone are nothing`() {
    for sequence in ["\u{1B}[97;1:3u", "\u{1B}[57441;2u", "\u{1B}[57358u"] {
      #expect(Self.inputs(sequence).isEmpty)
    }
  }

  @Test func `A sequence that breaks off is no key, and what breaks it is whole`() {
    #expect(Self.keys("\u{1B}[1;\u{1B}[A") == [Key(.unknown), Key(.up)])
    #expect(Self.keys("\u{1B}[1;\rq") == [Key(.unknown), Key(.enter), Key(.character("q"))])
    #expect(Self.keys("\u{1B}O\u{1B}OA") == [Key(.unknown), Key(.up)])
    #expect(Self.keys("\u{1B}[12é") == [Key(.unknown), Key(.character("é"))])
    #expect(
      Self.keys("\u{1B}[" + String(repeating: "9", count: 300) + "A")
        == [Key(.unknown)])
  }

  @Test func `A sequence that never goes on is no key`() {
    for sequence in ["\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}[[", "\u{1B}[M "] {
      var decoder = InputDecoder()
      #expect(decoder.feed(Array(sequence.utf8)).isEmpty)
      #expect(decoder.patience == 1000)
      #expect(decoder.timeOut() == [.key(Key(.unknown))], "\(sequence.dropFirst())")
      #expect(decoder.feed([0x71]) == [.key(Key(.character("q")))])
    }
    var decoder = InputDecoder()
    _ = decoder.feed([0xE2, 0x82])
    #expect(decoder.timeOut() == [.key(Key(.unknown))])
  }

  // MARK: Answers

  @Test(arguments: [
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\",
    "\u{1B}P1+r5463=31\u{1B}\\", "\u{1B}P>|tmux 3.3a\u{1B}\\", "\u{1B}_Gi=31;OK\u{1B}\\",
    "\u{1B}[?64;4;22c", "\u{1B}[?2026;1$y", "\u{1B}[>41;354;0c", "\u{1B}[0n", "\u{1B}[12;40R",
    "\u{1B}[6;18;9t", "\u{1B}[?1u", "\u{1B}[201~",
  ])
  func `An answer of the terminal is taken whole and is no key`(_ answer: String) {
    #expect(Self.inputs(answer + "q") == [.key(Key(.character("q")))])
  }

  @Test func `Answers are kept for who asked`() {
    var decoder = InputDecoder()
    let text =
      "\u{1B}[?62;4;22c\u{1B}[?2026;2$y\u{1B}[6;18;9t\u{1B}_Gi=31;OK\u{1B}\\\u{1B}_Gi=7,p=1;ENOENT:no\u{1B}\\"
    #expect(decoder.feed(Array(text.utf8)).isEmpty)
    #expect(
      decoder.takeReports() == [
        .graphics(id: 31, "OK"), .graphics(id: 7, "ENOENT:no"),
      ])
    #expect(decoder.takeReports().isEmpty)
  }

  @Test func `An answer without an end holds no key back for ever`() {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}]11;rgb:".utf8)).isEmpty)
    #expect(decoder.patience == 1000)
    #expect(decoder.timeOut().isEmpty)
    #expect(decoder.feed([0x71]) == [.key(Key(.character("q")))])
    // And an escape key begins anew.
    #expect(Self.keys("\u{1B}]11;rgb:\u{1B}[A") == [Key(.up)])
    let endless = [UInt8](repeating: 0x61, count: 100_000)
    #expect(
      Self.inputs(Array("\u{1B}P1".utf8) + endless + Array("\u{1B}\\q".utf8))
        == [.key(Key(.character("q")))])
  }

  // MARK: Mouse and focus

  @Test(arguments: [
    ("\u{1B}[<0;12;3M", MouseEvent(.press(.left), row: 2, column: 11)),
    ("\u{1B}[<0;12;3m", MouseEvent(.release, row: 2, column: 11)),
    ("\u{1B}[<2;300;200M", MouseEvent(.press(.right), row: 199, column: 299)),
    ("\u{1B}[<32;1;1M", MouseEvent(.drag(.left), row: 0, column: 0)),
    ("\u{1B}[<65;5;6M", MouseEvent(.scroll(down: true), row: 5, column: 4)),
    ("\u{1B}[<64;5;6M", MouseEvent(.scroll(down: false), row: 5, column: 4)),
    (
      "\u{1B}[<28;1;1M",
      MouseEvent(.press(.left), row: 0, column: 0, modifiers: [.shift, .alt, .control])
    ),
    ("\u{1B}[M +$", MouseEvent(.press(.left), row: 3, column: 10)),
    ("\u{1B}[M#+$", MouseEvent(.release, row: 3, column: 10)),
    ("\u{1B}[Ma+$", MouseEvent(.scroll(down: true), row: 3, column: 10)),
  ])
  func `The mouse tells its button and its place`(_ sequence: String, _ event: MouseEvent) {
    #expect(Self.inputs(sequence + "x") == [.mouse(event), .key(Key(.character("x")))])
  }

  @Test func `A mouse beyond all screens is nothing`() {
    for sequence in [
      "\u{1B}[<0;0;1M", "\u{1B}[<0;99999999;1M", "\u{1B}[<0;1M", "\u{1B}[<66;1;1M",
      "\u{1B}[<35;1;1M", "\u{1B}[<;;M", "\u{1B}[<128;1;1M",
    ] {
      #expect(Self.inputs(sequence).isEmpty, "\(sequence.dropFirst())")
    }
  }

  @Test func `Focus comes and goes`() {
    #expect(Self.inputs("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
  }

  // MARK: Paste

  @Test func `What is pasted is text, with whatever is in it`() {
    let pasted = "q\r\n\u{3}\u{1B}[A\u{1B}[20\u{1B}[201\u{1B}[200~ä"
    #expect(
      Self.inputs("\u{1B}[200~\(pasted)\u{1B}[201~x")
        == [.paste(pasted), .key(Key(.character("x")))])
    #expect(Self.inputs("\u{1B}[200~\u{1B}\u{1B}[201~") == [.paste("\u{1B}")])
    #expect(Self.inputs("\u{1B}[200~\u{1B}[201~") == [.paste("")])
  }

  @Test func `The end of a paste may come in pieces and late, and a paste never times out`() {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}[200~one\u{1B}[2".utf8)).isEmpty)
    #expect(decoder.patience == nil)
    #expect(decoder.timeOut().isEmpty)
    #expect(decoder.feed(Array("01~".utf8)) == [.paste("one")])
  }

  @Test func `A paste without measure is cut and fires no key`() {
    let bytes =
      Array("\u{1B}[200~".utf8) + [UInt8](repeating: 0x71, count: 3 << 20)
      + Array("\u{1B}[201~x".utf8)
    let inputs = Self.inputs(bytes)
    #expect(inputs.count == 2)
    guard case .paste(let text) = inputs.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count == 1 << 20)
  }

  // MARK: Any bytes, cut anywhere

  @Test func `The same bytes cut anywhere give the same inputs`() {
    var random = SeededGenerator(seed: 5)
    let pieces: [String] = [
      "\u{1B}", "[", "O", "A", "1;5", "~", "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[<0;1;1", "M", "m",
      "]11;", "\u{7}", "\u{1B}\\", "P1", "_G", "i=3;OK", "ä", "日", "\r", "q", "$", "?2026;1$y",
      "\u{1B}[M", "\u{1B}[[", "u", "27;5;114~", "\u{3}", "é",
    ]
    for round in 0..<4000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...14, using: &random) {
        if Int.random(in: 0..<4, using: &random) == 0 {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        } else {
          bytes += Array(pieces.randomElement(using: &random)!.utf8)
        }
      }
      var whole = InputDecoder()
      let expected = whole.feed(bytes)
      let expectedReports = whole.takeReports()
      var cut = InputDecoder()
      var inputs: [TerminalInput] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 0...min(rest.count, 5), using: &random)
        inputs += cut.feed(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(inputs == expected, "round \(round): \(bytes)")
      #expect(cut.takeReports() == expectedReports)
      #expect(cut.patience == whole.patience)
      #expect(cut.timeOut() == whole.timeOut())
      if case .paste? = expected.last { continue }
      // Whatever was torn: after the time out, or the end of a paste, keys are keys again.
      _ = cut.feed(Array("\u{1B}[201~".utf8))
      _ = cut.timeOut()
      #expect(cut.feed([0x71]) == [.key(Key(.character("q")))], "round \(round): \(bytes)")
    }
  }
}
