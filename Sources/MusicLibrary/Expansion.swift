import AudioTypes
import Glibc

/// Arguments -> tracks, one at a time and only as far as asked: 50,000 files cost nothing before
/// the first. Files, folders (recursive, natural order, hidden files left out), playlists, CUE
/// sheets, http(s) addresses, and patterns that the shell left as they are.
///
/// A file named by the user or a playlist is always given on, and the decoder tells what it is; a
/// folder gives only what may be audio. Folders' playlists are left out, since their files are
/// there too; a folder's CUE sheet stands for the file that it splits. Within one argument every
/// folder and every playlist is entered once, so that loops of links and lists end. Used by one
/// thread at a time; blocks while a folder is read.
public struct Expansion: Sendable {
  /// What is found next: a track, or what is wrong at that place.
  public enum Item: Equatable, Sendable {
    case track(ListedTrack)
    case fault(LibraryFault)
  }

  /// What is still to be given, innermost last.
  private enum Level {
    case arguments(ArraySlice<[UInt8]>)
    case folder([UInt8], ArraySlice<FolderEntry>, sheets: FolderSheets)
    case playlist(folder: [UInt8], ArraySlice<PlaylistEntry>)
    case items(ArraySlice<Item>)
    /// What the collection found.
    case tracks(ArraySlice<ListedTrack>)
  }

  private var levels: [Level]
  /// Folders and playlists entered for the present argument, and playlists open right now.
  private var entered: Set<FileProbe.Identity> = []
  private var open: [FileProbe.Identity?] = []
  /// Playlists of which it was told that they include themselves.
  private var complained: Set<FileProbe.Identity> = []

  /// The folder that the present argument names, while nothing of it has been given.
  private var silentFolder: [UInt8]?

  private static let folderDepth = 256

  private let collection: MusicCollection?

  /// - Parameter collection: what `search:QUERY`, saved searches and `playlist:NAME` are looked up in.
  public init(_ arguments: [[UInt8]], collection: MusicCollection? = nil) {
    levels = [.arguments(arguments[...])]
    self.collection = collection
  }

  /// Entries of a list in that folder.
  public init(_ entries: [PlaylistEntry], in folder: [UInt8]) {
    levels = [.playlist(folder: folder, entries[...])]
    open = [nil]
    collection = nil
  }

  /// The next track or fault, `nil` at the end.
  public mutating func next() -> Item? {
    let item = advance()
    silentFolder = nil
    return item
  }

  /// What the collection has found together with the track that `next` gave last: many at once, none
  /// where that one came from elsewhere.
  public mutating func takeFound() -> ArraySlice<ListedTrack> {
    guard case .tracks(let rest) = levels.last else { return [] }
    levels.removeLast()
    return rest
  }

  private mutating func advance() -> Item? {
    while let level = levels.last {
      let top = levels.count - 1
      switch level {
      case .arguments(var rest):
        if let folder = silentFolder {
          return .fault(LibraryFault(path: folder, sentence: "nothing to play in this folder"))
        }
        guard let path = rest.popFirst() else {
          levels.removeLast()
          continue
        }
        levels[top] = .arguments(rest)
        entered.removeAll()
        complained.removeAll()
        if let item = argument(path) { return item }
      case .folder(let folder, var rest, let sheets):
        guard let entry = rest.popFirst() else {
          levels.removeLast()
          continue
        }
        levels[top] = .folder(folder, rest, sheets: sheets)
        if let item = found(entry, in: folder, sheets: sheets) { return item }
      case .playlist(let folder, var rest):
        guard let entry = rest.popFirst() else {
          levels.removeLast()
          open.removeLast()
          continue
        }
        levels[top] = .playlist(folder: folder, rest)
        if let item = listed(entry, in: folder) { return item }
      case .items(var rest):
        guard let item = rest.popFirst() else {
          levels.removeLast()
          continue
        }
        levels[top] = .items(rest)
        return item
      case .tracks(var rest):
        guard let track = rest.popFirst() else {
          levels.removeLast()
          continue
        }
        levels[top] = .tracks(rest)
        return .track(track)
      }
    }
    return nil
  }

  private mutating func ofCollection(
    _ tracks: () throws(LibraryFault) -> [ListedTrack]
  ) -> Item? {
    do throws(LibraryFault) {
      levels.append(.tracks(try tracks()[...]))
      return nil
    } catch {
      return .fault(error)
    }
  }

  // MARK: Arguments

  private mutating func argument(_ path: [UInt8]) -> Item? {
    if let collection, Self.isOfCollection(path), FileProbe.kind(path) == .missing {
      return ofCollection { () throws(LibraryFault) in try Self.found(path, collection) }
    }
    if let playlists = collection?.playlists, path.starts(with: PlaylistFolder.prefix),
      FileProbe.kind(path) == .missing
    {
      do throws(LibraryFault) {
        return named(ListedTrack(TrackLocation(path: try playlists.file(ofWord: path))))
      } catch {
        return .fault(error)
      }
    }
    if let scheme = FileURL.scheme(path), FileProbe.kind(path) == .missing {
      if let file = FileURL.path(path) { return named(ListedTrack(TrackLocation(path: file))) }
      return address(ListedTrack(TrackLocation(path: path)), scheme: scheme)
    }
    if FileProbe.kind(path) == .missing, path.contains(where: { "*?[".utf8.contains($0) }) {
      let matches = Self.matches(path)
      if !matches.isEmpty {
        levels.append(.arguments(matches[...]))
        return nil
      }
    }
    return named(ListedTrack(TrackLocation(path: path)))
  }

  /// The files of a pattern that no shell has expanded.
  private static func matches(_ pattern: [UInt8]) -> [[UInt8]] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(FileProbe.cString(pattern), GLOB_NOSORT, nil, &result) == 0 else { return [] }
    let paths = (0..<Int(result.gl_pathc)).compactMap { index -> [UInt8]? in
      guard let path = result.gl_pathv[index] else { return nil }
      return Array(UnsafeBufferPointer(start: path, count: strlen(path))).map {
        UInt8(bitPattern: $0)
      }
    }
    return paths.sorted(by: NaturalOrder.precedes)
  }

  private func address(_ track: ListedTrack, scheme: String) -> Item {
    guard scheme == "http" || scheme == "https" else {
      return .fault(
        LibraryFault(
          path: track.location.path,
          sentence: "only files and http or https addresses can be played"))
    }
    let rest = track.location.path.dropFirst(scheme.utf8.count + 1)
    guard rest.starts(with: [0x2F, 0x2F]), let host = rest.dropFirst(2).first,
      !"/?#:".utf8.contains(host)
    else {
      return .fault(
        LibraryFault(path: track.location.path, sentence: "there is no host in this address"))
    }
    return .track(track)
  }

  /// Whether a file's name says that it is audio; of any other, only decoders know.
  public static func isNamedAsAudio(_ path: [UInt8]) -> Bool {
    Recognition.audioSuffixes.contains(Paths.suffix(path))
  }

  // MARK: Things named by the user or a playlist

  private mutating func named(_ track: ListedTrack) -> Item? {
    let path = track.location.path
    let (kind, identity) = FileProbe.look(path)
    if let sentence = FileProbe.sentence(kind, path) {
      return .fault(LibraryFault(path: path, sentence: sentence))
    }
    if kind == .folder {
      if open.isEmpty { silentFolder = path }
      return enter(folder: path, identity)
    }
    if let collection, Paths.suffix(path) == SavedSearch.suffix {
      return ofCollection { () throws(LibraryFault) in try Self.saved(path, collection) }
    }
    guard kind != .file(size: 0) else {
      return .fault(LibraryFault(path: path, sentence: "empty file"))
    }
    guard let head = FileProbe.head(path, Recognition.headBytes) else {
      let sentence = errno == EACCES ? "no permission to read it" : "cannot be read"
      return .fault(LibraryFault(path: path, sentence: sentence))
    }
    if !Recognition.isAudio(head: head),
      let list = Recognition.playlist(head: head) ?? textList(path, head)
    {
      return enter(playlist: list, path, identity)
    }
    return whole(track)
  }

  /// A list by its extension, where the first bytes are text at least.
  private func textList(_ path: [UInt8], _ head: [UInt8]) -> PlaylistKind? {
    guard let kind = Recognition.playlist(suffix: Paths.suffix(path)) else { return nil }
    return LegacyText.unmarked(head).contains(0) ? nil : kind
  }

  /// A file, or the tracks of the sheet in its tags.
  private mutating func whole(_ track: ListedTrack) -> Item? {
    let isPart = track.location.start > 0 || track.location.end != nil
    if !isPart, let text = EmbeddedSheet.text(of: track.location.path) {
      let sheet = CueSheet(parsing: text)
      if sheet.tracks.count > 1, sheet.files.count == 1 {
        let path = track.location.path
        levels.append(.items(sheet.listed { _ in path }.map(Item.track)[...]))
        return nil
      }
    }
    return .track(track)
  }

  // MARK: Folders

  private mutating func enter(folder path: [UInt8], _ identity: FileProbe.Identity?) -> Item? {
    guard levels.count < Self.folderDepth else {
      return .fault(LibraryFault(path: path, sentence: "too many folders within folders"))
    }
    if let identity, !entered.insert(identity).inserted { return nil }
    do {
      let entries = try FileProbe.list(path)
      let sheets = FolderSheets(folder: path, entries: entries)
      levels.append(.folder(path, entries[...], sheets: sheets))
      return nil
    } catch {
      let kind: FileKind = error.cause == EACCES ? .noPermission : .unreachable(error.cause)
      return .fault(LibraryFault(path: path, sentence: FileProbe.sentence(kind, path) ?? ""))
    }
  }

  private mutating func found(
    _ entry: FolderEntry, in folder: [UInt8], sheets: FolderSheets
  ) -> Item? {
    let path = Paths.join(folder, entry.name)
    if entry.kind == .brokenLink {
      // Other links are none of ours, as other files are.
      guard Recognition.audioSuffixes.contains(Paths.suffix(entry.name)),
        let sentence = FileProbe.sentence(.missing, path)
      else { return nil }
      return .fault(LibraryFault(path: path, sentence: sentence))
    }
    guard entry.kind == .file else {
      return enter(folder: path, FileProbe.look(path).identity)
    }
    if let tracks = sheets.tracks[entry.name] {
      levels.append(.items(tracks.map(Item.track)[...]))
      return nil
    }
    if sheets.covered.contains(entry.name) { return nil }
    let suffix = Paths.suffix(entry.name)
    if !Recognition.audioSuffixes.contains(suffix) {
      guard !Recognition.otherSuffixes.contains(suffix),
        let head = FileProbe.head(path, 64), Recognition.isAudio(head: head)
      else { return nil }
    }
    return whole(ListedTrack(TrackLocation(path: path)))
  }

  // MARK: Playlists

  private mutating func enter(
    playlist kind: PlaylistKind, _ path: [UInt8], _ identity: FileProbe.Identity?
  ) -> Item? {
    func fault(_ sentence: String) -> Item { .fault(LibraryFault(path: path, sentence: sentence)) }
    if let identity, open.contains(identity) {
      guard complained.insert(identity).inserted else { return nil }
      return fault("the playlist includes itself")
    }
    guard open.count < PlaylistLimits.depth else {
      return fault("too many playlists within playlists")
    }
    if let identity, !entered.insert(identity).inserted { return nil }
    guard let bytes = FileProbe.bytes(path, from: 0, atMost: PlaylistLimits.bytes + 1) else {
      return fault("cannot be read")
    }
    guard bytes.count <= PlaylistLimits.bytes else { return fault("too large for a playlist") }
    let folder = Paths.folder(path)
    if kind == .cue {
      let items = Self.sheet(bytes, path: path)
      levels.append(.items(items[...]))
      return nil
    }
    var entries: [PlaylistEntry] = []
    var broken: String?
    switch kind {
    case .m3u, .cue: entries = M3UParser.entries(bytes)
    case .pls: entries = PLSParser.entries(bytes)
    case .xspf: broken = XSPFParser.read(bytes, &entries)
    }
    var result: Item?
    if let broken { result = fault(entries.isEmpty ? broken : "\(broken); what was read is taken") }
    if entries.isEmpty { result = result ?? fault("nothing to play in this playlist") }
    if entries.count > PlaylistLimits.entries {
      entries.removeLast(entries.count - PlaylistLimits.entries)
      result = fault("only the first \(PlaylistLimits.entries) entries are taken")
    }
    levels.append(.playlist(folder: folder, entries[...]))
    open.append(identity)
    return result
  }

  private mutating func listed(_ entry: PlaylistEntry, in folder: [UInt8]) -> Item? {
    var track = ListedTrack(
      TrackLocation(path: entry.path, start: entry.start, end: entry.end), title: entry.title,
      artist: entry.artist, duration: entry.duration)
    if let scheme = FileURL.scheme(entry.path) { return address(track, scheme: scheme) }
    track.location.path = FileNames.place(of: entry, in: folder).path
    return named(track)
  }

  /// A sheet's tracks; a fault for every file of it that is not there.
  private static func sheet(_ bytes: [UInt8], path: [UInt8]) -> [Item] {
    let sheet = CueSheet(parsing: bytes)
    guard !sheet.tracks.isEmpty else {
      return [.fault(LibraryFault(path: path, sentence: "no tracks in this CUE sheet"))]
    }
    let folder = Paths.folder(path)
    var faults: [Item] = []
    var files = SheetFiles(in: folder, sheet.charset)
    let tracks = sheet.listed { name in
      if let file = files.path(of: name) { return file }
      let wanted = name.first == 0x2F ? name : Paths.join(folder, name)
      if faults.count < 100 {
        let sentence = "no such file, named in the CUE sheet \(TrackLocation(path: path).display)"
        faults.append(.fault(LibraryFault(path: wanted, sentence: sentence)))
      }
      return nil
    }
    return faults + tracks.map(Item.track)
  }
}
