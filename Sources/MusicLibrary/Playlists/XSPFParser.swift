/// Reads XSPF: a `location` URL, `title`, `creator` and `duration` (milliseconds) a track, with
/// `xml:base` at any level.
public enum XSPFParser {
  private struct Track {
    var location: [UInt8]?
    var title: String?
    var creator: String?
    var duration: Double?
    var start: Double?
    var end: Double?
  }

  /// Elements deeper than this are left out.
  private static let depth = 64

  /// Never fails: what is not understood is left out.
  public static func entries(_ bytes: [UInt8]) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    _ = read(bytes, &entries)
    return entries
  }

  /// Reads as much as there is.
  ///
  /// - Returns: what is wrong first, and in which line: not well-formed, or no XSPF;
  ///   without a full stop, safe to print.
  static func read(_ bytes: [UInt8], _ entries: inout [PlaylistEntry]) -> String? {
    var scanner = XMLScanner(bytes)
    var fault: String?
    func complain(_ problem: @autoclosure () -> String, at position: Int) {
      if fault == nil { fault = "line \(scanner.line(position)): \(problem())" }
    }
    var hasRoot = false
    var open: [(name: String, base: [UInt8]?)] = []
    var track: Track?
    var text = ""
    /// What all paths together may be: each is made of its base again.
    var room = PlaylistLimits.bytes
    while let event = scanner.next() {
      if let damage = scanner.damage { complain(damage.problem, at: damage.position) }
      switch event {
      case .start(let name, let attributes):
        guard open.count < depth else {
          complain("too many elements within elements", at: scanner.position)
          return fault
        }
        if !hasRoot, name != "playlist" {
          complain(
            "<\(XMLScanner.shown(name))> stands where an XSPF has <playlist>",
            at: scanner.position - 1)
        }
        hasRoot = true
        let outer = open.last?.base ?? nil
        let base = attributes["base"].flatMap { base -> [UInt8]? in
          let whole = FileURL.resolveBase(Array(base.utf8), base: outer)
          return whole.count <= PlaylistLimits.address ? whole : nil
        }
        open.append((name, base ?? outer))
        if name == "track" { track = Track() }
        text = ""
      case .text(let piece):
        text += piece
      case .end(let name):
        if let inner = open.last?.name, inner != name {
          complain(
            "</\(XMLScanner.shown(name))> stands where <\(XMLScanner.shown(inner))> is open",
            at: scanner.position - 1)
        }
        guard let place = open.lastIndex(where: { $0.name == name }) else {
          complain("</\(XMLScanner.shown(name))> ends nothing", at: scanner.position - 1)
          continue
        }
        let base = open[place].base
        let isDirect = place > 0 && open[place - 1].name == "track"
        open.removeSubrange(place...)
        let value = LegacyText.trimmed(Array(text.utf8).map { $0 < 0x20 ? 0x20 : $0 }[...])
        let words = String(decoding: value, as: UTF8.self)
        text = ""
        if name == "track", let done = track {
          track = nil
          guard let location = done.location else { continue }
          room -= location.count
          guard room >= 0 else { return fault }
          var entry = PlaylistEntry(
            path: location, title: done.title, artist: done.creator, duration: done.duration)
          entry.take(start: done.start, end: done.end)
          entries.append(entry)
          if entries.count > PlaylistLimits.entries { return fault }
        } else if isDirect, !value.isEmpty {
          switch name {
          case "location" where track?.location == nil:
            let place = FileURL.resolve(Array(value), base: base)
            if PlaylistLimits.mayLead(place) { track?.location = place }
          case "title": track?.title = words
          case "creator": track?.creator = words
          case "duration":
            track?.duration = Double(words).flatMap { $0.isFinite && $0 > 0 ? $0 / 1000 : nil }
          default: break
          }
        } else if name == "option", track != nil, open.last?.name == "extension" {
          // As VLC writes the part of a file that is meant.
          if let seconds = M3UParser.value(of: "start-time=", value[...]) { track?.start = seconds }
          if let seconds = M3UParser.value(of: "stop-time=", value[...]) { track?.end = seconds }
        }
      }
    }
    if let damage = scanner.damage { complain(damage.problem, at: damage.position) }
    if let inner = open.last?.name {
      complain("the file ends within <\(XMLScanner.shown(inner))>", at: bytes.count)
    }
    if !hasRoot { complain("there is no <playlist> in it, and so no XSPF", at: bytes.count) }
    return fault
  }
}

extension FileURL {
  /// A base within a base stays a reference (escapes and scheme are kept).
  static func resolveBase(_ reference: [UInt8], base: [UInt8]?) -> [UInt8] {
    if scheme(reference) != nil || LegacyText.begins(reference, with: "file:") { return reference }
    guard let base, reference.first != 0x2F, let slash = base.lastIndex(of: 0x2F) else {
      return reference
    }
    return Array(base[...slash]) + reference
  }
}
