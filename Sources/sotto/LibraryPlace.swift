import AudioTypes
import Glibc
import MusicLibrary
import TerminalModel

/// Where the index of the collection is kept, and which folders it is of.
@MainActor enum LibraryPlace {
  /// `$XDG_STATE_HOME/sotto`, or the same in the home folder; `nil` without either.
  static var folder: [UInt8]? {
    if let state = Environment.bytes("XDG_STATE_HOME"), state.first == UInt8(ascii: "/") {
      return state + Array("/sotto".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.local/state/sotto".utf8)
  }

  static var path: [UInt8]? { folder.map { $0 + Array("/library.db".utf8) } }

  /// The folders of the setting: between them stand colons, as in PATH.
  static func folders(_ settings: Settings) -> [[UInt8]] {
    settings.libraryFolders.split(separator: ":").compactMap { text in
      let words = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
      return Browser.folder(String(words)).map(absolute)
    }
  }

  /// A path from the root, without "." and without slashes too many; links stay, but for paths with
  /// "..", which say where they lead only then.
  static func absolute(_ path: [UInt8]) -> [UInt8] {
    var path = path
    if path.first != UInt8(ascii: "/") {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      if unsafe getcwd(&buffer, buffer.count) != nil {
        path = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } + [0x2F] + path
      }
    }
    let parts = path.split(separator: 0x2F).filter { !$0.elementsEqual([0x2E]) }
    if parts.contains(where: { $0.elementsEqual([0x2E, 0x2E]) }),
      let real = unsafe realpath(path.map { CChar(bitPattern: $0) } + [0], nil)
    {
      defer { unsafe free(real) }
      return unsafe Array(UnsafeBufferPointer(start: real, count: strlen(real))).map {
        UInt8(bitPattern: $0)
      }
    }
    return [0x2F] + Array(parts.joined(separator: [0x2F]))
  }
}
