import Foundation
import Testing

/// A player that runs in a folder of its own, without a terminal and in silence, until it is quit.
final class Playing {
  let process: pid_t
  let folder: Folder
  private var isOver = false

  /// - Parameter folder: another player's, where they are to meet.
  init(
    _ arguments: [String], in folder: Folder? = nil, environment: [String: String] = [:]
  ) throws {
    self.folder = try folder ?? Folder()
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let out = open(
      self.folder.path + "/out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(out) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    for (from, to) in [(null, 0), (out, 1), (out, 2)] {
      posix_spawn_file_actions_adddup2(&actions, from, Int32(to))
    }
    defer { posix_spawn_file_actions_destroy(&actions) }
    process = try spawn(
      arguments.map { Array($0.utf8) },
      Run.environment(["XDG_RUNTIME_DIR": self.folder.path, "HOME": self.folder.path])
        .merging(environment) { $1 }, &actions)
  }

  /// Its output is silence in real time; the track is long.
  convenience init(in folder: Folder? = nil, tracks: Int = 3) throws {
    let folder = try folder ?? Folder()
    let paths = try (1...tracks).map { try folder.write("track \($0).wav", wav(seconds: 600)) }
    try self.init(["play", "--output", "null"] + paths, in: folder)
    try waitUntilItAnswers()
  }

  deinit { end() }

  var place: [String: String] { ["XDG_RUNTIME_DIR": folder.path] }

  var socket: String { "\(folder.path)/sotto/sotto" }

  /// `sotto ctl`, as people run it.
  @discardableResult
  func ctl(_ arguments: String...) throws -> Run {
    try Run((["ctl"] + arguments).map { Array($0.utf8) }, environment: place)
  }

  /// One value of its status.
  func value(_ name: String) throws -> Any? {
    let object = try JSONSerialization.jsonObject(with: Data(ctl("status", "--json").output))
    let value = (object as? [String: Any])?[name]
    return value is NSNull ? nil : value
  }

  func waitUntilItAnswers() throws {
    try #require(
      wait {
        try Run(
          ["ctl", "--instance", "\(process)", "status"].map { Array($0.utf8) },
          environment: place
        ).status == 0 || (ctl("status").status == 0 && value("pid") as? Int == Int(process))
      })
  }

  /// Asks until it is so, at most two minutes; every question is itself a program that runs or a
  /// look at a folder. False where it never was.
  func wait(until isSo: () throws -> Bool) rethrows -> Bool {
    let limit = Date().addingTimeInterval(120)
    while true {
      if try isSo() { return true }
      if Date() > limit { return false }
      sched_yield()
    }
  }

  func kill(_ signal: Int32) { Glibc.kill(process, signal) }

  /// Waits for its end; the status as a shell shows it.
  @discardableResult
  func wait() -> Int32 {
    guard !isOver else { return 0 }
    isOver = true
    var raw: Int32 = 0
    while waitpid(process, &raw, 0) < 0, errno == EINTR {}
    let (status, isSignalled) = Run.ending(raw)
    return isSignalled ? 128 + status : status
  }

  func end() {
    guard !isOver else { return }
    kill(SIGKILL)
    wait()
  }
}

/// A program at a player's control socket that need not behave.
final class Caller: @unchecked Sendable {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0, "\(path): \(String(cString: strerror(errno)))")
    // No test waits for ever.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// False when the other end is closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Nothing more comes from here.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  private var input: [UInt8] = []

  /// The next line; `nil` at the end, or when half a minute brings none.
  func line() -> String? {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        let line = String(decoding: input[..<end], as: UTF8.self)
        input.removeFirst(end + 1)
        return line
      }
      var piece = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      input += piece[..<count]
    }
  }

  func object() -> [String: Any]? {
    line().flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }
}
