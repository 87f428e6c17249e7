import Foundation
import Testing

@Suite struct BrokenLinkTests {
  @Test func `A link that leads to nothing is called that, named or in a folder`() throws {
    let folder = try Folder()
    try folder.write("music/1.wav")
    let files = FileManager.default
    for name in ["2.flac", "note.txt"] {
      try files.createSymbolicLink(
        atPath: "\(folder.path)/music/\(name)", withDestinationPath: "../gone/\(name)")
    }
    #expect(
      folder.expand(["music"]) == [
        "music/1.wav", "music/2.flac: a link to ../gone/2.flac, which is not there",
      ])
    #expect(
      folder.expand(["music/2.flac", "music/3.flac"]) == [
        "music/2.flac: a link to ../gone/2.flac, which is not there",
        "music/3.flac: no such file or folder",
      ])
  }
}
