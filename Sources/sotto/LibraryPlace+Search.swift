import MusicLibrary

extension LibraryPlace {
  /// The collection with what happened to its tracks.
  static var collection: MusicCollection {
    MusicCollection(index: path, history: folder.map { $0 + Array("/state.db".utf8) })
  }
}
