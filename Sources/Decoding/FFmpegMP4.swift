/// Reads of an MP4 file what decides where its sound begins and ends: the samples' durations and
/// the edit list. Everything is bounded, and whatever does not fit yields nothing.
struct MP4Header {
  private let file: HeaderFile
  private var movieTicks: Int64 = 0
  private var tracks: [Track] = []
  private var fragmented = false
  private var hasChapters = false
  /// How many more are read.
  private var boxes = 50_000

  private struct Track {
    var id: Int32 = 0
    var ticks: Int64 = 0
    var length: Int64 = 0
    var edits: [(duration: Int64, start: Int64)] = []
    var isSound = false
  }

  init(_ file: HeaderFile) { self.file = file }

  /// The tracks that sound; `nil` for fragmented files and for edits that are more than a cut at
  /// the beginning and the end (FFmpeg follows those itself).
  func timing() -> ContainerTiming? {
    var header = self
    return header.readTop() ? header.found : nil
  }

  /// The timing that the boxes which were read tell.
  private var found: ContainerTiming? {
    guard !fragmented, movieTicks > 0 else { return nil }
    var timing = ContainerTiming()
    for track in tracks where track.isSound {
      guard track.ticks > 0, track.length > 0, track.edits.count <= 1 else { return nil }
      var start: Int64 = 0
      var end = track.length
      if let edit = track.edits.first {
        guard edit.start >= 0, edit.start < track.length else { return nil }
        start = edit.start
        // The edit's length is rounded to the movie's unit: the samples tell better where both
        // mean the same end. No length at all means the rest.
        let unit = (track.ticks + movieTicks - 1) / movieTicks
        let (product, overflow) = edit.duration.multipliedReportingOverflow(by: track.ticks)
        let (cut, isTooLate) = start.addingReportingOverflow(product / movieTicks)
        guard !overflow, !isTooLate else { return nil }
        if edit.duration > 0, cut < track.length - unit { end = cut }
      }
      timing.tracks.append(
        .init(
          id: track.id, ticksPerSecond: track.ticks, length: track.length, start: start, end: end))
    }
    return timing.tracks.isEmpty ? nil : timing
  }

  /// Seconds of the first track that sounds, and whether the file names chapters.
  func facts() -> (duration: Double?, hasChapters: Bool) {
    var header = self
    let track = header.readTop() ? header.found?.tracks.first : nil
    let duration = track.map { Double($0.end - $0.start) / Double($0.ticksPerSecond) }
    return (duration, header.hasChapters)
  }

  private mutating func readTop() -> Bool {
    var offset: Int64 = 0
    for _ in 0..<1000 {
      guard let box = box(at: offset) else { return false }
      if box.type == "moof" { fragmented = true }
      if box.type == "moov" { return readMovie(box) }
      offset = box.end
    }
    return false
  }

  private struct Box {
    var type: String
    var body: Int64
    var end: Int64
  }

  private func box(at offset: Int64) -> Box? {
    guard let head = file.bytes(at: offset, count: 16), head.count >= 8 else { return nil }
    var size = Int64(Self.big(head, 0, 4))
    var header: Int64 = 8
    if size == 1, head.count == 16 {
      size = Int64(truncatingIfNeeded: Self.big(head, 8, 8))
      header = 16
    }
    guard size >= header, size < 1 << 48 else { return nil }
    return Box(
      type: String(decoding: head[4..<8], as: UTF8.self), body: offset + header, end: offset + size)
  }

  private mutating func readMovie(_ movie: Box) -> Bool {
    children(of: movie) { header, box in
      switch box.type {
      case "mvhd": header.movieTicks = header.scale(box)
      case "mvex": header.fragmented = true
      case "udta":
        _ = header.children(of: box) { header, box in
          if box.type == "chpl" { header.hasChapters = true }
        }
      case "trak":
        guard header.tracks.count < 100 else { return }
        header.tracks.append(Track())
        header.readTrack(box, depth: 0)
      default: break
      }
    }
  }

  /// Boxes lie four deep in a track.
  private static let mostDepth = 8

  private mutating func readTrack(_ parent: Box, depth: Int) {
    guard depth < Self.mostDepth else { return }
    let last = tracks.count - 1
    _ = children(of: parent) { header, box in
      switch box.type {
      case "tkhd":
        guard let bytes = header.file.bytes(at: box.body, count: 24), bytes.count == 24
        else { return }
        header.tracks[last].id = Int32(
          truncatingIfNeeded: Self.big(bytes, bytes[0] == 1 ? 20 : 12, 4))
      case "mdhd": header.tracks[last].ticks = header.scale(box)
      case "hdlr":
        if let bytes = header.file.bytes(at: box.body, count: 12), bytes.count == 12 {
          // The data handler of old files comes later and is not the media's.
          if Array(bytes[8...]) == Array("soun".utf8) { header.tracks[last].isSound = true }
        }
      case "tref":
        _ = header.children(of: box) { header, box in
          if box.type == "chap" { header.hasChapters = true }
        }
      case "elst": header.readEdits(box)
      case "stts": header.readDurations(box)
      case "edts", "mdia", "minf", "stbl": header.readTrack(box, depth: depth + 1)
      default: break
      }
    }
  }

  private mutating func children(of parent: Box, _ visit: (inout MP4Header, Box) -> Void) -> Bool {
    var offset = parent.body
    for _ in 0..<1000 {
      guard offset + 8 <= parent.end else { return true }
      boxes -= 1
      guard boxes > 0, let box = box(at: offset), box.end <= parent.end else { return false }
      visit(&self, box)
      offset = box.end
    }
    return false
  }

  /// The ticks a second of a header box.
  private func scale(_ box: Box) -> Int64 {
    guard let bytes = file.bytes(at: box.body, count: 24), bytes.count == 24 else { return 0 }
    return Int64(Self.big(bytes, bytes[0] == 1 ? 20 : 12, 4))
  }

  /// The edits, empty ones at the beginning (a wait before the track) left out.
  private mutating func readEdits(_ box: Box) {
    guard let bytes = file.bytes(at: box.body, count: 8 + 64 * 20), bytes.count >= 8 else { return }
    let wide = bytes[0] == 1
    let size = wide ? 20 : 12
    let count = Int(min(Self.big(bytes, 4, 4), 64))
    guard bytes.count >= 8 + count * size else { return }
    for index in 0..<count {
      let offset = 8 + index * size
      let duration = Int64(truncatingIfNeeded: Self.big(bytes, offset, wide ? 8 : 4))
      let start =
        wide
        ? Int64(truncatingIfNeeded: Self.big(bytes, offset + 8, 8))
        : Int64(Int32(truncatingIfNeeded: Self.big(bytes, offset + 4, 4)))
      if start == -1, tracks[tracks.count - 1].edits.isEmpty { continue }
      tracks[tracks.count - 1].edits.append((duration, start))
    }
  }

  private mutating func readDurations(_ box: Box) {
    guard let head = file.bytes(at: box.body, count: 8), head.count == 8 else { return }
    let count = Int64(Self.big(head, 4, 4))
    guard count <= (box.end - box.body - 8) / 8, count < 4_000_000 else { return }
    var length: Int64 = 0
    var index: Int64 = 0
    while index < count {
      let step = min(count - index, 4096)
      guard let bytes = file.bytes(at: box.body + 8 + index * 8, count: Int(step) * 8),
        bytes.count == Int(step) * 8
      else { return }
      for entry in 0..<Int(step) {
        let samples = Int64(Self.big(bytes, entry * 8, 4))
        let ticks = Int64(Self.big(bytes, entry * 8 + 4, 4))
        let (product, tooMuch) = samples.multipliedReportingOverflow(by: ticks)
        let (sum, overflow) = length.addingReportingOverflow(product)
        guard !tooMuch, !overflow else { return }
        length = sum
      }
      index += step
    }
    tracks[tracks.count - 1].length = length
  }

  private static func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }
}

/// What the header of an MP4 file tells exactly and without FFmpeg.
public enum MP4Facts {
  /// Seconds of the first track that sounds, where the header is a plain one, and whether chapters
  /// are named. Reads an open regular file by position; any thread, blocks on the disk.
  public static func read(_ descriptor: Int32) -> (duration: Double?, hasChapters: Bool) {
    MP4Header(HeaderFile(descriptor)).facts()
  }
}
