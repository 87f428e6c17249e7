import Tags

/// What a search needs of one track: its texts, folded, and its numbers. Written with the track, so
/// that a search need not fold the collection when it begins.
enum SearchEntry {
  /// The texts of an entry, in their order. Between two of them stands `fieldEnd`, between two
  /// values of one of them `valueEnd`, and at the end `entryEnd`: no folded text holds these.
  enum Field: Int, CaseIterable {
    case title, artist, albumArtist, album, genre, composer, comment, date, codec
  }

  static let valueEnd: UInt8 = 0x1E
  static let fieldEnd: UInt8 = 0x1F
  static let entryEnd: UInt8 = 0x0A

  /// A comment may be a book; a search looks at its beginning, as at that of every text: in bytes.
  private static let longestComment = 800
  private static let limits = TextLimits.file

  /// - Parameter name: of the file; it is the title where none is tagged.
  static func text(_ track: TrackRecord, name: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    func add(_ values: [String]) {
      var isFirst = true
      for value in limits.cut(values) {
        if !isFirst { text.append(valueEnd) }
        isFirst = false
        Folding.append(value, to: &text)
      }
      text.append(fieldEnd)
    }
    add([track.title ?? Self.title(ofFile: name)])
    add(track.artists)
    // Mostly it is the artist, who need not stand there twice.
    add(track.albumArtists == track.artists ? [] : track.albumArtists)
    add([track.album ?? ""])
    add(track.genres)
    add(track.composers)
    add([TextLimits.cut(track.comment ?? "", to: longestComment)])
    let dates = [track.originalDate, track.date].compactMap(\.self)
    add(dates.first == dates.last ? Array(dates.prefix(1)) : dates)
    add([track.codec ?? ""])
    text[text.count - 1] = entryEnd
    return text
  }

  /// The name without its ending.
  static func title(ofFile name: [UInt8]) -> String {
    let end = name.lastIndex(of: 0x2E) ?? name.count
    return String(decoding: end > 0 ? name[..<end] : name[...], as: UTF8.self)
  }

  /// The numbers of a track; what is unknown is 0, but for the rating, which is not a number then.
  struct Facts {
    var duration: Float = 0
    var bitRate: UInt32 = 0
    var rate: UInt32 = 0
    /// 19970521; 19970500 where the day is not known.
    var date: UInt32 = 0
    var rating: Float = .nan
    var year: UInt16 = 0
    var track: UInt16 = 0
    var disc: UInt16 = 0
    var bits: UInt8 = 0
    var flags: UInt8 = 0

    static let size = 28
    static let isCompilation: UInt8 = 1
    static let isUntitled: UInt8 = 2

    init() {}

    init(_ record: TrackRecord) {
      func number<T: FixedWidthInteger>(_ value: Int?) -> T { T(clamping: max(value ?? 0, 0)) }
      duration = record.duration.map { Float($0) } ?? 0
      bitRate = number(record.bitRate)
      rate = number(record.sampleRate)
      date = Self.date(record.date ?? record.originalDate ?? "")
      rating = record.rating.map { Float($0) } ?? .nan
      year = number(record.year)
      track = number(record.track)
      disc = number(record.disc)
      bits = number(record.bitDepth)
      if record.isCompilation { flags |= Self.isCompilation }
      if record.title == nil { flags |= Self.isUntitled }
      settle()
    }

    /// A longer track is none, in seconds.
    static let longest: Float = 1e9

    /// What is no length is not known, nor what is no rating.
    private mutating func settle() {
      if !duration.isFinite || duration < 0 { duration = 0 }
      duration = min(duration, Self.longest)
      if !(0...1).contains(rating) { rating = .nan }
    }

    /// The first date in a text: 1997, 1997-05, 1997-05-21, 19970521.
    static func date(_ text: String) -> UInt32 {
      let digits = text.utf8.drop { !(0x30...0x39).contains($0) }
      let pieces = digits.prefix { (0x30...0x39).contains($0) || $0 == 0x2D }
        .split(separator: 0x2D).map { UInt32(String(decoding: $0, as: UTF8.self)) ?? 0 }
      guard let first = pieces.first else { return 0 }
      if first >= 1000_01_01, first <= 9999_12_31 { return first }
      guard (1000...9999).contains(first) else { return 0 }
      let month = pieces.count > 1 && pieces[1] <= 12 ? pieces[1] : 0
      let day = pieces.count > 2 && month > 0 && pieces[2] <= 31 ? pieces[2] : 0
      return first * 10_000 + month * 100 + day
    }

    // MARK: As bytes, lowest first

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.size)
      func add(_ value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
      }
      add(duration.bitPattern)
      add(bitRate)
      add(rate)
      add(date)
      add(rating.bitPattern)
      add(year)
      add(track)
      add(disc)
      add(bits)
      add(flags)
      return bytes
    }

    /// From bytes that may be anything.
    init(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= Self.size else { return }
      func read<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
      }
      duration = Float(bitPattern: read(0, UInt32.self))
      bitRate = read(4, UInt32.self)
      rate = read(8, UInt32.self)
      date = read(12, UInt32.self)
      rating = Float(bitPattern: read(16, UInt32.self))
      year = read(20, UInt16.self)
      track = read(22, UInt16.self)
      disc = read(24, UInt16.self)
      bits = read(26, UInt8.self)
      flags = read(27, UInt8.self)
      settle()
    }
  }
}
