import Foundation

/// A D-Bus of the test's own, on which nobody is unless the test starts them. Give `address` to the
/// program under test, and `environment` to others. It ends with `close` or when the value goes.
public final class PrivateBus: @unchecked Sendable {
  public let address: String
  /// For programs that are to find it: as the session's bus and as the system's.
  public let environment: [String: String]
  private let folder: TestFolder
  private let socket: String
  private var daemon: ChildProcess?
  private var processes: [ChildProcess] = []

  public init() throws {
    folder = try TestFolder()
    socket = folder.file("bus")
    address = "unix:path=\(socket)"
    try FileManager.default.createDirectory(
      atPath: folder.file("run"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    var environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.path,
      "XDG_RUNTIME_DIR": folder.file("run"), "LC_ALL": "C.UTF-8",
      "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address,
    ]
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    self.environment = environment
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy>
      <limit name="max_replies_per_connection">50000</limit></busconfig>
      """
    _ = try folder.write(Array(configuration.utf8), "bus.conf")
    try Data().write(to: URL(fileURLWithPath: folder.file("log")))
    do {
      try start()
    } catch {
      close()
      throw error
    }
  }

  /// The same beside the thread of the caller, which goes on meanwhile.
  public static func started() async throws -> PrivateBus {
    try await withCheckedThrowingContinuation { answer in
      DispatchQueue.global().async { answer.resume(with: Result { try PrivateBus() }) }
    }
  }

  deinit { close() }

  /// What was written by the programs that the test started.
  public var log: String { String(decoding: (try? folder.read("log")) ?? [], as: UTF8.self) }

  /// Starts the daemon; after `stop`, another one at the same address.
  public func start() throws {
    daemon = try child(
      "dbus-daemon", ["--config-file=\(folder.file("bus.conf"))", "--nofork", "--nopidfile"])
    let limit = Date().addingTimeInterval(120)
    while (try? tool("busctl", ["--address=\(address)", "status"])) == nil {
      guard Date() < limit else {
        throw PrivateServer.Failure(description: "waited in vain for D-Bus:\n\(log.suffix(2000))")
      }
    }
  }

  /// Ends the daemon: everybody loses the connection.
  public func stop() {
    daemon?.signal(SIGKILL)
    daemon?.wait()
    daemon = nil
    try? FileManager.default.removeItem(atPath: socket)
  }

  /// Sends a signal to the daemon.
  public func signal(_ number: Int32) { daemon?.signal(number) }

  /// Starts a program that lives at most as long as the bus; its process id.
  @discardableResult
  public func launch(_ name: String, _ arguments: [String]) throws -> pid_t {
    let process = try child(name, arguments)
    processes.append(process)
    return process.pid
  }

  /// Starts a Python program of the test's. The distribution's Python has the modules.
  @discardableResult
  public func python(_ arguments: [String]) throws -> pid_t {
    try launch("env", ["/usr/bin/python3"] + arguments)
  }

  /// Ends a program that was launched.
  public func end(_ id: pid_t, signal number: Int32 = SIGKILL) {
    guard let process = processes.first(where: { $0.pid == id }) else { return }
    process.signal(number)
    process.wait()
  }

  /// Runs a program to its end and returns what it wrote; an error when its status is not 0.
  @discardableResult
  public func tool(_ name: String, _ arguments: [String]) throws -> String {
    let output = Pipe.ours()
    let process = try ChildProcess(
      name, arguments, environment: environment,
      output: output.fileHandleForWriting.fileDescriptor,
      errors: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard process.wait() == 0 else {
      throw PrivateServer.Failure(description: "\(name) \(arguments) failed: \(text.prefix(500))")
    }
    return text
  }

  /// The same beside the threads that tests run on.
  @discardableResult
  public func ask(_ name: String, _ arguments: String...) async throws -> String {
    try await withCheckedThrowingContinuation { answer in
      DispatchQueue.global().async {
        answer.resume(with: Result { try self.tool(name, arguments) })
      }
    }
  }

  /// A file in the bus's folder.
  public func write(_ name: String, _ text: String) throws -> String {
    try folder.write(Array(text.utf8), name)
  }

  public func close() {
    for process in processes.reversed() {
      process.signal(SIGKILL)
      process.wait()
    }
    processes = []
    daemon?.signal(SIGKILL)
    daemon?.wait()
    daemon = nil
  }

  private func child(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("log")))
    try log.seekToEnd()
    return try ChildProcess(
      name, arguments, environment: environment, output: log.fileDescriptor,
      errors: log.fileDescriptor)
  }
}

/// Waits until the condition holds: looks again and again, and leaves the thread to others between.
/// False where it never does within three minutes.
@MainActor public func holds(_ condition: @MainActor () -> Bool) async -> Bool {
  let limit = ContinuousClock.now + .seconds(180)
  while !condition() {
    if ContinuousClock.now > limit { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}
