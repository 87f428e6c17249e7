import AudioTypes
import Decoding
import JSONText
import MusicLibrary
import PlayerState
import TerminalModel

/// `sotto playlist`: the user's playlists, without a player.
@MainActor struct PlaylistCommand {
  private let options: PlaylistOptions
  private let settings: Settings

  static func run(_ options: PlaylistOptions) {
    let configuration = Configuration.read(options.config)
    for fault in configuration.faults { Messages.tell(fault) }
    let command = PlaylistCommand(options: options, settings: configuration.settings)
    do throws(LibraryFault) {
      try command.run()
    } catch {
      Messages.fault(error.path, error.sentence)
    }
    Console.endIfBroken()
  }

  private var collection: MusicCollection { LibraryPlace.collection(settings) }

  private func run() throws(LibraryFault) {
    switch options.action {
    case .list: try list()
    case .show(let name): try show(Playlists.path(name, settings))
    case .export(let name, let file): try export(Playlists.path(name, settings), to: file)
    case .take(let file, let name): try take(file, as: name)
    case .add(let name, let paths): try add(paths, to: name)
    case .remove(let name, let rows):
      try edit(name, rows) { editor in editor.remove(rows) }
    case .move(let name, let rows, let row):
      try edit(name, rows) { editor in editor.move(rows, to: row) }
    case .undo(let name):
      try edit(name, [], "Undid: ", "There is nothing to undo") { editor in editor.undo() }
    case .redo(let name):
      try edit(name, [], "Redid: ", "There is nothing to redo") { editor in editor.redo() }
    case .check(let name): try check(Playlists.path(name, settings))
    }
  }

  private func line(_ fields: [(String, JSON)]) {
    Console.write(JSON.object(fields).text(isASCII: !Environment.isUTF8) + "\n")
  }

  private static func count(_ count: Int) -> String { count == 1 ? "1 track" : "\(count) tracks" }

  // MARK: What there is

  private func list() throws(LibraryFault) {
    guard let folder = Playlists.folder(settings) else {
      throw LibraryFault(
        path: Array("playlists".utf8),
        sentence: "there is no folder for them: HOME is not set")
    }
    var rows: [FolderRow] = []
    do throws(FolderFault) {
      rows = try FolderRow.read(folder).filter { $0.kind == .playlist }
    } catch {
      // The folder is made when the first list is saved.
      guard error.isMissing else {
        throw LibraryFault(
          path: folder, sentence: "cannot be read: \(Descriptor.sentence(error.cause))")
      }
    }
    if rows.isEmpty, !options.json {
      Console.print(
        "There are no playlists in \(Text.printable(folder)); 'sotto playlist add NAME PATH...'"
          + " makes one, 'sotto search --save NAME QUERY' a search that is played like one")
    }
    let searches = Array(".\(SavedSearch.suffix)".utf8)
    // Opened once, where a search is among them.
    var searcher: Searcher?
    for row in rows {
      let path = folder + [0x2F] + row.name
      do throws(LibraryFault) {
        if row.name.suffix(searches.count).elementsEqual(searches) {
          if searcher == nil { searcher = try? LibraryPlace.collection.open() }
          try list(search: row.name, path, searcher)
        } else {
          try list(row.name, path)
        }
      } catch {
        Messages.fault(error.path, error.sentence)
      }
    }
  }

  private func list(_ name: [UInt8], _ path: [UInt8]) throws(LibraryFault) {
    let items = try PlaylistReader(path).items
    let missing = items.count(where: \.isMissing)
    if options.json {
      return line(
        names(name, path) + [
          ("tracks", .int(items.count)), ("missing", .int(missing)), ("query", .null),
        ])
    }
    let lack = missing == 0 ? "" : ", \(missing) missing"
    Console.print("\(Text.printable(name))  \(Self.count(items.count))\(lack)")
  }

  /// A saved search: what it finds now, where there is a collection.
  private func list(
    search name: [UInt8], _ path: [UInt8], _ searcher: Searcher?
  ) throws(LibraryFault) {
    let search = try SavedSearch(file: path)
    let count = try? searcher?.count(search, at: .system)
    let query = search.query.description
    if options.json {
      return line(
        names(name, path) + [
          ("tracks", .int(count)), ("missing", .null), ("query", .string(query)),
        ])
    }
    let found = count.map { "\(Self.count($0)) now: " } ?? ""
    Console.print("\(Text.printable(name))  \(found)\(Text.printable(query))")
  }

  private func names(_ name: [UInt8], _ path: [UInt8]) -> [(String, JSON)] {
    [
      ("name", .bytes(name)), ("path", .bytes(path)), ("url", .bytes(PlaylistPath.url(path))),
    ]
  }

  private func show(_ path: [UInt8]) throws(LibraryFault) {
    let items = try PlaylistReader(path, collection).items
    let width = "\(items.count)".count
    for (row, item) in items.enumerated() where !Console.isBroken {
      let entry = item.entry
      if options.json {
        line(fields(row, entry) + [("missing", .bool(item.isMissing))])
        continue
      }
      let number = "\(row + 1)"
      let words = [entry.artist, entry.title ?? name(entry)].compactMap(\.self)
        .map { Text.printable($0) }.joined(separator: " - ")
      let time = entry.duration.map { " (\(TrackText.clock($0)))" } ?? ""
      Console.print(
        String(repeating: " ", count: width - number.count) + number + "  " + words + time
          + (item.isMissing ? ", missing" : ""))
    }
  }

  private func name(_ entry: PlaylistEntry) -> String {
    TrackText.fileName(TrackLocation(path: entry.path))
  }

  private func fields(_ row: Int, _ entry: PlaylistEntry) -> [(String, JSON)] {
    [
      ("row", .int(row + 1)), ("path", .bytes(entry.path)),
      ("url", .bytes(PlaylistPath.url(entry.path))), ("title", .string(entry.title)),
      ("artist", .string(entry.artist)), ("duration", .double(entry.duration)),
      ("start", .double(entry.start)), ("end", .double(entry.end)),
    ]
  }

  // MARK: Between formats

  private func export(_ path: [UInt8], to file: [UInt8]) throws(LibraryFault) {
    let target = Playlists.absolute(file)
    guard let format = PlaylistFormat(of: target) else {
      throw LibraryFault(
        path: file, sentence: "a playlist's name ends in .m3u8, .m3u, .pls or .xspf")
    }
    let list = try PlaylistReader(path, collection)
    let folder = PlaylistPath.folder(target)
    if format == .m3u8 || format == .m3u {
      if let sentence = WholeFile.write(list.list(in: folder).bytes, to: target) {
        throw LibraryFault(path: target, sentence: sentence)
      }
    } else {
      let (bytes, losses) = PlaylistText.write(
        list.items.map(\.entry), as: format, in: folder, title: PlaylistPath.title(path))
      if let sentence = WholeFile.write(bytes, to: target) {
        throw LibraryFault(path: target, sentence: sentence)
      }
      for loss in losses { Messages.tell("\(Text.printable(target)): \(loss)") }
    }
    Console.print("Wrote \(Self.count(list.items.count)) into \(Text.printable(target))")
  }

  private func take(_ file: [UInt8], as name: [UInt8]?) throws(LibraryFault) {
    let list = try PlaylistReader(Playlists.absolute(file))
    guard !list.items.isEmpty else {
      throw LibraryFault(path: file, sentence: "nothing is listed in it")
    }
    let path = try Playlists.path(name ?? Array(PlaylistPath.title(file).utf8), settings)
    if SavedSearch.isOne(path) { throw LibraryFault(path: path, sentence: SavedSearch.isNoList) }
    guard let format = PlaylistFormat(of: path), format == .m3u8 || format == .m3u else {
      throw LibraryFault(
        path: path, sentence: "own playlists are M3U lists: a name without an ending")
    }
    var editor = try Playlists.store.open(path)
    guard editor.count == 0 else {
      throw LibraryFault(
        path: path,
        sentence: "is there already: 'sotto playlist import FILE NAME' gives another name")
    }
    editor.take(list.list(in: editor.folder))
    try save(&editor)
    let missing = list.items.count(where: \.isMissing)
    let lack = missing == 0 ? "" : ", \(missing) missing"
    Console.print(
      "Imported \(Self.count(list.items.count))\(lack) into \(Text.printable(editor.path))")
  }

  // MARK: Edits

  private func save(_ editor: inout ListEditor) throws(LibraryFault) {
    if let remark = try Playlists.store.save(&editor) {
      Messages.tell("\(Text.printable(editor.path)): \(Text.printable(remark))")
    }
  }

  private func edit(
    _ name: [UInt8], _ rows: [Int], _ before: String = "", _ nothing: String = "Nothing changed",
    _ change: (inout ListEditor) -> ListEdit?
  ) throws(LibraryFault) {
    var editor = try Playlists.store.open(Playlists.path(name, settings))
    guard !editor.isNew else {
      throw LibraryFault(path: editor.path, sentence: "no such playlist")
    }
    if let row = rows.first(where: { $0 >= editor.count }) {
      throw LibraryFault(path: editor.path, sentence: "has no row \(row + 1)")
    }
    guard let edit = change(&editor) else { return Console.print(nothing) }
    try save(&editor)
    let sentence = before.isEmpty ? Self.capitalized(edit.sentence) : before + edit.sentence
    Console.print(sentence)
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private func add(_ paths: [[UInt8]], to name: [UInt8]) throws(LibraryFault) {
    var editor = try Playlists.store.open(Playlists.path(name, settings))
    var expansion = Expansion(paths, collection: collection)
    var entries: [PlaylistEntry] = []
    while let item = expansion.next() {
      switch item {
      case .fault(let fault): Messages.fault(fault.path, fault.sentence)
      case .track(var track):
        describe(&track)
        if !track.location.isURL { track.location.path = Playlists.absolute(track.location.path) }
        entries.append(PlaylistEntry(track))
      }
    }
    guard let edit = editor.insert(entries, at: editor.count) else { return }
    try save(&editor)
    Console.print("\(Self.capitalized(edit.sentence)) to \(Text.printable(editor.path))")
  }

  /// What the file says of itself: it is found again by that when it is moved, and other players show
  /// it.
  private func describe(_ track: inout ListedTrack) {
    guard !track.location.isURL, let info = try? TrackOpener.info(track.location) else { return }
    track.title = InfoText.title(track, info)
    track.artist = InfoText.artist(track, info)
    track.duration = track.duration ?? info.duration
  }

  // MARK: Missing files

  private func check(_ path: [UInt8]) throws(LibraryFault) {
    let items = try PlaylistReader(path, collection).items
    let findings = Playlists.search(settings, list: path).findings(items)
    var places: [Int: [UInt8]] = [:]
    for finding in findings {
      if finding.places.count == 1 { places[finding.row] = finding.places[0] }
      if options.json {
        line(
          fields(finding.row, finding.entry) + [
            ("found", .array(finding.places.map { .bytes($0) }))
          ])
        continue
      }
      let number = "row \(finding.row + 1)"
      Console.print("\(number): \(Text.printable(finding.entry.path)): missing")
      for place in finding.places { Console.print("  found: \(Text.printable(place))") }
      if finding.places.count > 1 { Console.print("  it can be any of these: none is taken") }
    }
    var remaining = findings.count
    if options.repairs, !places.isEmpty {
      var editor = try Playlists.store.open(path)
      editor.repair(places)
      try save(&editor)
      remaining -= places.count
    }
    if remaining > 0 { Messages.status = 1 }
    if !options.json { Console.print(sentence(items.count, findings.count, places.count)) }
  }

  private func sentence(_ all: Int, _ missing: Int, _ found: Int) -> String {
    if missing == 0 { return all == 1 ? "1 track, and it is there" : "\(all) tracks, all there" }
    var text = "\(Self.count(all)), \(missing) missing"
    if found == 0 { return text + ", none found elsewhere" }
    text += ", \(found) found elsewhere"
    return text
      + (options.repairs
        ? ": taken, 'sotto playlist undo' takes it back" : ": '--repair' takes what was found")
  }
}
