import AudioSession
import JSONText
import MusicLibrary
import PlayerState
import SessionReplay
import TerminalModel

/// A parser and what must hold of it whatever it is given: shared by the fuzzer and by the test that
/// runs the kept corpus. A crash and an endless loop are faults by themselves.
public enum ParserCheck: String, CaseIterable, Sendable {
  case m3u, pls, xspf, cue, lyrics, undo, query, config, keys, theme, command, json, trace

  /// Parses, writes and parses again.
  ///
  /// - Returns: what does not hold; `nil` where all is well.
  public func fault(_ bytes: [UInt8]) -> String? {
    switch self {
    case .m3u: m3u(bytes)
    case .pls: written(PLSParser.entries(bytes), .pls)
    case .xspf: written(XSPFParser.entries(bytes), .xspf)
    case .cue: cue(bytes)
    case .lyrics: lyrics(bytes)
    case .undo: undo(bytes)
    case .query: query(text(bytes))
    case .config: config(text(bytes))
    case .keys: keys(text(bytes))
    case .theme: theme(text(bytes))
    case .command: command(text(bytes))
    case .json: json(bytes)
    case .trace: trace(bytes)
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Playlists

  /// Entries, written as such a list and read again, mean the same files.
  private func written(_ entries: [PlaylistEntry], _ format: PlaylistFormat) -> String? {
    let folder = Array("/some/folder".utf8)
    // What is no path on any machine cannot be written as one.
    let known = entries.filter { !$0.path.contains(0) && !$0.path.isEmpty }.map { entry in
      var entry = entry
      if !isAddress(entry.path) { entry.path = PlaylistPath.absolute(entry.path, in: folder) }
      return entry
    }
    // An address that is none, and parts where there is no place for them, become others.
    if known.contains(where: { isAddress($0.path) && !isPlain($0.path) }) { return nil }
    if format == .pls, known.contains(where: \.isPart) { return nil }
    let again = read(PlaylistText.write(known, as: format, in: folder).bytes, format)
    guard again.count == known.count else { return "\(known.count) entries became \(again.count)" }
    for (entry, other) in zip(known, again) {
      let path =
        isAddress(other.path) ? other.path : PlaylistPath.absolute(other.path, in: folder)
      if path != entry.path { return "\(entry.path) became \(path)" }
      if abs(other.start - entry.start) > 1e-6 { return "\(entry.start) became \(other.start)" }
      if let end = entry.end, end - entry.start > 1e-5, other.end == nil {
        return "no end any more"
      }
    }
    return nil
  }

  private func read(_ bytes: [UInt8], _ format: PlaylistFormat) -> [PlaylistEntry] {
    switch format {
    case .m3u, .m3u8: M3UParser.entries(bytes)
    case .pls: PLSParser.entries(bytes)
    case .xspf: XSPFParser.entries(bytes)
    }
  }

  private func isAddress(_ path: [UInt8]) -> Bool { PlaylistPath.isAddress(path) }

  private func isPlain(_ path: [UInt8]) -> Bool {
    path.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"\\^`{|}".utf8.contains($0) }
  }

  private func m3u(_ bytes: [UInt8]) -> String? {
    let list = M3UList(bytes)
    let again = M3UList(list.bytes)
    if again.bytes != list.bytes { return "a list that was written is written otherwise" }
    if again.blocks != list.blocks { return "a list that was written is read otherwise" }
    var editor = ListEditor(path: Array("/some/folder/a.m3u".utf8), bytes: bytes)
    let entry = PlaylistEntry(path: Array("/some/folder/#x".utf8), title: "x")
    let edits = [
      editor.insert([entry], at: editor.count / 2), editor.move([0], to: editor.count),
      editor.remove([editor.count / 3]),
    ].compactMap(\.self)
    for edit in edits.reversed() where editor.undo() != edit { return "an edit is not undone" }
    if editor.bytes != bytes { return "undone is not as it was" }
    return written(M3UParser.entries(bytes), .m3u8)
  }

  private func undo(_ bytes: [UInt8]) -> String? {
    let path = Array("/l.m3u".utf8)
    guard let history = ListHistory(bytes, of: path) else { return nil }
    guard ListHistory(history.bytes(of: path), of: path) == history else {
      return "a history that was written is read otherwise"
    }
    var editor = ListEditor(path: path, bytes: Array("a\nb\n".utf8), history: history)
    while editor.undo() != nil {}
    return nil
  }

  private func cue(_ bytes: [UInt8]) -> String? {
    let sheet = CueSheet(parsing: bytes)
    for track in sheet.tracks {
      if track.start < 0 || track.file.isEmpty { return "a track without a place" }
      if let end = track.end, end <= track.start { return "a track that ends before it begins" }
    }
    return sheet.listed { $0 }.count == sheet.tracks.count ? nil : "a track is lost"
  }

  private func lyrics(_ bytes: [UInt8]) -> String? {
    let lines = Lyrics.parse(bytes)
    var before = 0.0
    for line in lines {
      guard let start = line.start else { continue }
      if !start.isFinite || start < before { return "times go back to \(start)" }
      before = start
    }
    return lines.contains { $0.text.utf8.contains(0x0A) } ? "a line has two lines" : nil
  }

  private func query(_ text: String) -> String? {
    let (typed, fault) = Query.typed(text)
    if let fault, fault.column < 1 || fault.column > text.unicodeScalars.count + 1 {
      return "column \(fault.column) of \(text.unicodeScalars.count)"
    }
    let written = typed.description
    guard let again = try? Query(written) else { return "'\(written)' cannot be read back" }
    return again.description == written
      ? nil : "'\(written)' is read back as '\(again.description)'"
  }

  // MARK: Configuration

  private func config(_ text: String) -> String? {
    let (settings, lines, _) = Settings.read(text)
    let all = settings.effective(file: "config", lines: lines)
    let again = all.map { "\($0.name) = \($0.value)\n" }.joined()
    let (other, _, _) = Settings.read(again)
    return other == settings ? nil : "settings that were written are read otherwise:\n\(again)"
  }

  private func keys(_ text: String) -> String? {
    let written = KeysFile.text(KeysFile.read(text).keys)
    let (again, errors) = KeysFile.read(written, over: KeyTable())
    if let error = errors.first { return "what was written has a fault: \(error.sentence)" }
    return KeysFile.text(again) == written ? nil : "keys that were written are read otherwise"
  }

  private func theme(_ text: String) -> String? {
    let lines = text.unicodeScalars.count { $0.properties.isWhitespace } + 1
    let errors = ThemeFile.read(text, name: "x").errors
    return errors.contains { $0.line < 1 || $0.line > lines } ? "a fault without a line" : nil
  }

  private func command(_ text: String) -> String? {
    guard let command = try? ScreenCommand(text) else { return nil }
    guard let again = try? ScreenCommand(command.text) else {
      return "'\(command.text)' cannot be read back"
    }
    return again.text == command.text ? nil : "'\(command.text)' is read back as '\(again.text)'"
  }

  // MARK: JSON

  private func json(_ bytes: [UInt8]) -> String? {
    guard let value = try? JSON(reading: bytes) else { return nil }
    for isASCII in [false, true] {
      let written = value.text(isASCII: isASCII)
      guard let again = try? JSON(reading: Array(written.utf8)) else {
        return "what was written cannot be read: \(written)"
      }
      if again.text(isASCII: isASCII) != written { return "\(written) became \(again.text())" }
    }
    return nil
  }

  private func trace(_ bytes: [UInt8]) -> String? {
    var replay = Replay()
    for line in bytes.split(separator: 0x0A).prefix(200) {
      var wrong: String?
      // Deadlines are few: a line that makes a million of them would not end.
      var steps = 0
      try? replay.take(Array(line)) { step in
        steps += 1
        if (try? JSON(reading: Array(step.json.text().utf8))) == nil { wrong = step.json.text() }
      }
      if let wrong { return "no JSON: \(wrong)" }
      if steps > 10_000 { return "\(steps) steps of one line" }
    }
    return nil
  }
}
