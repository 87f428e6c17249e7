import Glibc

/// What stands in front of the sound in a FLAC stream (RFC 9639). The library gets a header of our
/// own: pictures of megabytes are not for it, and in Ogg the seek table points to nowhere.
struct FLACHeader {
  /// The stream info block without its four-byte head.
  var streamInfo: [UInt8]
  var seekTable: [UInt8]?
  /// Where the first frame of sound begins in the stream.
  var soundOffset: Int64
  /// Where the tags begin in the stream, without the head.
  var comments: Range<Int64>?
  var picture: (type: String, bytes: Int)?

  /// Frames of sound, 0 where it is not told.
  var frames: Int64 {
    let bytes = Bytes(streamInfo, big: true)
    return Int64(bytes.number(13, 5) & 0xF_FFFF_FFFF)
  }

  /// Reads the blocks of a stream that begins with "fLaC"; `nil` where it is damaged.
  init?(_ stream: ByteStream) {
    guard stream.bytes(at: 0, count: 4).elementsEqual("fLaC".utf8) else { return nil }
    var offset: Int64 = 4
    var info: [UInt8]?
    // The standard knows seven kinds of block; pictures and applications come in numbers.
    for _ in 0..<1024 {
      let head = Bytes(stream.bytes(at: offset, count: 4), big: true)
      guard head.count == 4 else { return nil }
      let length = Int64(head.number(1, 3))
      let body = offset + 4
      switch head.bytes[0] & 0x7F {
      case 0: if length == 34 { info = stream.bytes(at: body, count: 34) }
      case 3:
        // 18 bytes a point: a point a second for two hours is far below this.
        if length <= 1 << 18 { seekTable = stream.bytes(at: body, count: Int(length)) }
      case 4: comments = comments ?? body..<body + length
      case 6:
        if picture == nil { picture = Self.picture(stream.bytes(at: body, count: 512), length) }
      default: break
      }
      offset = body + length
      if head.bytes[0] & 0x80 != 0 {
        guard let info, info.count == 34 else { return nil }
        streamInfo = info
        soundOffset = offset
        return
      }
    }
    return nil
  }

  /// The header for the library. `frames` takes the place of a number that is not told.
  func bytes(withSeekTable: Bool, frames: Int64) -> [UInt8] {
    var info = streamInfo
    if self.frames == 0, frames > 0, frames < 1 << 36 {
      info[13] = info[13] & 0xF0 | UInt8(frames >> 32)
      for index in 0..<4 {
        info[14 + index] = UInt8(truncatingIfNeeded: frames >> (24 - 8 * index))
      }
    }
    guard withSeekTable, let seekTable, !seekTable.isEmpty else {
      return Array("fLaC".utf8) + [0x80, 0, 0, 34] + info
    }
    let size = seekTable.count
    return Array("fLaC".utf8) + [0, 0, 0, 34] + info
      + [0x83, UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)] + seekTable
  }

  /// Kind and size of the picture in a picture block.
  static func picture(_ block: [UInt8], _ length: Int64) -> (type: String, bytes: Int)? {
    let bytes = Bytes(block, big: true)
    let typeLength = Int(bytes.u32(4))
    guard typeLength <= 128, 8 + typeLength <= bytes.count else { return nil }
    let type = headerText(bytes.bytes[8..<8 + typeLength])
    let textLength = Int(bytes.u32(8 + typeLength))
    let size = bytes.u32(8 + typeLength + 4 + textLength + 16)
    // A long description hides the number; then nearly the whole block is the picture.
    return (type, Int(size > 0 ? min(size, length) : max(0, length - 32)))
  }
}
