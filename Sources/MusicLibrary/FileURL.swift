/// `file:` URLs and relative references, as playlists use them. Works on bytes: what a percent
/// escape means need not be UTF-8.
enum FileURL {
  /// The path of a `file:` URL of this machine; `nil` when it is no such URL.
  static func path(_ bytes: [UInt8]) -> [UInt8]? {
    guard LegacyText.begins(bytes, with: "file:") else { return nil }
    var rest = bytes.dropFirst(5)
    if rest.starts(with: [0x2F, 0x2F]) {
      rest = rest.dropFirst(2)
      // A host stands before the path; only this machine's files are files.
      guard let slash = rest.firstIndex(of: 0x2F) else { return nil }
      let host = LegacyText.lower(rest[..<slash])
      guard host.isEmpty || host.elementsEqual("localhost".utf8) else { return nil }
      rest = rest[slash...]
    }
    return unescaped(rest)
  }

  /// Percent escapes undone; what is no escape stays. A NUL never comes out of it.
  static func unescaped(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = nibble(rest[rest.startIndex]), let low = nibble(rest[rest.startIndex + 1]),
        high | low != 0
      {
        result.append(high << 4 | low)
        rest.removeFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  /// Every byte that has a meaning in URLs, or none anywhere, as an escape; slashes stay.
  static func escaped(_ path: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in path {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
        result.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return result
  }

  /// The `file:` URL of an absolute path.
  static func url(_ path: [UInt8]) -> [UInt8] { Array("file://".utf8) + escaped(path) }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: return byte - 0x30
    case 0x41...0x46: return byte - 0x37
    case 0x61...0x66: return byte - 0x57
    default: return nil
    }
  }

  /// The scheme of a URL with an authority ("http" of "http://…"), in lower case.
  static func scheme(_ bytes: [UInt8]) -> String? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 1,
      bytes[colon...].starts(with: [0x3A, 0x2F, 0x2F]),
      bytes[..<colon].allSatisfy({ byte in
        (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte >= 0x30 && byte <= 0x39
          || byte == 0x2B || byte == 0x2D || byte == 0x2E
      })
    else { return nil }
    return String(decoding: LegacyText.lower(bytes[..<colon]), as: UTF8.self)
  }

  /// A reference of an XSPF list against its base: a URL or a path as it is; a relative one after
  /// the last slash of the base. No base: the reference itself, escapes undone.
  static func resolve(_ reference: [UInt8], base: [UInt8]?) -> [UInt8] {
    if let path = path(reference) { return path }
    if scheme(reference) != nil { return reference }
    guard let base, !base.isEmpty else { return local(unescaped(reference)) }
    if scheme(base) != nil, path(base) == nil {
      // A web base: the reference stays escaped, since it stays a URL.
      let start = base.firstIndex(of: 0x3A)! + 3
      let slash = base[start...].firstIndex(of: 0x2F) ?? base.endIndex
      let last = base[start...].lastIndex(of: 0x2F)
      let whole =
        reference.first == 0x2F
        ? Array(base[..<slash]) + reference
        : Array(last.map { base[...$0] } ?? base[...]) + (last == nil ? [0x2F] : []) + reference
      // A base of `file://` alone names no folder, and what follows it does.
      return path(whole) ?? whole
    }
    let folder = path(base) ?? unescaped(base)
    let file = unescaped(reference)
    if file.first == 0x2F { return file }
    return local(Array(folder.lastIndex(of: 0x2F).map { folder[...$0] } ?? []) + file)
  }

  /// A relative path that looks like an address (its colon was an escape) is none.
  private static func local(_ path: [UInt8]) -> [UInt8] {
    scheme(path) == nil ? path : Array("./".utf8) + path
  }
}
