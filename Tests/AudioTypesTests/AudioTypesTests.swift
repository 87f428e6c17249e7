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

  @Test func `A loudness gain without a peak lifts nothing, and lowers as it says`() {
    #expect(LoudnessTags(trackGain: 6).gain(.track) == .unity)
    #expect(LoudnessTags(trackGain: -6).gain(.track) == Gain(decibels: -6))
    // The peak of the album bounds its tracks too.
    #expect(
      LoudnessTags(trackGain: 6, albumPeak: 0.25).gain(.track) == Gain(decibels: 6))
    #expect(LoudnessTags(albumGain: 6, trackPeak: 0.5).gain(.album) == Gain(decibels: 6))
  }

  @Test func `Loudness tags of nonsense never give a factor that is none`() {
    let odd = [1e300, -1e300, .infinity, -.infinity, .nan, 128, 0, 1e-300, 32767, -5]
    for gain in odd {
      for peak in odd + [0.5] {
        for mode in LoudnessMode.allCases {
          let tags = LoudnessTags(
            trackGain: gain, albumGain: -gain, trackPeak: peak, albumPeak: -peak)
          guard let factor = tags.gain(mode)?.linear else { continue }
          #expect(factor.isFinite && factor >= 0.0009 && factor <= 16)
        }
      }
    }
    #expect(LoudnessTags(trackGain: 1e300, trackPeak: 0.01).gain(.track) == Gain(decibels: 24))
    #expect(LoudnessTags(trackGain: -1e300).gain(.track) == Gain(decibels: -60))
    #expect(LoudnessTags(trackGain: .nan, albumGain: -3).gain(.track) == Gain(decibels: -3))
    #expect(LoudnessTags(trackGain: .infinity).gain(.track) == nil)
    // Counted in steps of 16 bits: no peak that anything is known by.
    #expect(LoudnessTags(trackGain: -3, trackPeak: 32767).gain(.track) == Gain(decibels: -3))
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
