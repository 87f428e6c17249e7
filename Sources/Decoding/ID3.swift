import AudioTypes

/// ID3v2 tags (2.2 to 2.4), which stand in front of MP3 and of much else, and ID3v1 at the end.
enum ID3 {
  /// The length of the tag that begins with these ten bytes; `nil` where none does.
  static func length(of head: [UInt8]) -> Int64? {
    guard head.count >= 10, head[0] == 0x49, head[1] == 0x44, head[2] == 0x33, head[3] < 0xFF,
      head[4] < 0xFF, head[6...9].allSatisfy({ $0 < 0x80 })
    else { return nil }
    return syncSafe(head[6...9]) + 10 + (head[5] & 0x10 != 0 ? 10 : 0)
  }

  private static func syncSafe(_ bytes: some Sequence<UInt8>) -> Int64 {
    bytes.reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
  }

  /// Where the bytes of a tag come from: the file, or a copy without the stuffing.
  private struct Source {
    let file: ByteFile
    let offset: Int64
    let end: Int64
    let copy: [UInt8]?

    func bytes(_ at: Int64, _ count: Int) throws(DecodingError) -> [UInt8] {
      let count = max(0, Int(min(Int64(count), end - at)))
      guard let copy else { return try file.bytes(at: offset + at, count: count) }
      guard at >= 0, at < Int64(copy.count) else { return [] }
      return Array(copy[Int(at)..<min(copy.count, Int(at) + count)])
    }
  }

  /// Reads the tag at an offset of a file. Pictures are measured, not read.
  static func read(_ file: ByteFile, at offset: Int64) throws(DecodingError) -> FileTags? {
    let head = try file.bytes(at: offset, count: 10)
    guard let length = length(of: head) else { return nil }
    let version = Int(head[3])
    guard (2...4).contains(version) else { return nil }
    let size = length - 10 - (head[5] & 0x10 != 0 ? 10 : 0)
    let isStuffed = head[5] & 0x80 != 0
    var source = Source(file: file, offset: offset + 10, end: size, copy: nil)
    if isStuffed && version < 4 {
      // Stuffing runs through the whole tag. Texts stand before the pictures, and 4 MiB are enough.
      let raw = try file.bytes(at: offset + 10, count: Int(min(size, 4 << 20)))
      let copy = unstuffed(raw)
      source = Source(file: file, offset: 0, end: Int64(copy.count), copy: copy)
    }
    var start: Int64 = 0
    if head[5] & 0x40 != 0, version > 2 {
      let extended = try source.bytes(0, 4)
      start = version == 4 ? syncSafe(extended) : Bytes(extended, big: true).u32(0) + 4
    }
    var tags = FileTags()
    try frames(source, from: start, version: version, allStuffed: isStuffed, into: &tags)
    tags.chapters.sort { $0.start < $1.start }
    return tags
  }

  private static func frames(
    _ source: Source, from start: Int64, version: Int, allStuffed: Bool, into tags: inout FileTags
  ) throws(DecodingError) {
    let headSize: Int64 = version == 2 ? 6 : 10
    var at = start
    for _ in 0..<4096 {
      let head = try Bytes(source.bytes(at, Int(headSize)), big: true)
      guard head.count == Int(headSize), head.bytes[0] >= 0x30 else { return }
      let name = String(decoding: head.bytes[..<(version == 2 ? 3 : 4)], as: UTF8.self)
      var size: Int64
      switch version {
      case 2: size = Int64(head.number(3, 3))
      case 3: size = head.u32(4)
      default:
        size = syncSafe(head.bytes[4..<8])
        // iTunes wrote plain numbers into tags of version 2.4.
        let plain = head.u32(4)
        if plain != size, try !isFrame(source, at + 10 + size),
          try isFrame(source, at + 10 + plain)
        {
          size = plain
        }
      }
      guard size > 0, at + headSize + size <= source.end else { return }
      let flags = version == 2 ? 0 : Int(head.bytes[9])
      // Compressed or encrypted frames are left alone.
      let isSealed = version == 3 ? flags & 0xC0 != 0 : version == 4 && flags & 0x0C != 0
      if !isSealed {
        let skip: Int64 = version == 4 && flags & 1 != 0 ? 4 : 0
        var body = try source.bytes(
          at + headSize + skip, min(Int(size - skip), FileTags.longestText))
        if version == 4 && (flags & 2 != 0 || allStuffed) { body = unstuffed(body) }
        frame(name, body, size: size, version: version, into: &tags)
      }
      at += headSize + size
    }
  }

  /// True where a frame may stand in a tag of version 2.4, padding or the end.
  private static func isFrame(_ source: Source, _ at: Int64) throws(DecodingError) -> Bool {
    if at >= source.end { return at == source.end }
    let bytes = try source.bytes(at, 4)
    if bytes.first == 0 { return true }
    let name = String(decoding: bytes, as: UTF8.self)
    return names[name] != nil || otherNames.contains(name)
  }

  private static let otherNames: Set<String> = [
    "TXXX", "COMM", "USLT", "APIC", "CHAP", "CTOC", "PRIV", "UFID", "POPM", "PCNT", "GEOB", "MCDI",
    "WXXX", "WOAR", "WOAS", "WCOM", "RVA2", "TLEN", "TMED", "TFLT", "TSO2", "TSOC", "TCMP", "TDTG",
    "TDRL", "TDEN", "TOPE", "TPE4", "TKEY", "SYLT", "PCST", "TMOO",
  ]

  /// Takes one frame's body, of which long ones are cut.
  private static func frame(
    _ name: String, _ body: [UInt8], size: Int64, version: Int, into tags: inout FileTags
  ) {
    guard let encoding = body.first else { return }
    switch name {
    case "APIC", "PIC":
      guard tags.picture == nil else { return }
      var type = version == 2 ? String(decoding: body.dropFirst().prefix(3), as: UTF8.self) : ""
      var rest = body.dropFirst(version == 2 ? 5 : 1)
      if version != 2 {
        let end = rest.firstIndex(of: 0) ?? rest.endIndex
        type = headerText(rest[..<end])
        rest = rest[end...].dropFirst(2)
      }
      rest = split(rest, encoding).rest
      let bytes = size - Int64(body.count - rest.count)
      tags.picture = TrackInfo.Picture(type: pictureType(type), bytes: Int(max(0, bytes)))
    case "TXXX", "TXX":
      let (description, rest) = split(body.dropFirst(), encoding)
      let key = text(description, encoding).lowercased()
      for value in texts(rest, encoding) { tags.add(key, value) }
    case "COMM", "COM", "USLT", "ULT":
      let (description, rest) = split(body.dropFirst(4), encoding)
      let isLyrics = name.hasPrefix("U")
      // Comments with a name are notes of programs (iTunNORM …).
      if isLyrics || text(description, encoding).isEmpty {
        tags.add(isLyrics ? "lyrics" : "comment", text(rest, encoding))
      }
    case "CHAP":
      guard tags.chapters.count < 1000, let end = body.firstIndex(of: 0), end + 17 <= body.count
      else { return }
      let start = Bytes(body, big: true).u32(end + 1)
      // The chapter's title is a frame inside the frame.
      let inner = Array(body[(end + 17)...])
      var title: String?
      if inner.count > 11, inner.starts(with: "TIT2".utf8) {
        let length = Int(Bytes(inner, big: true).u32(4))
        title = text(inner[11..<max(11, min(inner.count, 10 + length))], inner[10])
      }
      tags.chapters.append(TrackInfo.Chapter(start: Double(start) / 1000, title: title))
    default:
      guard name.hasPrefix("T"), let key = names[name] else { return }
      for value in texts(body.dropFirst(), encoding) {
        tags.add(key, key == "genre" ? genre(value) : value)
      }
    }
  }

  /// Removes the NULs that keep a tag from looking like sound.
  private static func unstuffed(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var last: UInt8 = 0
    for byte in bytes {
      if last != 0xFF || byte != 0 { out.append(byte) }
      last = byte
    }
    return out
  }

  /// The bytes before the first terminator of the encoding, and those behind it.
  private static func split(
    _ bytes: ArraySlice<UInt8>, _ encoding: UInt8
  ) -> (first: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    if encoding == 0 || encoding == 3 {
      guard let end = bytes.firstIndex(of: 0) else { return (bytes, []) }
      return (bytes[..<end], bytes[(end + 1)...])
    }
    var at = bytes.startIndex
    while at + 1 < bytes.endIndex {
      if bytes[at] == 0 && bytes[at + 1] == 0 { return (bytes[..<at], bytes[(at + 2)...]) }
      at += 2
    }
    return (bytes, [])
  }

  /// All texts of a frame (version 2.4 puts several behind each other).
  private static func texts(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> [String] {
    var all: [String] = []
    var rest = bytes
    while !rest.isEmpty, all.count < 64 {
      let (first, more) = split(rest, encoding)
      all.append(text(first, encoding))
      rest = more
    }
    return all
  }

  private static func text(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
    guard encoding == 1 || encoding == 2 else {
      // What is marked as Latin-1 is UTF-8 often enough.
      return headerText(bytes)
    }
    var isBig = encoding == 2
    var units = bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      isBig = bytes.first == 0xFE
      units = bytes.dropFirst(2)
    }
    var words: [UInt16] = []
    var at = units.startIndex
    while at + 1 < units.endIndex {
      let (one, two) = (UInt16(units[at]), UInt16(units[at + 1]))
      words.append(isBig ? one << 8 | two : two << 8 | one)
      at += 2
    }
    return headerText(Array(String(decoding: words, as: UTF16.self).utf8))
  }

  private static func pictureType(_ type: String) -> String {
    switch type.lowercased() {
    case "jpg", "image/jpg", "jpeg": return "image/jpeg"
    case "png": return "image/png"
    default: return type.lowercased()
    }
  }

  /// A genre that may be a number of ID3v1, alone or in brackets.
  private static func genre(_ text: String) -> String {
    var digits = text[...]
    if text.hasPrefix("("), let end = text.firstIndex(of: ")") {
      let after = text[text.index(after: end)...]
      if !after.isEmpty { return String(after) }
      digits = text[text.index(after: text.startIndex)..<end]
    }
    if let number = Int(digits), genres.indices.contains(number) { return genres[number] }
    return text
  }

  /// The 128 bytes of ID3v1.
  static func read(oldTag bytes: [UInt8]) -> FileTags? {
    guard bytes.count == 128, bytes.starts(with: "TAG".utf8) else { return nil }
    var tags = FileTags()
    tags.add("title", headerText(bytes[3..<33]))
    tags.add("artist", headerText(bytes[33..<63]))
    tags.add("album", headerText(bytes[63..<93]))
    tags.add("date", headerText(bytes[93..<97]))
    tags.add("comment", headerText(bytes[97..<125]))
    if bytes[125] == 0, bytes[126] != 0 { tags.add("track", String(bytes[126])) }
    if genres.indices.contains(Int(bytes[127])) { tags.add("genre", genres[Int(bytes[127])]) }
    return tags
  }

  private static let names: [String: String] = [
    "TIT2": "title", "TT2": "title", "TPE1": "artist", "TP1": "artist", "TPE2": "album_artist",
    "TP2": "album_artist", "TALB": "album", "TAL": "album", "TRCK": "track", "TRK": "track",
    "TPOS": "disc", "TPA": "disc", "TDRC": "date", "TYER": "date", "TYE": "date",
    "TCON": "genre", "TCO": "genre", "TCOM": "composer", "TCM": "composer", "TCOP": "copyright",
    "TCR": "copyright", "TSSE": "encoder", "TSS": "encoder", "TENC": "encoded_by",
    "TEN": "encoded_by", "TIT1": "grouping", "TT1": "grouping", "TIT3": "subtitle",
    "TPE3": "performer", "TPUB": "publisher", "TLAN": "language", "TBPM": "bpm",
    "TSRC": "isrc", "TSOP": "artist-sort", "TSOA": "album-sort", "TSOT": "title-sort",
    "TDOR": "originaldate", "TEXT": "lyricist",
  ]

  /// By number: ID3v1's 80 and Winamp's that followed, as TagLib spells them.
  static let genres = [
    "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz",
    "Metal", "New Age", "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno",
    "Industrial", "Alternative", "Ska", "Death Metal", "Pranks", "Soundtrack", "Euro-Techno",
    "Ambient", "Trip-Hop", "Vocal", "Jazz-Funk", "Fusion", "Trance", "Classical", "Instrumental",
    "Acid", "House", "Game", "Sound Clip", "Gospel", "Noise", "Alternative Rock", "Bass", "Soul",
    "Punk", "Space", "Meditative", "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic",
    "Darkwave", "Techno-Industrial", "Electronic", "Pop-Folk", "Eurodance", "Dream",
    "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40", "Christian Rap", "Pop/Funk", "Jungle",
    "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave", "Showtunes", "Trailer",
    "Lo-Fi", "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical", "Rock & Roll",
    "Hard Rock", "Folk", "Folk Rock", "National Folk", "Swing", "Fast Fusion", "Bebop", "Latin",
    "Revival", "Celtic", "Bluegrass", "Avant-garde", "Gothic Rock", "Progressive Rock",
    "Psychedelic Rock", "Symphonic Rock", "Slow Rock", "Big Band", "Chorus", "Easy Listening",
    "Acoustic", "Humour", "Speech", "Chanson", "Opera", "Chamber Music", "Sonata", "Symphony",
    "Booty Bass", "Primus", "Porn Groove", "Satire", "Slow Jam", "Club", "Tango", "Samba",
    "Folklore", "Ballad", "Power Ballad", "Rhythmic Soul", "Freestyle", "Duet", "Punk Rock",
    "Drum Solo", "A Cappella", "Euro-House", "Dancehall", "Goa", "Drum & Bass", "Club-House",
    "Hardcore Techno", "Terror", "Indie", "Britpop", "Worldbeat", "Polsk Punk", "Beat",
    "Christian Gangsta Rap", "Heavy Metal", "Black Metal", "Crossover", "Contemporary Christian",
    "Christian Rock", "Merengue", "Salsa", "Thrash Metal", "Anime", "Jpop", "Synthpop", "Abstract",
    "Art Rock", "Baroque", "Bhangra", "Big Beat", "Breakbeat", "Chillout", "Downtempo", "Dub",
    "EBM", "Eclectic", "Electro", "Electroclash", "Emo", "Experimental", "Garage", "Global", "IDM",
    "Illbient", "Industro-Goth", "Jam Band", "Krautrock", "Leftfield", "Lounge", "Math Rock",
    "New Romantic", "Nu-Breakz", "Post-Punk", "Post-Rock", "Psytrance", "Shoegaze", "Space Rock",
    "Trop Rock", "World Music", "Neoclassical", "Audiobook", "Audio Theatre", "Neue Deutsche Welle",
    "Podcast", "Indie Rock", "G-Funk", "Dubstep", "Garage Rock", "Psybient",
  ]
}
