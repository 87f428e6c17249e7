import Foundation

/// ALSA reads its configuration from a file that the environment names, which is the process's: one
/// test at a time, of whatever suite.
private let configurationLock = NSLock()

/// Lets ALSA open what this configuration describes, and nothing of the machine's.
public func withALSA<Result>(_ configuration: String, _ body: () throws -> Result) throws -> Result
{
  let folder = try TestFolder()
  let file = try folder.write(Array(configuration.utf8), "asound.conf")
  return try configurationLock.withLock {
    setenv("ALSA_CONFIG_PATH", file, 1)
    defer { unsetenv("ALSA_CONFIG_PATH") }
    return try body()
  }
}

/// A card whose jacks the test moves and a device that fails as real ones do, as plug-ins of ALSA:
/// Tests/ALSAPlugin/trial.c, compiled for this object. They are `ctl.trial` and `pcm.trial`.
public final class ALSATrial {
  private let folder: TestFolder
  private let pipe: FileHandle
  /// For `withALSA`.
  public let configuration: String

  /// - Parameters:
  ///   - jacks: "0 Headphone Jack" is one that is out.
  ///   - fault: disconnect, bad, xrun, suspend or busy.
  ///   - frames: how many are heard before the fault.
  public init(jacks: [String] = [], fault: String = "disconnect", after frames: Int = 1 << 40)
    throws
  {
    folder = try TestFolder()
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("ALSAPlugin/trial.c")
    let library = folder.file("trial.so")
    // The compiler of the toolchain that built this.
    try Tool.run(
      "clang",
      ["-shared", "-fPIC", "-DPIC", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", library]
        + [source.path, "-lasound"])
    let path = folder.file("pipe")
    guard mkfifo(path, 0o600) == 0, let pipe = FileHandle(forUpdatingAtPath: path) else {
      throw Tool.Failure(description: "there is no pipe")
    }
    self.pipe = pipe
    let list = jacks.map { "\"\($0)\"" }.joined(separator: " ")
    configuration = """
      ctl_type.sotto_trial { lib "\(library)" }
      pcm_type.sotto_trial { lib "\(library)" }
      ctl.trial { type sotto_trial pipe "\(path)" jacks [ \(list) ] }
      pcm.trial { type sotto_trial frames \(frames) fault \(fault) }
      """
  }

  /// What happens to the card: "1 Headphone Jack", "+0 Dock Jack", "gone".
  public func tell(_ line: String) throws { try pipe.write(contentsOf: Data((line + "\n").utf8)) }
}
