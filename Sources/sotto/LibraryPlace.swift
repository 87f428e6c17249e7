import AudioTypes
import Glibc

/// Where the index of the collection is kept.
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
}
