import Foundation

/// A sound server of the test's own: PulseAudio, or PipeWire with WirePlumber and pipewire-pulse
/// under a D-Bus of its own. It has a home and a run-time folder of its own, so that neither the
/// user's server nor the user's settings are touched, and null sinks whose monitors can be recorded.
///
/// Give `address` to `PulseBackend(server:)`, and `environment` to programs that are started. The
/// server ends with `close` or when the value goes; also when the test stopped it with a signal.
public final class PrivateServer: @unchecked Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case pulseAudio, pipeWire
  }

  /// A simulated device: `name` plays, `name.monitor` records what it played.
  public struct Sink: Sendable {
    public var name: String
    public var rate: Int
    public var channels: Int
    /// PulseAudio's name of the sample format; "float32le" passes float samples unchanged.
    public var format: String
    /// Device properties, such as ["device.form_factor": "headphone"].
    public var properties: [String: String]

    public init(
      _ name: String, rate: Int = 48000, channels: Int = 2, format: String = "float32le",
      properties: [String: String] = [:]
    ) {
      self.name = name
      self.rate = rate
      self.channels = channels
      self.format = format
      self.properties = properties
    }

    /// The arguments of module-null-sink.
    var arguments: [String] {
      var words = ["sink_name=\(name)", "rate=\(rate)", "channels=\(channels)"]
      words.append("format=\(format)")
      if !properties.isEmpty {
        let pairs = properties.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value)'" }
        words.append("sink_properties=\"\(pairs.joined(separator: " "))\"")
      }
      return words
    }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  public let kind: Kind
  /// The address as in PULSE_SERVER.
  public let address: String
  /// The environment for programs that should use this server.
  public let environment: [String: String]
  /// What the server's programs wrote.
  public var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

  private let folder: URL
  private let logFile: URL
  private var processes: [ChildProcess] = []
  /// The server itself; the others serve it.
  private var server: ChildProcess?
  /// PipeWire itself, where there is one.
  private var graph: ChildProcess?

  /// Starts the server and returns when it answers and has its sinks; the first is the default.
  /// Takes up to two minutes before it fails.
  public init(_ kind: Kind, sinks: [Sink] = [Sink("speakers")]) throws {
    self.kind = kind
    // Short, since a socket's path has at most 107 bytes.
    let name = "sotto-" + String(UInt32.random(in: 0...UInt32.max), radix: 36)
    folder = URL(fileURLWithPath: "/tmp").appendingPathComponent(name)
    logFile = folder.appendingPathComponent("log")
    let files = FileManager.default
    for part in ["home", "run"] {
      try files.createDirectory(
        at: folder.appendingPathComponent(part), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try Data().write(to: logFile)
    let run = folder.appendingPathComponent("run").path
    address = "unix:\(run)/pulse/native"
    var environment = ProcessInfo.processInfo.environment
    for key in environment.keys where key.hasPrefix("XDG_") || key.hasPrefix("PULSE_") {
      environment[key] = nil
    }
    environment["HOME"] = folder.appendingPathComponent("home").path
    environment["XDG_RUNTIME_DIR"] = run
    environment["PULSE_SERVER"] = address
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(run)/bus"
    environment["LC_ALL"] = "C"
    self.environment = environment
    do {
      switch kind {
      case .pulseAudio: try startPulseAudio(sinks)
      case .pipeWire: try startPipeWire(sinks)
      }
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  private func startPulseAudio(_ sinks: [Sink]) throws {
    var arguments = [
      "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=stderr",
      "-L", "module-native-protocol-unix",
    ]
    for sink in sinks {
      arguments += ["-L", (["module-null-sink"] + sink.arguments).joined(separator: " ")]
    }
    server = try start("pulseaudio", arguments)
    try wait(for: "PulseAudio to answer") { (try? tool("pactl", ["info"])) != nil }
  }

  private func startPipeWire(_ sinks: [Sink]) throws {
    let run = folder.appendingPathComponent("run").path
    try start(
      "dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(run)/bus"])
    try wait(for: "D-Bus") { FileManager.default.fileExists(atPath: "\(run)/bus") }
    graph = try start("pipewire", [])
    try wait(for: "PipeWire") { FileManager.default.fileExists(atPath: "\(run)/pipewire-0") }
    try start("wireplumber", [])
    server = try start("pipewire-pulse", [])
    try wait(for: "pipewire-pulse to answer") { (try? tool("pactl", ["info"])) != nil }
    for sink in sinks { try add(sink) }
    guard let first = sinks.first else { return }
    // The session manager links streams only after it has chosen a default.
    try wait(for: "the default sink") {
      _ = try? tool("pactl", ["set-default-sink", first.name])
      return (try? tool("pactl", ["get-default-sink"]))?.hasPrefix(first.name) == true
    }
  }

  /// Adds a sink and returns the number by which `remove` takes it away.
  @discardableResult
  public func add(_ sink: Sink) throws -> Int {
    let answer = try tool("pactl", ["load-module", "module-null-sink"] + sink.arguments)
    try wait(for: "the sink \(sink.name)") {
      (try? tool("pactl", ["list", "short", "sinks"]))?.contains("\t\(sink.name)\t") == true
    }
    return Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
  }

  /// The module's number of a sink that was there from the start.
  public func module(of sink: String) throws -> Int {
    for line in try tool("pactl", ["list", "short", "modules"]).split(separator: "\n") {
      if line.contains("sink_name=\(sink)") { return Int(line.prefix { $0.isNumber }) ?? -1 }
    }
    throw Failure(description: "no module of \(sink)")
  }

  /// Takes a sink away, as when a USB device is pulled.
  public func remove(module: Int) throws { try tool("pactl", ["unload-module", String(module)]) }

  /// Runs a program to its end and returns what it wrote; an error when its status is not 0.
  @discardableResult
  public func tool(_ name: String, _ arguments: [String]) throws -> String {
    let output = Pipe.ours()
    let process = try ChildProcess(
      name, arguments, environment: environment,
      output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    guard process.wait() == 0 else {
      throw Failure(description: "\(name) \(arguments.joined(separator: " ")) failed")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Starts a program that uses the server and lives at most as long as it.
  public func launch(_ name: String, _ arguments: [String]) throws {
    try start(name, arguments)
  }

  /// A program beside the one under test, until `end`; it lives at most as long as the server.
  ///
  /// - Parameter variables: beside those of the server.
  public func guest(
    _ name: String, _ arguments: [String], variables: [String: String] = [:], output: Int32 = -1
  ) throws -> Guest {
    let process = try ChildProcess(
      name, arguments, environment: environment.merging(variables) { $1 }, output: output)
    processes.append(process)
    return Guest(process: process)
  }

  public struct Guest: Sendable {
    let process: ChildProcess
    public var pid: Int32 { process.pid }

    /// Ends it, and returns when it has ended.
    public func end() {
      process.signal(SIGTERM)
      process.wait()
    }

    /// Waits until it has ended by itself; its status.
    @discardableResult public func wait() -> Int32 { process.wait() }
  }

  /// Adds a microphone that records silence and returns the number by which `remove` takes it away.
  @discardableResult
  public func addMicrophone(_ name: String = "mic") throws -> Int {
    let arguments =
      switch kind {
      case .pulseAudio: ["module-null-source", "source_name=\(name)"]
      case .pipeWire:
        [
          "module-null-sink", "media.class=Audio/Source/Virtual", "sink_name=\(name)",
          "channel_map=front-left,front-right",
        ]
      }
    let answer = try tool("pactl", ["load-module"] + arguments)
    try wait(for: "the microphone \(name)") {
      (try? tool("pactl", ["list", "short", "sources"]))?.contains("\t\(name)\t") == true
    }
    return Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
  }

  /// Sends a signal to the server (SIGSTOP hangs it, SIGCONT lets it go on, SIGKILL ends it).
  public func signal(_ number: Int32) {
    server?.signal(number)
  }

  /// Sends a signal to PipeWire itself, behind the server that speaks as PulseAudio.
  public func signalPipeWire(_ number: Int32) { graph?.signal(number) }

  /// Ends the server as a crash does, without a word.
  public func kill() {
    guard let server else { return }
    server.signal(SIGKILL)
    server.wait()
    processes.removeAll { $0 === server }
    self.server = nil
  }

  /// Starts it again after `kill`, with these sinks; on PipeWire they have lived on. Returns when it
  /// answers.
  public func revive(sinks: [Sink] = [Sink("speakers")]) throws {
    switch kind {
    case .pulseAudio: try startPulseAudio(sinks)
    case .pipeWire:
      server = try start("pipewire-pulse", [])
      try wait(for: "pipewire-pulse to answer") { (try? tool("pactl", ["info"])) != nil }
      let names = try tool("pactl", ["list", "short", "sinks"])
      for sink in sinks where !names.contains("\t\(sink.name)\t") { try add(sink) }
    }
  }

  /// Ends the server and removes its folder.
  public func close() {
    for process in processes.reversed() {
      process.signal(SIGKILL)
      process.wait()
    }
    processes = []
    try? FileManager.default.removeItem(at: folder)
  }

  @discardableResult
  private func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    let log = try FileHandle(forWritingTo: logFile)
    try log.seekToEnd()
    let descriptor = log.fileDescriptor
    let process = try ChildProcess(
      name, arguments, environment: environment, output: descriptor, errors: descriptor)
    processes.append(process)
    return process
  }

  /// Asks again and again, for at most two minutes; every question is itself a program that runs or
  /// a look at a folder.
  private func wait(for what: String, _ ready: () -> Bool) throws {
    let limit = Date().addingTimeInterval(120)
    while !ready() {
      guard Date() < limit else {
        throw Failure(description: "waited in vain for \(what):\n\(log.suffix(2000))")
      }
      sched_yield()
    }
  }
}
