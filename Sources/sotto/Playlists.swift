import AudioTypes
import MusicLibrary
import PlayQueue
import TerminalModel

/// The user's own playlists: where they are, and how they are called.
@MainActor enum Playlists {
  /// The folder that is set, otherwise the usual one; `nil` where there is no home.
  static func folder(_ settings: Settings) -> [UInt8]? {
    (Browser.folder(settings.playlistFolder) ?? Browser.defaultPlaylists).map(absolute)
  }

  /// Lists with what can be undone in them, in `$XDG_STATE_HOME/sotto/playlists`.
  static var store: ListStore {
    ListStore(histories: DecisionFile.folder().map { $0 + Array("/playlists".utf8) })
  }

  /// A path from the root on, as seen from where the program was started.
  static func absolute(_ path: [UInt8]) -> [UInt8] {
    PlaylistPath.absolute(path, in: CtlCommand.workingFolder)
  }

  /// The file that a name means: a path where it has a slash; otherwise a list or a saved search of the
  /// user's own, with its ending or without.
  ///
  /// - Returns: the path; that of an M3U8 to be made where there is nothing of that name.
  static func path(_ name: [UInt8], _ settings: Settings) throws(LibraryFault) -> [UInt8] {
    if name.first == UInt8(ascii: "~"),
      let path = Browser.folder(String(decoding: name, as: UTF8.self)),
      path.first == UInt8(ascii: "/")
    {
      return absolute(path)
    }
    if name.contains(UInt8(ascii: "/")) { return absolute(name) }
    guard let folder = folder(settings) else {
      throw LibraryFault(path: name, sentence: "there is no folder for playlists: HOME is not set")
    }
    return try PlaylistFolder(folder).file(name)
  }

  /// The file of a saved search: a path where the name has a slash, otherwise in the playlist folder.
  static func path(
    ofSearch name: [UInt8], _ settings: Settings
  ) throws(LibraryFault) -> [UInt8] {
    let ending = Array(".\(SavedSearch.suffix)".utf8)
    let isWhole = name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
    let stem = isWhole ? Array(name.dropLast(ending.count)) : name
    // As the place of a list of that name; only the ending is another one.
    let other = Array(".m3u8".utf8)
    return try path(stem + other, settings).dropLast(other.count) + ending
  }

  /// Where moved files are looked for: the music folder, where lists are, and the collection's index.
  static func search(_ settings: Settings, list: [UInt8]) -> ListSearch {
    place(ofSearch: settings, list: list).search()
  }

  /// The same for another thread, which opens the index there.
  static func place(ofSearch settings: Settings, list: [UInt8]) -> SearchPlace {
    SearchPlace(
      index: DecisionFile.folder().map { $0 + Array("/library.db".utf8) },
      roots: [Browser.musicFolder(settings), PlaylistPath.folder(list)].compactMap(\.self))
  }
}

/// Where moved files are looked for.
struct SearchPlace: Sendable {
  var index: [UInt8]?
  var roots: [[UInt8]]

  func search() -> ListSearch { ListSearch(index: index, roots: roots) }
}

extension PlaylistEntry {
  /// A track of the queue as a list has it.
  init(_ entry: QueueEntry, in folder: [UInt8]) {
    var location = entry.location
    if !location.isURL { location.path = PlaylistPath.absolute(location.path, in: folder) }
    self.init(
      ListedTrack(
        location, title: entry.title, artist: entry.artist, duration: entry.duration))
  }
}
