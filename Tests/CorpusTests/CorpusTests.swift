import Foundation
import ParserChecks
import Testing

/// Inputs that a fuzzer found worth keeping, and those that once were faults.
@Suite struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Corpus")

  @Test(arguments: ParserCheck.allCases)
  func `Every kept input of a parser comes to an end, and what must hold does`(
    _ check: ParserCheck
  ) throws {
    let folder = Self.folder.appendingPathComponent(check.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.isEmpty)
    for name in names {
      let bytes = try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
      #expect(check.fault(bytes) == nil, "\(check.rawValue)/\(name)")
    }
  }

  @Test func `Every folder of the corpus belongs to a parser`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(names).subtracting(["README.md"]) == Set(ParserCheck.allCases.map(\.rawValue)))
  }
}
