/// The frames of an MP3 file, without the tags around them and the junk between them: where each
/// lies and how many there are. Walks only as far as is asked. One thread at a time.
final class MPEGStream {
  let file: ByteFile
  /// The first frame of music.
  let header: MPEGHeader
  let tag: MPEGTag?
  /// What the tags behind the music say.
  let endTags: FileTags
  /// The number of frames of music.
  private(set) var count: Int64 = 0

  /// Where the last frame ends at the latest.
  private let end: Int64
  /// Offsets of every 16th frame that was walked over.
  private var index: [Int64] = []
  private static let indexStep: Int64 = 16
  /// Runs of frames without junk, walked so far.
  private var runs: [Range<Int64>] = []
  /// More junk than that is left for the decoder to find its way through.
  private static let mostRuns = 1 << 16
  /// Longer junk between frames ends the music.
  private static let longestJunk: Int64 = 16 << 20
  /// The next frame to walk over, and its number.
  private var next: Int64
  private var known: Int64 = 0

  /// What was read of the file, and where.
  private var window = [UInt8](repeating: 0, count: 64 << 10)
  private var windowStart: Int64 = 0
  private var windowCount = 0

  init(_ file: ByteFile) throws(DecodingError) {
    self.file = file
    (end, endTags) = try Self.endOfMusic(file)
    let head = try file.bytes(at: 0, count: 256 << 10)
    guard let start = MPEGHeader.firstFrame(in: head), var first = MPEGHeader(head, at: start)
    else {
      throw DecodingError(.notAudio, "not an audio file")
    }
    if first.layer != 3 { throw DecodingError(.unsupported, "MPEG audio of layer \(first.layer)") }
    var offset = Int64(start)
    tag = MPEGTag(try file.bytes(at: offset, count: first.bytes), first)
    let tagOffset = offset
    if tag != nil { offset += Int64(first.bytes) }
    // Where junk stands behind the tag, the walk finds the way.
    if let next = MPEGHeader(try file.bytes(at: offset, count: 4), at: 0), next.layer == 3 {
      first = next
    }
    header = first
    next = offset
    if let frames = tag?.frames, let bytes = tag?.bytes, tagOffset + bytes == end,
      frames * 24 <= bytes
    {
      count = frames
    } else {
      try walk(to: .max)
      count = known
    }
    if count == 0 && tag == nil { throw DecodingError(.notAudio, "not an audio file") }
  }

  /// The pieces of the file that hold the frames from `frame` on.
  func pieces(from frame: Int64) throws(DecodingError) -> [Range<Int64>] {
    let offset = try offset(of: frame)
    var pieces: [Range<Int64>] = []
    for run in runs where run.upperBound > offset {
      pieces.append(max(run.lowerBound, offset)..<run.upperBound)
    }
    let rest = max(next, offset)..<max(next, end, offset)
    if let last = pieces.last, last.upperBound == rest.lowerBound {
      pieces[pieces.count - 1] = last.lowerBound..<rest.upperBound
    } else if !rest.isEmpty {
      pieces.append(rest)
    }
    return pieces
  }

  /// The frames from `frame` on made silent, as many as fill the store from which later frames
  /// take bits: their bytes of sound stay, what they say about them is taken away. So a stream can
  /// begin anywhere, and no frame of it lacks bits. Gives the bytes and the frames they hold.
  func silenced(from frame: Int64) throws(DecodingError) -> (bytes: [UInt8], frames: Int64) {
    // In MPEG-1 nine bits tell how far back a frame's own bytes begin, else eight.
    let reach = header.version == .mpeg1 ? 511 : 255
    var bytes: [UInt8] = []
    var stored = 0
    var number = frame
    while stored < reach, number < count {
      let offset = try offset(of: number)
      guard let header = try header(at: offset) else { break }
      var one = try file.bytes(at: offset, count: header.bytes)
      let side = header.isProtected ? 6 : 4
      guard one.count == header.bytes, side + header.sideBytes <= one.count else { break }
      var back = reach == 511 ? Int(one[side]) << 1 | Int(one[side + 1] >> 7) : Int(one[side])
      back = min(back, stored)
      for index in side..<side + header.sideBytes { one[index] = 0 }
      one[side] = UInt8(reach == 511 ? back >> 1 : back)
      if reach == 511 { one[side + 1] = UInt8(back & 1) << 7 }
      bytes += one
      stored += one.count - side - header.sideBytes
      number += 1
    }
    return (bytes, number - frame)
  }

  /// Where a frame begins; the end for one that does not exist.
  private func offset(of frame: Int64) throws(DecodingError) -> Int64 {
    try walk(to: frame + 1)
    guard frame < known else { return end }
    let slot = Int(frame / Self.indexStep)
    var offset = index[slot]
    for _ in 0..<frame % Self.indexStep {
      // What was walked over before is there unless the file has changed under us.
      guard let following = try following(offset) else { return end }
      offset = following
    }
    return offset
  }

  /// The frame after the one at `offset`, which may stand behind junk.
  private func following(_ offset: Int64) throws(DecodingError) -> Int64? {
    guard let header = try header(at: offset) else { return nil }
    let target = offset + Int64(header.bytes)
    if let next = try self.header(at: target), next.matches(self.header) { return target }
    return try resync(from: target)
  }

  /// Walks until so many frames are known, or to the end.
  private func walk(to frame: Int64) throws(DecodingError) {
    while known < frame, next < end {
      guard let header = try header(at: next), header.matches(self.header) else {
        guard let found = try resync(from: next) else {
          next = end
          return
        }
        next = found
        continue
      }
      let after = next + Int64(header.bytes)
      if after > end {
        next = end
        return
      }
      if known % Self.indexStep == 0 { index.append(next) }
      if let last = runs.last, last.upperBound == next || runs.count == Self.mostRuns {
        runs[runs.count - 1] = last.lowerBound..<after
      } else {
        runs.append(next..<after)
      }
      known += 1
      next = after
    }
  }

  /// The next frame of this stream at or behind `offset` that is followed by another one or by the
  /// end.
  private func resync(from offset: Int64) throws(DecodingError) -> Int64? {
    var at = offset
    var limit = min(end, offset + Self.longestJunk)
    while at + 4 <= limit {
      let header = try header(at: at)
      if let header, header.matches(self.header) {
        let after = at + Int64(header.bytes)
        if after == end { return at }
        if let next = try self.header(at: after), next.matches(self.header) { return at }
      } else if isTag(at: at) {
        // Files put one behind the other carry their tags, with pictures, into the middle.
        if let length = ID3.length(of: try file.bytes(at: at, count: 10)) {
          at += length
          limit = min(end, at + Self.longestJunk)
          continue
        }
      }
      at += 1
    }
    return nil
  }

  /// Whether "ID3" stands there, as far as the window shows it: junk may hold the letter I alone
  /// millions of times.
  private func isTag(at offset: Int64) -> Bool {
    let at = Int(offset - windowStart)
    guard at >= 0, at + 3 <= windowCount else { return false }
    return window[at] == 0x49 && window[at + 1] == 0x44 && window[at + 2] == 0x33
  }

  private func header(at offset: Int64) throws(DecodingError) -> MPEGHeader? {
    if offset < windowStart || offset + 4 > windowStart + Int64(windowCount) {
      guard offset + 4 <= end else { return nil }
      // A little of what lies before stays in view for the second look after a junk.
      windowStart = max(0, offset - 2048)
      windowCount = try file.read(at: windowStart, into: &window, count: window.count)
      if offset + 4 > windowStart + Int64(windowCount) { return nil }
    }
    let at = Int(offset - windowStart)
    return MPEGHeader(window[at], window[at + 1], window[at + 2], window[at + 3])
  }

  /// The end of the file without the tags that stand there: ID3v1, Lyrics3, APE.
  private static func endOfMusic(
    _ file: ByteFile
  ) throws(DecodingError) -> (end: Int64, tags: FileTags) {
    var end = file.size
    var old = FileTags()
    var ape = FileTags()
    for _ in 0..<8 {
      let before = end
      let tail = try Bytes(file.bytes(at: max(0, end - 128), count: Int(min(128, end))))
      if tail.count == 128, let tags = ID3.read(oldTag: tail.bytes) {
        old = tags
        end -= 128
      }
      let foot = try Bytes(file.bytes(at: max(0, end - 32), count: Int(min(32, end))))
      if foot.count == 32, foot.bytes.starts(with: "APETAGEX".utf8) {
        let size = foot.u32(12) + (foot.u32(20) & 0x8000_0000 != 0 ? 32 : 0)
        if let tags = try APETag.read(file, end: end) { ape = tags }
        if size <= end { end -= size }
      }
      if foot.count == 32, foot.bytes[23...].elementsEqual("LYRICS200".utf8) {
        let digits = String(decoding: foot.bytes[17..<23], as: UTF8.self)
        if let size = Int64(digits), size >= 0, size + 15 <= end { end -= size + 15 }
      }
      if end == before { break }
    }
    ape.add(missingFrom: old)
    return (end, ape)
  }
}
