import Foundation
import Glibc

/// A tmux server of the test's own: own socket, home and configuration, ended with the value. One
/// session with one pane, whose screen can be read.
public final class PrivateTmux: @unchecked Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  private let folder: TestFolder
  private let socket: String
  private let environment: [String: String]
  private var isOpen = true

  /// Runs a command of `sh` in a terminal of that size. `term` is the terminal that tmux says to be.
  public init(
    _ command: String, columns: Int, rows: Int, term: String = "tmux-256color",
    environment changes: [String: String] = [:]
  ) throws {
    folder = try TestFolder()
    socket = folder.file("socket")
    var environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
      "HOME": folder.path, "TMUX_TMPDIR": folder.path, "TERM": "xterm-256color", "SHELL": "/bin/sh",
    ]
    for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
    self.environment = environment.merging(changes) { $1 }
    let configuration = """
      set -g status off
      set -g default-terminal \(term)
      set -g remain-on-exit on
      set -s escape-time 0
      """
    let path = try folder.write(Array(configuration.utf8), "tmux.conf")
    try tell(
      "-f", path, "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command)
  }

  deinit { close() }

  /// Ends the server and what runs in it.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    _ = try? tell("kill-server")
  }

  /// Tells the server a command of tmux; what it answers.
  @discardableResult
  public func tell(_ words: String...) throws -> String {
    // Into a file: a server that another test starts at this moment could hold the end of a pipe.
    let path = folder.file("answer")
    let answers = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard answers >= 0 else { throw Failure(description: "\(path) cannot be written") }
    defer { Glibc.close(answers) }
    let status = try ChildProcess(
      "tmux", ["-u", "-S", socket] + words, environment: environment, output: answers,
      errors: answers
    ).wait()
    let answer = String(decoding: try folder.read("answer"), as: UTF8.self)
    guard status == 0 else {
      throw Failure(description: "tmux \(words.joined(separator: " ")): \(status), \(answer)")
    }
    return answer
  }

  /// The rows of the screen, with the escape sequences of their colours or without.
  public func rows(colors: Bool = false) throws -> [String] {
    let text =
      try colors
      ? tell("capture-pane", "-p", "-e", "-N") : tell("capture-pane", "-p")
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if rows.last == "" { rows.removeLast() }
    return rows
  }

  /// Types text as it is.
  public func type(_ text: String) throws {
    let bytes = text.utf8.map { String($0, radix: 16) }
    var words = ["send-keys", "-H"]
    words += bytes
    try tell(words)
  }

  private func tell(_ words: [String]) throws {
    let process = try ChildProcess("tmux", ["-u", "-S", socket] + words, environment: environment)
    guard process.wait() == 0 else { throw Failure(description: "tmux \(words) failed") }
  }

  /// A value of tmux's formats, such as "pane_dead".
  public func value(_ format: String) throws -> String {
    try tell("display-message", "-p", "#{\(format)}").trimmingCharacters(in: .newlines)
  }

  /// Asks until the answer is right, at most `timeout` seconds. False where it never was. Each
  /// question is a client of its own, which takes a few milliseconds.
  public func wait(timeout: TimeInterval = 120, until isRight: () throws -> Bool) rethrows -> Bool {
    let limit = Date().addingTimeInterval(timeout)
    while true {
      if try isRight() { return true }
      if Date() > limit { return false }
    }
  }
}

/// A program that was built beside the tests.
public enum BuiltProgram {
  public static func path(_ name: String) -> String {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((tests ?? "") as NSString).deletingLastPathComponent + "/" + name
  }
}
