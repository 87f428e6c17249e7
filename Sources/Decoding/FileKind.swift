/// What a file is, told by its bytes and never by its name.
enum FileKind: Equatable, Sendable {
  /// The WAVE family: RIFF, RIFX, RF64, BW64, and Sony's W64.
  case wave, wave64
  case aiff
  case flac, oggFlac, oggVorbis, mp3
  case caf, au
  /// Uncompressed kinds that libsndfile reads: IRCAM, NIST, PVF, AVR, SVX, HTK …
  case rareUncompressed
  /// Creative Voice: libsndfile plays the headers of its blocks as sound, so FFmpeg reads it.
  case voice
  /// Sound or video that FFmpeg may know.
  case other
  /// Text, or nothing that looks like sound.
  case text

  /// Judges a file by its first bytes; ID3v2 tags in front are read and stepped over. `start` is
  /// where the music's own bytes begin.
  static func detect(
    _ file: ByteFile
  ) throws(DecodingError) -> (kind: FileKind, start: Int64, tags: FileTags) {
    var tags = FileTags()
    var start: Int64 = 0
    // Some writers put several tags in a row; more than a handful is an attack.
    for _ in 0..<8 {
      let head = try file.bytes(at: start, count: 10)
      guard let size = ID3.length(of: head) else { break }
      if let more = try ID3.read(file, at: start) { tags.add(missingFrom: more) }
      start += size
    }
    if start >= file.size { throw DecodingError(.notAudio, "not an audio file: only a tag") }
    var head = try file.bytes(at: start, count: 4096)
    // Padding of NULs after a tag is common, in front of everything else too.
    if let first = head.firstIndex(where: { $0 != 0 }), first > 0 {
      let kind = detect(Array(head[first...]))
      if kind != .other && kind != .text { return (kind, start + Int64(first), tags) }
    }
    let kind = detect(head)
    if kind != .other && kind != .text { return (kind, start, tags) }
    if kind == .other && hasForeignMagic(head) { return (.other, start, tags) }
    // An MPEG stream may begin in the middle of a frame, or behind a page of something else.
    head = try file.bytes(at: start, count: 256 << 10)
    if let offset = MPEGHeader.firstFrame(in: head) {
      return (.mp3, start + Int64(offset), tags)
    }
    return (kind, start, tags)
  }

  /// Judges bytes that stand at the beginning of the music.
  static func detect(_ head: [UInt8]) -> FileKind {
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
      text.withUTF8Buffer { wanted in
        guard head.count >= offset + wanted.count else { return false }
        for index in 0..<wanted.count where unsafe head[offset + index] != wanted[index] {
          return false
        }
        return true
      }
    }
    if has("RIFF") || has("RIFX") || has("RF64") || has("BW64") {
      return has("WAVE", at: 8) ? .wave : .other
    }
    if head.starts(with: Wave64.riff) { return .wave64 }
    if has("FORM") {
      if has("AIFF", at: 8) || has("AIFC", at: 8) { return .aiff }
      return has("8SVX", at: 8) || has("16SV", at: 8) ? .rareUncompressed : .other
    }
    if has("fLaC") { return .flac }
    if has("OggS"), head.count > 27 {
      let packet = 27 + Int(head[26])
      if has("\u{7F}FLAC", at: packet) { return .oggFlac }
      if has("\u{01}vorbis", at: packet) { return .oggVorbis }
      return .other
    }
    if has("caff") { return .caf }
    if has(".snd") || has("dns.") { return .au }
    if has("NIST_1A") || has("PVF1\n") || has("2BIT")
      || head.starts(with: [0x64, 0xA3, 1, 0]) || head.starts(with: [0, 1, 0xA3, 0x64])
      || head.starts(with: [0x64, 0xA3, 2, 0]) || head.starts(with: [0, 2, 0xA3, 0x64])
    {
      return .rareUncompressed
    }
    if has("Creative Voice File") { return .voice }
    if MPEGHeader.startsStream(head) { return .mp3 }
    return isText(head) ? .text : .other
  }

  /// True where the bytes name a container in which stray MPEG headers are no music of their own.
  private static func hasForeignMagic(_ head: [UInt8]) -> Bool {
    let magics: [[UInt8]] = [
      Array("OggS".utf8), Array("MAC ".utf8), Array("wvpk".utf8), Array("MPCK".utf8),
      Array("MP+".utf8), Array("TTA".utf8), Array("tBaK".utf8), Array("DSD ".utf8),
      Array("FRM8".utf8), Array("RIFF".utf8), Array("FORM".utf8), Array("FLV".utf8),
      Array("#!AMR".utf8), [0x1A, 0x45, 0xDF, 0xA3], [0x30, 0x26, 0xB2, 0x75], [0x0B, 0x77],
      [0, 0, 1, 0xBA], [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8),
      Array("PK\u{03}\u{04}".utf8), [0x7F, 0x45, 0x4C, 0x46], Array("%PDF".utf8), [0x1F, 0x8B],
    ]
    if magics.contains(where: { head.starts(with: $0) }) { return true }
    if head.count >= 8 && Array(head[4..<8]) == Array("ftyp".utf8) { return true }
    // An AAC stream in ADTS: the sync word with layer 0.
    return head.count >= 2 && head[0] == 0xFF && head[1] & 0xF6 == 0xF0
  }

  /// True for what a person wrote: no control characters but white space, and no broken UTF-8
  /// except where the excerpt ends (a legacy code page passes by having few high bytes).
  static func isText(_ head: [UInt8]) -> Bool {
    if head.isEmpty { return false }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      // UTF-16: nearly every other byte of the usual scripts is below 5.
      let small = head.filter { $0 < 5 }.count
      return head.count >= 8 && small * 3 > head.count
    }
    var high = 0
    for byte in head {
      switch byte {
      case 9, 10, 12, 13, 27: continue
      case 0..<32, 127: return false
      case 128...: high += 1
      default: continue
      }
    }
    if high * 3 < head.count { return true }
    // The excerpt may end in the middle of a character.
    return (0..<4).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }
}
