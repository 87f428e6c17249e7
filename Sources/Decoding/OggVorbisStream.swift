/// An Ogg Vorbis file as its pages: what lies in front of the sound, and from which page on a
/// decoder must be fed so that it comes to a frame. One thread at a time.
final class OggVorbisStream {
  let file: ByteFile
  let sampleRate: Int
  let channels: Int
  /// Frames of the longest block.
  let longestBlock: Int64
  /// The number that the last page gives to the end of the sound.
  let end: Int64
  /// Where the tags lie in the file: the pieces of the packet that holds them.
  private(set) var comments: [Range<Int64>] = []

  private let serial: Int64
  private var identification: [UInt8] = []
  private var setup: [UInt8] = []
  private let firstSound: Int64
  private let lastPage: Int64
  /// The number before the last page. Nothing begins behind it: the last page alone does not tell
  /// where it begins, because it ends before its last packet does.
  private let beforeLast: Int64

  init(_ file: ByteFile) throws(DecodingError) {
    self.file = file
    guard let first = try OggPage(file, at: 0), let last = try OggPage.last(file) else {
      throw DecodingError(.unsupported, "several streams in one Ogg file")
    }
    serial = first.serial
    end = last.page.granule
    lastPage = last.page.offset
    beforeLast = last.before
    // The three packets in front: who I am, the tags, the code books. Sound begins on a new page.
    var packet = 0
    var offset: Int64 = 0
    var comments: [Range<Int64>] = []
    while packet < 3 {
      let head = try file.bytes(at: offset, count: 27 + 255)
      guard let page = OggPage(head, at: 0, offset: offset) else {
        throw DecodingError(.corrupt, "damaged file: its Ogg pages are broken")
      }
      offset = page.end
      if page.serial != first.serial { continue }
      var at = page.body
      for lace in head[27..<27 + Int(head[26])] where packet < 3 {
        let piece = at..<at + Int64(lace)
        switch packet {
        case 0: identification += try file.bytes(at: piece.lowerBound, count: Int(lace))
        case 1: comments.append(piece)
        default: setup += try file.bytes(at: piece.lowerBound, count: Int(lace))
        }
        at = piece.upperBound
        if lace < 255 { packet += 1 }
      }
      if identification.count > 255 || setup.count > 60_000 {
        throw DecodingError(.unsupported, "a Vorbis header of unusual length")
      }
    }
    firstSound = offset
    self.comments = comments
    guard identification.count == 30, setup.starts(with: [5] + Array("vorbis".utf8)) else {
      throw DecodingError(.corrupt, "damaged file: its Vorbis header is broken")
    }
    channels = Int(identification[11])
    sampleRate = Int(Bytes(identification).u32(12))
    longestBlock = 1 << Int64(identification[28] >> 4)
  }

  /// What a decoder is fed with to come to a frame, counted as pages count. It begins where the
  /// first whole blocks of a page are, at most two blocks behind the page before.
  func stream(to frame: Int64) throws(DecodingError) -> ByteStream {
    let start = try page(after: min(frame - 2 * longestBlock, beforeLast - 1))
    let number = try Bytes(file.bytes(at: start + 18, count: 4)).u32(0)
    // No tags: pictures of megabytes are not for the library. Its pages are counted on, so that
    // no page seems to be missing.
    let empty: [UInt8] = [3] + Array("vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
    let head =
      page([identification], number: number - 2, isFirst: true)
      + page([empty, setup], number: number - 1, isFirst: false)
    return ByteStream(file, head: head, pieces: [start..<max(start, file.size)])
  }

  /// The first page of sound behind the last one that ends at or before a frame.
  private func page(after frame: Int64) throws(DecodingError) -> Int64 {
    if frame <= 0 { return firstSound }
    var low = firstSound
    var high = lastPage
    while high - low > 48 << 10 {
      let middle = (low + high) / 2
      if let page = try nextPage(from: middle), page.offset < high, page.granule <= frame {
        low = page.end
      } else {
        high = middle
      }
    }
    // Pages without a number hold the middle of a long packet: its next page begins no earlier.
    var at = low
    while at < lastPage, let page = try OggPage(file, at: at) {
      if page.serial == serial && page.granule > frame { break }
      at = page.end
      if page.serial == serial && page.granule >= 0 { low = at }
    }
    return low
  }

  /// The next page of this stream with a number, found from anywhere.
  private func nextPage(from offset: Int64) throws(DecodingError) -> OggPage? {
    var start = offset
    while start < file.size {
      let bytes = try file.bytes(at: start, count: 80 << 10)
      var index = 0
      while index + 27 <= bytes.count {
        if bytes[index] == 0x4F, let page = OggPage(bytes, at: index, offset: start),
          page.serial == serial, page.granule >= 0
        {
          return page
        }
        index += 1
      }
      if bytes.count < 80 << 10 { return nil }
      start += Int64(bytes.count) - 300
    }
    return nil
  }

  /// One page with whole packets.
  private func page(_ packets: [[UInt8]], number: Int64, isFirst: Bool) -> [UInt8] {
    var laces: [UInt8] = []
    for packet in packets {
      laces += [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    }
    func little(_ value: Int64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    }
    var page = Array("OggS".utf8) + [0, isFirst ? 2 : 0] + little(0, 8) + little(serial, 4)
    page += little(number, 4) + little(0, 4) + [UInt8(laces.count)] + laces
    for packet in packets { page += packet }
    var sum: UInt32 = 0
    for byte in page {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    page.replaceSubrange(22..<26, with: little(Int64(sum), 4))
    return page
  }
}
