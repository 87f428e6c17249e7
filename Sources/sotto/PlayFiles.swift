import AudioSession
import AudioTypes
import Decoding
import Dispatch
import Glibc
import MusicLibrary
import PlayQueue
import PlayerState

/// Files into the queue, and the queue into files.
extension PlayCommand {
  /// What words among paths are looked up in.
  var collection: MusicCollection { LibraryPlace.collection(configuration.settings) }

  /// Finds the tracks of some paths on a queue of its own, and puts them in place all at once.
  func add(_ paths: [[UInt8]], _ destination: PlayerCommand.Destination) {
    let asked = asked?.wait()
    Self.expand(Expansion(paths, collection: collection)) { [weak self] found, wrong in
      self?.put(found, wrong, destination, asked)
      asked?.finish()
    }
  }

  /// The same with rows of a playlist in that folder.
  func add(
    _ entries: [PlaylistEntry], in folder: [UInt8], _ destination: PlayerCommand.Destination
  ) {
    let asked = asked?.wait()
    Self.expand(Expansion(entries, in: folder)) { [weak self] found, wrong in
      self?.put(found, wrong, destination, asked)
      asked?.finish()
    }
  }

  /// Plays a playlist in place of the queue, from that row on.
  func play(_ entries: [PlaylistEntry], from row: Int, in folder: [UInt8]) {
    let asked = asked?.wait()
    // A row may be several tracks, or none.
    Self.expand(Expansion(Array(entries[..<row]), in: folder)) { [weak self] before, lost in
      Self.expand(Expansion(Array(entries[row...]), in: folder)) { found, wrong in
        self?.put(
          before + found, lost + wrong, .replace, asked, from: found.isEmpty ? 0 : before.count)
        asked?.finish()
      }
    }
  }

  /// Finds tracks on a queue of its own.
  ///
  /// A file whose name does not say that it is music is opened, so that one that is none is a fault.
  ///
  /// - Parameter opens: a single file is opened whatever it is called.
  static func expand(
    _ expansion: Expansion, opens: Bool = false,
    _ then: @escaping @MainActor ([QueueEntry], [LibraryFault]) -> Void
  ) {
    DispatchQueue(label: "sotto.expansion").async {
      var expansion = expansion
      var tracks: [QueueEntry] = []
      var faults: [LibraryFault] = []
      var opened = 0
      while let item = expansion.next() {
        switch item {
        case .track(let track):
          let isSure = track.location.isURL || Expansion.isNamedAsAudio(track.location.path)
          if !isSure, opened < mostOpened {
            opened += 1
            if let fault = fault(of: track.location) {
              faults.append(fault)
              continue
            }
          }
          tracks.append(QueueEntry(track))
          tracks += expansion.takeFound().lazy.map(QueueEntry.init)
        case .fault(let fault): faults.append(fault)
        }
      }
      if opens, opened == 0, tracks.count == 1, let only = tracks.first?.location, !only.isURL,
        let fault = fault(of: only)
      {
        tracks = []
        faults.append(fault)
      }
      let (found, wrong) = (tracks, faults)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(found, wrong) } }
    }
  }

  /// Of more files than these the decoder tells it when their turn comes.
  nonisolated private static let mostOpened = 100

  /// What the decoders say of a file that they cannot play.
  nonisolated private static func fault(of location: TrackLocation) -> LibraryFault? {
    do throws(DecodingError) {
      _ = try TrackOpener.info(location)
      return nil
    } catch {
      return LibraryFault(path: location.path, sentence: error.sentence)
    }
  }

  func put(
    _ tracks: [QueueEntry], _ faults: [LibraryFault], _ destination: PlayerCommand.Destination,
    _ asked: Asked?, from first: Int? = nil
  ) {
    // What is said here is for the screen; the answer is put together beside it.
    let before = self.asked
    self.asked = nil
    defer { self.asked = before }
    for fault in faults {
      Messages.fault(fault.path, fault.sentence)
      asked?.hear("\(Text.printable(fault.path)): \(fault.sentence)", isFault: true)
    }
    guard !tracks.isEmpty else {
      if faults.isEmpty { asked?.hear("There is nothing to play", isFault: true) }
      return refresh()
    }
    leaveList(destination == .replace)
    let row = queue.edit { queue -> Int? in
      switch destination {
      case .end:
        queue.add(tracks)
        return nil
      case .next:
        queue.insertNext(tracks)
        return nil
      case .replace:
        queue.replace(with: tracks)
        if let first { return first }
        return queue.isShuffled ? queue.playOrder.first.flatMap { queue.index(of: $0) } : 0
      }
    }
    if engine?.snapshot().index == nil, let first = queue.firstKey {
      // Nothing was there: the player stands at what is now, and waits for the user.
      index = first
      engine?.rest(at: first)
      engine?.letGo(at: first)
    } else {
      engine?.successionChanged()
    }
    let count = tracks.count == 1 ? "1 track" : "\(tracks.count) tracks"
    let sentence = destination == .replace ? "Playing \(count)" : "Added \(count)"
    asked?.hear(sentence)
    asked?.added = tracks.count
    if let fault = faults.first {
      let more = faults.count > 1 ? ", and \(faults.count - 1) more" : ""
      say(
        "\(sentence), not \(Text.printable(fault.path)): \(Text.printable(fault.sentence))\(more)",
        isFault: true)
    } else {
      say(sentence)
    }
    if let row { perform(.choose(row)) }
    refresh()
  }

  /// Puts what is at one path or URL before that row of the queue (nil: next), and plays it where
  /// that is wanted. Answers with what is wrong, if anything.
  func insert(
    _ path: [UInt8], at row: Int?, playsIt: Bool, from source: CommandSource,
    _ answer: @escaping @MainActor (_ fault: String?) -> Void
  ) {
    Self.expand(Expansion([path], collection: collection), opens: true) {
      [weak self] found, wrong in
      for fault in wrong { Messages.fault(fault.path, fault.sentence) }
      guard let self, !self.isEnding else { return answer("the player ends") }
      guard !found.isEmpty else {
        let sentence = wrong.first.map { "\(Text.printable($0.path)): \($0.sentence)" }
        return answer(Text.printable(sentence ?? "there is nothing to play"))
      }
      let range = self.queue.edit { queue in
        row.map { queue.insert(found, at: $0) } ?? queue.insertNext(found)
      }
      self.engine?.successionChanged()
      if playsIt { self.perform(.choose(range.lowerBound), from: source) }
      self.refresh()
      answer(nil)
    }
  }

  /// Writes the queue into a playlist, whole or not at all: by a name into one of the user's own, by a
  /// path (with a slash) anywhere; the ending says how. What is there already stays, unless it is to be
  /// replaced; that can be undone where it is an M3U.
  func save(_ name: String, replaces: Bool) {
    let path: [UInt8]
    do throws(LibraryFault) {
      path = try Playlists.path(Array(name.utf8), configuration.settings)
    } catch {
      return say("\(Text.printable(error.path)): \(error.sentence)", isFault: true)
    }
    if SavedSearch.isOne(path) {
      return say("\(Text.printable(name)): \(SavedSearch.isNoList)", isFault: true)
    }
    guard let format = PlaylistFormat(of: path) else {
      return say("A playlist's name ends in .m3u8, .m3u, .pls or .xspf", isFault: true)
    }
    let (entries, folder) = (queue.value.entries, CtlCommand.workingFolder)
    let asked = asked?.wait()
    let store = Playlists.store
    DispatchQueue(label: "sotto.save").async { [weak self] in
      let listed = entries.map { PlaylistEntry($0, in: folder) }
      let isThere = unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
      let word = CommandWords.quoted(Array(name.utf8))
      let isKept = isThere && !replaces
      let (fault, remarks) =
        isKept
        ? ("is there already: 'save \(word) replace' takes its place", [])
        : Self.write(listed, as: format, to: path, store)
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self else { return }
          let before = self.asked
          self.asked = asked
          // What to type is at the end: by its name there is room for that.
          self.saved(entries.count, isKept ? Array(name.utf8) : path, fault, remarks)
          self.asked = before
          asked?.finish()
        }
      }
    }
  }

  private func saved(_ count: Int, _ path: [UInt8], _ fault: String?, _ remarks: [String]) {
    let name = Text.printable(path)
    if let fault { return say("\(name): \(Text.printable(fault))", isFault: true) }
    let tracks = count == 1 ? "1 track" : "\(count) tracks"
    say((["Saved \(tracks) in \(name)"] + remarks.map(Text.printable)).joined(separator: "; "))
    if !lists.folderChanged() { full?.browse(Array("playlists:".utf8)) }
    bus?.readPlaylists()
    refresh()
  }

  /// - Returns: what is wrong, if anything, and what else there is to say.
  nonisolated private static func write(
    _ entries: [PlaylistEntry], as format: PlaylistFormat, to path: [UInt8], _ store: ListStore
  ) -> (fault: String?, remarks: [String]) {
    do throws(LibraryFault) {
      switch format {
      case .m3u8, .m3u:
        var editor = try store.open(path)
        editor.replace(with: entries)
        return (nil, [try store.save(&editor)].compactMap(\.self))
      case .pls, .xspf:
        let (bytes, losses) = PlaylistText.write(
          entries, as: format, in: PlaylistPath.folder(path), title: PlaylistPath.title(path))
        return (WholeFile.write(bytes, to: path), losses)
      }
    } catch {
      return (error.sentence, [])
    }
  }
}
