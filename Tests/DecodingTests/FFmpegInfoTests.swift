import AudioTypes
import Decoding
import Foundation
import TestSupport
import Testing

/// What `sotto info` shows of files that FFmpeg reads.
@Suite(.enabled(if: Tool.isIntegration)) struct FFmpegInfoTests {
  let folder: TestFolder
  let source: Encoder
  init() throws {
    folder = try TestFolder()
    source = try Encoder(
      folder, samples: Signals.music(frames: 96_000, channels: 2, rate: 48000), rate: 48000)
  }

  func info(_ path: String) throws(DecodingError) -> TrackInfo {
    try FFmpegDecoder.info(path: Array(path.utf8), isURL: false)
  }

  @Test func `opus tells its tags, its picture and its loudness as replaygain`() throws {
    let picture = try folder.write(Self.png, "cover.png")
    let path = try source.tool(
      [
        "opusenc", "--quiet", "--title", "A title", "--artist", "An artist", "--picture", picture,
        "--comment", "R128_TRACK_GAIN=-512", "--comment", "R128_ALBUM_GAIN=256", "{in}", "{out}",
      ], "a.opus")
    let info = try info(path)
    #expect(info.container == "Ogg")
    #expect(info.codec == "Opus")
    #expect(info.format == AudioFormat(sampleRate: 48000, layout: .stereo))
    #expect(info.bitDepth == nil)
    #expect(info.frames == 96_000)
    #expect(info.gapless?.delay == 312)
    #expect(info.tag("title") == "A title")
    #expect(info.tag("artist") == "An artist")
    #expect(info.picture == .init(type: "image/png", bytes: Self.png.count))
    #expect(info.loudness.trackGain == 3)
    #expect(info.loudness.albumGain == 6)
  }

  @Test func `m4a tells its chapters, tags and gapless numbers`() throws {
    let list = try folder.write(
      Array(
        (";FFMETADATA1\ntitle=Book\nalbum_artist=Reader\ntrack=2/9\n"
          + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n"
          + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Two\n").utf8), "list.txt")
    let path = folder.file("a.m4b")
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-i", source.wave, "-i", list, "-map", "0:a", "-map_metadata",
        "1", "-map_chapters", "1", "-c:a", "aac", "-f", "mp4", path,
      ])
    let info = try info(path)
    #expect(info.container == "MP4")
    #expect(info.codec == "AAC")
    #expect(info.frames == 96_000)
    #expect(info.gapless == .init(delay: 1024, padding: 95 * 1024 - 1024 - 96_000))
    #expect(info.chapters == [.init(start: 0, title: "One"), .init(start: 1, title: "Two")])
    #expect(info.tag("title") == "Book")
    #expect(info.tag("album_artist") == "Reader")
    #expect(info.tag("track") == "2/9")
  }

  @Test func `wavpack tells its replaygain, its cue sheet and its bit depth`() throws {
    let sheet = "FILE \"a.wv\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n"
    let path = try source.tool(
      [
        "wavpack", "-q", "-y", "-w", "Title=Tone", "-w", "REPLAYGAIN_TRACK_GAIN=-6.54 dB", "-w",
        "REPLAYGAIN_TRACK_PEAK=0.98", "-w", "Cuesheet=\(sheet)", "{in}", "-o", "{out}",
      ], "a.wv")
    let info = try info(path)
    #expect(info.container == "WavPack")
    #expect(info.bitDepth == 16)
    #expect(info.tag("title") == "Tone")
    #expect(info.loudness.trackGain == -6.54)
    #expect(info.loudness.trackPeak == 0.98)
    #expect(info.cueSheet == sheet)
  }

  @Test func `ffmpeg is there and says its version`() {
    #expect(FFmpegDecoder.isAvailable)
    #expect(FFmpegDecoder.missingSentence == nil)
    #expect(FFmpegDecoder.versionText?.isEmpty == false)
  }

  /// A picture of one white point.
  static let png: [UInt8] = Array(
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
    ) ?? Data())
}
