/// The pages of an Ogg file (RFC 3533).
struct OggPage: Equatable {
  var offset: Int64
  /// Where the sound in it begins, and where the page ends.
  var body: Int64
  var end: Int64
  /// The position after the page in frames (for Vorbis and FLAC); -1 where no packet ends in it.
  var granule: Int64
  var serial: Int64
  var isFirst: Bool

  /// The page at an offset of the file; `nil` where there is none.
  init?(_ file: ByteFile, at offset: Int64) throws(DecodingError) {
    let head = try file.bytes(at: offset, count: 27 + 255)
    self.init(head, at: 0, offset: offset)
  }

  /// The page at an index of bytes that stand at `offset` in the file.
  init?(_ bytes: [UInt8], at index: Int, offset: Int64) {
    guard index + 27 <= bytes.count, bytes[index] == 0x4F, bytes[index + 1] == 0x67,
      bytes[index + 2] == 0x67, bytes[index + 3] == 0x53, bytes[index + 4] == 0
    else { return nil }
    let count = Int(bytes[index + 26])
    guard index + 27 + count <= bytes.count else { return nil }
    var length = 0
    for lace in bytes[index + 27..<index + 27 + count] { length += Int(lace) }
    let numbers = Bytes(Array(bytes[index..<index + 27]))
    self.offset = offset + Int64(index)
    body = self.offset + 27 + Int64(count)
    end = body + Int64(length)
    granule = Int64(bitPattern: numbers.u64(6))
    serial = numbers.u32(14)
    isFirst = bytes[index + 5] & 2 != 0
  }

  /// The last page of the file and the position before it, where the file ends in the stream that
  /// it begins with; `nil` where streams follow each other or nothing can be made out.
  static func last(_ file: ByteFile) throws(DecodingError) -> (page: OggPage, before: Int64)? {
    guard let first = try OggPage(file, at: 0) else { return nil }
    // A page has at most 65,307 bytes.
    let start = max(0, file.size - (256 << 10))
    let bytes = try file.bytes(at: start, count: 256 << 10)
    var pages: [OggPage] = []
    var index = 0
    while index + 27 <= bytes.count {
      if let page = OggPage(bytes, at: index, offset: start), page.end <= file.size {
        pages.append(page)
        index = Int(page.end - start)
      } else {
        index += 1
      }
    }
    let ends = pages.filter { $0.granule >= 0 }
    guard let last = ends.last, last.serial == first.serial,
      !pages.contains(where: { $0.isFirst && $0.offset > 0 && $0.serial != first.serial })
    else { return nil }
    return (last, ends.count > 1 ? ends[ends.count - 2].granule : 0)
  }

  /// The bytes of the first stream without the pages around them. FLAC in Ogg becomes plain FLAC
  /// that way: the first packet has nine bytes in front of it, and nothing else is added.
  static func pieces(_ file: ByteFile, dropping front: Int64) throws(DecodingError) -> [Range<
    Int64
  >] {
    guard let first = try OggPage(file, at: 0) else { return [] }
    var pieces = [first.body + front..<max(first.end, first.body + front)]
    var offset = first.end
    while offset < file.size {
      guard let page = try OggPage(file, at: offset) else {
        // A damaged stretch: go on at the next page.
        guard let next = try resync(file, from: offset + 1) else { break }
        offset = next
        continue
      }
      if page.serial == first.serial {
        pieces.append(page.body..<max(page.body, min(page.end, file.size)))
      }
      offset = page.end
    }
    return pieces
  }

  private static func resync(_ file: ByteFile, from offset: Int64) throws(DecodingError) -> Int64? {
    var start = offset
    var left = 16
    while start < file.size, left > 0 {
      let bytes = try file.bytes(at: start, count: 64 << 10)
      for index in bytes.indices where bytes[index] == 0x4F {
        if let page = OggPage(bytes, at: index, offset: start) { return page.offset }
      }
      if bytes.count < 64 << 10 { break }
      start += Int64(bytes.count) - 300
      left -= 1
    }
    return nil
  }
}
