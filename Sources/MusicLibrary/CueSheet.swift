import AudioTypes

/// A CUE sheet: which parts of which files are tracks, and what they are called.
public struct CueSheet: Equatable, Sendable {
  /// One TRACK of the sheet.
  public struct Track: Equatable, Sendable {
    public var number: Int
    public var title: String?
    public var performer: String?
    /// The file as written in the sheet, byte for byte.
    public var file: [UInt8]
    /// Where the track begins in that file (its INDEX 01), in CD frames of 1/75 s.
    public var start: Int
    /// Where the next track of the same file begins; `nil` is the end of the file.
    public var end: Int?
    public var loudness = LoudnessTags()

    public init(number: Int, file: [UInt8], start: Int, end: Int? = nil) {
      self.number = number
      self.file = file
      self.start = start
      self.end = end
    }
  }

  public var title: String?
  public var performer: String?
  public var date: String?
  public var genre: String?
  /// How its texts and file names were read.
  var charset = Charset.unknown
  /// Audio tracks that have a beginning, in the sheet's order.
  public var tracks: [Track] = []

  public init() {}

  /// The files of the tracks, each once, in order.
  public var files: [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return tracks.map(\.file).filter { seen.insert($0).inserted }
  }

  /// CD frames as seconds. 588 samples of a 44.1 kHz file exactly: the nearest frame is taken.
  public static func seconds(_ frames: Int) -> Double { Double(frames) / 75 }
}

extension CueSheet {
  /// Reads a sheet. Never fails: a line that is not understood or very long is left out, and a
  /// sheet without tracks has none. PREGAP and POSTGAP are silence that no file holds: they are not played.
  public init(parsing bytes: [UInt8]) {
    let text = LegacyText.unmarked(bytes)
    var reader = CueReader()
    reader.head.charset = Charset(of: text)
    for line in LegacyText.lines(text) where line.count <= PlaylistLimits.line {
      reader.read(line)
      if reader.marks.count > PlaylistLimits.sheetTracks { break }
    }
    self = reader.sheet()
  }
}

/// The sheet while it is read line by line.
private struct CueReader {
  /// A TRACK and what was said of it.
  struct Mark {
    var track: CueSheet.Track
    var isAudio: Bool
    /// Index number -> where: the file that was open at that line, and CD frames.
    var indexes: [(number: Int, file: [UInt8], frames: Int)] = []
  }

  var head = CueSheet()
  var headLoudness = LoudnessTags()
  var marks: [Mark] = []
  var file: [UInt8] = []

  mutating func read(_ line: ArraySlice<UInt8>) {
    let words = Self.words(line)
    guard let first = words.first else { return }
    switch Self.keyword(first) {
    case "FILE" where words.count >= 2: file = Self.argument(line, isFile: true)
    case "TRACK" where words.count >= 2:
      guard let number = Self.number(words[1]) else { return }
      let isAudio = words.count < 3 || Self.keyword(words[2]) == "AUDIO"
      marks.append(
        Mark(track: CueSheet.Track(number: number, file: file, start: 0), isAudio: isAudio))
    case "INDEX" where words.count >= 3:
      guard !marks.isEmpty, let number = Self.number(words[1]), let frames = Self.time(words[2]),
        marks[marks.count - 1].indexes.count < 100
      else { return }
      marks[marks.count - 1].indexes.append((number, file, frames))
    case "TITLE" where words.count >= 2:
      let text = head.charset.string(Self.argument(line))
      if marks.isEmpty { head.title = text } else { marks[marks.count - 1].track.title = text }
    case "PERFORMER" where words.count >= 2:
      let text = head.charset.string(Self.argument(line))
      if marks.isEmpty {
        head.performer = text
      } else {
        marks[marks.count - 1].track.performer = text
      }
    case "REM" where words.count >= 3: remark(words)
    default: break
    }
  }

  private mutating func remark(_ words: [[UInt8]]) {
    let number = Double(String(decoding: words[2], as: UTF8.self)).flatMap {
      $0.isFinite && abs($0) < 200 ? $0 : nil
    }
    switch Self.keyword(words[1]) {
    case "DATE": head.date = head.charset.string(words[2])
    case "GENRE": head.genre = head.charset.string(Array(words[2...].joined(separator: [0x20])))
    case "REPLAYGAIN_ALBUM_GAIN": headLoudness.albumGain = number
    case "REPLAYGAIN_ALBUM_PEAK": headLoudness.albumPeak = number
    case "REPLAYGAIN_TRACK_GAIN" where !marks.isEmpty:
      marks[marks.count - 1].track.loudness.trackGain = number
    case "REPLAYGAIN_TRACK_PEAK" where !marks.isEmpty:
      marks[marks.count - 1].track.loudness.trackPeak = number
    default: break
    }
  }

  /// The tracks with their ends: each ends where the next beginning in its own file stands.
  func sheet() -> CueSheet {
    var sheet = head
    var begins: [(mark: Mark, file: [UInt8], start: Int)] = []
    for mark in marks {
      // INDEX 00 is the gap before the track, which belongs to the one before it.
      guard
        let index = mark.indexes.first(where: { $0.number == 1 })
          ?? mark.indexes.first(where: { $0.number > 1 }) ?? mark.indexes.first
      else { continue }
      begins.append((mark, index.file, index.frames))
    }
    var starts: [[UInt8]: [Int]] = [:]
    for begin in begins { starts[begin.file, default: []].append(begin.start) }
    for key in starts.keys { starts[key]?.sort() }
    for begin in begins where begin.mark.isAudio && !begin.file.isEmpty {
      var track = begin.mark.track
      track.file = begin.file
      track.start = begin.start
      track.end = Self.firstAbove(begin.start, in: starts[begin.file] ?? [])
      track.performer = track.performer ?? head.performer
      track.loudness.albumGain = headLoudness.albumGain
      track.loudness.albumPeak = headLoudness.albumPeak
      sheet.tracks.append(track)
    }
    return sheet
  }

  private static func firstAbove(_ value: Int, in sorted: [Int]) -> Int? {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low < sorted.count ? sorted[low] : nil
  }

  // MARK: Words

  /// Words apart by spaces; a quoted one may hold spaces. A quote that is never closed ends with
  /// the line.
  static func words(_ line: ArraySlice<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var rest = LegacyText.trimmed(line)
    while let first = rest.first {
      if first == UInt8(ascii: "\"") {
        rest.removeFirst()
        let end = rest.firstIndex(of: UInt8(ascii: "\"")) ?? rest.endIndex
        words.append(Array(rest[rest.startIndex..<end]))
        rest = end < rest.endIndex ? rest[(end + 1)...] : []
      } else {
        let word = rest.prefix { !isSpace($0) }
        words.append(Array(word))
        rest = rest[word.endIndex...]
      }
      rest = rest.drop(while: isSpace)
    }
    return words
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func keyword(_ word: [UInt8]) -> String {
    String(decoding: LegacyText.lower(word), as: UTF8.self).uppercased()
  }

  /// What follows the keyword: between the first quote and the last (titles hold quotes
  /// themselves), or all of it; the type of a FILE stands after its name.
  private static func argument(_ line: ArraySlice<UInt8>, isFile: Bool = false) -> [UInt8] {
    let rest = LegacyText.trimmed(LegacyText.trimmed(line).drop { !isSpace($0) })
    let quote = UInt8(ascii: "\"")
    if rest.first == quote {
      let last = rest.lastIndex(of: quote) ?? rest.startIndex
      let end = last > rest.startIndex ? last : rest.endIndex
      return Array(rest[(rest.startIndex + 1)..<end])
    }
    guard isFile, let space = rest.lastIndex(where: isSpace) else { return Array(rest) }
    return Array(LegacyText.trimmed(rest[..<space]))
  }

  private static func number(_ word: [UInt8]) -> Int? {
    guard word.count <= 6, word.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int(String(decoding: word, as: UTF8.self))
  }

  /// `mm:ss:ff`, 75 frames a second, in frames.
  static func time(_ word: [UInt8]) -> Int? {
    let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, let minutes = number(Array(parts[0])),
      let seconds = number(Array(parts[1])), let frames = number(Array(parts[2])),
      seconds < 60, frames < 75
    else { return nil }
    return (minutes * 60 + seconds) * 75 + frames
  }
}
