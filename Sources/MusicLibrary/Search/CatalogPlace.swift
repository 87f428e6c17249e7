/// A place in the collection as a word among paths, for what puts tracks into the queue:
/// `library:artists/bjork/post` is an album, `library:added` what was added last,
/// `library:track/7` one track. Keys are folded names.
public enum CatalogPlace: Hashable, Sendable {
  /// The tracks of a list, of one of its groups, or of an album in that; from one track on.
  case list(List, keys: [[UInt8]], from: Int64?)
  case track(Int64)

  /// The lists of the collection.
  public enum List: Hashable, Sendable {
    case groups(CatalogView)
    case added, plays, played, never, all

    /// By the word in a path; nil where there is no such list.
    public init?(_ name: String) {
      switch name {
      case "added": self = .added
      case "plays": self = .plays
      case "played": self = .played
      case "never": self = .never
      case "all": self = .all
      default:
        guard let view = CatalogView(rawValue: name) else { return nil }
        self = .groups(view)
      }
    }

    public var name: String {
      switch self {
      case .groups(let view): view.rawValue
      case .added: "added"
      case .plays: "plays"
      case .played: "played"
      case .never: "never"
      case .all: "all"
      }
    }

    /// What of the collection it is, and in which order.
    var search: (query: Query, order: CatalogOrder) {
      switch self {
      case .groups, .all: (.all, CatalogOrder())
      case .added: (.all, CatalogOrder(.added, descending: true))
      case .plays:
        (.number(.init(.plays, .above(.number(0)))), CatalogOrder(.plays, descending: true))
      case .played:
        (.number(.init(.plays, .above(.number(0)))), CatalogOrder(.played, descending: true))
      case .never: (.number(.init(.plays, .equal(.number(0)))), CatalogOrder())
      }
    }
  }

  // MARK: As a word

  static let prefix = Array("library:".utf8)

  /// Nil for what is no such word.
  public init?(_ argument: [UInt8]) {
    guard argument.starts(with: Self.prefix) else { return nil }
    var rest = argument[Self.prefix.count...]
    var from: Int64?
    let mark = Array("?from=".utf8)
    if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
      guard rest[question...].starts(with: mark),
        let id = Int64(String(decoding: rest[(question + mark.count)...], as: UTF8.self))
      else { return nil }
      from = id
      rest = rest[..<question]
    }
    let parts = rest.split(separator: 0x2F, omittingEmptySubsequences: false).map {
      FileURL.unescaped($0)
    }
    let name = String(decoding: parts[0], as: UTF8.self)
    let keys = Array(parts.dropFirst())
    if name == "track" {
      guard keys.count == 1, from == nil,
        let id = Int64(String(decoding: keys[0], as: UTF8.self))
      else { return nil }
      self = .track(id)
      return
    }
    guard let list = List(name), keys.count <= 2 else { return nil }
    if case .groups = list {} else if !keys.isEmpty { return nil }
    self = .list(list, keys: keys, from: from)
  }

  public var argument: [UInt8] {
    switch self {
    case .track(let id): return Self.prefix + Array("track/\(id)".utf8)
    case .list(let list, let keys, let from):
      var bytes = Self.prefix + Array(list.name.utf8)
      for key in keys {
        bytes.append(0x2F)
        for byte in key { Self.escape(byte, into: &bytes) }
      }
      if let from { bytes += Array("?from=\(from)".utf8) }
      return bytes
    }
  }

  private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
    guard byte <= 0x20 || byte == 0x7F || "%/?".utf8.contains(byte) else {
      bytes.append(byte)
      return
    }
    let digits = Array("0123456789ABCDEF".utf8)
    bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
