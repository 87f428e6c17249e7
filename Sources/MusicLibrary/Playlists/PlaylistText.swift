/// How a playlist is written, by the ending of its name.
public enum PlaylistFormat: String, Sendable, CaseIterable {
  case m3u8, m3u, pls, xspf

  /// By the ending of a path; `nil` for every other ending.
  public init?(of path: [UInt8]) { self.init(rawValue: Paths.suffix(path)) }
}

/// Entries as the text of a playlist. Pure.
public enum PlaylistText {
  /// - Parameters:
  ///   - entries: their paths from the root on, or http(s) addresses.
  ///   - folder: where the list is going to be, from the root on: what lies in it or below is written
  ///     relative to it.
  ///   - title: what the list is called, where the format has a place for that.
  /// - Returns: the text, and what the format could not say, a sentence each.
  public static func write(
    _ entries: [PlaylistEntry], as format: PlaylistFormat, in folder: [UInt8], title: String? = nil
  ) -> (bytes: [UInt8], losses: [String]) {
    switch format {
    case .m3u8, .m3u:
      var list = M3UList()
      list.blocks = entries.map { block($0, in: folder) }
      return (list.bytes, [])
    case .pls: return pls(entries, in: folder)
    case .xspf: return (xspf(entries, in: folder, title: title), [])
    }
  }

  /// The path as a list in `folder` has it: relative where it lies there or below.
  static func relative(_ path: [UInt8], to folder: [UInt8]) -> [UInt8] {
    guard FileURL.scheme(path) == nil || path.first == 0x2F else { return path }
    let path = Paths.absolute(path, in: folder)
    let folder = Paths.absolute(folder, in: [0x2F])
    let base = folder == [0x2F] ? folder : folder + [0x2F]
    guard path.count > base.count, path.starts(with: base) else { return path }
    let rest = Array(path[base.count...])
    // What goes up again is elsewhere.
    return rest.split(separator: 0x2F).contains { $0.elementsEqual([0x2E, 0x2E]) } ? path : rest
  }

  /// A path as a line of its own: byte for byte, but as a URL where the line would not be read as
  /// that path.
  static func line(_ path: [UInt8], in folder: [UInt8], isTrimmed: Bool) -> [UInt8] {
    var line = relative(path, to: folder)
    // An address has no blanks and no ends of lines.
    if path.first != 0x2F, FileURL.scheme(path) != nil { return line.filter { $0 > 0x20 } }
    let isBroken = line.contains { $0 == 0x0A || $0 == 0x0D }
    let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
    if isBroken || isTrimmed && (isBlank(line.first) || isBlank(line.last)) {
      return FileURL.url(Paths.absolute(path, in: folder))
    }
    let isMisread =
      line.first == UInt8(ascii: "#") || isBlank(line.first)
      || LegacyText.begins(line, with: "file:")
    if isMisread { line = Array("./".utf8) + line }
    return line
  }

  // MARK: M3U

  /// An entry's lines.
  static func block(_ entry: PlaylistEntry, in folder: [UInt8]) -> M3UList.Block {
    var before: [[UInt8]] = []
    let words = words(entry)
    if !words.isEmpty || entry.duration != nil {
      before.append(Array("#EXTINF:\(seconds(entry)),\(words)".utf8))
    }
    if entry.start > 0 {
      before.append(Array("#EXTVLCOPT:start-time=\(number(entry.start))".utf8))
    }
    if let end = entry.end { before.append(Array("#EXTVLCOPT:stop-time=\(number(end))".utf8)) }
    return M3UList.Block(before: before, path: line(entry.path, in: folder, isTrimmed: false))
  }

  /// "Artist - Title".
  private static func words(_ entry: PlaylistEntry) -> String {
    [entry.artist, entry.title].compactMap(\.self).filter { !$0.isEmpty }.map(oneLine)
      .joined(separator: " - ")
  }

  /// Whole seconds, as every reader takes them; -1 is unknown.
  private static func seconds(_ entry: PlaylistEntry) -> Int {
    guard let duration = entry.duration, duration > 0, duration < 1e9 else { return -1 }
    return max(Int(duration.rounded()), 1)
  }

  /// As it is read back; never with an exponent, which not everybody reads.
  static func number(_ seconds: Double) -> String {
    let text = "\(seconds)"
    guard text.contains("e") else { return text }
    let millionths = Int64((min(max(seconds, 0), 1e12) * 1e6).rounded())
    let rest = String(1_000_000 + millionths % 1_000_000).dropFirst()
    return "\(millionths / 1_000_000).\(rest)"
  }

  /// Control characters and ends of lines are blanks: they would end the line, or obey somebody.
  private static func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
      // Nothing in XML may be these.
      case .unassigned where scalar.value & 0xFFFE == 0xFFFE: line.append("\u{FFFD}")
      default: line.append(scalar)
      }
    }
    return String(line)
  }

  // MARK: PLS

  /// PLS knows whole files alone: parts of one file after each other become that file once.
  private static func pls(
    _ entries: [PlaylistEntry], in folder: [UInt8]
  ) -> (bytes: [UInt8], losses: [String]) {
    var text = Array("[playlist]\n".utf8)
    var count = 0
    var parts = 0
    var before: PlaylistEntry?
    for entry in entries {
      defer { before = entry }
      if entry.isPart {
        parts += 1
        if let before, before.isPart, before.path == entry.path { continue }
      }
      count += 1
      text += Array("File\(count)=".utf8) + line(entry.path, in: folder, isTrimmed: true) + [0x0A]
      // What is said of a part is not true of its file.
      if !entry.isPart {
        let words = words(entry)
        if !words.isEmpty { text += Array("Title\(count)=\(words)\n".utf8) }
      }
      text += Array("Length\(count)=\(entry.isPart ? -1 : seconds(entry))\n".utf8)
    }
    text += Array("NumberOfEntries=\(count)\nVersion=2\n".utf8)
    let tracks = parts == 1 ? "1 track is a part" : "\(parts) tracks are parts"
    let loss = "\(tracks) of a file, which PLS cannot say: the whole file stands there"
    return (text, parts == 0 ? [] : [loss])
  }

  // MARK: XSPF

  private static func xspf(
    _ entries: [PlaylistEntry], in folder: [UInt8], title: String?
  ) -> [UInt8] {
    let application = "http://www.videolan.org/vlc/playlist/0"
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\""
    if entries.contains(where: \.isPart) {
      text += " xmlns:vlc=\"http://www.videolan.org/vlc/playlist/ns/0/\""
    }
    text += ">\n"
    if let title { text += "  <title>\(markup(title))</title>\n" }
    text += "  <trackList>\n"
    for entry in entries {
      text += "    <track>\n"
      text += "      <location>\(markup(location(entry.path, in: folder)))</location>\n"
      if let title = entry.title, !title.isEmpty {
        text += "      <title>\(markup(title))</title>\n"
      }
      if let artist = entry.artist, !artist.isEmpty {
        text += "      <creator>\(markup(artist))</creator>\n"
      }
      if let duration = entry.duration, duration > 0, duration < 1e9 {
        text += "      <duration>\(max(Int64((duration * 1000).rounded()), 1))</duration>\n"
      }
      if entry.isPart {
        text += "      <extension application=\"\(application)\">\n"
        if entry.start > 0 {
          text += "        <vlc:option>start-time=\(number(entry.start))</vlc:option>\n"
        }
        if let end = entry.end {
          text += "        <vlc:option>stop-time=\(number(end))</vlc:option>\n"
        }
        text += "      </extension>\n"
      }
      text += "    </track>\n"
    }
    text += "  </trackList>\n</playlist>\n"
    return Array(text.utf8)
  }

  /// A URL, or a reference relative to the list. ASCII.
  private static func location(_ path: [UInt8], in folder: [UInt8]) -> String {
    if path.first != 0x2F, FileURL.scheme(path) != nil {
      // An address is escaped already; only what may stand in no URL is not.
      let url = path.flatMap { byte -> [UInt8] in
        byte > 0x20 && byte < 0x7F && !"<>\"\\^`{|}".utf8.contains(byte)
          ? [byte] : FileURL.escaped([byte])
      }
      return String(decoding: url, as: UTF8.self)
    }
    let relative = relative(path, to: folder)
    let url = relative.first == 0x2F ? FileURL.url(relative) : FileURL.escaped(relative)
    return String(decoding: url, as: UTF8.self)
  }

  private static func markup(_ text: String) -> String {
    var result = ""
    for character in oneLine(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
