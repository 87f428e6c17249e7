import Foundation
import TerminalModel
import TestSupport
import Testing

@testable import ScreenTrial
@testable import TerminalScreen

/// Known grids on a real terminal.
@Suite(.enabled(if: Tool.isIntegration), .serialized, .timeLimit(.minutes(15))) struct TmuxTests {
  private static let trial = BuiltProgram.path("ScreenTrial")

  private static func tmux(
    columns: Int, rows: Int, term: String = "tmux-256color", locale: String = "C.UTF-8"
  ) throws -> PrivateTmux {
    // As on another machine: TERM stays what tmux set, or what a user set.
    // Something lives on in the pane, or tmux would write of its death.
    try PrivateTmux(
      "LANG=\(locale) TERM=\(term) \(trial); echo status $?; exec cat", columns: columns,
      rows: rows)
  }

  /// What differs between the pane and the pattern of a step; nil when nothing does.
  private static func difference(
    _ tmux: PrivateTmux, columns: Int, rows: Int, step: Int, note: String = "",
    _ capabilities: Capabilities
  ) throws -> String? {
    let grid = Pattern.grid(columns: columns, rows: rows, step: step, note: note)
    let lines = try tmux.rows(colors: true)
    guard lines.count == rows else { return "\(lines.count) rows instead of \(rows)" }
    // What tmux gives is text with styles; a terminal in memory reads it.
    var shown = TerminalEmulator(columns: columns, rows: rows)
    for (row, line) in lines.enumerated() where !Pattern.isDisputed(row: row) {
      shown.feed(Array("\u{1B}[\(row + 1)H\(line)".utf8))
    }
    shown.feed(Array("\u{1B}[m".utf8))
    return shown.difference(from: grid, capabilities) { row, _ in !Pattern.isDisputed(row: row) }
  }

  private static func shows(
    _ tmux: PrivateTmux, columns: Int, rows: Int, step: Int, note: String = "",
    _ capabilities: Capabilities
  ) throws {
    var last: String?
    let isShown = try tmux.wait {
      last = try difference(
        tmux, columns: columns, rows: rows, step: step, note: note, capabilities)
      return last == nil
    }
    #expect(isShown, "\(columns)x\(rows), step \(step): \(last ?? "")")
  }

  @MainActor private static func capabilities(_ term: String, locale: String = "C.UTF-8") throws
    -> Capabilities
  {
    let environment = ["TERM": term, "LANG": locale]
    return try Capabilities.detect(variable: { environment[$0] }, terminfo: TerminfoEntry.read)
  }

  @Test(arguments: [(20, 4), (40, 12), (80, 24), (120, 35), (200, 60)])
  @MainActor func `Grids of every size are shown cell by cell, one after the other`(
    _ columns: Int, _ rows: Int
  ) throws {
    let tmux = try Self.tmux(columns: columns, rows: rows)
    let capabilities = try Self.capabilities("tmux-256color")
    try Self.shows(tmux, columns: columns, rows: rows, step: 0, capabilities)
    for step in 1...4 {
      try tmux.type("x")
      try Self.shows(
        tmux, columns: columns, rows: rows, step: step, note: "key character(\"x\") 0", capabilities
      )
    }
    try tmux.type("q")
    #expect(try tmux.wait { try tmux.rows().contains("status 0") })
  }

  @Test(arguments: ["xterm-256color", "screen", "linux", "vt100", "tmux", "xterm-kitty"])
  @MainActor func `On each terminal its own colours and attributes are used`(_ term: String) throws
  {
    let tmux = try Self.tmux(columns: 60, rows: 12, term: term)
    let capabilities = try Self.capabilities(term)
    try Self.shows(tmux, columns: 60, rows: 12, step: 0, capabilities)
    try tmux.type("\u{1B}[A")
    try Self.shows(tmux, columns: 60, rows: 12, step: 1, note: "key up 0", capabilities)
  }

  @Test func `After a character that tmux sees otherwise the rest of the row is in its place`()
    throws
  {
    let tmux = try Self.tmux(columns: 80, rows: 12)
    #expect(
      try tmux.wait {
        let rows = try tmux.rows()
        return rows.count == 12
          && [3, 7, 11].allSatisfy { rows[$0].contains("80x12 step 0 row \($0)│") }
      })
    // The right edge did not move.
    for row in [3, 7, 11] { #expect(try tmux.rows()[row].hasSuffix("│")) }
  }

  @Test(arguments: [("dumb", "dumb"), ("teletype-9000", "'teletype-9000'"), ("", "not set")])
  func `A terminal that cannot be painted on is told and left alone`(_ term: String, _ word: String)
    throws
  {
    let tmux = try Self.tmux(columns: 120, rows: 5, term: term)
    #expect(try tmux.wait { try tmux.rows().contains("status 69") })
    #expect(try tmux.rows()[0].contains(word))
  }

  @Test func `Without UTF-8 the screen is ASCII in the same columns`() throws {
    let tmux = try Self.tmux(columns: 40, rows: 3, locale: "C")
    #expect(try tmux.wait { try tmux.rows().first?.contains("40x3 step 0 row 0|") == true })
    for row in try tmux.rows() {
      #expect(row.allSatisfy { $0.isASCII } && row.count == 40, "\(row)")
    }
  }

  @Test @MainActor func `A storm of sizes ends in the grid of the last one`() throws {
    let tmux = try Self.tmux(columns: 80, rows: 24)
    let capabilities = try Self.capabilities("tmux-256color")
    try Self.shows(tmux, columns: 80, rows: 24, step: 0, capabilities)
    for (columns, rows) in [
      (20, 4), (200, 60), (21, 5), (40, 12), (1, 1), (120, 35), (79, 24), (33, 7), (100, 30),
    ] {
      try tmux.tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }
    try Self.shows(tmux, columns: 100, rows: 30, step: 0, capabilities)
    try tmux.tell("resize-window", "-x", "20", "-y", "4")
    try Self.shows(tmux, columns: 20, rows: 4, step: 0, capabilities)
  }

  @Test @MainActor func `Mouse, paste and focus come as what they are`() throws {
    let tmux = try Self.tmux(columns: 80, rows: 6)
    let capabilities = try Self.capabilities("tmux-256color")
    try Self.shows(tmux, columns: 80, rows: 6, step: 0, capabilities)
    #expect(try tmux.value("mouse_button_flag") == "1")
    #expect(try tmux.value("mouse_sgr_flag") == "1")
    for (step, (typed, note)) in [
      ("\u{1B}[<0;11;3M", "mouse press(TerminalModel.MouseEvent.Button.left) at 2 10"),
      ("\u{1B}[200~q\u{3}c\u{1B}[201~", "paste 3 bytes"), ("\u{1B}[I", "focus true"),
      ("\u{1B}", "key escape 0"),
    ].enumerated() {
      try tmux.type(typed)
      try Self.shows(
        tmux, columns: 80, rows: 6, step: step + 1, note: note, capabilities)
    }
  }

  @Test @MainActor func `Stopped and continued, the terminal is given back and taken again`() throws
  {
    let tmux = try PrivateTmux(
      // The shell waits at each gate: what is typed to it may be thrown away with the terminal's mode.
      "cd $HOME; mkfifo gate1 gate2; stty -g > before; sh -mc 'echo shell; \(Self.trial); cat gate1;"
        + " stty -g > after; cmp before after && echo same; cat gate2; fg; exec cat'",
      columns: 60, rows: 10)
    let capabilities = try Self.capabilities("tmux-256color")
    try Self.shows(tmux, columns: 60, rows: 10, step: 0, capabilities)
    try tmux.type("\u{1A}")
    #expect(try tmux.wait { try tmux.rows().first == "shell" })
    #expect(try tmux.value("alternate_on") == "0")
    #expect(try tmux.value("cursor_flag") == "1")
    try tmux.tell("run-shell", "-b", "echo > $HOME/gate1")
    #expect(try tmux.wait { try tmux.rows().contains("same") })
    try tmux.tell("run-shell", "-b", "echo > $HOME/gate2")
    try Self.shows(tmux, columns: 60, rows: 10, step: 0, capabilities)
    #expect(try tmux.value("alternate_on") == "1")
    #expect(try tmux.value("cursor_flag") == "0")
  }

  @Test(arguments: ["q", "c", "p", "\u{3}", "TERM", "INT", "HUP"])
  func `However it ends, the terminal is as it was`(_ way: String) throws {
    // The interrupt key goes to the whole job, and the shell must survive it.
    let tmux = try PrivateTmux(
      "trap : INT; echo before; stty -g > $HOME/before; sh -c 'echo $$ > $HOME/pid; exec \(Self.trial)';"
        + " stty -g > $HOME/after; cmp $HOME/before $HOME/after && echo same; exec cat",
      columns: 60, rows: 10)
    #expect(try tmux.wait { try tmux.rows().first?.contains("step 0") == true })
    #expect(try tmux.value("alternate_on") == "1")
    #expect(try tmux.value("cursor_flag") == "0")
    #expect(try tmux.value("wrap_flag") == "0")
    if way.count == 1 {
      try tmux.type(way)
    } else {
      try tmux.tell("run-shell", "kill -\(way) $(cat $HOME/pid)")
    }
    #expect(try tmux.wait { try tmux.rows().contains("same") })
    #expect(try tmux.rows().first == "before")
    for (format, value) in [
      ("alternate_on", "0"), ("cursor_flag", "1"), ("wrap_flag", "1"), ("mouse_button_flag", "0"),
      ("mouse_sgr_flag", "0"),
    ] {
      #expect(try tmux.value(format) == value, "\(format)")
    }
  }
}
