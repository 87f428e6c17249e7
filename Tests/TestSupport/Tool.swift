import Foundation

/// Programs that tests use as encoders and as references: never the library under test.
public enum Tool {
  /// True where the tests that need programs and servers run (`make test` sets it). A missing
  /// program is a failure then, not a skip.
  public static let isIntegration = ProcessInfo.processInfo.environment["SOTTO_INTEGRATION"] == "1"
  /// Under the thread sanitizer, as `Scripts/sanitize` starts it.
  public static let isThreadSanitized =
    ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

  /// Runs something that leaves memory behind which nobody can free, and that a leak sanitizer is not to
  /// look at. Without one it is just run.
  public static func leaving<Result>(_ body: () throws -> Result) rethrows -> Result {
    func call(_ name: String) {
      guard let symbol = dlsym(nil, name) else { return }
      unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
    }
    call("__lsan_disable")
    defer { call("__lsan_enable") }
    return try body()
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Runs a program to its end; its standard output. Throws where it is missing or fails.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String], input: [UInt8]? = nil) throws
    -> [UInt8]
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let output = Pipe()
    let errors = FileManager.default.temporaryDirectory
      .appendingPathComponent("sotto-tool-\(UUID().uuidString)")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    if let input {
      let path = errors.path + ".in"
      try Data(input).write(to: URL(fileURLWithPath: path))
      process.standardInput = FileHandle(forReadingAtPath: path)
      defer { try? FileManager.default.removeItem(atPath: path) }
      try process.run()
    } else {
      process.standardInput = FileHandle.nullDevice
      try process.run()
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Failure(
        description: "\(name) \(arguments.joined(separator: " ")) ended with "
          + "\(process.terminationStatus): \(said.suffix(500))")
    }
    return Array(data)
  }

  /// Little-endian 16-bit samples of a program's output as floats.
  public static func floats16(_ bytes: [UInt8]) -> [Float] {
    (0..<bytes.count / 2).map { index in
      Float(Int16(bitPattern: UInt16(bytes[index * 2]) | UInt16(bytes[index * 2 + 1]) << 8)) / 32768
    }
  }

  /// The samples of a plain 16-bit WAV file that a program wrote.
  public static func floatsOfWave(_ bytes: [UInt8]) throws -> [Float] {
    guard
      let data = (12..<max(12, bytes.count - 8)).first(where: {
        bytes[$0..<$0 + 4].elementsEqual("data".utf8)
      })
    else { throw Failure(description: "the reference is no WAV file") }
    return floats16(Array(bytes[(data + 8)...]))
  }
}
