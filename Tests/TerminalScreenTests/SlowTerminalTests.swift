import Foundation
import TerminalModel
import TestSupport
import Testing

@testable import ScreenTrial
@testable import TerminalScreen

/// A terminal that is not read.
@Suite(.enabled(if: Tool.isIntegration), .timeLimit(.minutes(15))) struct SlowTerminalTests {
  /// Reads a descriptor until `wanted` has come; false at its end and after twenty seconds without
  /// a byte.
  fileprivate static func reads(_ descriptor: Int32, _ text: inout [UInt8], until wanted: String)
    -> Bool
  {
    let wanted = Array(wanted.utf8)
    while true {
      if text.count >= wanted.count,
        text.indices.dropLast(wanted.count - 1).contains(where: { text[$0...].starts(with: wanted) }
        )
      {
        return true
      }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, 120_000) > 0 else { return false }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return false }
      text += bytes[..<count]
    }
  }

  /// What came so far, as a terminal in memory shows it.
  private final class Shown {
    private let terminal: PseudoTerminal
    private var screen: TerminalEmulator
    private(set) var bursts = 0
    private var rest: [UInt8] = []
    private let capabilities: Capabilities

    init(_ terminal: PseudoTerminal, columns: Int, rows: Int) {
      self.terminal = terminal
      screen = TerminalEmulator(columns: columns, rows: rows)
      var indexed = Capabilities.modern
      indexed.colors = .indexed
      capabilities = indexed
    }

    /// Reads until the grid of a step is shown.
    func waits(for step: Int) -> Bool {
      let grid = Pattern.grid(columns: screen.columns, rows: screen.rows, step: step)
      // Bursts end in this; what is half of one waits for its rest.
      while SlowTerminalTests.reads(terminal.master, &rest, until: "\u{1B}[?2026l") {
        let mark = Array("\u{1B}[?2026l".utf8)
        while let end = rest.indices.dropLast(mark.count - 1)
          .first(where: { rest[$0] == 0x1B && rest[$0...].starts(with: mark) })
        {
          screen.feed(Array(rest[..<(end + mark.count)]))
          rest.removeFirst(end + mark.count)
          bursts += 1
        }
        if screen.difference(from: grid, capabilities) == nil { return true }
        if let fault = screen.faults.first {
          Issue.record("\(fault)")
          return false
        }
      }
      return false
    }
  }

  @Test func `A terminal that takes nothing holds up nobody, and then shows the latest`() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    var errors: [Int32] = [0, 0]
    try #require(pipe(&errors) == 0)
    for end in errors { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let child = try terminal.start(
      BuiltProgram.path("ScreenTrial"), environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"],
      errors: errors[1])
    close(errors[1])
    defer { close(errors[0]) }
    let screen = Shown(terminal, columns: 80, rows: 24)
    #expect(screen.waits(for: 0))
    // Two thousand grids, which are megabytes, and nobody reads.
    terminal.type("f")
    var said: [UInt8] = []
    #expect(Self.reads(errors[0], &said, until: "flooded\n"))
    // The flag of the shell's own opening of the terminal is as it was.
    #expect(fcntl(terminal.slave, F_GETFL) & O_NONBLOCK == 0)
    #expect(screen.waits(for: 2001))
    // Most of them were never painted.
    #expect(screen.bursts < 500)
    // Keys are read as before, and it ends.
    terminal.type("q")
    var shown: [UInt8] = []
    #expect(Self.reads(terminal.master, &shown, until: "\u{1B}[?1049l"))
    #expect(terminal.waitForEnd(of: child) == 0)
    #expect(terminal.isAsFound)
  }

  @Test func `A terminal that was stopped for good does not keep the program from ending`() throws {
    let terminal = try PseudoTerminal(columns: 200, rows: 60)
    let child = try terminal.start(
      BuiltProgram.path("ScreenTrial"), environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])
    let screen = Shown(terminal, columns: 200, rows: 60)
    #expect(screen.waits(for: 0))
    terminal.stopOutput()
    terminal.type("xxxq")
    #expect(terminal.waitForEnd(of: child) == 0)
    #expect(terminal.isAsFound)
  }
}
