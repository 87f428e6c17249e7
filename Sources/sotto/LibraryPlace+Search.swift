import MusicLibrary
import TerminalModel

extension LibraryPlace {
  /// The collection with what happened to its tracks.
  static var collection: MusicCollection {
    MusicCollection(index: path, history: folder.map { $0 + Array("/state.db".utf8) })
  }

  /// The same, with the folder in which `playlist:NAME` is looked for.
  static func collection(_ settings: Settings) -> MusicCollection {
    var collection = collection
    collection.playlists = Playlists.folder(settings).map { PlaylistFolder($0) }
    return collection
  }

  /// For those who have read no configuration: it is read where a path asks for it.
  static func collection(for paths: [[UInt8]]) -> MusicCollection {
    let isNamed = paths.contains { $0.starts(with: "playlist:".utf8) }
    return collection(isNamed ? Configuration.read(nil).settings : Settings())
  }

  /// True for words among paths that mean tracks of the collection or a playlist: `search:`, `library:`
  /// and `playlist:`.
  nonisolated static func isWord(_ path: [UInt8]) -> Bool {
    ["search:", "library:", "playlist:"].contains { path.starts(with: $0.utf8) }
  }

  /// True for what the whole collection is read for: such words, and files of saved searches.
  nonisolated static func isSearch(_ path: [UInt8]) -> Bool {
    isWord(path) || path.reversed().starts(with: ".\(SavedSearch.suffix)".utf8.reversed())
  }
}
