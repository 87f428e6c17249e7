import MusicLibrary

extension LibraryPlace {
  /// The collection with what happened to its tracks.
  static var collection: MusicCollection {
    MusicCollection(index: path, history: folder.map { $0 + Array("/state.db".utf8) })
  }

  /// True for words among paths that mean tracks of the collection: `search:` and `library:`.
  nonisolated static func isWord(_ path: [UInt8]) -> Bool {
    ["search:", "library:"].contains { path.starts(with: $0.utf8) }
  }
}
