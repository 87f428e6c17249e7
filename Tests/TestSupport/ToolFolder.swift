import Foundation

/// A folder of its own for one test, removed when the test lets go of it.
public final class TestFolder: Sendable {
  public let path: String

  public init() throws {
    var template = Array((NSTemporaryDirectory() + "/sotto-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .replacingOccurrences(of: "//", with: "/")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name in the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file and gives its path.
  public func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  public func read(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: file(name))))
  }
}
