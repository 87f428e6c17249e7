import Decoding

/// The CUE sheet within a file's tags (Vorbis comments, ID3v2, MP4, APEv2), read straight from the file:
/// a look costs a few reads, so that every file of a folder can have one.
enum EmbeddedSheet {
  /// Tags larger than this are not looked at.
  private static let limit = 4 << 20

  static func text(of path: [UInt8]) -> [UInt8]? {
    guard let head = FileProbe.head(path, 10) else { return nil }
    if head.starts(with: Array("fLaC".utf8)) { return flac(path, at: 4) }
    if head.starts(with: Array("ID3".utf8)), head.count == 10 {
      let skip = head[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7F) } + 10
      let mark = FileProbe.bytes(path, from: skip, atMost: 4)
      if mark == Array("fLaC".utf8) { return flac(path, at: skip + 4) }
    }
    if let text = CueSheetTag.text(of: path) { return text }
    switch Paths.suffix(path) {
    case "ape", "wv", "mpc", "tak", "tta", "mp3": return ape(path)
    default: return nil
    }
  }

  private static func flac(_ path: [UInt8], at start: Int64) -> [UInt8]? {
    var offset = start
    for _ in 0..<128 {
      guard let head = FileProbe.bytes(path, from: offset, atMost: 4), head.count == 4 else {
        return nil
      }
      let size = Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])
      if head[0] & 0x7F == 4 {
        guard size <= limit, let block = FileProbe.bytes(path, from: offset + 4, atMost: size)
        else { return nil }
        return vorbisComment(block)
      }
      if head[0] & 0x80 != 0 { return nil }
      offset += Int64(size) + 4
    }
    return nil
  }

  /// The value of CUESHEET in a Vorbis comment block.
  static func vorbisComment(_ block: [UInt8]) -> [UInt8]? {
    var position = 0
    func number() -> Int? {
      guard position + 4 <= block.count else { return nil }
      defer { position += 4 }
      return little(block, position)
    }
    guard let vendor = number(), vendor <= block.count - position else { return nil }
    position += vendor
    guard let count = number() else { return nil }
    for _ in 0..<count {
      guard let size = number(), size <= block.count - position else { return nil }
      let comment = block[position..<(position + size)]
      position += size
      if LegacyText.begins(comment, with: "cuesheet=") { return Array(comment.dropFirst(9)) }
    }
    return nil
  }

  private static func ape(_ path: [UInt8]) -> [UInt8]? {
    guard case .file(let size) = FileProbe.kind(path), size > 32 else { return nil }
    // An ID3v1 tag of 128 bytes may follow the APE footer.
    for end in [size, size - 128] where end >= 32 {
      guard let footer = FileProbe.bytes(path, from: end - 32, atMost: 32), footer.count == 32,
        footer.starts(with: Array("APETAGEX".utf8))
      else { continue }
      let bytes = little(footer, 12)
      guard bytes >= 32, bytes <= limit, Int64(bytes) <= end,
        let items = FileProbe.bytes(path, from: end - Int64(bytes), atMost: bytes - 32)
      else { return nil }
      return apeItem(items, count: little(footer, 16))
    }
    return nil
  }

  static func apeItem(_ items: [UInt8], count: Int) -> [UInt8]? {
    var position = 0
    for _ in 0..<min(count, 4096) {
      guard position + 8 <= items.count else { return nil }
      let size = little(items, position)
      let key = items[(position + 8)...].prefix { $0 != 0 }
      position += 8 + key.count + 1
      guard position <= items.count, size <= items.count - position else { return nil }
      if LegacyText.lower(key).elementsEqual("cuesheet".utf8) {
        return Array(items[position..<(position + size)])
      }
      position += size
    }
    return nil
  }

  private static func little(_ bytes: [UInt8], _ at: Int) -> Int {
    Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16 | Int(bytes[at + 3]) << 24
  }
}
