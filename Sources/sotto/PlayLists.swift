import AudioTypes
import Dispatch
import MusicLibrary
import PlayQueue
import PlayerState
import TerminalModel

/// Playlists of the running player: one that is open on the screen, and edits of any. Files are read and
/// written on a queue of their own; the list that is open is edited at once, so that the rows that are
/// seen are those that are meant, and is written after that.
@MainActor final class PlayLists {
  private unowned let command: PlayCommand
  private let disk = ListDisk(Playlists.store)
  /// The list whose rows are shown.
  private var shown: OpenList?
  private var revision = 0
  /// The newest wish to show a list: older answers come too late.
  private var wanted = 0
  /// Edits of lists that are not open, by path: each reads what the one before has written.
  private var turns: [[UInt8]: [@MainActor () -> Void]] = [:]

  init(_ command: PlayCommand) { self.command = command }

  private var settings: Settings { command.configuration.settings }

  // MARK: Rows

  /// Reads a list and shows its rows.
  func open(_ path: [UInt8]) {
    wanted += 1
    let number = wanted
    let asked = command.asked?.wait()
    disk.read(path) { [weak self] result in
      defer { asked?.finish() }
      guard let self, self.wanted == number else { return }
      switch result {
      case .success(let list):
        if let shown = self.shown { self.disk.forget(shown.reading) }
        self.shown = list
        self.show(list)
      case .failure(let fault):
        let before = self.command.asked
        self.command.asked = asked
        self.tell(fault)
        self.command.asked = before
      }
    }
  }

  /// A list is shown, or is going to be.
  var isOpen: Bool { shown != nil }

  /// The overview is shown again.
  func close() {
    wanted += 1
    if let shown { disk.forget(shown.reading) }
    shown = nil
  }

  /// The folder has changed: the open list is read again where another program has written it.
  ///
  /// - Returns: whether a list is open.
  func folderChanged() -> Bool {
    guard let shown else { return false }
    disk.isForeign(shown) { [weak self] isForeign in
      guard let self, isForeign, self.shown?.editor.path == shown.editor.path else { return }
      self.command.say("\(TrackText.fileName(TrackLocation(path: shown.editor.path))) was changed")
      self.open(shown.editor.path)
    }
    return true
  }

  private func show(_ list: OpenList) {
    revision += 1
    command.full?.show(list.listing(revision))
  }

  // MARK: Wishes

  func perform(_ wish: ListWish, of name: [UInt8]) {
    let path: [UInt8]
    do throws(LibraryFault) {
      path = try Playlists.path(name, settings)
    } catch {
      return tell(error)
    }
    if SavedSearch.isOne(path) { return perform(wish, ofSearch: path) }
    if let shown, shown.isNamed(path) {
      perform(wish, in: shown)
      return
    }
    let asked = command.asked?.wait()
    inTurn(path) { [weak self] in
      self?.disk.read(path) { result in
        guard let self else { return }
        let before = self.command.asked
        self.command.asked = asked
        var goesOn = false
        switch result {
        case .failure(let fault): self.tell(fault)
        case .success(let list) where list.editor.isNew:
          self.tell(LibraryFault(path: path, sentence: "no such playlist"))
        case .success(let list): goesOn = self.perform(wish, in: list)
        }
        self.command.asked = before
        if !goesOn { asked?.finish() }
        // What was wished has been written by then.
        self.disk.afterwards { self.endTurn(path) }
        if case .success(let list) = result { self.disk.forget(list.reading) }
      }
    }
  }

  /// What a saved search finds now is played and copied as a list's rows; changed it is elsewhere.
  private func perform(_ wish: ListWish, ofSearch path: [UInt8]) {
    switch wish {
    case .play, .put, .copy: break
    case .remove, .cut, .paste, .move, .undo, .redo, .check, .repair:
      return tell(LibraryFault(path: path, sentence: SavedSearch.isNoList))
    }
    let asked = command.asked?.wait()
    PlayCommand.expand(Expansion([path], collection: command.collection)) {
      [weak self] tracks, faults in
      guard let self else { return }
      let before = self.command.asked
      self.command.asked = asked
      self.found(tracks, faults, wish)
      self.command.asked = before
      asked?.finish()
    }
  }

  private func found(_ tracks: [QueueEntry], _ faults: [LibraryFault], _ wish: ListWish) {
    if !tracks.isEmpty, let row = wish.rows.first(where: { !tracks.indices.contains($0) }) {
      return command.say("The search finds no row \(row &+ 1)", isFault: true)
    }
    let asked = command.asked
    switch wish {
    case .play(let row): command.put(tracks, faults, .replace, asked, from: row)
    case .put(let rows, let destination):
      let chosen = rows.map { $0.compactMap { tracks.indices.contains($0) ? tracks[$0] : nil } }
      command.put(chosen ?? tracks, faults, destination, asked)
    case .copy(let rows) where !tracks.isEmpty:
      command.queue.edit { $0.keep(rows.map { tracks[$0] }) }
      command.say("Copied \(TrackText.count(rows.count))")
    default: for fault in faults { tell(fault) }
    }
  }

  private func inTurn(_ path: [UInt8], _ body: @escaping @MainActor () -> Void) {
    guard turns[path] == nil else {
      turns[path]?.append(body)
      return
    }
    turns[path] = []
    body()
  }

  private func endTurn(_ path: [UInt8]) {
    guard turns[path]?.isEmpty == false, let next = turns[path]?.removeFirst() else {
      turns[path] = nil
      return
    }
    next()
  }

  private func tell(_ fault: LibraryFault) {
    command.say("\(Text.printable(fault.path)): \(Text.printable(fault.sentence))", isFault: true)
  }

  /// - Returns: whether it goes on: whoever asked is told when it is done.
  @discardableResult private func perform(_ wish: ListWish, in list: OpenList) -> Bool {
    var list = list
    if let row = wish.rows.first(where: { !list.editor.list.blocks.indices.contains($0) }) {
      command.say("The playlist has no row \(row &+ 1)", isFault: true)
      return false
    }
    let edit: ListEdit?
    switch wish {
    case .play(let row):
      command.play(list.entries, from: row, in: list.editor.folder)
      return true
    case .put(let rows, let destination):
      let entries = rows.map { $0.map { list.entries[$0] } } ?? list.entries
      command.add(entries, in: list.editor.folder, destination)
      return true
    case .check, .repair:
      check(list, repairs: wish == .repair)
      return true
    case .copy(let rows):
      copy(rows, of: list)
      command.say("Copied \(TrackText.count(rows.count))")
      return false
    case .cut(let rows):
      copy(rows, of: list)
      edit = list.edit { $0.remove(rows, .cut) }
    case .remove(let rows): edit = list.edit { $0.remove(rows) }
    case .move(let rows, let row): edit = list.edit { $0.move(rows, to: row) }
    case .paste(let row): edit = paste(at: row, into: &list)
    case .undo:
      edit = list.edit { $0.undo() }
      command.say(edit.map { "Undid: \($0.sentence)" } ?? "There is nothing to undo")
    case .redo:
      edit = list.edit { $0.redo() }
      command.say(edit.map { "Redid: \($0.sentence)" } ?? "There is nothing to redo")
    }
    guard let edit else { return false }
    if wish != .undo, wish != .redo {
      command.say(edit.sentence.prefix(1).uppercased() + edit.sentence.dropFirst())
    }
    if shown?.editor.path == list.editor.path {
      shown = list
      show(list)
    }
    save(list)
    return true
  }

  private func save(_ list: OpenList) {
    let asked = command.asked?.wait()
    disk.save(list) { [weak self] remark, fault in
      guard let self else { return }
      let before = self.command.asked
      self.command.asked = asked
      if let fault {
        self.tell(fault)
        // What is on the disk is what there is.
        if self.shown?.editor.path == list.editor.path { self.open(list.editor.path) }
      } else if let remark {
        self.command.say(Text.printable(remark), isFault: false)
      }
      self.command.asked = before
      asked?.finish()
    }
  }

  /// Looks for what is missing, on a queue of its own: folders may be large.
  private func check(_ list: OpenList, repairs: Bool) {
    let asked = command.asked?.wait()
    let search = Playlists.place(ofSearch: settings, list: list.editor.path)
    command.say("Looking for what is missing")
    DispatchQueue(label: "sotto.search").async { [weak self] in
      let items = list.entries.map { PlaylistReader.item($0, in: list.editor.folder) }
      let findings = search.search().findings(items)
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self else { return }
          let before = self.command.asked
          self.command.asked = asked
          let goesOn = self.found(findings, in: list, repairs: repairs)
          self.command.asked = before
          if !goesOn { asked?.finish() }
        }
      }
    }
  }

  /// - Returns: whether it goes on.
  private func found(_ findings: [ListSearch.Finding], in list: OpenList, repairs: Bool) -> Bool {
    var list = list
    if let shown, shown.editor.path == list.editor.path { list = shown }
    let places = Dictionary(
      uniqueKeysWithValues: findings.compactMap { finding in
        finding.places.count == 1 ? (finding.row, finding.places[0]) : nil
      })
    guard !findings.isEmpty else {
      command.say("Nothing is missing")
      return false
    }
    let missing = "\(TrackText.count(findings.count)) missing, \(places.count) found elsewhere"
    guard repairs, !places.isEmpty else {
      let hint = places.isEmpty ? "" : ": 'playlist NAME repair' takes what was found"
      command.say(missing + hint)
      return false
    }
    // The rows may be others by now.
    let isSame = findings.allSatisfy {
      list.entries.indices.contains($0.row)
        && list.place(list.entries[$0.row]).path == $0.entry.path
    }
    guard isSame, let edit = list.edit({ $0.repair(places) }) else {
      command.say("The playlist has changed meanwhile: nothing was done", isFault: true)
      return false
    }
    command.say("\(missing): \(edit.sentence)")
    if shown?.editor.path == list.editor.path {
      shown = list
      show(list)
    }
    save(list)
    return true
  }

  private func copy(_ rows: [Int], of list: OpenList) {
    let entries = rows.map { row in
      let entry = list.entries[row]
      return QueueEntry(
        TrackLocation(path: list.place(entry).path, start: entry.start, end: entry.end),
        title: entry.title, artist: entry.artist, duration: entry.duration)
    }
    command.queue.edit { $0.keep(entries) }
  }

  private func paste(at row: Int, into list: inout OpenList) -> ListEdit? {
    let folder = CtlCommand.workingFolder
    let entries = command.queue.read { $0.clipboardEntries }.map { PlaylistEntry($0, in: folder) }
    guard !entries.isEmpty else {
      command.say("Nothing was cut or copied")
      return nil
    }
    return list.edit { $0.insert(entries, at: row, .pasted) }
  }
}

/// A list with what is known of its files, so that nothing waits for a disk while it is edited.
struct OpenList: Sendable {
  private(set) var editor: ListEditor
  private(set) var entries: [PlaylistEntry]
  /// By the path as the list has it.
  private var places: [[UInt8]: (path: [UInt8], isMissing: Bool)] = [:]

  /// Looks at every file of the list. Blocks.
  init(_ editor: ListEditor) {
    self.editor = editor
    entries = editor.list.entries
    for entry in entries where places[entry.path] == nil {
      let item = PlaylistReader.item(entry, in: editor.folder)
      places[entry.path] = (item.entry.path, item.isMissing)
    }
  }

  /// Where an entry leads; one that was not looked at is taken to be there.
  func place(_ entry: PlaylistEntry) -> (path: [UInt8], isMissing: Bool) {
    if let place = places[entry.path] { return place }
    let isWhole = entry.path.first == 0x2F || PlaylistPath.isAddress(entry.path)
    let path = isWhole ? entry.path : PlaylistPath.absolute(entry.path, in: editor.folder)
    return (path, false)
  }

  func isNamed(_ path: [UInt8]) -> Bool { editor.path == path || name == path }

  /// As it was asked for, before links were followed.
  var name: [UInt8] = []
  /// Which reading of the file it comes from.
  var reading = 0

  mutating func edit(_ change: (inout ListEditor) -> ListEdit?) -> ListEdit? {
    let edit = change(&editor)
    if edit != nil { entries = editor.list.entries }
    return edit
  }

  func listing(_ revision: Int) -> Listing {
    var listing = Listing(path: editor.path, revision: revision)
    listing.isPlaylist = true
    listing.rows = entries.map { entry in
      let place = place(entry)
      let title = entry.title ?? TrackText.fileName(TrackLocation(path: place.path))
      let words = [entry.artist, title].compactMap(\.self).joined(separator: " - ")
      var row = Listing.Row(
        .file, path: place.path, name: words,
        detail: entry.duration.map { TrackText.clock($0) } ?? "")
      row.isMissing = place.isMissing
      return row
    }
    return listing
  }
}

/// The disk's side: one thing after another, on a queue of its own.
final class ListDisk: @unchecked Sendable {
  private let queue = DispatchQueue(label: "sotto.lists")
  private let store: ListStore
  /// What was written last of a list that was read once: edits of it follow each other faster than
  /// the disk does. One that was read on another occasion knows nothing of it. Only on the queue.
  private var written: [Int: ListEditor] = [:]
  private var readings = 0

  init(_ store: ListStore) { self.store = store }

  func read(
    _ path: [UInt8], _ then: @escaping @MainActor (Result<OpenList, LibraryFault>) -> Void
  ) {
    queue.async {
      let result: Result<OpenList, LibraryFault>
      do throws(LibraryFault) {
        var list = OpenList(try self.store.open(path))
        list.name = path
        self.readings += 1
        list.reading = self.readings
        result = .success(list)
      } catch {
        result = .failure(error)
      }
      DispatchQueue.main.async { MainActor.assumeIsolated { then(result) } }
    }
  }

  func save(
    _ list: OpenList,
    _ then: @escaping @MainActor (_ remark: String?, _ fault: LibraryFault?) -> Void
  ) {
    queue.async {
      var editor = list.editor
      if let before = self.written[list.reading] { editor.follow(before) }
      var (remark, fault): (String?, LibraryFault?)
      do throws(LibraryFault) {
        remark = try self.store.save(&editor)
        self.written[list.reading] = editor
      } catch {
        fault = error
        self.written[list.reading] = nil
      }
      let (said, wrong) = (remark, fault)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(said, wrong) } }
    }
  }

  /// Whether another program has written the list since.
  func isForeign(_ list: OpenList, _ then: @escaping @MainActor (Bool) -> Void) {
    queue.async {
      let isForeign = self.store.isForeign(self.written[list.reading] ?? list.editor)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(isForeign) } }
    }
  }

  /// Once everything that was asked for before is done.
  func afterwards(_ then: @escaping @MainActor () -> Void) {
    queue.async { DispatchQueue.main.async { MainActor.assumeIsolated { then() } } }
  }

  /// A list that was read then is not edited any more.
  func forget(_ reading: Int) { queue.async { self.written[reading] = nil } }
}
