import AudioTypes
import Foundation
import JSONText
import MusicLibrary
import Testing

@testable import sotto

@Suite struct JSONTests {
  @Test func `Texts are escaped so that they read back as they were`() throws {
    let texts = [
      "plain", "quote \" back \\ slash /", "tab\tline\nreturn\r", "\u{0}\u{1F}\u{7F}\u{85}",
      "é 音 👩‍🎤 \u{202E}\u{2028}", "",
    ]
    for text in texts {
      for isASCII in [false, true] {
        let line = JSON.array([.string(text)]).text(isASCII: isASCII)
        let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String]
        #expect(read == [text])
        #expect(
          !line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{85}" })
        #expect(!isASCII || line.utf8.allSatisfy { $0 < 0x80 })
      }
    }
  }

  @Test func `Numbers keep their value and what is no number is null`() {
    let numbers = JSON.array([
      .double(1), .double(0.1), .double(-6.5), .double(.nan), .double(.infinity), .double(1e300),
      .int(Int64.max), .int(Int?.none), .bool(true),
    ])
    #expect(numbers.text() == "[1,0.1,-6.5,null,null,1e+300,9223372036854775807,null,true]")
  }

  @Test func `Bytes that are no UTF-8 are replaced`() {
    #expect(JSON.bytes([0x61, 0xFF]).text() == "\"a\u{FFFD}\"")
  }

  @Test func `The object of a track has every field, unknown is null`() {
    var info = TrackInfo(format: AudioFormat(sampleRate: 44100, layout: .stereo))
    info.container = "FLAC"
    info.codec = "FLAC"
    info.frames = 44100
    info.bitDepth = 16
    info.tags = [("title", "T"), ("tracknumber", "3/12"), ("artist", "A"), ("artist", "B")]
    let track = ListedTrack(TrackLocation("a.flac"))
    #expect(
      InfoText.json(track, info).text()
        == #"{"path":"a.flac","container":"FLAC","codec":"FLAC","sampleRate":44100,"channels":2,"#
        + #""channelLayout":"stereo","bitDepth":16,"bitRate":null,"frames":44100,"duration":1,"#
        + #""gapless":null,"title":"T","artist":"A","album":null,"albumArtist":null,"track":3,"#
        + #""trackTotal":12,"disc":null,"discTotal":null,"date":null,"genre":null,"composer":null,"#
        + #""comment":null,"lyrics":false,"picture":null,"replayGain":{"track":null,"album":null,"#
        + #""trackPeak":null,"albumPeak":null},"chapters":[],"tags":{"title":"T","#
        + #""tracknumber":"3/12","artist":"A; B"}}"#)
  }

  @Test func `A part of a file is called what its sheet says`() {
    var info = TrackInfo(format: AudioFormat(sampleRate: 44100, layout: .stereo))
    info.tags = [("title", "Whole album"), ("artist", "A")]
    var track = ListedTrack(TrackLocation("a.flac"), title: "Second", number: 2)
    #expect(InfoText.title(track, info) == "Whole album")
    track.location.start = 60
    #expect(InfoText.title(track, info) == "Second")
    #expect(InfoText.artist(track, info) == "A")
    #expect(InfoText.json(track, info).text().hasSuffix(#""start":60,"end":null}"#))
  }

  @Test func `The lines for people are aligned and hold no control character`() {
    var info = TrackInfo(format: AudioFormat(sampleRate: 48000, layout: .mono))
    info.codec = "MP3"
    info.bitRate = 127_900
    info.frames = 96000
    info.gapless = TrackInfo.Gapless(delay: 1105, padding: 300)
    info.loudness = LoudnessTags(trackGain: -6.25, trackPeak: 0.5)
    info.tags = [("title", "a\u{1B}[31mb")]
    #expect(
      InfoText.lines(ListedTrack(TrackLocation("x\ny.mp3")), info) == [
        "x\u{FFFD}y.mp3",
        "  codec         MP3",
        "  sound         48000 Hz, mono, 128 kbit/s",
        "  length        0:02 (96000 frames, 1105 + 300 trimmed)",
        "  title         a\u{FFFD}[31mb",
        "  track gain    -6.25 dB, peak 0.50",
      ])
  }
}
