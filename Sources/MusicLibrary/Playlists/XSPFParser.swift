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

  /// Where an element stands this deep, the reading ends.
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
    var reading = Reading(scanner: XMLScanner(bytes), end: bytes.count)
    reading.all()
    entries += reading.entries
    return reading.fault
  }

  /// The list while it is read, element by element.
  private struct Reading {
    var scanner: XMLScanner
    /// Behind the last byte.
    let end: Int
    var entries: [PlaylistEntry] = []
    /// What is wrong first.
    var fault: String?
    private var hasRoot = false
    private var open: [(name: String, base: [UInt8]?)] = []
    private var track: Track?
    /// The text since an element began or ended.
    private var text = ""
    /// What all paths together may be: each is made of its base again.
    private var room = PlaylistLimits.bytes

    init(scanner: XMLScanner, end: Int) {
      self.scanner = scanner
      self.end = end
    }

    private mutating func complain(_ problem: @autoclosure () -> String, at position: Int) {
      if fault == nil { fault = "line \(scanner.line(position)): \(problem())" }
    }

    private mutating func complainOfDamage() {
      if let damage = scanner.damage { complain(damage.problem, at: damage.position) }
    }

    mutating func all() {
      while let event = scanner.next() {
        complainOfDamage()
        let goesOn: Bool
        switch event {
        case .start(let name, let attributes): goesOn = begin(name, base: attributes["base"])
        case .text(let piece):
          text += piece
          goesOn = true
        case .end(let name): goesOn = finish(name)
        }
        if !goesOn { return }
      }
      complainOfDamage()
      if let inner = open.last?.name {
        complain("the file ends within <\(XMLScanner.shown(inner))>", at: end)
      }
      if !hasRoot { complain("there is no <playlist> in it, and so no XSPF", at: end) }
    }

    /// False where no more is read.
    private mutating func begin(_ name: String, base: String?) -> Bool {
      guard open.count < depth else {
        complain("too many elements within elements", at: scanner.position)
        return false
      }
      if !hasRoot, name != "playlist" {
        complain(
          "<\(XMLScanner.shown(name))> stands where an XSPF has <playlist>",
          at: scanner.position - 1)
      }
      hasRoot = true
      let outer = open.last?.base ?? nil
      let base = base.flatMap { base -> [UInt8]? in
        let whole = FileURL.resolveBase(Array(base.utf8), base: outer)
        return whole.count <= PlaylistLimits.address ? whole : nil
      }
      open.append((name, base ?? outer))
      if name == "track" { track = Track() }
      text = ""
      return true
    }

    /// False where no more is read.
    private mutating func finish(_ name: String) -> Bool {
      if let inner = open.last?.name, inner != name {
        complain(
          "</\(XMLScanner.shown(name))> stands where <\(XMLScanner.shown(inner))> is open",
          at: scanner.position - 1)
      }
      guard let place = open.lastIndex(where: { $0.name == name }) else {
        complain("</\(XMLScanner.shown(name))> ends nothing", at: scanner.position - 1)
        return true
      }
      let base = open[place].base
      let isDirect = place > 0 && open[place - 1].name == "track"
      open.removeSubrange(place...)
      let value = LegacyText.trimmed(Array(text.utf8).map { $0 < 0x20 ? 0x20 : $0 }[...])
      text = ""
      if name == "track", let done = track {
        track = nil
        return add(done)
      }
      if isDirect, !value.isEmpty {
        take(name, value, base: base)
      } else if name == "option", track != nil, open.last?.name == "extension" {
        // As VLC writes the part of a file that is meant.
        if let seconds = M3UParser.value(of: "start-time=", value) { track?.start = seconds }
        if let seconds = M3UParser.value(of: "stop-time=", value) { track?.end = seconds }
      }
      return true
    }

    /// What an element of a track says.
    private mutating func take(_ name: String, _ value: ArraySlice<UInt8>, base: [UInt8]?) {
      let words = String(decoding: value, as: UTF8.self)
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
    }

    /// Adds a track that is complete; false where no more is read.
    private mutating func add(_ done: Track) -> Bool {
      guard let location = done.location else { return true }
      room -= location.count
      guard room >= 0 else { return false }
      var entry = PlaylistEntry(
        path: location, title: done.title, artist: done.creator, duration: done.duration)
      entry.take(start: done.start, end: done.end)
      entries.append(entry)
      return entries.count <= PlaylistLimits.entries
    }
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
