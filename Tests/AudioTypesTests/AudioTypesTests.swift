import AudioTypes
import Testing

@Suite struct AudioTypesTests {
  @Test func `Text for people holds no control or reordering character`() {
    #expect(Text.printable("a\u{1B}[31mb\u{202E}c\n") == "a\u{FFFD}[31mb\u{FFFD}c\u{FFFD}")
    #expect(Text.printable([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(Text.printable("Björk – 音楽 👩‍🎤") == "Björk – 音楽 👩‍🎤")
  }

  @Test func `A gain in decibels is the factor that multiplies samples`() {
    #expect(abs(Gain(decibels: -20).linear - 0.1) < 1e-6)
    #expect(Gain(decibels: 0).linear == 1)
    #expect(Gain(decibels: -.infinity).linear == 0)
    #expect(Gain.silence.decibels == -.infinity)
  }

  @Test func `A loudness gain never lifts the tagged peak over full scale`() {
    let tags = LoudnessTags(trackGain: 6, trackPeak: 0.9)
    #expect(abs(tags.gain(.track)!.linear * 0.9 - 1) < 1e-6)
    #expect(tags.gain(.album) == tags.gain(.track))
    #expect(tags.gain(.off) == nil)
    #expect(LoudnessTags().gain(.track) == nil)
  }

  @Test func `A channel mask that does not match the channel count means the usual layout`() {
    #expect(ChannelLayout.wave(mask: 0x3F, channels: 6) == .usual(channels: 6))
    #expect(ChannelLayout.wave(mask: 0x3, channels: 6) == .usual(channels: 6))
    #expect(ChannelLayout.usual(channels: 6).name == "5.1")
    #expect(ChannelLayout.usual(channels: 8).name == "7.1")
  }

  @Test func `A time becomes the nearest frame and comes back`() {
    let format = AudioFormat(sampleRate: 44100, layout: .stereo)
    #expect(format.frame(atSeconds: 1.0 / 75) == 588)
    #expect(format.frame(atSeconds: -1) == 0)
    #expect(format.frame(atSeconds: .nan) == 0)
    #expect(format.seconds(atFrame: 22050) == 0.5)
  }
}
