import AudioTypes
import CFFmpeg
import Glibc

// What `sotto info` shows of a file that FFmpeg reads.

extension FFmpegDecoder {
  /// The file's facts and tags as a TrackInfo.
  func trackInfo() -> TrackInfo {
    var info = TrackInfo(format: format)
    let facts = unsafe reader.facts
    info.container = Self.containerName(reader.container, codec: reader.codec)
    info.codec = Self.codecName(reader.codec, profile: reader.profile)
    info.bitDepth = unsafe facts.bit_depth > 0 ? Int(facts.bit_depth) : nil
    info.frames = timeline.frames ?? timeline.estimate
    if timeline.kind != .live, timeline.delay > 0 || timeline.padding > 0 {
      info.gapless = .init(delay: timeline.delay, padding: timeline.padding)
    }
    info.bitRate = unsafe facts.bit_rate > 0 ? Int(facts.bit_rate) : averageBitRate()
    info.tags = TagNames.settled(reader.tags())
    info.loudness = LoudnessTags(tags: info.tags)
    info.chapters = reader.chapters()
    info.picture = reader.picture().map { .init(type: $0.type, bytes: $0.bytes.count) }
    return info
  }

  /// From the file's size, where nothing else is in the file.
  private func averageBitRate() -> Int? {
    let facts = unsafe reader.facts
    guard unsafe !facts.has_video, unsafe facts.size > 0, let frames = timeline.frames, frames > 0
    else { return nil }
    return unsafe TrackInfo.averageBitRate(
      bytes: facts.size, seconds: format.seconds(atFrame: frames))
  }

  private static func containerName(_ name: String, codec: String) -> String {
    switch name {
    case "mov,mp4,m4a,3gp,3g2,mj2": return "MP4"
    case "matroska,webm": return "Matroska"
    case "ogg": return "Ogg"
    case "aac": return "ADTS"
    case "wv": return "WavPack"
    case "mpc", "mpc8": return "Musepack"
    case "ape": return "Monkey's Audio"
    case "mpegts": return "MPEG-TS"
    case "mpeg": return "MPEG-PS"
    case "iff": return codec.hasPrefix("dsd") ? "DFF" : "IFF"
    case "ac3": return "AC-3"
    case "eac3": return "E-AC-3"
    default: return (name.split(separator: ",").first.map(String.init) ?? name).uppercased()
    }
  }

  private static func codecName(_ codec: String, profile: String) -> String {
    switch codec {
    case "aac", "aac_latm": return profile.hasPrefix("HE-AAC") ? profile : "AAC"
    case "opus": return "Opus"
    case "vorbis": return "Vorbis"
    case "speex": return "Speex"
    case "wavpack": return "WavPack"
    case "ape": return "Monkey's Audio"
    case "musepack7": return "Musepack SV7"
    case "musepack8": return "Musepack SV8"
    case "ac3": return "AC-3"
    case "eac3": return "E-AC-3"
    case "wmav1": return "WMA 1"
    case "wmav2": return "WMA 2"
    case "wmapro": return "WMA Pro"
    case "wmalossless": return "WMA Lossless"
    case "wmavoice": return "WMA Voice"
    case _ where codec.hasPrefix("dsd_"): return "DSD"
    case _ where codec.hasPrefix("pcm_f"): return "PCM float"
    case _ where codec.hasPrefix("pcm_"): return "PCM"
    default: return codec.uppercased()
    }
  }
}

/// Tag names as sotto uses them, whatever a container calls them.
enum TagNames {
  private static let settled = [
    "album artist": "album_artist", "albumartist": "album_artist", "tracknumber": "track",
    "discnumber": "disc", "year": "date", "unsyncedlyrics": "lyrics", "unsynced lyrics": "lyrics",
    "wm/year": "date", "wm/albumartist": "album_artist", "wm/genre": "genre",
    "wm/tracknumber": "track", "wm/partofset": "disc", "wm/composer": "composer",
    "wm/lyrics": "lyrics", "description": "comment",
  ]

  /// The names settled, and what is not for people (iTunes' numbers) left out.
  static func settled(_ tags: [(name: String, value: String)]) -> [(name: String, value: String)] {
    let names = Set(tags.map(\.name))
    return tags.compactMap { tag in
      guard tag.name != "itunsmpb" else { return nil }
      if tag.name.hasPrefix("lyrics-") { return ("lyrics", tag.value) }
      guard let name = settled[tag.name], !names.contains(name) else { return tag }
      return (name, tag.value)
    }
  }
}

extension LoudnessTags {
  /// ReplayGain tags, or those of R 128 (Opus): there in 1/256 dB and 5 dB quieter. Names in lower
  /// case.
  public init(tags: [(name: String, value: String)]) {
    self.init()
    for tag in tags {
      switch tag.name {
      case "replaygain_track_gain": trackGain = Self.number(tag.value) ?? trackGain
      case "replaygain_album_gain": albumGain = Self.number(tag.value) ?? albumGain
      case "replaygain_track_peak": trackPeak = Self.number(tag.value) ?? trackPeak
      case "replaygain_album_peak": albumPeak = Self.number(tag.value) ?? albumPeak
      default: break
      }
    }
    for tag in tags {
      guard let value = Self.number(tag.value), abs(value) <= 32768 else { continue }
      if tag.name == "r128_track_gain", trackGain == nil { trackGain = value / 256 + 5 }
      if tag.name == "r128_album_gain", albumGain == nil { albumGain = value / 256 + 5 }
    }
  }

  /// The number that a text begins with: "-6.54 dB".
  private static func number(_ text: String) -> Double? {
    let head = text.drop { $0 == " " }.prefix { "+-.0123456789eE".contains($0) }
    guard let value = Double(head), value.isFinite else { return nil }
    return value
  }
}
