import AudioTypes
import Dispatch
import MusicLibrary
import PlayQueue
import PlayerState
import TerminalModel

/// Playlists of the running player: one that is open on the screen, and edits of any. Files are read and
/// written on a queue of their own, and lists edited on another, so that a long one holds nothing up: a
/// wish waits until the one before it has made the rows that it means.
@MainActor final class PlayLists {
  private unowned let command: PlayCommand
  private let disk = ListDisk(Playlists.store)
  /// The list whose rows are shown.
  private var shown: OpenList?
  private var revision = 0
  /// The newest wish to show a list: older answers come too late.
  private var wanted = 0
  /// Wishes by the list's path, the first of which is being carried out.
  private var turns: [[UInt8]: [@MainActor () -> Void]] = [:]
  /// A list that was closed while wishes wait, as the last of them has made it.
  private var left: [[UInt8]: OpenList] = [:]

  init(_ command: PlayCommand) { self.command = command }

  private var settings: Settings { command.configuration.settings }

  // MARK: Rows

  /// Reads a list and shows its rows.
  ///
  /// - Parameter asked: who is told when they are there, or why not.
  func open(_ path: [UInt8], _ asked: Asked? = nil) {
    wanted += 1
    let number = wanted
    // As the wishes that wait leave it.
    inTurn(path) { [weak self] in
      self?.disk.read(path) { result in
        guard let self else { return }
        if self.wanted == number {
          switch result {
          case .success(let list):
            self.letGo(self.shown)
            self.shown = list
            self.show(list)
          case .failure(let fault): self.goOn(asked) { self.tell(fault) }
          }
        }
        asked?.finish()
        self.endTurn(path)
      }
    }
  }

  /// A list is shown, or is going to be.
  var isOpen: Bool { shown != nil }

  /// The overview is shown again.
  func close() {
    wanted += 1
    letGo(shown)
    shown = nil
  }

  /// A list is not shown any more; wishes that wait are carried out before that.
  private func letGo(_ list: OpenList?) {
    guard let list else { return }
    let path = list.editor.path
    inTurn(path) { [weak self] in
      self?.disk.forget(list.reading)
      self?.endTurn(path)
    }
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
    if SavedSearch.isOne(path) { return perform(wish, ofSearch: path, name) }
    let asked = command.asked?.wait()
    if let shown, shown.isNamed(path) {
      let path = shown.editor.path
      return inTurn(path) { [weak self] in
        guard let self else { return }
        let now = self.shown?.editor.path == path ? self.shown : self.left[path]
        self.perform(wish, in: now ?? shown, asked) { self.endTurn(path) }
      }
    }
    inTurn(path) { [weak self] in
      self?.disk.read(path) { result in
        guard let self else { return }
        switch result {
        case .success(let list) where !list.editor.isNew:
          self.perform(wish, in: list, asked) {
            // What was wished has been written by then.
            self.disk.afterwards { self.endTurn(path) }
            self.disk.forget(list.reading)
          }
        case .success:
          self.answer(asked) {
            self.tell(LibraryFault(path: path, sentence: "no such playlist"))
          }
          self.endTurn(path)
        case .failure(let fault):
          self.answer(asked) { self.tell(fault) }
          self.endTurn(path)
        }
      }
    }
  }

  /// What is said now is heard by whoever has asked.
  private func goOn(_ asked: Asked?, _ body: () -> Void) {
    let before = command.asked
    command.asked = asked
    body()
    command.asked = before
  }

  /// The same, and it is all.
  private func answer(_ asked: Asked?, _ body: () -> Void) {
    goOn(asked, body)
    asked?.finish()
  }

  /// What a saved search finds now is played and copied as a list's rows; changed it is elsewhere.
  private func perform(_ wish: ListWish, ofSearch path: [UInt8], _ name: [UInt8]) {
    switch wish {
    case .play, .put, .copy: break
    case .remove, .cut, .paste, .move, .undo, .redo, .check, .repair:
      return tell(LibraryFault(path: name, sentence: SavedSearch.isNoList))
    }
    let asked = command.asked?.wait()
    PlayCommand.expand(Expansion([path], collection: command.collection)) {
      [weak self] tracks, faults in
      guard let self else { return }
      self.answer(asked) { self.found(tracks, faults, wish) }
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
      left[path] = nil
      return
    }
    next()
  }

  private func tell(_ fault: LibraryFault) {
    command.say("\(Text.printable(fault.path)): \(Text.printable(fault.sentence))", isFault: true)
  }

  /// Carries a wish out in its turn.
  ///
  /// - Parameters:
  ///   - asked: who is told when it is done.
  ///   - then: called once the next wish may come.
  private func perform(
    _ wish: ListWish, in list: OpenList, _ asked: Asked?, _ then: @escaping @MainActor () -> Void
  ) {
    if let row = wish.rows.first(where: { !list.editor.list.blocks.indices.contains($0) }) {
      answer(asked) { command.say("The playlist has no row \(row &+ 1)", isFault: true) }
      return then()
    }
    let change: @Sendable (inout ListEditor) -> ListEdit?
    switch wish {
    case .play(let row):
      goOn(asked) { command.play(list.entries, from: row, in: list.editor.folder) }
      return then()
    case .put(let rows, let destination):
      let entries = rows.map { $0.map { list.entries[$0] } } ?? list.entries
      goOn(asked) { command.add(entries, in: list.editor.folder, destination) }
      return then()
    case .check, .repair:
      goOn(asked) { check(list, repairs: wish == .repair) }
      return then()
    case .copy(let rows):
      copy(rows, of: list)
      answer(asked) { command.say("Copied \(TrackText.count(rows.count))") }
      return then()
    case .cut(let rows):
      copy(rows, of: list)
      change = { $0.remove(rows, .cut) }
    case .remove(let rows): change = { $0.remove(rows) }
    case .move(let rows, let row): change = { $0.move(rows, to: row) }
    case .paste(let row):
      let folder = CtlCommand.workingFolder
      let entries = command.queue.read { $0.clipboardEntries }.map {
        PlaylistEntry($0, in: folder)
      }
      guard !entries.isEmpty else {
        answer(asked) { command.say("Nothing was cut or copied") }
        return then()
      }
      change = { $0.insert(entries, at: row, .pasted) }
    case .undo: change = { $0.undo() }
    case .redo: change = { $0.redo() }
    }
    disk.edit(list, change) { [weak self] list, edit in
      guard let self else { return }
      self.goOn(asked) { self.say(edit, wish) }
      if edit == nil {
        asked?.finish()
      } else {
        self.take(list)
        self.save(list, asked)
      }
      then()
    }
  }

  private func say(_ edit: ListEdit?, _ wish: ListWish) {
    switch (wish, edit) {
    case (.undo, let edit):
      command.say(edit.map { "Undid: \($0.sentence)" } ?? "There is nothing to undo")
    case (.redo, let edit):
      command.say(edit.map { "Redid: \($0.sentence)" } ?? "There is nothing to redo")
    case (_, let edit?):
      command.say(edit.sentence.prefix(1).uppercased() + edit.sentence.dropFirst())
    case (_, nil): break
    }
  }

  /// A list that was edited is shown as it is now, where it is.
  private func take(_ list: OpenList) {
    if shown?.editor.path == list.editor.path {
      shown = list
      show(list)
    } else {
      let path = list.editor.path
      if turns[path]?.isEmpty == false { left[path] = list }
    }
  }

  private func save(_ list: OpenList, _ asked: Asked?) {
    disk.save(list) { [weak self] remark, fault in
      guard let self else { return }
      self.answer(asked) {
        if let fault {
          self.tell(fault)
          // What is on the disk is what there is.
          if self.shown?.editor.path == list.editor.path { self.open(list.editor.path) }
        } else if let remark {
          self.command.say(Text.printable(remark), isFault: false)
        }
      }
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
          let path = list.editor.path
          self.inTurn(path) {
            self.goOn(asked) { self.found(findings, in: list, repairs: repairs, asked) }
            self.endTurn(path)
          }
        }
      }
    }
  }

  private func found(
    _ findings: [ListSearch.Finding], in list: OpenList, repairs: Bool, _ asked: Asked?
  ) {
    var list = list
    func end(_ sentence: String, isFault: Bool = false) {
      command.say(sentence, isFault: isFault)
      asked?.finish()
    }
    if let shown, shown.editor.path == list.editor.path { list = shown }
    let places = Dictionary(
      uniqueKeysWithValues: findings.compactMap { finding in
        finding.places.count == 1 ? (finding.row, finding.places[0]) : nil
      })
    guard !findings.isEmpty else {
      return end("Nothing is missing")
    }
    let missing = "\(TrackText.count(findings.count)) missing, \(places.count) found elsewhere"
    guard repairs, !places.isEmpty else {
      let hint = places.isEmpty ? "" : ": 'playlist NAME repair' takes what was found"
      return end(missing + hint)
    }
    // The rows may be others by now.
    let isSame = findings.allSatisfy {
      list.entries.indices.contains($0.row)
        && list.place(list.entries[$0.row]).path == $0.entry.path
    }
    guard isSame, let edit = list.edit({ $0.repair(places) }) else {
      return end("The playlist has changed meanwhile: nothing was done", isFault: true)
    }
    command.say("\(missing): \(edit.sentence)")
    take(list)
    save(list, asked)
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
}
