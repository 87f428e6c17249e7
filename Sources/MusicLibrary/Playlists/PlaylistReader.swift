/// What a playlist of any kind lists, whether it is there or not. Blocks.
public struct PlaylistReader: Sendable {
  /// An entry, and the file that it means.
  public struct Item: Equatable, Sendable {
    /// Its path is from the root on here, or an address.
    public var entry: PlaylistEntry
    public var isMissing: Bool
    /// The lines of an M3U before it.
    var before: [[UInt8]]?
  }

  public private(set) var items: [Item] = []

  /// Reads a list, all of it or none where it is damaged; a CUE sheet is one of parts, and a saved search has what it finds now.
  ///
  /// - Parameters:
  ///   - path: from the root on.
  ///   - collection: where a saved search looks.
  public init(_ path: [UInt8], _ collection: MusicCollection? = nil) throws(LibraryFault) {
    if let collection, SavedSearch.isOne(path), FileProbe.kind(path) != .missing {
      items = try Self.items(SavedSearch(file: path), path, collection)
      return
    }
    guard let bytes = try ListStore.read(path) else {
      throw LibraryFault(path: path, sentence: "no such file or folder")
    }
    let folder = Paths.folder(path)
    let head = Array(bytes.prefix(Recognition.headBytes))
    switch Recognition.playlist(head: head) ?? Recognition.playlist(suffix: Paths.suffix(path)) {
    case .m3u:
      let list = M3UList(bytes, atMost: PlaylistLimits.entries)
      for (block, entry) in zip(list.blocks, list.entries) {
        var item = Self.item(entry, in: folder)
        item.before = block.before
        items.append(item)
      }
    case .pls: items = PLSParser.entries(bytes).map { Self.item($0, in: folder) }
    case .xspf:
      var entries: [PlaylistEntry] = []
      if let fault = XSPFParser.read(bytes, &entries) {
        throw LibraryFault(path: path, sentence: fault)
      }
      items = entries.map { Self.item($0, in: folder) }
    case .cue:
      let sheet = CueSheet(parsing: bytes)
      var files = SheetFiles(in: folder, sheet.charset)
      let tracks = sheet.listed { files.path(of: $0) ?? Paths.absolute($0, in: folder) }
      items = tracks.map { track in
        var entry = PlaylistEntry(track)
        entry.path = Paths.absolute(entry.path, in: folder)
        return Item(entry: entry, isMissing: FileProbe.kind(entry.path) == .missing)
      }
    case nil:
      throw LibraryFault(path: path, sentence: "is no playlist that sotto knows")
    }
  }

  private static func items(
    _ search: SavedSearch, _ path: [UInt8], _ collection: MusicCollection
  ) throws(LibraryFault) -> [Item] {
    do throws(MusicCollection.Fault) {
      return try collection.tracks(search).map { item(PlaylistEntry($0), in: []) }
    } catch {
      throw LibraryFault(path: path, sentence: error.sentence)
    }
  }

  /// Where an entry of a list in that folder leads.
  public static func item(_ entry: PlaylistEntry, in folder: [UInt8]) -> Item {
    guard FileURL.scheme(entry.path) == nil else { return Item(entry: entry, isMissing: false) }
    let place = FileNames.place(of: entry, in: folder)
    var found = entry
    found.path = Paths.absolute(place.path, in: folder)
    return Item(entry: found, isMissing: place.kind == .missing)
  }

  /// The same list as an M3U in another folder. What an M3U says stays as it is, in UTF-8.
  public func list(in folder: [UInt8]) -> M3UList {
    var list = M3UList()
    list.blocks = items.map { item in
      var block = PlaylistText.block(item.entry, in: folder)
      if let before = item.before, before.allSatisfy(LegacyText.isUTF8) { block.before = before }
      return block
    }
    return list
  }
}

extension PlaylistEntry {
  /// A track as a list has it; its path is from the root on, or an address.
  public init(_ track: ListedTrack) {
    self.init(
      path: track.location.path, title: track.title, artist: track.artist,
      duration: track.duration)
    take(start: track.location.start, end: track.location.end)
  }
}
