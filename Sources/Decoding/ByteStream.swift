import Glibc

/// What a library reads instead of the file: a few bytes of ours, then pieces of the file in
/// order, without the tags and the junk between them. One thread at a time.
final class ByteStream {
  /// A piece of the file and where it stands in the stream.
  struct Extent: Equatable {
    var streamOffset: Int64
    var fileOffset: Int64
    var length: Int64
  }

  /// The length told to the library.
  let length: Int64
  var position: Int64 = 0
  /// Set when the disk failed: the library only sees an end.
  private(set) var failure: DecodingError?

  private let file: ByteFile
  /// Where the pieces end. A stream may be told to be longer: what a library reads there are NULs
  /// in the last 128 bytes (it looks for a tag) and the end everywhere else.
  private let realLength: Int64
  private let head: [UInt8]
  private let extents: [Extent]
  private var buffer: [UInt8]
  /// What the buffer holds, as offsets in the stream.
  private var held: Range<Int64> = 0..<0

  /// `pieces` are ranges of the file, in order.
  init(
    _ file: ByteFile, head: [UInt8] = [], pieces: [Range<Int64>], toldLength: Int64? = nil
  ) {
    self.file = file
    self.head = head
    buffer = [UInt8](repeating: 0, count: max(16 << 10, head.count))
    var extents: [Extent] = []
    var offset = Int64(head.count)
    for piece in pieces where !piece.isEmpty {
      let length = piece.upperBound - piece.lowerBound
      extents.append(
        Extent(streamOffset: offset, fileOffset: piece.lowerBound, length: length))
      offset += length
    }
    self.extents = extents
    realLength = offset
    length = max(offset, toldLength ?? 0)
  }

  /// Copies the next bytes; fewer than asked only at the end or after a failure.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    while done < target.count, position < length {
      if !held.contains(position) {
        fill()
        if !held.contains(position) { break }
      }
      let from = Int(position - held.lowerBound)
      let count = min(target.count - done, Int(held.upperBound - position))
      unsafe buffer.withUnsafeBytes { bytes in
        unsafe (target.baseAddress! + done).copyMemory(
          from: bytes.baseAddress! + from, byteCount: count)
      }
      done += count
      position += Int64(count)
    }
    return done
  }

  /// Up to `count` bytes at an offset; moves the position behind them.
  func bytes(at offset: Int64, count: Int) -> [UInt8] {
    position = offset
    let wanted = Int(max(0, min(Int64(count), realLength - offset)))
    var bytes = [UInt8](repeating: 0, count: wanted)
    let done = unsafe bytes.withUnsafeMutableBytes { unsafe read(into: $0) }
    bytes.removeLast(wanted - done)
    return bytes
  }

  /// The pieces of the file that hold what is behind an offset.
  func pieces(from offset: Int64) -> [Range<Int64>] {
    extents.compactMap { extent in
      let inside = max(0, offset - extent.streamOffset)
      return inside < extent.length
        ? extent.fileOffset + inside..<extent.fileOffset + extent.length : nil
    }
  }

  /// Moves like lseek; the new position, -1 where there is none.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let start: Int64
    switch whence {
    case SEEK_SET: start = 0
    case SEEK_CUR: start = position
    case SEEK_END: start = length
    default: return -1
    }
    let (target, overflow) = start.addingReportingOverflow(offset)
    if overflow || target < 0 { return -1 }
    position = target
    return target
  }

  /// Takes the bytes around the position into the buffer.
  private func fill() {
    held = position..<position
    if position < Int64(head.count) {
      buffer.replaceSubrange(0..<head.count, with: head)
      held = 0..<Int64(head.count)
      return
    }
    if position >= realLength {
      guard position >= length - 128 else { return }
      let count = Int(length - position)
      for index in 0..<count { buffer[index] = 0 }
      held = position..<length
      return
    }
    guard let extent = extent(at: position) else { return }
    let inside = position - extent.streamOffset
    let wanted = Int(min(Int64(buffer.count), extent.length - inside))
    do throws(DecodingError) {
      let count = try file.read(
        at: extent.fileOffset + inside, into: &buffer, count: wanted)
      held = position..<position + Int64(count)
    } catch {
      failure = error
    }
  }

  private func extent(at offset: Int64) -> Extent? {
    var low = 0
    var high = extents.count
    while low < high {
      let middle = (low + high) / 2
      if extents[middle].streamOffset + extents[middle].length <= offset {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < extents.count ? extents[low] : nil
  }
}
