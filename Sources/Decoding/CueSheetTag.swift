/// The CUE sheet among the tags of MP3 (ID3v2 "CUESHEET"), Ogg (Vorbis comments) and MP4 (iTunes'
/// own names), read without opening a decoder: a look costs a few reads.
public enum CueSheetTag {
  /// The sheet's text as UTF-8, where the file is of such a kind and has one. Any thread; blocks on
  /// the disk.
  public static func text(of path: [UInt8]) -> [UInt8]? {
    guard let file = try? ByteFile(path: path), let head = try? file.bytes(at: 0, count: 12),
      head.count == 12
    else { return nil }
    let tags: FileTags?
    if ID3.length(of: head) != nil {
      tags = try? ID3.read(file, at: 0)
    } else if head.starts(with: "OggS".utf8) {
      tags = try? ogg(file)
    } else if head[4..<8].elementsEqual("ftyp".utf8) {
      return try? mp4(file)
    } else {
      return nil
    }
    return tags?.tags.first { $0.name == "cuesheet" }.map { Array($0.value.utf8) }
  }

  // MARK: Ogg

  /// Tags are the second packet of the first stream, with a few bytes in front that tell its codec.
  private static func ogg(_ file: ByteFile) throws(DecodingError) -> FileTags? {
    let stream = ByteStream(file, pieces: try secondPacket(file))
    let head = stream.bytes(at: 0, count: 8)
    let start: Int64
    if head.starts(with: "OpusTags".utf8) {
      start = 8
    } else if head.starts(with: [3] + Array("vorbis".utf8)) {
      start = 7
    } else if let first = head.first, first & 0x7F == 4 {
      start = 4  // FLAC's block of comments
    } else {
      start = 0  // Speex
    }
    return VorbisComments.read(stream, at: start, end: stream.length)
  }

  private static func secondPacket(_ file: ByteFile) throws(DecodingError) -> [Range<Int64>] {
    guard let first = try OggPage(file, at: 0) else { return [] }
    var pieces: [Range<Int64>] = []
    var packet = 0
    var offset: Int64 = 0
    for _ in 0..<2000 {
      guard let page = try OggPage(file, at: offset), page.end <= file.size else { return [] }
      offset = page.end
      guard page.serial == first.serial else { continue }
      let laces = try file.bytes(at: page.offset + 27, count: Int(page.body - page.offset) - 27)
      var place = page.body
      for lace in laces {
        if packet == 1, lace > 0 { pieces.append(place..<place + Int64(lace)) }
        place += Int64(lace)
        if lace < 255 { packet += 1 }
        if packet == 2 { return pieces }
      }
    }
    return []
  }

  // MARK: MP4

  private struct Box {
    var type: ArraySlice<UInt8>
    var body: Int64
    var end: Int64
  }

  private static func box(
    _ file: ByteFile, at offset: Int64, before end: Int64
  ) throws(DecodingError) -> Box? {
    let head = try file.bytes(at: offset, count: 16)
    guard head.count >= 8 else { return nil }
    let numbers = Bytes(head, big: true)
    var size = numbers.u32(0)
    var body = offset + 8
    if size == 1, head.count == 16 {
      size = Int64(truncatingIfNeeded: numbers.u64(8))
      body = offset + 16
    }
    if size == 0 { size = end - offset }
    guard size >= body - offset, size <= end - offset else { return nil }
    return Box(type: head[4..<8], body: body, end: offset + size)
  }

  /// The first box of a name within bounds.
  private static func find(
    _ name: String, _ file: ByteFile, from start: Int64, to end: Int64
  ) throws(DecodingError) -> Box? {
    var offset = start
    for _ in 0..<10_000 {
      guard offset < end, let found = try box(file, at: offset, before: end) else { return nil }
      if found.type.elementsEqual(name.utf8) { return found }
      offset = found.end
    }
    return nil
  }

  /// moov/udta/meta/ilst, then the item named CUESHEET, whoever named it.
  private static func mp4(_ file: ByteFile) throws(DecodingError) -> [UInt8]? {
    guard let movie = try find("moov", file, from: 0, to: file.size),
      let user = try find("udta", file, from: movie.body, to: movie.end),
      let meta = try find("meta", file, from: user.body, to: user.end),
      // Four bytes of version and flags come before meta's own boxes.
      let list = try find("ilst", file, from: meta.body + 4, to: meta.end)
    else { return nil }
    var offset = list.body
    for _ in 0..<10_000 {
      guard let item = try find("----", file, from: offset, to: list.end) else { return nil }
      offset = item.end
      guard let name = try find("name", file, from: item.body, to: item.end),
        let data = try find("data", file, from: item.body, to: item.end)
      else { continue }
      let text = try file.bytes(at: name.body + 4, count: Int(min(name.end - name.body - 4, 64)))
      guard String(decoding: text, as: UTF8.self).lowercased() == "cuesheet" else { continue }
      let size = data.end - data.body - 8
      guard size > 0, size <= Int64(FileTags.longestText) else { return nil }
      return try file.bytes(at: data.body + 8, count: Int(size))
    }
    return nil
  }
}
