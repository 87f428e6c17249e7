import Glibc

/// Lengths and delays that a container's header tells exactly where FFmpeg rounds them.
///
/// MP4: FFmpeg cuts a track at its edit list, whose unit is often a millisecond (up to 22 frames
/// wrong); the sum of the samples' durations is exact. Musepack, DSF and CAF: FFmpeg counts whole
/// packets, and leaves Musepack's filter bank delay in.
struct ContainerTiming {
  /// One track of the file, in ticks of its own.
  struct Track {
    var id: Int32
    var ticksPerSecond: Int64
    /// Ticks of all samples together.
    var length: Int64
    /// Where the music begins and ends, in ticks of the samples.
    var start: Int64
    var end: Int64
  }

  var tracks: [Track] = []
  /// True where FFmpeg is to leave the edit list alone, since `tracks` says the same better.
  var replacesEdits: Bool { !tracks.isEmpty }
  /// Frames of music, and frames before it, where the header says so (Musepack).
  var frames: Int64?
  var delay: Int64 = 0
  /// Frames of a packet, where `frames` may count all of a last packet that is shorter (CAF).
  var roundedTo: Int64 = 0

  /// Reads the header of an open file, by position; leaves the descriptor's own position alone.
  static func read(_ descriptor: Int32) -> ContainerTiming? {
    let file = HeaderFile(descriptor)
    guard let head = file.bytes(at: 0, count: 64), head.count >= 12 else { return nil }
    if head.starts(with: Array("MPCK".utf8)) { return musepack8(file) }
    if head.starts(with: Array("MP+".utf8)) { return musepack7(head) }
    if head.starts(with: Array("DSD ".utf8)) { return dsf(file) }
    if head.starts(with: Array("caff".utf8)) { return caf(file) }
    if Array(head[4..<8]) == Array("ftyp".utf8) || Array(head[4..<8]) == Array("moov".utf8) {
      return MP4Header(file).timing()
    }
    return nil
  }

  /// The filter bank's delay, which a decoder drops from the beginning.
  private static let musepackDelay: Int64 = 481

  /// Stream version 7: frames of 1152 samples, of which the last one tells its length.
  private static func musepack7(_ head: [UInt8]) -> ContainerTiming? {
    guard head[3] & 0x0F == 7, head.count >= 28 else { return nil }
    let packets = Int64(little(head, 4, 4))
    let last = Int64(little(head, 20, 4) >> 20 & 0x7FF)
    let exact = head[23] & 0x80 != 0
    guard packets > 0 else { return nil }
    var timing = ContainerTiming()
    timing.delay = musepackDelay
    timing.frames = exact ? (packets - 1) * 1152 + last : packets * 1152 - musepackDelay
    return timing
  }

  /// DSF: FFmpeg counts whole blocks; the header has the number of one-bit samples, of which a
  /// frame takes eight.
  private static func dsf(_ file: HeaderFile) -> ContainerTiming? {
    guard let format = file.bytes(at: 28, count: 44), format.count == 44 else { return nil }
    let samples = (0..<8).reduce(UInt64(0)) { $0 | UInt64(format[36 + $1]) << (8 * UInt64($1)) }
    guard format.starts(with: Array("fmt ".utf8)), samples >= 8, samples < 1 << 48 else {
      return nil
    }
    var timing = ContainerTiming()
    timing.frames = Int64(samples / 8)
    return timing
  }

  /// CAF: the packet table tells the frames that are valid, and those before them.
  private static func caf(_ file: HeaderFile) -> ContainerTiming? {
    func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }
    var offset: Int64 = 8
    var packet: Int64 = 0
    for _ in 0..<1000 {
      guard let chunk = file.bytes(at: offset, count: 36), chunk.count >= 12 else { return nil }
      let size = Int64(bitPattern: big(chunk, 4, 8))
      if chunk.starts(with: Array("desc".utf8)), chunk.count == 36 {
        packet = min(Int64(big(chunk, 32, 4)), 1 << 16)
      }
      if chunk.starts(with: Array("pakt".utf8)), chunk.count == 36 {
        let frames = Int64(bitPattern: big(chunk, 20, 8))
        guard frames > 0, frames < 1 << 48 else { return nil }
        var timing = ContainerTiming()
        timing.frames = frames
        timing.delay = Int64(big(chunk, 28, 4) & 0xFF_FFFF)
        timing.roundedTo = packet
        return timing
      }
      guard size >= 0, size < 1 << 48 else { return nil }
      offset += 12 + size
    }
    return nil
  }

  /// Stream version 8: packets with a key of two letters and a size; "SH" tells the length.
  private static func musepack8(_ file: HeaderFile) -> ContainerTiming? {
    var position: Int64 = 4
    for _ in 0..<16 {
      guard let bytes = file.bytes(at: position, count: 48), bytes.count > 4 else { return nil }
      var cursor = 2
      guard let size = variable(bytes, &cursor), size > 2 else { return nil }
      if bytes[0] == 0x53, bytes[1] == 0x48 {
        cursor += 5  // the checksum and the stream's version
        guard let samples = variable(bytes, &cursor), let silence = variable(bytes, &cursor)
        else { return nil }
        guard samples > silence else { return nil }
        var timing = ContainerTiming()
        timing.delay = musepackDelay + silence
        timing.frames = samples - silence
        return timing
      }
      position += size
    }
    return nil
  }

  private static func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt32 {
    (0..<count).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
  }

  /// Seven bits a byte, the highest first.
  private static func variable(_ bytes: [UInt8], _ cursor: inout Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<8 {
      guard cursor < bytes.count else { return nil }
      let byte = bytes[cursor]
      cursor += 1
      value = value << 7 | Int64(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}

/// Reads pieces of an open file by position.
struct HeaderFile {
  private let descriptor: Int32
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Up to `count` bytes; fewer at the end of the file, `nil` on a fault.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0 else { return nil }
    var failed = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = unsafe pread(
          descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failed = true }
        if got <= 0 { return }
        filled += got
      }
    }
    return failed ? nil : bytes
  }
}
