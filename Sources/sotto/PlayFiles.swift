import AudioSession
import AudioTypes
import Dispatch
import Glibc
import MusicLibrary
import PlayQueue
import PlayerState

/// Files into the queue, and the queue into files.
extension PlayCommand {
  /// Finds the tracks of some paths on a queue of its own, and puts them in place all at once.
  func add(_ paths: [[UInt8]], _ destination: PlayerCommand.Destination) {
    let asked = asked?.wait()
    Self.expand(paths) { [weak self] found, wrong in
      self?.put(found, wrong, destination, asked)
      asked?.finish()
    }
  }

  /// Finds the tracks of some paths on a queue of its own.
  private static func expand(
    _ paths: [[UInt8]],
    _ then: @escaping @MainActor ([QueueEntry], [LibraryFault]) -> Void
  ) {
    let collection = LibraryPlace.collection
    DispatchQueue(label: "sotto.expansion").async {
      var expansion = Expansion(paths, collection: collection)
      var tracks: [QueueEntry] = []
      var faults: [LibraryFault] = []
      while let item = expansion.next() {
        switch item {
        case .track(let track): tracks.append(QueueEntry(track))
        case .fault(let fault): faults.append(fault)
        }
      }
      let (found, wrong) = (tracks, faults)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(found, wrong) } }
    }
  }

  private func put(
    _ tracks: [QueueEntry], _ faults: [LibraryFault], _ destination: PlayerCommand.Destination,
    _ asked: Asked?
  ) {
    for fault in faults {
      Messages.fault(fault.path, fault.sentence)
      asked?.hear("\(Text.printable(fault.path)): \(fault.sentence)", isFault: true)
    }
    guard !tracks.isEmpty else {
      if faults.isEmpty { asked?.hear("There is nothing to play", isFault: true) }
      return refresh()
    }
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
        return queue.isShuffled ? queue.playOrder.first.flatMap { queue.index(of: $0) } : 0
      }
    }
    if engine?.snapshot().index == nil, let first = queue.firstKey {
      // Nothing was there: the player stands at what is now, and waits for the user.
      index = first
      engine?.rest(at: first)
    } else {
      engine?.successionChanged()
    }
    let count = tracks.count == 1 ? "1 track" : "\(tracks.count) tracks"
    let sentence = destination == .replace ? "Playing \(count)" : "Added \(count)"
    asked?.hear(sentence)
    if faults.isEmpty { say(sentence) }
    if let row { perform(.choose(row)) }
    refresh()
  }

  /// Puts what is at one path or URL before that row of the queue (nil: next), and plays it where
  /// that is wanted.
  func insert(_ path: [UInt8], at row: Int?, playsIt: Bool, from source: CommandSource) {
    Self.expand([path]) { [weak self] found, wrong in
      for fault in wrong { Messages.fault(fault.path, fault.sentence) }
      guard let self, !found.isEmpty, !self.isEnding else { return }
      let range = self.queue.edit { queue in
        row.map { queue.insert(found, at: $0) } ?? queue.insertNext(found)
      }
      self.engine?.successionChanged()
      if playsIt { self.perform(.choose(range.lowerBound), from: source) }
      self.refresh()
    }
  }

  /// Writes the queue into a playlist of that name, whole or not at all.
  func save(_ name: String) {
    let settings = configuration.settings
    guard let folder = Browser.folder(settings.playlistFolder) ?? Browser.defaultPlaylists else {
      return say("There is no folder for playlists: HOME is not set", isFault: true)
    }
    guard !name.isEmpty, !name.contains("/"), name.first != "." else {
      return say("A playlist's name has no / and does not begin with a point", isFault: true)
    }
    let entries = queue.value.entries
    let path = folder + [0x2F] + Array("\(name).m3u8".utf8)
    if let fault = PlaylistFile.write(entries, to: path, in: folder) {
      say("\(Text.printable(path)): \(fault)", isFault: true)
    } else {
      let count = entries.count == 1 ? "1 track" : "\(entries.count) tracks"
      say("Saved \(count) in \(Text.printable(path))")
      full?.browse(Array("playlists:".utf8))
      bus?.readPlaylists()
    }
  }
}

/// Playlists as files: M3U8.
enum PlaylistFile {
  /// Writes beside the place and moves it there, so that a full disk leaves the old one.
  ///
  /// - Returns: what is wrong, if anything.
  static func write(_ entries: [QueueEntry], to path: [UInt8], in folder: [UInt8]) -> String? {
    let missing = Folders.make(folder, mode: 0o755)
    if missing != 0 { return "cannot be written: \(Descriptor.sentence(missing))" }
    let beside = path + Array(".new".utf8)
    let name = beside.map { CChar(bitPattern: $0) } + [0]
    let descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return "cannot be written: \(Descriptor.sentence(errno))" }
    var cause = Descriptor.write(text(entries), to: descriptor)
    if close(descriptor) != 0, cause == 0 { cause = errno }
    if cause == 0, unsafe rename(name, path.map { CChar(bitPattern: $0) } + [0]) != 0 {
      cause = errno
    }
    if cause != 0 {
      _ = unsafe unlink(name)
      return "cannot be written: \(Descriptor.sentence(cause))"
    }
    return nil
  }

  /// Names are bytes; a title is one line.
  static func text(_ entries: [QueueEntry]) -> [UInt8] {
    var text = Array("#EXTM3U\n".utf8)
    for entry in entries {
      let seconds = entry.duration.map { Int($0.rounded()) } ?? -1
      let words = [entry.artist, entry.title].compactMap(\.self).joined(separator: " - ")
      if !words.isEmpty {
        text += Array("#EXTINF:\(seconds),\(Text.printable(words))\n".utf8)
      }
      text += entry.location.path + [0x0A]
    }
    return text
  }
}
