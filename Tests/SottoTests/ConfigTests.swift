import Foundation
import Testing

/// `sotto config`, and what is wrong in the files.
@Suite struct ConfigTests {
  private func run(_ folder: Folder, _ arguments: String...) throws -> Run {
    try Run(
      (["config"] + arguments).map { Array($0.utf8) },
      environment: ["XDG_CONFIG_HOME": folder.path])
  }

  @Test func `X2: without a file every value is the default`() throws {
    let run = try run(try Folder())
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.text.split(separator: "\n")
    #expect(lines.count > 15)
    #expect(lines.allSatisfy { $0.hasSuffix("# default") })
  }

  @Test func `A value says which line it is from, and a wrong name names the nearest`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sotto", withIntermediateDirectories: true)
    let file = try folder.write(
      "sotto/config", Array("# mine\nlevel = 40\ntheem = dusk\ntheme = nobody\n".utf8))
    let run = try run(folder)
    #expect(run.status == 1)
    let level = run.text.split(separator: "\n").first { $0.hasPrefix("level = 40") }
    #expect(level?.hasSuffix("# \(file):2") == true)
    #expect(
      run.errorLines == [
        "sotto: \(file):3: no setting is called 'theem', did you mean 'theme'?",
        "sotto: \(file):4: no theme is called 'nobody'; there are terminal, dusk, paper, contrast",
      ])
  }

  @Test func `The example, read as it is, changes nothing`() throws {
    let folder = try Folder()
    let example = try run(folder, "--example")
    #expect(example.status == 0)
    let file = try folder.write("example", example.output)
    let run = try run(folder, "--config", file)
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.text.split(separator: "\n").allSatisfy { $0.hasSuffix("# default") })
  }

  @Test func `A configuration that was named and is not there is told`() throws {
    let folder = try Folder()
    let run = try run(folder, "--config", folder.path + "/none")
    #expect(run.status == 1)
    #expect(run.errorLines == ["sotto: \(folder.path)/none: no such file"])
  }

  @Test func `A folder, a file that may not be read and bytes that are no text are told or taken`()
    throws
  {
    let folder = try Folder()
    let run1 = try run(folder, "--config", folder.path)
    #expect(run1.status == 1 && run1.errorLines.count == 1)
    let file = try folder.write("bytes", [0xFF, 0xFE, 0x00, 0x1B, 0x5B, 0x0A])
    let run2 = try run(folder, "--config", file)
    #expect(run2.status == 1)
    #expect(run2.errors.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
  }
}
