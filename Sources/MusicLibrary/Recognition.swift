/// What a file may be, by its name and its first bytes. Only decoders know; this decides what a
/// folder offers them and what is a playlist.
enum Recognition {
  /// Extensions that a folder offers without a look inside.
  static let audioSuffixes: Set<String> = [
    "wav", "wave", "rf64", "w64", "bwf", "aif", "aiff", "aifc", "caf", "au", "snd", "flac", "oga",
    "ogg", "opus", "spx", "mp3", "mp2", "mpga", "m4a", "m4b", "m4r", "mp4", "m4v", "mov", "3gp",
    "aac", "adts", "alac", "wma", "asf", "wmv", "ape", "wv", "mpc", "mp+", "tta", "tak", "dsf",
    "dff", "ac3", "eac3", "dts", "mka", "mkv", "webm", "weba", "avi", "amr", "ra", "rm", "voc",
    "mpg", "mpeg", "ogv", "flv", "ts", "shn", "ofr", "qoa",
  ]

  /// Extensions that a folder leaves out without a look inside.
  static let otherSuffixes: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "svg", "heic", "avif", "ico", "txt",
    "md", "log", "nfo", "pdf", "html", "htm", "xml", "json", "yaml", "yml", "toml", "ini", "csv",
    "rtf", "doc", "docx", "odt", "sfv", "md5", "sha1", "sha256", "ffp", "accurip", "lrc", "srt",
    "ass", "vtt", "sub", "idx", "zip", "rar", "7z", "gz", "bz2", "xz", "zst", "tar", "iso", "exe",
    "dll", "so", "db", "sqlite", "url", "lnk", "desktop", "part", "crdownload", "tmp", "bak",
    "torrent", "mid", "midi", "swift", "c", "h", "py", "sh", "js", "css", "m3u", "m3u8", "pls",
    "xspf", "cue",
  ]

  static func playlist(suffix: String) -> PlaylistKind? {
    switch suffix {
    case "m3u", "m3u8": return .m3u
    case "pls": return .pls
    case "xspf": return .xspf
    case "cue": return .cue
    default: return nil
    }
  }

  /// How many bytes `playlist(head:)` and `isAudio(head:)` look at.
  static let headBytes = 1024

  /// A playlist by its first bytes alone.
  static func playlist(head: [UInt8]) -> PlaylistKind? {
    let text = LegacyText.unmarked(head)
    let start = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    if LegacyText.begins(start, with: "#extm3u") { return .m3u }
    if LegacyText.begins(start, with: "[playlist]") { return .pls }
    if LegacyText.begins(start, with: "<?xml") || LegacyText.begins(start, with: "<playlist") {
      return contains(text, "xspf.org") || contains(text, "<trackList") ? .xspf : nil
    }
    return isCue(text) ? .cue : nil
  }

  /// A sheet begins with the commands of a sheet; the first FILE line decides.
  private static func isCue(_ text: [UInt8]) -> Bool {
    let before: [StaticString] = [
      "rem ", "title ", "performer ", "songwriter ", "catalog ", "cdtextfile ",
    ]
    for line in LegacyText.lines(text) {
      let content = LegacyText.trimmed(line)
      if content.isEmpty || before.contains(where: { LegacyText.begins(content, with: $0) }) {
        continue
      }
      return LegacyText.begins(content, with: "file ") && content.contains(UInt8(ascii: "\""))
    }
    return false
  }

  private static func contains(_ text: [UInt8], _ word: StaticString) -> Bool {
    let first = word.utf8Start.pointee
    return text.indices.contains { index in
      text[index] == first && LegacyText.begins(text[index...], with: word)
    }
  }

  /// True for bytes that some decoder may know.
  static func isAudio(head: [UInt8]) -> Bool {
    let marks: [(offset: Int, text: StaticString)] = [
      (0, "RIFF"), (0, "RIFX"), (0, "RF64"), (0, "riff"), (0, "FORM"), (0, "FRM8"), (0, "caff"),
      (0, ".snd"), (0, "fLaC"), (0, "OggS"), (0, "ID3"), (4, "ftyp"), (0, "MAC "), (0, "wvpk"),
      (0, "MPCK"), (0, "MP+"), (0, "TTA1"), (0, "tBaK"), (0, "DSD "), (0, "#!AMR"), (0, "ajkg"),
      (0, "OFR "), (0, "FLV"), (0, ".RMF"), (0, "Creative Voice"),
    ]
    for mark in marks where head.count >= mark.offset + mark.text.utf8CodeUnitCount {
      let matches = mark.text.withUTF8Buffer {
        head[mark.offset..<(mark.offset + $0.count)].elementsEqual($0)
      }
      if matches { return true }
    }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return true }
    if head.starts(with: [0x30, 0x26, 0xB2, 0x75]) { return true }
    if head.starts(with: [0x0B, 0x77]) { return true }
    if LegacyText.isLittleUTF16(head) { return false }
    // MPEG audio and ADTS: eleven bits of sync, then no forbidden version, rate or layer pair.
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return false }
    if head[1] & 0xF6 == 0xF0 { return true }
    return head[1] & 0x18 != 0x08 && head[1] & 0x06 != 0 && head[2] & 0xF0 != 0xF0
      && head[2] & 0x0C != 0x0C
  }
}
