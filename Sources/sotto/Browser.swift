import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import TerminalModel

/// Folders and playlists for the screen, read on a queue of their own.
@MainActor final class Browser {
  var onListing: (@MainActor (_ listing: Listing, _ arePlaylists: Bool) -> Void)?
  /// The newest wish is answered.
  private var onAnswer: [Bool: @MainActor (Listing?) -> Void] = [:]
  private var musicFolder: [UInt8]
  private var playlistFolder: [UInt8]?
  /// What was asked for last of each kind.
  private var shown: [Bool: [UInt8]] = [:]
  private let queue = DispatchQueue(label: "sotto.browser")
  private var revision = 0
  /// The newest request of each kind: older answers come too late.
  private var wanted: [Bool: Int] = [:]

  init(_ settings: Settings) {
    musicFolder = Self.musicFolder(settings) ?? Self.defaultFolder()
    playlistFolder = Self.folder(settings.playlistFolder) ?? Self.defaultPlaylists
  }

  /// Folders that are set otherwise take the place of the old ones, also where these are shown.
  func follow(_ settings: Settings) {
    let music = Self.musicFolder(settings) ?? Self.defaultFolder()
    let playlists = Self.folder(settings.playlistFolder) ?? Self.defaultPlaylists
    let changes = (music: music != musicFolder, playlists: playlists != playlistFolder)
    let wasInMusic = shown[false].map { $0.isEmpty || $0.starts(with: musicFolder) } ?? false
    (musicFolder, playlistFolder) = (music, playlists)
    if changes.music, wasInMusic { list([]) }
    if changes.playlists, shown[true] != nil { list(Array("playlists:".utf8)) }
  }

  /// Where playlists are kept where nothing is set: `$XDG_DATA_HOME/sotto/Playlists`.
  static var defaultPlaylists: [UInt8]? {
    if let data = Environment.bytes("XDG_DATA_HOME"), data.first == UInt8(ascii: "/") {
      return data + Array("/sotto/Playlists".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.local/share/sotto/Playlists".utf8)
  }

  /// A path of the configuration, with ~ for the home folder; `nil` when it is empty.
  static func folder(_ text: String) -> [UInt8]? {
    guard !text.isEmpty else { return nil }
    if text == "~" || text.hasPrefix("~/"), let home = Environment.bytes("HOME") {
      return home + Array(text.utf8.dropFirst())
    }
    return Array(text.utf8)
  }

  /// The user's music; `nil` where nothing says where it is.
  static func musicFolder(_ settings: Settings) -> [UInt8]? {
    if let folder = folder(settings.musicFolder) { return folder }
    if let music = Environment.bytes("XDG_MUSIC_DIR"), isFolder(music) { return music }
    guard let home = Environment.bytes("HOME") else { return nil }
    let music = home + Array("/Music".utf8)
    return isFolder(music) ? music : nil
  }

  /// Where the program was started.
  private static func defaultFolder() -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&buffer, buffer.count) != nil else { return Array("/".utf8) }
    return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  nonisolated private static func isFolder(_ path: [UInt8]) -> Bool {
    var facts = stat()
    return unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &facts) == 0
      && facts.st_mode & S_IFMT == S_IFDIR
  }

  /// Reads a folder; with no path the music folder, with `playlists:` the playlists.
  ///
  /// - Parameter then: is given what came of it; `nil` where something else was wished meanwhile.
  func list(_ path: [UInt8], then: (@MainActor (Listing?) -> Void)? = nil) {
    let arePlaylists = path == Array("playlists:".utf8)
    revision += 1
    let number = revision
    wanted[arePlaylists] = number
    shown[arePlaylists] = path
    onAnswer.removeValue(forKey: arePlaylists)?(nil)
    onAnswer[arePlaylists] = then
    let folder = arePlaylists ? playlistFolder : path.isEmpty ? musicFolder : path
    guard let folder else {
      onAnswer.removeValue(forKey: arePlaylists)?(nil)
      return
    }
    queue.async { [weak self] in
      let listing = Self.read(folder, revision: number, onlyPlaylists: arePlaylists)
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, self.wanted[arePlaylists] == number else { return }
          self.onListing?(listing, arePlaylists)
          self.onAnswer.removeValue(forKey: arePlaylists)?(listing)
        }
      }
    }
  }

  /// Folders first, then what may be played, in natural order; hidden names are left out.
  nonisolated private static func read(
    _ folder: [UInt8], revision: Int, onlyPlaylists: Bool
  ) -> Listing {
    var listing = Listing(path: folder, revision: revision)
    // The folder of playlists is made when the first is saved.
    if onlyPlaylists, !isFolder(folder) { return listing }
    let entries: [FolderRow]
    do throws(FolderFault) {
      entries = try FolderRow.read(folder)
    } catch {
      listing.fault = "cannot be read: \(Descriptor.sentence(error.cause))"
      return listing
    }
    for entry in entries {
      let kind: Listing.Kind
      switch entry.kind {
      case .folder: kind = .folder
      case .playlist: kind = .playlist
      case .audio: kind = .file
      }
      if onlyPlaylists, kind != .playlist { continue }
      let path = folder + (folder.last == 0x2F ? [] : [0x2F]) + entry.name
      listing.rows.append(
        Listing.Row(kind, path: path, name: String(decoding: entry.name, as: UTF8.self)))
    }
    return listing
  }
}
