import Glibc
import PlayQueue

/// What files are called for other programs.
public enum RemoteAddress {
  /// The URL of a file, byte for byte.
  public static func url(ofFile path: [UInt8]) -> String? { MPRISAddress.url(path) }
}

/// What things are called on the bus: tracks, playlists and files.
enum MPRISAddress {
  static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
  private static let tracks = "/sotto/track/"

  static func track(_ id: EntryID) -> String { tracks + String(id.number) }

  /// The entry that a path means; nil for what is none of our tracks.
  static func track(_ path: String) -> EntryID? {
    guard path.hasPrefix(tracks), let number = UInt32(path.dropFirst(tracks.count)) else {
      return nil
    }
    let id = EntryID(number)
    return track(id) == path ? id : nil
  }

  static func playlist(_ path: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "/sotto/playlist/" + String(hash, radix: 16)
  }

  // MARK: URLs

  static let schemes = ["file", "http", "https"]

  /// A path as a file's URL, byte for byte; http and https as they are.
  static func url(_ path: [UInt8]) -> String? {
    if scheme(path) != nil { return String(decoding: path, as: UTF8.self) }
    guard let whole = absolute(path) else { return nil }
    var text = "file://"
    for byte in whole {
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII,
        scalar.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }

  /// What a URL leads to: a path, or a web address as it is. Nil where its scheme is none of ours,
  /// or its file is on another machine.
  static func path(_ url: String) -> [UInt8]? {
    let bytes = Array(url.utf8)
    switch scheme(bytes) {
    case "http", "https": return bytes
    case "file":
      let rest = bytes[7...]
      guard let slash = rest.firstIndex(of: 0x2F) else { return nil }
      let host = String(decoding: rest[..<slash], as: UTF8.self).lowercased()
      guard host.isEmpty || host == "localhost" else { return nil }
      return unescaped(rest[slash...])
    default: return nil
    }
  }

  private static func scheme(_ bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
    return schemes.first { head.hasPrefix($0 + "://") }
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
        rest.count >= 2, value != 0
      else { return nil }
      result.append(value)
      rest.removeFirst(2)
    }
    return result
  }

  private static func absolute(_ path: [UInt8]) -> [UInt8]? {
    if path.first == 0x2F { return path }
    var folder = [CChar](repeating: 0, count: 4096)
    guard unsafe getcwd(&folder, folder.count) != nil else { return nil }
    return folder.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } + [0x2F] + path
  }
}
