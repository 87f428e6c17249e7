/// Which file on disk a name in a playlist means. Lists are written on other systems: in a legacy
/// code page, with backslashes, with spaces at the end of lines, for a file since converted.
enum FileNames {
  /// What a written name may mean, likeliest first: byte for byte before everything else. Of a name
  /// that is longer than any path nothing else is made.
  ///
  /// - Parameter charset: the encoding of the text that it was written in.
  static func candidates(_ written: [UInt8], _ charset: Charset = .unknown) -> [[UInt8]] {
    var names = [written]
    guard written.count <= PlaylistLimits.path else { return names }
    func add(_ name: [UInt8]) {
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    add(Array(LegacyText.trimmed(written[...])))
    if !LegacyText.isUTF8(written) {
      for name in names { add(Array(charset.string(name).utf8)) }
      for name in names { add(Array(LegacyText.windows1252(name).utf8)) }
    }
    if written.contains(0x5C) {
      for name in names { add(name.map { $0 == 0x5C ? 0x2F : $0 }) }
      // "C:\Music\x.mp3" has no place here, but x.mp3 may lie beside the list.
      if written.count > 2, written[1] == UInt8(ascii: ":") {
        for name in names { add(Array(Paths.name(name))) }
      }
    }
    return names
  }

  /// The file that an entry of a list in `folder` means: what is there, otherwise what was likely
  /// meant.
  static func place(of entry: PlaylistEntry, in folder: [UInt8]) -> (path: [UInt8], kind: FileKind)
  {
    var likeliest: (path: [UInt8], kind: FileKind)?
    for name in candidates(entry.path, entry.charset) {
      let path = name.first == 0x2F ? name : Paths.join(folder, name)
      let kind = FileProbe.kind(path)
      if kind != .missing { return (path, kind) }
      likeliest = likeliest ?? (path, kind)
    }
    return likeliest ?? (entry.path, .missing)
  }
}

/// The names of the files of one folder, for those who look up many of them.
struct FolderNames {
  private let names: Set<[UInt8]>
  /// Without letter case; of several that differ in it alone, the first.
  private let lowered: [[UInt8]: [UInt8]]

  init(_ entries: [FolderEntry]) {
    let files = entries.filter { $0.kind == .file }.map(\.name)
    names = Set(files)
    lowered = Dictionary(files.map { (LegacyText.lower($0), $0) }) { first, _ in first }
  }

  /// Extensions in which the file of a sheet may lie since the sheet was written.
  private static let converted = [
    "flac", "wv", "ape", "wav", "aiff", "aif", "m4a", "mp3", "ogg", "opus", "tta", "tak", "mpc",
    "wma",
  ].map { Array($0.utf8) }

  /// The file that a CUE sheet means by a name: as written, in other letter case, or with another
  /// extension.
  func sheetFile(_ written: [UInt8], _ charset: Charset) -> [UInt8]? {
    let wanted = FileNames.candidates(written, charset).map(Paths.name)
    for name in wanted where names.contains(name) { return name }
    for name in wanted {
      if let found = lowered[LegacyText.lower(name)] { return found }
    }
    for name in wanted {
      let stem = LegacyText.lower(Paths.stem(name))
      for suffix in Self.converted {
        if let found = lowered[stem + [0x2E] + suffix] { return found }
      }
    }
    return nil
  }
}

/// The files that one CUE sheet means, wherever they lie. Each folder is read once. Blocks.
struct SheetFiles {
  /// Where relative names begin.
  private let folder: [UInt8]
  private let charset: Charset
  private var folders: [[UInt8]: FolderNames] = [:]
  /// More folders than a sheet names are not looked through.
  private static let mostFolders = 32

  init(in folder: [UInt8], _ charset: Charset) {
    self.folder = folder
    self.charset = charset
  }

  /// The path of a file: as written, in other letter case, or with another extension.
  mutating func path(of written: [UInt8]) -> [UInt8]? {
    let names = FileNames.candidates(written, charset)
    for name in names {
      let path = name.first == 0x2F ? name : Paths.join(folder, name)
      if case .file = FileProbe.kind(path) { return path }
    }
    guard let name = names.last, !Paths.stem(name).isEmpty else { return nil }
    let within = name.first == 0x2F ? Paths.folder(name) : Paths.join(folder, Paths.folder(name))
    let place = Paths.folder(name).isEmpty ? folder : within
    return entries(of: place)?.sheetFile(written, charset).map { Paths.join(place, $0) }
  }

  private mutating func entries(of place: [UInt8]) -> FolderNames? {
    if let known = folders[place] { return known }
    guard folders.count < Self.mostFolders else { return nil }
    let entries = (try? FileProbe.list(place.isEmpty ? [0x2E] : place)) ?? []
    let names = FolderNames(entries)
    folders[place] = names
    return names
  }
}

/// The CUE sheets of one folder: which of its files they split, and into which tracks.
struct FolderSheets {
  /// First file of a sheet -> all tracks of the sheet.
  private(set) var tracks: [[UInt8]: [ListedTrack]] = [:]
  /// Files that a sheet splits and that are not its first.
  private(set) var covered: Set<[UInt8]> = []

  /// Sheets of which no file is there, or whose files another sheet has taken, say nothing.
  init(folder: [UInt8], entries: [FolderEntry]) {
    let sheets = entries.filter { $0.kind == .file && Paths.suffix($0.name) == "cue" }
    guard !sheets.isEmpty else { return }
    let names = FolderNames(entries)
    for entry in sheets.prefix(100) {
      let path = Paths.join(folder, entry.name)
      guard let bytes = FileProbe.bytes(path, from: 0, atMost: 1 << 20) else { continue }
      let sheet = CueSheet(parsing: bytes)
      var files: [[UInt8]] = []
      let listed = sheet.listed { written in
        guard !written.contains(0x2F),
          let name = names.sheetFile(written, sheet.charset)
        else { return nil }
        files.append(name)
        return Paths.join(folder, name)
      }
      guard let first = files.first,
        files.allSatisfy({ tracks[$0] == nil && !covered.contains($0) })
      else { continue }
      tracks[first] = listed
      covered.formUnion(files.dropFirst())
    }
  }
}
