import AudioTypes

/// What the tags of a file say. Names as in TrackInfo; bounded, whatever the file claims.
struct FileTags {
  private(set) var tags: [(name: String, value: String)] = []
  var picture: TrackInfo.Picture?
  var chapters: [TrackInfo.Chapter] = []

  /// Longer texts (a picture in base64, say) are left out, and so is what exceeds the number or the
  /// room. Of the frames of ID3 only so much is read: their texts are cut there.
  static let longestText = 1 << 18
  static let mostTags = 512
  /// Bytes of all names and texts together.
  static let mostBytes = 4 << 20
  private var room = mostBytes

  /// Takes a tag, where it and all before it are within bounds; one that is left out takes no room.
  mutating func add(_ name: String, _ value: String) {
    guard !name.isEmpty, !value.isEmpty, tags.count < Self.mostTags else { return }
    let size = name.utf8.count + value.utf8.count
    guard value.utf8.count <= Self.longestText, size <= room else { return }
    room -= size
    tags.append((name, value))
  }

  /// Adds all that another tag of the file says.
  mutating func add(_ other: FileTags) {
    for tag in other.tags { add(tag.name, tag.value) }
    picture = picture ?? other.picture
    if chapters.isEmpty { chapters = other.chapters }
  }

  /// Adds what another tag of the file says and this one does not.
  mutating func add(missingFrom other: FileTags) {
    let names = Set(tags.map(\.name))
    for tag in other.tags where !names.contains(tag.name) { add(tag.name, tag.value) }
    picture = picture ?? other.picture
    if chapters.isEmpty { chapters = other.chapters }
  }

  /// Puts everything into a track's info.
  func apply(to info: inout TrackInfo) {
    info.tags = TagNames.settled(tags)
    info.loudness = LoudnessTags(tags: info.tags)
    info.picture = picture ?? info.picture
    if !chapters.isEmpty { info.chapters = chapters }
  }
}

/// Vorbis comments: the tags of FLAC and Ogg.
enum VorbisComments {
  /// Reads them from an offset of a stream, up to `end`.
  static func read(_ stream: ByteStream, at start: Int64, end: Int64) -> FileTags {
    var tags = FileTags()
    var offset = start
    func length() -> Int64? {
      let bytes = Bytes(stream.bytes(at: offset, count: 4))
      guard bytes.count == 4, offset + 4 + bytes.u32(0) <= end else { return nil }
      offset += 4
      return bytes.u32(0)
    }
    guard let vendor = length() else { return tags }
    offset += vendor
    let count = Bytes(stream.bytes(at: offset, count: 4)).u32(0)
    offset += 4
    for _ in 0..<min(count, 4096) {
      guard let size = length() else { break }
      let body = offset
      offset += size
      let text = stream.bytes(at: body, count: Int(min(size, Int64(FileTags.longestText))))
      guard let equals = text.prefix(256).firstIndex(of: 0x3D) else { continue }
      let name = String(decoding: text[..<equals], as: UTF8.self).lowercased()
      if name == "metadata_block_picture" {
        tags.picture = tags.picture ?? picture(text[(equals + 1)...], size)
      } else if size <= FileTags.longestText {
        tags.add(name, headerText(text[(equals + 1)...]))
      }
    }
    return tags
  }

  /// Kind and size of a FLAC picture block in base64.
  private static func picture(_ text: ArraySlice<UInt8>, _ size: Int64) -> TrackInfo.Picture? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for letter in text.prefix(1024) {
      let value: UInt8
      switch letter {
      case 0x41...0x5A: value = letter - 0x41
      case 0x61...0x7A: value = letter - 0x61 + 26
      case 0x30...0x39: value = letter - 0x30 + 52
      case 0x2B: value = 62
      case 0x2F: value = 63
      default: continue
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    let found = FLACHeader.picture(bytes, size * 3 / 4)
    return found.map { TrackInfo.Picture(type: $0.type, bytes: $0.bytes) }
  }
}

/// APE tags (version 2) at the end of a file.
enum APETag {
  /// Reads the tag whose footer ends at `end`.
  static func read(_ file: ByteFile, end: Int64) throws(DecodingError) -> FileTags? {
    let foot = try Bytes(file.bytes(at: end - 32, count: 32))
    guard foot.count == 32, foot.bytes.starts(with: "APETAGEX".utf8) else { return nil }
    let size = foot.u32(12)
    guard size >= 32, size <= end else { return nil }
    var tags = FileTags()
    var offset = end - size
    for _ in 0..<min(foot.u32(16), 1024) {
      let head = try Bytes(file.bytes(at: offset, count: 8 + 256))
      guard head.count > 10, let stop = head.bytes[8...].firstIndex(of: 0) else { break }
      let name = String(decoding: head.bytes[8..<stop], as: UTF8.self).lowercased()
      let body = offset + Int64(stop) + 1
      let length = head.u32(0)
      guard body + length <= end - 32 else { break }
      // Bits 1 and 2 tell text from bytes.
      if head.u32(4) & 6 == 0, length <= Int64(FileTags.longestText) {
        for value in try file.bytes(at: body, count: Int(length)).split(separator: 0) {
          tags.add(name, headerText(value))
        }
      } else if name == "cover art (front)", tags.picture == nil {
        let text = try file.bytes(at: body, count: 64)
        let ending = headerText(text).lowercased()
        let type = ending.hasSuffix("png") ? "image/png" : "image/jpeg"
        let named = Int64((text.firstIndex(of: 0) ?? -1) + 1)
        tags.picture = TrackInfo.Picture(type: type, bytes: Int(max(0, length - named)))
      }
      offset = body + length
    }
    return tags
  }
}
